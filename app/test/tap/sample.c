/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A group of cases of all kinds, twice: what sum_tests_test.py reads the output of. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tap.h"

static void
passes(void **state)
{
	print_message("of two lines\nok 7 - no verdict\n");
}

static void
fails(void **state)
{
	assert_int_equal(1, 2);
}

static void
skips(void **state)
{
	skip();
}

static void
forks(void **state)
{
	pid_t pid = fork();

	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(passes),
		cmocka_unit_test(fails),
		cmocka_unit_test(skips),
		cmocka_unit_test(forks),
	};
	int nb_failed;

	tap_groups(2);
	tap_group("a");
	nb_failed = cmocka_run_group_tests(tests, NULL, NULL);
	tap_group("b");
	return nb_failed + cmocka_run_group_tests(tests, NULL, NULL);
}
