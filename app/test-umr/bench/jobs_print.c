/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "bench/jobs.h"

#define MB	1e6

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

double
bench_job_sg_ratio(const struct bench_job *job)
{
	double best = 0;

	for (unsigned int way = 0; way < BENCH_JOB_SG; way++)
		if (job->is_valid[way] && (best == 0 || job->cycles[way].median < best))
			best = job->cycles[way].median;
	return best == 0 ? 0 : job->cycles[BENCH_JOB_SG].median / best;
}

/* Jobs per megabyte. */
static double
jobs_per_mb(const struct bench_job *job)
{
	return MB / ((double)job->nb_pieces * job->len);
}

struct bench_break_even
bench_jobs_break_even(const struct bench_job *jobs, uint32_t nb)
{
	struct bench_break_even even = { .nb_pieces = jobs[0].nb_pieces };
	double last = 0, gain;

	/*
	 * Interpolate linearly between the last length at which packing is cheaper and the next
	 * one.
	 */
	for (uint32_t i = 0; i < nb; i++) {
		gain = jobs[i].cycles[BENCH_JOB_PACK].median - jobs[i].cycles[BENCH_JOB_UMR].median;
		if (gain >= 0 && even.pack_len == 0)
			even.pack_len = i == 0 ? jobs[0].len :
					jobs[i - 1].len + (jobs[i].len - jobs[i - 1].len) *
					(-last / (gain - last));
		last = gain;
	}
	return even;
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
	struct bench_break_even even;

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
		for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++) {
			if (jobs[i].is_valid[way])
				printf(" | %10.0f %4u", jobs[i].cycles[way].median,
				       bench_job_nb_wqes(&jobs[i], way));
			else
				printf(" | %10s %4s", "-", "-");
		}
		printf(" | %9s %5.2f\n", jobs[i].sg_way, bench_job_sg_ratio(&jobs[i]));
	}
	printf("\nBreak-even of one UMR and one write\n");
	for (uint32_t i = 0; i < nb; i += nb_lens) {
		even = bench_jobs_break_even(&jobs[i], nb_lens);
		if (even.pack_len > 0)
			printf("  %4u pieces: cheaper than packing from %.0f bytes a piece\n",
			       even.nb_pieces, even.pack_len);
		else
			printf("  %4u pieces: packing is cheaper\n", even.nb_pieces);
	}
	if (nb_pieces > 0)
		printf("  cheaper than a write for each piece from %u pieces\n", nb_pieces);
	else
		printf("  a write for each piece is cheaper\n");
}

static void
print_csv(const struct bench *bench, const struct bench_job *jobs, uint32_t nb)
{
	bench_report_csv_names();
	result_print_csv_head(",pieces,bytes,way,cycles,cycles_q1,cycles_q3,cycles_per_mb,"
			      "wqes_per_mb");
	for (uint32_t i = 0; i < nb; i++)
		for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++) {
			const struct bench_stat *cycles = &jobs[i].cycles[way];
			double per_mb = jobs_per_mb(&jobs[i]);

			if (!jobs[i].is_valid[way])
				continue;
			bench_report_csv_values(bench);
			printf(",%u,%u,%s,%.1f,%.1f,%.1f,%.1f,%.2f", jobs[i].nb_pieces,
			       jobs[i].len, bench_job_name(way), cycles->median, cycles->q1,
			       cycles->q3, cycles->median * per_mb,
			       bench_job_nb_wqes(&jobs[i], way) * per_mb);
			result_print_csv_end();
		}
}

static json_t *
job_to_json(const struct bench_job *job)
{
	json_t *object = json_pack("{s:i, s:i}", "pieces", (int)job->nb_pieces, "bytes",
				   (int)job->len);
	double per_mb = jobs_per_mb(job);

	for (unsigned int way = 0; way < BENCH_JOB_NB_WAYS; way++)
		json_object_set_new(object, bench_job_name(way), !job->is_valid[way] ?
				    json_null() :
				    json_pack("{s:f, s:f, s:f, s:f, s:f}",
					      "cycles", job->cycles[way].median,
					      "cycles_q1", job->cycles[way].q1,
					      "cycles_q3", job->cycles[way].q3,
					      "cycles_per_mb", job->cycles[way].median * per_mb,
					      "wqes_per_mb",
					      bench_job_nb_wqes(job, way) * per_mb));
	json_object_set_new(object, "sg_choice", json_string(job->sg_way));
	json_object_set_new(object, "sg_ratio", json_real(bench_job_sg_ratio(job)));
	return object;
}

static void
print_json(const struct bench *bench, const struct bench_job *jobs, uint32_t nb, uint32_t nb_lens)
{
	json_t *report = bench_report_env(bench);
	json_t *list = json_array(), *evens = json_array();
	struct bench_break_even even;

	for (uint32_t i = 0; i < nb; i++)
		json_array_append_new(list, job_to_json(&jobs[i]));
	for (uint32_t i = 0; i < nb; i += nb_lens) {
		even = bench_jobs_break_even(&jobs[i], nb_lens);
		json_array_append_new(evens, json_pack("{s:i, s:o}", "pieces",
						       (int)even.nb_pieces, "bytes",
						       even.pack_len > 0 ?
							       json_real(even.pack_len) :
							       json_null()));
	}
	json_object_set_new(report, "jobs", list);
	json_object_set_new(report, "break_even_with_packing", evens);
	json_object_set_new(report, "break_even_with_writes_pieces",
			    json_integer(writes_break_even(jobs, nb, nb_lens)));
	result_print_json(report);
}

void
bench_jobs_print(const struct bench *bench, const struct bench_job *jobs, uint32_t nb,
		 uint32_t nb_lens, enum tool_format format)
{
	if (format == TOOL_FORMAT_TEXT)
		print_text(bench, jobs, nb, nb_lens);
	else if (format == TOOL_FORMAT_CSV)
		print_csv(bench, jobs, nb);
	else
		print_json(bench, jobs, nb, nb_lens);
}
