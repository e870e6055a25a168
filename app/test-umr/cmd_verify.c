/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "main.h"
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
		TOOL_PROGRESS_HELP("         ")
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
parse_layouts(const char *arg, void *conf)
{
	return verify_modes_parse(arg, &((struct verify_conf *)conf)->modes);
}

static const struct tool_word transports[] = {
	{ "loopback", BED_LOOPBACK }, { "rc", BED_RC }, { "all", BED_LOOPBACK | BED_RC }, { 0 },
};

#define AT(member)	TOOL_AT(struct verify_conf, member)

static const struct tool_option options[] = {
	{ "layout", TOOL_OPTION_PARSE, .parse = parse_layouts },
	{ "cases", TOOL_OPTION_NUMBER, AT(nb_cases), .min = 1, .max = INT64_MAX },
	{ "seed", TOOL_OPTION_NUMBER, AT(seed), .max = INT64_MAX },
	{ "case", TOOL_OPTION_NUMBER, AT(one_case), .max = INT64_MAX,
	  .given = offsetof(struct verify_conf, has_one_case) },
	{ "device", TOOL_OPTION_DEVICE, AT(devices), .letter = 'd' },
	{ "transport", TOOL_OPTION_WORD, AT(transports), .words = transports },
	{ "peer", TOOL_OPTION_TEXT, AT(peer), .check = peer_where_check },
	{ "wrap", TOOL_OPTION_FLAG, AT(has_wrap) },
	TOOL_FORMAT(struct verify_conf),
	TOOL_PROGRESS,
	{ "verbose", TOOL_OPTION_FLAG, AT(is_verbose) },
	{ 0 },
};

/* Check combinations of options and derive the rest from them. */
static bool
verify_check(void *arg)
{
	struct verify_conf *conf = arg;

	if (conf->modes.nb == 0 && !verify_modes_parse(DEFAULT_LAYOUT, &conf->modes))
		return false;
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
	conf->devices.args = PEER_DEVARGS;
	return true;
}

static enum tool_exit
verify_run(void *arg)
{
	struct verify_conf *conf = arg;
	enum tool_exit ret = TOOL_SETUP;

	if (tool_devices_open(&conf->devices, conf->peer != NULL ? 1 : 2))
		ret = verify_run_modes(conf);
	tool_devices_close(&conf->devices);
	return ret;
}

static struct verify_conf verify_conf = {
	.nb_cases = DEFAULT_CASES,
	.seed = DEFAULT_SEED,
	.devices.args = DEFAULT_DEVARGS,
};

const struct tool_command cmd_verify = {
	.name = "verify",
	.summary = "transfer random layouts and compare with a scalar oracle",
	.needs_eal = true,
	.options = options,
	.conf = &verify_conf,
	.print_help = print_help,
	.check = verify_check,
	.run = verify_run,
};
