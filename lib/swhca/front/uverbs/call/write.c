/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Commands of the write ABI, carried by the method INVOKE_WRITE (ib_core: uverbs_cmd.c).
 *
 * Input and output structures are the attributes CORE_IN and CORE_OUT; the address of the response
 * at the start of an input is ignored, as the kernel does for an ioctl.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/call/write.h"
#include "front/uverbs/call/write_srq.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/ctx.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/mr_rereg.h"
#include "front/uverbs/obj/mw.h"
#include "front/uverbs/obj/pd.h"
#include "front/uverbs/obj/query.h"
#include "front/uverbs/obj/query_port.h"
#include "front/uverbs/queue/ah.h"
#include "front/uverbs/queue/uverbs_cq.h"
#include "front/uverbs/queue/uverbs_qp.h"
#include "front/uverbs/queue/uverbs_qp_modify.h"
#include "front/uverbs/queue/uverbs_qp_query.h"

/* enum ib_cq_attr_mask: IB_CQ_MODERATE */
#define CQ_ATTR_MODERATE (1u << 0)

int
swhca_uwrite_out_or_destroy(struct swhca_ureq *req, struct swhca_uobj *obj, const void *resp,
			    size_t size)
{
	int ret = swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, resp, size);

	if (ret != 0)
		swhca_uobj_destroy(req->file, obj);
	return ret;
}

static int
write_get_context(struct swhca_ureq *req, const void *cmd)
{
	(void)cmd;
	return swhca_uctx_get_write(req);
}

static int
write_query_device(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_query_device_resp resp;

	(void)cmd;
	swhca_uquery_device(req->file->dev, &resp);
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_query_device_ex(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_ex_query_device *cmd = data;
	struct ib_uverbs_ex_query_device_resp resp;
	size_t len = swhca_uattr_len(req, UVERBS_ATTR_CORE_OUT);
	int ret;

	if (cmd->comp_mask != 0 || cmd->reserved != 0)
		return -EINVAL;
	ret = swhca_uquery_device_ex(req, &resp);
	if (ret != 0)
		return ret;
	if (resp.response_length > len)
		resp.response_length = (uint32_t)len;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_query_port(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_query_port *cmd = data;
	struct ib_uverbs_query_port_resp resp;
	int ret;

	ret = swhca_uquery_port(req->file->dev, cmd->port_num, &resp);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_alloc_pd(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct swhca_uobj *pd;
	int ret;

	(void)cmd;
	ret = swhca_upd_create(req, &pd);
	if (ret != 0)
		return ret;
	resp.pd_handle = pd->handle;
	return swhca_uwrite_out_or_destroy(req, pd, &resp, sizeof(resp));
}

int
swhca_uwrite_destroy(struct swhca_ureq *req, uint32_t handle, uint16_t type)
{
	struct swhca_uobj *obj;
	int ret;

	ret = swhca_uobj_get(req->file, handle, type, &obj);
	return ret != 0 ? ret : swhca_uobj_destroy(req->file, obj);
}

static int
write_dealloc_pd(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_dealloc_pd *cmd = data;

	return swhca_uwrite_destroy(req, cmd->pd_handle, UVERBS_OBJECT_PD);
}

static int
write_reg_mr(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_reg_mr *cmd = data;
	struct swhca_ureg_attr attr = {
		.start = cmd->start,
		.len = cmd->length,
		.iova = cmd->hca_va,
		.access = cmd->access_flags,
	};
	struct ib_uverbs_reg_mr_resp resp;
	struct swhca_uobj *mr;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->pd_handle, UVERBS_OBJECT_PD, &attr.pd);
	if (ret == 0)
		ret = swhca_ureg_create(req->file, &attr, &mr);
	if (ret != 0)
		return ret;
	resp.mr_handle = mr->handle;
	resp.lkey = mr->mr.key;
	resp.rkey = mr->mr.key;
	return swhca_uwrite_out_or_destroy(req, mr, &resp, sizeof(resp));
}

static int
write_dereg_mr(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_dereg_mr *cmd = data;

	return swhca_uwrite_destroy(req, cmd->mr_handle, UVERBS_OBJECT_MR);
}

static int
write_rereg_mr(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct swhca_uobj *mr;
	int ret;

	ret = swhca_ureg_rereg(req->file, cmd, &mr);
	if (ret != 0)
		return ret;
	resp.lkey = mr->mr.key;
	resp.rkey = mr->mr.key;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_alloc_mw(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_alloc_mw_resp resp;
	struct swhca_uobj *mw;
	int ret;

	ret = swhca_umw_create(req, cmd, &mw);
	if (ret != 0)
		return ret;
	resp.mw_handle = mw->handle;
	resp.rkey = mw->mr.key;
	return swhca_uwrite_out_or_destroy(req, mw, &resp, sizeof(resp));
}

static int
write_dealloc_mw(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_dealloc_mw *cmd = data;

	return swhca_uwrite_destroy(req, cmd->mw_handle, UVERBS_OBJECT_MW);
}

static int
write_create_comp_channel(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_create_comp_channel_resp resp;
	int fd, ret;

	(void)cmd;
	fd = swhca_uevent_file_create(req->file, SWHCA_UEVENT_COMP, NULL);
	if (fd < 0)
		return fd;
	resp.fd = (uint32_t)fd;
	ret = swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
	if (ret != 0)
		swhca_ufd_drop(fd);
	return ret;
}

static int
cq_create(struct swhca_ureq *req, struct swhca_ucq_attr *attr, int32_t comp_channel,
	  struct ib_uverbs_create_cq_resp *resp, struct swhca_uobj **cq)
{
	int ret = 0;

	if (comp_channel >= 0)
		ret = swhca_uevent_file_find(req->file, comp_channel, SWHCA_UEVENT_COMP,
					     &attr->events.comp);
	if (ret != 0)
		return ret;
	ret = swhca_ucq_create(req, attr, cq, &resp->cqe);
	swhca_uevent_attr_fini(&attr->events);
	if (ret == 0)
		resp->cq_handle = (*cq)->handle;
	return ret;
}

static int
write_create_cq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_create_cq *cmd = data;
	struct swhca_ucq_attr attr = {
		.nb_cqe = cmd->cqe,
		.comp_vector = cmd->comp_vector,
		.events = { .user_handle = cmd->user_handle },
	};
	struct ib_uverbs_create_cq_resp resp = { 0 };
	struct swhca_uobj *cq;
	int ret;

	ret = cq_create(req, &attr, cmd->comp_channel, &resp, &cq);
	if (ret != 0)
		return ret;
	return swhca_uwrite_out_or_destroy(req, cq, &resp, sizeof(resp));
}

static int
write_create_cq_ex(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_ex_create_cq *cmd = data;
	struct swhca_ucq_attr attr = {
		.nb_cqe = cmd->cqe,
		.comp_vector = cmd->comp_vector,
		.flags = cmd->flags,
		.events = { .user_handle = cmd->user_handle },
	};
	struct ib_uverbs_ex_create_cq_resp resp = { .response_length = sizeof(resp) };
	struct swhca_uobj *cq;
	int ret;

	if (cmd->comp_mask != 0 || cmd->reserved != 0)
		return -EINVAL;
	ret = cq_create(req, &attr, cmd->comp_channel, &resp.base, &cq);
	if (ret != 0)
		return ret;
	return swhca_uwrite_out_or_destroy(req, cq, &resp, sizeof(resp));
}

static int
write_resize_cq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_resize_cq *cmd = data;
	struct ib_uverbs_resize_cq_resp resp = { .cqe = cmd->cqe };
	struct swhca_uobj *cq;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->cq_handle, UVERBS_OBJECT_CQ, &cq);
	if (ret == 0)
		ret = swhca_ucq_resize(req, cq, &resp.cqe);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_modify_cq_ex(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_ex_modify_cq *cmd = data;
	struct swhca_uobj *cq;
	int ret;

	if ((cmd->attr_mask & CQ_ATTR_MODERATE) == 0)
		return -EINVAL;
	if ((cmd->attr_mask & ~CQ_ATTR_MODERATE) != 0)
		return -EOPNOTSUPP;
	ret = swhca_uobj_get(req->file, cmd->cq_handle, UVERBS_OBJECT_CQ, &cq);
	if (ret != 0)
		return ret;
	return swhca_ucq_moderate(req->file, cq, cmd->attr.cq_count, cmd->attr.cq_period);
}

static int
write_destroy_cq(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_destroy_cq *cmd = data;
	struct ib_uverbs_destroy_cq_resp resp = { 0 };
	struct swhca_uevent_counts counts;
	struct swhca_uobj *cq;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->cq_handle, UVERBS_OBJECT_CQ, &cq);
	if (ret == 0)
		ret = swhca_uobj_destroy_counted(req->file, cq, &counts);
	if (ret != 0)
		return ret;
	resp.comp_events_reported = counts.nb_comp;
	resp.async_events_reported = counts.nb_async;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

/* Get the objects that a QP refers to, by type (ib_core: create_qp()). */
static int
qp_objects_get(const struct swhca_ufile *file, const struct ib_uverbs_ex_create_qp *cmd,
	       struct swhca_uqp_attr *attr)
{
	int ret;

	if (cmd->qp_type == IB_UVERBS_QPT_XRC_TGT)
		return swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_XRCD, &attr->xrcd);
	ret = swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_PD, &attr->pd);
	if (ret == 0)
		ret = swhca_uobj_get(file, cmd->send_cq_handle, UVERBS_OBJECT_CQ, &attr->send_cq);
	if (ret != 0 || cmd->qp_type == IB_UVERBS_QPT_XRC_INI)
		return ret;
	ret = swhca_uobj_get(file, cmd->recv_cq_handle, UVERBS_OBJECT_CQ, &attr->recv_cq);
	if (ret == 0 && cmd->is_srq != 0)
		ret = swhca_uobj_get(file, cmd->srq_handle, UVERBS_OBJECT_SRQ, &attr->srq);
	return ret;
}

/* The extended command starts like the old one, except for the address of the response. */
static int
qp_create(struct swhca_ureq *req, const struct ib_uverbs_ex_create_qp *cmd,
	  struct ib_uverbs_create_qp_resp *resp, struct swhca_uobj **qp)
{
	struct swhca_uqp_attr attr = {
		.type = cmd->qp_type,
		.flags = cmd->create_flags,
		.cap = { .max_send_wr = cmd->max_send_wr,
			 .max_recv_wr = cmd->max_recv_wr,
			 .max_send_sge = cmd->max_send_sge,
			 .max_recv_sge = cmd->max_recv_sge,
			 .max_inline_data = cmd->max_inline_data },
		.sq_sig_all = cmd->sq_sig_all != 0,
		.events = { .user_handle = cmd->user_handle },
	};
	int ret;

	ret = qp_objects_get(req->file, cmd, &attr);
	if (ret == 0)
		ret = swhca_uqp_create(req, &attr, qp);
	if (ret != 0)
		return ret;
	resp->qp_handle = (*qp)->handle;
	resp->qpn = (*qp)->num;
	resp->max_send_wr = (*qp)->qp.cap.max_send_wr;
	resp->max_recv_wr = (*qp)->qp.cap.max_recv_wr;
	resp->max_send_sge = (*qp)->qp.cap.max_send_sge;
	resp->max_recv_sge = (*qp)->qp.cap.max_recv_sge;
	resp->max_inline_data = (*qp)->qp.cap.max_inline_data;
	return 0;
}

static int
write_create_qp(struct swhca_ureq *req, const void *data)
{
	struct ib_uverbs_create_qp_resp resp = { 0 };
	struct ib_uverbs_ex_create_qp cmd = { 0 };
	struct swhca_uobj *qp;
	int ret;

	memcpy(&cmd, (const uint8_t *)data + offsetof(struct ib_uverbs_create_qp, user_handle),
	       sizeof(struct ib_uverbs_create_qp) -
		       offsetof(struct ib_uverbs_create_qp, user_handle));
	ret = qp_create(req, &cmd, &resp, &qp);
	return ret != 0 ? ret : swhca_uwrite_out_or_destroy(req, qp, &resp, sizeof(resp));
}

static int
write_create_qp_ex(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_ex_create_qp *cmd = data;
	struct ib_uverbs_ex_create_qp_resp resp = { .response_length = sizeof(resp) };
	struct swhca_uobj *qp;
	int ret;

	/* Its only bit is for tables of receive queues, which are unsupported. */
	if (cmd->comp_mask != 0 || cmd->reserved != 0)
		return -EINVAL;
	ret = qp_create(req, cmd, &resp.base, &qp);
	return ret != 0 ? ret : swhca_uwrite_out_or_destroy(req, qp, &resp, sizeof(resp));
}

static int
write_modify_qp(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_modify_qp *cmd = data;
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->qp_handle, UVERBS_OBJECT_QP, &qp);
	return ret != 0 ? ret : swhca_uqp_modify(req->file, qp, cmd);
}

static int
write_modify_qp_ex(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_ex_modify_qp *cmd = data;
	struct ib_uverbs_ex_modify_qp_resp resp = { .response_length = sizeof(resp) };
	struct mlx5_ib_modify_qp_resp drv = { 0 };
	size_t len = swhca_uattr_len(req, UVERBS_ATTR_UHW_OUT);
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->base.qp_handle, UVERBS_OBJECT_QP, &qp);
	if (ret == 0)
		ret = swhca_uqp_modify_driver(req, qp);
	if (ret == 0)
		ret = swhca_uqp_modify(req->file, qp, &cmd->base);
	if (ret != 0)
		return ret;
	/* A DC target only gets its number now. */
	if (qp->qp.is_dct)
		drv.dctn = qp->num;
	drv.response_length = (uint32_t)(len < sizeof(drv) ? len : sizeof(drv));
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &drv, sizeof(drv));
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_query_qp(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_query_qp *cmd = data;
	struct ib_uverbs_query_qp_resp resp;
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->qp_handle, UVERBS_OBJECT_QP, &qp);
	if (ret == 0)
		ret = swhca_uqp_query(req->file, qp, cmd->attr_mask, &resp);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_destroy_qp(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_destroy_qp *cmd = data;
	struct ib_uverbs_destroy_qp_resp resp = { 0 };
	struct swhca_uevent_counts counts;
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_uobj_get(req->file, cmd->qp_handle, UVERBS_OBJECT_QP, &qp);
	if (ret == 0)
		ret = swhca_uobj_destroy_counted(req->file, qp, &counts);
	if (ret != 0)
		return ret;
	resp.events_reported = counts.nb_async;
	return swhca_uattr_out(req, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}

static int
write_create_ah(struct swhca_ureq *req, const void *cmd)
{
	struct ib_uverbs_create_ah_resp resp;
	struct swhca_uobj *ah;
	int ret;

	ret = swhca_uah_create(req, cmd, &ah);
	if (ret != 0)
		return ret;
	resp.ah_handle = ah->handle;
	return swhca_uwrite_out_or_destroy(req, ah, &resp, sizeof(resp));
}

static int
write_destroy_ah(struct swhca_ureq *req, const void *data)
{
	const struct ib_uverbs_destroy_ah *cmd = data;

	return swhca_uwrite_destroy(req, cmd->ah_handle, UVERBS_OBJECT_AH);
}

/* Largest input of a command. */
union write_cmd {
	struct ib_uverbs_ex_modify_qp modify_qp_ex;
	struct ib_uverbs_ex_create_qp create_qp_ex;
	struct ib_uverbs_create_qp create_qp;
	struct ib_uverbs_create_ah create_ah;
	struct ib_uverbs_create_xsrq create_xsrq;
	struct ib_uverbs_reg_mr reg_mr;
	struct ib_uverbs_rereg_mr rereg_mr;
};

#define WRITE_EX(op) (IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_EX_CMD_##op)

static const struct write_method {
	uint32_t cmd;
	uint16_t in_size;
	uint16_t in_min;
	uint16_t out_min;
	int (*handler)(struct swhca_ureq *req, const void *cmd);
} write_methods[] = {
#define WRITE_METHOD(op, in, out, fn)                                                              \
	{ IB_USER_VERBS_CMD_##op, sizeof(struct in), sizeof(struct in), out, fn }
	WRITE_METHOD(GET_CONTEXT, ib_uverbs_get_context,
		     sizeof(struct ib_uverbs_get_context_resp), write_get_context),
	WRITE_METHOD(QUERY_DEVICE, ib_uverbs_query_device,
		     sizeof(struct ib_uverbs_query_device_resp), write_query_device),
	WRITE_METHOD(QUERY_PORT, ib_uverbs_query_port, sizeof(struct ib_uverbs_query_port_resp),
		     write_query_port),
	WRITE_METHOD(ALLOC_PD, ib_uverbs_alloc_pd, sizeof(struct ib_uverbs_alloc_pd_resp),
		     write_alloc_pd),
	WRITE_METHOD(DEALLOC_PD, ib_uverbs_dealloc_pd, 0, write_dealloc_pd),
	WRITE_METHOD(CREATE_AH, ib_uverbs_create_ah, sizeof(struct ib_uverbs_create_ah_resp),
		     write_create_ah),
	WRITE_METHOD(DESTROY_AH, ib_uverbs_destroy_ah, 0, write_destroy_ah),
	WRITE_METHOD(REG_MR, ib_uverbs_reg_mr, sizeof(struct ib_uverbs_reg_mr_resp),
		     write_reg_mr),
	WRITE_METHOD(DEREG_MR, ib_uverbs_dereg_mr, 0, write_dereg_mr),
	WRITE_METHOD(REREG_MR, ib_uverbs_rereg_mr, sizeof(struct ib_uverbs_rereg_mr_resp),
		     write_rereg_mr),
	WRITE_METHOD(ALLOC_MW, ib_uverbs_alloc_mw, sizeof(struct ib_uverbs_alloc_mw_resp),
		     write_alloc_mw),
	WRITE_METHOD(DEALLOC_MW, ib_uverbs_dealloc_mw, 0, write_dealloc_mw),
	WRITE_METHOD(CREATE_COMP_CHANNEL, ib_uverbs_create_comp_channel,
		     sizeof(struct ib_uverbs_create_comp_channel_resp),
		     write_create_comp_channel),
	WRITE_METHOD(CREATE_CQ, ib_uverbs_create_cq, sizeof(struct ib_uverbs_create_cq_resp),
		     write_create_cq),
	WRITE_METHOD(RESIZE_CQ, ib_uverbs_resize_cq, sizeof(struct ib_uverbs_resize_cq_resp),
		     write_resize_cq),
	WRITE_METHOD(DESTROY_CQ, ib_uverbs_destroy_cq, sizeof(struct ib_uverbs_destroy_cq_resp),
		     write_destroy_cq),
	WRITE_METHOD(CREATE_QP, ib_uverbs_create_qp, sizeof(struct ib_uverbs_create_qp_resp),
		     write_create_qp),
	WRITE_METHOD(MODIFY_QP, ib_uverbs_modify_qp, 0, write_modify_qp),
	WRITE_METHOD(QUERY_QP, ib_uverbs_query_qp, sizeof(struct ib_uverbs_query_qp_resp),
		     write_query_qp),
	WRITE_METHOD(DESTROY_QP, ib_uverbs_destroy_qp, sizeof(struct ib_uverbs_destroy_qp_resp),
		     write_destroy_qp),
	WRITE_METHOD(CREATE_SRQ, ib_uverbs_create_srq, sizeof(struct ib_uverbs_create_srq_resp),
		     swhca_uwrite_create_srq),
	WRITE_METHOD(CREATE_XSRQ, ib_uverbs_create_xsrq, sizeof(struct ib_uverbs_create_srq_resp),
		     swhca_uwrite_create_xsrq),
	WRITE_METHOD(MODIFY_SRQ, ib_uverbs_modify_srq, 0, swhca_uwrite_modify_srq),
	WRITE_METHOD(QUERY_SRQ, ib_uverbs_query_srq, sizeof(struct ib_uverbs_query_srq_resp),
		     swhca_uwrite_query_srq),
	WRITE_METHOD(DESTROY_SRQ, ib_uverbs_destroy_srq,
		     sizeof(struct ib_uverbs_destroy_srq_resp), swhca_uwrite_destroy_srq),
	WRITE_METHOD(OPEN_XRCD, ib_uverbs_open_xrcd, sizeof(struct ib_uverbs_open_xrcd_resp),
		     swhca_uwrite_open_xrcd),
	WRITE_METHOD(CLOSE_XRCD, ib_uverbs_close_xrcd, 0, swhca_uwrite_close_xrcd),
	WRITE_METHOD(OPEN_QP, ib_uverbs_open_qp, sizeof(struct ib_uverbs_create_qp_resp),
		     swhca_uwrite_open_qp),
	WRITE_METHOD(ATTACH_MCAST, ib_uverbs_attach_mcast, 0, swhca_uwrite_attach_mcast),
	WRITE_METHOD(DETACH_MCAST, ib_uverbs_detach_mcast, 0, swhca_uwrite_detach_mcast),
	{ WRITE_EX(QUERY_DEVICE), sizeof(struct ib_uverbs_ex_query_device),
	  sizeof(struct ib_uverbs_ex_query_device),
	  offsetof(struct ib_uverbs_ex_query_device_resp, odp_caps), write_query_device_ex },
	{ WRITE_EX(CREATE_CQ), sizeof(struct ib_uverbs_ex_create_cq),
	  sizeof(struct ib_uverbs_ex_create_cq), sizeof(struct ib_uverbs_ex_create_cq_resp),
	  write_create_cq_ex },
	{ WRITE_EX(MODIFY_CQ), sizeof(struct ib_uverbs_ex_modify_cq),
	  sizeof(struct ib_uverbs_ex_modify_cq), 0, write_modify_cq_ex },
	{ WRITE_EX(CREATE_QP), sizeof(struct ib_uverbs_ex_create_qp),
	  offsetof(struct ib_uverbs_ex_create_qp, rwq_ind_tbl_handle),
	  sizeof(struct ib_uverbs_ex_create_qp_resp), write_create_qp_ex },
	{ WRITE_EX(MODIFY_QP), sizeof(struct ib_uverbs_ex_modify_qp),
	  offsetof(struct ib_uverbs_ex_modify_qp, rate_limit), 0, write_modify_qp_ex },
};

static const struct write_method *
method_find(uint32_t cmd)
{
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(write_methods); i++) {
		if (write_methods[i].cmd == cmd)
			return &write_methods[i];
	}
	return NULL;
}

int
swhca_uwrite_req(struct swhca_ureq *req)
{
	const struct write_method *method;
	union write_cmd cmd;
	uint32_t number;
	int ret;

	ret = swhca_uattr_in_u32(req, UVERBS_ATTR_WRITE_CMD, &number);
	if (ret != 0)
		return ret;
	method = method_find(number);
	if (method == NULL) {
		SWHCA_LOG(WARNING, "uverbs command 0x%x: not supported", number);
		return -EOPNOTSUPP;
	}
	if (swhca_uattr_len(req, UVERBS_ATTR_CORE_IN) < method->in_min ||
	    swhca_uattr_len(req, UVERBS_ATTR_CORE_OUT) < method->out_min)
		return -ENOSPC;
	if (!req->file->has_context && number != IB_USER_VERBS_CMD_GET_CONTEXT)
		return -EINVAL;
	ret = swhca_uattr_in(req, UVERBS_ATTR_CORE_IN, &cmd, method->in_size, method->in_min);
	return ret != 0 ? ret : method->handler(req, &cmd);
}
