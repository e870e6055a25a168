/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The queues of the world, and what they need besides keys. */

#include "fuzz.h"
#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "mlx5_prm_srq.h"

static uint32_t
must_alloc(struct fuzz_hca *h, uint16_t opcode)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };

	prm_set(in, PRM_CMD_IN_OPCODE, opcode);
	return fuzz_must(h, in, sizeof(in));
}

/* The address of a RoCE port: link local, from its MAC address more or less. */
void
fuzz_gid(const struct fuzz_world *w, const struct fuzz_hca *h, uint8_t *gid)
{
	memset(gid, 0, 16);
	gid[0] = 0xfe;
	gid[1] = 0x80;
	gid[15] = h == &w->hcas[0] ? 1 : 2;
}

static void
roce_address_set(struct fuzz_world *w, struct fuzz_hca *h)
{
	uint8_t in[PRM_SET_ROCE_ADDRESS_IN_SIZE] = { 0 };
	uint8_t *addr = in + PRM_SET_ROCE_ADDRESS_IN_ADDR_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_SET_ROCE_ADDRESS);
	fuzz_gid(w, h, addr);
	addr[PRM_ROCE_ADDR_MAC_BYTE] = 0x02;
	addr[PRM_ROCE_ADDR_MAC_BYTE + 5] = h == &w->hcas[0] ? 1 : 2;
	prm_set(addr, PRM_ROCE_ADDR_L3_TYPE, PRM_ROCE_L3_TYPE_IPV6);
	prm_set(addr, PRM_ROCE_ADDR_VERSION, PRM_ROCE_VERSION_2);
	fuzz_must(h, in, sizeof(in));
}

static void
eq_create(struct fuzz_world *w, struct fuzz_hca *h)
{
	uint8_t box[FUZZ_BOX] = { 0 };
	uint8_t *eqc = box + PRM_CREATE_EQ_IN_EQC_BYTE;
	uint64_t ring = fuzz_pages_get(w, 1);

	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_EQ);
	prm_set(eqc, PRM_EQC_LOG_EQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_EQ_EQES));
	prm_set(eqc, PRM_EQC_UAR_PAGE, h->uarn);
	for (unsigned int i = 0; i < PRM_EQ_NB_MASKS; i++)
		prm_set(box, PRM_CREATE_EQ_IN_EVENT_BITMASK(i), UINT64_MAX);
	fuzz_put_pages(box + PRM_CREATE_EQ_IN_PAS_BYTE, ring, 1);
	h->eqn = fuzz_must(h, box, PRM_CREATE_EQ_IN_PAS_BYTE + PRM_MTT_SIZE) & 0xff;
}

void
fuzz_cq_box(const struct fuzz_hca *h, const struct fuzz_cq *cq, uint8_t *box)
{
	uint8_t *cqc = box + PRM_CREATE_CQ_IN_CQC_BYTE;

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_CQ);
	/* The last has entries of 128 bytes. */
	if (cq == &h->cqs[FUZZ_NB_CQS - 1])
		prm_set(cqc, PRM_CQC_CQE_SZ, PRM_CQC_CQE_SZ_128);
	prm_set(cqc, PRM_CQC_LOG_CQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_CQ_CQES));
	prm_set(cqc, PRM_CQC_UAR_PAGE, h->uarn);
	prm_set(cqc, PRM_CQC_C_EQN, h->eqn);
	prm_set(cqc, PRM_CQC_DBR_ADDR, cq->dbr);
	fuzz_put_pages(box + PRM_CREATE_CQ_IN_PAS_BYTE, cq->ring, 1);
}

static void
cqs_create(struct fuzz_world *w, struct fuzz_hca *h, uint64_t dbrs)
{
	uint8_t box[FUZZ_BOX];
	struct fuzz_cq *cq;

	for (unsigned int i = 0; i < FUZZ_NB_CQS; i++) {
		cq = &h->cqs[i];
		cq->dbr = dbrs + (uint64_t)i * 64;
		cq->ring = fuzz_pages_get(w, 1);
		memset(fuzz_mem(w, cq->ring), 0xf1, FUZZ_PAGE);
		fuzz_cq_box(h, cq, box);
		cq->num = fuzz_must(h, box, PRM_CREATE_CQ_IN_PAS_BYTE + PRM_MTT_SIZE);
	}
}

/* ---- Shared receive queues: lists, whose entries name the next ---- */

void
fuzz_srq_box(const struct fuzz_hca *h, const struct fuzz_srq *srq, uint8_t *box)
{
	uint8_t *srqc = box + PRM_CREATE_SRQ_IN_SRQC_BYTE;
	bool is_xrc = srq != &h->srqs[0];

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, is_xrc ? PRM_CMD_CREATE_XRC_SRQ : PRM_CMD_CREATE_SRQ);
	prm_set(srqc, PRM_SRQC_LOG_SRQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_RQ_WQES));
	prm_set(srqc, PRM_SRQC_LOG_RQ_STRIDE, 2);
	prm_set(srqc, PRM_SRQC_PD, h->pdn);
	prm_set(srqc, PRM_SRQC_CQN, h->cqs[0].num);
	prm_set(srqc, PRM_SRQC_XRCD, is_xrc ? h->xrcdn : 0);
	prm_set(srqc, PRM_SRQC_LWM, 2);
	prm_set(srqc, PRM_SRQC_DBR_ADDR, srq->dbr);
	fuzz_put_pages(box + PRM_CREATE_SRQ_IN_PAS_BYTE, srq->ring, 1);
}

static void
srqs_create(struct fuzz_world *w, struct fuzz_hca *h, uint64_t dbrs)
{
	uint8_t box[FUZZ_BOX];
	struct fuzz_srq *srq;

	h->xrcdn = must_alloc(h, PRM_CMD_ALLOC_XRCD);
	for (unsigned int i = 0; i < FUZZ_NB_SRQS; i++) {
		srq = &h->srqs[i];
		srq->dbr = dbrs + (uint64_t)i * 64;
		srq->ring = fuzz_pages_get(w, 1);
		for (unsigned int j = 0; j < FUZZ_RQ_WQES; j++)
			prm_dword_set(fuzz_mem(w, srq->ring + (uint64_t)j * 64), 0,
				      (j + 1) % FUZZ_RQ_WQES);
		fuzz_srq_box(h, srq, box);
		srq->num = fuzz_must(h, box, PRM_CREATE_SRQ_IN_PAS_BYTE + PRM_MTT_SIZE);
	}
}

/* A target of DC, which receives into the shared queue. */
void
fuzz_dct_box(const struct fuzz_hca *h, uint8_t *box)
{
	uint8_t *dctc = box + PRM_CREATE_DCT_IN_DCTC_BYTE;

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_DCT);
	prm_set(dctc, PRM_DCTC_CQN, h->cqs[0].num);
	prm_set(dctc, PRM_DCTC_SRQN_XRQN, h->srqs[0].num);
	prm_set(dctc, PRM_DCTC_PD, h->pdn);
	prm_set(dctc, PRM_DCTC_RRE, 1);
	prm_set(dctc, PRM_DCTC_RWE, 1);
	prm_set(dctc, PRM_DCTC_RAE, 1);
	prm_set(dctc, PRM_DCTC_ATOMIC_MODE, 3);
	prm_set(dctc, PRM_DCTC_MTU, 5);
	prm_set(dctc, PRM_DCTC_PORT, 1);
	prm_set(dctc, PRM_DCTC_DC_ACCESS_KEY, FUZZ_DC_KEY);
}

static void
dct_create(struct fuzz_hca *h)
{
	uint8_t box[FUZZ_BOX];

	fuzz_dct_box(h, box);
	h->dctn = fuzz_must(h, box, PRM_CREATE_DCT_IN_SIZE);
}

/* ---- Bandwidth: an arbiter, a group of queues below it, a paced rate ---- */

static uint32_t
sched_create(struct fuzz_hca *h, uint8_t type, uint32_t parent, uint32_t mbps)
{
	uint8_t in[PRM_GENERAL_OBJ_IN_BODY_BYTE + PRM_SCHED_ELEM_SIZE] = { 0 };
	uint8_t *elem = in + PRM_GENERAL_OBJ_IN_BODY_BYTE, *ctx = elem + PRM_SCHED_ELEM_CTX_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_GENERAL_OBJECT);
	prm_set(in, PRM_GENERAL_OBJ_IN_OBJ_TYPE, PRM_OBJ_TYPE_SCHEDULING_ELEMENT);
	prm_set(elem, PRM_SCHED_ELEM_HIERARCHY, PRM_SCHED_HIERARCHY_NIC);
	prm_set(ctx, PRM_SCHED_ELEMENT_TYPE, type);
	prm_set(ctx, PRM_SCHED_PARENT_ELEMENT_ID, parent);
	prm_set(ctx, PRM_SCHED_MAX_AVERAGE_BW, mbps);
	return fuzz_must(h, in, sizeof(in));
}

static void
rates_create(struct fuzz_hca *h)
{
	uint8_t in[PRM_SET_PP_RATE_LIMIT_IN_SIZE] = { 0 };

	h->group = sched_create(h, PRM_SCHED_ELEM_TSAR, 0, 0);
	h->group = sched_create(h, PRM_SCHED_ELEM_QUEUE_GROUP, h->group, 100);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_SET_PP_RATE_LIMIT);
	prm_set(in, PRM_SET_PP_RATE_LIMIT_IN_INDEX, 1);
	prm_set(in + PRM_SET_PP_RATE_LIMIT_IN_CTX_BYTE, PRM_PP_RATE_LIMIT, 100000);
	fuzz_must(h, in, sizeof(in));
}

/* ---- Queue pairs ---- */

struct qp_plan {
	uint8_t type;
	uint8_t rq_type;
	bool no_sq;
};

static const struct qp_plan qp_plans[FUZZ_NB_QPS] = {
	{ PRM_QP_ST_RC, PRM_RQ_TYPE_REGULAR, false },
	{ PRM_QP_ST_RC, PRM_RQ_TYPE_SRQ, false },
	{ PRM_QP_ST_UC, PRM_RQ_TYPE_REGULAR, false },
	{ PRM_QP_ST_UD, PRM_RQ_TYPE_REGULAR, false },
	{ PRM_QP_ST_XRC, PRM_RQ_TYPE_ZERO_SIZE, false },	/* its peer is the next */
	{ PRM_QP_ST_XRC, PRM_RQ_TYPE_ZERO_SIZE, true },
	{ PRM_QP_ST_UD, PRM_RQ_TYPE_SRQ, false },
	{ PRM_QP_ST_RC, PRM_RQ_TYPE_REGULAR, false },		/* MIXED_QP */
	{ PRM_QP_ST_DCI, PRM_RQ_TYPE_ZERO_SIZE, false },
};

/* The queue that has payload in its CQEs, copies from memory to memory, and is limited. */
#define MIXED_QP 7u

/* Number of the queue that a queue is connected to, on the other device. */
static size_t
peer_index(size_t i)
{
	return i == 4 ? 5 : i == 5 ? 4 : i;
}

void
fuzz_qp_box(const struct fuzz_hca *h, const struct fuzz_qp *qp, uint8_t *box)
{
	uint8_t *qpc = box + PRM_CREATE_QP_IN_QPC_BYTE;
	size_t i = (size_t)(qp - h->qps);
	const struct qp_plan *plan = &qp_plans[i];

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_QP);
	prm_set(qpc, PRM_QPC_ST, plan->type);
	prm_set(qpc, PRM_QPC_RQ_TYPE, plan->rq_type);
	prm_set(qpc, PRM_QPC_NO_SQ, plan->no_sq);
	if (plan->rq_type == PRM_RQ_TYPE_SRQ)
		prm_set(qpc, PRM_QPC_SRQN_RMPN_XRQN, h->srqs[0].num);
	if (plan->type == PRM_QP_ST_DCI) {
		prm_set(qpc, PRM_QPC_LOG_NUM_DCI_STREAM_CHANNELS, 2);
		prm_set(qpc, PRM_QPC_LOG_NUM_DCI_ERRORED_STREAMS, 1);
	}
	if (plan->type == PRM_QP_ST_XRC)
		prm_set(qpc, PRM_QPC_XRCD, h->xrcdn);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_PD, h->pdn);
	prm_set(qpc, PRM_QPC_LOG_RQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_RQ_WQES));
	prm_set(qpc, PRM_QPC_LOG_RQ_STRIDE, 2);
	prm_set(qpc, PRM_QPC_LOG_SQ_SIZE, (unsigned int)__builtin_ctz(FUZZ_SQ_BB));
	prm_set(qpc, PRM_QPC_UAR_PAGE, h->uarn);
	prm_set(qpc, PRM_QPC_USER_INDEX, i);
	prm_set(qpc, PRM_QPC_CQN_SND, h->cqs[i % FUZZ_NB_CQS].num);
	prm_set(qpc, PRM_QPC_CQN_RCV, h->cqs[(i + 1) % FUZZ_NB_CQS].num);
	prm_set(qpc, PRM_QPC_DBR_ADDR, qp->dbr);
	if (i == MIXED_QP) {
		prm_set(qpc, PRM_QPC_PACKET_PACING_RATE_LIMIT_INDEX, 1);
		prm_set(qpc, PRM_QPC_CS_REQ, PRM_QPC_CS_REQ_64B);
		prm_set(qpc, PRM_QPC_CS_RES, PRM_QPC_CS_RES_32B);
	}
	fuzz_put_pages(box + PRM_CREATE_QP_IN_PAS_BYTE, qp->ring, 1);
}

void
fuzz_modify_box(const struct fuzz_world *w, const struct fuzz_hca *h, const struct fuzz_qp *qp,
		uint16_t opcode, uint8_t *box)
{
	const struct fuzz_hca *peer = h == &w->hcas[0] ? &w->hcas[1] : &w->hcas[0];
	size_t i = (size_t)(qp - h->qps);
	uint8_t *qpc = box + PRM_MODIFY_QP_IN_QPC_BYTE;
	uint8_t *path = qpc + PRM_QPC_PRIMARY_PATH_BYTE;

	memset(box, 0, FUZZ_BOX);
	prm_set(box, PRM_CMD_IN_OPCODE, opcode);
	prm_set(box, PRM_MODIFY_QP_IN_QPN, qp->num);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	if (qp_plans[i].type != PRM_QP_ST_UD && qp_plans[i].type != PRM_QP_ST_DCI)
		prm_set(qpc, PRM_QPC_REMOTE_QPN, peer->qps[peer_index(i)].num);
	prm_set(qpc, PRM_QPC_LOG_MSG_MAX, 30);
	prm_set(qpc, PRM_QPC_MTU, 5);
	if (w->is_eth) {
		prm_set(path, PRM_ADS_GRH, 1);
		fuzz_gid(w, peer, path + PRM_ADS_RGID_BYTE);
		prm_set(path, PRM_ADS_RMAC_47_32, 0x0200);
		prm_set(path, PRM_ADS_RMAC_31_0, peer == &w->hcas[0] ? 1 : 2);
	} else {
		prm_set(path, PRM_ADS_RLID, peer == &w->hcas[0] ? 1 : 2);
	}
	prm_set(path, PRM_ADS_ACK_TIMEOUT, 1);
	prm_set(path, PRM_ADS_VHCA_PORT_NUM, 1);
	prm_set(qpc, PRM_QPC_RETRY_COUNT, 1);
	prm_set(qpc, PRM_QPC_RNR_RETRY, 1);
	prm_set(qpc, PRM_QPC_RRE, 1);
	prm_set(qpc, PRM_QPC_RWE, 1);
	prm_set(qpc, PRM_QPC_RAE, 1);
	prm_set(qpc, PRM_QPC_ATOMIC_MODE, 3);
	prm_set(qpc, PRM_QPC_MIN_RNR_NAK, 1);
	prm_set(qpc, PRM_QPC_Q_KEY, 0x1234);
	if (i == MIXED_QP && opcode == PRM_CMD_INIT2INIT_QP) {
		prm_set(box, PRM_MODIFY_QP_IN_QPC_EXT, 1);
		prm_set(box, PRM_MODIFY_QP_IN_OPT_PARAM_MASK_95_32,
			PRM_QP_OPT_32_MMO | PRM_QP_OPT_32_QOS_QUEUE_GROUP_ID);
		prm_set(box + PRM_MODIFY_QP_IN_EXT_BYTE, PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_REQUESTER,
			h->group);
		prm_set(box + PRM_MODIFY_QP_IN_EXT_BYTE, PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_RESPONDER,
			h->group);
		prm_set(box + PRM_MODIFY_QP_IN_EXT_BYTE, PRM_QPC_EXT_MMO, 1);
	}
}

static void
qps_create(struct fuzz_world *w, struct fuzz_hca *h, uint64_t dbrs)
{
	uint8_t box[FUZZ_BOX];
	struct fuzz_qp *qp;

	for (unsigned int i = 0; i < FUZZ_NB_QPS; i++) {
		qp = &h->qps[i];
		qp->dbr = dbrs + (uint64_t)i * 64;
		qp->ring = fuzz_pages_get(w, 1);
		qp->sq = qp->ring;
		if (qp_plans[i].rq_type == PRM_RQ_TYPE_REGULAR)
			qp->sq += FUZZ_RQ_BYTES;
		fuzz_qp_box(h, qp, box);
		qp->num = fuzz_must(h, box, PRM_CREATE_QP_IN_PAS_BYTE + PRM_MTT_SIZE);
	}
}

static void
qps_connect(struct fuzz_world *w, struct fuzz_hca *h)
{
	static const uint16_t steps[] = {
		PRM_CMD_RST2INIT_QP,
		PRM_CMD_INIT2INIT_QP,
		PRM_CMD_INIT2RTR_QP,
		PRM_CMD_RTR2RTS_QP,
	};
	uint8_t box[FUZZ_BOX];

	for (unsigned int i = 0; i < FUZZ_NB_QPS; i++) {
		for (unsigned int j = 0; j < sizeof(steps) / sizeof(steps[0]); j++) {
			fuzz_modify_box(w, h, &h->qps[i], steps[j], box);
			fuzz_must(h, box, FUZZ_MODIFY);
		}
	}
}

void
fuzz_queues_create(struct fuzz_world *w)
{
	struct fuzz_hca *h;
	uint64_t dbrs;

	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++) {
		h = &w->hcas[i];
		h->pdn = must_alloc(h, PRM_CMD_ALLOC_PD);
		h->uarn = must_alloc(h, PRM_CMD_ALLOC_UAR);
		dbrs = fuzz_pages_get(w, 1);
		h->data = fuzz_pages_get(w, FUZZ_DATA_PAGES);
		h->traps_data = fuzz_pages_get(w, FUZZ_NB_TRAPS);
		if (w->is_eth)
			roce_address_set(w, h);
		eq_create(w, h);
		cqs_create(w, h, dbrs);
		srqs_create(w, h, dbrs + FUZZ_NB_CQS * 64);
		dct_create(h);
		rates_create(h);
		qps_create(w, h, dbrs + (FUZZ_NB_CQS + FUZZ_NB_SRQS) * 64);
	}
	for (unsigned int i = 0; i < FUZZ_NB_HCAS; i++)
		qps_connect(w, &w->hcas[i]);
}
