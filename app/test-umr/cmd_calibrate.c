/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "bench/conf.h"
#include "main.h"

#define DEFAULT_ROUNDS	11u
#define MAX_ROUNDS	10001u

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- calibrate [options]\n"
		"\n"
		"Measure when rte_umr_write_sg() and rte_umr_read_sg() should use which way, and\n"
		"print the options of the device (devargs) that set it:\n"
		"  sg_inline    most bytes of a write that the CPU copies to the work request\n"
		"  sg_key       segments from which a write uses a memory key; 0: never\n"
		"  sg_read_key  the same for a read\n"
		"\n"
		"  --rounds R       rounds of each measurement, 1 to %u (default %u)\n"
		"  --device NAME    device to use (default: the first device)\n"
		"  --format FORMAT  table (default), json or csv\n"
		"\n"
		"The measure is the cost on the posting CPU, as for 'bench --measure jobs'. The\n"
		"options are those for which all rows together cost least, compared with the\n"
		"cheaper way of each.\n"
		"\n"
		TOOL_EXIT_HELP,
		MAX_ROUNDS, DEFAULT_ROUNDS);
}

static const struct tool_option options[] = {
	{ "rounds", TOOL_OPTION_NUMBER, TOOL_AT(struct bench_conf, nb_rounds), .min = 1,
	  .max = MAX_ROUNDS },
	{ "device", TOOL_OPTION_DEVICE, TOOL_AT(struct bench_conf, devices) },
	TOOL_FORMAT(struct bench_conf),
	{ 0 },
};

static bool
calibrate_check(void *conf)
{
	return tool_devices_check("calibrate", &((struct bench_conf *)conf)->devices);
}

static enum tool_exit
calibrate_run(void *arg)
{
	struct bench_conf *conf = arg;
	enum tool_exit ret = TOOL_SETUP;

	if (tool_devices_open(&conf->devices, 1))
		ret = bench_calibrate_run(conf);
	tool_devices_close(&conf->devices);
	return ret;
}

static struct bench_conf calibrate_conf = { .nb_rounds = DEFAULT_ROUNDS, .nb_lcores = 1 };

const struct tool_command cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure thresholds of a device, and print its options",
	.needs_eal = true,
	.options = options,
	.conf = &calibrate_conf,
	.print_help = print_help,
	.check = calibrate_check,
	.run = calibrate_run,
};
