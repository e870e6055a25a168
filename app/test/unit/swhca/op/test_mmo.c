/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory-to-memory copies. */

#include "pair.h"

#define OP_MMO		0x2f
#define MAX_LEN		(1u << 21)

static void
post_copy(struct world_qp *qp, uint8_t opmod, uint32_t dst_key, const void *dst, uint32_t src_key,
	  const void *src, uint32_t src_len, uint32_t dst_len)
{
	uint8_t body[48] = { 0 };
	uint16_t index = qp->pi;

	world_put(body, 4, 0, src_len);
	world_put(body, 5, 0, src_key);
	world_put(body, 6, 0, (uint32_t)((uintptr_t)src >> 32));
	world_put(body, 7, 0, (uint32_t)(uintptr_t)src);
	world_put(body, 8, 0, dst_len);
	world_put(body, 9, 0, dst_key);
	world_put(body, 10, 0, (uint32_t)((uintptr_t)dst >> 32));
	world_put(body, 11, 0, (uint32_t)(uintptr_t)dst);
	world_post(qp, OP_MMO, CE, 0, body, 3);
	qp->page[WORLD_SQ_OFF + (size_t)(index % WORLD_SQ_BB) * 64] = opmod;
	world_ring(qp);
}

/* A queue pair in RTS without a peer, with the operation enabled or not. */
static void
qp_start(struct pair *p, struct world_qp *qp, bool mmo)
{
	uint8_t in[0x1d0] = { 0 };

	world_qp_create(&p->w, 0, qp);
	world_qp_modify(qp, 0x502, 0, 0, 0);
	if (mmo) {
		world_put(in, 0, 16, 0x50e);
		world_put(in, 2, 31, 1);	/* qpc_ext */
		world_put(in, 2, 0, qp->qpn);
		world_put(in, 67, 3, 1);	/* opt_param_mask_95_32: MMO */
		world_put(in, 68, 29, 1);	/* mmo */
		assert_int_equal(world_exec(qp->hca, in, sizeof(in)), 0);
	}
	world_qp_modify(qp, 0x503, 0, 0, 0);
	world_qp_modify(qp, 0x504, 0, 0, 0);
}

static void
expect_copy(struct pair *p, bool mmo, uint8_t opmod, uint32_t dst_key, uint32_t src_key,
	    uint32_t src_len, uint32_t dst_len, uint8_t syndrome)
{
	struct world_qp qp;

	qp_start(p, &qp, mmo);
	fill(p->w.mem, 4096);
	memset(p->w.mem + 8192, 0, 4096);
	post_copy(&qp, opmod, dst_key, p->w.mem + 8192, src_key, p->w.mem, src_len, dst_len);
	world_run(&p->w);
	if (syndrome != 0) {
		expect_error(world_send_cqe(&qp), MLX5_CQE_REQ_ERR, syndrome);
		assert_int_equal(p->w.mem[8193], 0);
	} else {
		expect_done(world_send_cqe(&qp), 0);
		assert_memory_equal(p->w.mem + 8192, p->w.mem, src_len);
	}
	world_qp_destroy(&qp);
}

static void
copy_needs_no_peer(void **state)
{
	struct pair *p = *state;
	uint32_t key = p->w.mem_key[0];

	expect_copy(p, true, 1, key, key, 1000, 1000, 0);
}

static void
queue_without_the_operation_rejects_it(void **state)
{
	struct pair *p = *state;
	uint32_t key = p->w.mem_key[0];

	expect_copy(p, false, 1, key, key, 8, 8, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
other_operations_are_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = p->w.mem_key[0];

	expect_copy(p, true, 2, key, key, 8, 8, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

static void
destination_that_may_only_be_read_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_mtt_key(&p->w, 0, p->w.mem + 8192, 4096, WORLD_LR | WORLD_RR);

	expect_copy(p, true, 1, key, p->w.mem_key[0], 8, 8, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
}

static void
lengths_that_differ_or_exceed_the_limit_are_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = p->w.mem_key[0];

	expect_copy(p, true, 1, key, key, 8, 16, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	expect_copy(p, true, 1, key, key, MAX_LEN + 1, MAX_LEN + 1,
		    MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	/* 0 stands for 2 GiB. */
	expect_copy(p, true, 1, key, key, 0, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(copy_needs_no_peer),
		CASE(queue_without_the_operation_rejects_it),
		CASE(other_operations_are_rejected),
		CASE(destination_that_may_only_be_read_is_rejected),
		CASE(lengths_that_differ_or_exceed_the_limit_are_rejected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
