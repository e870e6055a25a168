/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_CASES_H
#define TEST_CASES_H

/**
 * @file
 * What programs of cmocka cases include: cmocka, what its header needs, and plain C. Each case is
 * added where it is defined, and main() runs them in the order of their lines.
 */

#include <endian.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../cmocka_compat.h"

/** Number of elements of an array. */
#define NB_OF(array) (sizeof(array) / sizeof((array)[0]))

/** Add a case behind those that there are. */
void case_add(const struct CMUnitTest *test);

/**
 * Run the cases, between a setup and a teardown of all. main() does it without both, unless the
 * program has a main() of its own. @return Failures.
 */
int cases_run(CMFixtureFunction setup, CMFixtureFunction teardown);

/**
 * Add a function as a case of that name if the condition holds when the program starts. What is
 * NULL is not called.
 */
#define CASE_ADD(is_wanted, id, case_name, function, before, after)                                \
	/* Priorities up to 100 are reserved. */                                                   \
	static void __attribute__((constructor(101 + __LINE__)))                                   \
	id##_add(void)                                                                             \
	{                                                                                          \
		if (is_wanted)                                                                     \
			case_add(&(const struct CMUnitTest){                                       \
				.name = case_name,                                                 \
				.test_func = function,                                             \
				.setup_func = before,                                              \
				.teardown_func = after,                                            \
			});                                                                        \
	}

/* These stand in front of the body of a case, which has `state`. */
#define CASE_WITH(f, before, after)                                                                \
	static void f(void **state);                                                               \
	CASE_ADD(true, f, #f, f, before, after)                                                    \
	static void f(void **state)
#define CASE(f) CASE_WITH(f, NULL, NULL)

/** The body has what the setup has put there, of that type and name, in place of it. */
#define CASE_OF(type, var, f, before, after)                                                       \
	static void f(type *var);                                                                  \
	static void                                                                                \
	f##_state(void **state)                                                                    \
	{                                                                                          \
		f(*state);                                                                         \
	}                                                                                          \
	CASE_ADD(true, f, #f, f##_state, before, after)                                            \
	static void f(type *var)

/** The same pointer, which must be one. */
#define NOT_NULL(ptr)                                                                              \
	__extension__({                                                                            \
		__typeof__(ptr) not_null = (ptr);                                                  \
		assert_non_null(not_null);                                                         \
		not_null;                                                                          \
	})

/** Compare a number of a table's row; a failure names the row. */
static inline void
row_check(const char *row, long long got, long long expected)
{
	if (got != expected)
		fail_msg("%s: %lld (0x%llx), expected %lld (0x%llx)", row, got, got, expected,
			 expected);
}

/** The same of a row without a name. */
static inline void
row_check_at(size_t row, long long got, long long expected)
{
	char name[32];

	snprintf(name, sizeof(name), "row %zu", row);
	row_check(name, got, expected);
}

#endif /* TEST_CASES_H */
