/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_WRAP_H
#define VERIFY_WRAP_H

/**
 * @file
 * Age queues so that their indices wrap around soon.
 */

#include "verify/bed/bed.h"

/** Ring indices that remain when the cases start; the cases of a queue use more. */
#define VERIFY_WRAP_LEFT	32u

/**
 * Post operations without effect on every queue that accepts operations, until VERIFY_WRAP_LEFT
 * ring indices remain. Each operation takes several descriptors, so that the counters of
 * descriptors and doorbells wrap around earlier.
 *
 * @return
 *   Whether all succeeded; otherwise an error was printed.
 */
bool verify_wrap(const struct bed *bed);

#endif /* VERIFY_WRAP_H */
