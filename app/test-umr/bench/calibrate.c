/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Thresholds of rte_umr_write_sg() and rte_umr_read_sg(), from jobs in the ways that it chooses
 * from: inline or segments by the number of bytes, segments or a key by the number of segments.
 */

#include <math.h>

#include "bench/conf.h"
#include "bench/jobs.h"

/* Pieces, and their length where that does not matter. */
static const uint32_t piece_counts[] = {
	2, 4, 8, 16, 24, 30, 31, 40, 52, 61, 62, 92, 123, 184, 245, 366, 488, 610, 800,
	BENCH_JOB_MAX_PIECES
};
#define PIECE_LEN	64u
/* Bytes of a write, in two pieces. */
static const uint32_t totals[] = { 16, 32, 64, 96, 128, 192, 256, 384, 512, 768 };
#define MAX_ROWS	(2 * RTE_DIM(piece_counts) + RTE_DIM(totals))

/* Measurements and what follows from them. */
struct calibration {
	struct bench_jobs *jobs;
	struct bench_job rows[MAX_ROWS];
	uint32_t nb_rows;
	uint32_t sg_inline;	/* bytes */
	uint32_t sg_key;	/* segments; 0: never */
	uint32_t sg_read_key;
};

/* Measure a job in two ways. */
static bool
row_measure(struct calibration *c, const struct bench_job *what, enum bench_job_way other)
{
	struct bench_job *row = &c->rows[c->nb_rows];
	bool is_valid;

	*row = *what;
	bench_job_init(c->jobs, row);
	is_valid = row->is_valid[other];
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		row->is_valid[way] = way == BENCH_JOB_LIST || (way == other && is_valid);
	c->nb_rows++;
	return bench_job_measure(c->jobs, row);
}

/* Cycles of a row per cycle of its cheaper way. */
static double
cost_of(const struct bench_job *row, enum bench_job_way way, enum bench_job_way other)
{
	const double list = row->cycles[BENCH_JOB_LIST].median;
	const double best = row->is_valid[other] ? RTE_MIN(list, row->cycles[other].median) : list;

	return row->is_valid[way] ? row->cycles[way].median / best : HUGE_VAL;
}

/*
 * Number of rows that go one way, the rest going the other, for which the rows cost least: a single
 * row that was disturbed does not decide.
 */
static uint32_t
split_find(const struct bench_job *rows, uint32_t nb, enum bench_job_way before,
	   enum bench_job_way after, enum bench_job_way other)
{
	double cost, min = HUGE_VAL;
	uint32_t split, at = 0;

	for (split = 0; split <= nb; split++) {
		cost = 0;
		for (uint32_t i = 0; i < nb; i++)
			cost += cost_of(&rows[i], i < split ? before : after, other);
		if (cost < min) {
			min = cost;
			at = split;
		}
	}
	return at;
}

/* Most bytes for which inline data is cheaper. */
static bool
inline_measure(struct calibration *c)
{
	const struct bench_job *rows = &c->rows[c->nb_rows];
	uint32_t nb = RTE_DIM(totals), split;

	for (uint32_t i = 0; i < nb; i++) {
		const struct bench_job job = { .nb_pieces = 2, .len = totals[i] / 2 };

		if (!row_measure(c, &job, BENCH_JOB_INLINE))
			return false;
	}
	split = split_find(rows, nb, BENCH_JOB_INLINE, BENCH_JOB_LIST, BENCH_JOB_INLINE);
	c->sg_inline = split == 0 ? 0 : totals[split - 1];
	return true;
}

/* Fewest segments for which a key is cheaper. */
static bool
key_measure(struct calibration *c, bool is_read, uint32_t max_pieces, uint32_t *min_key)
{
	const struct bench_job *rows = &c->rows[c->nb_rows];
	uint32_t nb, split;

	for (nb = 0; nb < RTE_DIM(piece_counts) && piece_counts[nb] <= max_pieces; nb++) {
		const struct bench_job job = {
			.nb_pieces = piece_counts[nb], .len = PIECE_LEN, .is_read = is_read,
		};

		if (!row_measure(c, &job, BENCH_JOB_UMR))
			return false;
	}
	split = split_find(rows, nb, BENCH_JOB_LIST, BENCH_JOB_UMR, BENCH_JOB_UMR);
	*min_key = split == nb ? 0 : piece_counts[split];
	return true;
}

/* The way that a row compares with segments. */
static enum bench_job_way
other_of(const struct bench_job *row)
{
	return row->is_valid[BENCH_JOB_UMR] ? BENCH_JOB_UMR : BENCH_JOB_INLINE;
}

static const char *
other_name(const struct bench_job *row)
{
	return other_of(row) == BENCH_JOB_UMR ? "key" : "inline";
}

static void
print_text(const struct bench *bench, const struct calibration *c)
{
	bench_report_head(bench);
	printf("TSC cycles of the posting CPU per operation: segments in work requests, and the\n"
	       "other way\n\n%-5s %6s %6s %10s %-6s %10s\n", "", "pieces", "bytes", "segments",
	       "other", "");
	for (uint32_t i = 0; i < c->nb_rows; i++) {
		const struct bench_job *row = &c->rows[i];

		if (row->is_valid[other_of(row)])
			printf("%-5s %6u %6u %10.0f %-6s %10.0f\n",
			       row->is_read ? "read" : "write", row->nb_pieces,
			       row->nb_pieces * row->len, row->cycles[BENCH_JOB_LIST].median,
			       other_name(row), row->cycles[other_of(row)].median);
	}
	printf("\n%s,sg_inline=%u,sg_key=%u,sg_read_key=%u\n", bench->setup.dev_name, c->sg_inline,
	       c->sg_key, c->sg_read_key);
}

static void
print_csv(const struct bench *bench, const struct calibration *c)
{
	bench_report_csv_names();
	result_print_csv_head(",sg_inline,sg_key,sg_read_key");
	bench_report_csv_values(bench);
	printf(",%u,%u,%u", c->sg_inline, c->sg_key, c->sg_read_key);
	result_print_csv_end();
}

static void
print_json(const struct bench *bench, const struct calibration *c)
{
	json_t *report = bench_report_env(bench), *rows = json_array();
	char devargs[128];

	for (uint32_t i = 0; i < c->nb_rows; i++) {
		const struct bench_job *row = &c->rows[i];

		if (row->is_valid[other_of(row)])
			json_array_append_new(rows, json_pack(
				"{s:s, s:i, s:i, s:f, s:s, s:f}",
				"operation", row->is_read ? "read" : "write",
				"pieces", (int)row->nb_pieces,
				"bytes", (int)(row->nb_pieces * row->len),
				"segments", row->cycles[BENCH_JOB_LIST].median,
				"other", other_name(row),
				"cycles", row->cycles[other_of(row)].median));
	}
	snprintf(devargs, sizeof(devargs), "sg_inline=%u,sg_key=%u,sg_read_key=%u", c->sg_inline,
		 c->sg_key, c->sg_read_key);
	json_object_set_new(report, "sg_inline", json_integer(c->sg_inline));
	json_object_set_new(report, "sg_key", json_integer(c->sg_key));
	json_object_set_new(report, "sg_read_key", json_integer(c->sg_read_key));
	json_object_set_new(report, "devargs", json_string(devargs));
	json_object_set_new(report, "rows", rows);
	result_print_json(report);
}

enum tool_exit
bench_calibrate_run(const struct bench_conf *conf)
{
	enum tool_exit ret = TOOL_SETUP;
	static struct bench bench;
	static struct calibration c;
	uint32_t max_pieces;

	if (!bench_init(&bench, conf))
		return TOOL_SETUP;
	bench.setup.has_no_libmlx5 = true;
	max_pieces = bench_jobs_max_pieces(&bench);
	c = (struct calibration){ .jobs = bench_jobs_open(&bench, max_pieces) };
	if (c.jobs != NULL) {
		ret = TOOL_FAILED;
		if (inline_measure(&c) && key_measure(&c, false, max_pieces, &c.sg_key) &&
		    key_measure(&c, true, max_pieces, &c.sg_read_key))
			ret = TOOL_OK;
	}
	bench_jobs_close(c.jobs);
	if (ret == TOOL_OK && conf->format == TOOL_FORMAT_TEXT)
		print_text(&bench, &c);
	else if (ret == TOOL_OK && conf->format == TOOL_FORMAT_CSV)
		print_csv(&bench, &c);
	else if (ret == TOOL_OK)
		print_json(&bench, &c);
	bench_close(&bench);
	return ret;
}
