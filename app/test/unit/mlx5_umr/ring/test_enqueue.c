/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Enqueue and submit: limits, rejections without a trace, fences, doorbells.
 */

#include "ring/key_table.h"
#include "test_queue.h"

static struct test_queue before;

static void
snapshot(const struct test_queue *t)
{
	memcpy(&before, t, sizeof(before));
}

/** Rejected with that errno; since the snapshot only the counter of rejections has changed. */
static void
rejected(struct test_queue *t, int ret, int expected)
{
	assert_int_equal(ret, expected);
	assert_int_equal(test_nb_rejected(&t->queue) + test_nb_full(&t->queue),
			 test_nb_rejected(&before.queue) + test_nb_full(&before.queue) + 1);
	memcpy(t->queue.nb_rejects, before.queue.nb_rejects, sizeof(before.queue.nb_rejects));
	test_sq_restore(t, before.sq, MLX5_UMR_HDR_WQEBB);
	assert_memory_equal(t, &before, sizeof(before));
}

static const struct mlx5_wqe_ctrl_seg *
wqe_at(struct test_queue *t, unsigned int wqebb)
{
	return (const struct mlx5_wqe_ctrl_seg *)test_wqe_at(t, wqebb);
}

QUEUE_CASE(list_limits_have_their_errno)
{
	static const struct {
		uint32_t max_entries, nb;
		uint32_t length;	/* of the seventh */
		int16_t dev_id;
		uint32_t access;
		uint64_t flags;
		int ret;
	} cases[] = {
		{ 60, 0, 16, TEST_DEV_ID, 0, 0, -EINVAL },
		{ 60, 53, 16, TEST_DEV_ID, 0, 0, -E2BIG },
		{ 60, UINT32_MAX, 16, TEST_DEV_ID, 0, 0, -E2BIG },
		{ 7, 8, 16, TEST_DEV_ID, 0, 0, -E2BIG },
		{ 7, 1, 16, TEST_DEV_ID, RTE_UMR_MKEY_ACCESS_ALL + 1, 0, -EINVAL },
		{ 7, 1, 16, TEST_DEV_ID, 0, RTE_UMR_OP_F_ALL + 1, -EINVAL },
		{ 7, 1, 16, TEST_DEV_ID, 0, RTE_BIT64(63), -EINVAL },
		{ 7, 1, 16, TEST_DEV_ID + 1, 0, 0, -EXDEV },
		{ 7, 7, 0, TEST_DEV_ID, 0, 0, -EINVAL },
		{ 7, 7, (1u << 31) + 1, TEST_DEV_ID, 0, 0, -ERANGE },
		{ 7, 7, 1u << 31, TEST_DEV_ID, 0, 0, 0 },
	};
	struct rte_umr_seg segs[60];
	int ret;

	for (size_t i = 0; i < 60; i++)
		segs[i] = test_seg;
	snapshot(t);
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct rte_umr_mkey mkey = test_mkey(cases[i].max_entries);

		mkey.dev_id = cases[i].dev_id;
		segs[6].length = cases[i].length;
		ret = test_isa->mkey_list(&t->queue, &mkey, cases[i].access, segs, cases[i].nb,
					  cases[i].flags);
		if (ret != cases[i].ret)
			fail_msg("case %zu: %d", i, ret);
		if (ret < 0)
			rejected(t, ret, cases[i].ret);
	}
}

QUEUE_CASE(list_takes_up_to_52_entries)
{
	static const uint32_t counts[][2] = {
		{ 1, 3 }, { 3, 3 }, { 4, 3 }, { 5, 4 }, { 51, 15 }, { 52, 15 },
	};
	struct rte_umr_mkey mkey = test_mkey(52);
	struct rte_umr_seg segs[52];

	for (unsigned int i = 0; i < 52; i++)
		segs[i] = test_seg;
	for (unsigned int i = 0; i < RTE_DIM(counts); i++) {
		assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, MLX5_UMR_ACCESS_MKC, segs,
						     counts[i][0], 0), i);
		assert_int_equal(TEST_NB_WQEBB - mlx5_umr_desc_avail(&t->queue), counts[i][1]);
		t->queue.sq_end = t->queue.sq_pi + TEST_NB_WQEBB;
	}
}

QUEUE_CASE(length_of_a_layout_has_64_bits)
{
	const struct rte_umr_interleaved entry = { 0x1000, 65535, 0, 0x100 };
	const struct rte_umr_seg segs[3] = {
		{ 0x1000, 1u << 31, 0x100 }, { 0x1000, 1u << 31, 0x100 }, { 0, 1u << 31, 0x100 },
	};
	struct rte_umr_mkey mkey = test_mkey(4);

	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, segs, 3, 0), 0);
	TEST_BYTES(t->sq + 64 + 24, 0, 0, 0, 1, 0x80, 0, 0, 0);	/* three times 2 GiB */
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, UINT32_MAX, &entry, 1, 0),
			 1);
	TEST_BYTES(t->sq + 4 * 64 + 24, 0, 0, 0xff, 0xfe, 0xff, 0xff, 0x00, 0x01);
}

QUEUE_CASE(interleaved_limits_have_their_errno)
{
	static const struct {
		uint32_t max_entries, repeat, nb;
		uint32_t count, skip;	/* of the third */
		int16_t dev_id;
		uint16_t max_interleaved;	/* 0: a device that has no repeat blocks */
		uint32_t access;
		uint64_t flags;
		int ret;
	} cases[] = {
		{ 60, 1, 0, 16, 16, TEST_DEV_ID, 51, 0, 0, -EINVAL },
		{ 60, 1, 52, 16, 16, TEST_DEV_ID, 51, 0, 0, -E2BIG },
		{ 60, 0, 1, 16, 16, TEST_DEV_ID, 51, 0, 0, -EINVAL },
		{ 60, 1, 1, 16, 16, TEST_DEV_ID, 51, 1u << 20, 0, -EINVAL },
		{ 60, 1, 1, 16, 16, TEST_DEV_ID, 51, 0, 4, -EINVAL },
		{ 4, 1, 4, 16, 16, TEST_DEV_ID, 51, 0, 0, -E2BIG },
		{ 4, 1, 1, 16, 16, TEST_DEV_ID, 0, 0, 0, -ENOTSUP },
		/* It does not fit as a list, either. */
		{ 4, 2, 3, 16, 65520, TEST_DEV_ID, 51, 0, 0, -ERANGE },
		{ 4, 1, 3, UINT32_MAX, UINT32_MAX, TEST_DEV_ID, 51, 0, 0, -ERANGE },
		{ 4, 3, 3, 65536, 0, TEST_DEV_ID, 51, 0, 0, -ERANGE },
		{ 4, 3, 3, 2, UINT32_MAX, TEST_DEV_ID, 51, 0, 0, -ERANGE },
		{ 4, UINT32_MAX, 3, 1, UINT16_MAX, TEST_DEV_ID, 51, 0, 0, -ERANGE },
		{ 4, 1, 1, 16, 16, TEST_DEV_ID, 51, 0, RTE_BIT64(63), -EINVAL },
		{ 4, 1, 3, 0, 10, TEST_DEV_ID, 51, 0, 0, -EINVAL },
		{ 4, 1, 1, 0, 10, -1, 51, 0, 0, -EXDEV },
		{ 4, UINT32_MAX, 3, 65535, 0, TEST_DEV_ID, 51, 0, 0, 0 },
		{ 52, 1, 51, 1, 0, TEST_DEV_ID, 51, 0, 0, 1 },
	};
	struct rte_umr_interleaved e[60];
	int ret;

	for (size_t i = 0; i < 60; i++)
		e[i] = (struct rte_umr_interleaved){ 0x1000, 16, 16, 0x100 };
	assert_int_equal(t->queue.max_interleaved, 51);
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct rte_umr_mkey mkey = test_mkey(cases[i].max_entries);

		mkey.dev_id = cases[i].dev_id;
		e[2].bytes_count = cases[i].count;
		e[2].bytes_skip = cases[i].skip;
		t->queue.max_interleaved = cases[i].max_interleaved;
		t->queue.sq_end = t->queue.sq_pi + TEST_NB_WQEBB;
		snapshot(t);
		ret = test_isa->mkey_interleaved(&t->queue, &mkey, cases[i].access,
						 cases[i].repeat, e, cases[i].nb, cases[i].flags);
		if (ret != cases[i].ret)
			fail_msg("case %zu: %d", i, ret);
		if (ret < 0)
			rejected(t, ret, cases[i].ret);
	}
}

QUEUE_CASE(transfer_limits_have_their_errno)
{
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_mkey mkey = test_mkey(4);
	struct rte_umr_seg local = { 0x1000, (1u << 30) + 1, 0x100 };

	snapshot(t);
	rejected(t, mlx5_umr_write(q, &local, 0, 0, 0), -EMSGSIZE);
	rejected(t, mlx5_umr_write_imm(q, &local, 0, 0, 0, 0), -EMSGSIZE);
	rejected(t, mlx5_umr_read(q, &local, 0, 0, 0), -EMSGSIZE);
	rejected(t, mlx5_umr_send(q, &local, 0), -EMSGSIZE);
	local.length = 1;
	rejected(t, mlx5_umr_write(q, &local, 0, 0, RTE_BIT64(63)), -EINVAL);
	rejected(t, mlx5_umr_write_imm(q, &local, 0, 0, 0, RTE_BIT64(63)), -EINVAL);
	rejected(t, mlx5_umr_send(q, &local, RTE_BIT64(63)), -EINVAL);
	rejected(t, mlx5_umr_send_imm(q, &local, 0, RTE_BIT64(32)), -EINVAL);
	rejected(t, mlx5_umr_read(q, &local, 0, 0, 4), -EINVAL);
	rejected(t, mlx5_umr_mkey_invalidate(q, &mkey, 4), -EINVAL);
	mkey.dev_id++;
	rejected(t, mlx5_umr_mkey_invalidate(q, &mkey, 0), -EXDEV);
	local.length = 1u << 30;
	assert_int_equal(mlx5_umr_read(q, &local, 0, 0, 0), 0);
}

QUEUE_CASE(full_ring_rejects_without_a_trace)
{
	struct rte_umr_mkey mkey = test_mkey(52);
	unsigned int i;

	for (i = 0; i < TEST_NB_WQEBB - 2; i++)
		assert_int_equal(test_write(t, 8, 0), i);
	/* Two WQEBBs are left: no list, but an invalidation. */
	snapshot(t);
	rejected(t, test_list(t, 1, 0), -ENOSPC);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), 2);
	assert_int_equal(mlx5_umr_mkey_invalidate(&t->queue, &mkey, 0), i);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), 0);
	snapshot(t);
	rejected(t, test_write(t, 8, RTE_UMR_OP_F_SUBMIT), -ENOSPC);
	rejected(t, mlx5_umr_mkey_invalidate(&t->queue, &mkey, 0), -ENOSPC);
}

QUEUE_CASE(state_of_the_queue_rejects)
{
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
QUEUE_CASE(failed_queue_rings_for_nothing)
{
	assert_true(test_write(t, 8, 0) >= 0);
	t->queue.error = -EIO;
	assert_int_equal(mlx5_umr_submit(&t->queue), -EIO);
	assert_int_equal(t->dbr[PRM_DBR_SQ], 0);
	assert_int_equal(t->queue.nb_doorbells, 0);
	t->queue.error = 0;
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_not_equal(t->dbr[PRM_DBR_SQ], 0);
}

QUEUE_CASE(wqe_behind_an_umr_waits_for_it)
{
	/* By block of the first WQE. */
	static const uint8_t fences[][2] = {
		{ 0, 0x00 }, { 3, 0x20 }, { 6, 0x20 }, { 7, 0x00 },
		{ 8, 0x40 }, { 9, 0x00 }, { 11, 0x80 }, { 12, 0x00 },
	};
	struct rte_umr_mkey mkey = test_mkey(4);

	test_list(t, 1, 0);					/* 0..2 */
	test_list(t, 1, 0);					/* 3..5 */
	test_write(t, 8, 0);					/* 6 */
	test_write(t, 8, 0);					/* 7 */
	test_write(t, 8, RTE_UMR_OP_F_FENCE);			/* 8 */
	mlx5_umr_mkey_invalidate(&t->queue, &mkey, 0);		/* 9, 10 */
	test_write(t, 8, RTE_UMR_OP_F_FENCE);			/* 11 */
	test_write(t, 8, 0);					/* 12 */
	for (size_t i = 0; i < RTE_DIM(fences); i++)
		if (wqe_at(t, fences[i][0])->fm_ce_se != fences[i][1])
			fail_msg("fence of block %u", fences[i][0]);
}

QUEUE_CASE(rejected_op_keeps_the_fence_for_the_next)
{
	test_list(t, 1, 0);
	assert_int_equal(test_write(t, UINT32_MAX, 0), -EMSGSIZE);
	test_write(t, 8, 0);
	assert_int_equal(wqe_at(t, 3)->fm_ce_se, 0x20);
}

QUEUE_CASE(submit_signals_the_last_wqe_and_rings_once)
{
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_equal(t->doorbell, 0);
	assert_int_equal(test_list(t, 1, 0), 0);
	assert_int_equal(test_write(t, 8, 0), 1);
	assert_int_equal(t->doorbell, 0);
	assert_int_equal(t->dbr[PRM_DBR_SQ], 0);
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	assert_int_equal(wqe_at(t, 0)->fm_ce_se, 0x00);
	assert_int_equal(wqe_at(t, 3)->fm_ce_se, 0x28);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_SQ]), 4);
	TEST_BYTES(&t->doorbell, 0x00, 0x00, 0x03, 0x08, 0x12, 0x34, 0x56, 0x03);
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
		ret = mlx5_umr_mkey_invalidate(queue, &mkey, 0);
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
QUEUE_CASE(variants_write_the_same_bytes_everywhere)
{
	struct test_queue *ref = test_queue_new();
	uint8_t *block;
	uint32_t nb, i;

	for (uint32_t pi = 0; pi < 3000; pi++) {
		queue_move_to(ref, 0);
		queue_move_to(t, pi);
		nb = enqueue_random(test_isa, &t->queue, pi);
		assert_int_equal(enqueue_random(&test_reference, &ref->queue, pi), nb);
		/* Only the index differs. */
		assert_int_equal(rte_be_to_cpu_32(wqe_at(t, pi % TEST_NB_WQEBB)->opmod_idx_opcode),
				 pi << 8 | MLX5_OPCODE_UMR);
		for (i = 0; i < TEST_NB_WQEBB; i++) {
			block = test_wqe_at(t, pi + i);
			if (i == 0)
				memcpy(block, ref->sq, sizeof(uint32_t));
			assert_memory_equal(block, test_wqe_at(ref, i), PRM_WQE_BB_SIZE);
		}
	}
	free(ref);
}

QUEUE_CASE(bad_length_is_found_at_every_place)
{
	struct rte_umr_mkey mkey = test_mkey(52);
	struct rte_umr_seg segs[52];

	for (uint32_t nb = 1; nb <= 52; nb++)
		for (uint32_t i = 0; i < nb; i++) {
			for (uint32_t j = 0; j < nb; j++)
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

QUEUE_CASE(ring_index_and_producer_wrap_at_16_bits)
{
	t->queue.op_pi = t->queue.op_submitted = UINT16_MAX - 1;
	t->queue.sq_pi = UINT16_MAX - 1;
	t->queue.sq_end = t->queue.sq_pi + TEST_NB_WQEBB;
	for (int i = 0; i < 4; i++)
		assert_int_equal(test_write(t, 8, 0), (uint16_t)(UINT16_MAX - 1 + i));
	mlx5_umr_submit(&t->queue);
	assert_int_equal(t->queue.nb_submitted, 4);
	assert_int_equal(rte_be_to_cpu_32(wqe_at(t, 14)->opmod_idx_opcode), 0xfffe08);
	assert_int_equal(rte_be_to_cpu_32(wqe_at(t, 1)->opmod_idx_opcode), 0x000108);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_SQ]), 2);
	assert_int_equal(mlx5_umr_desc_avail(&t->queue), TEST_NB_WQEBB - 4);
}

QUEUE_CASE(recv_limits_have_their_errno)
{
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_seg segs[4] = {
		{ 0x1000, 1, 0x100 }, { 0x2000, 2, 0x100 }, { 0x3000, 3, 0x100 }, { 0, 1, 0 },
	};

	snapshot(t);
	rejected(t, mlx5_umr_recv(q, segs, 4, 0), -E2BIG);
	rejected(t, mlx5_umr_recv(q, segs, 1, RTE_UMR_OP_F_SUBMIT), -EINVAL);
	segs[2].length = 0;
	rejected(t, mlx5_umr_recv(q, segs, 3, 0), -EINVAL);
	segs[2].length = (1u << 30) + 1;
	rejected(t, mlx5_umr_recv(q, segs, 3, 0), -ERANGE);
	q->has_rq = false;
	assert_int_equal(mlx5_umr_recv(q, segs, 1, 0), -ENOTSUP);
}

/* What comes in a CQE goes to memory by the CPU, which cannot follow every key. */
QUEUE_CASE(inline_recv_needs_keys_that_can_be_followed)
{
	struct mlx5_umr_key_table *table = mlx5_umr_key_table_alloc();
	struct rte_umr_seg segs[3];

	assert_non_null(table);
	assert_int_equal(mlx5_umr_key_table_set(table, 0x12300, MLX5_UMR_KEY_OPAQUE), 0);
	t->queue.rq.keys = table;
	snapshot(t);
	for (uint32_t i = 0; i < 3; i++) {
		for (uint32_t k = 0; k < 3; k++)
			segs[k] = (struct rte_umr_seg){ 0x1000, 8, k == i ? 0x12345 : 0x100 };
		rejected(t, mlx5_umr_recv(&t->queue, segs, 3, 0), -ENOTSUP);
	}
	segs[2].lkey = 0x100;
	assert_int_equal(mlx5_umr_recv(&t->queue, segs, 3, 0), 0);
	t->queue.rq.keys = NULL;
	mlx5_umr_key_table_free(table);
}

QUEUE_CASE(recv_is_visible_at_once_until_the_ring_is_full)
{
	const struct rte_umr_seg segs[3] = {
		{ 0x1000, 1, 0x100 }, { 0x2000, 2, 0x100 }, { 0x3000, 3, 0x100 },
	};

	for (uint32_t i = 0; i < TEST_NB_RECV; i++) {
		assert_int_equal(mlx5_umr_recv(&t->queue, segs, i, 0), i);
		assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), i + 1);
		/* A key of 0x100 ends the list. */
		assert_int_equal(t->rq[64 * i + 16 * i + 6], 0x01);
		assert_int_equal(t->rq[64 * i + 16 * i + 3], 0x00);
	}
	snapshot(t);
	rejected(t, mlx5_umr_recv(&t->queue, segs, 1, 0), -ENOSPC);
}

int
main(void)
{
	return test_run_isas();
}
