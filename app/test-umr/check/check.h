/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_H
#define CHECK_H

/**
 * @file
 * Questions to a device: assumptions about the hardware that have no public source.
 *
 * A check reports what it observes as text, in the same words as the expected result. The verdict
 * is the comparison of both texts; a check never decides its own verdict.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_bed;

#define CHECK_TEXT_SIZE 200u

enum check_verdict {
	CHECK_AS_EXPECTED,
	CHECK_DIFFERS,
	CHECK_NOT_AVAILABLE,	/**< A capability is missing; detail names it. */
	CHECK_BROKEN,		/**< Could not run: memory, command or connection failed. */
	CHECK_NB_VERDICTS,
};

struct check_result {
	enum check_verdict verdict;
	char observed[CHECK_TEXT_SIZE];	/**< In the words of struct check.expected. */
	char detail[CHECK_TEXT_SIZE];	/**< Additional information for a report, or empty. */
};

struct check {
	const char *name;
	const char *assumed;	/**< The assumption. */
	const char *depends;	/**< What would break if the assumption is wrong. */
	const char *expected;
	/** Run the check; bed has its own queue and is discarded afterwards. */
	void (*run)(struct check_bed *bed);
	const void *arg;	/**< bed->arg, for checks that differ in values. */
};

/** Checks of a theme, in their own file. */
struct check_theme {
	const char *name;
	const struct check *checks;
	size_t nb;
};

extern const struct check_theme check_layout;
extern const struct check_theme check_key;
extern const struct check_theme check_queue;
extern const struct check_theme check_remote;
extern const struct check_theme check_dc;
extern const struct check_theme check_sig;
extern const struct check_theme check_sig_error;
extern const struct check_theme check_crypto;

#endif /* CHECK_H */
