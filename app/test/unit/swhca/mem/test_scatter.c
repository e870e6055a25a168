/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Scatter to CQE: small payload of reads and receives in the completion itself. */

#include "pair.h"

#define REQ_32 0x11u
#define REQ_64 0x22u
#define RES_32 0x1u
#define RES_64 0x2u

static uint32_t
cq_create(struct pair *p, const struct world_qp *qp, int dev, uint32_t offset, uint32_t dbr,
	  bool is_128)
{
	uint8_t in[WORLD_BOX];

	memset(qp->page + offset, 0xf1, WORLD_CQ_CQES * 128);
	world_cq_box(&p->w, dev, in, qp->umem, offset, dbr);
	world_put(in, 4, 21, is_128);
	return world_exec_create(qp->hca, in, sizeof(in));
}

/* Replace a QP and its CQs by those that scatter. */
static uint8_t
qp_replace(struct pair *p, struct world_qp *qp, int dev, uint32_t st, uint32_t cs, bool is_128)
{
	uint8_t in[WORLD_BOX], out[16], status;

	assert_int_equal(world_cmd(qp->hca, 0x501, qp->qpn, NULL), 0);
	assert_int_equal(world_cmd(qp->hca, 0x401, qp->scqn, NULL), 0);
	assert_int_equal(world_cmd(qp->hca, 0x401, qp->rcqn, NULL), 0);
	qp->scqn = cq_create(p, qp, dev, WORLD_SCQ_OFF, WORLD_DBR_OFF + 64, is_128);
	qp->rcqn = cq_create(p, qp, dev, WORLD_RCQ_OFF, WORLD_DBR_OFF + 128, is_128);
	world_qp_box(&p->w, dev, in, qp);
	world_put(in, 6, 16, st);
	world_put(in, 6 + 49, 0, cs);
	status = swhca_hca_cmd_exec(qp->hca, in, sizeof(in), out, sizeof(out));
	if (status != 0)
		world_qp_box(&p->w, dev, in, qp);
	qp->qpn = status == 0 ? world_get(out, 2) : world_exec_create(qp->hca, in, sizeof(in));
	return status;
}

static void
pair_replace(struct pair *p, uint32_t req, uint32_t res, bool is_128)
{
	assert_int_equal(qp_replace(p, &p->a, 0, 0, req << 8 | res, is_128), 0);
	assert_int_equal(qp_replace(p, &p->b, 1, 0, req << 8 | res, is_128), 0);
	world_qp_connect(&p->w, &p->a, &p->b);
	fill(p->w.mem, 4096);
	memset(p->w.mem + 4096, 0, 4096);
}

static void
read_some(struct pair *p, uint8_t flags, uint32_t len)
{
	post_transfer(&p->a, OP_READ, flags, (uintptr_t)p->w.mem, p->w.mem_key[1],
		      p->w.mem + 4096, p->w.mem_key[0], len);
	ring_run(p, &p->a);
}

static const uint8_t zeros[128];

PAIR_CASE(read_of_32_bytes_comes_in_the_cqe)
{
	const uint8_t *cqe = p->a.page + WORLD_SCQ_OFF;

	pair_replace(p, REQ_32, 0, false);
	read_some(p, CE, 32);
	expect_done((const void *)cqe, 0);
	assert_int_equal(cqe[63] & 0x0c, 0x04);
	assert_memory_equal(cqe, p->w.mem, 32);
	assert_memory_equal(p->w.mem + 4096, zeros, 32);
	/* One more is too many. */
	cqe += 64;
	read_some(p, CE, 33);
	assert_int_equal(cqe[63], 0);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 33);
}

PAIR_CASE(read_without_a_completion_goes_to_memory)
{
	pair_replace(p, REQ_32, 0, false);
	read_some(p, 0, 8);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 8);
	assert_int_equal(p->a.page[WORLD_SCQ_OFF + 63], 0xf1);
}

PAIR_CASE(read_of_64_bytes_comes_in_front_of_the_cqe)
{
	const uint8_t *entry = p->a.page + WORLD_SCQ_OFF;

	pair_replace(p, REQ_64, 0, true);
	read_some(p, CE, 64);
	assert_int_equal(entry[127], 0x08);
	assert_memory_equal(entry, p->w.mem, 64);
	assert_memory_equal(p->w.mem + 4096, zeros, 64);
}

PAIR_CASE(message_comes_in_the_cqe)
{
	const struct mlx5_cqe64 *cqe = (const void *)(p->b.page + WORLD_RCQ_OFF);

	pair_replace(p, 0, RES_32, false);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 64);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 64);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 7);
	ring_run(p, &p->a);
	assert_int_equal(cqe->op_own, MLX5_CQE_RESP_SEND << 4 | 0x04);
	assert_int_equal(be32toh(cqe->byte_cnt), 7);
	assert_memory_equal(cqe, p->w.mem, 7);
	assert_memory_equal(p->w.mem + 4096, zeros, 64);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 33);
	ring_run(p, &p->a);
	assert_int_equal(cqe[1].op_own, MLX5_CQE_RESP_SEND << 4);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 33);
}

PAIR_CASE(message_of_64_bytes_comes_in_front_of_the_cqe)
{
	const uint8_t *entry = p->b.page + WORLD_RCQ_OFF;

	pair_replace(p, 0, RES_64, true);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 64);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 64);
	ring_run(p, &p->a);
	assert_int_equal(entry[127], MLX5_CQE_RESP_SEND << 4 | 0x08);
	assert_memory_equal(entry, p->w.mem, 64);
	assert_memory_equal(p->w.mem + 4096, zeros, 64);
}

PAIR_CASE(empty_message_carries_nothing)
{
	const struct mlx5_cqe64 *cqe = (const void *)(p->b.page + WORLD_RCQ_OFF);

	pair_replace(p, 0, RES_32, false);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, 64);
	world_post(&p->a, OP_SEND, CE, 0, NULL, 0);
	ring_run(p, &p->a);
	assert_int_equal(cqe->op_own, MLX5_CQE_RESP_SEND << 4);
}

PAIR_CASE(scatter_that_does_not_fit_is_rejected)
{
	/* Into CQEs of 64 bytes, with codes that are none, for UD. */
	assert_int_equal(qp_replace(p, &p->a, 0, 0, REQ_64 << 8, false), 0x03);
	assert_int_equal(qp_replace(p, &p->a, 0, 0, RES_64, false), 0x03);
	assert_int_equal(qp_replace(p, &p->a, 0, 0, 1u << 8, true), 0x03);
	assert_int_equal(qp_replace(p, &p->a, 0, 0, 3, true), 0x03);
	assert_int_equal(qp_replace(p, &p->a, 0, 2, RES_32, true), 0x03);
	assert_int_equal(qp_replace(p, &p->a, 0, 0, REQ_64 << 8 | RES_64, true), 0);
}
