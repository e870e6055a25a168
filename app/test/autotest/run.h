/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_RUN_H
#define AUTOTEST_RUN_H

/**
 * @file
 * All suites, for whoever has started EAL. What a verdict is, is in autotest.h, whose names a
 * program with assertions of its own cannot have.
 */

/**
 * Told of each case that was run.
 *
 * @param verdict
 *   0 passed, 77 skipped; anything else: failed.
 */
typedef void (*at_report_t)(void *arg, const char *suite, const char *name, int verdict);

/**
 * Run cases, one after the other.
 *
 * @param words
 *   SUITE or SUITE.CASE each; none asks for all.
 * @param report
 *   NULL: only count.
 * @return
 *   How many cases are asked for.
 */
unsigned int at_run(int nb_words, char **words, at_report_t report, void *arg);

#endif /* AUTOTEST_RUN_H */
