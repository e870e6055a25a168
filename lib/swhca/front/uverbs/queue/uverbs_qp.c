/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queue pairs of verbs: create and destroy (mlx5_ib: qp.c, create_user_qp()).
 *
 * libmlx5 passes one buffer: the receive queue followed by the send queue.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/obj/uverbs_uar.h"
#include "front/uverbs/queue/uverbs_dct.h"
#include "front/uverbs/queue/uverbs_qp.h"
#include "front/uverbs/queue/xrcd.h"

/* Minimum driver part: up to the index of the blue flame register. */
#define UQP_MIN_LEN offsetof(struct mlx5_ib_create_qp, sq_buf_addr)

/* Flags of DC initiators only. */
#define UQP_DCI_FLAGS ((uint32_t)(MLX5_QP_FLAG_TYPE_DCI | MLX5_QP_FLAG_DCI_STREAM))

#define LOG_WQEBB 6u
/* qpc.log_rq_stride starts at 16 bytes and has 3 bits. */
#define LOG_RQ_STRIDE_MIN 4u
#define LOG_RQ_STRIDE_MAX (LOG_RQ_STRIDE_MIN + 7u)
#define KNOWN_CREATE_FLAGS ((uint32_t)IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK)
#define USER_INDEX_MASK 0xffffffu

/* libmlx5 numbers 4 registers per UAR page, the kernel 2. */
#define LIB_BFREGS_PER_UAR 4u

/* Result of parsing the driver part of a request. */
struct uqp_plan {
	struct mlx5_ib_create_qp ucmd;
	struct swhca_upages pages;
	uint32_t uar;
	uint32_t bfreg;		/* Static register + 1, or 0. */
	uint8_t st;
};

static bool
is_pow2(uint32_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

static bool
streams_fit(const struct swhca_udev *dev, const struct mlx5_ib_create_qp *ucmd)
{
	const struct mlx5_ib_create_qp_dci_streams *streams = &ucmd->dci_streams;
	uint32_t max = swhca_udev_cap(dev, PRM_CAP_LOG_MAX_DCI_STREAM_CHANNELS);
	uint32_t max_errored = swhca_udev_cap(dev, PRM_CAP_LOG_MAX_DCI_ERRORED_STREAMS);

	if (max != 0 && streams->log_num_concurent <= max &&
	    streams->log_num_errored <= max_errored)
		return true;
	SWHCA_LOG(WARNING, "CREATE_QP: 2^%u streams, 2^%u in error: at most 2^%u, 2^%u",
		  streams->log_num_concurent, streams->log_num_errored, max, max_errored);
	return false;
}

static int
ucmd_check(const struct swhca_udev *dev, const struct mlx5_ib_create_qp *ucmd, uint8_t st)
{
	const uint32_t known = MLX5_QP_FLAG_SCATTER_CQE | MLX5_QP_FLAG_ALLOW_SCATTER_CQE |
			       MLX5_QP_FLAG_BFREG_INDEX | MLX5_QP_FLAG_UAR_PAGE_INDEX |
			       (st == PRM_QP_ST_DCI ? UQP_DCI_FLAGS : 0);
	uint32_t max_wqe = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP_SZ);

	if ((ucmd->flags & ~known) != 0) {
		SWHCA_LOG(WARNING, "CREATE_QP: flags 0x%x: not supported: 0x%x", ucmd->flags,
			  ucmd->flags & ~known);
		return -EINVAL;
	}
	if ((ucmd->flags & MLX5_QP_FLAG_DCI_STREAM) != 0 && !streams_fit(dev, ucmd))
		return -EINVAL;
	if (ucmd->sq_wqe_count != 0 && !is_pow2(ucmd->sq_wqe_count))
		return -EINVAL;
	if (ucmd->rq_wqe_count != 0 && !is_pow2(ucmd->rq_wqe_count))
		return -EINVAL;
	if (ucmd->sq_wqe_count > max_wqe || ucmd->rq_wqe_count > max_wqe) {
		SWHCA_LOG(WARNING, "CREATE_QP: %u and %u WQEs: more than %u",
			  ucmd->sq_wqe_count, ucmd->rq_wqe_count, max_wqe);
		return -EINVAL;
	}
	if (ucmd->rq_wqe_count != 0 && (ucmd->rq_wqe_shift < LOG_RQ_STRIDE_MIN ||
					ucmd->rq_wqe_shift > LOG_RQ_STRIDE_MAX))
		return -EINVAL;
	return 0;
}

static int
uar_find(struct swhca_ufile *file, struct uqp_plan *plan)
{
	const struct mlx5_ib_create_qp *ucmd = &plan->ucmd;
	uint32_t bfreg;

	if ((ucmd->flags & MLX5_QP_FLAG_UAR_PAGE_INDEX) != 0) {
		plan->uar = ucmd->bfreg_index;
		return swhca_uuar_check(file, plan->uar);
	}
	if ((ucmd->flags & MLX5_QP_FLAG_BFREG_INDEX) != 0)
		return swhca_uuar_of_bfreg(file, ucmd->bfreg_index, true, &plan->uar);
	if (file->has_dyn_uar)
		return -EINVAL;
	bfreg = swhca_uuar_bfreg_get(file);
	plan->bfreg = bfreg + 1;
	return swhca_uuar_of_bfreg(file, bfreg, false, &plan->uar);
}

static int
buf_pin(struct swhca_ufile *file, struct swhca_uobj *qp, struct uqp_plan *plan)
{
	const struct mlx5_ib_create_qp *ucmd = &plan->ucmd;
	uint64_t len = (uint64_t)ucmd->sq_wqe_count << LOG_WQEBB;
	int ret;

	/* Without a receive queue the shift is ignored. */
	if (ucmd->rq_wqe_count != 0)
		len += (uint64_t)ucmd->rq_wqe_count << ucmd->rq_wqe_shift;
	ret = swhca_upin_dbr(file, qp, ucmd->db_addr);
	if (ret != 0 || len == 0)
		return ret;
	ret = swhca_upin(qp, ucmd->buf_addr, len, true);
	if (ret == 0)
		ret = swhca_upages_queue(ucmd->buf_addr, len, &plan->pages);
	return ret;
}

/*
 * Scatter to CQE is enabled on request, if every send has a CQE: either all signal completion, or
 * the user requests it explicitly (mlx5_ib: configure_requester_scat_cqe()).
 */
static void
scatter_set(const struct swhca_udev *dev, uint8_t *qpc, const struct swhca_uqp_attr *attr,
	    uint32_t flags)
{
	bool is_sure = attr->sq_sig_all || (flags & MLX5_QP_FLAG_ALLOW_SCATTER_CQE) != 0;
	bool is_rc = attr->type == IB_UVERBS_QPT_RC;

	if ((flags & MLX5_QP_FLAG_SCATTER_CQE) == 0 ||
	    swhca_udev_cap(dev, PRM_CAP_SCTR_DATA_CQE) == 0)
		return;
	if (is_rc || attr->type == IB_UVERBS_QPT_UC)
		prm_set(qpc, PRM_QPC_CS_RES, attr->recv_cq->cq.cqe_size == 128 ?
						     PRM_QPC_CS_RES_64B :
						     PRM_QPC_CS_RES_32B);
	if (is_rc && is_sure)
		prm_set(qpc, PRM_QPC_CS_REQ, attr->send_cq->cq.cqe_size == 128 ?
						     PRM_QPC_CS_REQ_64B :
						     PRM_QPC_CS_REQ_32B);
}

static uint32_t
num_or_0(const struct swhca_uobj *obj)
{
	return obj == NULL ? 0 : obj->num;
}

/* The target of XRC has a PD of the kernel: the PD of the SRQ controls access. */
static uint32_t
qp_pdn(const struct swhca_udev *dev, const struct swhca_uqp_attr *attr)
{
	return attr->pd == NULL ? dev->pdn : attr->pd->num;
}

/* Set the receive side: own queue, shared queue, queues named in messages, or none. */
static void
recv_fill(uint8_t *qpc, const struct swhca_uqp_attr *attr, const struct mlx5_ib_create_qp *ucmd)
{
	if (attr->xrcd != NULL) {
		prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_SRQ);
		prm_set(qpc, PRM_QPC_XRCD, attr->xrcd->num);
	} else if (attr->srq != NULL) {
		prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_SRQ);
		prm_set(qpc, PRM_QPC_SRQN_RMPN_XRQN, attr->srq->num);
	} else if (ucmd->rq_wqe_count != 0) {
		prm_set(qpc, PRM_QPC_LOG_RQ_STRIDE, ucmd->rq_wqe_shift - LOG_RQ_STRIDE_MIN);
		prm_set(qpc, PRM_QPC_LOG_RQ_SIZE, __builtin_ctz(ucmd->rq_wqe_count));
		prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_REGULAR);
	} else {
		prm_set(qpc, PRM_QPC_RQ_TYPE, PRM_RQ_TYPE_ZERO_SIZE);
	}
}

static bool
has_real_time(const struct swhca_uobj *cq)
{
	return cq != NULL && cq->cq.has_real_time;
}

static uint32_t
ts_format_of(const struct swhca_uobj *send_cq, const struct swhca_uobj *recv_cq)
{
	return has_real_time(send_cq) || has_real_time(recv_cq) ? PRM_TS_FORMAT_REAL_TIME :
								   PRM_TS_FORMAT_FREE_RUNNING;
}

/* A queue pair has one clock (mlx5_ib: get_qp_ts_format()). */
static int
ts_format_check(const struct swhca_udev *dev, const struct swhca_uqp_attr *attr)
{
	bool is_mixed = attr->send_cq != NULL && attr->recv_cq != NULL &&
			has_real_time(attr->send_cq) != has_real_time(attr->recv_cq);

	if (ts_format_of(attr->send_cq, attr->recv_cq) == PRM_TS_FORMAT_FREE_RUNNING)
		return 0;
	if (!is_mixed && swhca_udev_cap(dev, PRM_CAP_SQ_TS_FORMAT) == PRM_TS_FORMAT_CAP_BOTH)
		return 0;
	SWHCA_LOG(WARNING, "CREATE_QP: real time stamps: %s", is_mixed ?
		  "only one of the CQs has them" : "the device has none");
	return -EOPNOTSUPP;
}

static void
qpc_fill(const struct swhca_ufile *file, uint8_t *qpc, const struct swhca_uqp_attr *attr,
	 const struct uqp_plan *plan)
{
	const struct mlx5_ib_create_qp *ucmd = &plan->ucmd;

	prm_set(qpc, PRM_QPC_ST, plan->st);
	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_PD, qp_pdn(file->dev, attr));
	if ((attr->flags & IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK) != 0)
		prm_set(qpc, PRM_QPC_BLOCK_LB_MC, 1);
	recv_fill(qpc, attr, ucmd);
	if (ucmd->sq_wqe_count != 0)
		prm_set(qpc, PRM_QPC_LOG_SQ_SIZE, __builtin_ctz(ucmd->sq_wqe_count));
	else
		prm_set(qpc, PRM_QPC_NO_SQ, 1);
	prm_set(qpc, PRM_QPC_UAR_PAGE, plan->uar);
	/* CQEs of version 1 contain the user index, those of version 0 the QP number. */
	prm_set(qpc, PRM_QPC_USER_INDEX, file->cqe_version == 0 ? PRM_USER_INDEX_NONE : ucmd->uidx);
	prm_set(qpc, PRM_QPC_LOG_PAGE_SIZE, plan->pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	prm_set(qpc, PRM_QPC_PAGE_OFFSET, plan->pages.offset_64th);
	prm_set(qpc, PRM_QPC_CQN_SND, num_or_0(attr->send_cq));
	prm_set(qpc, PRM_QPC_CQN_RCV, num_or_0(attr->recv_cq));
	scatter_set(file->dev, qpc, attr, ucmd->flags);
	if ((ucmd->flags & MLX5_QP_FLAG_DCI_STREAM) != 0) {
		prm_set(qpc, PRM_QPC_LOG_NUM_DCI_STREAM_CHANNELS,
			ucmd->dci_streams.log_num_concurent);
		prm_set(qpc, PRM_QPC_LOG_NUM_DCI_ERRORED_STREAMS,
			ucmd->dci_streams.log_num_errored);
	}
	prm_set(qpc, PRM_QPC_TS_FORMAT, ts_format_of(attr->send_cq, attr->recv_cq));
	prm_set(qpc, PRM_QPC_DBR_ADDR, ucmd->db_addr);
}

static int
qp_exec(struct swhca_ufile *file, struct swhca_uobj *qp, const struct swhca_uqp_attr *attr,
	const struct uqp_plan *plan)
{
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	size_t in_len = PRM_CREATE_QP_IN_PAS_BYTE + (size_t)plan->pages.nb * PRM_MTT_SIZE;
	uint8_t *in;
	int ret;

	in = calloc(1, in_len);
	if (in == NULL)
		return -ENOMEM;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_QP);
	/* An XRC target is shared by all users of its domain. */
	prm_set(in, PRM_CMD_IN_UID, attr->xrcd != NULL ? 0 : file->uid);
	qpc_fill(file, &in[PRM_CREATE_QP_IN_QPC_BYTE], attr, plan);
	swhca_upages_write(&plan->pages, &in[PRM_CREATE_QP_IN_PAS_BYTE], 0);
	ret = swhca_udev_exec(file->dev, in, in_len, out, sizeof(out));
	free(in);
	if (ret == 0)
		qp->num = (uint32_t)prm_get(out, PRM_CREATE_QP_OUT_QPN);
	return ret;
}

/* @return PRM service type, or -EOPNOTSUPP if the HCA lacks it. */
static int
qp_type_check(const struct swhca_udev *dev, uint32_t type, uint32_t flags, uint8_t *st)
{
	switch (type) {
	case IB_UVERBS_QPT_RC:
		*st = PRM_QP_ST_RC;
		return 0;
	case IB_UVERBS_QPT_UC:
		*st = PRM_QP_ST_UC;
		if (swhca_udev_cap(dev, PRM_CAP_UC) != 0)
			return 0;
		break;
	case IB_UVERBS_QPT_UD:
		*st = PRM_QP_ST_UD;
		if (swhca_udev_cap(dev, PRM_CAP_UD) != 0)
			return 0;
		break;
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
		*st = PRM_QP_ST_XRC;
		if (swhca_udev_cap(dev, PRM_CAP_XRC) != 0)
			return 0;
		break;
	case IB_UVERBS_QPT_DRIVER:
		*st = PRM_QP_ST_DCI;
		if (swhca_udev_cap(dev, PRM_CAP_DCT) != 0 && (flags & MLX5_QP_FLAG_TYPE_DCI) != 0)
			return 0;
		break;
	default:
		break;
	}
	SWHCA_LOG(WARNING, "CREATE_QP: type %u, flags 0x%x: not supported", type, flags);
	return -EOPNOTSUPP;
}

static int
qp_plan(struct swhca_ufile *file, struct swhca_uobj *qp, const struct swhca_uqp_attr *attr,
	struct uqp_plan *plan)
{
	int ret;

	ret = qp_type_check(file->dev, attr->type, plan->ucmd.flags, &plan->st);
	if (ret != 0)
		return ret;
	if ((attr->flags & ~KNOWN_CREATE_FLAGS) != 0) {
		SWHCA_LOG(WARNING, "CREATE_QP: create flags 0x%x: not supported: 0x%x",
			  attr->flags, attr->flags & ~KNOWN_CREATE_FLAGS);
		return -EOPNOTSUPP;
	}
	ret = ucmd_check(file->dev, &plan->ucmd, plan->st);
	if (ret == 0)
		ret = ts_format_check(file->dev, attr);
	if (ret == 0 && file->cqe_version != 0 && (plan->ucmd.uidx & ~USER_INDEX_MASK) != 0)
		ret = -EINVAL;
	/* mlx5_ib, qp_has_rq(): with a shared queue there is no own one, whatever is requested. */
	if (attr->srq != NULL || plan->st == PRM_QP_ST_XRC)
		plan->ucmd.rq_wqe_count = 0;
	/* The target of XRC has neither queue nor doorbell. */
	if (attr->type == IB_UVERBS_QPT_XRC_TGT && ret == 0) {
		plan->ucmd.sq_wqe_count = 0;
		return 0;
	}
	if (ret == 0)
		ret = buf_pin(file, qp, plan);
	if (ret == 0)
		ret = uar_find(file, plan);
	return ret;
}

static int
resp_out(struct swhca_ureq *req, const struct swhca_uobj *qp)
{
	struct mlx5_ib_create_qp_resp resp = { 0 };
	uint32_t bfreg;

	resp.bfreg_index = UINT32_MAX;
	if (qp->qp.bfreg != 0) {
		bfreg = qp->qp.bfreg - 1;
		resp.bfreg_index = bfreg / SWHCA_BFREGS_PER_UAR * LIB_BFREGS_PER_UAR +
				   bfreg % SWHCA_BFREGS_PER_UAR;
	}
	return swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
}

static void
bfreg_put(struct swhca_ufile *file, struct swhca_uobj *qp)
{
	swhca_uuar_bfreg_put(file, qp->qp.bfreg - 1);
}

static void
uqp_fill(const struct swhca_ufile *file, struct swhca_uobj *qp, const struct swhca_uqp_attr *attr,
	 const struct uqp_plan *plan)
{
	/* An XRC target only has the domain, an initiator neither receive CQ nor SRQ. */
	struct swhca_uobj *deps[] = { attr->pd != NULL ? attr->pd : attr->xrcd, attr->send_cq,
				      attr->recv_cq, attr->srq };
	const struct mlx5_ib_create_qp *ucmd = &plan->ucmd;

	qp->create_op = PRM_CMD_CREATE_QP;
	qp->qp = (struct swhca_uqp){
		.type = (uint8_t)attr->type,
		.cap = attr->cap,
		.sq_sig_all = attr->sq_sig_all,
		.pdn = qp_pdn(file->dev, attr),
		.send_cqn = num_or_0(attr->send_cq),
		.recv_cqn = num_or_0(attr->recv_cq),
		.dbr_addr = ucmd->db_addr,
		.bfreg = plan->bfreg,
	};
	qp->fini = plan->bfreg != 0 ? bfreg_put : NULL;
	/* The library handles the send side; the kernel returns the capacity of a receive WQE. */
	qp->qp.cap.max_recv_wr = ucmd->rq_wqe_count;
	qp->qp.cap.max_recv_sge = ucmd->rq_wqe_count == 0 ? 0 : 1u << (ucmd->rq_wqe_shift - 4);
	swhca_uobj_refs(qp, deps, SWHCA_ARRAY_SIZE(deps));
}

int
swhca_uqp_create(struct swhca_ureq *req, const struct swhca_uqp_attr *attr,
		 struct swhca_uobj **obj)
{
	struct swhca_ufile *file = req->file;
	struct uqp_plan plan;
	struct swhca_uobj *qp;
	int ret;

	memset(&plan, 0, sizeof(plan));
	plan.pages.log_page = PRM_ADAPTER_PAGE_SHIFT;
	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, &plan.ucmd, sizeof(plan.ucmd), UQP_MIN_LEN);
	if (ret != 0)
		return ret;
	if (attr->type == IB_UVERBS_QPT_DRIVER && (plan.ucmd.flags & MLX5_QP_FLAG_TYPE_DCT) != 0)
		return swhca_udct_create(req, attr, &plan.ucmd, obj);
	qp = swhca_uobj_alloc(file, UVERBS_OBJECT_QP);
	if (qp == NULL)
		return -ENOMEM;
	ret = qp_plan(file, qp, attr, &plan);
	if (ret == 0)
		ret = qp_exec(file, qp, attr, &plan);
	if (ret != 0)
		goto free_qp;
	uqp_fill(file, qp, attr, &plan);
	swhca_uevent_attach(file, qp, SWHCA_UEVENT_OBJ_QP, &attr->events);
	if (attr->xrcd != NULL)
		ret = swhca_utarget_add(file, qp, attr->xrcd);
	if (ret == 0)
		ret = resp_out(req, qp);
	if (ret != 0) {
		swhca_uobj_destroy(file, qp);
		return ret;
	}
	*obj = qp;
	return 0;

free_qp:
	swhca_uobj_free(file, qp);
	if (plan.bfreg != 0)
		swhca_uuar_bfreg_put(file, plan.bfreg - 1);
	return ret;
}

#define CREATE_ATTR(name, kind, member)                                                            \
	SWHCA_UATTR(UVERBS_ATTR_CREATE_QP_##name, kind, struct swhca_uqp_attr, member)

static const struct swhca_uattr_spec create_attrs[] = {
	{ .id = UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE, .kind = SWHCA_UATTR_ABSENT },
	{ CREATE_ATTR(TYPE, U32, type) },
	{ CREATE_ATTR(CAP, STRUCT, cap) },
	{ CREATE_ATTR(FLAGS, U32, flags), .is_optional = true },
};
/* Objects that a QP refers to, by type (ib_core: uverbs_std_types_qp.c). */
static const struct swhca_uattr_spec create_objs_target[] = {
	{ CREATE_ATTR(XRCD_HANDLE, OBJ, xrcd), .type = UVERBS_OBJECT_XRCD },
};
static const struct swhca_uattr_spec create_objs[] = {
	{ CREATE_ATTR(PD_HANDLE, OBJ, pd), .type = UVERBS_OBJECT_PD },
	{ CREATE_ATTR(SEND_CQ_HANDLE, OBJ, send_cq), .type = UVERBS_OBJECT_CQ },
	/* Not for an XRC initiator. */
	{ CREATE_ATTR(RECV_CQ_HANDLE, OBJ, recv_cq), .type = UVERBS_OBJECT_CQ },
	{ CREATE_ATTR(SRQ_HANDLE, OBJ, srq), .type = UVERBS_OBJECT_SRQ, .is_optional = true },
};
static const struct swhca_uattr_spec create_events[] = {
	{ CREATE_ATTR(USER_HANDLE, U64, events.user_handle) },
	{ CREATE_ATTR(EVENT_FD, EVENTS, events.async), .type = SWHCA_UEVENT_ASYNC,
	  .is_optional = true },
};

static int
create_objs_read(struct swhca_ureq *req, struct swhca_uqp_attr *attr)
{
	if (attr->type == IB_UVERBS_QPT_XRC_TGT)
		return swhca_uattrs_in(req, create_objs_target,
				       SWHCA_ARRAY_SIZE(create_objs_target), attr);
	return swhca_uattrs_in(req, create_objs, attr->type == IB_UVERBS_QPT_XRC_INI ? 2 :
			       SWHCA_ARRAY_SIZE(create_objs), attr);
}

static int
create_out(struct swhca_ureq *req, struct swhca_uobj *qp)
{
	const struct swhca_uattr_answer answers[] = {
		{ UVERBS_ATTR_CREATE_QP_RESP_CAP, &qp->qp.cap, sizeof(qp->qp.cap) },
		{ UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, &qp->num, sizeof(qp->num) },
	};

	return swhca_uattrs_out_obj(req, qp, UVERBS_ATTR_CREATE_QP_HANDLE, answers,
				    SWHCA_ARRAY_SIZE(answers));
}

int
swhca_uqp_create_req(struct swhca_ureq *req)
{
	struct swhca_uqp_attr attr = { 0 };
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_uattrs_in(req, create_attrs, SWHCA_ARRAY_SIZE(create_attrs), &attr);
	if (ret == 0)
		ret = create_objs_read(req, &attr);
	if (ret == 0)
		ret = swhca_uattrs_in(req, create_events, SWHCA_ARRAY_SIZE(create_events), &attr);
	if (ret != 0)
		return ret;
	attr.sq_sig_all = (attr.flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL) != 0;
	attr.flags &= ~(uint32_t)IB_UVERBS_QP_CREATE_SQ_SIG_ALL;
	ret = swhca_uqp_create(req, &attr, &qp);
	swhca_uevent_attr_fini(&attr.events);
	if (ret != 0)
		return ret;
	return create_out(req, qp);
}

int
swhca_uqp_destroy_req(struct swhca_ureq *req)
{
	struct ib_uverbs_destroy_qp_resp resp = { 0 };
	struct swhca_uevent_counts counts;
	struct swhca_uobj *qp;
	int ret;

	ret = swhca_uattr_obj(req, UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_OBJECT_QP, &qp);
	if (ret == 0)
		ret = swhca_uobj_destroy_counted(req->file, qp, &counts);
	if (ret != 0)
		return ret;
	resp.events_reported = counts.nb_async;
	return swhca_uattr_out(req, UVERBS_ATTR_DESTROY_QP_RESP, &resp, sizeof(resp));
}
