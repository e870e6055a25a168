/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CASES_H
#define SWHCA_CASES_H

/**
 * @file
 * The cases of a program. Each is added where it is defined, as REGISTER_FAST_TEST() of DPDK does
 * it, and main() runs them in the order of their lines.
 */

#include "unit.h"

/* Add the case that is in this line. */
void case_add(unsigned int line, const struct CMUnitTest *test);

/* What main() does without functions for all; a program that has some has a main() of its own. */
int cases_run(int (*setup)(void **state), int (*teardown)(void **state));

/* Add a function as a case of that name if the condition holds when the program starts. */
#define CASE_ADD(is_wanted, id, case_name, function, before, after) \
	static __attribute__((constructor)) void \
	id##_add(void) \
	{ \
		if (is_wanted) \
			case_add(__LINE__, &(const struct CMUnitTest){ \
				.name = case_name, \
				.test_func = function, \
				.setup_func = before, \
				.teardown_func = after, \
			}); \
	}

/* These stand in front of the body of a case, which has `state`. */
#define CASE_WITH(f, before, after) \
	static void f(void **state); \
	CASE_ADD(true, f, #f, f, before, after) \
	static void f(void **state)
/* The body has what the setup has put there, of that type and name, in place of it. */
#define CASE_OF(type, var, f, before, after) \
	static void f(type *var); \
	static void \
	f##_state(void **state) \
	{ \
		f(*state); \
	} \
	CASE_ADD(true, f, #f, f##_state, before, after) \
	static void f(type *var)
#define PLAIN_CASE(f) CASE_WITH(f, NULL, NULL)
/* With setup() and teardown() of the program. */
#define SETUP_CASE(f) CASE_WITH(f, setup, NULL)
#define CASE(f) CASE_WITH(f, setup, teardown)

/* The same pointer, which must be one. */
#define NOT_NULL(ptr) \
	__extension__({ \
		__typeof__(ptr) not_null = (ptr); \
		assert_non_null(not_null); \
		not_null; \
	})

#endif /* SWHCA_CASES_H */
