/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The floor: the cost of storing the WQEs that the rte path builds, of copying their lists from the
 * same segments, of ringing and collecting, and nothing else. It has a queue of the same driver
 * with the same configuration, whose ring, records and doorbell it writes itself; after setup it
 * does not call the driver. Each row uses the way to store that is the fastest for it on this
 * machine.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_atomic.h>
#include <rte_io.h>
#include <rte_malloc.h>
#include <rte_vect.h>

#include <mlx5_prm_wqe.h>
#include <mlx5_umr_rings.h>

#include "bench/path/collect.h"
#include "bench/floor/floor.h"
#include "bench/measure/clock.h"
#include "bench/measure/stat.h"

/* Blocks of an operation: a work request of the largest size and a write. */
#define MAX_WQEBB	17u
#define CQ_CI_MASK	0xffffffu
#define PAGE_SIZE	4096u
/* Each way runs that many times, in turns; its fastest turn counts. */
#define NB_TURNS	5u
#define TURN_BATCHES	16u

struct bench_floor {
	/* Read by the loops. */
	struct bench_floor_op op;
	struct bench_floor_ring floor;
	bench_floor_store_t store;
	uint32_t cq_ci;
	struct mlx5_umr_rings ring;
	struct bench_cq cq;
	/* Everything else. */
	struct bench_worker *worker;
	struct bench_row row;		/* the way was chosen for this row */
	uint8_t *image;
	uint8_t *last;
	uint64_t nb_doorbells;
};

/* Ring one doorbell with one completion, as the driver does. */
static inline void
floor_ring(struct bench_floor *ctx, uint64_t doorbell)
{
	rte_io_wmb();
	*ctx->ring.sq_dbr = rte_cpu_to_be_32(ctx->floor.sq_pi & UINT16_MAX);
	if (ctx->ring.is_db_nc)
		rte_io_wmb();
	else
		rte_wmb();
	*ctx->ring.doorbell = doorbell;
	if (!ctx->ring.is_db_nc)
		rte_wmb();
}

static bool
floor_post(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_floor *ctx = arg;
	uint64_t start = bench_section_start();

	floor_ring(ctx, ctx->store(&ctx->op, &ctx->floor, row->batch));
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	ctx->nb_doorbells++;
	return true;
}

static bool
floor_has_completion(const void *arg)
{
	const struct bench_floor *ctx = arg;

	return bench_cq_has(&ctx->cq, ctx->cq_ci);
}

/* op_own of a successful CQE: only the owner bit (mlx5dv.h). */
static inline uint8_t
success_of(const struct bench_floor *ctx)
{
	return (ctx->cq_ci & (ctx->cq.mask + 1)) != 0;
}

static int
floor_take(void *arg, uint32_t nb, struct bench_sample *sample)
{
	struct bench_floor *ctx = arg;
	uint64_t start = bench_section_start();
	volatile struct mlx5_cqe64 *cqe = &ctx->cq.ring[ctx->cq_ci & ctx->cq.mask];
	uint8_t op_own = cqe->op_own;
	bool is_done = op_own == success_of(ctx);

	if (likely(is_done)) {
		rte_io_rmb();
		*ctx->ring.cq_dbr = rte_cpu_to_be_32(++ctx->cq_ci & CQ_CI_MASK);
	}
	sample->done = bench_section_end();
	sample->poll += sample->done - start;
	if (likely(is_done))
		return (int)nb;
	/* A CQE of the previous round, or an error CQE of this one. */
	if ((op_own & MLX5_CQE_OWNER_MASK) != success_of(ctx) ||
	    PRM_CQE_OPCODE(op_own) == MLX5_CQE_INVALID)
		return 0;
	tool_error("bench: floor: completion of type 0x%x", PRM_CQE_OPCODE(op_own));
	return -1;
}

/*
 * Measure some batches with one way. They use the slots of the next batches; no doorbell is rung.
 */
static double
way_try(const struct bench_floor *ctx, const struct bench_floor_way *way, uint32_t batch)
{
	struct bench_floor_ring ring = ctx->floor;
	double cycles[TURN_BATCHES];
	uint64_t start;

	for (uint32_t i = 0; i < TURN_BATCHES; i++) {
		start = bench_section_start();
		way->store(&ctx->op, &ring, batch);
		cycles[i] = (double)(bench_section_end() - start);
	}
	return bench_mean(cycles, TURN_BATCHES);
}

/* Limit the width to what the driver may use. */
static bool
way_is_allowed(const struct bench_floor_way *way)
{
	return way->simd_bits <= rte_vect_get_max_simd_bitwidth() && way->is_supported();
}

/*
 * Choose the fastest way for a row. Below callgrind, where time is meaningless: the first of the
 * widest.
 */
static void
way_choose(struct bench_floor *ctx, const struct bench_row *row)
{
	const struct bench_floor_way *way;
	double cycles, least = 0;
	int bits = -1;

	for (uint32_t i = 0; i < NB_TURNS * bench_floor_nb_ways; i++) {
		way = &bench_floor_ways[i % bench_floor_nb_ways];
		if (!way_is_allowed(way))
			continue;
		if (bench_count_is_below_callgrind()) {
			if (way->simd_bits > bits)
				ctx->store = way->store;
			bits = RTE_MAX(bits, (int)way->simd_bits);
			continue;
		}
		cycles = way_try(ctx, way, row->batch);
		if (least == 0 || cycles < least) {
			least = cycles;
			ctx->store = way->store;
		}
	}
	ctx->row = *row;
}

/* Blocks of the list that the data segment after the memory key context refers to. */
static uint32_t
nb_list_bb(const struct bench_floor *ctx)
{
	const struct mlx5_wqe_data_seg *data =
		(const struct mlx5_wqe_data_seg *)(ctx->image + 2 * PRM_WQE_BB_SIZE);

	return rte_be_to_cpu_32(data->byte_count) / PRM_WQE_BB_SIZE;
}

/* Let the rte path run two operations one at a time, and copy the work requests of the second. */
static bool
op_capture(struct bench_floor *ctx, const struct bench_row *row, uint32_t offset)
{
	const int16_t dev_id = ctx->worker->setup->dev_id;
	void *rte = ctx->worker->ctx[BENCH_RTE];
	struct bench_row one = *row;
	struct bench_sample sample;
	struct mlx5_umr_rings ring;
	uint32_t nb, pi;

	mlx5_umr_rings_get(dev_id, (uint16_t)(2 * ctx->worker->index), &ring);
	/* One at a time: memory for lists only suffices for the batches of the rows. */
	one.batch = 1;
	if (!bench_path_rte.begin(rte, row, offset) ||
	    !bench_batch(&bench_path_rte, rte, &one, NULL, &sample))
		return false;
	/* Extra WQEs may precede the first operation of a queue. */
	pi = *ring.sq_pi;
	if (!bench_batch(&bench_path_rte, rte, &one, NULL, &sample))
		return false;
	nb = *ring.sq_pi - pi;
	/* Skip the list that configures the key again. */
	if (row->layout == BENCH_INVALIDATE)
		nb = bench_batch_size(dev_id, &one).nb_desc;
	if (nb > MAX_WQEBB) {
		tool_error("bench: floor: an operation takes %u descriptors, at most %u are copied",
			   nb, MAX_WQEBB);
		return false;
	}
	pi = *ring.sq_pi - nb;
	for (uint32_t i = 0; i < nb; i++)
		memcpy(ctx->image + i * PRM_WQE_BB_SIZE,
		       ring.sq + (size_t)((pi + i) & ring.sq_mask) * PRM_WQE_BB_SIZE,
		       PRM_WQE_BB_SIZE);
	ctx->op = (struct bench_floor_op){
		.nb_wqebb = nb,
		.nb_list_bb = bench_batch_size(dev_id, &one).nb_list_entries != 0 ?
			      nb_list_bb(ctx) : 0,
		.segs = (const uint8_t *)ctx->worker->arrays.segs,
	};
	return true;
}

static bool
floor_begin(void *arg, const struct bench_row *row, uint32_t offset)
{
	struct bench_floor *ctx = arg;

	if (!op_capture(ctx, row, offset))
		return false;
	if (!bench_floor_op_init(&ctx->op, ctx->image, ctx->last, ctx->ring.qpn,
				 ctx->ring.list_lkey)) {
		tool_error("bench: floor: the %u descriptors of an operation are not at most %u "
			   "work requests", ctx->op.nb_wqebb, BENCH_FLOOR_MAX_WQES);
		return false;
	}
	if (ctx->row.layout != row->layout || ctx->row.nb_entries != row->nb_entries ||
	    ctx->row.batch != row->batch)
		way_choose(ctx, row);
	return true;
}

static void
floor_close(void *arg)
{
	struct bench_floor *ctx = arg;

	rte_free(ctx->last);
	rte_free(ctx->image);
}

static bool
ring_open(struct bench_floor *ctx)
{
	const struct bench_worker *worker = ctx->worker;

	if (!mlx5_umr_rings_get(worker->setup->dev_id, (uint16_t)(2 * worker->index + 1),
				&ctx->ring)) {
		tool_error("bench: floor: the rings of this driver are not known here");
		return false;
	}
	ctx->cq = (struct bench_cq){ ctx->ring.cq, ctx->ring.cq_mask };
	ctx->floor = (struct bench_floor_ring){
		.sq = ctx->ring.sq,
		.sq_mask = ctx->ring.sq_mask,
		.list = ctx->ring.list,
		.list_size = ctx->ring.list_size,
	};
	return true;
}

static bool
floor_open(void *arg, struct bench_worker *worker)
{
	struct bench_floor *ctx = arg;

	ctx->worker = worker;
	ctx->image = rte_malloc("bench floor", MAX_WQEBB * PRM_WQE_BB_SIZE, PAGE_SIZE);
	ctx->last = rte_malloc("bench floor", MAX_WQEBB * PRM_WQE_BB_SIZE, PAGE_SIZE);
	if (ctx->image != NULL && ctx->last != NULL)
		return ring_open(ctx);
	tool_error("bench: floor: out of memory");
	return false;
}

/* Taking a key from its pool stores nothing in the ring. */
static bool
floor_can_run(const void *arg, const struct bench_row *row)
{
	(void)arg;
	return row->layout != BENCH_KEYGET;
}

static void
floor_counts(const void *arg, uint64_t *nb_doorbells, uint64_t *nb_cqes)
{
	const struct bench_floor *ctx = arg;

	*nb_doorbells = ctx->nb_doorbells;
	*nb_cqes = ctx->cq_ci;
}

const struct bench_path bench_path_floor = {
	.name = "floor",
	.what = "the same bytes stored to a ring in the fastest of several ways, doorbell, CQE;\n"
		"          nothing else",
	.size = sizeof(struct bench_floor),
	.open = floor_open,
	.can_run = floor_can_run,
	.begin = floor_begin,
	.post = floor_post,
	.has_completion = floor_has_completion,
	.take = floor_take,
	.counts = floor_counts,
	.close = floor_close,
};
