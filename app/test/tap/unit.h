/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef UNIT_H
#define UNIT_H

/** @file What programs of cmocka cases include: cmocka, what its header needs, and plain C. */

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

/** A case with setup() and teardown() of its program. */
#define UNIT_CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/** Cases of the program, in the order of their lines: UNIT_TEST(), UNIT_TEST_WITH(). */
static struct {
	struct CMUnitTest list[64];
	size_t nb;
} unit_cases;

static inline void
unit_case_add(const struct CMUnitTest test)
{
	if (unit_cases.nb == NB_OF(unit_cases.list))
		abort();
	unit_cases.list[unit_cases.nb++] = test;
}

/**
 * Define a case: UNIT_TEST_WITH(name, setup, teardown) { ... }; its parameter is void **state. What
 * is NULL is not called.
 */
#define UNIT_TEST_WITH(name, setup, teardown)                                                      \
	static void name(void **state);                                                            \
	/* Priorities up to 100 are reserved. */                                                   \
	static void __attribute__((constructor(101 + __LINE__)))                                   \
	name##_register(void)                                                                      \
	{                                                                                          \
		unit_case_add((struct CMUnitTest){ #name, name, setup, teardown, NULL });          \
	}                                                                                          \
	static void name(void **state __attribute__((unused)))

/** The same without setup and teardown. */
#define UNIT_TEST(name) UNIT_TEST_WITH(name, NULL, NULL)

/** Run these cases, between a setup and a teardown of all. @return Failures. */
static inline int
unit_run_between(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests("tests", unit_cases.list, unit_cases.nb, setup, teardown);
}

static inline int
unit_run(void)
{
	return unit_run_between(NULL, NULL);
}

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

#endif /* UNIT_H */
