/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Enqueue and submit: limits, rejections without a trace, fences, doorbells.
 */

#include <errno.h>

#include <rte_log.h>

#include "ring/key_table.h"
#include "ring/log.h"
#include "test_queue.h"

static struct test_queue before;

static void
snapshot(const struct test_queue *t)
{
	memcpy(&before, t, sizeof(before));
}

/** Nothing changed but the counters of rejections. */
static void
check_no_trace(struct test_queue *t)
{
	assert_int_equal(test_nb_rejected(&t->queue) + test_nb_full(&t->queue),
			 test_nb_rejected(&before.queue) + test_nb_full(&before.queue) + 1);
	memcpy(t->queue.nb_rejects, before.queue.nb_rejects, sizeof(before.queue.nb_rejects));
	test_sq_restore(t, before.sq, MLX5_UMR_HDR_WQEBB);
	assert_memory_equal(t, &before, sizeof(before));
}

static const struct mlx5_wqe_ctrl_seg *
wqe_at(const struct test_queue *t, unsigned int wqebb)
{
	return (const struct mlx5_wqe_ctrl_seg *)(t->sq + (size_t)wqebb * PRM_WQE_BB_SIZE);
}

static void
list_limits_have_their_errno(void **state)
{
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_mkey mkey = test_mkey(60);
	struct rte_umr_seg segs[60];
	unsigned int i;

	for (i = 0; i < 60; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000, 16, 0x100 };
	snapshot(t);
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 0, 0), -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 53, 0), -E2BIG);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, UINT32_MAX, 0), -E2BIG);
	check_no_trace(t);
	mkey.max_entries = 7;
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 8, 0), -E2BIG);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_list(q, &mkey, RTE_UMR_MKEY_ACCESS_ALL + 1, segs, 1, 0),
			 -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 1, RTE_UMR_OP_F_ALL + 1), -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 1, RTE_BIT64(63)), -EINVAL);
	check_no_trace(t);
	mkey.dev_id = TEST_DEV_ID + 1;
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 1, 0), -EXDEV);
	check_no_trace(t);
	mkey.dev_id = TEST_DEV_ID;
	segs[6].length = 0;
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 7, 0), -EINVAL);
	check_no_trace(t);
	segs[6].length = (1u << 31) + 1;
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 7, 0), -ERANGE);
	check_no_trace(t);
	segs[6].length = 1u << 31;
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 7, 0), 0);
}

static void
list_takes_up_to_52_entries(void **state)
{
	static const uint32_t counts[][2] = {
		{ 1, 3 }, { 3, 3 }, { 4, 3 }, { 5, 4 }, { 51, 15 }, { 52, 15 },
	};
	struct test_queue *t = *state;
	struct rte_umr_mkey mkey = test_mkey(52);
	struct rte_umr_seg segs[52];
	unsigned int i;

	for (i = 0; i < 52; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000, 16, 0x100 };
	for (i = 0; i < RTE_DIM(counts); i++) {
		assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, MLX5_UMR_ACCESS_MKC, segs,
						    counts[i][0], 0), i);
		assert_int_equal(TEST_NB_WQEBB - mlx5_umr_desc_avail(&t->queue), counts[i][1]);
		t->queue.sq_end = t->queue.sq_pi + TEST_NB_WQEBB;
	}
}

static void
length_of_a_layout_has_64_bits(void **state)
{
	static const uint8_t three_times_2_gib[] = { 0, 0, 0, 1, 0x80, 0, 0, 0 };
	static const uint8_t product[] = { 0, 0, 0xff, 0xfe, 0xff, 0xff, 0x00, 0x01 };
	const struct rte_umr_interleaved entry = { 0x1000, 65535, 0, 0x100 };
	const struct rte_umr_seg segs[3] = {
		{ 0x1000, 1u << 31, 0x100 }, { 0x1000, 1u << 31, 0x100 }, { 0, 1u << 31, 0x100 },
	};
	struct rte_umr_mkey mkey = test_mkey(4);
	struct test_queue *t = *state;

	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, segs, 3, 0), 0);
	assert_memory_equal(t->sq + 64 + 24, three_times_2_gib, 8);
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, UINT32_MAX, &entry, 1, 0),
			 1);
	assert_memory_equal(t->sq + 4 * 64 + 24, product, 8);
}

static void
interleaved_limits_have_their_errno(void **state)
{
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_mkey mkey = test_mkey(60);
	struct rte_umr_interleaved e[60];
	unsigned int i;

	for (i = 0; i < 60; i++)
		e[i] = (struct rte_umr_interleaved){ 0x1000, 16, 16, 0x100 };
	snapshot(t);
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 0, 0), -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 52, 0), -E2BIG);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 0, e, 1, 0), -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 1u << 20, 1, e, 1, 0), -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 1, 4), -EINVAL);
	check_no_trace(t);
	mkey.max_entries = 4;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 4, 0), -E2BIG);
	check_no_trace(t);
	/* A device that has no repeat blocks. */
	q->max_interleaved = 0;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 1, 0), -ENOTSUP);
	q->max_interleaved = PRM_UMR_INLINE_STRIDED_MAX;
	check_no_trace(t);
	/* It does not fit as a list, either. */
	e[2].bytes_skip = 65520;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 2, e, 3, 0), -ERANGE);
	check_no_trace(t);
	e[2].bytes_count = UINT32_MAX;
	e[2].bytes_skip = UINT32_MAX;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 3, 0), -ERANGE);
	check_no_trace(t);
	e[2].bytes_count = 0;
	e[2].bytes_skip = 10;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 3, 0), -EINVAL);
	check_no_trace(t);
	mkey.dev_id = -1;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 1, 0), -EXDEV);
	check_no_trace(t);
	mkey.dev_id = TEST_DEV_ID;
	e[2].bytes_count = 65535;
	e[2].bytes_skip = 0;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, UINT32_MAX, e, 3, 0), 0);
	mkey.max_entries = 52;
	t->queue.sq_end = t->queue.sq_pi + TEST_NB_WQEBB;
	e[2].bytes_count = 1;
	assert_int_equal(test_isa->mkey_interleaved(q, &mkey, 0, 1, e, 51, 0), 1);
}

static void
transfer_limits_have_their_errno(void **state)
{
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_mkey mkey = test_mkey(4);
	struct rte_umr_seg local = { 0x1000, (1u << 30) + 1, 0x100 };

	snapshot(t);
	assert_int_equal(mlx5_umr_write(q, &local, 0, 0, 0), -EMSGSIZE);
	check_no_trace(t);
	assert_int_equal(mlx5_umr_write_imm(q, &local, 0, 0, 0, 0), -EMSGSIZE);
	check_no_trace(t);
	assert_int_equal(mlx5_umr_read(q, &local, 0, 0, 0), -EMSGSIZE);
	check_no_trace(t);
	assert_int_equal(mlx5_umr_send(q, &local, 0), -EMSGSIZE);
	check_no_trace(t);
	local.length = 1;
	assert_int_equal(mlx5_umr_send_imm(q, &local, 0, RTE_BIT64(32)), -EINVAL);
	check_no_trace(t);
	assert_int_equal(mlx5_umr_read(q, &local, 0, 0, 4), -EINVAL);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_invalidate(q, &mkey, 4), -EINVAL);
	check_no_trace(t);
	mkey.dev_id++;
	assert_int_equal(test_isa->mkey_invalidate(q, &mkey, 0), -EXDEV);
	check_no_trace(t);
	local.length = 1u << 30;
	assert_int_equal(mlx5_umr_read(q, &local, 0, 0, 0), 0);
}

static void
full_ring_rejects_without_a_trace(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_mkey mkey = test_mkey(52);
	const struct rte_umr_seg seg = { 0x1000, 16, 0x100 };
	unsigned int i;

	for (i = 0; i < TEST_NB_WQEBB - 2; i++)
		assert_int_equal(test_write(t, 8, 0), i);
	/* Two WQEBBs are left: no list, but an invalidation. */
	snapshot(t);
	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, &seg, 1, 0), -ENOSPC);
	check_no_trace(t);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), 2);
	assert_int_equal(test_isa->mkey_invalidate(&t->queue, &mkey, 0), i);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), 0);
	snapshot(t);
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), -ENOSPC);
	check_no_trace(t);
	assert_int_equal(test_isa->mkey_invalidate(&t->queue, &mkey, 0), -ENOSPC);
	check_no_trace(t);
}

static void
state_of_the_queue_rejects(void **state)
{
	struct test_queue *t = *state;

	t->queue.error = -ENOTCONN;
	assert_int_equal(test_write(t, 8, 0), -ENOTCONN);
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	t->queue.error = -EIO;
	assert_int_equal(test_write(t, 8, 0), -EIO);
	assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
	assert_int_equal(mlx5_umr_recv(&t->queue, NULL, 0, 0), -EIO);
	assert_int_equal(t->sq[0], TEST_POISON);
}

/* What was built before somebody saw the failure stays here: the device is not rung for. */
static void
failed_queue_rings_for_nothing(void **state)
{
	struct test_queue *t = *state;

	assert_true(test_write(t, 8, 0) >= 0);
	t->queue.error = -EIO;
	assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
	assert_int_equal(t->dbr[PRM_DBR_SQ], 0);
	assert_int_equal(t->queue.nb_doorbells, 0);
	t->queue.error = 0;
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_not_equal(t->dbr[PRM_DBR_SQ], 0);
}

static void
wqe_behind_an_umr_waits_for_it(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_mkey mkey = test_mkey(4);
	const struct rte_umr_seg seg = { 0x1000, 16, 0x100 };

	test_isa->mkey_list(&t->queue, &mkey, 0, &seg, 1, 0);	/* 0..2 */
	test_isa->mkey_list(&t->queue, &mkey, 0, &seg, 1, 0);	/* 3..5 */
	test_write(t, 8, 0);					/* 6 */
	test_write(t, 8, 0);					/* 7 */
	test_write(t, 8, RTE_UMR_OP_F_FENCE);			/* 8 */
	test_isa->mkey_invalidate(&t->queue, &mkey, 0);		/* 9, 10 */
	test_write(t, 8, RTE_UMR_OP_F_FENCE);			/* 11 */
	test_write(t, 8, 0);					/* 12 */
	assert_int_equal(wqe_at(t, 0)->fm_ce_se, 0x00);
	assert_int_equal(wqe_at(t, 3)->fm_ce_se, 0x20);
	assert_int_equal(wqe_at(t, 6)->fm_ce_se, 0x20);
	assert_int_equal(wqe_at(t, 7)->fm_ce_se, 0x00);
	assert_int_equal(wqe_at(t, 8)->fm_ce_se, 0x40);
	assert_int_equal(wqe_at(t, 9)->fm_ce_se, 0x00);
	assert_int_equal(wqe_at(t, 11)->fm_ce_se, 0x80);
	assert_int_equal(wqe_at(t, 12)->fm_ce_se, 0x00);
}

static void
rejected_op_keeps_the_fence_for_the_next(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_mkey mkey = test_mkey(4);
	const struct rte_umr_seg seg = { 0x1000, 16, 0x100 };

	test_isa->mkey_list(&t->queue, &mkey, 0, &seg, 1, 0);
	assert_int_equal(test_write(t, UINT32_MAX, 0), -EMSGSIZE);
	test_write(t, 8, 0);
	assert_int_equal(wqe_at(t, 3)->fm_ce_se, 0x20);
}

static void
submit_signals_the_last_wqe_and_rings_once(void **state)
{
	struct test_queue *t = *state;
	struct rte_umr_mkey mkey = test_mkey(4);
	const struct rte_umr_seg seg = { 0x1000, 16, 0x100 };
	static const uint8_t doorbell[] = { 0x00, 0x00, 0x03, 0x08, 0x12, 0x34, 0x56, 0x03 };

	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_equal(t->doorbell, 0);
	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, &seg, 1, 0), 0);
	assert_int_equal(test_write(t, 8, 0), 1);
	assert_int_equal(t->doorbell, 0);
	assert_int_equal(t->dbr[PRM_DBR_SQ], 0);
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_equal(wqe_at(t, 0)->fm_ce_se, 0x00);
	assert_int_equal(wqe_at(t, 3)->fm_ce_se, 0x28);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_SQ]), 4);
	assert_memory_equal(&t->doorbell, doorbell, sizeof(doorbell));
	assert_int_equal(t->queue.nb_submitted, 2);
	assert_int_equal(t->queue.nb_doorbells, 1);
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_equal(t->queue.nb_doorbells, 1);
	/* The flag does the same. */
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 2);
	assert_int_equal(wqe_at(t, 4)->fm_ce_se, 0x08);
	assert_int_equal(t->queue.nb_doorbells, 2);
}

/* Key, access and layout from a seed; returns how many blocks it takes. */
static uint32_t
enqueue_random(const struct mlx5_umr_isa *isa, struct mlx5_umr_queue *queue, unsigned int seed)
{
	struct rte_umr_interleaved entries[PRM_UMR_INLINE_STRIDED_MAX];
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	uint32_t pi = queue->sq_pi, nb, i, access = rand_r(&seed) & MLX5_UMR_ACCESS_MKC;
	struct rte_umr_mkey mkey = test_mkey(52);
	int ret;

	mkey.key = (uint32_t)rand_r(&seed);
	for (i = 0; i < RTE_DIM(segs); i++)
		segs[i] = (struct rte_umr_seg){ (uint64_t)rand_r(&seed) << 20, rand_r(&seed) | 1,
						(uint32_t)rand_r(&seed) };
	for (i = 0; i < RTE_DIM(entries); i++)
		entries[i] = (struct rte_umr_interleaved){ (uint64_t)rand_r(&seed) << 20,
							   1 + (rand_r(&seed) & 0x7fff),
							   rand_r(&seed) & 0x7fff,
							   (uint32_t)rand_r(&seed) };
	nb = 1 + (uint32_t)rand_r(&seed) % 51;
	switch (rand_r(&seed) % 5) {
	case 0:
		ret = isa->mkey_invalidate(queue, &mkey, 0);
		break;
	case 1:
		ret = isa->mkey_interleaved(queue, &mkey, access, (uint32_t)rand_r(&seed) | 1,
					    entries, nb, 0);
		break;
	default:
		/* At the end of the array: a sanitizer finds a variant that reads more. */
		ret = isa->mkey_list(queue, &mkey, access, segs + (RTE_DIM(segs) - nb), nb, 0);
		break;
	}
	assert_true(ret >= 0);
	return queue->sq_pi - pi;
}

static void
queue_move_to(struct test_queue *t, uint32_t pi)
{
	t->queue.sq_pi = pi;
	t->queue.sq_end = pi + TEST_NB_WQEBB;
	t->queue.fm_next = PRM_CTRL_FM_NONE;
	memset(t->sq, TEST_POISON, sizeof(t->sq));
}

/* At every place of the ring, as the variant without vectors does it at its beginning. */
static void
variants_write_the_same_bytes_everywhere(void **state)
{
	struct test_queue *t = *state, *ref;
	uint8_t *block;
	uint32_t nb, i;
	void *ref_state;

	test_queue_setup(&ref_state);
	ref = ref_state;
	for (uint32_t pi = 0; pi < 3000; pi++) {
		queue_move_to(ref, 0);
		queue_move_to(t, pi);
		nb = enqueue_random(test_isa, &t->queue, pi);
		assert_int_equal(enqueue_random(&test_reference, &ref->queue, pi), nb);
		/* Only the index differs. */
		assert_int_equal(rte_be_to_cpu_32(wqe_at(t, pi % TEST_NB_WQEBB)->opmod_idx_opcode),
				 pi << 8 | MLX5_OPCODE_UMR);
		for (i = 0; i < TEST_NB_WQEBB; i++) {
			block = t->sq + (size_t)((pi + i) % TEST_NB_WQEBB) * PRM_WQE_BB_SIZE;
			if (i == 0)
				memcpy(block, ref->sq, sizeof(uint32_t));
			assert_memory_equal(block, ref->sq + (size_t)i * PRM_WQE_BB_SIZE,
					    PRM_WQE_BB_SIZE);
		}
	}
	test_queue_teardown(&ref_state);
}

static void
bad_length_is_found_at_every_place(void **state)
{
	struct rte_umr_mkey mkey = test_mkey(52);
	struct test_queue *t = *state;
	struct rte_umr_seg segs[52];
	uint32_t nb, i, j;

	for (nb = 1; nb <= 52; nb++)
		for (i = 0; i < nb; i++) {
			for (j = 0; j < nb; j++)
				segs[j] = (struct rte_umr_seg){ UINT64_MAX, 1u << 31, UINT32_MAX };
			segs[i].length = 0;
			assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, segs, nb, 0),
					 -EINVAL);
			segs[i].length = (1u << 31) + 1;
			assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, segs, nb, 0),
					 -ERANGE);
		}
	assert_int_equal(t->queue.sq_pi, 0);
}

static void
ring_index_and_producer_wrap_at_16_bits(void **state)
{
	struct test_queue *t = *state;
	int i;

	t->queue.op_pi = t->queue.op_submitted = UINT16_MAX - 1;
	t->queue.sq_pi = UINT16_MAX - 1;
	t->queue.sq_end = t->queue.sq_pi + TEST_NB_WQEBB;
	for (i = 0; i < 4; i++)
		assert_int_equal(test_write(t, 8, 0), (uint16_t)(UINT16_MAX - 1 + i));
	mlx5_umr_submit(&t->queue);
	assert_int_equal(t->queue.nb_submitted, 4);
	assert_int_equal(rte_be_to_cpu_32(wqe_at(t, 14)->opmod_idx_opcode), 0xfffe08);
	assert_int_equal(rte_be_to_cpu_32(wqe_at(t, 1)->opmod_idx_opcode), 0x000108);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_SQ]), 2);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 4);
}

static void
recv_limits_have_their_errno(void **state)
{
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_seg segs[4] = {
		{ 0x1000, 1, 0x100 }, { 0x2000, 2, 0x100 }, { 0x3000, 3, 0x100 }, { 0, 1, 0 },
	};

	snapshot(t);
	assert_int_equal(mlx5_umr_recv(q, segs, 4, 0), -E2BIG);
	check_no_trace(t);
	assert_int_equal(mlx5_umr_recv(q, segs, 1, RTE_UMR_OP_F_SUBMIT), -EINVAL);
	check_no_trace(t);
	segs[2].length = 0;
	assert_int_equal(mlx5_umr_recv(q, segs, 3, 0), -EINVAL);
	check_no_trace(t);
	segs[2].length = (1u << 30) + 1;
	assert_int_equal(mlx5_umr_recv(q, segs, 3, 0), -ERANGE);
	check_no_trace(t);
	q->has_rq = false;
	assert_int_equal(mlx5_umr_recv(q, segs, 1, 0), -ENOTSUP);
}

/* What comes in a CQE goes to memory by the CPU, which cannot follow every key. */
static void
inline_recv_needs_keys_that_can_be_followed(void **state)
{
	struct mlx5_umr_key_table *table = mlx5_umr_key_table_alloc();
	struct test_queue *t = *state;
	struct rte_umr_seg segs[3];
	uint32_t i, k;

	assert_non_null(table);
	assert_int_equal(mlx5_umr_key_table_set(table, 0x12300, MLX5_UMR_KEY_OPAQUE), 0);
	t->queue.rq.keys = table;
	snapshot(t);
	for (i = 0; i < 3; i++) {
		for (k = 0; k < 3; k++)
			segs[k] = (struct rte_umr_seg){ 0x1000, 8, k == i ? 0x12345 : 0x100 };
		assert_int_equal(mlx5_umr_recv(&t->queue, segs, 3, 0), -ENOTSUP);
		check_no_trace(t);
		snapshot(t);
	}
	segs[2].lkey = 0x100;
	assert_int_equal(mlx5_umr_recv(&t->queue, segs, 3, 0), 0);
	t->queue.rq.keys = NULL;
	mlx5_umr_key_table_free(table);
}

static void
recv_is_visible_at_once_until_the_ring_is_full(void **state)
{
	struct test_queue *t = *state;
	const struct rte_umr_seg segs[3] = {
		{ 0x1000, 1, 0x100 }, { 0x2000, 2, 0x100 }, { 0x3000, 3, 0x100 },
	};
	uint32_t i;

	for (i = 0; i < TEST_NB_RECV; i++) {
		assert_int_equal(mlx5_umr_recv(&t->queue, segs, i, 0), i);
		assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), i + 1);
		/* A key of 0x100 ends the list. */
		assert_int_equal(t->rq[64 * i + 16 * i + 6], 0x01);
		assert_int_equal(t->rq[64 * i + 16 * i + 3], 0x00);
	}
	snapshot(t);
	assert_int_equal(mlx5_umr_recv(&t->queue, segs, 1, 0), -ENOSPC);
	check_no_trace(t);
}

static int
run(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, test_queue_setup, test_queue_teardown)
	const struct CMUnitTest tests[] = {
		T(list_limits_have_their_errno),
		T(list_takes_up_to_52_entries),
		T(length_of_a_layout_has_64_bits),
		T(interleaved_limits_have_their_errno),
		T(transfer_limits_have_their_errno),
		T(full_ring_rejects_without_a_trace),
		T(state_of_the_queue_rejects),
		T(failed_queue_rings_for_nothing),
		T(wqe_behind_an_umr_waits_for_it),
		T(rejected_op_keeps_the_fence_for_the_next),
		T(submit_signals_the_last_wqe_and_rings_once),
		T(variants_write_the_same_bytes_everywhere),
		T(bad_length_is_found_at_every_place),
		T(ring_index_and_producer_wrap_at_16_bits),
		T(recv_limits_have_their_errno),
		T(inline_recv_needs_keys_that_can_be_followed),
		T(recv_is_visible_at_once_until_the_ring_is_full),
	};

	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(void)
{
	return test_isas_run(run);
}
