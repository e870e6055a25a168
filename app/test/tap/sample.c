/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A group of cases of all kinds, twice: what sum_tests_test.py reads the output of. */

#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"
#include "tap.h"

CASE(passes)
{
	print_message("of two lines\nok 7 - no verdict\n");
}

CASE(fails)
{
	assert_int_equal(1, 2);
}

CASE(skips)
{
	skip();
}

CASE(forks)
{
	pid_t pid = fork();

	if (pid == 0)
		exit(0);
	waitpid(pid, NULL, 0);
}

int
main(void)
{
	int nb_failed;

	tap_groups(2);
	tap_group("a");
	nb_failed = cases_run(NULL, NULL);
	tap_group("b");
	return nb_failed + cases_run(NULL, NULL);
}
