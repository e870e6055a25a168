/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* How dpdk-test-umr names its devices to the library, which is played here. */

#include <errno.h>
#include <string.h>

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

static int
setup(void **state __rte_unused)
{
	nb_probed = 0;
	return 0;
}

static void
found_devices_get_the_arguments_of_the_command(void **state __rte_unused)
{
	struct tool_devices devices = { .args = "x=1,y=2" };

	assert_true(tool_devices_open(&devices, 2));
	assert_int_equal(devices.nb_ids, 2);
	assert_int_equal(nb_probed, 2);
	assert_string_equal(probed[0], "a_0,x=1,y=2");
	assert_string_equal(probed[1], "a_1,x=1,y=2");
	tool_devices_close(&devices);
}

static void
arguments_of_the_user_are_the_only_ones(void **state __rte_unused)
{
	struct tool_devices devices = { .args = "x=1" };

	assert_true(tool_devices_add(&devices, "b_0,z=3"));
	assert_true(tool_devices_add(&devices, "b_1"));
	assert_true(tool_devices_open(&devices, 2));
	assert_string_equal(probed[0], "b_0,z=3");
	assert_string_equal(probed[1], "b_1,x=1");
	tool_devices_close(&devices);
}

static void
command_without_arguments_adds_none(void **state __rte_unused)
{
	struct tool_devices devices = { 0 };

	assert_true(tool_devices_open(&devices, 1));
	assert_string_equal(probed[0], "a_0");
	tool_devices_close(&devices);
}

static void
too_long_a_name_is_rejected(void **state __rte_unused)
{
	struct tool_devices devices = { .args = "x=1" };
	char name[TOOL_MAX_DEVARGS] = { 0 };

	memset(name, 'n', sizeof(name) - 1);
	assert_true(tool_devices_add(&devices, name));
	assert_false(tool_devices_open(&devices, 1));
	assert_int_equal(nb_probed, 0);
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
		T(found_devices_get_the_arguments_of_the_command),
		T(arguments_of_the_user_are_the_only_ones),
		T(command_without_arguments_adds_none),
		T(too_long_a_name_is_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
