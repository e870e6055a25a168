/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CHECK_H
#define SWHCA_CHECK_H

/**
 * @file
 * What the devices need of the system, and what containers often deny: swhca-run --check.
 */

/**
 * Try each thing in this process, and print a line for each.
 *
 * @return
 *   Exit status: 0, or 1 if the devices cannot work without what is missing.
 */
int swhca_check_print(void);

#endif /* SWHCA_CHECK_H */
