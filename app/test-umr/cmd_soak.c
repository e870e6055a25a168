/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <getopt.h>
#include <string.h>

#include "peer/client.h"
#include "soak/soak.h"

#define DEFAULT_SECONDS	60u
#define DEFAULT_SEED	1u
#define DEFAULT_QUEUES	6u
/* Requests without a responder or a receive must fail soon: see the help. */
#define DEFAULT_DEVARGS	"ack_timeout=8,rnr_retry=1"
/* A peer process that is alive always answers, but it may have to wait for a CPU. */
#define PEER_DEVARGS	"ack_timeout=14"

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- soak [options]\n"
		"\n"
		"Run random operations and random faults on several queues, and account for all\n"
		"of them: each operation completes once, in order, with a status that its fault\n"
		"explains; memory holds what a scalar oracle expects, also after a failed\n"
		"transfer; keys with signatures report the wrong block. Failed queues are\n"
		"recovered.\n"
		"\n"
		"  --seconds N        duration (default %u)\n"
		"  --faults CLASSES   comma-separated classes of faults, all (default) or none\n"
		"  --seed S           random seed (default %u); each step also depends on the\n"
		"                     number of its queue, its own number, --faults, --transport\n"
		"                     and the device\n"
		"  --queue Q          with --step: run only one step of this queue, as printed\n"
		"                     with a failure\n"
		"  --step K           with --queue: number of the step\n"
		"  --queues N         queues that start operations (default %u)\n"
		"  --lcores N         lcores to distribute the queues over (default: all of EAL)\n"
		"  --transport NAMES  comma-separated: loopback, rc, dc, or all (default)\n"
		"  --peer HOST[:PORT] use another process, '" TOOL_NAME " -- serve', as the\n"
		"                     remote side, connected by rc. Its memory is compared with\n"
		"                     what this process expects. It receives no messages and\n"
		"                     configures no keys\n"
		"  --operations N     only count: post N operations on one loopback queue in\n"
		"                     bursts, so that all indices wrap; no faults, and memory is\n"
		"                     not compared, so that --acknowledge-only suffices\n"
		"  --device NAME      device to use (default: the first device). A device\n"
		"                     without devargs gets\n"
		"                     " DEFAULT_DEVARGS ", so that faults are reported quickly;\n"
		"                     with --peer " PEER_DEVARGS "\n"
		"  --format FORMAT    table (default), json or csv\n"
		"  --verbose          print every step, and the log of the driver\n"
		"\n"
		"Classes of faults:\n",
		DEFAULT_SECONDS, DEFAULT_SEED, DEFAULT_QUEUES);
	soak_faults_print_help(f);
	fprintf(f,
		"\n"
		"Classes that the device does not support are printed as 'not available here'.\n"
		"The last line is 'lost N, duplicated N, corrupted N, unexplained N' (on standard\n"
		"error with --format json and csv). A number other than 0 is a failure; the first\n"
		"failure of each queue is printed with the command that repeats its step. An\n"
		"operation that does not complete within %u s is lost. If the server exits, the\n"
		"run ends as a failure.\n"
		"\n"
		TOOL_EXIT_HELP,
		SOAK_DEADLINE_S);
}

static bool
parse_transports(const char *text, unsigned int *transports)
{
	static const struct {
		const char *name;
		unsigned int bits;
	} names[] = {
		{ "loopback", SOAK_LOOPBACK },
		{ "rc", SOAK_RC },
		{ "dc", SOAK_DC },
		{ "all", SOAK_LOOPBACK | SOAK_RC | SOAK_DC },
	};
	unsigned int i;

	*transports = 0;
	for (;;) {
		const size_t len = strcspn(text, ",");

		for (i = 0; i < RTE_DIM(names); i++)
			if (strlen(names[i].name) == len && strncmp(text, names[i].name, len) == 0)
				break;
		if (i == RTE_DIM(names)) {
			tool_error("--transport: '%.*s' is not loopback, rc, dc or all", (int)len,
				   text);
			return false;
		}
		*transports |= names[i].bits;
		if (text[len] == '\0')
			return true;
		text += len + 1;
	}
}

static bool
parse_count(const char *option, const char *arg, uint64_t max, uint32_t *value)
{
	uint64_t number;

	if (!tool_parse_u64(option, arg, 1, max, &number))
		return false;
	*value = (uint32_t)number;
	return true;
}

static bool
parse_option(int opt, const char *arg, struct soak_conf *conf)
{
	switch (opt) {
	case 'n':
		return tool_parse_u64("--seconds", arg, 1, INT32_MAX, &conf->seconds);
	case 'F':
		conf->faults_text = arg;
		return soak_faults_parse(arg, &conf->faults);
	case 's':
		return tool_parse_u64("--seed", arg, 0, INT64_MAX, &conf->seed);
	case 'q':
		conf->has_one_queue = true;
		return tool_parse_u64("--queue", arg, 0, SOAK_MAX_QUEUES - 1, &conf->one_queue);
	case 'k':
		conf->has_one_step = true;
		return tool_parse_u64("--step", arg, 0, INT64_MAX, &conf->one_step);
	case 'Q':
		return parse_count("--queues", arg, SOAK_MAX_QUEUES, &conf->nb_queues);
	case 'l':
		return parse_count("--lcores", arg, RTE_MAX_LCORE, &conf->nb_lcores);
	case 't':
		conf->transports_text = arg;
		return parse_transports(arg, &conf->transports);
	case 'p':
		conf->peer = arg;
		return peer_where_check(arg);
	case 'o':
		return tool_parse_u64("--operations", arg, 1, INT64_MAX, &conf->nb_operations);
	case 'd':
		return tool_devices_add(&conf->devices, arg);
	case 'f':
		return tool_parse_format(arg, &conf->format);
	case 'v':
		conf->is_verbose = true;
		return true;
	default:
		return false;
	}
}

static const struct option options[] = {
	{ "seconds", required_argument, NULL, 'n' },
	{ "faults", required_argument, NULL, 'F' },
	{ "seed", required_argument, NULL, 's' },
	{ "queue", required_argument, NULL, 'q' },
	{ "step", required_argument, NULL, 'k' },
	{ "queues", required_argument, NULL, 'Q' },
	{ "lcores", required_argument, NULL, 'l' },
	{ "transport", required_argument, NULL, 't' },
	{ "peer", required_argument, NULL, 'p' },
	{ "operations", required_argument, NULL, 'o' },
	{ "device", required_argument, NULL, 'd' },
	{ "format", required_argument, NULL, 'f' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* Derive the transports from the place of the far ends. */
static bool
conf_complete(struct soak_conf *conf)
{
	if (conf->peer == NULL) {
		if (conf->transports == 0)
			conf->transports = SOAK_LOOPBACK | SOAK_RC | SOAK_DC;
		return true;
	}
	if (conf->transports != 0) {
		tool_error("soak: --peer is a transport of its own, without --transport");
		return false;
	}
	conf->transports = SOAK_PEER;
	conf->devices.args = PEER_DEVARGS;
	return true;
}

static bool
conf_check(const struct soak_conf *conf)
{
	if (conf->nb_operations != 0 &&
	    (conf->peer != NULL || conf->faults_text != NULL || conf->transports_text != NULL ||
	     conf->has_one_queue || conf->has_one_step)) {
		tool_error("soak: --operations counts on one loopback queue, without --peer,"
			   " --faults, --transport, --queue and --step");
		return false;
	}
	if (conf->has_one_queue != conf->has_one_step) {
		tool_error("soak: --queue and --step go together");
		return false;
	}
	if (conf->has_one_queue && conf->one_queue >= conf->nb_queues) {
		tool_error("soak: there is no queue %u of %u", (unsigned int)conf->one_queue,
			   conf->nb_queues);
		return false;
	}
	if (conf->devices.nb_names > 1) {
		tool_error("soak: one device, not %u", conf->devices.nb_names);
		return false;
	}
	return true;
}

static enum tool_exit
soak_command(int argc, char **argv)
{
	struct soak_conf conf = {
		.seconds = DEFAULT_SECONDS,
		.seed = DEFAULT_SEED,
		.faults = SOAK_ALL_FAULTS,
		.nb_queues = DEFAULT_QUEUES,
		.format = TOOL_FORMAT_TEXT,
		.devices.args = DEFAULT_DEVARGS,
	};
	enum tool_exit ret = TOOL_SETUP;
	int opt;

	while ((opt = getopt_long(argc, argv, "d:h", options, NULL)) != -1) {
		if (opt == 'h') {
			print_help(stdout);
			return TOOL_OK;
		}
		if (!parse_option(opt, optarg, &conf))
			return TOOL_USAGE;
	}
	if (optind != argc) {
		tool_error("soak: unexpected argument '%s'", argv[optind]);
		return TOOL_USAGE;
	}
	if (!conf_check(&conf) || !conf_complete(&conf))
		return TOOL_USAGE;
	if (tool_devices_open(&conf.devices, 1))
		ret = conf.nb_operations != 0 ? soak_count_run(&conf) : soak_run(&conf);
	tool_devices_close(&conf.devices);
	return ret;
}

const struct tool_command cmd_soak = {
	.name = "soak",
	.summary = "run random operations and faults, and account for all",
	.needs_eal = true,
	.options = options,
	.run = soak_command,
};
