/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <rte_cycles.h>

#include "verify_case.h"

#define DEFAULT_CASES		1000u
#define DEFAULT_SEED		1u
/* All areas of all devices are compared this often; in between, the destination is. */
#define CHECK_ALL_EVERY		64u
#define MAX_TIMEOUTS		3u
/* Failures told in full; the others get one line. */
#define MAX_FULL_REPORTS	20u

struct verify_conf {
	uint64_t nb_cases;
	uint64_t seed;
	bool has_one_case;
	uint64_t one_case;
	unsigned int transports;
	bool is_verbose;
	enum tool_format format;
	struct tool_devices devices;
};

struct verify_run {
	const struct verify_conf *conf;
	struct bed *bed;
	uint8_t *noise;
	uint64_t nb_passed;
	uint64_t nb_failed;
	uint32_t nb_timeouts;
	uint64_t start;		/* timer cycles */
	uint64_t next_progress;
	bool has_progress;
	json_t *failures;
};

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- verify [options]\n"
		"\n"
		"Move random layouts through memory keys and compare every byte with an oracle.\n"
		"\n"
		"A case takes a key, configures it with a random list (1 to 52 pieces) or\n"
		"interleaved pattern (1 to 51), writes or reads a random range of it by RDMA, as\n"
		"source or destination, locally or as the remote side, and compares the whole\n"
		"area that was written to, not just what should have changed, with what a scalar\n"
		"oracle says; every %u cases, all areas of all devices. Transfers use a loopback\n"
		"queue of each device and connections between them.\n"
		"\n"
		"  --cases N          number of cases (default %u)\n"
		"  --seed S           first half of the randomness (default %u); the other half\n"
		"                     is the number of the case\n"
		"  --case K           run only case K of the seed\n"
		"  --device NAME      device to use; may be repeated (default: the first two\n"
		"                     that are found)\n"
		"  --transport NAME   loopback, rc or all (default)\n"
		"  --format FORMAT    text (default) or json\n"
		"  --verbose          print every case in front of it\n"
		"\n"
		"The last line is 'N passed, N failed' (on standard error with --format json).\n"
		"Operations that do not come back within 5 s are a failure; three such failures\n"
		"end the run.\n"
		"\n"
		TOOL_EXIT_HELP, CHECK_ALL_EVERY, DEFAULT_CASES, DEFAULT_SEED);
}

static double
seconds_since(uint64_t start)
{
	return (double)(rte_get_timer_cycles() - start) / (double)rte_get_timer_hz();
}

static void
progress_show(struct verify_run *run, uint64_t nb_done, uint64_t nb_all)
{
	uint64_t now = rte_get_timer_cycles();

	if (!run->has_progress || now < run->next_progress)
		return;
	run->next_progress = now + rte_get_timer_hz();
	fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " cases, %" PRIu64 " failed ", nb_done, nb_all,
		run->nb_failed);
	fflush(stderr);
}

static void
progress_clear(const struct verify_run *run)
{
	if (run->has_progress)
		fprintf(stderr, "\r%60s\r", "");
}

/* The case in words; freed by the caller. */
static char *
case_text(const struct verify_case *vc)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return NULL;
	case_print(f, "  ", vc);
	fclose(f);
	return text;
}

static void
failure_report(struct verify_run *run, const struct verify_case *vc, const char *why)
{
	const struct verify_conf *conf = run->conf;
	bool is_full = run->nb_failed < MAX_FULL_REPORTS;
	char *text = is_full ? case_text(vc) : NULL;

	run->nb_failed++;
	if (conf->format == TOOL_FORMAT_JSON) {
		json_array_append_new(run->failures,
				      json_pack("{s:I, s:s, s:s?}", "case",
						(json_int_t)vc->number, "why", why, "what", text));
	} else {
		progress_clear(run);
		printf("FAILED case %" PRIu64 ", seed %" PRIu64 ": %s\n%s", vc->number, conf->seed,
		       why, text == NULL ? "" : text);
		if (is_full)
			printf("  again: verify --seed %" PRIu64 " --case %" PRIu64 "\n",
			       conf->seed, vc->number);
	}
	free(text);
}

/* Compare everything; memory that no case since the last time may have touched counts, too. */
static bool
check_all(struct verify_run *run, char *why, size_t why_size)
{
	bool is_same = true;

	for (uint16_t i = 0; i < run->bed->nb_sides; i++) {
		struct bed_side *side = &run->bed->sides[i];
		struct bed_area *areas[] = { &side->layout, &side->flat };

		for (unsigned int a = 0; a < RTE_DIM(areas); a++) {
			uint32_t first, nb = bed_area_compare(areas[a], &first);

			if (nb == 0)
				continue;
			if (is_same)
				snprintf(why, why_size, "this or one of the %u cases before it "
					 "changed %u bytes, first at 0x%05x, of the %s area of %s",
					 CHECK_ALL_EVERY - 1, nb, first, areas[a]->name,
					 side->info.dev_name);
			is_same = false;
			bed_area_heal(areas[a]);
		}
	}
	return is_same;
}

/* Run one case and count it. Returns false when going on makes no sense. */
static bool
run_case(struct verify_run *run, uint64_t number, bool is_last)
{
	struct case_result result;
	struct verify_case vc;

	case_gen(&vc, run->bed, run->conf->seed, number);
	if (run->conf->is_verbose) {
		fprintf(stderr, "case %" PRIu64 "\n", number);
		case_print(stderr, "  ", &vc);
	}
	case_run(&vc, run->noise, &result);
	if (result.outcome == CASE_PASSED && (is_last || number % CHECK_ALL_EVERY == 0) &&
	    !check_all(run, result.why, sizeof(result.why)))
		result.outcome = CASE_MISMATCH;
	if (result.outcome == CASE_PASSED) {
		run->nb_passed++;
		return true;
	}
	failure_report(run, &vc, result.why);
	if (result.outcome == CASE_MISMATCH) {
		check_all(run, result.why, sizeof(result.why));
		return true;
	}
	if (result.outcome == CASE_TIMEOUT && ++run->nb_timeouts == MAX_TIMEOUTS) {
		tool_error("verify: giving up after %u timeouts", MAX_TIMEOUTS);
		return false;
	}
	return bed_restart(run->bed);
}

static void
print_summary(const struct verify_run *run)
{
	FILE *f = stdout;
	json_t *report;

	progress_clear(run);
	if (run->conf->format == TOOL_FORMAT_JSON) {
		report = json_pack("{s:I, s:I, s:I, s:f, s:O}", "seed",
				   (json_int_t)run->conf->seed, "passed",
				   (json_int_t)run->nb_passed, "failed",
				   (json_int_t)run->nb_failed, "seconds", seconds_since(run->start),
				   "failures", run->failures);
		json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		putchar('\n');
		json_decref(report);
		f = stderr;
	}
	fprintf(f, "%" PRIu64 " passed, %" PRIu64 " failed\n", run->nb_passed, run->nb_failed);
}

static enum tool_exit
run_cases(struct verify_run *run)
{
	uint64_t first = run->conf->has_one_case ? run->conf->one_case : 0;
	uint64_t nb = run->conf->has_one_case ? 1 : run->conf->nb_cases;
	bool goes_on = true;

	run->start = rte_get_timer_cycles();
	run->next_progress = run->start + rte_get_timer_hz();
	for (uint64_t i = 0; i < nb && goes_on; i++) {
		goes_on = run_case(run, first + i, i == nb - 1);
		progress_show(run, i + 1, nb);
	}
	print_summary(run);
	return run->nb_failed == 0 ? TOOL_OK : TOOL_FAILED;
}

static enum tool_exit
verify_with_devices(struct verify_conf *conf)
{
	struct verify_run run = {
		.conf = conf,
		.bed = calloc(1, sizeof(struct bed)),
		.noise = malloc(CASE_NOISE_SIZE),
		.failures = json_array(),
		.has_progress = isatty(STDERR_FILENO) == 1 && !conf->is_verbose,
	};
	enum tool_exit ret = TOOL_SETUP;

	if (run.bed == NULL || run.noise == NULL || run.failures == NULL) {
		tool_error("verify: out of memory");
	} else {
		case_noise_fill(run.noise, conf->seed);
		if (bed_create(run.bed, &conf->devices, conf->transports))
			ret = run_cases(&run);
		bed_destroy(run.bed);
	}
	json_decref(run.failures);
	free(run.noise);
	free(run.bed);
	return ret;
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
	case 'f':
		return tool_parse_format(arg, false, &conf->format);
	case 'v':
		conf->is_verbose = true;
		return true;
	default:
		return false;
	}
}

static enum tool_exit
verify_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "cases", required_argument, NULL, 'n' },
		{ "seed", required_argument, NULL, 's' },
		{ "case", required_argument, NULL, 'k' },
		{ "device", required_argument, NULL, 'd' },
		{ "transport", required_argument, NULL, 't' },
		{ "format", required_argument, NULL, 'f' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct verify_conf conf = {
		.nb_cases = DEFAULT_CASES,
		.seed = DEFAULT_SEED,
		.transports = BED_LOOPBACK | BED_RC,
		.format = TOOL_FORMAT_TEXT,
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
		tool_error("verify: unexpected argument '%s'", argv[optind]);
		return TOOL_USAGE;
	}
	if (tool_devices_open(&conf.devices, 2))
		ret = verify_with_devices(&conf);
	tool_devices_close(&conf.devices);
	return ret;
}

const struct tool_command cmd_verify = {
	.name = "verify",
	.summary = "move random layouts and compare with a scalar oracle",
	.needs_eal = true,
	.run = verify_run,
};
