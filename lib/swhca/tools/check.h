/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CHECK_H
#define SWHCA_CHECK_H

/**
 * @file
 * swhca-run --check: system features that the devices need and containers often deny.
 */

/**
 * Try each feature in this process, and print a line for each.
 *
 * @return
 *   Exit status: 0, or 1 if the devices cannot work without a missing feature.
 */
int swhca_check_print(void);

#endif /* SWHCA_CHECK_H */
