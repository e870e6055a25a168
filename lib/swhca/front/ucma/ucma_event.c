/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Connection events for programs (cma.c: cma_ib_handler(), cma_sidr_rep_handler()). */

#include <errno.h>
#include <string.h>

#include "front/ucma/ucma_event.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/id.h"
#include "front/ucma/ucma_path.h"

static void
conn_private_set(struct swhca_ucm_event *event, const struct swhca_cm_msg *msg, size_t skip)
{
	struct rdma_ucm_conn_param *conn = &event->resp.param.conn;
	size_t len = swhca_cm_private_len(msg->attr) - skip;

	memcpy(conn->private_data, msg->private_data + skip, len);
	conn->private_data_len = (uint8_t)len;
}

static void
ud_private_set(struct swhca_ucm_event *event, const struct swhca_cm_msg *msg, size_t skip)
{
	struct rdma_ucm_ud_param *ud = &event->resp.param.ud;
	size_t len = swhca_cm_private_len(msg->attr) - skip;

	memcpy(ud->private_data, msg->private_data + skip, len);
	ud->private_data_len = (uint8_t)len;
}

void
swhca_ucm_event_set_request(struct swhca_ucm_event *event, const struct swhca_cm_msg *msg,
			    size_t skip)
{
	struct rdma_ucm_conn_param *conn = &event->resp.param.conn;
	const struct swhca_cm_req *req = &msg->req;

	if (msg->attr == SWHCA_CM_SIDR_REQ) {
		ud_private_set(event, msg, skip);
		return;
	}
	conn_private_set(event, msg, skip);
	/* From the local view. */
	conn->responder_resources = req->initiator_depth;
	conn->initiator_depth = req->responder_resources;
	conn->flow_control = req->flow_control;
	conn->retry_count = req->retry_count;
	conn->rnr_retry_count = req->rnr_retry_count;
	conn->srq = req->srq;
	conn->qp_num = req->qpn;
	event->resp.ece.vendor_id = req->vendor_id;
	event->resp.ece.attr_mod = msg->attr_mod;
}

static void
rep_tell(struct swhca_ucm_id *id, const struct swhca_cm_msg *msg)
{
	struct swhca_ucm_event *event = swhca_ucm_event_post(id, UCM_CONNECT_RESPONSE, 0);
	struct rdma_ucm_conn_param *conn;

	if (event == NULL)
		return;
	conn = &event->resp.param.conn;
	conn_private_set(event, msg, 0);
	conn->responder_resources = msg->rep.initiator_depth;
	conn->initiator_depth = msg->rep.responder_resources;
	conn->flow_control = msg->rep.flow_control;
	conn->rnr_retry_count = msg->rep.rnr_retry_count;
	conn->srq = msg->rep.srq;
	conn->qp_num = id->conn.remote_qpn;
	event->resp.ece.vendor_id = msg->rep.vendor_id;
	event->resp.ece.attr_mod = msg->attr_mod;
}

static void
sidr_rep_tell(struct swhca_ucm_id *id, const struct swhca_cm_msg *msg)
{
	const struct swhca_cm_sidr_rep *rep = &msg->sidr_rep;
	struct swhca_ucm_event *event;

	if (rep->status != SWHCA_CM_SIDR_VALID)
		event = swhca_ucm_event_post(id, UCM_UNREACHABLE, rep->status);
	else if (swhca_ucm_qkey_set(id, rep->qkey) != 0)
		event = swhca_ucm_event_post(id, UCM_ADDR_ERROR, -EINVAL);
	else
		event = swhca_ucm_event_post(id, UCM_ESTABLISHED, 0);
	if (event == NULL)
		return;
	ud_private_set(event, msg, 0);
	if (event->resp.event != UCM_ESTABLISHED)
		return;
	swhca_ucm_ah_fill(id, &event->resp.param.ud.ah_attr);
	event->resp.param.ud.qp_num = rep->qpn;
	event->resp.param.ud.qkey = rep->qkey;
}

static void
rej_tell(struct swhca_ucm_id *id, const struct swhca_cm_msg *msg)
{
	struct swhca_ucm_event *event = swhca_ucm_event_post(id, UCM_REJECTED, msg->rej.reason);

	if (event != NULL)
		conn_private_set(event, msg, 0);
}

static void
disconnect_tell(struct swhca_ucm_id *id, int status)
{
	id->state = SWHCA_UCM_DISCONNECT;
	swhca_ucm_event_post(id, UCM_DISCONNECTED, status);
}

void
swhca_ucm_conn_event(void *arg, enum swhca_cm_event event, const struct swhca_cm_msg *msg)
{
	struct swhca_ucm_id *id = arg;

	if (id->state != (event == SWHCA_CM_EVENT_TIMEWAIT_END ? SWHCA_UCM_DISCONNECT :
								  SWHCA_UCM_CONNECT))
		return;
	switch (event) {
	case SWHCA_CM_EVENT_NO_REP:
	case SWHCA_CM_EVENT_NO_RTU:
	case SWHCA_CM_EVENT_NO_SIDR_REP:
		swhca_ucm_event_post(id, UCM_UNREACHABLE, -ETIMEDOUT);
		break;
	case SWHCA_CM_EVENT_REP:
		rep_tell(id, msg);
		break;
	case SWHCA_CM_EVENT_RTU:
		swhca_ucm_event_post(id, UCM_ESTABLISHED, 0);
		break;
	case SWHCA_CM_EVENT_REJ:
		rej_tell(id, msg);
		break;
	case SWHCA_CM_EVENT_DREQ:
	case SWHCA_CM_EVENT_DREP:
		disconnect_tell(id, 0);
		break;
	case SWHCA_CM_EVENT_NO_DREP:
		disconnect_tell(id, -ETIMEDOUT);
		break;
	case SWHCA_CM_EVENT_TIMEWAIT_END:
		swhca_ucm_event_post(id, UCM_TIMEWAIT_EXIT, 0);
		break;
	case SWHCA_CM_EVENT_SIDR_REP:
		sidr_rep_tell(id, msg);
		break;
	}
}
