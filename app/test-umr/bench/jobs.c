/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The table of jobs.
 */

#include <math.h>
#include <string.h>

#include "bench/conf.h"
#include "bench/jobs.h"

#define MB	1e6

static const uint32_t piece_counts[] = { 2, 4, 8, 16, 30, 52, 128, 300, BENCH_JOB_MAX_PIECES };
static const uint32_t piece_lens[] = { 16, 64, 256, 1024, 4096, BENCH_JOB_MAX_LEN };

const char *
bench_job_name(enum bench_job_way way)
{
	static const char *const names[BENCH_JOB_NB_WAYS] = {
		[BENCH_JOB_UMR] = "umr+write",
		[BENCH_JOB_WRITES] = "writes",
		[BENCH_JOB_LIST] = "multi-sge",
		[BENCH_JOB_INLINE] = "inline",
		[BENCH_JOB_PACK] = "pack+write",
		[BENCH_JOB_SG] = "sg",
		[BENCH_JOB_LIBMLX5] = "libmlx5",
	};

	return names[way];
}

static uint32_t
nb_lists(const struct bench_job *job)
{
	return (job->nb_pieces + job->max_segs - 1) / job->max_segs;
}

uint32_t
bench_job_nb_wqes(const struct bench_job *job, enum bench_job_way way)
{
	switch (way) {
	case BENCH_JOB_UMR:
		return 2;
	case BENCH_JOB_WRITES:
		return job->nb_pieces;
	case BENCH_JOB_LIST:
		return nb_lists(job);
	case BENCH_JOB_SG:
		if (job->sg_way != NULL && strcmp(job->sg_way, "key") == 0)
			return 2;
		return job->sg_way != NULL && strcmp(job->sg_way, "wqes") == 0 ? nb_lists(job) : 1;
	default:
		return 1;
	}
}

/* Cycles of the automatic choice per cycle of the cheapest other way of rte_umr. */
static double
sg_ratio(const struct bench_job *job)
{
	double best = 0;

	for (unsigned int way = 0; way < BENCH_JOB_SG; way++)
		if (job->is_valid[way] && (best == 0 || job->cycles[way].median < best))
			best = job->cycles[way].median;
	return best == 0 ? 0 : job->cycles[BENCH_JOB_SG].median / best;
}

/*
 * Bytes of a piece from which one UMR and one write are cheaper than packing, or NAN: interpolate
 * linearly between the last length at which packing is cheaper and the next one.
 */
static double
pack_break_even(const struct bench_job *jobs, uint32_t nb_lens)
{
	double last = 0, gain;

	for (uint32_t i = 0; i < nb_lens; i++) {
		gain = jobs[i].cycles[BENCH_JOB_PACK].median - jobs[i].cycles[BENCH_JOB_UMR].median;
		if (gain >= 0)
			return i == 0 ? jobs[0].len : jobs[i - 1].len +
			       (jobs[i].len - jobs[i - 1].len) * (-last / (gain - last));
		last = gain;
	}
	return NAN;
}

/* Fewest pieces for which one UMR and one write cost less than separate writes; 0: none. */
static uint32_t
writes_break_even(const struct bench_job *jobs, uint32_t nb, uint32_t nb_lens)
{
	for (uint32_t i = 0; i < nb; i += nb_lens)
		if (jobs[i].cycles[BENCH_JOB_UMR].median <
		    jobs[i].cycles[BENCH_JOB_WRITES].median)
			return jobs[i].nb_pieces;
	return 0;
}

static void
print_text(const struct bench *bench, const struct bench_job *jobs, uint32_t nb, uint32_t nb_lens)
{
	uint32_t nb_pieces = writes_break_even(jobs, nb, nb_lens);

	bench_report_head(bench);
	printf("N pieces to one place at a peer: TSC cycles of the posting CPU, and work\n"
	       "requests of a job. Medians of rounds; each job has a doorbell of its own, and its\n"
	       "pieces are not in a cache. sg: rte_umr_write_sg(), its choice, and its cycles per\n"
	       "cycle of the cheapest other way of rte_umr.\n\n"
	       "%6s %6s", "pieces", "bytes");
	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		printf(" | %10s %4s", bench_job_name(way), "WQEs");
	printf(" | sg choice ratio\n");
	for (uint32_t i = 0; i < nb; i++) {
		printf("%6u %6u", jobs[i].nb_pieces, jobs[i].len);
		for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
			if (jobs[i].is_valid[way])
				printf(" | %10.0f %4u", jobs[i].cycles[way].median,
				       bench_job_nb_wqes(&jobs[i], way));
			else
				printf(" | %10s %4s", "-", "-");
		printf(" | %9s %5.2f\n", jobs[i].sg_way, sg_ratio(&jobs[i]));
	}
	printf("\nBreak-even of one UMR and one write\n");
	for (uint32_t i = 0; i < nb; i += nb_lens) {
		const double len = pack_break_even(&jobs[i], nb_lens);

		if (!isnan(len))
			printf("  %4u pieces: cheaper than packing from %.0f bytes a piece\n",
			       jobs[i].nb_pieces, len);
		else
			printf("  %4u pieces: packing is cheaper\n", jobs[i].nb_pieces);
	}
	if (nb_pieces > 0)
		printf("  cheaper than a write for each piece from %u pieces\n", nb_pieces);
	else
		printf("  a write for each piece is cheaper\n");
}

static const struct tool_column columns[] = {
	{ .name = "pieces", NULL, TOOL_COUNT | TOOL_NO_JSON },
	{ .name = "bytes", NULL, TOOL_COUNT | TOOL_NO_JSON },
	{ .name = "way", NULL, TOOL_TEXT | TOOL_NO_JSON },
	{ .name = "cycles", NULL, TOOL_REAL, .csv_decimals = 1 },
	{ .name = "cycles_q1", NULL, TOOL_REAL, .csv_decimals = 1 },
	{ .name = "cycles_q3", NULL, TOOL_REAL, .csv_decimals = 1 },
	{ .name = "cycles_per_mb", NULL, TOOL_REAL, .csv_decimals = 1 },
	{ .name = "wqes_per_mb", NULL, TOOL_REAL, .csv_decimals = 2 }, { 0 },
};

static const struct tool_column even_columns[] = {
	{ .name = "pieces", NULL, TOOL_COUNT }, { .name = "bytes", NULL, TOOL_REAL }, { 0 },
};

/* Print a way of a job as CSV, and return its JSON. */
static json_t *
way_report(const struct bench *bench, const struct bench_job *job, unsigned int way,
	   enum tool_format format)
{
	const double per_mb = MB / ((double)job->nb_pieces * job->len);
	const struct bench_stat *cycles = &job->cycles[way];
	const union tool_cell cells[] = {
		{ job->nb_pieces }, { job->len }, { .text = bench_job_name(way) },
		{ cycles->median }, { cycles->q1 }, { cycles->q3 }, { cycles->median * per_mb },
		{ bench_job_nb_wqes(job, way) * per_mb },
	};

	if (!job->is_valid[way])
		return json_null();
	bench_report_line(bench, columns, cells, format);
	return tool_line_to_json(columns, cells);
}

static json_t *
job_report(const struct bench *bench, const struct bench_job *job, enum tool_format format)
{
	json_t *object = json_pack("{s:i, s:i}", "pieces", (int)job->nb_pieces, "bytes",
				   (int)job->len);

	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		json_object_set_new(object, bench_job_name(way),
				    way_report(bench, job, way, format));
	json_object_set_new(object, "sg_choice", json_string(job->sg_way));
	json_object_set_new(object, "sg_ratio", json_real(sg_ratio(job)));
	return object;
}

/* Print all jobs, which come in groups of nb_lens with the same number of pieces. */
static void
jobs_print(const struct bench *bench, const struct bench_job *jobs, uint32_t nb, uint32_t nb_lens,
	   enum tool_format format)
{
	json_t *list = json_array(), *evens = json_array(), *report = bench_report_env(bench);

	if (format == TOOL_FORMAT_TEXT)
		print_text(bench, jobs, nb, nb_lens);
	bench_report_columns(columns, format);
	for (uint32_t i = 0; i < nb; i++)
		json_array_append_new(list, job_report(bench, &jobs[i], format));
	for (uint32_t i = 0; i < nb; i += nb_lens) {
		const union tool_cell cells[] = {
			{ jobs[i].nb_pieces }, { pack_break_even(&jobs[i], nb_lens) },
		};

		json_array_append_new(evens, tool_line_to_json(even_columns, cells));
	}
	json_object_set_new(report, "jobs", list);
	json_object_set_new(report, "break_even_with_packing", evens);
	json_object_set_new(report, "break_even_with_writes_pieces",
			    json_integer(writes_break_even(jobs, nb, nb_lens)));
	tool_report_print(report, format);
}

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
	jobs_print(bench, all, nb, RTE_DIM(piece_lens), conf->format);
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
