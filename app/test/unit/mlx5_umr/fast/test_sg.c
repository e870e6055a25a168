/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Lists of any length: what is chosen, and that the ring then has the bytes of the operations that
 * do the same, on another queue. Keys are used in turn and come back when they are collected. A key
 * and its transfer in one call have the bytes of two calls.
 */

#define TEST_NB_WQEBB 64u

#include "fast/ops.h"
#include "ring/slot.h"
#include "wqe/xfer.h"
#include "test_queue.h"

#define MAX_SEGS	61u
#define MAX_READ_SEGS	30u
#define MAX_LIST	300u
#define NB_KEYS		3u
#define KEY		0x00abcd07u
#define RADDR		UINT64_C(0x2000)
#define RKEY		0x200u
#define KLM_MEM		(8u * MLX5_UMR_KLM_CHUNK_SIZE)

/* Two queues that begin alike: one moves lists, the other one has what it should have done. */
static struct {
	struct test_queue *t;
	struct test_queue *ref;
	struct mlx5_umr_sg_key keys[NB_KEYS];
	struct rte_umr_seg segs[MAX_LIST];
	uint8_t klms[KLM_MEM] __rte_cache_aligned;
} bed;

static struct test_queue *
queue_new(void)
{
	struct test_queue *t = test_queue_new();

	t->queue.max_segs = MAX_SEGS;
	t->queue.max_read_segs = MAX_READ_SEGS;
	t->queue.max_inline = 200;
	test_klm_mem_set(t, bed.klms, KLM_MEM / MLX5_UMR_KLM_CHUNK_SIZE);
	return t;
}

static int
setup(void **state)
{
	*state = bed.t = queue_new();
	bed.ref = queue_new();
	for (uint32_t i = 0; i < MAX_LIST; i++)
		bed.segs[i] = (struct rte_umr_seg){ 0x10000 * i, i + 1, 0x100 + i };
	for (uint32_t i = 0; i < NB_KEYS; i++)
		bed.keys[i] = (struct mlx5_umr_sg_key){ .key = KEY + i * 256 };
	bed.t->queue.sg = (struct mlx5_umr_sg){
		.keys = bed.keys, .by_key = test_isa->sg_by_key, .nb_keys = NB_KEYS,
		.max_entries = MAX_LIST,
		.write = { .max_segs = MAX_LIST, .min_key = 1 },
		.read = { .max_segs = MAX_LIST, .min_key = 1 },
	};
	return 0;
}

static int
teardown(void **state)
{
	free(bed.ref);
	free(bed.t);
	return 0;
}

static int
sg_write(uint32_t nb, uint64_t flags)
{
	return mlx5_umr_write_sg(&bed.t->queue, bed.segs, nb, RADDR, RKEY, flags);
}

static int
sg_read(uint32_t nb, uint64_t flags)
{
	return mlx5_umr_read_sg(&bed.t->queue, bed.segs, nb, RADDR, RKEY, flags);
}

/* Both queues begin there, empty. */
static void
begin_at(uint32_t start)
{
	struct test_queue *const both[] = { bed.t, bed.ref };

	for (unsigned int i = 0; i < RTE_DIM(both); i++) {
		struct mlx5_umr_queue *q = &both[i]->queue;

		memset(both[i]->sq, TEST_POISON, sizeof(both[i]->sq));
		q->sq_pi = start;
		q->sq_end = start + TEST_NB_WQEBB;
		q->op_ci = q->op_done = q->op_submitted = q->op_pi;
		q->fm_next = PRM_CTRL_FM_NONE;
		mlx5_umr_klm_mem_reset(&q->klm_mem);
		mlx5_umr_sg_reset(&q->sg);
	}
	bed.t->queue.sg.next = 0;
}

/* The rings are the same, without what is behind their end. */
static void
rings_are_same(void)
{
	assert_int_equal(bed.t->queue.sq_pi, bed.ref->queue.sq_pi);
	assert_int_equal(bed.t->queue.fm_next, bed.ref->queue.fm_next);
	assert_memory_equal(bed.t->sq, bed.ref->sq, TEST_NB_WQEBB * PRM_WQE_BB_SIZE);
}

/* The same for what the device reads: behind a WQE may be the rest of a list that was rejected. */
static void
wqes_are_same(uint32_t start)
{
	const uint32_t size = TEST_NB_WQEBB * PRM_WQE_BB_SIZE;
	const struct mlx5_wqe_ctrl_seg *ctrl;
	uint32_t pi = start, nb_ds, i;

	assert_int_equal(bed.t->queue.sq_pi, bed.ref->queue.sq_pi);
	while (pi != bed.t->queue.sq_pi) {
		ctrl = (const void *)test_wqe_at(bed.ref, pi);
		nb_ds = rte_be_to_cpu_32(ctrl->qpn_ds) & PRM_WQE_MAX_DS;
		for (i = 0; i < nb_ds * PRM_WQE_DS_SIZE; i++)
			assert_int_equal(bed.t->sq[(pi * PRM_WQE_BB_SIZE + i) % size],
					 bed.ref->sq[(pi * PRM_WQE_BB_SIZE + i) % size]);
		pi += prm_ds_to_wqebb(nb_ds);
	}
}

/* An UMR and a transfer of the reference. */
static void
ref_by_key(const struct rte_umr_seg *segs, uint32_t nb, bool is_read, uint64_t flags)
{
	struct rte_umr_seg all = { .lkey = KEY };
	struct rte_umr_mkey mkey = test_mkey(MAX_LIST);

	mkey.key = KEY;
	for (uint32_t i = 0; i < nb; i++)
		all.length += segs[i].length;
	assert_true(test_isa->mkey_list(&bed.ref->queue, &mkey,
					is_read ? RTE_UMR_ACCESS_LOCAL_WRITE : 0, segs, nb,
					0) >= 0);
	assert_true((is_read ? mlx5_umr_read : mlx5_umr_write)(&bed.ref->queue, &all, RADDR, RKEY,
							       flags) >= 0);
}

CASE_WITH(key_has_the_bytes_of_a_list_and_a_transfer, setup, teardown)
{
	static uint8_t klms[KLM_MEM];

	for (uint32_t nb = 1; nb <= MAX_LIST; nb++) {
		for (uint32_t i = 0; i < 4; i++) {
			const uint64_t flags = i / 2 != 0 ? RTE_UMR_OP_F_FENCE : 0;
			const bool is_read = i % 2 != 0;

			begin_at(nb);
			memset(bed.klms, 0, sizeof(bed.klms));
			ref_by_key(bed.segs, nb, is_read, flags);
			memcpy(klms, bed.klms, sizeof(klms));
			memset(bed.klms, 0, sizeof(bed.klms));
			assert_true((is_read ? sg_read : sg_write)(nb, flags) >= 0);
			rings_are_same();
			assert_memory_equal(bed.klms, klms, sizeof(klms));
		}
	}
	assert_int_equal(bed.t->queue.sg.nb_ops[MLX5_UMR_SG_KEY], 4 * MAX_LIST);
}

/* A list with empty segments has the bytes of the one without them. */
CASE_WITH(empty_segments_are_left_out, setup, teardown)
{
	struct rte_umr_seg few[MAX_LIST];
	uint32_t nb, i, nb_few;

	for (nb = 5; nb < 150; nb += 5) {
		for (i = 0, nb_few = 0; i < nb; i++) {
			bed.segs[i].length = i % 5 < 2 ? 0 : i;
			if (bed.segs[i].length != 0)
				few[nb_few++] = bed.segs[i];
		}
		/* Where the list goes depends on all of its segments. */
		if (nb > PRM_UMR_INLINE_KLM_MAX && nb_few <= PRM_UMR_INLINE_KLM_MAX)
			continue;
		begin_at(60);
		ref_by_key(few, nb_few, false, 0);
		assert_true(sg_write(nb, 0) >= 0);
		wqes_are_same(60);
	}
}

static void
ref_by_wqes(uint32_t nb, bool is_read, uint64_t flags)
{
	const uint32_t max = is_read ? MAX_READ_SEGS : MAX_SEGS;
	uint64_t raddr = RADDR;
	uint32_t i, n, done;

	for (done = 0; done < nb; done += n, flags = 0) {
		n = RTE_MIN(max, nb - done);
		assert_true((is_read ? mlx5_umr_read_list : mlx5_umr_write_list)(
			&bed.ref->queue, &bed.segs[done], n, raddr, RKEY, flags) >= 0);
		for (i = done; i < done + n; i++)
			raddr += bed.segs[i].length;
	}
}

/* Wherever they begin in the ring, and however many they are. */
CASE_WITH(wqes_have_the_bytes_of_lists, setup, teardown)
{
	static const uint32_t counts[] = { 1, 30, 31, 60, 61, 62, 90, 91, 122, 123, 183, 184, 240 };
	uint16_t idx;

	bed.t->queue.sg.write.min_key = UINT32_MAX;
	bed.t->queue.sg.read.min_key = UINT32_MAX;
	for (uint32_t start = 0; start < TEST_NB_WQEBB; start++) {
		for (uint32_t i = 0; i < RTE_DIM(counts); i++) {
			begin_at(start);
			ref_by_wqes(counts[i], false, RTE_UMR_OP_F_FENCE);
			idx = mlx5_umr_idx_low(bed.t->queue.op_pi);
			assert_int_equal(sg_write(counts[i], RTE_UMR_OP_F_FENCE), idx);
			rings_are_same();
			begin_at(start);
			ref_by_wqes(counts[i], true, 0);
			assert_true(sg_read(counts[i], 0) >= 0);
			rings_are_same();
		}
	}
}

/* Submit and collect all that is outstanding, whose last WQE is there. */
static void
collect(uint16_t last)
{
	const mlx5_umr_idx_t first = bed.t->queue.op_ci, end = bed.t->queue.op_pi;

	assert_int_equal(mlx5_umr_submit(&bed.t->queue), 0);
	test_cqe_write(bed.t, last, MLX5_CQE_REQ, 0);
	for (mlx5_umr_idx_t i = first; i != end; i++)
		TEST_SENT(bed.t, 1, i, OK);
}

CASE_WITH(thresholds_choose, setup, teardown)
{
	struct mlx5_umr_sg *sg = &bed.t->queue.sg;
	uint8_t bytes[64];

	for (uint32_t i = 0; i < MAX_LIST; i++)
		bed.segs[i] = (struct rte_umr_seg){ (uintptr_t)bytes, 10, 0x100 };
	sg->max_inline = 30;
	sg->write.min_key = 40;
	sg->read.min_key = 40;
	assert_true(sg_write(0, 0) >= 0);
	assert_true(sg_write(3, 0) >= 0);
	assert_int_equal(sg->nb_ops[MLX5_UMR_SG_INLINE], 2);
	assert_true(sg_write(4, 0) >= 0);
	assert_true(sg_read(3, 0) >= 0);
	assert_true(sg_write(39, 0) >= 0);
	assert_int_equal(sg->nb_ops[MLX5_UMR_SG_WQE], 3);
	begin_at(0);
	assert_true(sg_write(40, 0) >= 0);
	assert_int_equal(sg->nb_ops[MLX5_UMR_SG_KEY], 1);
	assert_true(sg_read(39, 0) >= 0);
	assert_int_equal(sg->nb_ops[MLX5_UMR_SG_WQES], 1);
	/* The key has no room for them. */
	sg->max_entries = 52;
	begin_at(0);
	assert_true(sg_write(61, 0) >= 0);
	assert_true(sg_write(62, 0) >= 0);
	assert_int_equal(sg->nb_ops[MLX5_UMR_SG_WQE], 4);
	assert_int_equal(sg->nb_ops[MLX5_UMR_SG_WQES], 2);
}

/* When it is in use, the list goes without; when it was collected, it is used again. */
CASE_WITH(keys_are_used_in_turn_until_collected, setup, teardown)
{
	struct mlx5_umr_sg *sg = &bed.t->queue.sg;
	rte_be32_t imm;

	begin_at(0);
	for (uint32_t round = 0; round < 100; round++) {
		const uint16_t first = mlx5_umr_idx_low(bed.t->queue.sq_pi);

		/* Three of four blocks, and one without a key. */
		for (uint32_t i = 0; i < NB_KEYS; i++) {
			assert_true(sg_write(2, 0) >= 0);
			memcpy(&imm, test_wqe_at(bed.t, first + i * 4) + 12, sizeof(imm));
			assert_int_equal(rte_be_to_cpu_32(imm), bed.keys[i].key);
		}
		assert_true(sg_write(2, 0) >= 0);
		assert_int_equal(sg->nb_ops[MLX5_UMR_SG_KEY], NB_KEYS * (round + 1));
		assert_int_equal(sg->nb_ops[MLX5_UMR_SG_WQE], round + 1);
		collect((uint16_t)(first + NB_KEYS * 4));
	}
}

/* Also when the index of an operation wraps, and long after their last use. */
CASE_WITH(keys_survive_the_wrap_of_the_index, setup, teardown)
{
	struct mlx5_umr_queue *q = &bed.t->queue;

	begin_at(0);
	q->op_pi = q->op_ci = q->op_done = q->op_submitted = UINT32_MAX - 1;
	for (uint32_t i = 0; i < NB_KEYS; i++)
		assert_true(sg_write(2, 0) >= 0);
	assert_null(mlx5_umr_sg_key_peek(&q->sg, q->op_ci, q->op_pi));
	collect((uint16_t)((NB_KEYS - 1) * 4 + 3));
	assert_non_null(mlx5_umr_sg_key_peek(&q->sg, q->op_ci, q->op_pi));
	/* The distance of half of the range means nothing. */
	assert_non_null(mlx5_umr_sg_key_peek(&q->sg, q->op_ci + INT32_MAX, q->op_pi + INT32_MAX));
	assert_non_null(mlx5_umr_sg_key_peek(&q->sg, q->op_ci + INT32_MAX + 9u,
					     q->op_pi + INT32_MAX + 12u));
}

/* A flushed operation holds its key until it is collected, and no longer. */
CASE_WITH(flushed_operations_give_keys_back, setup, teardown)
{
	struct mlx5_umr_queue *q = &bed.t->queue;

	begin_at(0);
	for (uint32_t i = 0; i < NB_KEYS; i++)
		assert_true(sg_write(2, 0) >= 0);
	assert_int_equal(mlx5_umr_submit(q), 0);
	/* The transfer of the first one fails: its second WQE. */
	test_cqe_write(bed.t, 3, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	TEST_SENT(bed.t, 1, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
	assert_int_equal(bed.t->done[0].op, RTE_UMR_OP_WRITE);
	assert_int_equal(sg_write(2, 0), -EIO);
	TEST_SENT(bed.t, NB_KEYS, 1, FLUSHED, FLUSHED);
	assert_non_null(mlx5_umr_sg_key_peek(&q->sg, q->op_ci, q->op_pi));
	for (uint32_t i = 0; i < NB_KEYS; i++)
		assert_true(bed.keys[i].is_used);
	mlx5_umr_queue_reset(q);
	for (uint32_t i = 0; i < NB_KEYS; i++)
		assert_false(bed.keys[i].is_used);
	assert_int_equal(sg_write(2, 0), -ENOTCONN);
}

CASE_WITH(one_completion_reports_all_wqes, setup, teardown)
{
	struct mlx5_umr_queue *q = &bed.t->queue;

	begin_at(0);
	q->sg.write.min_key = UINT32_MAX;
	assert_int_equal(sg_write(MAX_SEGS * 2 + 1, RTE_UMR_OP_F_SUBMIT), 0);
	/* Only the last one requests a completion. */
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(test_wqe_at(bed.t, i * 16)[11] & PRM_CTRL_CE_ALWAYS,
				 i == 2 ? PRM_CTRL_CE_ALWAYS : 0);
	TEST_SENT_NONE(bed.t);
	test_cqe_write(bed.t, 32, MLX5_CQE_REQ, 0);
	TEST_SENT(bed.t, 1, 0, OK);
	assert_int_equal(bed.t->done[0].op, RTE_UMR_OP_WRITE);
	assert_int_equal(bed.t->done[0].length, 123 * 124 / 2);
	assert_int_equal(mlx5_umr_sq_wqebb_avail(q), TEST_NB_WQEBB);
}

/* With each number of free blocks: the bytes of two calls, or nothing. */
CASE_WITH(key_and_transfer_are_those_of_two_calls, setup, teardown)
{
	static const uint32_t counts[] = { 1, 4, 5, 52, 53, MAX_LIST };
	struct rte_umr_mkey mkey = test_mkey(MAX_LIST), ref_mkey = mkey;
	const struct rte_umr_fp_ops ops = { .mkey_configure = test_isa->mkey_configure };
	struct rte_umr_mkey_op op = {
		.mkey = &mkey, .setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE, .segs = bed.segs,
	};
	const struct rte_umr_rdma_op rdma = {
		.local = { 0x10, 77, mkey.key }, .remote_addr = RADDR, .rkey = RKEY,
	};
	struct mlx5_umr_queue *const q = &bed.t->queue, *const ref = &bed.ref->queue;
	uint32_t i, free, nb_wqebb;

	q->fp.drv_ops = &ops;
	for (i = 0; i < RTE_DIM(counts) * 20; i++) {
		const bool is_read = i % 2 != 0;
		int ret;

		free = i % 20;
		op.nb_entries = counts[i / 20];
		begin_at(60);
		op.mkey = &ref_mkey;
		assert_true(test_isa->mkey_configure(ref, &op, RTE_UMR_OP_F_FENCE) >= 0);
		ret = (is_read ? mlx5_umr_read : mlx5_umr_write)(ref, &rdma.local, RADDR, RKEY, 0);
		assert_true(ret >= 0);
		nb_wqebb = ref->sq_pi - 60;
		op.mkey = &mkey;
		q->sq_end = 60 + free;
		if (nb_wqebb <= free) {
			const uint16_t last = mlx5_umr_idx_low(q->op_pi + 1);

			ret = (is_read ? mlx5_umr_mkey_read : mlx5_umr_mkey_write)(
				q, &op, &rdma, RTE_UMR_OP_F_FENCE);
			assert_int_equal(ret, last);
			rings_are_same();
		} else {
			assert_int_equal(mlx5_umr_mkey_write(q, &op, &rdma, RTE_UMR_OP_F_SUBMIT),
					 -ENOSPC);
			assert_int_equal(q->sq_pi, 60);
			assert_int_equal(q->fm_next, PRM_CTRL_FM_NONE);
			assert_int_equal(test_wqe_at(bed.t, 60)[0], TEST_POISON);
		}
		assert_int_equal(q->sq_end, 60 + free);
	}
}

CASE_WITH(rejected_lists_leave_no_trace, setup, teardown)
{
	struct mlx5_umr_queue *q = &bed.t->queue;
	uint8_t sq[sizeof(bed.t->sq)];

	begin_at(0);
	memcpy(sq, bed.t->sq, sizeof(sq));
	assert_int_equal(sg_write(MAX_LIST + 1, 0), -E2BIG);
	assert_int_equal(sg_read(MAX_LIST + 1, 0), -E2BIG);
	assert_int_equal(mlx5_umr_write_sg(q, NULL, UINT32_MAX, RADDR, RKEY, 0), -E2BIG);
	assert_int_equal(sg_write(2, RTE_UMR_OP_F_INLINE), -EINVAL);
	assert_int_equal(sg_read(2, RTE_BIT64(9)), -EINVAL);
	bed.segs[1].length = q->max_msg_len;
	assert_int_equal(sg_write(2, 0), -EMSGSIZE);
	test_sq_restore(bed.t, sq, MLX5_UMR_HDR_WQEBB);
	q->is_dci = true;
	assert_int_equal(mlx5_umr_write_sg(q, bed.segs, 1, RADDR, RKEY, 0), -EDESTADDRREQ);
	q->is_dci = false;
	assert_int_equal(test_nb_rejected(q), 7);
	bed.segs[1].length = 2;
	/* A block less than needed: with a key and without, in one WQE, in several, inline. */
	q->sq_end = 0;
	assert_int_equal(sg_write(2, 0), -ENOSPC);
	q->sg.write.min_key = UINT32_MAX;
	q->sq_end = 15;
	assert_int_equal(sg_write(60, 0), -ENOSPC);
	q->sq_end = 16;
	assert_int_equal(sg_write(62, 0), -ENOSPC);
	q->sg.max_inline = 100;
	q->sq_end = 0;
	assert_int_equal(sg_write(2, 0), -ENOSPC);
	assert_int_equal(test_nb_full(q), 4);
	assert_int_equal(q->sq_pi, 0);
	assert_int_equal(q->op_pi, 0);
	assert_int_equal(q->sg.next, 0);
	assert_false(bed.keys[0].is_used);
	for (uint32_t i = 0; i < MLX5_UMR_SG_NB_WAYS; i++)
		assert_int_equal(q->sg.nb_ops[i], 0);
	test_filled(bed.t->sq, TEST_POISON, sizeof(bed.t->sq));
}

int
main(void)
{
	return test_run_isas();
}
