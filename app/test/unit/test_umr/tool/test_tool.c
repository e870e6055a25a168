/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* How dpdk-test-umr names its devices to the library, which is played here. */

#include "unit.h"
#include "tool/tool.h"

static char probed[4][TOOL_MAX_DEVARGS];
static int16_t nb_probed;

uint16_t
rte_umr_dev_scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max)
{
	assert_true(nb_max >= 3);
	strcpy(names[0], "a_0");
	strcpy(names[1], "a_1");
	strcpy(names[2], "a_2");
	return 3;
}

int
rte_umr_dev_probe(const char *devargs, int16_t *dev_id)
{
	strcpy(probed[nb_probed], devargs);
	*dev_id = nb_probed++;
	return 0;
}

int
rte_umr_dev_stop(int16_t dev_id)
{
	assert_uint_in_range(dev_id, 0, nb_probed - 1);
	return 0;
}

int
rte_umr_dev_close(int16_t dev_id)
{
	assert_uint_in_range(dev_id, 0, nb_probed - 1);
	return 0;
}

static void
devices_get_the_arguments_of_user_or_command(void **state)
{
	static const struct {
		const char *name;
		struct tool_devices devices;
		const char *added[2]; /* by the user */
		int16_t nb;
		const char *probed[2];
	} rows[] = {
		{ "of the command", { .args = "x=1,y=2" }, { NULL }, 2,
		  { "a_0,x=1,y=2", "a_1,x=1,y=2" } },
		{ "of the user only", { .args = "x=1" }, { "b_0,z=3", "b_1" }, 2,
		  { "b_0,z=3", "b_1,x=1" } },
		{ "none", { .args = NULL }, { NULL }, 1, { "a_0" } },
	};

	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		struct tool_devices devices = rows[i].devices;

		nb_probed = 0;
		for (int k = 0; k < 2 && rows[i].added[k] != NULL; k++)
			assert_true(tool_devices_add(&devices, rows[i].added[k]));
		row_check(rows[i].name, tool_devices_open(&devices, rows[i].nb), true);
		row_check(rows[i].name, devices.nb_ids, rows[i].nb);
		row_check(rows[i].name, nb_probed, rows[i].nb);
		for (int16_t k = 0; k < nb_probed; k++)
			assert_string_equal(probed[k], rows[i].probed[k]);
		tool_devices_close(&devices);
	}
}

static void
too_long_a_name_is_rejected(void **state)
{
	struct tool_devices devices = { .args = "x=1" };
	char name[TOOL_MAX_DEVARGS] = { 0 };

	nb_probed = 0;
	memset(name, 'n', sizeof(name) - 1);
	assert_true(tool_devices_add(&devices, name));
	assert_false(tool_devices_open(&devices, 1));
	assert_int_equal(nb_probed, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_get_the_arguments_of_user_or_command),
		cmocka_unit_test(too_long_a_name_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
