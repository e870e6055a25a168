/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The floor: what it costs to store the WQEs that the rte path builds, and the lists that they
 * point to, to ring and to collect, and nothing else. It has a queue of the same driver, made in
 * the same way, whose ring, records and doorbell it writes itself; the driver is not called for it
 * any more.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_atomic.h>
#include <rte_cpuflags.h>
#include <rte_io.h>
#include <rte_malloc.h>
#include <rte_vect.h>

#include <mlx5_prm_wqe.h>

#include "bench.h"
#include "bench_clock.h"
#include "bench_ring.h"

#define CQ_CI_MASK	0xffffffu
/* Offset of fm_ce_se, and what it has for completions. */
#define CTRL_CE_BYTE	offsetof(struct mlx5_wqe_ctrl_seg, fm_ce_se)
/* WQEs of an operation. */
#define MAX_WQES	2u
#define PAGE_SIZE	4096u
/* Where the device wants a list in memory to begin. */
#define LIST_ALIGN	2048u
#define LIST_IMAGE_SIZE	(BENCH_MAX_ENTRIES * sizeof(struct mlx5_wqe_data_seg))

struct bench_floor;

/* Store batch operations; returns where the last WQE begins. */
typedef uint8_t *(*floor_post_t)(struct bench_floor *ctx, uint32_t batch);

struct bench_floor {
	/* What the loops read. */
	uint8_t *image;			/* the blocks of one operation */
	uint32_t nb_wqebb;
	uint32_t nb_wqes;
	uint32_t nb_list_bb;		/* blocks of the list in memory, or 0 */
	const uint8_t *list;		/* they are copied from here */
	size_t list_pos;		/* to here in the ring's memory of lists */
	uint32_t at[MAX_WQES];		/* where they begin in the image, in blocks */
	uint32_t word[MAX_WQES];	/* opcode and modifier: the first word without the index */
	uint32_t sq_pi;
	uint32_t cq_ci;
	struct bench_ring ring;
	floor_post_t post;
	/* The rest. */
	struct bench_worker *worker;
	uint8_t *list_image;
	uint64_t nb_doorbells;
};

static uint8_t *
slot_of(const struct bench_floor *ctx, uint32_t pi)
{
	return ctx->ring.sq + (size_t)(pi & ctx->ring.sq_mask) * BENCH_WQEBB_SIZE;
}

/* Write the indices, and move what went beyond the end of the ring. */
static inline __attribute__((always_inline)) void
op_finish(struct bench_floor *ctx, uint8_t *slot)
{
	uint32_t end = (ctx->sq_pi & ctx->ring.sq_mask) + ctx->nb_wqebb;

	for (uint32_t w = 0; w < ctx->nb_wqes; w++)
		*(uint32_t *)(slot + ctx->at[w] * BENCH_WQEBB_SIZE) =
			ctx->word[w] |
			rte_cpu_to_be_32(((ctx->sq_pi + ctx->at[w]) & UINT16_MAX) << 8);
	if (unlikely(end > ctx->ring.sq_mask + 1))
		memcpy(ctx->ring.sq,
		       ctx->ring.sq + (size_t)(ctx->ring.sq_mask + 1) * BENCH_WQEBB_SIZE,
		       (size_t)(end - ctx->ring.sq_mask - 1) * BENCH_WQEBB_SIZE);
	ctx->sq_pi += ctx->nb_wqebb;
}

/* The data segment behind the memory key context. */
static inline __attribute__((always_inline)) struct mlx5_wqe_data_seg *
list_seg(uint8_t *wqe)
{
	return (struct mlx5_wqe_data_seg *)(wqe + 2 * BENCH_WQEBB_SIZE);
}

/* Where the next list goes; one that is longer than what is left begins again at the start. */
static inline __attribute__((always_inline)) uint8_t *
list_next(struct bench_floor *ctx)
{
	size_t pos = ctx->list_pos, size = (size_t)ctx->nb_list_bb * BENCH_WQEBB_SIZE;

	if (pos + size > ctx->ring.list_size)
		pos = 0;
	ctx->list_pos = pos + RTE_ALIGN_CEIL(size, LIST_ALIGN);
	return ctx->ring.list + pos;
}

/* The loop for an instruction set: COPY(dst, src) copies a block. */
#define FLOOR_POST(name, attributes, COPY)                                                         \
	attributes static uint8_t *post_##name(struct bench_floor *ctx, uint32_t batch)            \
	{                                                                                          \
		for (uint32_t i = 0; i < batch; i++) {                                             \
			uint8_t *slot = slot_of(ctx, ctx->sq_pi);                                  \
\
			for (uint32_t b = 0; b < ctx->nb_wqebb; b++)                               \
				COPY(slot + b * BENCH_WQEBB_SIZE,                                  \
				     ctx->image + b * BENCH_WQEBB_SIZE);                           \
			if (ctx->nb_list_bb != 0) {                                                \
				uint8_t *list = list_next(ctx);                                    \
\
				for (uint32_t b = 0; b < ctx->nb_list_bb; b++)                     \
					COPY(list + b * BENCH_WQEBB_SIZE,                          \
					     ctx->list + b * BENCH_WQEBB_SIZE);                    \
				list_seg(slot)->addr = rte_cpu_to_be_64((uintptr_t)list);          \
			}                                                                          \
			op_finish(ctx, slot);                                                      \
		}                                                                                  \
		return slot_of(ctx, ctx->sq_pi - ctx->nb_wqebb + ctx->at[ctx->nb_wqes - 1]);       \
	}

#define COPY_BASE(dst, src) memcpy(dst, src, BENCH_WQEBB_SIZE)
FLOOR_POST(base, , COPY_BASE)

#if defined(__x86_64__)
#define COPY_AVX2(dst, src)                                                                        \
	do {                                                                                       \
		const __m256i *from = (const __m256i *)(src);                                      \
		__m256i *to = (__m256i *)(dst);                                                    \
\
		_mm256_store_si256(to, _mm256_load_si256(from));                                   \
		_mm256_store_si256(to + 1, _mm256_load_si256(from + 1));                           \
	} while (0)
FLOOR_POST(avx2, __attribute__((target("avx2"))), COPY_AVX2)

#define COPY_AVX512(dst, src) _mm512_store_si512(dst, _mm512_load_si512(src))
FLOOR_POST(avx512, __attribute__((target("avx512f"))), COPY_AVX512)
#endif

/* The widest that the driver may use, too. */
static floor_post_t
post_select(void)
{
#if defined(__x86_64__)
	uint16_t bits = rte_vect_get_max_simd_bitwidth();

	if (bits >= RTE_VECT_SIMD_512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) > 0)
		return post_avx512;
	if (bits >= RTE_VECT_SIMD_256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0)
		return post_avx2;
#endif
	return post_base;
}

/* One doorbell with one completion, as the driver rings. */
static inline void
floor_ring(struct bench_floor *ctx, uint8_t *last)
{
	last[CTRL_CE_BYTE] |= PRM_CTRL_CE_ALWAYS;
	rte_io_wmb();
	*ctx->ring.sq_dbr = rte_cpu_to_be_32(ctx->sq_pi & UINT16_MAX);
	if (ctx->ring.is_db_nc)
		rte_io_wmb();
	else
		rte_wmb();
	*ctx->ring.doorbell = *(const uint64_t *)last;
	if (!ctx->ring.is_db_nc)
		rte_wmb();
}

static bool
floor_post(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_floor *ctx = arg;
	uint64_t start = bench_section_start();

	floor_ring(ctx, ctx->post(ctx, row->batch));
	sample->posted = bench_section_end();
	sample->post = sample->posted - start;
	ctx->nb_doorbells++;
	return true;
}

static bool
floor_has_completion(const void *arg)
{
	const struct bench_floor *ctx = arg;

	return bench_cq_has(&ctx->ring.cq, ctx->cq_ci);
}

/* What op_own of a CQE is that tells success: nothing but the owner bit (mlx5dv.h). */
static inline uint8_t
success_of(const struct bench_floor *ctx)
{
	return (ctx->cq_ci & (ctx->ring.cq.mask + 1)) != 0;
}

static int
floor_take(void *arg, uint32_t nb, struct bench_sample *sample)
{
	struct bench_floor *ctx = arg;
	uint64_t start = bench_section_start();
	volatile struct mlx5_cqe64 *cqe = &ctx->ring.cq.ring[ctx->cq_ci & ctx->ring.cq.mask];
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
	/* Of the round before, or of this one and no success. */
	if ((op_own & MLX5_CQE_OWNER_MASK) != success_of(ctx) ||
	    PRM_CQE_OPCODE(op_own) == MLX5_CQE_INVALID)
		return 0;
	tool_error("bench: floor: completion of type 0x%x", PRM_CQE_OPCODE(op_own));
	return -1;
}

/* Find the WQEs in the image, make them those of this queue, without completions. */
static bool
image_adopt(struct bench_floor *ctx)
{
	struct mlx5_wqe_ctrl_seg *ctrl;
	uint32_t at = 0, nb_ds;

	for (ctx->nb_wqes = 0; at < ctx->nb_wqebb && ctx->nb_wqes < MAX_WQES; ctx->nb_wqes++) {
		ctrl = (struct mlx5_wqe_ctrl_seg *)(ctx->image + at * BENCH_WQEBB_SIZE);
		nb_ds = rte_be_to_cpu_32(ctrl->qpn_ds) & PRM_WQE_MAX_DS;
		if (nb_ds == 0)
			break;
		ctx->at[ctx->nb_wqes] = at;
		ctx->word[ctx->nb_wqes] = ctrl->opmod_idx_opcode & rte_cpu_to_be_32(0xff0000ff);
		ctrl->qpn_ds = rte_cpu_to_be_32(ctx->ring.qpn << 8 | nb_ds);
		ctrl->fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
		at += prm_ds_to_wqebb(nb_ds);
	}
	if (ctx->nb_list_bb != 0)
		list_seg(ctx->image)->lkey = rte_cpu_to_be_32(ctx->ring.list_lkey);
	if (at == ctx->nb_wqebb)
		return true;
	tool_error("bench: floor: %u descriptors of an operation, not %u", at, ctx->nb_wqebb);
	return false;
}

static bool
floor_begin(void *arg, const struct bench_row *row, uint32_t offset)
{
	struct bench_floor *ctx = arg;
	struct bench_wqes wqes = { .data = ctx->image, .list = ctx->list_image };

	(void)offset;
	if (!bench_rte_capture(ctx->worker->ctx[BENCH_RTE], row, &wqes))
		return false;
	ctx->nb_wqebb = wqes.nb_wqebb;
	ctx->nb_list_bb = wqes.nb_list_bb;
	ctx->list = ctx->list_image;
	return image_adopt(ctx);
}

static void
floor_close(void *arg)
{
	struct bench_floor *ctx = arg;

	if (ctx == NULL)
		return;
	rte_free(ctx->list_image);
	rte_free(ctx->image);
	free(ctx);
}

static void *
floor_open(struct bench_worker *worker)
{
	struct bench_floor *ctx = calloc(1, sizeof(*ctx));

	if (ctx == NULL) {
		tool_error("bench: out of memory");
		return NULL;
	}
	ctx->worker = worker;
	ctx->post = post_select();
	ctx->image = rte_malloc("bench floor", BENCH_MAX_WQEBB * BENCH_WQEBB_SIZE, PAGE_SIZE);
	ctx->list_image = rte_malloc("bench floor", LIST_IMAGE_SIZE, PAGE_SIZE);
	if (ctx->image == NULL || ctx->list_image == NULL)
		tool_error("bench: floor: out of memory");
	else if (!bench_ring_get(worker->setup->dev_id, (uint16_t)(2 * worker->index + 1),
				 &ctx->ring))
		tool_error("bench: floor: the rings of this driver are not known here");
	else
		return ctx;
	floor_close(ctx);
	return NULL;
}

/* A key from its pool is not stored anywhere. */
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
	.what = "the same bytes stored to a ring, doorbell, CQE; nothing else",
	.open = floor_open,
	.can_run = floor_can_run,
	.begin = floor_begin,
	.post = floor_post,
	.has_completion = floor_has_completion,
	.take = floor_take,
	.counts = floor_counts,
	.close = floor_close,
};
