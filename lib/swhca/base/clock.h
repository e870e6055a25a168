/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_CLOCK_H
#define SWHCA_BASE_CLOCK_H

/**
 * @file
 * Clock for waits of the HCA.
 */

#include <stdint.h>

/** Monotonic time in nanoseconds. */
uint64_t swhca_now_ns(void);

#endif /* SWHCA_BASE_CLOCK_H */
