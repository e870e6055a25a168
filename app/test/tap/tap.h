/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TAP_H
#define TAP_H

/**
 * @file
 * A program that runs its group of cmocka tests several times, in the Test Anything Protocol, which
 * knows one plan. Other programs need nothing of this.
 */

/** Before the first group: how many groups of the same size there are. */
void tap_groups(unsigned int nb_groups);

/** Before each group: what tells its cases from those of the others. */
void tap_group(const char *name);

#endif /* TAP_H */
