/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_RUN_H
#define AUTOTEST_RUN_H

/**
 * @file
 * All suites, for programs that have initialized EAL. Verdicts are explained in autotest.h, whose
 * names conflict with other assertions.
 */

/**
 * Called for each case that was run.
 *
 * @param verdict
 *   0 passed, 77 skipped; anything else: failed.
 */
typedef void (*at_report_t)(void *arg, const char *suite, const char *name, int verdict);

/**
 * Run cases in sequence.
 *
 * @param words
 *   SUITE or SUITE.CASE each; none selects all.
 * @param report
 *   NULL: only count.
 * @return
 *   Number of selected cases.
 */
unsigned int at_run(int nb_words, char **words, at_report_t report, void *arg);

#endif /* AUTOTEST_RUN_H */
