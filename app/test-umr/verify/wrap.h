/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_WRAP_H
#define VERIFY_WRAP_H

/**
 * @file
 * Queues that have worked for so long that their indices are about to begin again.
 */

#include "verify/bed/bed.h"

/** Ring indices that are left when the cases begin; those of a queue need more. */
#define VERIFY_WRAP_LEFT	32u

/**
 * Do what has no effect on every queue that takes operations, until VERIFY_WRAP_LEFT ring indices
 * are left. Each of these operations takes several descriptors, so that descriptors and doorbells
 * have begun again before.
 *
 * @return
 *   Whether all succeeded; complains if not.
 */
bool verify_wrap(const struct bed *bed);

#endif /* VERIFY_WRAP_H */
