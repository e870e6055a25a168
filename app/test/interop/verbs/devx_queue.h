/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef DEVX_QUEUE_H
#define DEVX_QUEUE_H

/*
 * A queue pair created by DevX commands through an unmodified libmlx5, connected to itself.
 * Mailboxes are filled by dword and bit.
 */

#include "../world.h"

#define RING_BYTES	16384u
#define SQ_OFFSET	0u		/* 64 WQEBBs, no receive queue */
#define CQ_OFFSET	4096u		/* 64 CQEs */
#define DBR_OFFSET	8192u		/* queue pair at 0, CQ at 64 */
#define NB_BB		64u
#define BOX_BYTES	0x110u

struct queue {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *cq;
	struct mlx5dv_devx_obj *qp;
	uint32_t cqn;
	uint32_t qpn;
	uint32_t ci;
	uint16_t pi;
	uint16_t lid;
	uint8_t *mem;
};

static inline void
put(void *box, unsigned int dw, unsigned int lsb, uint32_t value)
{
	uint8_t *at = (uint8_t *)box + dw * 4;
	uint32_t be;

	memcpy(&be, at, sizeof(be));
	be = htobe32(be32toh(be) | value << lsb);
	memcpy(at, &be, sizeof(be));
}

static inline struct mlx5dv_devx_obj *
obj_create(struct queue *q, const void *in, size_t len, uint32_t *num)
{
	uint8_t out[16] = { 0 };
	struct mlx5dv_devx_obj *obj = mlx5dv_devx_obj_create(q->ctx, in, len, out, sizeof(out));
	uint32_t be;

	assert_non_null(obj);
	memcpy(&be, out + 8, sizeof(be));
	*num = be32toh(be);
	return obj;
}

/* CREATE_CQ with the UAR and memory of a queue; in has BOX_BYTES of zeros. */
static inline void
cq_box(const struct queue *q, uint8_t *in)
{
	uint32_t eqn;

	assert_int_equal(mlx5dv_devx_query_eqn(q->ctx, 0, &eqn), 0);
	put(in, 0, 16, 0x400);
	put(in, 4, 25, 1);			/* dbr_umem_valid */
	put(in, 5, 0, q->umem->umem_id);
	put(in, 7, 24, 6);			/* log_cq_size */
	put(in, 7, 0, q->uar->page_id);
	put(in, 9, 0, eqn);
	put(in, 19, 0, DBR_OFFSET + 64);
	put(in, 21, 0, CQ_OFFSET);
	put(in, 22, 0, q->umem->umem_id);
	put(in, 23, 31, 1);			/* cq_umem_valid */
}

static inline void
cq_create(struct queue *q)
{
	uint8_t in[BOX_BYTES] = { 0 };
	uint32_t i;

	for (i = 0; i < NB_BB; i++)
		q->mem[CQ_OFFSET + i * 64 + 63] = 0xf1;	/* invalid, owned by the device */
	cq_box(q, in);
	q->cq = obj_create(q, in, sizeof(in), &q->cqn);
}

/* CREATE_QP with the resources of a queue; in has BOX_BYTES of zeros. */
static inline void
qp_box(const struct queue *q, uint8_t *in)
{
	struct mlx5dv_pd dv_pd;
	struct mlx5dv_obj obj = { .pd = { .in = q->pd, .out = &dv_pd } };

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	put(in, 0, 16, 0x500);
	put(in, 6, 11, 3);			/* pm_state: migrated */
	put(in, 7, 0, dv_pd.pdn);
	put(in, 8, 11, 6);			/* log_sq_size */
	put(in, 9, 0, q->uar->page_id);
	put(in, 37, 0, q->cqn);
	put(in, 45, 0, q->cqn);
	put(in, 47, 0, DBR_OFFSET);
	put(in, 49, 24, 3);			/* rq_type: none */
	put(in, 58, 28, 1);			/* dbr_umem_valid */
	put(in, 63, 0, q->umem->umem_id);
	put(in, 65, 0, SQ_OFFSET);
	put(in, 66, 0, q->umem->umem_id);
	put(in, 67, 31, 1);			/* wq_umem_valid */
}

static inline void
devx_qp_create(struct queue *q)
{
	uint8_t in[BOX_BYTES] = { 0 };

	qp_box(q, in);
	q->qp = obj_create(q, in, sizeof(in), &q->qpn);
}

static inline void
qp_modify(struct queue *q, uint16_t opcode)
{
	uint8_t in[0x110] = { 0 }, out[16] = { 0 };

	put(in, 0, 16, opcode);
	put(in, 2, 0, q->qpn);
	put(in, 8, 29, 3);			/* mtu: 1024 */
	put(in, 11, 0, q->qpn);			/* its own peer */
	put(in, 12, 16, 1);			/* port, in the address path of RST2INIT */
	put(in, 13, 0, q->lid);
	put(in, 14, 27, 8);			/* ack_timeout */
	assert_int_equal(mlx5dv_devx_obj_modify(q->qp, in, sizeof(in), out, sizeof(out)), 0);
}

static inline void
context_open(struct queue *q)
{
	struct ibv_port_attr port;

	q->ctx = devx_open();
	assert_int_equal(ibv_query_port(q->ctx, 1, &port), 0);
	q->lid = port.lid;
	q->pd = ibv_alloc_pd(q->ctx);
	assert_non_null(q->pd);
}

static inline void
context_close(struct queue *q)
{
	assert_int_equal(ibv_dealloc_pd(q->pd), 0);
	assert_int_equal(ibv_close_device(q->ctx), 0);
}

static inline void
queue_create(struct queue *q, uint32_t uar_type)
{
	memset(q, 0, sizeof(*q));
	context_open(q);
	q->uar = mlx5dv_devx_alloc_uar(q->ctx, uar_type);
	assert_non_null(q->uar);
	q->mem = aligned_alloc(4096, RING_BYTES);
	assert_non_null(q->mem);
	memset(q->mem, 0, RING_BYTES);
	q->umem = mlx5dv_devx_umem_reg(q->ctx, q->mem, RING_BYTES, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(q->umem);
	cq_create(q);
	devx_qp_create(q);
	qp_modify(q, 0x502);
	qp_modify(q, 0x503);
	qp_modify(q, 0x504);
}

static inline void
queue_destroy(struct queue *q)
{
	assert_int_equal(mlx5dv_devx_obj_destroy(q->qp), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(q->cq), 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(q->umem), 0);
	mlx5dv_devx_free_uar(q->uar);
	context_close(q);
	free(q->mem);
}

static inline struct mlx5_wqe_ctrl_seg *
post_nop(struct queue *q, uint8_t fm_ce_se)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)(q->mem + SQ_OFFSET + q->pi % NB_BB * 64);

	mlx5dv_set_ctrl_seg(ctrl, q->pi, MLX5_OPCODE_NOP, 0, q->qpn, fm_ce_se, 1, 0, 0);
	q->pi++;
	return ctrl;
}

/* nb_bytes 8: a doorbell; 64: the complete WQE, as a BlueField write. */
static inline void
ring(struct queue *q, const struct mlx5_wqe_ctrl_seg *ctrl, size_t offset, size_t nb_bytes)
{
	volatile uint64_t *to = (volatile uint64_t *)((uint8_t *)q->uar->reg_addr + offset);
	uint32_t be = htobe32(q->pi);
	size_t i;

	memcpy(q->mem + DBR_OFFSET + 4, &be, sizeof(be));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < nb_bytes / sizeof(*to); i++)
		to[i] = ((const uint64_t *)(const void *)ctrl)[i];
}

/* A request of its own completion and doorbell. */
static inline void
nop_ring(struct queue *q)
{
	ring(q, post_nop(q, MLX5_WQE_CTRL_CQ_UPDATE), 0, 8);
}

static inline void
expect_nop_done(struct queue *q, uint16_t index)
{
	volatile struct mlx5_cqe64 *cqe = (void *)(q->mem + CQ_OFFSET + q->ci % NB_BB * 64);
	uint8_t owner = q->ci / NB_BB & 1;
	const uint64_t deadline = patience_end();
	uint32_t be;

	while ((cqe->op_own >> 4 == 0xf || (cqe->op_own & 1) != owner) &&
	       !patience_is_over(deadline))
		;
	assert_int_equal(cqe->op_own, owner);		/* opcode 0: a request that is done */
	assert_int_equal(be16toh(cqe->wqe_counter), index);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) & 0xffffff, q->qpn);
	q->ci++;
	be = htobe32(q->ci);
	memcpy(q->mem + DBR_OFFSET + 64, &be, sizeof(be));
}

#endif /* DEVX_QUEUE_H */
