/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Connection commands (cma.c: rdma_connect(), __rdma_accept(), rdma_reject(), rdma_disconnect(),
 * rdma_notify()).
 */

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "front/ucma/ucma_cmd.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_request.h"

#define MAX_RNR_RETRY_COUNT 7u
/* ib_verbs.h: enum ib_event_type */
#define EVENT_COMM_EST 4u
/* IBTA 1.4: vendor options of ECE are not supported. */
#define REASON_ECE 35u

int
swhca_ucm_connect(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_connect *in = cmd->in;
	struct swhca_ucm_id *id;
	int ret;

	if (in->conn_param.valid == 0)
		return -EINVAL;
	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && id->state != SWHCA_UCM_ROUTE_RESOLVED)
		ret = -EINVAL;
	if (ret != 0)
		return ret;
	id->qpn = in->conn_param.qp_num;
	id->is_srq = in->conn_param.srq != 0;
	id->state = SWHCA_UCM_CONNECT;
	ret = swhca_ucm_request_send(id, &in->conn_param, &in->ece);
	if (ret != 0)
		id->state = SWHCA_UCM_ROUTE_RESOLVED;
	return ret;
}

static int
sidr_answer(struct swhca_ucm_id *id, enum swhca_cm_sidr_status status, const void *data,
	    size_t len)
{
	struct swhca_cm_msg msg = { .sidr_rep = { .status = (uint8_t)status } };

	if (len > SWHCA_CM_SIDR_REP_PRIVATE_LEN)
		return -EINVAL;
	if (len != 0)
		memcpy(msg.private_data, data, len);
	msg.sidr_rep.service_id = swhca_ucm_service_id(id, &id->src);
	if (status == SWHCA_CM_SIDR_VALID) {
		msg.sidr_rep.qpn = id->qpn;
		msg.sidr_rep.qkey = id->qkey;
	}
	return swhca_cm_sidr_answer(&id->conn, &msg);
}

static int
accept_ud(struct swhca_ucm_id *id, const struct rdma_ucm_conn_param *param)
{
	/* With IP addresses the Q_Key is that of the port space (ucma_copy_conn_param()). */
	uint32_t qkey = id->src.ss_family == UCM_AF_IB ? param->qkey : 0;
	int ret;

	ret = swhca_ucm_qkey_set(id, qkey);
	return ret != 0 ? ret : sidr_answer(id, SWHCA_CM_SIDR_VALID, param->private_data,
					    param->private_data_len);
}

static int
accept_conn(struct swhca_ucm_id *id, const struct rdma_ucm_conn_param *param,
	    const struct rdma_ucm_ece *ece)
{
	bool is_xrc = id->qp_type == UCM_QPT_XRC_TGT;
	struct swhca_cm_msg msg = {
		.attr_mod = ece->attr_mod,
		.rep = {
			.vendor_id = ece->vendor_id,
			.qpn = is_xrc ? 0 : param->qp_num,
			.ee_context = is_xrc ? param->qp_num : 0,
			.starting_psn = id->seq_num,
			.responder_resources = param->responder_resources,
			.initiator_depth = is_xrc ? 0 : param->initiator_depth,
			.flow_control = param->flow_control != 0,
			.rnr_retry_count = param->rnr_retry_count < MAX_RNR_RETRY_COUNT ?
					   param->rnr_retry_count : MAX_RNR_RETRY_COUNT,
			.srq = is_xrc || param->srq != 0,
		},
	};

	if (param->private_data_len > SWHCA_CM_REP_PRIVATE_LEN)
		return -EINVAL;
	memcpy(msg.private_data, param->private_data, param->private_data_len);
	return swhca_cm_accept(&id->conn, &msg, swhca_now_ns());
}

int
swhca_ucm_accept(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_accept *in = cmd->in;
	const struct rdma_ucm_conn_param *param = &in->conn_param;
	struct swhca_ucm_id *id;
	uint64_t uid;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && (id->state != SWHCA_UCM_CONNECT || !id->has_conn))
		ret = -EINVAL;
	if (ret != 0)
		return ret;
	uid = id->uid;
	if (param->valid != 0) {
		id->qpn = param->qp_num;
		id->is_srq = param->srq != 0;
		/* The answer may arrive before this returns. */
		id->uid = in->uid;
	}
	if (id->qp_type == UCM_QPT_UD)
		ret = accept_ud(id, param);
	else if (param->valid != 0)
		ret = accept_conn(id, param, &in->ece);
	else
		ret = swhca_cm_ready(&id->conn);
	if (ret != 0) {
		id->uid = uid;
		SWHCA_LOG(WARNING, "rdma_cm: 0x%x: accept in state %d: %s", id->handle,
			  id->conn.state, strerror(-ret));
		swhca_cm_reject(&id->conn, SWHCA_CM_REASON_CONSUMER, NULL, 0, swhca_now_ns());
	}
	return ret;
}

int
swhca_ucm_reject(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_reject *in = cmd->in;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && (!id->has_conn || (in->reason != 0 && in->reason != REASON_ECE &&
					   in->reason != SWHCA_CM_REASON_CONSUMER)))
		ret = -EINVAL;
	if (ret != 0)
		return ret;
	if (id->qp_type == UCM_QPT_UD)
		return sidr_answer(id, SWHCA_CM_SIDR_REJECTED, in->private_data,
				   in->private_data_len);
	return swhca_cm_reject(&id->conn, in->reason != 0 ? in->reason : SWHCA_CM_REASON_CONSUMER,
			       in->private_data, in->private_data_len, swhca_now_ns());
}

int
swhca_ucm_disconnect(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_disconnect *in = cmd->in;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && !id->has_conn)
		ret = -EINVAL;
	/* It may have ended already, which is fine. */
	if (ret == 0)
		swhca_cm_disconnect(&id->conn, swhca_now_ns());
	return ret;
}

int
swhca_ucm_notify(const struct swhca_ucm_cmd *cmd)
{
	const struct rdma_ucm_notify *in = cmd->in;
	struct swhca_ucm_id *id;
	int ret;

	ret = swhca_ucm_id_get(cmd->file, in->id, &id);
	if (ret == 0 && (!id->has_conn || in->event != EVENT_COMM_EST))
		ret = -EINVAL;
	return ret != 0 ? ret : swhca_cm_establish(&id->conn);
}
