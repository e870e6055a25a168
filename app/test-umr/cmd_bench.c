/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_malloc.h>

#include "bench.h"

#define DEFAULT_ROUNDS		51u
#define MAX_ROUNDS		10001u
/* Keys configured per path and round. */
#define OPS_PER_ROUND		1024u
#define MIN_BATCHES_PER_ROUND	8u
#define NB_WARM_UP_BATCHES	8u
#define NB_PATHS		2u
#define TSC_SAMPLES		4096u

/* Pieces of 512 bytes every KiB; interleaved, 64 of every 256 bytes. */
#define PIECE_DISTANCE		1024u
#define PIECE_LEN		512u
#define INTERLEAVED_COUNT	64u
#define INTERLEAVED_SKIP	192u

static const struct bench_path *const paths[NB_PATHS] = { &bench_path_rte, &bench_path_libmlx5 };

struct bench_conf {
	bool has_list;
	bool has_interleaved;
	struct tool_numbers entries;
	struct tool_numbers batches;
	uint32_t nb_rounds;
	enum tool_format format;
	struct tool_devices devices;
};

struct bench_run {
	const struct bench_conf *conf;
	struct bench_report_head head;
	void *ctx[NB_PATHS];
	/* Of one round: post, poll and total of every batch. */
	double *post;
	double *poll;
	double *total;
	/* Of one row: one value per path and round. */
	struct bench_result *rounds[NB_PATHS];
};

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- bench [options]\n"
		"\n"
		"Measure what it costs a CPU to configure memory keys: through rte_umr, and\n"
		"through the work request builders of libmlx5, side by side.\n"
		"\n"
		"  --layout NAME      list, interleaved or all (default)\n"
		"  --entries N,N...   pieces per key, 1 to 52 (default 1,4,16,52); an\n"
		"                     interleaved layout holds one less, there 52 means 51\n"
		"  --batch N,N...     keys per doorbell, 1 to %u (default 1,32)\n"
		"  --rounds R         rounds per line, 1 to %u (default %u)\n"
		"  --device NAME      device to use (default: the first that is found)\n"
		"  --format FORMAT    text (default), json or csv\n"
		"\n"
		"How it is measured: a round posts about %u keys, batch by batch, through one\n"
		"path, then as many through the other; the paths take turns in going first. A\n"
		"batch gives two times, in TSC cycles. 'post' goes from the first enqueue call\n"
		"to the return of the call that rings the doorbell. Then the completion is\n"
		"polled for; each call is timed by itself and only the one that gives the batch\n"
		"back counts, as 'poll'. The wait for the device, which may be a thread on the\n"
		"next core, is in neither. The cost of reading the TSC is measured and\n"
		"subtracted. A round counts as the mean of the middle half of its batches, a\n"
		"line as the median of its rounds; the ratio is the median of the rounds'\n"
		"ratios, because what disturbs a machine hits neighboring rounds alike.\n"
		"\n"
		"Both paths get the same arrays of pieces, have a loopback queue of their own,\n"
		"configure the same number of keys with the same access rights and ask for one\n"
		"completion per batch. libmlx5 runs with its default locking.\n"
		"\n"
		"On a software device doorbells are stores to memory, and its thread shares\n"
		"caches with this one: compare the two paths, not the numbers with a NIC's.\n"
		"\n"
		TOOL_EXIT_HELP, BENCH_MAX_BATCH, MAX_ROUNDS, DEFAULT_ROUNDS, OPS_PER_ROUND);
}

void
bench_list_fill(struct rte_umr_seg *segs, const uint8_t *memory, uint32_t lkey)
{
	for (uint32_t i = 0; i < BENCH_MAX_ENTRIES; i++)
		segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)memory + i * PIECE_DISTANCE,
			.length = PIECE_LEN,
			.lkey = lkey,
		};
}

void
bench_interleaved_fill(struct rte_umr_interleaved *entries, const uint8_t *memory, uint32_t lkey)
{
	for (uint32_t i = 0; i < BENCH_MAX_ENTRIES; i++)
		entries[i] = (struct rte_umr_interleaved){
			.addr = (uintptr_t)memory + i * PIECE_DISTANCE,
			.bytes_count = INTERLEAVED_COUNT,
			.bytes_skip = INTERLEAVED_SKIP,
			.lkey = lkey,
		};
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values. */
static double
median(double *values, uint32_t nb)
{
	qsort(values, nb, sizeof(values[0]), compare_doubles);
	return nb % 2 != 0 ? values[nb / 2] : (values[nb / 2 - 1] + values[nb / 2]) / 2;
}

/*
 * Mean of the middle half. As robust as a median against the batch that an interrupt hit, and
 * finer: the TSC of many machines advances in steps of some 25 cycles. Sorts the values.
 */
static double
middle_mean(double *values, uint32_t nb)
{
	uint32_t first = nb / 4, last = nb - first;
	double sum = 0;

	qsort(values, nb, sizeof(values[0]), compare_doubles);
	for (uint32_t i = first; i < last; i++)
		sum += values[i];
	return sum / (last - first);
}

/* Cycles between two reads of the TSC with nothing in between. */
static double
measure_tsc_overhead(void)
{
	double cycles[TSC_SAMPLES];

	for (unsigned int i = 0; i < TSC_SAMPLES; i++) {
		uint64_t start = rte_rdtsc();

		cycles[i] = (double)(rte_rdtsc() - start);
	}
	return middle_mean(cycles, TSC_SAMPLES);
}

static uint32_t
nb_batches(const struct bench_row *row)
{
	return RTE_MAX(OPS_PER_ROUND / row->batch, MIN_BATCHES_PER_ROUND);
}

/* One round of one path. */
static bool
run_round(struct bench_run *run, unsigned int path, const struct bench_row *row,
	  struct bench_result *result)
{
	uint32_t nb = nb_batches(row);
	struct bench_sample sample;

	for (uint32_t i = 0; i < nb; i++) {
		if (!paths[path]->run(run->ctx[path], row, &sample))
			return false;
		run->post[i] = ((double)sample.post - run->head.tsc_overhead) / row->batch;
		run->poll[i] = ((double)sample.poll - run->head.tsc_overhead) / row->batch;
		run->total[i] = run->post[i] + run->poll[i];
	}
	result->post = middle_mean(run->post, nb);
	result->poll = middle_mean(run->poll, nb);
	result->total = middle_mean(run->total, nb);
	return true;
}

/* Results of all rounds as one. */
static struct bench_result
summarize(struct bench_run *run, const struct bench_result *rounds)
{
	uint32_t nb = run->conf->nb_rounds;
	struct bench_result result;

	for (uint32_t i = 0; i < nb; i++) {
		run->post[i] = rounds[i].post;
		run->poll[i] = rounds[i].poll;
		run->total[i] = rounds[i].total;
	}
	result.post = median(run->post, nb);
	result.poll = median(run->poll, nb);
	result.total = median(run->total, nb);
	result.total_min = run->total[0];
	result.total_max = run->total[nb - 1];
	return result;
}

/* Uses the buffer of totals. */
static double
median_ratio(struct bench_run *run)
{
	for (uint32_t i = 0; i < run->conf->nb_rounds; i++) {
		double rte = run->rounds[0][i].total;

		run->total[i] = rte > 0 ? run->rounds[1][i].total / rte : 0;
	}
	return median(run->total, run->conf->nb_rounds);
}

static bool
warm_up(struct bench_run *run, const struct bench_row *row)
{
	struct bench_sample sample;

	for (unsigned int path = 0; path < NB_PATHS; path++)
		for (unsigned int i = 0; i < NB_WARM_UP_BATCHES; i++)
			if (!paths[path]->run(run->ctx[path], row, &sample))
				return false;
	return true;
}

static bool
run_row(struct bench_run *run, struct bench_report_row *report)
{
	if (!warm_up(run, &report->row))
		return false;
	for (uint32_t round = 0; round < run->conf->nb_rounds; round++)
		for (unsigned int i = 0; i < NB_PATHS; i++) {
			unsigned int path = (round + i) % NB_PATHS;

			if (!run_round(run, path, &report->row, &run->rounds[path][round]))
				return false;
		}
	report->rte = summarize(run, run->rounds[0]);
	report->libmlx5 = summarize(run, run->rounds[1]);
	report->ratio = median_ratio(run);
	bench_report_row(&run->head, report, run->conf->format);
	return true;
}

/* All lines to measure; returns their number. */
static uint32_t
rows_list(const struct bench_conf *conf, struct bench_report_row *rows)
{
	uint32_t nb = 0;

	for (unsigned int layout = 0; layout < 2; layout++) {
		if (!(layout == 0 ? conf->has_list : conf->has_interleaved))
			continue;
		for (uint32_t e = 0; e < conf->entries.nb; e++)
			for (uint32_t b = 0; b < conf->batches.nb; b++) {
				struct bench_row *row = &rows[nb++].row;

				row->is_interleaved = layout == 1;
				row->batch = conf->batches.values[b];
				row->nb_entries = conf->entries.values[e];
				if (row->is_interleaved)
					row->nb_entries = RTE_MIN(row->nb_entries,
								  BENCH_MAX_ENTRIES - 1);
			}
	}
	return nb;
}

static enum tool_exit
run_rows(struct bench_run *run)
{
	const struct bench_conf *conf = run->conf;
	struct bench_report_row *rows;
	enum tool_exit ret = TOOL_OK;
	uint32_t nb;

	rows = calloc(2 * (size_t)conf->entries.nb * conf->batches.nb, sizeof(*rows));
	if (rows == NULL) {
		tool_error("bench: out of memory");
		return TOOL_SETUP;
	}
	nb = rows_list(conf, rows);
	bench_report_start(&run->head, conf->format);
	for (uint32_t i = 0; i < nb && ret == TOOL_OK; i++)
		if (!run_row(run, &rows[i]))
			ret = TOOL_FAILED;
	if (ret == TOOL_OK)
		bench_report_end(&run->head, rows, nb, conf->format);
	free(rows);
	return ret;
}

static bool
buffers_alloc(struct bench_run *run)
{
	/* Rows of batches of 1 have the most samples. */
	size_t nb = RTE_MAX(OPS_PER_ROUND, run->conf->nb_rounds);

	run->post = calloc(nb, sizeof(double));
	run->poll = calloc(nb, sizeof(double));
	run->total = calloc(nb, sizeof(double));
	for (unsigned int i = 0; i < NB_PATHS; i++)
		run->rounds[i] = calloc(run->conf->nb_rounds, sizeof(struct bench_result));
	if (run->post != NULL && run->poll != NULL && run->total != NULL &&
	    run->rounds[0] != NULL && run->rounds[1] != NULL)
		return true;
	tool_error("bench: out of memory");
	return false;
}

static void
buffers_free(struct bench_run *run)
{
	for (unsigned int i = 0; i < NB_PATHS; i++)
		free(run->rounds[i]);
	free(run->total);
	free(run->poll);
	free(run->post);
}

static enum tool_exit
run_paths(struct bench_run *run, int16_t dev_id)
{
	uint8_t *memory = rte_malloc("bench memory", BENCH_MEMORY_SIZE, 4096);
	enum tool_exit ret = TOOL_SETUP;
	uint32_t max_batch = 0;
	unsigned int nb_open = 0;

	for (uint32_t i = 0; i < run->conf->batches.nb; i++)
		max_batch = RTE_MAX(max_batch, run->conf->batches.values[i]);
	if (memory == NULL)
		tool_error("bench: no memory for %u bytes", BENCH_MEMORY_SIZE);
	while (memory != NULL && nb_open < NB_PATHS) {
		run->ctx[nb_open] = paths[nb_open]->open(dev_id, memory, max_batch);
		if (run->ctx[nb_open] == NULL)
			break;
		nb_open++;
	}
	if (nb_open == NB_PATHS)
		ret = run_rows(run);
	while (nb_open > 0) {
		nb_open--;
		paths[nb_open]->close(run->ctx[nb_open]);
	}
	rte_free(memory);
	return ret;
}

static enum tool_exit
bench_with_device(const struct bench_conf *conf)
{
	int16_t dev_id = conf->devices.ids[0];
	enum tool_exit ret = TOOL_SETUP;
	struct rte_umr_dev_info info;
	struct bench_run run = {
		.conf = conf,
		.head = {
			.device = info.dev_name,
			.tsc_hz = rte_get_tsc_hz(),
			.tsc_overhead = measure_tsc_overhead(),
			.nb_rounds = conf->nb_rounds,
		},
	};

	rte_umr_dev_info_get(dev_id, &info);
	if (buffers_alloc(&run))
		ret = run_paths(&run, dev_id);
	buffers_free(&run);
	return ret;
}

static bool
parse_layout(const char *text, struct bench_conf *conf)
{
	conf->has_list = strcmp(text, "list") == 0 || strcmp(text, "all") == 0;
	conf->has_interleaved = strcmp(text, "interleaved") == 0 || strcmp(text, "all") == 0;
	if (conf->has_list || conf->has_interleaved)
		return true;
	tool_error("--layout: '%s' is not list, interleaved or all", text);
	return false;
}

static bool
parse_option(int opt, const char *arg, struct bench_conf *conf)
{
	uint64_t value;

	switch (opt) {
	case 'l':
		return parse_layout(arg, conf);
	case 'e':
		return tool_parse_numbers("--entries", arg, 1, BENCH_MAX_ENTRIES, &conf->entries);
	case 'b':
		return tool_parse_numbers("--batch", arg, 1, BENCH_MAX_BATCH, &conf->batches);
	case 'r':
		if (!tool_parse_u64("--rounds", arg, 1, MAX_ROUNDS, &value))
			return false;
		conf->nb_rounds = (uint32_t)value;
		return true;
	case 'd':
		return tool_devices_add(&conf->devices, arg);
	case 'f':
		return tool_parse_format(arg, true, &conf->format);
	default:
		return false;
	}
}

static enum tool_exit
bench_run_command(int argc, char **argv)
{
	static const struct option options[] = {
		{ "layout", required_argument, NULL, 'l' },
		{ "entries", required_argument, NULL, 'e' },
		{ "batch", required_argument, NULL, 'b' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "device", required_argument, NULL, 'd' },
		{ "format", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct bench_conf conf = {
		.has_list = true,
		.has_interleaved = true,
		.entries = { 4, { 1, 4, 16, 52 } },
		.batches = { 2, { 1, 32 } },
		.nb_rounds = DEFAULT_ROUNDS,
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
		tool_error("bench: unexpected argument '%s'", argv[optind]);
		return TOOL_USAGE;
	}
	if (conf.devices.nb_names > 1) {
		tool_error("bench: takes one device, not %u", conf.devices.nb_names);
		return TOOL_USAGE;
	}
	if (tool_devices_open(&conf.devices, 1))
		ret = bench_with_device(&conf);
	tool_devices_close(&conf.devices);
	return ret;
}

const struct tool_command cmd_bench = {
	.name = "bench",
	.summary = "measure the CPU cost of key configuration, next to libmlx5",
	.needs_eal = true,
	.run = bench_run_command,
};
