/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "cases.h"

static struct CMUnitTest cases[64];
static size_t nb_cases;

void
case_add(const struct CMUnitTest *test)
{
	if (nb_cases == NB_OF(cases))
		abort();
	cases[nb_cases++] = *test;
}

int
cases_run(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests(program_invocation_short_name, cases, nb_cases, setup,
				       teardown);
}

__attribute__((weak)) int
main(void)
{
	return cases_run(NULL, NULL);
}
