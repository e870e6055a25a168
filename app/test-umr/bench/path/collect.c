/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <sched.h>

#include <mlx5_prm_wqe.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "bench/measure/clock.h"
#include "bench/path/collect.h"

/* Occasional additional delay between two CPUs, in TSC cycles. */
#define RESERVE		1000u

/* Expected time of a batch, derived from the shortest one. */
static uint64_t
expected(const struct bench_wait *wait)
{
	return 2 * wait->least + RESERVE;
}

void
bench_wait_learn(struct bench_wait *wait, uint64_t cycles)
{
	if (wait->least == 0 || cycles < wait->least)
		wait->least = cycles;
	wait->cycles = expected(wait);
}

void
bench_wait_until(const struct bench_wait *wait, uint64_t posted)
{
	const uint64_t end = posted + wait->cycles;

	/*
	 * Without a pause: a hypervisor may preempt a CPU that pauses all the time, and its data
	 * would replace the contents of the caches.
	 */
	do {
		if (unlikely(wait->nb_late_in_row >= BENCH_WAIT_MAX_IN_ROW))
			sched_yield();
	} while (rte_rdtsc() < end);
}

void
bench_wait_judge(struct bench_wait *wait, bool is_late)
{
	/*
	 * One late batch: the device had no CPU for a while, which happens again regardless of the
	 * wait. Several: the device became slower, so extend the wait, up to a limit: during a long
	 * wait, either side may lose its CPU.
	 */
	if (is_late) {
		wait->nb_late++;
		if (wait->nb_late_in_row++ != 0)
			wait->cycles += wait->cycles / 4 + 1;
		return;
	}
	wait->nb_late_in_row = 0;
	if (unlikely(wait->cycles > expected(wait)))
		wait->cycles -= (wait->cycles - expected(wait) + 7) / 8;
}

/* Some 100 us, far longer than the device needs for a batch when it has a CPU. */
#define MAX_SPINS	10000u

bool
bench_cq_has(const struct bench_cq *cq, uint32_t ci)
{
	uint8_t op_own = cq->ring[ci & cq->mask].op_own;
	bool owner = (ci & (cq->mask + 1)) != 0;

	return (op_own & MLX5_CQE_OWNER_MASK) == owner &&
	       PRM_CQE_OPCODE(op_own) != MLX5_CQE_INVALID;
}

static bool
timed_out(const struct bench_path *path)
{
	tool_error("bench: %s: no completion in %u ms", path->name, BENCH_TIMEOUT_MS);
	return false;
}

/* Check until the next completion arrives. Return false on timeout. */
static bool
look(const struct bench_path *path, const void *ctx, uint64_t deadline)
{
	uint32_t nb_spins = 0;

	do {
		if (path->has_completion(ctx))
			return true;
		/*
		 * A software device that takes that long may be waiting for this CPU. Below
		 * valgrind, one thread runs at a time: let the device run.
		 */
		if (unlikely(bench_counter.is_callgrind) || nb_spins++ >= MAX_SPINS)
			sched_yield();
		else
			rte_pause();
	} while (rte_rdtsc() < deadline);
	return timed_out(path);
}

bool
bench_collect(const struct bench_path *path, void *ctx, uint32_t nb, struct bench_wait *wait,
	      struct bench_sample *sample)
{
	uint64_t deadline = bench_deadline(BENCH_TIMEOUT_MS);
	uint32_t nb_done = 0;
	int ret;

	sample->poll = 0;
	sample->is_late = false;
	if (wait != NULL) {
		bench_wait_until(wait, sample->posted);
		ret = path->take(ctx, nb, sample);
		if (ret < 0)
			return false;
		nb_done = (uint32_t)ret;
		sample->is_late = nb_done == 0;
		bench_wait_judge(wait, sample->is_late);
	}
	while (nb_done < nb) {
		if (!look(path, ctx, deadline))
			return false;
		ret = path->take(ctx, nb - nb_done, sample);
		if (ret < 0)
			return false;
		nb_done += (uint32_t)ret;
		/* A CQE may be unrelated to this batch, but not forever. */
		if (ret == 0 && rte_rdtsc() >= deadline)
			return timed_out(path);
	}
	return true;
}

bool
bench_batch(const struct bench_path *path, void *ctx, const struct bench_row *row,
	    struct bench_wait *wait, struct bench_sample *sample)
{
	if (!path->post(ctx, row, sample))
		return false;
	/* The device is not involved. */
	if (row->layout == BENCH_KEYGET) {
		sample->is_late = false;
		return true;
	}
	return bench_collect(path, ctx, bench_row_nb_ops(row), wait, sample);
}
