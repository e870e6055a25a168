/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of shared receive queues: SRQ, XRC SRQ and RMP. Software that supports ISSI 1 creates an
 * RMP for a basic SRQ (Linux: srq_cmd.c, mlx5_cmd_create_srq()).
 */

#include <inttypes.h>

#include "mlx5_prm_srq.h"
#include "mlx5_prm_wqe.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_ring.h"
#include "object/bus.h"
#include "object/limits.h"
#include "queue/recv.h"
#include "queue/srq.h"

/* Common parameters of the contexts. */
struct srq_plan {
	enum swhca_srq_kind kind;
	bool is_list;
	bool has_next;
	uint8_t log_size;
	uint8_t log_stride;
	uint32_t pdn;
	uint32_t xrcdn;
	uint32_t cqn;
	uint32_t user_index;
	uint16_t limit;
	struct swhca_ring_where ring;
	bool dbr_in_umem;
	uint32_t dbr_umem_id;
	uint64_t dbr_addr;
};

static enum swhca_srq_kind
kind_of_opcode(uint16_t opcode)
{
	switch (opcode) {
	case PRM_CMD_CREATE_XRC_SRQ:
	case PRM_CMD_DESTROY_XRC_SRQ:
	case PRM_CMD_QUERY_XRC_SRQ:
	case PRM_CMD_ARM_XRC_SRQ:
		return SWHCA_SRQ_XRC;
	case PRM_CMD_CREATE_RMP:
	case PRM_CMD_DESTROY_RMP:
	case PRM_CMD_QUERY_RMP:
	case PRM_CMD_MODIFY_RMP:
		return SWHCA_SRQ_RMP;
	default:
		return SWHCA_SRQ_BASIC;
	}
}

/* Find the SRQ of a command: it must be of the command's kind. */
static struct swhca_srq *
srq_get(const struct swhca_cmd *cmd, uint32_t num)
{
	struct swhca_srq *srq = (struct swhca_srq *)swhca_cmd_obj(cmd, SWHCA_OBJ_SRQ, num);

	return srq != NULL && srq->kind == kind_of_opcode(cmd->opcode) ? srq : NULL;
}

static uint8_t
srq_missing(struct swhca_cmd *cmd, uint32_t num)
{
	return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "0x%x does not exist", num);
}

static uint8_t
plan_check(struct swhca_cmd *cmd, const struct srq_plan *plan)
{
	uint32_t min = plan->has_next ? 2 * PRM_WQE_DS_SIZE : PRM_WQE_DS_SIZE;

	if (plan->log_size > SWHCA_LOG_MAX_SRQ_SZ)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 2, "2^%u WQEs, at most 2^%u",
					plan->log_size, SWHCA_LOG_MAX_SRQ_SZ);
	if (1u << plan->log_stride > SWHCA_MAX_WQE_SZ_RQ || 1u << plan->log_stride < min)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "WQEs of %u bytes, %u to %u",
					1u << plan->log_stride, min, SWHCA_MAX_WQE_SZ_RQ);
	if (plan->limit > 1u << plan->log_size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "limit %u of %u WQEs",
					plan->limit, 1u << plan->log_size);
	return PRM_CMD_OK;
}

static uint8_t
srq_init_refs(struct swhca_cmd *cmd, struct swhca_srq *srq, const struct srq_plan *plan)
{
	struct swhca_obj *pd = swhca_cmd_obj(cmd, SWHCA_OBJ_PD, plan->pdn);
	struct swhca_obj *xrcd, *cq;

	if (pd == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 5, "PD 0x%x does not exist",
					plan->pdn);
	if (srq->kind == SWHCA_SRQ_XRC) {
		xrcd = swhca_cmd_obj(cmd, SWHCA_OBJ_XRCD, plan->xrcdn);
		cq = swhca_cmd_obj(cmd, SWHCA_OBJ_CQ, plan->cqn);
		if (xrcd == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 6,
						"XRCD 0x%x does not exist", plan->xrcdn);
		if (cq == NULL)
			return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 7, "CQ 0x%x does not exist",
						plan->cqn);
		srq->xrcd = xrcd;
		swhca_obj_ref(xrcd);
		srq->cq = (struct swhca_cq *)cq;
		swhca_obj_ref(cq);
	}
	srq->rq.pd = pd;
	swhca_obj_ref(pd);
	return PRM_CMD_OK;
}

static uint8_t
srq_init(struct swhca_cmd *cmd, struct swhca_srq *srq, const struct srq_plan *plan)
{
	uint8_t status;

	srq->kind = plan->kind;
	srq->user_index = plan->user_index;
	srq->rq = (struct swhca_rq){
		.hca = cmd->hca,
		.owner = &srq->obj,
		.is_list = plan->is_list,
		.has_next = plan->has_next,
		.log_size = plan->log_size,
		.log_stride = plan->log_stride,
		.limit = plan->limit,
	};
	status = srq_init_refs(cmd, srq, plan);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_ring_init(cmd, &plan->ring,
					     UINT64_C(1) << (plan->log_size + plan->log_stride),
					     &srq->rq.buf, &srq->umem);
	if (status == PRM_CMD_OK)
		status = swhca_cmd_dbr_init(cmd, plan->dbr_in_umem, plan->dbr_umem_id,
					    plan->dbr_addr, &srq->rq.dbr);
	return status;
}

static uint8_t
srq_create(struct swhca_cmd *cmd, const struct srq_plan *plan)
{
	struct swhca_srq *srq;
	uint8_t status;

	status = plan_check(cmd, plan);
	if (status != PRM_CMD_OK)
		return status;
	srq = swhca_obj_create(cmd->hca, SWHCA_OBJ_SRQ, cmd->uid, sizeof(*srq));
	if (srq == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 8, "%u SRQs in use",
					cmd->hca->tables[SWHCA_OBJ_SRQ].nb_used);
	status = srq_init(cmd, srq, plan);
	if (status != PRM_CMD_OK) {
		swhca_obj_destroy(cmd->hca, &srq->obj);
		return status;
	}
	prm_set(cmd->out, PRM_CREATE_SRQ_OUT_SRQN, srq->obj.num);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_create_srq(struct swhca_cmd *cmd)
{
	const uint8_t *srqc = cmd->in + PRM_CREATE_SRQ_IN_SRQC_BYTE;
	const struct srq_plan plan = {
		.kind = kind_of_opcode(cmd->opcode),
		.is_list = true,
		.has_next = true,
		.log_size = (uint8_t)prm_get(srqc, PRM_SRQC_LOG_SRQ_SIZE),
		.log_stride = (uint8_t)prm_get(srqc, PRM_SRQC_LOG_RQ_STRIDE) + 4,
		.pdn = (uint32_t)prm_get(srqc, PRM_SRQC_PD),
		.xrcdn = (uint32_t)prm_get(srqc, PRM_SRQC_XRCD),
		.cqn = (uint32_t)prm_get(srqc, PRM_SRQC_CQN),
		.user_index = (uint32_t)prm_get(srqc, PRM_SRQC_USER_INDEX),
		.limit = (uint16_t)prm_get(srqc, PRM_SRQC_LWM),
		.ring = {
			.pas = cmd->in + PRM_CREATE_SRQ_IN_PAS_BYTE,
			.nb_pas = (uint32_t)((cmd->in_len - PRM_CREATE_SRQ_IN_PAS_BYTE) /
					     PRM_MTT_SIZE),
			.log_page = (uint8_t)prm_get(srqc, PRM_SRQC_LOG_PAGE_SIZE) +
				    PRM_ADAPTER_PAGE_SHIFT,
			.page_offset = (uint8_t)prm_get(srqc, PRM_SRQC_PAGE_OFFSET),
		},
		.dbr_addr = prm_get(srqc, PRM_SRQC_DBR_ADDR),
	};

	if (prm_get(srqc, PRM_SRQC_WQ_SIGNATURE) || prm_get(srqc, PRM_SRQC_CONT_SRQ) ||
	    prm_get(srqc, PRM_SRQC_BASIC_CYCLIC_RCV_WQE))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 9,
					"WQE signatures and other formats are not modelled");
	if (plan.kind == SWHCA_SRQ_XRC &&
	    (prm_get(cmd->in, PRM_CREATE_XRC_SRQ_IN_UMEM_VALID) ||
	     prm_get(srqc, PRM_SRQC_DBR_UMEM_VALID)))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 10,
					"an XRC SRQ in a umem is not modelled");
	/* Its ring and record are bus addresses, which users do not have: they use RMPs. */
	if (plan.kind == SWHCA_SRQ_BASIC && cmd->uid != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 12, "an SRQ of a user");
	if (plan.ring.log_page > 63)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11, "pages of 2^%u bytes",
					plan.ring.log_page);
	return srq_create(cmd, &plan);
}

uint8_t
swhca_cmd_create_rmp(struct swhca_cmd *cmd)
{
	const uint8_t *rmpc = cmd->in + PRM_CREATE_RMP_IN_RMPC_BYTE;
	const uint8_t *wq = rmpc + PRM_RMPC_WQ_BYTE;
	unsigned int type = (unsigned int)prm_get(wq, PRM_WQ_TYPE);
	unsigned int state = (unsigned int)prm_get(rmpc, PRM_RMPC_STATE);
	/* In a ring, WQEs begin with their data only if requested. */
	bool is_basic = prm_get(rmpc, PRM_RMPC_BASIC_CYCLIC_RCV_WQE) != 0;
	const struct srq_plan plan = {
		.kind = SWHCA_SRQ_RMP,
		.is_list = type == PRM_WQ_TYPE_LINKED_LIST,
		.has_next = type == PRM_WQ_TYPE_LINKED_LIST || !is_basic,
		.log_size = (uint8_t)prm_get(wq, PRM_WQ_LOG_WQ_SZ),
		.log_stride = (uint8_t)prm_get(wq, PRM_WQ_LOG_WQ_STRIDE),
		.pdn = (uint32_t)prm_get(wq, PRM_WQ_PD),
		.limit = (uint16_t)prm_get(wq, PRM_WQ_LWM),
		.ring = {
			.in_umem = prm_get(wq, PRM_WQ_WQ_UMEM_VALID) != 0,
			.umem_id = (uint32_t)prm_get(wq, PRM_WQ_WQ_UMEM_ID),
			.umem_offset = prm_get(wq, PRM_WQ_WQ_UMEM_OFFSET),
			.pas = cmd->in + PRM_CREATE_RMP_IN_PAS_BYTE,
			.nb_pas = (uint32_t)((cmd->in_len - PRM_CREATE_RMP_IN_PAS_BYTE) /
					     PRM_MTT_SIZE),
			.log_page = (uint8_t)prm_get(wq, PRM_WQ_LOG_WQ_PG_SZ) +
				    PRM_ADAPTER_PAGE_SHIFT,
			.page_offset = (uint8_t)prm_get(wq, PRM_WQ_PAGE_OFFSET),
		},
		.dbr_in_umem = prm_get(wq, PRM_WQ_DBR_UMEM_VALID) != 0,
		.dbr_umem_id = (uint32_t)prm_get(wq, PRM_WQ_DBR_UMEM_ID),
		.dbr_addr = prm_get(wq, PRM_WQ_DBR_ADDR),
	};

	if (type != PRM_WQ_TYPE_LINKED_LIST && type != PRM_WQ_TYPE_CYCLIC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 12,
					"work queue type %u is not modelled", type);
	if (state != PRM_RMPC_STATE_RDY)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 13,
					"state %u, an RMP is created in %u", state,
					PRM_RMPC_STATE_RDY);
	if (prm_get(wq, PRM_WQ_SIGNATURE))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 9,
					"WQE signatures are not modelled");
	return srq_create(cmd, &plan);
}

uint8_t
swhca_cmd_destroy_srq(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	struct swhca_srq *srq = srq_get(cmd, num);

	if (srq == NULL || !swhca_cmd_may_destroy(cmd, &srq->obj))
		return srq_missing(cmd, num);
	if (srq->obj.nb_refs != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_RES_BUSY, 2, "0x%x has %u users", num,
					srq->obj.nb_refs);
	swhca_obj_destroy(cmd->hca, &srq->obj);
	return PRM_CMD_OK;
}

/* Current record; 0 if it is not mapped any more. */
static uint16_t
sw_counter(const struct swhca_rq *rq)
{
	uint32_t value;

	return swhca_dbr_read(rq->hca->fabric, &rq->dbr, PRM_DBR_RQ, &value) == 0 ?
		       (uint16_t)value : 0;
}

uint8_t
swhca_cmd_query_srq(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	uint8_t *srqc = cmd->out + PRM_QUERY_SRQ_OUT_SRQC_BYTE;
	const struct swhca_srq *srq = srq_get(cmd, num);

	if (srq == NULL)
		return srq_missing(cmd, num);
	prm_set(srqc, PRM_SRQC_STATE,
		srq->rq.failed ? PRM_SRQC_STATE_ERROR : PRM_SRQC_STATE_GOOD);
	prm_set(srqc, PRM_SRQC_LOG_SRQ_SIZE, srq->rq.log_size);
	prm_set(srqc, PRM_SRQC_LOG_RQ_STRIDE, srq->rq.log_stride - 4u);
	prm_set(srqc, PRM_SRQC_PD, srq->rq.pd->num);
	prm_set(srqc, PRM_SRQC_LWM, srq->rq.limit);
	prm_set(srqc, PRM_SRQC_WQE_CNT, (uint16_t)(sw_counter(&srq->rq) - srq->rq.ci));
	prm_set(srqc, PRM_SRQC_DBR_ADDR, swhca_bus_offset(cmd->hca, srq->rq.dbr.addr));
	if (srq->kind == SWHCA_SRQ_XRC) {
		prm_set(srqc, PRM_SRQC_XRCD, srq->xrcd->num);
		prm_set(srqc, PRM_SRQC_CQN, srq->cq->obj.num);
		prm_set(srqc, PRM_SRQC_USER_INDEX, srq->user_index);
	}
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_rmp(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_CMD_IN_OBJ);
	uint8_t *rmpc = cmd->out + PRM_QUERY_RMP_OUT_RMPC_BYTE;
	const struct swhca_srq *srq = srq_get(cmd, num);
	uint8_t *wq = rmpc + PRM_RMPC_WQ_BYTE;

	if (srq == NULL)
		return srq_missing(cmd, num);
	prm_set(rmpc, PRM_RMPC_STATE, srq->rq.failed ? PRM_RMPC_STATE_ERR : PRM_RMPC_STATE_RDY);
	prm_set(rmpc, PRM_RMPC_BASIC_CYCLIC_RCV_WQE, !srq->rq.has_next);
	prm_set(wq, PRM_WQ_TYPE, srq->rq.is_list ? PRM_WQ_TYPE_LINKED_LIST : PRM_WQ_TYPE_CYCLIC);
	prm_set(wq, PRM_WQ_LWM, srq->rq.limit);
	prm_set(wq, PRM_WQ_PD, srq->rq.pd->num);
	prm_set(wq, PRM_WQ_DBR_ADDR, swhca_bus_offset(cmd->hca, srq->rq.dbr.addr));
	prm_set(wq, PRM_WQ_HW_COUNTER, srq->rq.ci);
	prm_set(wq, PRM_WQ_SW_COUNTER, sw_counter(&srq->rq));
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, srq->rq.log_stride);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, srq->rq.log_size);
	return PRM_CMD_OK;
}

static uint8_t
srq_arm(struct swhca_cmd *cmd, struct swhca_srq *srq, uint16_t limit)
{
	if (limit > 1u << srq->rq.log_size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "limit %u of %u WQEs", limit,
					1u << srq->rq.log_size);
	srq->rq.limit = limit;
	/* A queue already below the limit is reported at once. */
	swhca_rq_check_limit(&srq->rq);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_arm_srq(struct swhca_cmd *cmd)
{
	unsigned int op_mod = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD);
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_ARM_RQ_IN_SRQN);
	struct swhca_srq *srq = srq_get(cmd, num);

	if (op_mod != PRM_ARM_RQ_OP_MOD_SRQ)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "op_mod %u is not modelled",
					op_mod);
	if (srq == NULL)
		return srq_missing(cmd, num);
	if (srq->rq.failed)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 4, "0x%x is in error", num);
	return srq_arm(cmd, srq, (uint16_t)prm_get(cmd->in, PRM_ARM_RQ_IN_LWM));
}

uint8_t
swhca_cmd_modify_rmp(struct swhca_cmd *cmd)
{
	const uint8_t *rmpc = cmd->in + PRM_MODIFY_RMP_IN_RMPC_BYTE;
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_MODIFY_RMP_IN_RMPN);
	unsigned int from = (unsigned int)prm_get(cmd->in, PRM_MODIFY_RMP_IN_RMP_STATE);
	unsigned int to = (unsigned int)prm_get(rmpc, PRM_RMPC_STATE);
	struct swhca_srq *srq = srq_get(cmd, num);
	unsigned int now;

	if (srq == NULL)
		return srq_missing(cmd, num);
	now = srq->rq.failed ? PRM_RMPC_STATE_ERR : PRM_RMPC_STATE_RDY;
	if (from != now)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES_STATE, 3,
					"RMP 0x%x is in state %u, not %u", num, now, from);
	if (to != PRM_RMPC_STATE_ERR && to != now)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "RMP 0x%x: state %u to %u", num,
					now, to);
	if (to == PRM_RMPC_STATE_ERR) {
		srq->rq.failed = true;
		return PRM_CMD_OK;
	}
	if (prm_get(cmd->in, PRM_MODIFY_RMP_IN_BITMASK_LWM) == 0)
		return PRM_CMD_OK;
	return srq_arm(cmd, srq, (uint16_t)prm_get(rmpc + PRM_RMPC_WQ_BYTE, PRM_WQ_LWM));
}
