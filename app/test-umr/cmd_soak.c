/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "main.h"
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
		TOOL_PROGRESS_HELP("         ")
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
transport_add(const char *word, void *bits)
{
	static const struct tool_word names[] = {
		{ "loopback", SOAK_LOOPBACK }, { "rc", SOAK_RC }, { "dc", SOAK_DC },
		{ "all", SOAK_LOOPBACK | SOAK_RC | SOAK_DC }, { 0 },
	};
	unsigned int value;

	if (!tool_parse_word("transport", word, strlen(word), names, &value))
		return false;
	*(unsigned int *)bits |= value;
	return true;
}

static bool
parse_transports(const char *text, void *arg)
{
	struct soak_conf *conf = arg;

	conf->transports_text = text;
	conf->transports = 0;
	return tool_parse_list(text, transport_add, &conf->transports);
}

static bool
parse_faults(const char *text, void *arg)
{
	struct soak_conf *conf = arg;

	conf->faults_text = text;
	return soak_faults_parse(text, &conf->faults);
}

#define AT(member)	TOOL_AT(struct soak_conf, member)
#define GIVEN(member)	.given = offsetof(struct soak_conf, member)

static const struct tool_option options[] = {
	{ "seconds", TOOL_OPTION_NUMBER, AT(seconds), .min = 1, .max = INT32_MAX },
	{ "faults", TOOL_OPTION_PARSE, .parse = parse_faults },
	{ "seed", TOOL_OPTION_NUMBER, AT(seed), .max = INT64_MAX },
	{ "queue", TOOL_OPTION_NUMBER, AT(one_queue), .max = SOAK_MAX_QUEUES - 1,
	  GIVEN(has_one_queue) },
	{ "step", TOOL_OPTION_NUMBER, AT(one_step), .max = INT64_MAX, GIVEN(has_one_step) },
	{ "queues", TOOL_OPTION_NUMBER, AT(nb_queues), .min = 1, .max = SOAK_MAX_QUEUES },
	{ "lcores", TOOL_OPTION_NUMBER, AT(nb_lcores), .min = 1, .max = RTE_MAX_LCORE },
	{ "transport", TOOL_OPTION_PARSE, .parse = parse_transports },
	{ "peer", TOOL_OPTION_TEXT, AT(peer), .check = peer_where_check },
	{ "operations", TOOL_OPTION_NUMBER, AT(nb_operations), .min = 1, .max = INT64_MAX },
	{ "device", TOOL_OPTION_DEVICE, AT(devices), .letter = 'd' },
	TOOL_FORMAT(struct soak_conf),
	TOOL_PROGRESS,
	{ "verbose", TOOL_OPTION_FLAG, AT(is_verbose) },
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
soak_check(void *arg)
{
	struct soak_conf *conf = arg;

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
		tool_error("soak: --queue %u: not in [0, %u]", (unsigned int)conf->one_queue,
			   conf->nb_queues - 1);
		return false;
	}
	return tool_devices_check("soak", &conf->devices) && conf_complete(conf);
}

static enum tool_exit
soak_command(void *arg)
{
	struct soak_conf *conf = arg;
	enum tool_exit ret = TOOL_SETUP;

	if (tool_devices_open(&conf->devices, 1))
		ret = conf->nb_operations != 0 ? soak_count_run(conf) : soak_run(conf);
	tool_devices_close(&conf->devices);
	return ret;
}

static struct soak_conf soak_conf = {
	.seconds = DEFAULT_SECONDS,
	.seed = DEFAULT_SEED,
	.faults = SOAK_ALL_FAULTS,
	.nb_queues = DEFAULT_QUEUES,
	.devices.args = DEFAULT_DEVARGS,
};

const struct tool_command cmd_soak = {
	.name = "soak",
	.summary = "run random operations and faults, and account for all",
	.needs_eal = true,
	.options = options,
	.conf = &soak_conf,
	.print_help = print_help,
	.check = soak_check,
	.run = soak_command,
};
