/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <getopt.h>
#include <string.h>

#include "peer/client.h"
#include "verify/run.h"
#include "verify/wrap.h"

#define DEFAULT_CASES	1000u
#define DEFAULT_SEED	1u
#define DEFAULT_LAYOUT	"list,interleaved"
/*
 * Requests that nobody answers must fail after all retries. With the default timeout of the driver,
 * each takes half a second, and nothing else runs meanwhile.
 */
#define DEFAULT_DEVARGS	"ack_timeout=8"
/* A peer process always answers, but it may have to wait for a CPU. */
#define PEER_DEVARGS	"ack_timeout=14"

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- verify [options]\n"
		"\n"
		"Do random work with memory keys and compare every byte with an oracle.\n"
		"\n"
		"A case takes keys, lays something under them, moves a random range through them\n"
		"by RDMA, as source or destination, locally or as the remote side, and compares\n"
		"the whole area that was written to, not just what should have changed, with\n"
		"what a scalar oracle says; every %u cases, all areas of all devices. Transfers\n"
		"use a loopback queue of each device and connections between them.\n"
		"\n"
		"  --layout NAMES     what to check, with commas between names, or all (default\n"
		"                     " DEFAULT_LAYOUT ")\n"
		"  --cases N          number of cases (default %u), the same share for each\n"
		"                     layout; the first ones take what is left over\n"
		"  --seed S           first half of the randomness (default %u); the other half\n"
		"                     is the layout and the number of the case\n"
		"  --case K           run only case K of each layout: the same as in a run of\n"
		"                     any number of cases and layouts\n"
		"  --device NAME      device to use; may be repeated (default: the first two\n"
		"                     that are found). One without arguments of its own gets\n"
		"                     " DEFAULT_DEVARGS ", or some cases would wait long for\n"
		"                     answers that do not come; with --peer " PEER_DEVARGS "\n"
		"  --transport NAME   loopback, rc or all (default)\n"
		"  --peer HOST[:PORT] another process, '" TOOL_NAME " -- serve', is the\n"
		"                     second side: this one starts all transfers, through keys\n"
		"                     of its own and through keys that the server configures.\n"
		"                     Goes with one device and the layouts list, interleaved\n"
		"                     and nested\n"
		"  --wrap             let each queue work in front of each layout until %u ring\n"
		"                     indices are left, so that they begin again among the cases\n"
		"  --format FORMAT    table (default), json or csv\n"
		"  --verbose          print every case in front of it, and what the driver logs\n"
		"                     meanwhile, which is not shown otherwise: many cases make\n"
		"                     calls that it must reject\n"
		"\n"
		"Layouts:\n",
		VERIFY_CHECK_ALL_EVERY, DEFAULT_CASES, DEFAULT_SEED, VERIFY_WRAP_LEFT);
	verify_modes_print_help(f);
	fprintf(f,
		"\n"
		"Each layout reports 'NAME: N passed', and a failure the command that repeats it.\n"
		"Cases of a layout that a device cannot do are skipped, with one line that tells\n"
		"what it lacks. The last line is 'N passed, N failed', and ', N skipped' if some\n"
		"were (on standard error with --format json). Operations that do not come back\n"
		"within 5 s are a failure; three such failures end the run.\n"
		"\n"
		TOOL_EXIT_HELP
		"Skipped cases are no failure, but a run that could do none is 3.\n");
}

static bool
parse_transport(const char *text, unsigned int *transports)
{
	if (strcmp(text, "loopback") == 0)
		*transports = BED_LOOPBACK;
	else if (strcmp(text, "rc") == 0)
		*transports = BED_RC;
	else if (strcmp(text, "all") == 0)
		*transports = BED_LOOPBACK | BED_RC;
	else {
		tool_error("--transport: '%s' is not loopback, rc or all", text);
		return false;
	}
	return true;
}

static bool
parse_option(int opt, const char *arg, struct verify_conf *conf)
{
	switch (opt) {
	case 'l':
		return verify_modes_parse(arg, &conf->modes);
	case 'n':
		return tool_parse_u64("--cases", arg, 1, INT64_MAX, &conf->nb_cases);
	case 's':
		return tool_parse_u64("--seed", arg, 0, INT64_MAX, &conf->seed);
	case 'k':
		conf->has_one_case = true;
		return tool_parse_u64("--case", arg, 0, INT64_MAX, &conf->one_case);
	case 'd':
		return tool_devices_add(&conf->devices, arg);
	case 't':
		return parse_transport(arg, &conf->transports);
	case 'p':
		conf->peer = arg;
		return peer_where_check(arg);
	case 'w':
		conf->has_wrap = true;
		return true;
	case 'f':
		return tool_parse_format(arg, &conf->format);
	case 'v':
		conf->is_verbose = true;
		return true;
	default:
		return false;
	}
}

/* Check combinations of options and derive the rest from them. */
static bool
conf_complete(struct verify_conf *conf)
{
	if (conf->peer == NULL) {
		if (conf->transports == 0)
			conf->transports = BED_LOOPBACK | BED_RC;
		return true;
	}
	if (conf->devices.nb_names > 1) {
		tool_error("verify: --peer takes one device, not %u", conf->devices.nb_names);
		return false;
	}
	if (conf->transports != 0) {
		tool_error("verify: --peer is a transport of its own, without --transport");
		return false;
	}
	conf->transports = BED_PEER;
	return true;
}

static const struct option options[] = {
	{ "layout", required_argument, NULL, 'l' },
	{ "cases", required_argument, NULL, 'n' },
	{ "seed", required_argument, NULL, 's' },
	{ "case", required_argument, NULL, 'k' },
	{ "device", required_argument, NULL, 'd' },
	{ "transport", required_argument, NULL, 't' },
	{ "peer", required_argument, NULL, 'p' },
	{ "wrap", no_argument, NULL, 'w' },
	{ "format", required_argument, NULL, 'f' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static enum tool_exit
verify_run(int argc, char **argv)
{
	struct verify_conf conf = {
		.nb_cases = DEFAULT_CASES,
		.seed = DEFAULT_SEED,
		.format = TOOL_FORMAT_TEXT,
		.devices.args = DEFAULT_DEVARGS,
	};
	enum tool_exit ret = TOOL_SETUP;
	int opt;

	if (!verify_modes_parse(DEFAULT_LAYOUT, &conf.modes))
		return TOOL_USAGE;
	while ((opt = getopt_long(argc, argv, "d:h", options, NULL)) != -1) {
		if (opt == 'h') {
			print_help(stdout);
			return TOOL_OK;
		}
		if (!parse_option(opt, optarg, &conf))
			return TOOL_USAGE;
	}
	if (optind != argc) {
		tool_error("verify: unexpected argument '%s'", argv[optind]);
		return TOOL_USAGE;
	}
	if (!conf_complete(&conf))
		return TOOL_USAGE;
	if (conf.peer != NULL)
		conf.devices.args = PEER_DEVARGS;
	if (tool_devices_open(&conf.devices, conf.peer != NULL ? 1 : 2))
		ret = verify_run_modes(&conf);
	tool_devices_close(&conf.devices);
	return ret;
}

const struct tool_command cmd_verify = {
	.name = "verify",
	.summary = "move random layouts and compare with a scalar oracle",
	.needs_eal = true,
	.options = options,
	.run = verify_run,
};
