/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queue pairs of verbs: query (mlx5_ib: query_qp_attr()).
 */

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_path.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/uverbs_dct.h"
#include "front/uverbs/queue/uverbs_qp_query.h"
#include "front/uverbs/queue/uverbs_qp_state.h"

/* enum ib_mig_state: IB_MIG_MIGRATED */
#define MIG_MIGRATED 0u

/* @return enum uqp_state of enum prm_qp_state. */
static uint8_t
state_from_prm(uint64_t state)
{
	static const uint8_t map[] = {
		[PRM_QP_STATE_RST] = UQP_RESET,	  [PRM_QP_STATE_INIT] = UQP_INIT,
		[PRM_QP_STATE_RTR] = UQP_RTR,	  [PRM_QP_STATE_RTS] = UQP_RTS,
		[PRM_QP_STATE_SQER] = UQP_SQE,	  [PRM_QP_STATE_SQD] = UQP_SQD,
		[PRM_QP_STATE_ERR] = UQP_ERR,	  [PRM_QP_STATE_SQDRAINING] = UQP_SQD,
	};

	return state < SWHCA_ARRAY_SIZE(map) ? map[state] : UQP_ERR;
}

static uint32_t
access_read(const uint8_t *qpc)
{
	return (prm_get(qpc, PRM_QPC_RRE) != 0 ? IB_UVERBS_ACCESS_REMOTE_READ : 0u) |
	       (prm_get(qpc, PRM_QPC_RWE) != 0 ? IB_UVERBS_ACCESS_REMOTE_WRITE : 0u) |
	       (prm_get(qpc, PRM_QPC_RAE) != 0 ? IB_UVERBS_ACCESS_REMOTE_ATOMIC : 0u);
}

static void
qpc_read(const struct swhca_udev *dev, const uint8_t *qpc, const struct swhca_uqp *qp,
	 struct ib_uverbs_query_qp_resp *resp)
{
	const uint8_t *ads = &qpc[PRM_QPC_PRIMARY_PATH_BYTE];

	resp->qp_state = state_from_prm(prm_get(qpc, PRM_QPC_STATE));
	resp->cur_qp_state = resp->qp_state;
	resp->sq_draining = prm_get(qpc, PRM_QPC_STATE) == PRM_QP_STATE_SQDRAINING;
	resp->path_mtu = (uint8_t)prm_get(qpc, PRM_QPC_MTU);
	resp->path_mig_state = MIG_MIGRATED;
	resp->qkey = (uint32_t)prm_get(qpc, PRM_QPC_Q_KEY);
	resp->rq_psn = (uint32_t)prm_get(qpc, PRM_QPC_NEXT_RCV_PSN);
	resp->sq_psn = (uint32_t)prm_get(qpc, PRM_QPC_NEXT_SEND_PSN);
	resp->dest_qp_num = (uint32_t)prm_get(qpc, PRM_QPC_REMOTE_QPN);
	resp->qp_access_flags = access_read(qpc);
	resp->pkey_index = (uint16_t)prm_get(ads, PRM_ADS_PKEY_INDEX);
	resp->port_num = (uint8_t)prm_get(ads, PRM_ADS_VHCA_PORT_NUM);
	if (resp->port_num == 0)
		resp->port_num = qp->port;
	resp->timeout = (uint8_t)prm_get(ads, PRM_ADS_ACK_TIMEOUT);
	resp->max_rd_atomic = (uint8_t)(1u << prm_get(qpc, PRM_QPC_LOG_SRA_MAX));
	resp->max_dest_rd_atomic = (uint8_t)(1u << prm_get(qpc, PRM_QPC_LOG_RRA_MAX));
	resp->min_rnr_timer = (uint8_t)prm_get(qpc, PRM_QPC_MIN_RNR_NAK);
	resp->retry_cnt = (uint8_t)prm_get(qpc, PRM_QPC_RETRY_COUNT);
	resp->rnr_retry = (uint8_t)prm_get(qpc, PRM_QPC_RNR_RETRY);
	swhca_upath_read(dev, ads, &resp->dest);
}

int
swhca_uqp_query(struct swhca_ufile *file, struct swhca_uobj *obj, uint32_t mask,
		struct ib_uverbs_query_qp_resp *resp)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_QP_OUT_SIZE];
	struct swhca_uqp *qp = &obj->qp;
	int ret;

	if (obj->qp.is_dct)
		return swhca_udct_query(file, obj, mask, resp);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_QP);
	prm_set(in, PRM_CMD_IN_UID, swhca_uobj_uid(file, obj));
	prm_set(in, PRM_CMD_IN_OBJ, obj->num);
	ret = swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	memset(resp, 0, sizeof(*resp));
	qpc_read(file->dev, &out[PRM_QUERY_QP_OUT_QPC_BYTE], qp, resp);
	/* The device may move a QP to an error state itself; modify starts from there. */
	qp->state = resp->qp_state;
	resp->max_send_wr = qp->cap.max_send_wr;
	resp->max_recv_wr = qp->cap.max_recv_wr;
	resp->max_send_sge = qp->cap.max_send_sge;
	resp->max_recv_sge = qp->cap.max_recv_sge;
	resp->max_inline_data = qp->cap.max_inline_data;
	resp->sq_sig_all = qp->sq_sig_all;
	return 0;
}
