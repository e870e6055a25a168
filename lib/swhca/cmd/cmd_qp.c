/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <inttypes.h>
#include <stdlib.h>

#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "cmd/cmd.h"
#include "cmd/cmd_dci.h"
#include "cmd/function/cmd_function.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_qos.h"
#include "cmd/cmd_qp_ext.h"
#include "cmd/cmd_qp_scatter.h"
#include "cmd/cmd_ring.h"
#include "engine/doorbell.h"
#include "object/limits.h"
#include "queue/srq.h"
#include "xport/dci.h"

static bool
qpc_has_type(const struct swhca_cmd *cmd, const uint8_t *qpc)
{
	switch (prm_get(qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_RC:
	case PRM_QP_ST_UC:
	case PRM_QP_ST_UD:
	case PRM_QP_ST_XRC:
	case PRM_QP_ST_DCI:
		return true;
	case PRM_QP_ST_REG_UMR:
		/* Only the kernel may have a queue pair that rewrites keys of any owner. */
		return cmd->uid == 0;
	default:
		return swhca_cmd_qp_is_mad(cmd, qpc);
	}
}

static uint8_t
qpc_check(struct swhca_cmd *cmd, const uint8_t *qpc)
{
	uint64_t st = prm_get(qpc, PRM_QPC_ST);
	uint64_t rq_type = prm_get(qpc, PRM_QPC_RQ_TYPE);
	unsigned int stride = (unsigned int)prm_get(qpc, PRM_QPC_LOG_RQ_STRIDE);

	if (!qpc_has_type(cmd, qpc))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1,
					"service type %" PRIu64 " is not modelled", st);
	/* Shared queues are for transports whose messages do not name one. */
	if (st == PRM_QP_ST_XRC && rq_type == PRM_RQ_TYPE_REGULAR)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 15,
					"XRC with a receive queue of its own");
	if (rq_type != PRM_RQ_TYPE_REGULAR && rq_type != PRM_RQ_TYPE_SRQ &&
	    rq_type != PRM_RQ_TYPE_ZERO_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2,
					"receive queue type %" PRIu64 " is not modelled", rq_type);
	if (rq_type == PRM_RQ_TYPE_REGULAR && 16u << stride > SWHCA_MAX_WQE_SZ_RQ)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 9,
					"receive WQEs of %u bytes, at most %u", 16u << stride,
					SWHCA_MAX_WQE_SZ_RQ);
	if ((prm_get(qpc, PRM_QPC_NO_SQ) == 0 &&
	     prm_get(qpc, PRM_QPC_LOG_SQ_SIZE) > cmd->hca->conf.log_max_qp_sz) ||
	    (rq_type == PRM_RQ_TYPE_REGULAR &&
	     prm_get(qpc, PRM_QPC_LOG_RQ_SIZE) > cmd->hca->conf.log_max_qp_sz))
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 14,
					"log_sq_size %u, log_rq_size %u, at most %u",
					(unsigned int)prm_get(qpc, PRM_QPC_LOG_SQ_SIZE),
					(unsigned int)prm_get(qpc, PRM_QPC_LOG_RQ_SIZE),
					cmd->hca->conf.log_max_qp_sz);
	if (prm_get(qpc, PRM_QPC_TS_FORMAT) > PRM_TS_FORMAT_DEFAULT &&
	    (prm_get(qpc, PRM_QPC_TS_FORMAT) != PRM_TS_FORMAT_REAL_TIME ||
	     !swhca_cmd_has_real_time(cmd->hca)))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 16,
					"ts_format %" PRIu64 ", qp_ts_format does not offer it",
					prm_get(qpc, PRM_QPC_TS_FORMAT));
	if (prm_get(qpc, PRM_QPC_WQ_SIGNATURE))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"work queue signatures are not modelled");
	return swhca_cmd_qp_rate_check(cmd, qpc);
}

/* The initiator of XRC has no receive side; its target only receives messages that name a queue. */
static bool
qp_is_xrc_target(const struct swhca_qp *qp)
{
	return prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_XRC && !qp->has_sq;
}

/*
 * An initiator of DC only receives answers. The receive queue in its context is ignored: mlx5_ib
 * (create_dci()) writes its own SRQ there, which users cannot name.
 */
static bool
qp_has_srq(const struct swhca_qp *qp)
{
	uint64_t st = prm_get(qp->qpc, PRM_QPC_ST);

	return st != PRM_QP_ST_XRC && st != PRM_QP_ST_DCI &&
	       prm_get(qp->qpc, PRM_QPC_RQ_TYPE) == PRM_RQ_TYPE_SRQ;
}

static bool
qp_receives_by_cq(const struct swhca_qp *qp)
{
	return prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_XRC &&
	       prm_get(qp->qpc, PRM_QPC_RQ_TYPE) != PRM_RQ_TYPE_ZERO_SIZE;
}

/* Set the shared receive queue of a QP, or the domain of those of an XRC target. */
static uint8_t
qp_init_shared(struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	uint32_t srqn = (uint32_t)prm_get(qp->qpc, PRM_QPC_SRQN_RMPN_XRQN);
	uint32_t xrcdn = (uint32_t)prm_get(qp->qpc, PRM_QPC_XRCD);
	struct swhca_srq *srq;

	if (qp_is_xrc_target(qp)) {
		qp->xrcd = swhca_cmd_obj(cmd, SWHCA_OBJ_XRCD, xrcdn);
		/* Its SRQs have PDs of others: only the kernel knows who may use its domains. */
		if (qp->xrcd != NULL && qp->xrcd->uid != cmd->uid)
			qp->xrcd = NULL;
		if (qp->xrcd == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 16,
						"XRCD 0x%x does not exist", xrcdn);
		swhca_obj_ref(qp->xrcd);
	}
	if (!qp_has_srq(qp))
		return PRM_CMD_OK;
	srq = (struct swhca_srq *)swhca_cmd_obj(cmd, SWHCA_OBJ_SRQ, srqn);
	if (srq == NULL || srq->kind == SWHCA_SRQ_XRC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 17, "SRQ 0x%x does not exist", srqn);
	qp->srq = &srq->obj;
	qp->rq = &srq->rq;
	swhca_obj_ref(qp->srq);
	return PRM_CMD_OK;
}

/* mlx5_ib (create_kernel_qp()) sets no PD for the queue pair that rewrites keys of any PD. */
static struct swhca_obj *
qp_pd(struct swhca_cmd *cmd, const struct swhca_qp *qp, uint32_t pdn)
{
	if (pdn == 0 && prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_REG_UMR)
		return &cmd->hca->no_pd;
	return swhca_cmd_obj(cmd, SWHCA_OBJ_PD, pdn);
}

static uint8_t
qp_init_refs(struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	uint32_t pdn = (uint32_t)prm_get(qp->qpc, PRM_QPC_PD);
	uint32_t uarn = (uint32_t)prm_get(qp->qpc, PRM_QPC_UAR_PAGE);
	uint32_t send_cqn = (uint32_t)prm_get(qp->qpc, PRM_QPC_CQN_SND);
	uint32_t recv_cqn = (uint32_t)prm_get(qp->qpc, PRM_QPC_CQN_RCV);
	struct swhca_obj *pd = qp_pd(cmd, qp, pdn);
	struct swhca_obj *uar = swhca_cmd_obj(cmd, SWHCA_OBJ_UAR, uarn);
	struct swhca_obj *send_cq = swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, send_cqn);
	struct swhca_obj *recv_cq = swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, recv_cqn);
	uint8_t status;

	if (pd == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 4, "PD 0x%x does not exist", pdn);
	if (uar == NULL && qp->has_sq)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 5, "UAR 0x%x does not exist", uarn);
	if (send_cq == NULL && qp->has_sq)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 6, "send CQ 0x%x does not exist",
					send_cqn);
	if (recv_cq == NULL && qp_receives_by_cq(qp))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 7, "receive CQ 0x%x does not exist",
					recv_cqn);
	status = qp_init_shared(cmd, qp);
	if (status != PRM_CMD_OK)
		return status;
	qp->pd = pd;
	qp->own_rq.pd = pd;
	swhca_obj_ref(pd);
	if (uar != NULL) {
		qp->uar = (struct swhca_uar *)uar;
		swhca_uar_ref(cmd->hca, qp->uar);
		LIST_INSERT_HEAD(&qp->uar->qps, qp, uar_link);
	}
	if (send_cq != NULL) {
		qp->send_cq = (struct swhca_cq *)send_cq;
		swhca_obj_ref(send_cq);
	}
	if (recv_cq != NULL) {
		qp->recv_cq = (struct swhca_cq *)recv_cq;
		swhca_obj_ref(recv_cq);
	}
	return PRM_CMD_OK;
}

static uint8_t
qp_init_rings(struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	const struct swhca_ring_where where = {
		.in_umem = prm_get(cmd->in, PRM_CREATE_QP_IN_WQ_UMEM_VALID) != 0,
		.umem_id = (uint32_t)prm_get(cmd->in, PRM_CREATE_QP_IN_WQ_UMEM_ID),
		.umem_offset = prm_get(cmd->in, PRM_CREATE_QP_IN_WQ_UMEM_OFFSET),
		.pas = cmd->in + PRM_CREATE_QP_IN_PAS_BYTE,
		.nb_pas = (uint32_t)((cmd->in_len - PRM_CREATE_QP_IN_PAS_BYTE) / PRM_MTT_SIZE),
		.log_page = (uint8_t)prm_get(qp->qpc, PRM_QPC_LOG_PAGE_SIZE) +
			    PRM_ADAPTER_PAGE_SHIFT,
		.page_offset = (uint8_t)prm_get(qp->qpc, PRM_QPC_PAGE_OFFSET),
	};
	uint64_t bytes;
	uint8_t status;

	/* The receive queue comes first, followed by the send queue (libmlx5: qp->sq.offset). */
	if (qp->rq == &qp->own_rq)
		qp->sq_offset = UINT64_C(1) << (qp->rq->log_size + qp->rq->log_stride);
	bytes = qp->sq_offset;
	if (qp->has_sq)
		bytes += (uint64_t)PRM_WQE_BB_SIZE << qp->log_sq_size;
	status = swhca_cmd_ring_init(cmd, &where, bytes, &qp->buf, &qp->umem);
	if (status != PRM_CMD_OK)
		return status;
	status = swhca_cmd_dbr_init(cmd, prm_get(qp->qpc, PRM_QPC_DBR_UMEM_VALID) != 0,
				    (uint32_t)prm_get(qp->qpc, PRM_QPC_DBR_UMEM_ID),
				    prm_get(qp->qpc, PRM_QPC_DBR_ADDR), &qp->dbr);
	if (status != PRM_CMD_OK)
		return status;
	qp->own_rq.buf = qp->buf;
	qp->own_rq.dbr = qp->dbr;
	return PRM_CMD_OK;
}

/*
 * No port is set before RST2INIT, yet adapters report one: programs query it to fill in that
 * command (SPDK: lib/mlx5, mlx5_qp_get_port_pkey_idx()).
 */
static void
qp_init_port(struct swhca_qp *qp)
{
	uint8_t *ads = qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE;

	if (prm_get(ads, PRM_ADS_VHCA_PORT_NUM) == 0)
		prm_set(ads, PRM_ADS_VHCA_PORT_NUM, 1);
}

/* Read the queue parameters from the context. */
static void
qp_init_sizes(struct swhca_qp *qp)
{
	qp->has_sq = prm_get(qp->qpc, PRM_QPC_NO_SQ) == 0;
	qp->log_sq_size = (uint8_t)prm_get(qp->qpc, PRM_QPC_LOG_SQ_SIZE);
	if (prm_get(qp->qpc, PRM_QPC_RQ_TYPE) != PRM_RQ_TYPE_REGULAR)
		return;
	qp->own_rq = (struct swhca_rq){
		.hca = qp->hca,
		.owner = &qp->obj,
		.log_size = (uint8_t)prm_get(qp->qpc, PRM_QPC_LOG_RQ_SIZE),
		.log_stride = (uint8_t)prm_get(qp->qpc, PRM_QPC_LOG_RQ_STRIDE) + 4,
	};
	qp->rq = &qp->own_rq;
}

uint8_t
swhca_cmd_create_qp(struct swhca_cmd *cmd)
{
	const uint8_t *qpc = cmd->in + PRM_CREATE_QP_IN_QPC_BYTE;
	struct swhca_qp *qp;
	uint8_t status;

	status = qpc_check(cmd, qpc);
	if (status != PRM_CMD_OK)
		return status;
	qp = swhca_obj_create(cmd->hca, SWHCA_OBJ_QP, cmd->uid, sizeof(*qp));
	if (qp == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 8, "%u QPs in use",
					cmd->hca->tables[SWHCA_OBJ_QP].nb_used);
	qp->hca = cmd->hca;
	qp->state = PRM_QP_STATE_RST;
	memcpy(qp->qpc, qpc, sizeof(qp->qpc));
	qp_init_port(qp);
	qp_init_sizes(qp);
	status = swhca_cmd_qp_mad_init(cmd, qp);
	if (status == PRM_CMD_OK)
		status = qp_init_refs(cmd, qp);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_qp_scatter_check(cmd, qp);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_dci_init(cmd, qp);
	if (status == PRM_CMD_OK)
		status = qp_init_rings(cmd, qp);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &qp->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CREATE_QP_OUT_QPN, qp->obj.num);
	return PRM_CMD_OK;
}

/* Field set by a transition: always, or only if its bit of opt_param_mask is set. */
struct qp_param {
	struct prm_field field;
	uint32_t opt;
};

#define MAX_PARAMS 12

struct qp_transition {
	uint16_t opcode;
	uint8_t from;		/* bit mask of enum prm_qp_state */
	uint8_t to;
	bool sets_path;
	struct qp_param params[MAX_PARAMS];
};

#define STATE(s) (1u << PRM_QP_STATE_##s)
#define ANY_STATE 0xffu
#define ACCESS_PARAMS                                                                              \
	{ PRM_QPC_RRE, PRM_QP_OPT_RRE }, { PRM_QPC_RAE, PRM_QP_OPT_RAE },                          \
	{ PRM_QPC_ATOMIC_MODE, PRM_QP_OPT_RAE }, { PRM_QPC_RWE, PRM_QP_OPT_RWE },          \
	{ PRM_QPC_Q_KEY, PRM_QP_OPT_Q_KEY }

#define NO_PARAMS { { { 0, 0, 0 }, 0 } }

static const struct qp_transition qp_transitions[] = {
	{ PRM_CMD_RST2INIT_QP, STATE(RST), PRM_QP_STATE_INIT, true,
	  { { PRM_QPC_RRE, 0 }, { PRM_QPC_RAE, 0 }, { PRM_QPC_ATOMIC_MODE, 0 },
	    { PRM_QPC_RWE, 0 }, { PRM_QPC_PM_STATE, 0 }, { PRM_QPC_Q_KEY, 0 },
	    { PRM_QPC_LAG_TX_PORT_AFFINITY, 0 }, { PRM_QPC_COUNTER_SET_ID, 0 } } },
	{ PRM_CMD_INIT2INIT_QP, STATE(INIT), PRM_QP_STATE_INIT, false,
	  { { PRM_QPC_PRIMARY_PATH_PKEY_INDEX, PRM_QP_OPT_PKEY_INDEX },
	    { PRM_QPC_DRAIN_SIGERR, PRM_QP_OPT_DRAIN_SIGERR }, ACCESS_PARAMS } },
	{ PRM_CMD_INIT2RTR_QP, STATE(INIT), PRM_QP_STATE_RTR, true,
	  { { PRM_QPC_MTU, 0 }, { PRM_QPC_LOG_MSG_MAX, 0 }, { PRM_QPC_REMOTE_QPN, 0 },
	    { PRM_QPC_NEXT_RCV_PSN, 0 }, { PRM_QPC_LOG_RRA_MAX, 0 }, { PRM_QPC_MIN_RNR_NAK, 0 },
	    ACCESS_PARAMS } },
	{ PRM_CMD_RTR2RTS_QP, STATE(RTR), PRM_QP_STATE_RTS, false,
	  { { PRM_QPC_NEXT_SEND_PSN, 0 }, { PRM_QPC_LOG_SRA_MAX, 0 }, { PRM_QPC_RETRY_COUNT, 0 },
	    { PRM_QPC_RNR_RETRY, 0 }, { PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT, 0 },
	    { PRM_QPC_MIN_RNR_NAK, PRM_QP_OPT_RNR_TIMEOUT }, ACCESS_PARAMS } },
	{ PRM_CMD_RTS2RTS_QP, STATE(RTS), PRM_QP_STATE_RTS, false,
	  { { PRM_QPC_MIN_RNR_NAK, PRM_QP_OPT_RNR_TIMEOUT },
	    { PRM_QPC_LAG_TX_PORT_AFFINITY, PRM_QP_OPT_LAG_TX_PORT_AFFINITY },
	    { PRM_QPC_COUNTER_SET_ID, PRM_QP_OPT_COUNTER_SET_ID }, ACCESS_PARAMS } },
	{ PRM_CMD_RTS2SQD_QP, STATE(RTS), PRM_QP_STATE_SQDRAINING, false, NO_PARAMS },
	{ PRM_CMD_SQD2RTS_QP, STATE(SQD), PRM_QP_STATE_RTS, false,
	  { { PRM_QPC_MIN_RNR_NAK, PRM_QP_OPT_RNR_TIMEOUT }, ACCESS_PARAMS } },
	{ PRM_CMD_SQERR2RTS_QP, STATE(SQER), PRM_QP_STATE_RTS, false,
	  { { PRM_QPC_MIN_RNR_NAK, PRM_QP_OPT_RNR_TIMEOUT }, ACCESS_PARAMS } },
	{ PRM_CMD_2ERR_QP, ANY_STATE & ~STATE(RST), PRM_QP_STATE_ERR, false, NO_PARAMS },
	{ PRM_CMD_2RST_QP, ANY_STATE, PRM_QP_STATE_RST, false, NO_PARAMS },
};

static const struct qp_transition *
transition_lookup(uint16_t opcode)
{
	size_t i;

	for (i = 0; i < sizeof(qp_transitions) / sizeof(qp_transitions[0]); i++) {
		if (qp_transitions[i].opcode == opcode)
			return &qp_transitions[i];
	}
	return NULL;
}

static void
qp_reset(struct swhca_qp *qp)
{
	qp->sq_pi = 0;
	if (!swhca_has_quirk(qp->hca, SWHCA_QUIRK_RESET_COUNTER)) {
		qp->sq_ci = 0;
		qp->sq_next = 0;
	}
	qp->is_held = false;
	swhca_qp_page_faults_cancel(qp);
	qp->hca->fabric->wire->close(qp);
	free(qp->flights);
	qp->flights = NULL;
	qp->own_rq.ci = 0;
	qp->has_last_wqe = false;
	qp->has_comm_est = false;
	qp->has_sigerr = false;
	qp->is_misrung = false;
	qp->unfenced_umr = false;
	qp->is_waiting = false;
	swhca_dci_reset(qp);
	swhca_cmd_qp_ext_reset(qp);
	qp->nb_retries = 0;
	qp->nb_rnr_retries = 0;
	qp->msn++;
	qp->dropped_psn = 0;
	qp->not_before_ns = 0;
}

/* Set the path; INIT2RTR only changes its P_Key index if its bit is set. */
static void
path_apply(struct swhca_qp *qp, const struct qp_transition *tr, const uint8_t *qpc, uint64_t opt)
{
	uint64_t pkey_index = prm_get(qp->qpc, PRM_QPC_PRIMARY_PATH_PKEY_INDEX);

	memcpy(qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE, qpc + PRM_QPC_PRIMARY_PATH_BYTE, PRM_ADS_SIZE);
	if (tr->opcode != PRM_CMD_RST2INIT_QP && (opt & PRM_QP_OPT_PKEY_INDEX) == 0)
		prm_set(qp->qpc, PRM_QPC_PRIMARY_PATH_PKEY_INDEX, pkey_index);
}

/*
 * Bits accepted by a transition: its own, and those of features that the model ignores or has only
 * one value of.
 */
static uint64_t
transition_opts(const struct qp_transition *tr)
{
	uint64_t opts = PRM_QP_OPT_PM_STATE | PRM_QP_OPT_PKEY_INDEX | PRM_QP_OPT_Q_KEY |
			PRM_QP_OPT_PRIMARY_PORT;
	size_t i;

	for (i = 0; i < MAX_PARAMS; i++)
		opts |= tr->params[i].opt;
	return opts;
}

/*
 * A queue may place data out of order, but need not: the model has a fixed order. It stores the
 * setting; without the feature the bits are reserved.
 */
static void
ordering_apply(struct swhca_qp *qp, const struct qp_transition *tr, const uint8_t *qpc)
{
	if (tr->opcode != PRM_CMD_INIT2RTR_QP ||
	    !swhca_model_has(qp->hca->conf.model, SWHCA_FEATURE_OOO_DP))
		return;
	prm_set(qp->qpc, PRM_QPC_DP_ORDERING_FORCE, prm_get(qpc, PRM_QPC_DP_ORDERING_FORCE));
	prm_set(qp->qpc, PRM_QPC_DP_ORDERING_1, prm_get(qpc, PRM_QPC_DP_ORDERING_1));
}

static void
transition_apply(struct swhca_qp *qp, const struct qp_transition *tr, const struct swhca_cmd *cmd)
{
	const uint8_t *qpc = cmd->in + PRM_MODIFY_QP_IN_QPC_BYTE;
	const struct qp_param *param;
	uint64_t opt;
	size_t i;

	if (tr->to != PRM_QP_STATE_ERR && tr->to != PRM_QP_STATE_RST) {
		opt = prm_get(cmd->in, PRM_MODIFY_QP_IN_OPT_PARAM_MASK);
		if (tr->sets_path)
			path_apply(qp, tr, qpc, opt);
		for (i = 0; i < MAX_PARAMS && tr->params[i].field.width != 0; i++) {
			param = &tr->params[i];
			if (param->opt == 0 || (opt & param->opt) != 0)
				prm_set(qp->qpc, param->field, prm_get(qpc, param->field));
		}
		ordering_apply(qp, tr, qpc);
		swhca_cmd_qp_ext_apply(cmd, qp);
	}
	/* Discard older doorbells: their index must not be applied after the transition. */
	if (tr->to == PRM_QP_STATE_RST && qp->uar != NULL)
		swhca_doorbells_take(qp->hca, qp->uar);
	qp->state = tr->to;
	if (tr->to == PRM_QP_STATE_RST)
		qp_reset(qp);
	/* Doorbells may have come early, and a failed queue has to flush. */
	if (tr->to == PRM_QP_STATE_RTS)
		swhca_qp_schedule(qp);
	else if (tr->to == PRM_QP_STATE_SQDRAINING)
		swhca_qp_drain(qp);
	else if (tr->to == PRM_QP_STATE_ERR)
		swhca_qp_fail(qp);
}

/* Check the parameters of a transition. */
static uint8_t
transition_check(struct swhca_cmd *cmd, const struct swhca_qp *qp, const struct qp_transition *tr)
{
	const uint8_t *qpc = cmd->in + PRM_MODIFY_QP_IN_QPC_BYTE;
	uint64_t opt, port;

	if (tr->to == PRM_QP_STATE_ERR || tr->to == PRM_QP_STATE_RST)
		return PRM_CMD_OK;
	opt = prm_get(cmd->in, PRM_MODIFY_QP_IN_OPT_PARAM_MASK);
	if ((opt & ~transition_opts(tr)) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"QP 0x%x: opt_param_mask 0x%" PRIx64
					" has bits beyond 0x%" PRIx64, qp->obj.num, opt,
					transition_opts(tr));
	if (tr->opcode == PRM_CMD_INIT2RTR_QP && (prm_get(qpc, PRM_QPC_MTU) < PRM_QPC_MTU_256 ||
						  prm_get(qpc, PRM_QPC_MTU) > PRM_QPC_MTU_4096))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 6, "QP 0x%x: mtu %u, %u to %u",
					qp->obj.num, (unsigned int)prm_get(qpc, PRM_QPC_MTU),
					PRM_QPC_MTU_256, PRM_QPC_MTU_4096);
	if (tr->opcode == PRM_CMD_INIT2RTR_QP && prm_get(qpc, PRM_QPC_LOG_MSG_MAX) >
							  SWHCA_LOG_MAX_MSG)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5,
					"QP 0x%x: log_msg_max %u, at most %u", qp->obj.num,
					(unsigned int)prm_get(qpc, PRM_QPC_LOG_MSG_MAX),
					SWHCA_LOG_MAX_MSG);
	port = prm_get(qpc, PRM_QPC_LAG_TX_PORT_AFFINITY);
	if ((tr->opcode == PRM_CMD_RST2INIT_QP || (opt & PRM_QP_OPT_LAG_TX_PORT_AFFINITY) != 0) &&
	    port > SWHCA_NB_LAG_PORTS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4,
					"QP 0x%x: affinity to port %" PRIu64 " of %u", qp->obj.num,
					port, SWHCA_NB_LAG_PORTS);
	return swhca_cmd_qp_ext_check(cmd, qp);
}

uint8_t
swhca_cmd_modify_qp(struct swhca_cmd *cmd)
{
	uint32_t qpn = (uint32_t)prm_get(cmd->in, PRM_MODIFY_QP_IN_QPN);
	struct swhca_qp *qp = (struct swhca_qp *)swhca_cmd_obj(cmd, SWHCA_OBJ_QP, qpn);
	const struct qp_transition *tr = transition_lookup(cmd->opcode);
	uint8_t status;

	if (qp == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%x does not exist", qpn);
	if ((tr->from & 1u << qp->state) == 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_QP_STATE, 2, "QP 0x%x is in state %u", qpn,
					qp->state);
	status = transition_check(cmd, qp, tr);
	if (status != PRM_CMD_OK)
		return status;
	transition_apply(qp, tr, cmd);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_qp(struct swhca_cmd *cmd)
{
	uint32_t qpn = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	const struct swhca_qp *qp =
		(const struct swhca_qp *)swhca_cmd_obj(cmd, SWHCA_OBJ_QP, qpn);
	uint8_t *qpc = cmd->out + PRM_QUERY_QP_OUT_QPC_BYTE;

	if (qp == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "QP 0x%x does not exist", qpn);
	memcpy(qpc, qp->qpc, sizeof(qp->qpc));
	prm_set(qpc, PRM_QPC_STATE, qp->state);
	if (qp->is_mad)
		prm_set(qpc, PRM_QPC_ST, qp->mad_num == 0 ? PRM_QP_ST_QP0 : PRM_QP_ST_QP1);
	prm_set(qpc, PRM_QPC_HW_SQ_WQEBB_COUNTER, qp->sq_ci);
	prm_set(qpc, PRM_QPC_SW_SQ_WQEBB_COUNTER, qp->sq_pi);
	prm_set(qpc, PRM_QPC_HW_RQ_COUNTER, qp->own_rq.ci);
	return PRM_CMD_OK;
}
