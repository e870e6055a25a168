/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completions, seen where they are written: entry by entry, with the owner of this turn of the
 * ring, never where software has not read yet; those of a queue in the order of its WQEs, at most
 * one of each, and of none that was not posted.
 *
 * That is so as long as software keeps its part. Where a step has overwritten a record, or lied
 * about a counter, nothing is expected of that queue until it is made anew.
 */

#include "fuzz_check.h"
#include "mlx5_prm_srq.h"

#define MAX_QUEUES   128u
#define COUNTER_MASK 0xffffffu
#define CQE_SIZE     64u

struct cq {
	struct fuzz_obj obj;
	uint64_t ring;
	uint64_t dbr;
	unsigned int log_size;
	unsigned int log_cqe;
	uint32_t pi;
	uint32_t ci;		/* as software told last */
	bool is_wild;		/* its counter */
	bool is_shared;		/* its ring: something else was written there */
};

/* Of a work queue: the WQE of its last CQE. */
struct order {
	bool has_last;
	uint16_t last;
};

struct qp {
	struct fuzz_obj obj;
	uint64_t dbr;
	uint8_t rq_type;
	bool is_wild;
	struct order sq;
	struct order rq;
};

static struct cq cqs[MAX_QUEUES];
static struct qp qps[MAX_QUEUES];
static unsigned int nb_cqs, nb_qps;

void
fuzz_cqes_reset(void)
{
	nb_cqs = nb_qps = 0;
}

static struct cq *
cq_find(const struct fuzz_obj *obj)
{
	for (unsigned int i = 0; i < nb_cqs; i++) {
		if (fuzz_obj_is(&cqs[i].obj, obj))
			return &cqs[i];
	}
	return NULL;
}

static struct qp *
qp_find(const struct fuzz_hca *h, uint32_t num)
{
	const struct fuzz_obj obj = { .h = h, .kind = PRM_CMD_DESTROY_QP, .num = num };

	for (unsigned int i = 0; i < nb_qps; i++) {
		if (fuzz_obj_is(&qps[i].obj, &obj))
			return &qps[i];
	}
	return NULL;
}

/* ---- Commands ---- */

/* Only rings that are one piece, of entries that stand by themselves. */
static void
cq_made(const struct fuzz_obj *obj, const uint8_t *in, size_t in_len)
{
	const uint8_t *cqc = in + PRM_CREATE_CQ_IN_CQC_BYTE;
	unsigned int log_page = (unsigned int)prm_get(cqc, PRM_CQC_LOG_PAGE_SIZE) + 12;
	struct cq cq = {
		.obj = *obj, .dbr = prm_get(cqc, PRM_CQC_DBR_ADDR),
		.log_size = (unsigned int)prm_get(cqc, PRM_CQC_LOG_CQ_SIZE),
		.log_cqe = prm_get(cqc, PRM_CQC_CQE_SZ) == PRM_CQC_CQE_SZ_64 ? 6 : 7,
	};

	if (nb_cqs == MAX_QUEUES || in_len < PRM_CREATE_CQ_IN_PAS_BYTE + 8 ||
	    prm_get(in, PRM_CREATE_CQ_IN_CQ_UMEM_VALID) || prm_get(cqc, PRM_CQC_DBR_UMEM_VALID) ||
	    prm_get(cqc, PRM_CQC_CQE_COMP_EN) || prm_get(cqc, PRM_CQC_OI) ||
	    prm_get(cqc, PRM_CQC_PAGE_OFFSET) || cq.log_size + cq.log_cqe > log_page)
		return;
	cq.ring = prm_get(in + PRM_CREATE_CQ_IN_PAS_BYTE, PRM_FIELD(0, 0, 64));
	cq.ring &= ~((UINT64_C(1) << log_page) - 1);
	cqs[nb_cqs++] = cq;
}

static void
qp_made(const struct fuzz_obj *obj, const uint8_t *in)
{
	const uint8_t *qpc = in + PRM_CREATE_QP_IN_QPC_BYTE;

	struct qp *qp = &qps[nb_qps];

	if (nb_qps == MAX_QUEUES || prm_get(qpc, PRM_QPC_DBR_UMEM_VALID))
		return;
	*qp = (struct qp){
		.obj = *obj, .dbr = prm_get(qpc, PRM_QPC_DBR_ADDR),
		.rq_type = (uint8_t)prm_get(qpc, PRM_QPC_RQ_TYPE),
	};
	for (unsigned int i = 0; i < nb_qps; i++) {
		if (qps[i].dbr == qp->dbr)
			qps[i].is_wild = qp->is_wild = true;
	}
	nb_qps++;
}

static void
queue_ended(const struct fuzz_obj *obj)
{
	struct cq *cq = cq_find(obj);
	struct qp *qp = obj->kind == PRM_CMD_DESTROY_QP ? qp_find(obj->h, obj->num) : NULL;

	if (cq != NULL)
		*cq = cqs[--nb_cqs];
	if (qp != NULL)
		*qp = qps[--nb_qps];
}

void
fuzz_cqes_cmd(const struct fuzz_hca *h, const uint8_t *in, size_t in_len, const uint8_t *out)
{
	struct fuzz_obj obj = { .h = h, .kind = PRM_CMD_DESTROY_CQ };
	struct qp *qp;

	if (fuzz_obj_ended(h, in, in_len, &obj)) {
		queue_ended(&obj);
		return;
	}
	switch (prm_get(in, PRM_CMD_IN_OPCODE)) {
	case PRM_CMD_CREATE_CQ:
		fuzz_obj_made(h, in, in_len, out, &obj);
		cq_made(&obj, in, in_len);
		break;
	case PRM_CMD_MODIFY_CQ:
		/* It may have another ring from here on, or no end. */
		obj.num = prm_dword_get(in, 2) & COUNTER_MASK;
		queue_ended(&obj);
		break;
	case PRM_CMD_CREATE_QP:
		fuzz_obj_made(h, in, in_len, out, &obj);
		qp_made(&obj, in);
		break;
	case PRM_CMD_2RST_QP:
		qp = qp_find(h, (uint32_t)prm_get(in, PRM_MODIFY_QP_IN_QPN));
		if (qp != NULL)
			qp->sq = qp->rq = (struct order){ 0 };
		break;
	default:
		break;
	}
}

static bool
overlaps(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	/* The arena repeats. */
	a %= FUZZ_ARENA;
	b %= FUZZ_ARENA;
	return a < b + b_len && b < a + a_len;
}

void
fuzz_cqes_touched(uint64_t addr, uint64_t len)
{
	for (unsigned int i = 0; i < nb_cqs; i++)
		cqs[i].is_wild |= overlaps(addr, len, cqs[i].dbr, PRM_DBR_SIZE);
	for (unsigned int i = 0; i < nb_qps; i++)
		qps[i].is_wild |= overlaps(addr, len, qps[i].dbr, PRM_DBR_SIZE);
}

/* ---- Entries ---- */

/* How far a WQE is behind the counter that software wrote: at least one if it is posted. */
static bool
is_posted(struct fuzz_world *w, const struct qp *qp, unsigned int counter, uint16_t wqe)
{
	uint16_t ahead = (uint16_t)(prm_dword_get(fuzz_mem(w, qp->dbr), counter) - wqe);

	return ahead >= 1 && ahead < 0x8000;
}

/* WQEs of a send queue may complete without a CQE, and then the next one tells. */
static void
order_check(struct fuzz_world *w, struct qp *qp, struct order *order, bool is_sq, uint16_t wqe)
{
	uint16_t step = (uint16_t)(wqe - order->last);

	if (order->has_last && (step == 0 || step >= 0x8000))
		FUZZ_BROKEN("QP 0x%x: CQE of %s WQE %u behind that of %u", qp->obj.num,
			    is_sq ? "send" : "receive", wqe, order->last);
	if (!is_sq && wqe != (order->has_last ? (uint16_t)(order->last + 1) : 0))
		FUZZ_BROKEN("QP 0x%x: CQE of receive WQE %u, the last was %u", qp->obj.num, wqe,
			    order->last);
	if (!is_posted(w, qp, is_sq ? PRM_DBR_SQ : PRM_DBR_RQ, wqe))
		FUZZ_BROKEN("QP 0x%x: CQE of %s WQE %u, which is not posted", qp->obj.num,
			    is_sq ? "send" : "receive", wqe);
	order->has_last = true;
	order->last = wqe;
}

static void
cqe_check(struct fuzz_world *w, const struct fuzz_hca *h, const uint8_t *cqe)
{
	struct qp *qp = qp_find(h, prm_dword_get(cqe, 14) & COUNTER_MASK);
	uint16_t wqe = (uint16_t)(cqe[60] << 8 | cqe[61]);

	if (qp == NULL || qp->is_wild)
		return;
	switch (cqe[63] >> 4) {
	case MLX5_CQE_REQ:
	case MLX5_CQE_REQ_ERR:
		order_check(w, qp, &qp->sq, true, wqe);
		break;
	case MLX5_CQE_RESP_WR_IMM:
	case MLX5_CQE_RESP_SEND:
	case MLX5_CQE_RESP_SEND_IMM:
	case MLX5_CQE_RESP_SEND_INV:
	case MLX5_CQE_RESP_ERR:
		if (qp->rq_type == PRM_RQ_TYPE_REGULAR)
			order_check(w, qp, &qp->rq, false, wqe);
		break;
	default:
		break;
	}
}

/* Room: entries that software has not given back. */
static void
room_check(struct fuzz_world *w, struct cq *cq)
{
	uint32_t ci = prm_dword_get(fuzz_mem(w, cq->dbr), PRM_DBR_RQ) & COUNTER_MASK;
	uint32_t size = UINT32_C(1) << cq->log_size;

	/* It went back, or ahead of what there is. */
	if (((ci - cq->ci) & COUNTER_MASK) > ((cq->pi - cq->ci) & COUNTER_MASK))
		cq->is_wild = true;
	cq->ci = ci;
	if (!cq->is_wild && ((cq->pi - ci) & COUNTER_MASK) >= size)
		FUZZ_BROKEN("CQ 0x%x: entry %u written, software has read up to %u of %u",
			    cq->obj.num, cq->pi, ci, size);
}

static void
entry_check(struct fuzz_world *w, struct cq *cq, uint64_t offset)
{
	uint32_t slot = (uint32_t)(offset >> cq->log_cqe), size = UINT32_C(1) << cq->log_size;
	const uint8_t *cqe = fuzz_mem(w, cq->ring + (offset & ~UINT64_C(63)));

	if (slot != (cq->pi & (size - 1)))
		FUZZ_BROKEN("CQ 0x%x: slot %u written, next is %u", cq->obj.num, slot,
			    cq->pi & (size - 1));
	/* The first half of one of 128 bytes. */
	if (cq->log_cqe == 7 && (offset & CQE_SIZE) == 0)
		return;
	if ((cqe[63] & 1u) != (cq->pi >> cq->log_size & 1))
		FUZZ_BROKEN("CQ 0x%x: entry %u has owner %u", cq->obj.num, cq->pi, cqe[63] & 1u);
	room_check(w, cq);
	cqe_check(w, cq->obj.h, cqe);
	cq->pi++;
}

void
fuzz_cqes_written(struct fuzz_world *w, uint64_t addr, uint64_t len)
{
	struct cq *cq;

	fuzz_cqes_touched(addr, len);
	for (unsigned int i = 0; i < nb_cqs; i++) {
		cq = &cqs[i];
		if (addr < cq->ring ||
		    (addr - cq->ring) >> (cq->log_size + cq->log_cqe) != 0)
			continue;
		/* Another ring may be there, and a key may lead to it. */
		if (fuzz_grants_nb_writers(addr) != 1)
			cq->is_shared = true;
		if (!cq->is_shared)
			entry_check(w, cq, addr - cq->ring);
	}
}
