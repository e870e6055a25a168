/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Whether an operation costs more while another lcore does the same on its own queues.
 *
 * A software device needs a CPU, too. Therefore each lcore has several queues and posts batches to
 * each of them in a window of some microseconds. All lcores do so at the same time, without
 * checking the device, and let it work afterwards. A window counts only if the clock shows that the
 * lcores were in it together. When an lcore is alone in its window, the other one spins, so that
 * the device is kept off the CPUs in the same way.
 *
 * Queues are assigned to the lcores alternately: neighboring allocations belong to different
 * lcores, which is the worst case.
 */

#include <assert.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "bench/path/collect.h"
#include "bench/measure/clock.h"
#include "bench/conf.h"
#include "bench/report.h"

/* Lcores that are compared, and workers of each. */
#define NB_LCORES		2u
#define NB_QUEUES		4u
/* Calls for a queue in a window, under one doorbell; the first one only warms the cache. */
#define NB_CALLS		8u
/* Measured windows of a round; an additional first one is not measured. */
#define NB_WINDOWS		8u
/*
 * Minimum overlap of the windows of both lcores, and minimum share of windows that overlap. Most
 * windows must overlap: windows of a single lcore are not selected and would look slow compared
 * with a few good ones.
 */
#define MIN_COMMON		0.8
#define MIN_WINDOWS		0.75

static_assert(NB_LCORES * NB_QUEUES <= BENCH_MAX_WORKERS, "a worker for a queue");

/* Results. */
struct lcores {
	bool is_judged;		/* Enough windows were common. */
	uint32_t nb_windows;	/* Windows that were measured. */
	uint32_t nb_common;	/* Windows that were common. */
	/* Per round: cost on both lcores at a time, divided by the cost on each alone. */
	struct bench_stat ratio;
};

/* Which lcores post: each alone, or both. */
enum { TURN_BOTH = NB_LCORES, NB_TURNS };

/* Results of an lcore in a round; only that lcore writes them. */
struct lcore {
	void *ctx[NB_QUEUES];	/* of the rte path */
	uint64_t start[NB_WINDOWS + 1];	/* start and end of the window */
	uint64_t end[NB_WINDOWS + 1];
	double cost[NB_WINDOWS + 1][NB_QUEUES];	/* cycles, finally per operation */
} __rte_cache_aligned;

struct run {
	struct bench *bench;
	const struct bench_row *row;
	struct lcore lcores[NB_LCORES];
	double *costs[NB_TURNS];	/* per round; NAN: no common window */
	uint32_t nb_windows;
	uint32_t nb_common;
};

static struct run run;

/* Count all calls except the first one; the last one rings the doorbell. */
static bool
queue_post(void *ctx, double *cycles)
{
	struct bench_sample sample;

	*cycles = 0;
	for (uint32_t i = 0; i < NB_CALLS; i++) {
		if (!bench_rte_post(ctx, run.row, i == NB_CALLS - 1, &sample))
			return false;
		if (i != 0)
			*cycles += (double)sample.post - run.bench->tsc_overhead;
	}
	return true;
}

static bool
window_post(struct lcore *lcore, uint32_t window)
{
	bool is_ok = true;

	lcore->start[window] = rte_rdtsc();
	for (uint32_t i = 0; i < NB_QUEUES && is_ok; i++)
		is_ok = queue_post(lcore->ctx[i], &lcore->cost[window][i]);
	lcore->end[window] = rte_rdtsc();
	return is_ok;
}

/* Yield the CPU to the device until all completions arrive; the collector reports a timeout. */
static void
device_wait(const struct lcore *lcore)
{
	uint64_t deadline = bench_deadline(BENCH_TIMEOUT_MS);

	for (uint32_t i = 0; i < NB_QUEUES; i++)
		while (!bench_path_rte.has_completion(lcore->ctx[i]) && rte_rdtsc() < deadline)
			sched_yield();
}

static bool
window_collect(struct lcore *lcore, uint32_t window)
{
	struct bench_sample sample;

	for (uint32_t i = 0; i < NB_QUEUES; i++) {
		if (!bench_collect(&bench_path_rte, lcore->ctx[i], NB_CALLS * run.row->batch, NULL,
				   &sample))
			return false;
		lcore->cost[window][i] += (double)sample.poll - run.bench->tsc_overhead;
		lcore->cost[window][i] /= (NB_CALLS - 1) * run.row->batch;
	}
	return true;
}

/* Run one window of a turn on one lcore. All lcores reach all barriers or leave at the same one. */
static bool
window_run(struct lcore *lcore, bool is_active, uint32_t window)
{
	struct bench_barrier *barrier = &run.bench->barrier;

	if (!bench_barrier_wait(barrier, BENCH_BARRIER_YIELD))
		return false;
	for (uint32_t i = 0; i < NB_QUEUES && is_active; i++)
		bench_rte_warm(lcore->ctx[i]);
	if (!bench_barrier_wait(barrier, BENCH_BARRIER_SPIN))
		return false;
	if (is_active && !window_post(lcore, window))
		bench_barrier_fail(barrier);
	/* An lcore that does not post keeps its CPU busy here. */
	if (!bench_barrier_wait(barrier, BENCH_BARRIER_SPIN))
		return false;
	if (is_active)
		device_wait(lcore);
	if (!bench_barrier_wait(barrier, BENCH_BARRIER_YIELD) ||
	    !bench_barrier_wait(barrier, BENCH_BARRIER_SPIN))
		return false;
	if (is_active && !window_collect(lcore, window))
		bench_barrier_fail(barrier);
	return bench_barrier_wait(barrier, BENCH_BARRIER_SPIN);
}

/* Whether both lcores were in a window for most of its time. */
static bool
is_common(uint32_t window)
{
	const struct lcore *a = &run.lcores[0], *b = &run.lcores[1];
	uint64_t first = RTE_MIN(a->start[window], b->start[window]);
	uint64_t last = RTE_MAX(a->end[window], b->end[window]);
	uint64_t start = RTE_MAX(a->start[window], b->start[window]);
	uint64_t end = RTE_MIN(a->end[window], b->end[window]);

	return end > start && (double)(end - start) >= MIN_COMMON * (double)(last - first);
}

/*
 * Cost of an operation of an lcore in a round, over all its windows or only the common ones. The
 * median drops windows slowed by whatever kept them from being common; such windows must not count
 * for a single lcore either.
 */
static double
lcore_cost(const struct lcore *lcore, bool has_other)
{
	double values[NB_WINDOWS * NB_QUEUES];
	uint32_t nb = 0;

	for (uint32_t w = 1; w <= NB_WINDOWS; w++)
		for (uint32_t i = 0; i < NB_QUEUES; i++)
			if (!has_other || is_common(w))
				values[nb++] = lcore->cost[w][i];
	return nb != 0 ? bench_stat_of(values, nb).median : NAN;
}

/* Compare the sum over the lcores: neither has to be as fast as the other. */
static void
turn_judge(unsigned int turn, uint32_t round)
{
	if (turn != TURN_BOTH) {
		run.costs[turn][round] = lcore_cost(&run.lcores[turn], false);
		return;
	}
	for (uint32_t w = 1; w <= NB_WINDOWS; w++)
		run.nb_common += is_common(w);
	run.nb_windows += NB_WINDOWS;
	run.costs[turn][round] =
		lcore_cost(&run.lcores[0], true) + lcore_cost(&run.lcores[1], true);
}

static bool
turn_begin(struct lcore *lcore, uint32_t round)
{
	uint32_t offset = round / NB_TURNS % BENCH_NB_OFFSETS * BENCH_OFFSET_STEP;

	for (uint32_t i = 0; i < NB_QUEUES; i++)
		if (!bench_path_rte.begin(lcore->ctx[i], run.row, offset))
			return false;
	return true;
}

static int
lcore_main(void *arg)
{
	struct bench_worker *worker = arg;
	struct lcore *lcore = &run.lcores[worker->index];
	struct bench *bench = run.bench;
	struct bench_barrier *barrier = &bench->barrier;
	bool is_ok = true;

	for (uint32_t i = 0; i < bench->nb_rounds * NB_TURNS && is_ok; i++) {
		uint32_t round = i / NB_TURNS;
		unsigned int turn = (round + i) % NB_TURNS;
		bool is_active = turn == TURN_BOTH || turn == worker->index;

		if (!turn_begin(lcore, round))
			bench_barrier_fail(barrier);
		for (uint32_t w = 0; w <= NB_WINDOWS && is_ok; w++)
			is_ok = window_run(lcore, is_active, w);
		if (is_ok && worker->index == 0)
			turn_judge(turn, round);
	}
	return is_ok ? 0 : -1;
}

static void
run_judge(struct lcores *result)
{
	double *values = run.bench->values;
	uint32_t nb = 0;

	for (uint32_t round = 0; round < run.bench->nb_rounds; round++) {
		double alone = run.costs[0][round] + run.costs[1][round];

		if (!isnan(run.costs[TURN_BOTH][round]) && alone > 0)
			values[nb++] = run.costs[TURN_BOTH][round] / alone;
	}
	*result = (struct lcores){
		.nb_windows = run.nb_windows,
		.nb_common = run.nb_common,
		.is_judged = nb != 0 && run.nb_common >= MIN_WINDOWS * run.nb_windows,
	};
	if (nb != 0)
		result->ratio = bench_stat_of(values, nb);
}

/* The CPU that an lcore is pinned to, or -1. */
static int
lcore_cpu(unsigned int lcore)
{
	rte_cpuset_t cpus = rte_lcore_cpuset(lcore);
	int cpu = 0;

	if (CPU_COUNT(&cpus) != 1)
		return -1;
	while (!CPU_ISSET(cpu, &cpus))
		cpu++;
	return cpu;
}

/* Whether two lcores are threads of one core, which slow each other down in any case. */
static bool
lcores_share_core(unsigned int lcore_a, unsigned int lcore_b)
{
	int cpu_a = lcore_cpu(lcore_a), cpu_b = lcore_cpu(lcore_b), first, last, c = ',';
	char name[80];
	bool is_there = false;
	FILE *f;

	if (cpu_a < 0 || cpu_b < 0)
		return false;
	/* Numbers and ranges, as in "0-1,64-65". */
	snprintf(name, sizeof(name), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 cpu_a);
	f = fopen(name, "r");
	while (f != NULL && c == ',' && fscanf(f, "%d", &first) == 1) {
		last = first;
		c = fgetc(f);
		if (c == '-' && fscanf(f, "%d", &last) == 1)
			c = fgetc(f);
		is_there |= first <= cpu_b && cpu_b <= last;
	}
	if (f != NULL)
		fclose(f);
	return is_there || cpu_a == cpu_b;
}

static bool
lcores_measure(struct bench *bench, const struct bench_row *row, struct lcores *result)
{
	unsigned int turn;
	bool is_ok;

	run = (struct run){ .bench = bench, .row = row };
	for (uint32_t i = 0; i < NB_LCORES * NB_QUEUES; i++)
		run.lcores[i % NB_LCORES].ctx[i / NB_LCORES] =
			bench->workers[i].ctx[BENCH_RTE];
	run.costs[0] = tool_calloc("bench", (size_t)NB_TURNS * bench->nb_rounds, sizeof(double));
	for (turn = 1; turn < NB_TURNS; turn++)
		run.costs[turn] = run.costs[0] + (size_t)turn * bench->nb_rounds;
	is_ok = run.costs[0] != NULL && bench_workers_run(bench, NB_LCORES, lcore_main);
	if (is_ok)
		run_judge(result);
	free(run.costs[0]);
	return is_ok;
}

static void
print_csv(const struct bench *bench, const struct bench_row *row,
	  const struct lcores *result)
{
	static const struct tool_column columns[] = {
		BENCH_ROW_COLUMNS, { .name = "windows", NULL, TOOL_COUNT },
		{ .name = "common_windows", NULL, TOOL_COUNT },
		{ .name = "judged", NULL, TOOL_TEXT },
		{ .name = "both_by_alone", NULL, TOOL_REAL, 0, 0, 6 },
		{ .name = "q1", NULL, TOOL_REAL, 0, 0, 6 },
		{ .name = "q3", NULL, TOOL_REAL, 0, 0, 6 }, { 0 },
	};
	const struct bench_stat none = { NAN, NAN, NAN, NAN, NAN };
	const struct bench_stat *ratio = result->is_judged ? &result->ratio : &none;

	bench_report_columns(columns, TOOL_FORMAT_CSV);
	bench_report_line(bench, columns, (union tool_cell[]){
		BENCH_ROW_CELLS(row), { result->nb_windows }, { result->nb_common },
		{ .text = result->is_judged ? "yes" : "no" }, { ratio->median }, { ratio->q1 },
		{ ratio->q3 },
	}, TOOL_FORMAT_CSV);
}

static void
print_result(const struct bench *bench, const struct bench_row *row,
	     const struct lcores *result, enum tool_format format)
{
	json_t *report;

	if (format == TOOL_FORMAT_JSON) {
		report = bench_report_env(bench);
		bench_report_add_row(report, row);
		json_object_update_new(report, json_pack("{s:i, s:i, s:b, s:o}",
			"windows", (int)result->nb_windows, "common_windows",
			(int)result->nb_common, "judged", result->is_judged, "both_by_alone",
			result->is_judged ? bench_stat_to_json(&result->ratio) : json_null()));
		result_print_json(report);
		return;
	}
	if (format == TOOL_FORMAT_CSV) {
		print_csv(bench, row, result);
		return;
	}
	bench_report_head(bench);
	printf("\n%s of %u, batch %u: the lcores were at work together in %u of %u windows\n",
	       bench_layout_name(row->layout), row->nb_entries, row->batch, result->nb_common,
	       result->nb_windows);
	if (result->is_judged)
		printf("cost on 2 lcores at a time, by that on each alone: %.3f (quartiles %.3f, "
		       "%.3f)\n", result->ratio.median, result->ratio.q1, result->ratio.q3);
	else
		printf("too few windows for a comparison\n");
}

enum tool_exit
bench_lcores_run(const struct bench_conf *conf)
{
	unsigned int first = rte_get_main_lcore(), second = rte_get_next_lcore(-1, 1, 0);
	struct lcores result;
	static struct bench bench;
	struct bench_row row;
	enum tool_exit ret = TOOL_SETUP;

	if (lcores_share_core(first, second)) {
		tool_error("--measure lcores: lcores %u and %u are threads of one core", first,
			   second);
		return TOOL_SETUP;
	}
	if (!bench_init_row(&bench, conf, &row))
		return TOOL_USAGE;
	bench.setup.nb_workers = NB_LCORES * NB_QUEUES;
	bench.setup.paths = RTE_BIT32(BENCH_RTE);
	bench.setup.max_keys_libmlx5 = 0;
	if (bench_open(&bench))
		ret = lcores_measure(&bench, &row, &result) ? TOOL_OK : TOOL_FAILED;
	bench_close(&bench);
	if (ret != TOOL_OK)
		return ret;
	bench.setup.nb_workers = NB_LCORES;
	print_result(&bench, &row, &result, conf->format);
	return TOOL_OK;
}
