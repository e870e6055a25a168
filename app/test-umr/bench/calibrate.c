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

static const struct tool_column row_columns[] = {
	{ .name = "operation", "", TOOL_TEXT, -5 }, { .name = "pieces", "pieces", TOOL_COUNT, 6 },
	{ .name = "bytes", "bytes", TOOL_COUNT, 6 },
	{ .name = "segments", "segments", TOOL_REAL, 10 },
	{ .name = "other", "other", TOOL_TEXT, -6 }, { .name = "cycles", "", TOOL_REAL, 10 }, { 0 },
};
static const struct tool_column columns[] = {
	{ .name = "sg_inline", NULL, TOOL_COUNT }, { .name = "sg_key", NULL, TOOL_COUNT },
	{ .name = "sg_read_key", NULL, TOOL_COUNT },
	{ .name = "devargs", NULL, TOOL_TEXT | TOOL_NO_CSV }, { 0 },
};

/* Rows as text or JSON; CSV has only the thresholds. */
static void
rows_report(const struct calibration *c, json_t *list, bool is_text)
{
	for (const struct bench_job *row = c->rows; row != &c->rows[c->nb_rows]; row++) {
		const enum bench_job_way other = other_of(row);
		const union tool_cell cells[] = {
			{ .text = row->is_read ? "read" : "write" }, { row->nb_pieces },
			{ row->nb_pieces * row->len }, { row->cycles[BENCH_JOB_LIST].median },
			{ .text = other == BENCH_JOB_UMR ? "key" : "inline" },
			{ row->cycles[other].median },
		};

		if (!row->is_valid[other])
			continue;
		if (is_text)
			tool_line_print(row_columns, cells, TOOL_FORMAT_TEXT);
		json_array_append_new(list, tool_line_to_json(row_columns, cells));
	}
}

static void
report_print(const struct bench *bench, const struct calibration *c, enum tool_format format)
{
	json_t *report = bench_report_env(bench), *rows = json_array();
	const bool is_text = format == TOOL_FORMAT_TEXT;
	char devargs[128];
	const union tool_cell cells[] = {
		{ c->sg_inline }, { c->sg_key }, { c->sg_read_key }, { .text = devargs },
	};

	snprintf(devargs, sizeof(devargs), "sg_inline=%u,sg_key=%u,sg_read_key=%u", c->sg_inline,
		 c->sg_key, c->sg_read_key);
	if (is_text) {
		bench_report_head(bench);
		printf("TSC cycles of the posting CPU per operation: segments in work requests, "
		       "and the\nother way\n\n%-5s ", "");
		tool_head_print(row_columns, format, "");
	}
	rows_report(c, rows, is_text);
	if (is_text) {
		printf("\n%s,%s\n", bench->setup.dev_name, devargs);
	} else {
		bench_report_columns(columns, format);
		bench_report_line(bench, columns, cells, format);
	}
	json_object_update_new(report, tool_line_to_json(columns, cells));
	json_object_set_new(report, "rows", rows);
	tool_report_print(report, format);
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
	bench.setup.paths = RTE_BIT32(BENCH_RTE);
	max_pieces = bench_jobs_max_pieces(&bench);
	c = (struct calibration){ .jobs = bench_jobs_open(&bench, max_pieces) };
	if (c.jobs != NULL) {
		ret = TOOL_FAILED;
		if (inline_measure(&c) && key_measure(&c, false, max_pieces, &c.sg_key) &&
		    key_measure(&c, true, max_pieces, &c.sg_read_key))
			ret = TOOL_OK;
	}
	bench_jobs_close(c.jobs);
	if (ret == TOOL_OK)
		report_print(&bench, &c, conf->format);
	bench_close(&bench);
	return ret;
}
