/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_RANDOM_H
#define SWHCA_RANDOM_H

#include <stddef.h>

/**
 * Fill memory with unpredictable bytes from getrandom(2), or from /dev/urandom if that is denied.
 *
 * @return
 *   0, or a negative errno of getrandom(2): neither is available.
 */
int swhca_random_fill(void *buf, size_t len);

#endif /* SWHCA_RANDOM_H */
