/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Commands of the write ABI for shared receive queues, XRC domains and multicast groups. */

#include "front/uverbs/call/write.h"
#include "front/uverbs/call/write_srq.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/mcast.h"
#include "front/uverbs/queue/uverbs_srq.h"
#include "front/uverbs/queue/xrcd.h"

static int
srq_create(struct swhca_ureq *req, const struct swhca_usrq_attr *attr)
{
	struct ib_uverbs_create_srq_resp resp;
	struct swhca_uobj *srq;
	int ret;

	ret = swhca_usrq_create(req, attr, &srq);
	if (ret != 0)
		return ret;
	resp = (struct ib_uverbs_create_srq_resp){
		.srq_handle = srq->handle,
		.max_wr = srq->srq.max_wr,
		.max_sge = srq->srq.max_sge,
		.srqn = srq->num,
	};
	return swhca_uwrite_out_or_destroy(req, srq, &resp, sizeof(resp));
}

int
swhca_uwrite_create_srq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_create_srq *cmd = data;
	struct swhca_usrq_attr attr = {
		.type = IB_UVERBS_SRQT_BASIC,
		.max_wr = cmd->max_wr,
		.max_sge = cmd->max_sge,
		.events = { .user_handle = cmd->user_handle },
	};
	int ret;

	ret = swhca_uobj_get(req->file, cmd->pd_handle, UVERBS_OBJECT_PD, &attr.pd);
	return ret != 0 ? ret : srq_create(req, &attr);
}

int
swhca_uwrite_create_xsrq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_create_xsrq *cmd = data;
	struct swhca_usrq_attr attr = {
		.type = cmd->srq_type,
		.max_wr = cmd->max_wr,
		.max_sge = cmd->max_sge,
		.events = { .user_handle = cmd->user_handle },
	};
	int ret;

	ret = swhca_uobj_get(req->file, cmd->pd_handle, UVERBS_OBJECT_PD, &attr.pd);
	if (ret == 0 && attr.type == IB_UVERBS_SRQT_XRC)
		ret = swhca_uobj_get(req->file, cmd->xrcd_handle, UVERBS_OBJECT_XRCD, &attr.xrcd);
	if (ret == 0 && attr.type == IB_UVERBS_SRQT_XRC)
		ret = swhca_uobj_get(req->file, cmd->cq_handle, UVERBS_OBJECT_CQ, &attr.cq);
	return ret != 0 ? ret : srq_create(req, &attr);
}

int
swhca_uwrite_modify_srq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_modify_srq *cmd = data;
	struct swhca_uobj *srq;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->srq_handle, UVERBS_OBJECT_SRQ, &srq);
	return ret != 0 ? ret : swhca_usrq_modify(req->file, srq, cmd);
}

int
swhca_uwrite_query_srq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_query_srq *cmd = data;
	struct ib_uverbs_query_srq_resp resp;
	struct swhca_uobj *srq;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->srq_handle, UVERBS_OBJECT_SRQ, &srq);
	if (ret == 0)
		ret = swhca_usrq_query(req->file, srq, &resp);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

int
swhca_uwrite_destroy_srq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_destroy_srq *cmd = data;
	struct ib_uverbs_destroy_srq_resp resp = { 0 };
	struct swhca_uevent_counts counts;
	struct swhca_uobj *srq;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->srq_handle, UVERBS_OBJECT_SRQ, &srq);
	if (ret == 0)
		ret = swhca_uobj_destroy_counted(req->file, srq, &counts);
	if (ret != 0)
		return ret;
	resp.events_reported = counts.nb_async;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

int
swhca_uwrite_open_xrcd(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_open_xrcd_resp resp;
	struct swhca_uobj *xrcd;
	int ret;

	ret = swhca_uxrcd_open(req->file, cmd, &xrcd);
	if (ret != 0)
		return ret;
	resp.xrcd_handle = xrcd->handle;
	return swhca_uwrite_out_or_destroy(req, xrcd, &resp, sizeof(resp));
}

int
swhca_uwrite_close_xrcd(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_close_xrcd *cmd = data;

	return swhca_uwrite_destroy(req, cmd->xrcd_handle, UVERBS_OBJECT_XRCD);
}

int
swhca_uwrite_open_qp(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_create_qp_resp resp = { 0 };
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_utarget_open(req->file, cmd, &qp);
	if (ret != 0)
		return ret;
	resp.qp_handle = qp->handle;
	resp.qpn = qp->num;
	return swhca_uwrite_out_or_destroy(req, qp, &resp, sizeof(resp));
}

int
swhca_uwrite_attach_mcast(struct swhca_ureq *req, const void *cmd)
{
	return swhca_umcast_attach(req->file, cmd);
}

int
swhca_uwrite_detach_mcast(struct swhca_ureq *req, const void *cmd)
{
	/* Both commands have the same layout. */
	return swhca_umcast_detach(req->file, cmd);
}
