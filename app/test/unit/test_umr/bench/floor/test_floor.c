/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The floor stores what the driver does, in every way that it has: the same bytes in the same
 * places, the same doorbell, and not a byte of a line that is nobody's.
 */

#define TEST_NB_WQEBB	64u
#include "../../../mlx5_umr/test_queue.h"

#include "bench/floor/floor.h"

/* Of the longest layouts and of one with a write behind it. */
#define MAX_WQEBB	16u
#define MAX_BATCH	32u
#define NB_SEGS		52u
#define FLOOR_QPN	0x654321u
#define LIST_LKEY	0x1234u
/* Memory of lists: three of the longest, and some that no list fits into. */
#define LIST_BB		96u
#define LIST_SIZE	(3 * LIST_BB * PRM_WQE_BB_SIZE + 1024)

/* What an operation is. */
enum kind {
	LIST,
	PATTERN,
	INVALIDATE,
	WRITE,
	LIST_AND_WRITE,
	NB_KINDS,
};

/* The driver's queue; its next operation has the fence of those behind an UMR. */
struct world {
	struct test_queue *t;
	struct rte_umr_mkey mkey;
	struct rte_umr_seg segs[NB_SEGS];
	struct rte_umr_interleaved entries[NB_SEGS];
	/* The floor. */
	uint8_t image[MAX_WQEBB * PRM_WQE_BB_SIZE] __rte_aligned(64);
	uint8_t last[MAX_WQEBB * PRM_WQE_BB_SIZE] __rte_aligned(64);
	uint8_t sq[2 * TEST_NB_WQEBB * PRM_WQE_BB_SIZE] __rte_aligned(64);
	uint8_t list_segs[LIST_BB * PRM_WQE_BB_SIZE] __rte_aligned(64);
	uint8_t list_klms[LIST_BB * PRM_WQE_BB_SIZE];
	uint8_t list_mem[LIST_SIZE] __rte_aligned(4096);
	struct bench_floor_op op;
	struct bench_floor_ring ring;
};

static int
world_setup(void **state)
{
	struct world *w = aligned_alloc(4096, RTE_ALIGN_CEIL(sizeof(*w), 4096u));
	void *queue;

	assert_non_null(w);
	memset(w, 0, sizeof(*w));
	test_queue_setup(&queue);
	w->t = queue;
	w->t->queue.qpn = FLOOR_QPN;
	w->t->queue.qpn_ds = FLOOR_QPN << 8;
	w->mkey = test_mkey(NB_SEGS);
	for (uint32_t i = 0; i < NB_SEGS; i++) {
		w->segs[i] = (struct rte_umr_seg){ 0x10000 * i + 7, 100 + i, 0x300 + i };
		w->entries[i] = (struct rte_umr_interleaved){ 0x10000 * i, 64, 192, 0x300 + i };
	}
	*state = w;
	return 0;
}

static int
world_teardown(void **state)
{
	struct world *w = *state;
	void *queue = w->t;

	test_queue_teardown(&queue);
	free(w);
	return 0;
}

/* An empty ring whose next block that is; the UMR in front of it wants a fence. */
static void
queue_move_to(struct world *w, uint32_t pi)
{
	struct mlx5_umr_queue *queue = &w->t->queue;

	queue->sq_pi = pi;
	queue->sq_end = pi + TEST_NB_WQEBB;
	queue->op_submitted = (uint16_t)queue->op_pi;
	queue->submit_ci = queue->submit_pi;
	queue->fm_next = queue->fm_umr;
	memset(w->t->sq, TEST_POISON, sizeof(w->t->sq));
}

static void
op_enqueue(struct world *w, enum kind kind, uint32_t nb, uint64_t flags)
{
	const struct mlx5_umr_isa *isa = &test_reference;
	struct mlx5_umr_queue *queue = &w->t->queue;
	const struct rte_umr_seg local = { 0x1000, 64, w->mkey.key };
	uint64_t list_flags = kind == LIST ? flags : 0;
	int ret = 0;

	if (kind == LIST || kind == LIST_AND_WRITE)
		ret = isa->mkey_list(queue, &w->mkey, RTE_UMR_ACCESS_LOCAL_WRITE, w->segs, nb,
				     list_flags);
	else if (kind == PATTERN)
		ret = isa->mkey_interleaved(queue, &w->mkey, RTE_UMR_ACCESS_LOCAL_WRITE, 4,
					    w->entries, nb, flags);
	else if (kind == INVALIDATE)
		ret = mlx5_umr_mkey_invalidate(queue, &w->mkey, flags);
	assert_true(ret >= 0);
	if (kind == WRITE || kind == LIST_AND_WRITE)
		assert_true(mlx5_umr_write(queue, &local, 0x2000, 0x200, flags) >= 0);
	/* Writes behind writes need no fence, but the one that is copied has one. */
	queue->fm_next = queue->fm_umr;
}

/* What the driver builds for one operation, for another queue. */
static void
op_capture(struct world *w, enum kind kind, uint32_t nb)
{
	queue_move_to(w, 0);
	op_enqueue(w, kind, nb, RTE_UMR_OP_F_SUBMIT);
	w->op = (struct bench_floor_op){ .nb_wqebb = w->t->queue.sq_pi };
	assert_uint_in_range(w->op.nb_wqebb, 1, MAX_WQEBB);
	memcpy(w->image, w->t->sq, w->op.nb_wqebb * PRM_WQE_BB_SIZE);
	((struct mlx5_wqe_ctrl_seg *)w->image)->qpn_ds &= RTE_BE32(0xff);
	assert_true(bench_floor_op_init(&w->op, w->image, w->last, FLOOR_QPN, 0));
}

static void
floor_move_to(struct world *w, uint32_t pi)
{
	memset(w->sq, TEST_POISON, sizeof(w->sq));
	memset(w->list_mem, TEST_POISON, sizeof(w->list_mem));
	w->ring = (struct bench_floor_ring){
		.sq = w->sq, .sq_mask = TEST_NB_WQEBB - 1, .sq_pi = pi, .list = w->list_mem,
		.list_size = LIST_SIZE,
	};
}

/* What is not of an operation is as it was: of the ring, and of what is behind it. */
static void
nothing_else_was_stored(const struct world *w, uint32_t pi, uint32_t nb_wqebb)
{
	const uint32_t at = pi % TEST_NB_WQEBB;
	uint32_t block, nb_lines = 0;
	bool is_stored;

	for (uint32_t i = 0; i < 2 * TEST_NB_WQEBB; i++) {
		is_stored = false;
		for (uint32_t b = 0; b < PRM_WQE_BB_SIZE; b++)
			is_stored |= w->sq[i * PRM_WQE_BB_SIZE + b] != TEST_POISON;
		block = i % TEST_NB_WQEBB;
		if (is_stored)
			assert_true((block + TEST_NB_WQEBB - at) % TEST_NB_WQEBB < nb_wqebb);
		/* Behind the end, only the rest of an operation that begins in front of it. */
		if (is_stored && i >= TEST_NB_WQEBB)
			assert_true(block < w->op.nb_wqebb - 1);
		nb_lines += i < TEST_NB_WQEBB && is_stored;
	}
	assert_int_equal(nb_lines, nb_wqebb);
}

/* The bytes of all WQEs, each up to its end. */
static void
compare(const struct world *w, uint32_t pi, uint32_t batch)
{
	const uint8_t *ref, *stored;
	size_t offset;

	for (uint32_t i = 0; i < batch; i++)
		for (uint32_t n = 0; n < w->op.nb_wqes; n++)
			for (uint32_t b = 0; b < w->op.wqes[n].nb_bytes; b += PRM_WQE_DS_SIZE) {
				offset = (pi + i * w->op.nb_wqebb + w->op.wqes[n].at) *
					 PRM_WQE_BB_SIZE + b;
				offset %= TEST_NB_WQEBB * PRM_WQE_BB_SIZE;
				ref = w->t->sq + offset;
				stored = w->sq + offset;
				assert_memory_equal(stored, ref, PRM_WQE_DS_SIZE);
			}
	assert_int_equal(w->ring.sq_pi, w->t->queue.sq_pi);
	nothing_else_was_stored(w, pi, batch * w->op.nb_wqebb);
}

static void
batch_compare(struct world *w, const struct bench_floor_way *way, enum kind kind, uint32_t nb,
	      uint32_t pi, uint32_t batch)
{
	uint64_t doorbell;

	queue_move_to(w, pi);
	for (uint32_t i = 0; i < batch; i++)
		op_enqueue(w, kind, nb, i == batch - 1 ? RTE_UMR_OP_F_SUBMIT : 0);
	floor_move_to(w, pi);
	doorbell = way->store(&w->op, &w->ring, batch);
	compare(w, pi, batch);
	assert_memory_equal(&doorbell, &w->t->doorbell, sizeof(doorbell));
}

/* In every way, from every place of the ring, also where indices wrap. */
static void
kind_compare(struct world *w, enum kind kind, uint32_t nb)
{
	uint32_t max_batch;

	op_capture(w, kind, nb);
	max_batch = RTE_MIN(TEST_NB_WQEBB / w->op.nb_wqebb, MAX_BATCH);
	for (unsigned int way = 0; way < bench_floor_nb_ways; way++) {
		if (!bench_floor_ways[way].is_supported())
			continue;
		for (uint32_t i = 0; i < TEST_NB_WQEBB; i++)
			for (uint32_t batch = 1; batch <= max_batch; batch += 1 + batch / 2)
				batch_compare(w, &bench_floor_ways[way], kind, nb,
					      UINT16_MAX + 1 - TEST_NB_WQEBB / 2 + i, batch);
	}
}

CASE_OF(struct world, w, floor_stores_what_the_driver_builds, world_setup, world_teardown)
{
	static const uint32_t counts[] = { 1, 4, 5, 9, 16, 20, 24, 28, 32, 36, 40, 44, 51 };

	for (unsigned int i = 0; i < RTE_DIM(counts); i++) {
		kind_compare(w, LIST, counts[i]);
		kind_compare(w, PATTERN, counts[i]);
	}
	kind_compare(w, LIST, NB_SEGS);
	kind_compare(w, INVALIDATE, 0);
	kind_compare(w, WRITE, 0);
	kind_compare(w, LIST_AND_WRITE, 1);
	kind_compare(w, LIST_AND_WRITE, 51);
}

/* Where the entries of an operation went, by what its WQE says. */
static const uint8_t *
list_of(const struct world *w, uint32_t i)
{
	const struct mlx5_wqe_data_seg *data = (const void *)
		(w->sq + (i * w->op.nb_wqebb + 2) * PRM_WQE_BB_SIZE);

	assert_int_equal(rte_be_to_cpu_32(data->lkey), LIST_LKEY);
	return (const uint8_t *)(uintptr_t)rte_be_to_cpu_64(data->addr);
}

/* A WQE that points to them: behind the memory key context. */
static void
list_capture(struct world *w, uint32_t nb_list_bb)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (struct mlx5_wqe_ctrl_seg *)w->image;

	op_capture(w, LIST, 1);
	for (size_t i = 0; i < sizeof(w->list_segs); i++)
		w->list_segs[i] = (uint8_t)(i * 7 + i / 64);
	for (size_t i = 0; i < sizeof(w->list_segs); i += sizeof(struct rte_umr_seg))
		mlx5_umr_klm_store(&w->list_klms[i],
				   (const struct rte_umr_seg *)&w->list_segs[i]);
	ctrl->opmod_idx_opcode = RTE_BE32(MLX5_OPCODE_UMR);
	ctrl->qpn_ds = RTE_BE32(MLX5_UMR_LIST_DS);
	w->op = (struct bench_floor_op){
		.nb_wqebb = MLX5_UMR_LIST_WQEBB, .nb_list_bb = nb_list_bb, .segs = w->list_segs,
	};
	assert_true(bench_floor_op_init(&w->op, w->image, w->last, FLOOR_QPN, LIST_LKEY));
}

CASE_OF(struct world, w, floor_stores_lists_in_memory, world_setup, world_teardown)
{
	const size_t size = LIST_BB * PRM_WQE_BB_SIZE;
	const uint32_t batch = 7;
	const uint8_t *list;

	list_capture(w, LIST_BB);
	for (unsigned int way = 0; way < bench_floor_nb_ways; way++) {
		if (!bench_floor_ways[way].is_supported())
			continue;
		floor_move_to(w, 0);
		bench_floor_ways[way].store(&w->op, &w->ring, batch);
		nothing_else_was_stored(w, 0, batch * w->op.nb_wqebb);
		for (uint32_t i = 0; i < batch; i++) {
			list = list_of(w, i);
			assert_ptr_equal(list, w->list_mem + i % 3 * size);
			assert_memory_equal(list, w->list_klms, size);
		}
		for (size_t i = 3 * size; i < LIST_SIZE; i++)
			assert_int_equal(w->list_mem[i], TEST_POISON);
	}
}

/* A way that nobody has would not be tested either. */
CASE_WITH(there_are_ways_for_every_width_of_the_driver, world_setup, world_teardown)
{
	unsigned int i, k;

	for (i = 0; i < mlx5_umr_nb_isas; i++) {
		if (!mlx5_umr_isas[i].is_supported())
			continue;
		for (k = 0; k < bench_floor_nb_ways; k++)
			if (strncmp(bench_floor_ways[k].name, mlx5_umr_isas[i].name,
				    strlen(mlx5_umr_isas[i].name)) == 0 &&
			    bench_floor_ways[k].is_supported() &&
			    bench_floor_ways[k].simd_bits <= mlx5_umr_isas[i].simd_bits)
				break;
		assert_true(k < bench_floor_nb_ways);
	}
}

CASE_OF(struct world, w, blocks_that_are_no_operation_are_rejected, world_setup, world_teardown)
{
	op_capture(w, LIST, 4);
	/* A block more, or less, than its WQE has. */
	memset(w->image + 3 * PRM_WQE_BB_SIZE, 0, PRM_WQE_BB_SIZE);
	w->op = (struct bench_floor_op){ .nb_wqebb = 4 };
	assert_false(bench_floor_op_init(&w->op, w->image, w->last, FLOOR_QPN, 0));
	w->op = (struct bench_floor_op){ .nb_wqebb = 2 };
	assert_false(bench_floor_op_init(&w->op, w->image, w->last, FLOOR_QPN, 0));
	w->op = (struct bench_floor_op){ .nb_wqebb = 3 };
	assert_true(bench_floor_op_init(&w->op, w->image, w->last, FLOOR_QPN, 0));
}
