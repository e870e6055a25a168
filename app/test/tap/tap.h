/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TAP_H
#define TAP_H

/**
 * @file
 * Run a group of cmocka tests several times in one program. The Test Anything Protocol allows only
 * one plan, so such programs need this file.
 */

/** Call before the first group with the number of groups of the same size. */
void tap_groups(unsigned int nb_groups);

/** Call before each group with a name that distinguishes its cases. */
void tap_group(const char *name);

#endif /* TAP_H */
