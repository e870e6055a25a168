/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_CASE_H
#define VERIFY_CASE_H

/**
 * @file
 * Move one random layout of the layout area and compare the result: the cases of the modes list and
 * interleaved.
 */

#include "model/layout.h"
#include "verify/bed/move.h"
#include "verify/bed/rejection.h"

/** Reason why the transfer of a case fails. */
enum case_error {
	CASE_NO_ERROR,
	CASE_BEYOND_END,	/**< It ends after the last byte of the key. */
	CASE_NO_ACCESS,		/**< The key lacks the access. */
	CASE_OLD_TAG,		/**< It uses the previous value of the key. */
	CASE_AFTER_INVALIDATE,	/**< The key was invalidated. */
	CASE_NB_ERRORS,
};

/** Actions of a case; derived from random numbers and the bed. */
struct verify_case {
	struct verify_move move;
	struct layout layout;
	bool is_invalidated;	/**< The key is invalidated, usually after the transfer. */
	bool has_rejection;	/**< A bad layout is tried first. */
	enum verify_rejection rejection;
	enum case_error error;
};

/** Generate a case: a list or an interleaved layout. */
void case_gen(struct verify_case *vc, const struct verify_env *env, struct prng *prng,
	      bool is_interleaved);

/** As verify_mode::run. */
void case_run(const void *vc, const struct verify_env *env, struct case_result *result);

/** As verify_mode::print. */
void case_print(FILE *f, const char *prefix, const void *vc);

#endif /* VERIFY_CASE_H */
