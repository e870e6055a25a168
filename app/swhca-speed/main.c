/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <jansson.h>

#include <result.h>
#include <umr_version.h>

#include "speed.h"
#include "wire.h"

#define DEFAULT_ROUNDS	11
#define MAX_ROUNDS	1001
#define ROUND_NS	UINT64_C(20000000)

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_SETUP = 3,
};

static const struct speed_case cases[] = {
	{ SPEED_WRITE, 0 },	  { SPEED_UMR, 0 },	       { SPEED_UMR_WRITE, 4096 },
	{ SPEED_WRITE, 64 },	  { SPEED_WRITE, 4096 },       { SPEED_WRITE, 65536 },
	{ SPEED_WRITE, 1048576 }, { SPEED_READ, 4096 },	       { SPEED_READ, 1048576 },
	{ SPEED_SEND, 64 },	  { SPEED_SEND, 4096 },	       { SPEED_MEMCPY, 64 },
	{ SPEED_MEMCPY, 4096 },	  { SPEED_MEMCPY, 65536 },     { SPEED_MEMCPY, 1048576 },
};

#define NB_CASES (sizeof(cases) / sizeof(cases[0]))

static const char *const op_names[] = {
	[SPEED_WRITE] = "write",
	[SPEED_READ] = "read",
	[SPEED_SEND] = "send",
	[SPEED_UMR] = "umr",
	[SPEED_UMR_WRITE] = "umr+write",
	[SPEED_MEMCPY] = "memcpy",
};

/* Medians and extremes of the rounds. */
struct result {
	double wqes;	/* millions per second */
	double wqes_min;
	double wqes_max;
	double gbytes;	/* 1e9 bytes per second */
};

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: swhca-run swhca-speed [options]\n"
		"\n"
		"Measure how many WQEs and bytes per second the software ConnectX executes on a\n"
		"QP that is connected to itself, and memcpy(3) on the same memory. This is the\n"
		"speed of the model, not of an adapter.\n"
		"\n"
		"  --batch N        WQEs per doorbell, 1 to %u (default %u)\n"
		"  --rounds R       rounds of about 20 ms per line, 1 to %u (default %u)\n"
		"  --wire           two processes, compared with UDP sockets; requires\n"
		"                   swhca-run --wire udp\n"
		"  --format FORMAT  table (default), json or csv\n"
		"  --version        the version\n"
		"  --help           this text\n"
		"\n"
		"A round posts batches of WQEs, waits until each completes and divides by the\n"
		"time. umr configures keys of %u pieces; umr+write also writes through each key\n"
		"and counts as two WQEs. Values are medians. With 'swhca-run --acknowledge-only'\n"
		"no data moves, and sends are not measured.\n"
		"\n"
		"Exit status: 0 ok, 1 an operation failed, 2 wrong usage, 3 set-up failed.\n",
		SPEED_MAX_BATCH, SPEED_DEFAULT_BATCH, MAX_ROUNDS, DEFAULT_ROUNDS,
		SPEED_NB_ENTRIES);
}

static uint64_t
now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Run batches of one case for about ROUND_NS. @return Batches per second, 0 on failure. */
static double
round_run(struct speed_bed *bed, const struct speed_case *c)
{
	uint64_t start = now_ns(), now = start, nb = 0;

	while (now - start < ROUND_NS) {
		if (!speed_run_batch(bed, c))
			return 0;
		nb++;
		now = now_ns();
	}
	return (double)nb * 1e9 / (double)(now - start);
}

static bool
case_run(struct speed_bed *bed, const struct speed_case *c, unsigned int nb_rounds, double *rates,
	 struct result *result)
{
	double nb_wqes = speed_case_nb_wqes(bed, c);
	double nb_ops = c->op == SPEED_UMR_WRITE ? nb_wqes / 2 : nb_wqes;

	for (unsigned int i = 0; i < nb_rounds; i++) {
		rates[i] = round_run(bed, c);
		if (rates[i] == 0)
			return false;
	}
	qsort(rates, nb_rounds, sizeof(rates[0]), compare_doubles);
	result->wqes = rates[nb_rounds / 2] * nb_wqes / 1e6;
	result->wqes_min = rates[0] * nb_wqes / 1e6;
	result->wqes_max = rates[nb_rounds - 1] * nb_wqes / 1e6;
	/* An acknowledge-only device moves no data. */
	result->gbytes = speed_bed_is_executing(bed) || c->op == SPEED_MEMCPY ?
				 rates[nb_rounds / 2] * nb_ops * c->len / 1e9 : 0;
	return true;
}

static void
print_line(const char *format, const struct speed_case *c, const struct result *r)
{
	if (strcmp(format, "table") == 0) {
		printf("%-10s %8u | %8.3f %8.3f %8.3f | %7.2f\n", op_names[c->op], c->len, r->wqes,
		       r->wqes_min, r->wqes_max, r->gbytes);
	} else if (strcmp(format, "csv") == 0) {
		printf("%s,%u,%.4f,%.4f,%.4f,%.4f", op_names[c->op], c->len, r->wqes, r->wqes_min,
		       r->wqes_max, r->gbytes);
		result_print_csv_end();
	}
	fflush(stdout);
}

static void
print_head(const char *format, const struct speed_bed *bed)
{
	if (strcmp(format, "table") == 0)
		printf("%s, %s, medians; Mops/s: millions of work requests (or copies) per\n"
		       "second\n\n"
		       "%-10s %8s | %8s %8s %8s | %7s\n",
		       speed_bed_device(bed),
		       speed_bed_is_executing(bed) ? "executing" : "acknowledge-only",
		       "operation", "bytes", "Mops/s", "min", "max", "GB/s");
	else if (strcmp(format, "csv") == 0)
		result_print_csv_head("operation,bytes,mops,mops_min,mops_max,gbytes_per_s");
}

static int
measure(struct speed_bed *bed, unsigned int nb_rounds, const char *format)
{
	double *rates = calloc(nb_rounds, sizeof(*rates));
	json_t *lines = json_array();
	struct result r = { 0 };
	bool is_ok = rates != NULL;

	print_head(format, bed);
	for (size_t i = 0; i < NB_CASES && is_ok; i++) {
		if (cases[i].op == SPEED_SEND && !speed_bed_is_executing(bed))
			continue;
		is_ok = case_run(bed, &cases[i], nb_rounds, rates, &r);
		if (!is_ok)
			break;
		print_line(format, &cases[i], &r);
		json_array_append_new(lines,
				      json_pack("{s:s, s:i, s:f, s:f, s:f, s:f}", "operation",
						op_names[cases[i].op], "bytes", (int)cases[i].len,
						"mops", r.wqes, "mops_min", r.wqes_min, "mops_max",
						r.wqes_max, "gbytes_per_s", r.gbytes));
	}
	if (is_ok && strcmp(format, "json") == 0)
		result_print_json(json_pack("{s:O}", "results", lines));
	json_decref(lines);
	free(rates);
	return is_ok ? EXIT_OK : EXIT_FAILED;
}

static bool
parse_number(const char *option, const char *text, unsigned long max, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	if (end != text && *end == '\0' && *value >= 1 && *value <= max)
		return true;
	fprintf(stderr, "swhca-speed: %s: '%s' is not a number in [1, %lu]\n", option, text, max);
	return false;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "batch", required_argument, NULL, 'b' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "wire", no_argument, NULL, 'w' },
		{ "format", required_argument, NULL, 'f' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	unsigned long nb_rounds = DEFAULT_ROUNDS, batch = SPEED_DEFAULT_BATCH;
	const char *format = "table";
	bool is_wire = false;
	struct speed_bed *bed;
	int opt, ret;

	while ((opt = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (opt) {
		case 'b':
			if (!parse_number("--batch", optarg, SPEED_MAX_BATCH, &batch))
				return EXIT_USAGE;
			break;
		case 'r':
			if (!parse_number("--rounds", optarg, MAX_ROUNDS, &nb_rounds))
				return EXIT_USAGE;
			break;
		case 'w':
			is_wire = true;
			break;
		case 'f':
			format = optarg;
			if (strcmp(format, "table") == 0 || strcmp(format, "csv") == 0 ||
			    strcmp(format, "json") == 0)
				break;
			fprintf(stderr, "swhca-speed: --format: '%s' is not table, json or csv\n",
				format);
			return EXIT_USAGE;
		case 'V':
			puts("swhca-speed " UMR_VERSION_TEXT);
			return EXIT_OK;
		case 'h':
			print_help(stdout);
			return EXIT_OK;
		case ':':
			fprintf(stderr, "swhca-speed: %s: needs a value (see --help)\n",
				argv[optind - 1]);
			return EXIT_USAGE;
		default:
			fprintf(stderr, "swhca-speed: %s: unknown option (see --help)\n",
				argv[optind - 1]);
			return EXIT_USAGE;
		}
	}
	if (optind != argc) {
		fprintf(stderr, "swhca-speed: '%s': no arguments are expected\n", argv[optind]);
		return EXIT_USAGE;
	}
	if (is_wire)
		return wire_run((unsigned int)nb_rounds, format);
	bed = speed_bed_open((uint32_t)batch);
	if (bed == NULL)
		return EXIT_SETUP;
	ret = measure(bed, (unsigned int)nb_rounds, format);
	speed_bed_close(bed);
	return ret;
}
