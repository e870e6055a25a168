/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"
#include "base/log.h"

#define MAX_CASES 64u

static struct CMUnitTest cases[MAX_CASES];
static unsigned int lines[MAX_CASES];
static size_t nb_cases;

/* Compilers need not keep the order of constructors. */
void
case_add(unsigned int line, const struct CMUnitTest *test)
{
	size_t at;

	if (nb_cases == MAX_CASES)
		abort();
	for (at = nb_cases++; at > 0 && lines[at - 1] > line; at--) {
		lines[at] = lines[at - 1];
		cases[at] = cases[at - 1];
	}
	lines[at] = line;
	cases[at] = *test;
}

int
cases_run(int (*setup)(void **state), int (*teardown)(void **state))
{
	swhca_log_level = SWHCA_LOG_NONE;
	return _cmocka_run_group_tests(program_invocation_short_name, cases, nb_cases, setup,
				       teardown);
}

__attribute__((weak)) int
main(void)
{
	return cases_run(NULL, NULL);
}
