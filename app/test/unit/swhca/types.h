/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_TYPES_H
#define SWHCA_TYPES_H

/* Queue pairs of any service type, and shared receive queues; by dword and bit as in world.h. */

#include "pair.h"

#define ST_RC	0u
#define ST_UC	1u
#define ST_UD	2u
#define ST_XRC	3u
#define ST_REG_UMR 0xcu

#define RQ_OWN	  0u
#define RQ_SHARED 1u
#define RQ_NONE	  3u

struct type_opts {
	uint32_t st;
	uint32_t rq_type;
	uint32_t srqn;
	uint32_t xrcdn;
	bool no_sq;
	bool block_lb_mc;
};

/* Destination of a QP and its expected packets. */
struct type_path {
	uint32_t remote_qpn;
	uint16_t lid;
	uint32_t access;	/* rre << 2 | rwe << 1 | rae */
	uint32_t atomic_mode;
	uint32_t qkey;
	uint32_t send_psn;
	uint32_t recv_psn;
	uint32_t pkey_index;
	uint32_t log_msg_max;	/* 0: 30 */
};

#define ALL_QP_ACCESS 7u

static inline void
type_qp_create(struct world *w, int dev, struct world_qp *qp, const struct type_opts *opts)
{
	uint8_t in[WORLD_BOX];

	/* Create a QP for its rings and CQs, then another QP that uses them. */
	world_qp_create(w, dev, qp);
	world_qp_box(w, dev, in, qp);
	world_put(in, 6, 16, opts->st);
	world_put(in, 7, 30, opts->block_lb_mc);
	world_put(in, 8, 15, opts->no_sq);
	world_put(in, 44, 0, opts->xrcdn);
	world_put(in, 49, 24, opts->rq_type);
	world_put(in, 49, 0, opts->srqn);
	if (opts->rq_type != RQ_OWN)
		world_put(in, 65, 0, WORLD_SQ_OFF);	/* no receive queue before it */
	assert_int_equal(world_qp_replace(qp, in), 0);
}

/* For UMRs of the kernel; in RTS. */
static inline void
type_umr_qp_create(struct world *w, int dev, struct world_qp *qp)
{
	type_qp_create(w, dev, qp, &(struct type_opts){ .st = ST_REG_UMR });
	world_qp_to_rts(qp, 0, 0, 0);
}

static inline uint8_t
type_modify(struct world_qp *qp, uint16_t opcode, const struct type_path *path)
{
	uint8_t in[WORLD_BOX] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 2, 0, qp->qpn);
	world_put(in, 8, 29, 5);		/* mtu: 4096 */
	world_put(in, 8, 24, path->log_msg_max == 0 ? 30 : path->log_msg_max);
	world_put(in, 11, 0, path->remote_qpn);
	world_put(in, 12, 0, path->pkey_index);
	world_put(in, 13, 0, path->lid);
	world_put(in, 14, 27, 1);		/* ack_timeout: 8 us */
	world_put(in, 34, 16, 1);		/* retry_count */
	world_put(in, 34, 13, 1);		/* rnr_retry */
	world_put(in, 36, 0, path->send_psn);
	world_put(in, 42, 13, path->access);
	world_put(in, 42, 16, path->atomic_mode);
	world_put(in, 43, 24, 1);		/* min_rnr_nak: 10 us */
	world_put(in, 43, 0, path->recv_psn);
	world_put(in, 48, 0, path->qkey);
	return world_exec(qp->hca, in, sizeof(in));
}

static inline void
type_to_rts(struct world_qp *qp, const struct type_path *path)
{
	assert_int_equal(type_modify(qp, 0x502, path), 0);
	assert_int_equal(type_modify(qp, 0x503, path), 0);
	assert_int_equal(type_modify(qp, 0x504, path), 0);
}

static inline uint32_t
type_query_qp(struct world_qp *qp, unsigned int dw)
{
	uint8_t out[0x110];

	assert_int_equal(world_query(qp->hca, 0x50b, 0, qp->qpn, out, sizeof(out)), 0);
	return world_get(out, 6 + dw);
}

/* ATTACH_TO_MCG (0x806), DETACH_FROM_MCG (0x807) */
static inline uint8_t
type_mcg(struct world_qp *qp, uint16_t opcode, const uint8_t gid[16])
{
	uint8_t in[32] = { 0 };

	world_put(in, 0, 16, opcode);
	world_put(in, 2, 0, qp->qpn);
	memcpy(in + 16, gid, 16);
	return world_exec(qp->hca, in, sizeof(in));
}

/* Check the next event of a device. */
static inline void
expect_event(struct world *w, int dev, uint8_t type, uint32_t num)
{
	const uint8_t *eqe = NOT_NULL(world_eqe(w, dev));

	assert_int_equal(eqe[1], type);
	assert_int_equal(world_get(eqe, 14), num);
}

/* A shared receive queue of 16 WQEs of 64 bytes; its record follows them. */
#define SRQ_WQES	16u
#define SRQ_DBR_OFF	2048u

struct type_srq {
	struct swhca_hca *hca;
	uint8_t *page;
	uint32_t num;
	uint16_t destroy_op;
	bool is_list;
	uint16_t pi;
};

#define SRQ_BOX (0x110u + 8u)

/* CREATE_RMP: rmpc at dword 8, its wq at 20, page addresses at 68. */
static inline void
type_rmp_box(const struct world_dev *dev, uint8_t *in, const void *page, bool is_list)
{
	memset(in, 0, SRQ_BOX);
	world_put(in, 0, 16, 0x90c);
	world_put(in, 8, 20, 1);		/* RDY */
	world_put(in, 9, 31, !is_list);		/* basic_cyclic_rcv_wqe */
	world_put(in, 20, 28, !is_list);
	world_put(in, 22, 0, dev->pdn);
	world_put_bus(in, 24, (const uint8_t *)page + SRQ_DBR_OFF);
	world_put(in, 28, 16, 6);		/* 64 bytes */
	world_put(in, 28, 0, 4);		/* 16 WQEs */
	world_put_bus(in, 68, page);
}

/* CREATE_SRQ and CREATE_XRC_SRQ: context at dword 4. */
static inline void
type_srq_box(const struct world_dev *dev, uint8_t *in, const void *page, uint16_t opcode,
	     uint32_t xrcdn, uint32_t cqn)
{
	memset(in, 0, SRQ_BOX);
	world_put(in, 0, 16, opcode);
	world_put(in, 4, 24, 4);		/* 16 WQEs */
	world_put(in, 5, 24, 2);		/* 64 bytes */
	world_put(in, 5, 0, xrcdn);
	world_put(in, 6, 0, cqn);
	world_put(in, 8, 0, 0x456);		/* user_index */
	world_put(in, 10, 0, dev->pdn);
	world_put_bus(in, 14, (const uint8_t *)page + SRQ_DBR_OFF);
	world_put_bus(in, 68, page);
}

static inline void
type_srq_exec(struct type_srq *srq, const uint8_t *in, uint16_t destroy_op)
{
	srq->num = world_exec_create(srq->hca, in, SRQ_BOX);
	srq->destroy_op = destroy_op;
}

static inline void
type_srq_init(const struct world_dev *dev, struct type_srq *srq, bool is_list)
{
	*srq = (struct type_srq){ .hca = dev->hca, .is_list = is_list };
	srq->page = world_pages(4096);
}

static inline void
type_rmp_create(struct world *w, int dev, struct type_srq *srq, bool is_list)
{
	uint8_t in[SRQ_BOX];

	type_srq_init(&w->dev[dev], srq, is_list);
	type_rmp_box(&w->dev[dev], in, srq->page, is_list);
	type_srq_exec(srq, in, 0x90e);
}

static inline void
type_xrc_srq_create(struct world *w, int dev, struct type_srq *srq, uint32_t xrcdn, uint32_t cqn)
{
	uint8_t in[SRQ_BOX];

	type_srq_init(&w->dev[dev], srq, true);
	type_srq_box(&w->dev[dev], in, srq->page, 0x705, xrcdn, cqn);
	type_srq_exec(srq, in, 0x706);
}

static inline void
type_srq_destroy(struct type_srq *srq)
{
	assert_int_equal(world_cmd(srq->hca, srq->destroy_op, srq->num, NULL), 0);
	free(srq->page);
}

static inline void
type_srq_ring(struct type_srq *srq, uint16_t pi)
{
	srq->pi = pi;
	world_store(srq->page + SRQ_DBR_OFF, pi);
}

/* Write entry `at` of the queue, followed by `next` in a list, and post it. */
static inline void
type_srq_post_at(struct type_srq *srq, uint16_t at, uint16_t next, uint32_t key, void *addr,
		 uint32_t len)
{
	uint8_t *wqe = srq->page + (size_t)at * 64;
	unsigned int dw = srq->is_list ? 4 : 0;

	memset(wqe, 0, 64);
	if (srq->is_list)
		world_put(wqe, 0, 0, next);
	world_put(wqe, dw, 0, len);
	world_put(wqe, dw + 1, 0, key);
	world_put64(wqe, dw + 2, (uintptr_t)addr);
	world_put(wqe, dw + 5, 0, 0x100);
	type_srq_ring(srq, (uint16_t)(srq->pi + 1));
}

static inline void
type_srq_post(struct type_srq *srq, uint32_t key, void *addr, uint32_t len)
{
	uint16_t at = srq->pi % SRQ_WQES;

	type_srq_post_at(srq, at, (uint16_t)((at + 1) % SRQ_WQES), key, addr, len);
}

#endif /* SWHCA_TYPES_H */
