/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_H
#define CHECK_H

/**
 * @file
 * What was assumed of the hardware without a public source: a table of questions to a device.
 *
 * A check writes what it sees as text, in the same words as the table has what is expected. The
 * verdict is the comparison of the two: no check decides for itself whether it is content.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct check_bed;

#define CHECK_TEXT_SIZE 200u

enum check_verdict {
	CHECK_AS_EXPECTED,
	CHECK_DIFFERS,
	CHECK_NOT_AVAILABLE,	/**< The device lacks a capability; which one is in detail. */
	CHECK_BROKEN,		/**< It could not be asked: memory, a command, a connection. */
	CHECK_NB_VERDICTS,
};

struct check_result {
	enum check_verdict verdict;
	char observed[CHECK_TEXT_SIZE];	/**< In the words of struct check.expected. */
	char detail[CHECK_TEXT_SIZE];	/**< What a report needs besides, or empty. */
};

struct check {
	const char *name;
	const char *assumed;	/**< What was taken to be so. */
	const char *depends;	/**< What would be wrong otherwise. */
	const char *expected;
	/** Ask; bed has a queue of its own, and nobody looks at it afterwards. */
	void (*run)(struct check_bed *bed, struct check_result *result);
};

/** Checks of a theme, in a file of their own. */
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

/** All of them. */
extern const struct check_theme *const check_themes[];
extern const size_t check_nb_themes;

/** Write what was seen; the last one counts. */
void check_observe(struct check_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Add to the details. */
void check_note(struct check_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** The device has not what the question is about. */
void check_lacks(struct check_result *result, const char *capability);

/** The question could not be put. */
void check_break(struct check_result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif /* CHECK_H */
