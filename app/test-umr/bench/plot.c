/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Plots: SVG files, drawn by gnuplot.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/conf.h"
#include "bench/jobs.h"

#define COMMAND		"gnuplot"

bool
bench_plot_prepare(const char *dir)
{
	/* Let the shell find the program, without output. */
	if (system("command -v " COMMAND " >/dev/null 2>&1") != 0) {
		tool_error("--plot: needs the program " COMMAND " (Debian: gnuplot-nox)");
		return false;
	}
	if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
		tool_error("--plot: %s: %s", dir, strerror(errno));
		return false;
	}
	return true;
}

static FILE *
plot_start(const struct bench *bench, const char *dir, const char *name, const char *title,
	   const char *xlabel)
{
	FILE *f = popen(COMMAND, "w");

	if (f == NULL) {
		tool_error("--plot: " COMMAND ": %s", strerror(errno));
		return NULL;
	}
	fprintf(f,
		"set terminal svg size 720,480 dynamic enhanced background rgb 'white'\n"
		"set output '%s/%s.svg'\n"
		"set title \"%s\\n%s, %s\" noenhanced\n"
		"set xlabel '%s'\n"
		"set ylabel 'TSC cycles'\n"
		"set logscale xy 2\n"
		"set grid\n"
		"set key top left noenhanced\n"
		"set style data linespoints\n",
		dir, name, title, bench->setup.dev_name, bench_execution_name(bench), xlabel);
	return f;
}

static enum tool_exit
plot_end(FILE *f, const char *name)
{
	int status = pclose(f);

	if (status == 0)
		return TOOL_OK;
	tool_error("--plot: " COMMAND " failed on %s: status %d", name, status);
	return TOOL_FAILED;
}

/* Whether a row is in the series of rows with the same layout and batch. */
static bool
is_in_series(const struct bench_report_row *row, const struct bench_report_row *first,
	     unsigned int path)
{
	return row->row.layout == first->row.layout && row->row.batch == first->row.batch &&
	       row->paths[path].is_valid;
}

static bool
has_series(const struct bench_report_row *rows, uint32_t nb, const struct bench_report_row *first,
	   unsigned int path)
{
	uint32_t nb_points = 0;

	for (uint32_t i = 0; i < nb; i++)
		if (is_in_series(&rows[i], first, path))
			nb_points++;
	return nb_points > 1;
}

static enum tool_exit
plot_layout(const struct bench *bench, const char *dir, const struct bench_report_row *rows,
	    uint32_t nb, const struct bench_report_row *first)
{
	char name[64], title[96];
	const char *between = "plot ";
	FILE *f;

	snprintf(name, sizeof(name), "%s-batch-%u", bench_layout_name(first->row.layout),
		 first->row.batch);
	snprintf(title, sizeof(title), "%s: CPU cost of an operation, %u per doorbell",
		 bench_layout_name(first->row.layout), first->row.batch);
	f = plot_start(bench, dir, name, title, "entries");
	if (f == NULL)
		return TOOL_SETUP;
	for (unsigned int path = 0; path < BENCH_NB_PATHS; path++) {
		if (!has_series(rows, nb, first, path))
			continue;
		fprintf(f, "$path%u << EOD\n", path);
		for (uint32_t i = 0; i < nb; i++)
			if (is_in_series(&rows[i], first, path))
				fprintf(f, "%u %.2f %.2f %.2f\n", rows[i].row.nb_entries,
					rows[i].paths[path].total.median,
					rows[i].paths[path].total.q1,
					rows[i].paths[path].total.q3);
		fprintf(f, "EOD\n");
	}
	for (unsigned int path = 0; path < BENCH_NB_PATHS; path++) {
		if (!has_series(rows, nb, first, path))
			continue;
		fprintf(f, "%s$path%u using 1:2:3:4 with yerrorlines title '%s'", between, path,
			bench_paths[path]->name);
		between = ", ";
	}
	fprintf(f, "\n");
	return plot_end(f, name);
}

enum tool_exit
bench_plot_rows(const struct bench *bench, const char *dir, const struct bench_report_row *rows,
		uint32_t nb)
{
	enum tool_exit ret = TOOL_OK;
	uint32_t i, k;

	/* Draw one plot per layout and batch, at its first row. */
	for (i = 0; i < nb && ret == TOOL_OK; i++) {
		for (k = 0; k < i; k++)
			if (is_in_series(&rows[k], &rows[i], BENCH_RTE))
				break;
		if (k == i && has_series(rows, nb, &rows[i], BENCH_RTE))
			ret = plot_layout(bench, dir, rows, nb, &rows[i]);
	}
	return ret;
}

/* Cycles of a job in all ways, after a value of the x axis; 0 is not drawn. */
static void
job_write(FILE *f, uint32_t x, const struct bench_job *job)
{
	fprintf(f, "%u", x);
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		fprintf(f, " %.1f", job->is_valid[way] ? job->cycles[way].median : 0);
	fprintf(f, "\n");
}

/* Plot nb jobs in the ways that the first one has, by their pieces or the bytes of a piece. */
static enum tool_exit
plot_jobs(const struct bench *bench, const char *dir, const struct bench_job *jobs, uint32_t nb,
	  uint32_t step, bool is_by_pieces)
{
	const char *between = "plot ";
	char name[64], title[96];
	FILE *f;

	if (is_by_pieces) {
		snprintf(name, sizeof(name), "jobs-%u-bytes", jobs[0].len);
		snprintf(title, sizeof(title), "scattered pieces of %u bytes to a peer: CPU cost "
			 "of a job", jobs[0].len);
	} else {
		snprintf(name, sizeof(name), "jobs-%u-pieces", jobs[0].nb_pieces);
		snprintf(title, sizeof(title), "%u scattered pieces to a peer: CPU cost of a job",
			 jobs[0].nb_pieces);
	}
	f = plot_start(bench, dir, name, title, is_by_pieces ? "pieces" : "bytes of a piece");
	if (f == NULL)
		return TOOL_SETUP;
	fprintf(f, "$jobs << EOD\n");
	for (uint32_t i = 0; i < nb; i += step)
		job_write(f, is_by_pieces ? jobs[i].nb_pieces : jobs[i].len, &jobs[i]);
	fprintf(f, "EOD\n");
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++) {
		if (!jobs[0].is_valid[way])
			continue;
		fprintf(f, "%s$jobs using 1:%u title '%s'", between, way + 2, bench_job_name(way));
		between = ", ";
	}
	fprintf(f, "\n");
	return plot_end(f, name);
}

enum tool_exit
bench_plot_jobs(const struct bench *bench, const char *dir, const struct bench_job *jobs,
		uint32_t nb, uint32_t nb_lens)
{
	enum tool_exit ret = TOOL_OK;

	for (uint32_t first = 0; first < nb && ret == TOOL_OK; first += nb_lens)
		ret = plot_jobs(bench, dir, &jobs[first], nb_lens, 1, false);
	/* Where the ways cross over. */
	return ret == TOOL_OK && nb != 0 ? plot_jobs(bench, dir, jobs, nb, nb_lens, true) : ret;
}
