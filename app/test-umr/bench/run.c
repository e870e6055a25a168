/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "bench/path/collect.h"
#include "bench/measure/clock.h"
#include "bench/run.h"
#include "bench/path/kind.h"

#define TSC_SAMPLES		4096u
/* Rounds for comparing polls. */
#define NB_POLL_ROUNDS		5u
/* Rounds of very long lists have fewer operations. */
#define MAX_PIECES_PER_ROUND	(BENCH_OPS_PER_ROUND * 4096u)

const struct bench_ratio bench_ratios[BENCH_NB_RATIOS] = {
	[BENCH_LIBMLX5_BY_RTE] = { "libmlx5_by_rte", BENCH_LIBMLX5, BENCH_RTE },
	[BENCH_LIBMLX5_BY_SINGLE] = { "libmlx5_by_single", BENCH_LIBMLX5, BENCH_SINGLE },
	[BENCH_UNLOCKED_BY_RTE] = { "unlocked_by_rte", BENCH_UNLOCKED, BENCH_RTE },
#ifdef BENCH_HAS_SPDK
	[BENCH_SPDK_BY_RTE] = { "spdk_by_rte", BENCH_SPDK, BENCH_RTE },
	[BENCH_SPDK_BY_SINGLE] = { "spdk_by_single", BENCH_SPDK, BENCH_SINGLE },
#endif
	[BENCH_RTE_BY_FLOOR] = { "rte_by_floor", BENCH_RTE, BENCH_FLOOR },
};

const char *
bench_execution_name(const struct bench *bench)
{
	return bench->setup.is_executing ? "executing" : "acknowledge-only";
}

const char *
bench_poll_name(const struct bench *bench)
{
	return bench->setup.is_poll_warm ? "warm" : "cold";
}

static double
measure_tsc_overhead(void)
{
	double cycles[TSC_SAMPLES];

	for (unsigned int i = 0; i < TSC_SAMPLES; i++) {
		uint64_t start = bench_section_start();

		cycles[i] = (double)(bench_section_end() - start);
	}
	return bench_mean(cycles, TSC_SAMPLES);
}

uint32_t
bench_nb_batches(const struct bench_row *row)
{
	uint32_t nb_ops = RTE_MIN(BENCH_OPS_PER_ROUND, MAX_PIECES_PER_ROUND / row->nb_entries);

	return RTE_MAX(nb_ops / row->batch, BENCH_MIN_BATCHES);
}

uint32_t
bench_row_warm_up(const struct bench_row *row)
{
	/* The first signature or encryption of a key costs more than the others. */
	return BENCH_WARM_UP_BATCHES +
	       (bench_kind_pool_flags(row->layout) == 0 ? 0 : row->nb_keys / row->batch);
}

/* Run unmeasured batches that check the CQE, to learn how long the device takes. */
static bool
warm_up(const struct bench_path *path, void *ctx, const struct bench_row *row, uint32_t nb,
	struct bench_wait *wait)
{
	struct bench_sample sample = { 0 };

	for (uint32_t i = 0; i < nb; i++) {
		if (!bench_batch(path, ctx, row, NULL, &sample))
			return false;
		bench_wait_learn(wait, sample.done - sample.posted);
	}
	return true;
}

bool
bench_round_measure(struct bench *bench, uint32_t index, unsigned int path,
		    const struct bench_row *row, uint32_t nb_warm_up, struct bench_round *result)
{
	struct bench_worker_data *data = &bench->data[index];
	struct bench_counts *counts = &data->counts[path];
	void *ctx = bench->workers[index].ctx[path];
	uint32_t nb = bench_nb_batches(row);
	struct bench_wait wait = { 0 };
	uint64_t db[2], cqes[2];
	struct bench_sample sample;

	if (!warm_up(bench_paths[path], ctx, row, nb_warm_up, &wait))
		return false;
	bench_paths[path]->counts(ctx, &db[0], &cqes[0]);
	for (uint32_t i = 0; i < nb;) {
		if (!bench_batch(bench_paths[path], ctx, row,
				 bench->setup.is_poll_warm ? NULL : &wait, &sample))
			return false;
		counts->nb_ops += row->batch;
		if (sample.is_late)
			continue;
		data->post[i] = ((double)sample.post - bench->tsc_overhead) / row->batch;
		data->poll[i++] = ((double)sample.poll - bench->tsc_overhead) / row->batch;
	}
	bench_paths[path]->counts(ctx, &db[1], &cqes[1]);
	counts->nb_doorbells += db[1] - db[0];
	counts->nb_cqes += cqes[1] - cqes[0];
	counts->nb_late += wait.nb_late;
	result->post = bench_mean(data->post, nb);
	result->poll = bench_mean(data->poll, nb);
	result->total = result->post + result->poll;
	return true;
}

/* The paths take turns in going first; the offset of the arrays moves over the page. */
static int
worker_main(void *arg)
{
	struct bench_worker *worker = arg;
	struct bench *bench = container_of(worker, struct bench, workers[worker->index]);
	struct bench_round **rounds = bench->data[worker->index].rounds;
	bool is_ok = true;

	for (uint32_t round = 0; round < bench->nb_rounds && is_ok; round++)
		for (unsigned int i = 0; i < BENCH_NB_PATHS && is_ok; i++) {
			unsigned int path = (round + i) % BENCH_NB_PATHS;
			uint32_t offset = round / BENCH_NB_PATHS % BENCH_NB_OFFSETS *
					  BENCH_OFFSET_STEP;

			if (!bench->can_run[path])
				continue;
			if (!bench_paths[path]->begin(worker->ctx[path], bench->row, offset))
				bench_barrier_fail(&bench->barrier);
			is_ok = bench_barrier_wait(&bench->barrier, BENCH_BARRIER_SPIN);
			if (is_ok && !bench_round_measure(bench, worker->index, path, bench->row,
							  round == 0 ?
								  bench_row_warm_up(bench->row) :
								  BENCH_WARM_UP_BATCHES,
							  &rounds[path][round]))
				bench_barrier_fail(&bench->barrier);
			is_ok = is_ok && bench_barrier_wait(&bench->barrier, BENCH_BARRIER_SPIN);
		}
	return is_ok ? 0 : -1;
}

bool
bench_workers_run(struct bench *bench, uint32_t nb, int (*worker_fn)(void *worker))
{
	uint32_t i;
	int ret;

	bench_barrier_init(&bench->barrier, nb);
	for (i = 1; i < nb; i++)
		rte_eal_remote_launch(worker_fn, &bench->workers[i], bench->workers[i].lcore);
	ret = worker_fn(&bench->workers[0]);
	for (i = 1; i < nb; i++)
		if (rte_eal_wait_lcore(bench->workers[i].lcore) != 0)
			ret = -1;
	return ret == 0;
}

/* Mean of all workers in a round. */
static struct bench_round
round_mean(const struct bench *bench, unsigned int path, uint32_t round)
{
	struct bench_round mean = { 0 };

	for (uint32_t i = 0; i < bench->setup.nb_workers; i++) {
		mean.post += bench->data[i].rounds[path][round].post;
		mean.poll += bench->data[i].rounds[path][round].poll;
	}
	mean.post /= bench->setup.nb_workers;
	mean.poll /= bench->setup.nb_workers;
	mean.total = mean.post + mean.poll;
	return mean;
}

/* Statistics of the means of a value of all rounds. */
static struct bench_stat
stat_of(struct bench *bench, unsigned int path, size_t value)
{
	for (uint32_t i = 0; i < bench->nb_rounds; i++) {
		const struct bench_round mean = round_mean(bench, path, i);

		bench->values[i] = *(const double *)((const char *)&mean + value);
	}
	return bench_stat_of(bench->values, bench->nb_rounds);
}

static void
summarize(struct bench *bench, unsigned int path, struct bench_result *result)
{
	struct bench_counts sum = { 0 };

	result->is_valid = bench->can_run[path];
	if (!result->is_valid)
		return;
	result->post = stat_of(bench, path, offsetof(struct bench_round, post));
	result->poll = stat_of(bench, path, offsetof(struct bench_round, poll));
	result->total = stat_of(bench, path, offsetof(struct bench_round, total));
	for (uint32_t i = 0; i < bench->setup.nb_workers; i++) {
		const struct bench_counts *counts = &bench->data[i].counts[path];

		sum.nb_doorbells += counts->nb_doorbells;
		sum.nb_cqes += counts->nb_cqes;
		sum.nb_ops += counts->nb_ops;
		sum.nb_late += counts->nb_late;
	}
	result->nb_late = sum.nb_late;
	result->doorbells_per_op = (double)sum.nb_doorbells / (double)sum.nb_ops;
	result->cqes_per_op = (double)sum.nb_cqes / (double)sum.nb_ops;
}

/* A disturbance lasts longer than a round and affects all paths, so compare round by round. */
static struct bench_stat
ratio_of(struct bench *bench, const struct bench_ratio *ratio)
{
	double above, below;

	if (!bench->can_run[ratio->above] || !bench->can_run[ratio->below])
		return (struct bench_stat){ 0 };
	for (uint32_t i = 0; i < bench->nb_rounds; i++) {
		above = round_mean(bench, ratio->above, i).total;
		below = round_mean(bench, ratio->below, i).total;
		bench->values[i] = below > 0 ? above / below : 0;
	}
	return bench_stat_of(bench->values, bench->nb_rounds);
}

bool
bench_measure(struct bench *bench, const struct bench_row *row, struct bench_report_row *report)
{
	unsigned int path;
	uint32_t i;

	bench->row = row;
	for (path = 0; path < BENCH_NB_PATHS; path++) {
		void *ctx = bench->workers[0].ctx[path];

		bench->can_run[path] = ctx != NULL && bench_paths[path]->can_run(ctx, row);
		for (i = 0; i < bench->setup.nb_workers; i++)
			bench->data[i].counts[path] = (struct bench_counts){ 0 };
	}
	if (!bench_workers_run(bench, bench->setup.nb_workers, worker_main))
		return false;
	report->row = *row;
	for (path = 0; path < BENCH_NB_PATHS; path++)
		summarize(bench, path, &report->paths[path]);
	for (i = 0; i < BENCH_NB_RATIOS; i++)
		report->ratios[i] = ratio_of(bench, &bench_ratios[i]);
	return true;
}

static bool
data_alloc(struct bench *bench, struct bench_worker_data *data)
{
	/* Rows with a batch of 1 have the most batches. */
	data->post = tool_calloc("bench", BENCH_OPS_PER_ROUND, sizeof(double));
	data->poll = tool_calloc("bench", BENCH_OPS_PER_ROUND, sizeof(double));
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++) {
		data->rounds[i] = tool_calloc("bench", bench->nb_rounds,
					      sizeof(*data->rounds[i]));
		if (data->rounds[i] == NULL)
			return false;
	}
	return data->post != NULL && data->poll != NULL;
}

static void
data_free(struct bench_worker_data *data)
{
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++)
		free(data->rounds[i]);
	free(data->poll);
	free(data->post);
}

static bool
is_opened(const struct bench *bench, unsigned int path)
{
#ifdef BENCH_HAS_SPDK
	/* Compiled for this CPU: valgrind does not support AVX-512. */
	if (path == BENCH_SPDK && bench_count_is_below_callgrind())
		return false;
#endif
	return bench->setup.paths == 0 || (bench->setup.paths & RTE_BIT32(path)) != 0;
}

static bool
worker_open(struct bench *bench, struct bench_worker *worker)
{
	if (!bench_arrays_alloc(&worker->arrays) ||
	    !data_alloc(bench, &bench->data[worker->index]))
		return false;
	for (unsigned int i = 0; i < BENCH_NB_PATHS; i++) {
		const struct bench_path *path = bench_paths[i];

		if (!is_opened(bench, i))
			continue;
		worker->ctx[i] = path->size == 0 ? worker->ctx[BENCH_RTE] :
				 tool_calloc("bench", 1, path->size);
		if (worker->ctx[i] == NULL ||
		    (path->open != NULL && !path->open(worker->ctx[i], worker)))
			return false;
	}
	return true;
}

static void
worker_close(struct bench *bench, struct bench_worker *worker)
{
	for (unsigned int i = BENCH_NB_PATHS; i-- > 0;) {
		if (worker->ctx[i] == NULL || bench_paths[i]->size == 0)
			continue;
		bench_paths[i]->close(worker->ctx[i]);
		free(worker->ctx[i]);
	}
	data_free(&bench->data[worker->index]);
	bench_arrays_free(&worker->arrays);
}

/* Move threads of lower libraries, such as the engine of a software device. */
static bool
threads_keep_off(struct bench *bench)
{
	cpu_set_t cpus, lcore;
	int ret;

	CPU_ZERO(&cpus);
	for (uint32_t i = 0; i < bench->setup.nb_workers; i++) {
		/* Workers without their own lcore run on that of another worker. */
		if (bench->workers[i].lcore >= RTE_MAX_LCORE)
			continue;
		lcore = rte_lcore_cpuset(bench->workers[i].lcore);
		CPU_OR(&cpus, &cpus, &lcore);
	}
	ret = bench_threads_keep_off(&bench->threads, &cpus);
	if (ret != 0)
		tool_error("bench: keeping other threads off the lcores' CPUs: %s",
			   rte_strerror(-ret));
	return ret == 0;
}

/* Cycles of a poll for one operation: the median of some rounds. */
static bool
poll_measure(struct bench *bench, double *cycles)
{
	const struct bench_row row = {
		.layout = BENCH_LIST, .nb_entries = 1, .batch = 1, .nb_keys = 1,
	};
	void *ctx = bench->workers[0].ctx[BENCH_RTE];
	double values[NB_POLL_ROUNDS];
	struct bench_round round;

	for (uint32_t i = 0; i < NB_POLL_ROUNDS; i++) {
		if (!bench_path_rte.begin(ctx, &row, 0) ||
		    !bench_round_measure(bench, 0, BENCH_RTE, &row, BENCH_WARM_UP_BATCHES, &round))
			return false;
		values[i] = round.poll;
	}
	*cycles = bench_stat_of(values, NB_POLL_ROUNDS).median;
	return true;
}

/*
 * Compare polls for CQEs straight from the device with polls for CQEs that were checked before.
 * Equal costs mean that the device runs on this CPU, and nothing is cold.
 */
static bool
polls_compare(struct bench *bench)
{
	const bool is_warm = bench->setup.is_poll_warm;
	bool is_ok = true;

	/* That run only counts instructions. */
	if (bench_count_is_below_callgrind())
		return true;
	for (unsigned int i = 0; i < BENCH_NB_POLLS && is_ok; i++) {
		bench->setup.is_poll_warm = i == BENCH_POLL_WARM;
		is_ok = poll_measure(bench, &bench->poll_cycles[i]);
	}
	bench->setup.is_poll_warm = is_warm;
	return is_ok;
}

bool
bench_open(struct bench *bench)
{
	unsigned int lcore = rte_get_main_lcore();
	char why[BENCH_WHY_SIZE];

	bench->tsc_overhead = measure_tsc_overhead();
	bench->values = tool_calloc("bench", bench->nb_rounds, sizeof(double));
	if (bench->values == NULL)
		return false;
	if (!bench_setup_fit(&bench->setup, &bench->info, why)) {
		tool_error("bench: %s", why);
		return false;
	}
	if (!bench_device_start(&bench->setup))
		return false;
	for (uint32_t i = 0; i < bench->setup.nb_workers; i++) {
		bench->workers[i].setup = &bench->setup;
		bench->workers[i].index = i;
		bench->workers[i].lcore = lcore;
		if (!worker_open(bench, &bench->workers[i]))
			return false;
		lcore = rte_get_next_lcore(i == 0 ? (unsigned int)-1 : lcore, 1, 0);
	}
	return threads_keep_off(bench) &&
	       bench_probe_execution(&bench->workers[0], &bench->setup.is_executing) == 0 &&
	       polls_compare(bench);
}

void
bench_close(struct bench *bench)
{
	bench_threads_give_back(&bench->threads);
	/* Return keys only after the queues stopped using them. */
	bench_device_stop(&bench->setup);
	for (uint32_t i = 0; i < bench->setup.nb_workers; i++)
		worker_close(bench, &bench->workers[i]);
	free(bench->values);
}
