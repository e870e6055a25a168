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
	world_put64(body, 6, (uintptr_t)src);
	world_put(body, 8, 0, dst_len);
	world_put(body, 9, 0, dst_key);
	world_put64(body, 10, (uintptr_t)dst);
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

PAIR_CASE(copies_that_are_allowed_need_no_peer)
{
	static const struct {
		const char *name;
		bool mmo;
		uint8_t opmod;
		bool is_read_only;	/* the destination */
		uint32_t src_len, dst_len;
		uint8_t syndrome;
	} rows[] = {
		{ "good", true, 1, false, 1000, 1000, 0 },
		{ "queue without it", false, 1, false, 8, 8, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR },
		{ "other operation", true, 2, false, 8, 8, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR },
		{ "destination", true, 1, true, 8, 8, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR },
		{ "lengths", true, 1, false, 8, 16, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR },
		{ "limit", true, 1, false, MAX_LEN + 1, MAX_LEN + 1,
		  MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR },
		{ "0 is 2 GiB", true, 1, false, 0, 0, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR },
	};
	uint8_t *dst = p->w.mem + 8192;
	uint32_t read_only = world_mtt_key(&p->w, 0, dst, 4096, WORLD_LR | WORLD_RR);
	struct world_qp qp;

	fill(p->w.mem, 4096);
	for (size_t i = 0; i < NB_OF(rows); i++) {
		qp_start(p, &qp, rows[i].mmo);
		memset(dst, 0, 4096);
		post_copy(&qp, rows[i].opmod, rows[i].is_read_only ? read_only : p->w.mem_key[0],
			  dst, p->w.mem_key[0], p->w.mem, rows[i].src_len, rows[i].dst_len);
		world_run(&p->w);
		row_check(rows[i].name, next_syndrome(&qp), rows[i].syndrome);
		if (rows[i].syndrome != 0)
			row_check(rows[i].name, dst[1], 0);
		else
			assert_memory_equal(dst, p->w.mem, rows[i].src_len);
		world_qp_destroy(&qp);
	}
}
