/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <getopt.h>

#include "bench/calibrate.h"

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

static bool
parse_rounds(const char *text, uint32_t *nb_rounds)
{
	uint64_t number;

	if (!tool_parse_u64("--rounds", text, 1, MAX_ROUNDS, &number))
		return false;
	*nb_rounds = (uint32_t)number;
	return true;
}

static const struct option options[] = {
	{ "rounds", required_argument, NULL, 'r' },
	{ "device", required_argument, NULL, 'd' },
	{ "format", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static enum tool_exit
calibrate_run(int argc, char **argv)
{
	struct bench_conf conf = {
		.nb_rounds = DEFAULT_ROUNDS, .nb_lcores = 1, .format = TOOL_FORMAT_TEXT,
	};
	enum tool_exit ret = TOOL_SETUP;
	int opt;

	while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (opt == 'h') {
			print_help(stdout);
			return TOOL_OK;
		}
		if (opt == '?' || (opt == 'r' && !parse_rounds(optarg, &conf.nb_rounds)) ||
		    (opt == 'd' && !tool_devices_add(&conf.devices, optarg)) ||
		    (opt == 'f' && !tool_parse_format(optarg, &conf.format)))
			return TOOL_USAGE;
	}
	if (optind != argc) {
		tool_error("calibrate: unexpected argument '%s'", argv[optind]);
		return TOOL_USAGE;
	}
	if (conf.devices.nb_names > 1) {
		tool_error("calibrate: takes one device, not %u", conf.devices.nb_names);
		return TOOL_USAGE;
	}
	if (tool_devices_open(&conf.devices, 1))
		ret = bench_calibrate_run(&conf);
	tool_devices_close(&conf.devices);
	return ret;
}

const struct tool_command cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure thresholds of a device, and print its options",
	.needs_eal = true,
	.options = options,
	.run = calibrate_run,
};
