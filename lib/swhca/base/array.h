/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ARRAY_H
#define SWHCA_ARRAY_H

/**
 * @file
 * Array sizes.
 */

#define SWHCA_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* SWHCA_ARRAY_H */
