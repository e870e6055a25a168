/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The table of jobs.
 */

#include "bench/conf.h"
#include "bench/jobs.h"
#include "bench/report.h"

static const uint32_t piece_counts[] = { 2, 4, 8, 16, 30, 52, 128, 300, BENCH_JOB_MAX_PIECES };
static const uint32_t piece_lens[] = { 16, 64, 256, 1024, 4096, BENCH_JOB_MAX_LEN };

static enum tool_exit
jobs_run(struct bench_jobs *jobs, const struct bench *bench, const struct bench_conf *conf,
	 uint32_t max_pieces)
{
	static struct bench_job all[RTE_DIM(piece_counts) * RTE_DIM(piece_lens)];
	uint32_t nb = 0;

	for (uint32_t n = 0; n < RTE_DIM(piece_counts); n++)
		for (uint32_t l = 0; l < RTE_DIM(piece_lens); l++) {
			if (piece_counts[n] > max_pieces)
				continue;
			all[nb] = (struct bench_job){
				.nb_pieces = piece_counts[n], .len = piece_lens[l],
			};
			bench_progress("jobs", nb, RTE_DIM(all));
			bench_job_init(jobs, &all[nb]);
			if (!bench_job_measure(jobs, &all[nb++]))
				return TOOL_FAILED;
		}
	bench_jobs_print(bench, all, nb, RTE_DIM(piece_lens), conf->format);
	if (conf->plot_dir == NULL)
		return TOOL_OK;
	return bench_plot_jobs(bench, conf->plot_dir, all, nb, RTE_DIM(piece_lens));
}

enum tool_exit
bench_jobs_run(const struct bench_conf *conf)
{
	enum tool_exit ret = TOOL_SETUP;
	static struct bench bench;
	struct bench_jobs *jobs;
	uint32_t max_pieces;

	if (!bench_init(&bench, conf))
		return TOOL_SETUP;
	max_pieces = bench_jobs_max_pieces(&bench);
	jobs = bench_jobs_open(&bench, max_pieces);
	if (jobs != NULL)
		ret = jobs_run(jobs, &bench, conf, max_pieces);
	bench_jobs_close(jobs);
	bench_close(&bench);
	return ret;
}
