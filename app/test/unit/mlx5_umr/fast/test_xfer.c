/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * WQEs of atomics, of sends that invalidate, of inline data and of memory windows against bytes
 * that were written by hand from the PRM's layouts; and WQEs that take the place of a doorbell.
 */

#include "ring/bf.h"
#include "wqe/xfer.h"
#include "fast/ops.h"
#include "wqe/mw.h"
#include "ring/recv_inline.h"
#include "test_queue.h"

#define BF_HALF	256u

static const struct rte_umr_seg word = { 0x1000, 8, 0x100 };

static int
setup(void **state)
{
	struct test_queue *t = *state = test_queue_new();

	t->queue.has_atomic = true;
	t->queue.has_send_inv = true;
	t->queue.max_inline = 100;
	return 0;
}

QUEUE_CASE_WITH(fetch_add_has_these_bytes, setup, test_queue_teardown)
{
	assert_int_equal(mlx5_umr_fetch_add(&t->queue, &word, UINT64_C(0x1122334455667788),
					    0xaabbccdd, UINT64_C(0x0102030405060708), 0), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x12, 0x12, 0x34, 0x56, 0x04,	/* opcode 0x12, 4 DS */
		   0, 0, 0, 0x00, 0, 0, 0, 0,
		   0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,	/* remote address */
		   0xaa, 0xbb, 0xcc, 0xdd, 0, 0, 0, 0,			/* rkey */
		   0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,	/* add */
		   0, 0, 0, 0, 0, 0, 0, 0,
		   0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x01, 0x00,	/* 8 bytes, lkey */
		   0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00);
	assert_int_equal(t->queue.sq_pi, 1);
	/* No bytes are moved, as the API says. */
	mlx5_umr_submit(&t->queue);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	TEST_SENT(t, 1, 0, OK);
	assert_int_equal(t->done[0].op, RTE_UMR_OP_FETCH_ADD);
	assert_int_equal(t->done[0].length, 0);
}

QUEUE_CASE_WITH(cmp_swap_has_these_bytes, setup, test_queue_teardown)
{
	const struct rte_umr_swap operands = {
		.compare = UINT64_C(0xc0c1c2c3c4c5c6c7), .swap = UINT64_C(0xa0a1a2a3a4a5a6a7),
	};

	assert_int_equal(mlx5_umr_cmp_swap(&t->queue, &word, 0x2000, 0x200, &operands,
					   RTE_UMR_OP_F_FENCE), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x11, 0x12, 0x34, 0x56, 0x04,	/* opcode 0x11 */
		   0, 0, 0, 0x40, 0, 0, 0, 0,				/* fence */
		   0, 0, 0, 0, 0, 0, 0x20, 0x00, 0, 0, 0x02, 0x00, 0, 0, 0, 0,
		   0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7,	/* swap */
		   0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,	/* compare */
		   0, 0, 0, 0x08, 0, 0, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0x10, 0x00);
}

QUEUE_CASE_WITH(send_inv_has_these_bytes, setup, test_queue_teardown)
{
	const struct rte_umr_seg local = { 0x1000, 32, 0x100 };

	assert_int_equal(mlx5_umr_send_inv(&t->queue, &local, 0xdeadbeef, 0), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x01, 0x12, 0x34, 0x56, 0x02,	/* opcode 0x01, 2 DS */
		   0, 0, 0, 0, 0xde, 0xad, 0xbe, 0xef,		/* key to invalidate */
		   0, 0, 0, 0x20, 0, 0, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0x10, 0x00);
}

QUEUE_CASE_WITH(inline_write_has_these_bytes, setup, test_queue_teardown)
{
	const struct rte_umr_seg local = { (uintptr_t)"fourteen bytes", 14, 0xbad };

	assert_int_equal(mlx5_umr_write_imm(&t->queue, &local, 0x2000, 0x200,
					    rte_cpu_to_be_32(0x01020304), RTE_UMR_OP_F_INLINE), 0);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x09, 0x12, 0x34, 0x56, 0x04,	/* write immediate, 4 DS */
		   0, 0, 0, 0, 0x01, 0x02, 0x03, 0x04,
		   0, 0, 0, 0, 0, 0, 0x20, 0x00, 0, 0, 0x02, 0x00, 0, 0, 0, 0,
		   0x80, 0x00, 0x00, 0x0e, 'f', 'o', 'u', 'r', 't', 'e', 'e', 'n', ' ', 'b', 'y',
		   't', 'e', 's', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
}

QUEUE_CASE_WITH(inline_data_takes_the_blocks_it_needs, setup, test_queue_teardown)
{
	/* length, blocks of a send, blocks of a write */
	static const uint16_t cases[][3] = {
		{ 0, 1, 1 }, { 28, 1, 1 }, { 29, 1, 2 }, { 44, 1, 2 }, { 45, 2, 2 }, { 92, 2, 2 },
		{ 93, 2, 3 }, { 100, 2, 3 },
	};
	uint8_t data[100];
	struct rte_umr_seg local = { (uintptr_t)data, 0, 0 };
	uint32_t pi;

	memset(data, 0x33, sizeof(data));
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		t->queue.sq_pi = 0;
		local.length = cases[i][0];
		assert_true(mlx5_umr_send(&t->queue, &local, RTE_UMR_OP_F_INLINE) >= 0);
		pi = t->queue.sq_pi;
		assert_int_equal(pi, cases[i][1]);
		assert_true(mlx5_umr_write(&t->queue, &local, 0, 0, RTE_UMR_OP_F_INLINE) >= 0);
		assert_int_equal(t->queue.sq_pi - pi, cases[i][2]);
	}
}

QUEUE_CASE_WITH(rejected_operations_leave_no_trace, setup, test_queue_teardown)
{
	struct rte_umr_seg local = { 0x1000, 101, 0x100 };
	const struct rte_umr_swap operands = { 1, 2 };
	struct mlx5_umr_queue *q = &t->queue;

	assert_int_equal(mlx5_umr_write(q, &local, 0, 0, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	assert_int_equal(mlx5_umr_send(q, &local, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	assert_int_equal(mlx5_umr_read(q, &local, 0, 0, RTE_UMR_OP_F_INLINE), -EINVAL);
	assert_int_equal(mlx5_umr_fetch_add(q, &local, 0, 0, 1, 0), -EINVAL);
	assert_int_equal(mlx5_umr_cmp_swap(q, &word, 0, 0, &operands, RTE_BIT64(9)), -EINVAL);
	q->has_atomic = false;
	assert_int_equal(mlx5_umr_fetch_add(q, &word, 0, 0, 1, 0), -ENOTSUP);
	q->has_send_inv = false;
	assert_int_equal(mlx5_umr_send_inv(q, &word, 5, 0), -ENOTSUP);
	assert_int_equal(test_nb_rejected(q), 7);
	assert_int_equal(q->sq_pi, 0);
	assert_int_equal(q->op_pi, 0);
	test_filled(t->sq, TEST_POISON, sizeof(t->sq));
}

QUEUE_CASE_WITH(bind_has_these_bytes, setup, test_queue_teardown)
{
	const struct rte_umr_mr mr = {
		.len = 0x1000, .lkey = 0x5a01, .dev_id = TEST_DEV_ID, .iova = 0x100000,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_MW_BIND,
	};
	const struct rte_umr_mw_range range = {
		.mr = &mr, .addr = 0x100080, .length = 0x300,
		.access = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE,
	};
	struct rte_umr_mw mw = {
		.rkey = 0x00abcd07, .type = RTE_UMR_MW_TYPE_2B, .dev_id = TEST_DEV_ID,
	};

	assert_int_equal(mlx5_umr_mw_bind(&t->queue, &mw, &range, 0), 0);
	assert_int_equal(mw.rkey, 0x00abcd08);
	TEST_BYTES(t->sq,
		   0x00, 0x00, 0x00, 0x25, 0x12, 0x34, 0x56, 0x0c,	/* UMR, 12 DS */
		   0, 0, 0, 0, 0x00, 0xab, 0xcd, 0x07,		/* the key as it was */
		   0xb0, 0, 0, 0, 0, 0x04, 0, 0,		/* inline, check free, 4 KLMs */
		   0, 0, 0, 0, 0x20, 0x3c, 0x60, 0x41,		/* mask */
		   [64] = 0, 0, 0x30, 0, 0x12, 0x34, 0x56, 0x08, /* rights, queue, new tag */
		   0, 0, 0, 0, 0, 0, 0, 0,
		   0, 0, 0, 0, 0, 0x10, 0x00, 0x80,		/* first address */
		   0, 0, 0, 0, 0, 0, 0x03, 0x00,		/* length */
		   [128] = 0, 0, 0x03, 0x00, 0, 0, 0x5a, 0x01,	/* KLM */
		   0, 0, 0, 0, 0, 0x10, 0x00, 0x80, [191] = 0);
	assert_int_equal(t->queue.sq_pi, 3);
	assert_int_equal(t->queue.fm_next, PRM_CTRL_FM_INITIATOR_SMALL);
}

QUEUE_CASE_WITH(unbind_of_type_1_has_these_bytes, setup, test_queue_teardown)
{
	struct rte_umr_mw mw = {
		.rkey = 0x00abcdff, .type = RTE_UMR_MW_TYPE_1, .dev_id = TEST_DEV_ID,
	};

	assert_int_equal(mlx5_umr_mw_invalidate(&t->queue, &mw, 0), 0);
	assert_int_equal(mw.rkey, 0x00abcd00);
	TEST_BYTES(t->sq,
		   0, 0, 0, 0x25, 0x12, 0x34, 0x56, 0x08, 0, 0, 0, 0, 0, 0xab, 0xcd, 0xff,
		   0x90, 0, 0, 0, 0, 0, 0, 0,
		   0, 0, 0, 0, 0x20, 0, 0x20, 0,		/* free, tag */
		   /* the tag goes round */
		   [64] = 0x40, 0, 0, 0, 0xff, 0xff, 0xff, 0x00, [127] = 0);
}

/* A register of two halves in place of the doorbell. */
struct bf_register {
	uint64_t halves[2][BF_HALF / sizeof(uint64_t)];
};

static struct bf_register *
bf_setup(struct test_queue *t, enum mlx5_umr_bf_mode mode)
{
	static struct bf_register reg;

	memset(&reg, 0, sizeof(reg));
	t->queue.doorbell = reg.halves[0];
	t->queue.is_db_nc = false;
	t->queue.bf_mode = mode;
	t->queue.bf_size = BF_HALF;
	return &reg;
}

/* The half has the WQE at that block, or its first 8 bytes and nothing else; then it is empty. */
static void
half_check(struct test_queue *t, struct bf_register *reg, unsigned int half, uint32_t block,
	   uint32_t len)
{
	const uint8_t *bytes = (const uint8_t *)reg->halves[half];

	assert_memory_equal(bytes, test_wqe_at(t, block), len);
	test_filled(bytes + len, 0, BF_HALF - len);
	test_filled(reg->halves[1 - half], 0, BF_HALF);
	memset(reg, 0, sizeof(*reg));
}

QUEUE_CASE_WITH(single_wqes_are_written_to_the_device, setup, test_queue_teardown)
{
	struct bf_register *reg = bf_setup(t, MLX5_UMR_BF_SINGLE);

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 0, 64);
	/* Two operations: a doorbell, of the second one. */
	test_write(t, 8, 0);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 1, 2, 8);
	/* 4 blocks are just not too long, 5 are. */
	test_list(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 3, 256);
	test_list(t, 9, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 1, 7, 8);
	/* Behind a doorbell, alone again. */
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 12, 64);
	assert_int_equal(t->queue.nb_bf, 3);
	assert_int_equal(t->queue.nb_doorbells, 5);
}

QUEUE_CASE_WITH(wqe_over_the_end_of_the_ring_is_written_whole, setup, test_queue_teardown)
{
	const uint8_t *bytes = (const uint8_t *)bf_setup(t, MLX5_UMR_BF_SINGLE)->halves[0];

	t->queue.sq_pi = t->queue.bf_pi = TEST_NB_WQEBB - 1;
	t->queue.sq_end = 2 * TEST_NB_WQEBB;
	test_list(t, 1, RTE_UMR_OP_F_SUBMIT);
	assert_memory_equal(bytes, test_wqe_at(t, TEST_NB_WQEBB - 1), 64);
	assert_memory_equal(bytes + 64, t->sq, 128);
}

QUEUE_CASE_WITH(only_inline_wqes_are_written_if_wanted, setup, test_queue_teardown)
{
	struct bf_register *reg = bf_setup(t, MLX5_UMR_BF_INLINE);
	const struct rte_umr_seg local = { (uintptr_t)"data", 4, 0 };

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 0, 8);
	mlx5_umr_send(&t->queue, &local, RTE_UMR_OP_F_INLINE | RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 1, 1, 64);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 2, 8);
}

QUEUE_CASE_WITH(doorbells_stay_in_place_without_bluefield, setup, test_queue_teardown)
{
	struct bf_register *reg = bf_setup(t, MLX5_UMR_BF_OFF);

	t->queue.bf_size = 0;
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 0, 8);
	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	half_check(t, reg, 0, 1, 8);
	assert_int_equal(t->queue.nb_bf, 0);
}

/* A key of each kind at the ends of the table's chunks. */
CASE(keys_are_told_apart_by_their_index)
{
	static const uint32_t keys[] = {
		0x00000000, 0x000fff00, 0x00100000, 0x7fffff00, 0xffffff00,
	};
	struct mlx5_umr_key_table *table = mlx5_umr_key_table_alloc();
	struct rte_umr_mr mrs[RTE_DIM(keys)];

	assert_non_null(table);
	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		assert_null(mlx5_umr_key_table_get(table, keys[i]));
		assert_int_equal(mlx5_umr_key_table_set(table, keys[i], &mrs[i]), 0);
	}
	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		/* The tag is not looked at here, the neighbors are others. */
		assert_ptr_equal(mlx5_umr_key_table_get(table, keys[i] | 0x5a), &mrs[i]);
		assert_null(mlx5_umr_key_table_get(table, keys[i] ^ 0x200));
	}
	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		mlx5_umr_key_table_clear(table, keys[i]);
		assert_null(mlx5_umr_key_table_get(table, keys[i]));
	}
	mlx5_umr_key_table_clear(table, 0x12345678);
	mlx5_umr_key_table_free(table);
	mlx5_umr_key_table_free(NULL);
}

/* A region of 64 bytes and a receive of 5 and 12 of them. */
struct inline_recv {
	struct test_queue *t;
	struct mlx5_umr_key_table *table;
	struct rte_umr_mr mr;
	uint8_t mem[64];
};

static void
inline_recv_setup(struct inline_recv *r)
{
	const struct rte_umr_seg segs[] = { { 0x10, 5, 0x4207 }, { 0x00, 12, 0x4207 } };

	setup((void **)&r->t);
	r->table = mlx5_umr_key_table_alloc();
	r->mr = (struct rte_umr_mr){
		.addr = r->mem, .len = 64, .lkey = 0x4207, .access = RTE_UMR_ACCESS_LOCAL_WRITE,
	};
	memset(r->mem, 0, sizeof(r->mem));
	assert_int_equal(mlx5_umr_key_table_set(r->table, r->mr.lkey, &r->mr), 0);
	r->t->queue.rq.keys = r->table;
	assert_int_equal(mlx5_umr_recv(&r->t->queue, segs, 2, 0), 0);
}

static void
inline_recv_teardown(struct inline_recv *r)
{
	free(r->t);
	mlx5_umr_key_table_free(r->table);
}

/* The device writes a CQE with bytes in front. */
static void
scatter_cqe_write(struct test_queue *t, uint32_t len)
{
	uint8_t *cqe = (uint8_t *)&t->rq_cqes[t->rq_cq_pi % TEST_NB_RECV];

	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND, len, 0, 0);
	for (uint32_t i = 0; i < MLX5_UMR_RECV_INLINE_MAX; i++)
		cqe[i] = (uint8_t)(i + 1);
	((struct mlx5_cqe64 *)cqe)->op_own |= MLX5_INLINE_SCATTER_32;
}

CASE(bytes_of_a_completion_go_to_their_segments)
{
	/* length, status, bytes that are there afterwards at 0x10 and at 0 */
	static const struct {
		uint32_t len;
		uint8_t status;
		uint8_t nb_first, nb_second;
	} cases[] = {
		{ 0, RTE_UMR_STATUS_SUCCESS, 0, 0 },	 { 4, RTE_UMR_STATUS_SUCCESS, 4, 0 },
		{ 5, RTE_UMR_STATUS_SUCCESS, 5, 0 },	 { 17, RTE_UMR_STATUS_SUCCESS, 5, 12 },
		{ 18, RTE_UMR_STATUS_LOCAL_LENGTH, 5, 12 },
		/* No device writes this; nothing beyond the CQE is read. */
		{ 33, RTE_UMR_STATUS_LOCAL_LENGTH, 0, 0 },
		{ UINT32_MAX, RTE_UMR_STATUS_LOCAL_LENGTH, 0, 0 },
	};
	struct inline_recv r;

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		inline_recv_setup(&r);
		scatter_cqe_write(r.t, cases[i].len);
		TEST_RECEIVED(r.t, 1, 0, cases[i].status);
		assert_int_equal(r.t->done[0].length,
				 cases[i].status == RTE_UMR_STATUS_SUCCESS ? cases[i].len : 0);
		assert_int_equal(r.t->queue.error, 0);
		for (size_t b = 0; b < sizeof(r.mem); b++)
			assert_int_equal(r.mem[b], b >= 0x10 && b - 0x10 < cases[i].nb_first ?
							   b - 0x10 + 1 :
					 b < cases[i].nb_second ? b + 6 : 0);
		inline_recv_teardown(&r);
	}
}

/* What is changed about the region of a receive that would be good. */
enum recv_trouble {
	NO_TROUBLE, OTHER_TAG, TOO_SHORT, READ_ONLY, OTHER_PD, GONE, BECAME_OPAQUE, NO_TABLE,
	NB_TROUBLES,
};

CASE(bytes_of_a_completion_go_nowhere_else)
{
	struct inline_recv r;

	for (enum recv_trouble trouble = NO_TROUBLE; trouble < NB_TROUBLES; trouble++) {
		inline_recv_setup(&r);
		if (trouble == OTHER_TAG)
			r.mr.lkey++;
		else if (trouble == TOO_SHORT)
			r.mr.len = 0x14;
		else if (trouble == READ_ONLY)
			r.mr.access = 0;
		else if (trouble == OTHER_PD)
			r.mr.pd = (struct rte_umr_pd *)&r.mr;
		else if (trouble == GONE)
			mlx5_umr_key_table_clear(r.table, 0x4207);
		else if (trouble == BECAME_OPAQUE)
			mlx5_umr_key_table_set(r.table, 0x4207, MLX5_UMR_KEY_OPAQUE);
		else if (trouble == NO_TABLE)
			r.t->queue.rq.keys = NULL;
		scatter_cqe_write(r.t, 5);
		TEST_RECEIVED(r.t, 1, 0, trouble == NO_TROUBLE ? OK : PROT);
		assert_int_equal(r.mem[0x10], trouble == NO_TROUBLE ? 1 : 0);
		assert_int_equal(r.t->queue.rq.nb_errors, trouble != NO_TROUBLE);
		inline_recv_teardown(&r);
	}
}

int
main(void)
{
	return test_run();
}
