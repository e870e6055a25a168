/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <unistd.h>

#include "swhca_control.h"

#include "autotest.h"
#include "control.h"

bool
at_has_control(void)
{
	return swhca_control_is_there(getpid());
}

int
at_need_control(void)
{
	if (at_has_control())
		return TEST_SUCCESS;
	/* swhca-run sets it. */
	TEST_ASSERT(getenv("SWHCA_LIB") == NULL);
	TEST_SKIP("needs a software device");
}

int
at_device_do(const char *command)
{
	char why[256] = "";
	int ret = swhca_control_do(getpid(), command, why, sizeof(why));

	if (ret != 0)
		TEST_FAIL_AT("%s: %d %s", command, ret, why);
	return TEST_SUCCESS;
}

int
at_command_fail(unsigned int n)
{
	char line[64];

	snprintf(line, sizeof(line), "fail-command 0 %u", n);
	return at_device_do(line);
}

int
at_device_stats(struct at_device_stats *stats)
{
	const struct {
		const char *name;
		uint64_t *value;
	} counters[] = {
		{ "cmd_errors", &stats->nb_cmd_errors },
		{ "wqes", &stats->nb_wqes },
		{ "objects", &stats->nb_objects },
		{ "umems", &stats->nb_umems },
		{ "mkeys", &stats->nb_mkeys },
	};
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		TEST_ASSERT_EQUAL(swhca_control_counter(getpid(), 0, counters[i].name,
							counters[i].value), 0);
	return TEST_SUCCESS;
}
