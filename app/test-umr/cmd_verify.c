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
 * Requests without an answer must fail after all retries. With the default timeout of the driver,
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
		"Run random cases with memory keys and compare every byte with a scalar oracle.\n"
		"\n"
		"A case configures keys, transfers a random range through them by RDMA, as\n"
		"source or destination, locally or as the remote side, and compares the whole\n"
		"destination area with the oracle, not only the bytes that should have changed.\n"
		"After every %u cases all areas of all devices are compared. Transfers use a\n"
		"loopback queue of each device, and connections between devices.\n"
		"\n"
		"  --layout NAMES     comma-separated layouts, or all (default\n"
		"                     " DEFAULT_LAYOUT ")\n"
		"  --cases N          number of cases (default %u), divided equally among the\n"
		"                     layouts; the first layouts get the remainder\n"
		"  --seed S           random seed (default %u); each case also depends on its\n"
		"                     layout and number\n"
		"  --case K           run only case K of each layout; it is the same case for any\n"
		"                     --cases and --layout\n"
		"  --device NAME      device to use; may be repeated (default: the first two\n"
		"                     devices). A device without devargs gets\n"
		"                     " DEFAULT_DEVARGS ", so that unanswered requests fail\n"
		"                     quickly; with --peer it gets " PEER_DEVARGS "\n"
		"  --transport NAME   loopback, rc or all (default)\n"
		"  --peer HOST[:PORT] use another process, '" TOOL_NAME " -- serve', as the\n"
		"                     remote side. This process starts all transfers, through\n"
		"                     its own keys and through keys that the server configures.\n"
		"                     Requires one device and the layouts list, interleaved\n"
		"                     and nested\n"
		"  --wrap             before each layout, advance each queue to %u entries before\n"
		"                     the wrap of its ring indices, so that they wrap during the\n"
		"                     cases\n"
		"  --format FORMAT    table (default), json or csv\n"
		"  --verbose          print each case before it runs, and the log of the driver,\n"
		"                     which is hidden by default because many cases make calls\n"
		"                     that the driver must reject\n"
		"\n"
		"Layouts:\n",
		VERIFY_CHECK_ALL_EVERY, DEFAULT_CASES, DEFAULT_SEED, VERIFY_WRAP_LEFT);
	verify_modes_print_help(f);
	fprintf(f,
		"\n"
		"For each layout, 'NAME: N passed' is printed, and for a failure the command\n"
		"that repeats it. Cases that a device does not support are skipped, with one\n"
		"line that names the missing capability. The last line is 'N passed, N failed',\n"
		"with ', N skipped' if cases were skipped (on standard error with --format\n"
		"json). An operation that does not complete within 5 s is a failure; three such\n"
		"failures end the run.\n"
		"\n"
		TOOL_EXIT_HELP
		"Skipped cases are not failures; if all cases are skipped, the exit code is 3.\n");
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
	.summary = "transfer random layouts and compare with a scalar oracle",
	.needs_eal = true,
	.options = options,
	.run = verify_run,
};
