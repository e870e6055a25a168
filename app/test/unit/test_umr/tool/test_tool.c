/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Options of dpdk-test-umr, and how it names its devices to the library, which is played here. */

#include <getopt.h>

#include "cases.h"
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

CASE(devices_get_the_arguments_of_user_or_command)
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

CASE(too_long_a_name_is_rejected)
{
	struct tool_devices devices = { .args = "x=1" };
	char name[TOOL_MAX_DEVARGS] = { 0 };

	nb_probed = 0;
	memset(name, 'n', sizeof(name) - 1);
	assert_true(tool_devices_add(&devices, name));
	assert_false(tool_devices_open(&devices, 1));
	assert_int_equal(nb_probed, 0);
}

/* A configuration with a member of each kind. */
struct conf {
	uint8_t byte;
	uint32_t half;
	uint64_t number;
	bool is_given;
	bool has_flag;
	bool is_yes;
	enum tool_format format;
	const char *text;
	struct tool_numbers numbers;
	struct tool_devices devices;
	uint32_t nb_args;
};

static struct conf conf;

static bool
arg_add(const char *arg, void *to)
{
	((struct conf *)to)->nb_args++;
	return strcmp(arg, "bad") != 0;
}

static void
help_print(FILE *f)
{
	(void)f;
}

static bool
conf_check(void *to)
{
	assert_ptr_equal(to, &conf);
	return conf.number != 13;
}

#define AT(member)	TOOL_AT(struct conf, member)

static enum tool_exit
parse(int argc, ...)
{
	static const struct tool_word words[] = { { "no", false }, { "yes", true }, { 0 } };
	static const struct tool_option options[] = {
		{ "byte", TOOL_OPTION_NUMBER, AT(byte), .min = 1, .max = UINT8_MAX },
		{ "half", TOOL_OPTION_NUMBER, AT(half), .max = UINT32_MAX, .letter = 'H',
		  .given = offsetof(struct conf, is_given) },
		{ "number", TOOL_OPTION_NUMBER, AT(number), .max = UINT64_MAX },
		{ "flag", TOOL_OPTION_FLAG, AT(has_flag) },
		{ "word", TOOL_OPTION_WORD, AT(is_yes), .words = words },
		{ "text", TOOL_OPTION_TEXT, AT(text) },
		{ "numbers", TOOL_OPTION_NUMBERS, AT(numbers), .min = 1, .max = 9 },
		{ "many", TOOL_OPTION_NUMBERS, AT(numbers), .max = UINT32_MAX },
		{ "device", TOOL_OPTION_DEVICE, AT(devices) },
		TOOL_FORMAT(struct conf),
		{ 0 },
	};
	const struct tool_command command = {
		.name = "play", .options = options, .conf = &conf, .print_help = help_print,
		.arg_add = arg_add, .check = conf_check,
	};
	static char text[8][32];
	char *argv[9] = { text[0] };
	enum tool_exit ret;
	va_list args;

	va_start(args, argc);
	for (int i = 0; i < argc; i++) {
		argv[i] = text[i];
		strcpy(text[i], i == 0 ? "play" : va_arg(args, const char *));
	}
	va_end(args);
	memset(&conf, 0, sizeof(conf));
	return tool_command_parse(&command, argc, argv, &ret) ? TOOL_OK : ret;
}

CASE(each_kind_of_option_is_stored)
{
	(void)state;
	assert_int_equal(parse(7, "--byte", "0xff", "-H", "4294967295", "--number=7", "--flag"),
			 TOOL_OK);
	assert_int_equal(conf.byte, UINT8_MAX);
	assert_int_equal(conf.half, UINT32_MAX);
	assert_int_equal(conf.number, 7);
	assert_true(conf.is_given && conf.has_flag);
	assert_int_equal(parse(7, "--word=yes", "--text=a,b", "--numbers=1,9", "--device=a_0",
			       "--format=csv", "argument"), TOOL_OK);
	assert_true(conf.is_yes && !conf.is_given);
	assert_string_equal(conf.text, "a,b");
	assert_int_equal(conf.numbers.nb, 2);
	assert_int_equal(conf.numbers.values[1], 9);
	assert_string_equal(conf.devices.names[0], "a_0");
	assert_int_equal(conf.format, TOOL_FORMAT_CSV);
	assert_int_equal(conf.nb_args, 1);
}

CASE(ranges_are_lists_of_numbers)
{
	static const struct {
		const char *text;
		struct tool_numbers numbers;
	} rows[] = {
		{ "--numbers=1,9,4,ADD", { 3, { 1, 5, 9 } } },
		{ "--numbers=2,9,2,MUL", { 3, { 2, 4, 8 } } },
		{ "--numbers=1,9,3,mul", { 3, { 1, 3, 9 } } },
		{ "--numbers=7,7,1,add", { 1, { 7 } } },
		{ "--numbers=1,0x9,4294967295,ADD", { 1, { 1 } } },
	};

	(void)state;
	for (size_t i = 0; i < RTE_DIM(rows); i++) {
		row_check(rows[i].text, parse(2, rows[i].text), TOOL_OK);
		row_check(rows[i].text, conf.numbers.nb, rows[i].numbers.nb);
		for (uint32_t k = 0; k < rows[i].numbers.nb; k++)
			row_check(rows[i].text, conf.numbers.values[k],
				  rows[i].numbers.values[k]);
	}
}

CASE(what_an_option_does_not_take_is_wrong_usage)
{
	static const char *const bad[] = {
		"--byte=0", "--byte=256", "--byte=-1", "--byte=", "--byte=1x", "--word=maybe",
		"--numbers=1,,2", "--numbers=10", "--format=xml", "--none", "--byte", "bad",
		"--numbers=ADD", "--numbers=1,ADD", "--numbers=1,2,ADD", "--numbers=1,2,3,4,ADD",
		"--numbers=1,,1,ADD", "--numbers=2,1,1,ADD", "--numbers=0,9,1,ADD",
		"--numbers=1,10,1,ADD", "--numbers=1,9,0,ADD", "--numbers=1,9,1,MUL",
		"--numbers=1,9,x,ADD", "--many=1,33,1,ADD", "--many=0,4,2,MUL",
		"--number=13",
	};

	(void)state;
	for (size_t i = 0; i < NB_OF(bad); i++)
		if (parse(2, bad[i]) != TOOL_USAGE)
			fail_msg("%s is accepted", bad[i]);
	assert_int_equal(parse(3, "--help", "--byte=0"), TOOL_OK);
}
