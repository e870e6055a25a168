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
