/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Shared receive queues (mlx5_ib: srq.c, srq_cmd.c). A basic one is an RMP in the device, as for
 * all software with ISSI 1; one of XRC is an XRC SRQ. Tag matching is unsupported.
 */

#include <stdlib.h>
#include <string.h>

#include "mlx5_prm_srq.h"
#include "mlx5_prm_wqe.h"
#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/queue/uverbs_srq.h"

/* Minimum driver part: the two addresses and flags, as in old libraries. */
#define USRQ_MIN_LEN offsetof(struct mlx5_ib_create_srq, uidx)

#define SGE_BYTES 16u
#define NEXT_SEG_BYTES 16u
#define MIN_WQE_BYTES 32u
#define USER_INDEX_MASK 0xffffffu

/* enum ib_srq_attr_mask; verbs.h: IBV_SRQ_* */
#define SRQ_MAX_WR	(1u << 0)
#define SRQ_LIMIT	(1u << 1)

/* Result of parsing a request. */
struct usrq_plan {
	struct mlx5_ib_create_srq ucmd;
	struct swhca_upages pages;
	uint8_t log_size;
	uint8_t log_stride;
};

static uint8_t
log2_up(uint32_t n)
{
	return n <= 1 ? 0 : (uint8_t)(32u - (unsigned int)__builtin_clz(n - 1));
}

static int
attr_check(const struct swhca_udev *dev, const struct swhca_usrq_attr *attr)
{
	uint32_t max_wr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_SRQ_SZ);
	uint32_t max_sge = (swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_RQ) - NEXT_SEG_BYTES) /
			   SGE_BYTES;

	if (attr->type != IB_UVERBS_SRQT_BASIC && attr->type != IB_UVERBS_SRQT_XRC) {
		SWHCA_LOG(WARNING, "CREATE_SRQ: type %u: not supported", attr->type);
		return -EOPNOTSUPP;
	}
	if (attr->max_wr >= max_wr || attr->max_sge > max_sge) {
		SWHCA_LOG(WARNING, "CREATE_SRQ: %u WQEs of %u SGEs: at most %u of %u", attr->max_wr,
			  attr->max_sge, max_wr - 1, max_sge);
		return -EINVAL;
	}
	return 0;
}

static int
ucmd_read(struct swhca_ureq *req, const struct swhca_usrq_attr *attr,
	  struct mlx5_ib_create_srq *ucmd)
{
	int ret;

	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, ucmd, sizeof(*ucmd), USRQ_MIN_LEN);
	if (ret != 0)
		return ret;
	if (ucmd->reserved0 != 0 || ucmd->reserved1 != 0)
		return -EINVAL;
	if (ucmd->flags != 0) {
		SWHCA_LOG(WARNING, "CREATE_SRQ: flags 0x%x: not supported", ucmd->flags);
		return -EINVAL;
	}
	if (attr->type == IB_UVERBS_SRQT_BASIC || req->file->cqe_version == 0)
		ucmd->uidx = PRM_USER_INDEX_NONE;
	return (ucmd->uidx & ~USER_INDEX_MASK) != 0 ? -EINVAL : 0;
}

static int
usrq_plan(struct swhca_ureq *req, const struct swhca_usrq_attr *attr, struct usrq_plan *plan)
{
	uint32_t stride = NEXT_SEG_BYTES + attr->max_sge * SGE_BYTES;
	int ret;

	memset(plan, 0, sizeof(*plan));
	ret = attr_check(req->file->dev, attr);
	if (ret == 0)
		ret = ucmd_read(req, attr, &plan->ucmd);
	if (ret != 0)
		return ret;
	plan->log_size = log2_up(attr->max_wr + 1);
	plan->log_stride = log2_up(stride < MIN_WQE_BYTES ? MIN_WQE_BYTES : stride);
	return 0;
}

static int
usrq_pin(struct swhca_ufile *file, struct swhca_uobj *srq, struct usrq_plan *plan)
{
	uint64_t len = UINT64_C(1) << (plan->log_size + plan->log_stride);
	int ret;

	ret = swhca_upin(srq, plan->ucmd.buf_addr, len, true);
	if (ret == 0)
		ret = swhca_upin_dbr(file, srq, plan->ucmd.db_addr);
	if (ret == 0)
		ret = swhca_upages_wq(plan->ucmd.buf_addr, len, &plan->pages);
	return ret;
}

static void
rmpc_fill(uint8_t *rmpc, const struct swhca_usrq_attr *attr, const struct usrq_plan *plan)
{
	uint8_t *wq = rmpc + PRM_RMPC_WQ_BYTE;

	prm_set(rmpc, PRM_RMPC_STATE, PRM_RMPC_STATE_RDY);
	prm_set(wq, PRM_WQ_TYPE, PRM_WQ_TYPE_LINKED_LIST);
	prm_set(wq, PRM_WQ_PAGE_OFFSET, plan->pages.offset_64th);
	prm_set(wq, PRM_WQ_PD, attr->pd->num);
	prm_set(wq, PRM_WQ_DBR_ADDR, plan->ucmd.db_addr);
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, plan->log_stride);
	prm_set(wq, PRM_WQ_LOG_WQ_PG_SZ, plan->pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, plan->log_size);
}

static void
srqc_fill(uint8_t *srqc, const struct swhca_usrq_attr *attr, const struct usrq_plan *plan)
{
	prm_set(srqc, PRM_SRQC_LOG_SRQ_SIZE, plan->log_size);
	prm_set(srqc, PRM_SRQC_LOG_RQ_STRIDE, plan->log_stride - 4u);
	prm_set(srqc, PRM_SRQC_XRCD, attr->xrcd->num);
	prm_set(srqc, PRM_SRQC_PAGE_OFFSET, plan->pages.offset_64th);
	prm_set(srqc, PRM_SRQC_CQN, attr->cq->num);
	prm_set(srqc, PRM_SRQC_LOG_PAGE_SIZE, plan->pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	prm_set(srqc, PRM_SRQC_USER_INDEX, plan->ucmd.uidx);
	prm_set(srqc, PRM_SRQC_PD, attr->pd->num);
	prm_set(srqc, PRM_SRQC_DBR_ADDR, plan->ucmd.db_addr);
}

/* Both commands have their page addresses at the same offset. */
static_assert(PRM_CREATE_SRQ_IN_PAS_BYTE == PRM_CREATE_RMP_IN_PAS_BYTE, "pas");

static int
srq_exec(struct swhca_ufile *file, struct swhca_uobj *srq, const struct swhca_usrq_attr *attr,
	 const struct usrq_plan *plan)
{
	size_t in_len = PRM_CREATE_SRQ_IN_PAS_BYTE + (size_t)plan->pages.nb * PRM_MTT_SIZE;
	bool is_xrc = attr->type == IB_UVERBS_SRQT_XRC;
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *in = calloc(1, in_len);
	int ret;

	if (in == NULL)
		return -ENOMEM;
	srq->create_op = is_xrc ? PRM_CMD_CREATE_XRC_SRQ : PRM_CMD_CREATE_RMP;
	prm_set(in, PRM_CMD_IN_OPCODE, srq->create_op);
	/* One of XRC is shared by all users of its domain. */
	prm_set(in, PRM_CMD_IN_UID, is_xrc ? 0 : file->uid);
	if (is_xrc)
		srqc_fill(&in[PRM_CREATE_SRQ_IN_SRQC_BYTE], attr, plan);
	else
		rmpc_fill(&in[PRM_CREATE_RMP_IN_RMPC_BYTE], attr, plan);
	swhca_upages_write(&plan->pages, &in[PRM_CREATE_SRQ_IN_PAS_BYTE], 0);
	ret = swhca_udev_exec(file->dev, in, in_len, out, sizeof(out));
	free(in);
	if (ret == 0)
		srq->num = (uint32_t)prm_get(out, PRM_CREATE_SRQ_OUT_SRQN);
	return ret;
}

int
swhca_usrq_create(struct swhca_ureq *req, const struct swhca_usrq_attr *attr,
		  struct swhca_uobj **obj)
{
	struct mlx5_ib_create_srq_resp resp = { 0 };
	struct swhca_ufile *file = req->file;
	struct usrq_plan plan;
	struct swhca_uobj *srq;
	int ret;

	ret = usrq_plan(req, attr, &plan);
	if (ret != 0)
		return ret;
	srq = swhca_uobj_alloc(file, UVERBS_OBJECT_SRQ);
	if (srq == NULL)
		return -ENOMEM;
	ret = usrq_pin(file, srq, &plan);
	if (ret == 0)
		ret = srq_exec(file, srq, attr, &plan);
	if (ret != 0) {
		swhca_uobj_free(file, srq);
		return ret;
	}
	srq->srq = (struct swhca_usrq){
		.max_wr = (1u << plan.log_size) - 1,
		.max_sge = attr->max_sge,
	};
	swhca_uobj_ref(srq, attr->pd);
	swhca_uobj_ref(srq, attr->xrcd);
	swhca_uobj_ref(srq, attr->cq);
	swhca_uevent_attach(file, srq, SWHCA_UEVENT_OBJ_SRQ, &attr->events);
	resp.srqn = srq->num;
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		swhca_uobj_destroy(file, srq);
		return ret;
	}
	*obj = srq;
	return 0;
}

#define CREATE_ATTR(name, kind, member)                                                            \
	SWHCA_UATTR(UVERBS_ATTR_CREATE_SRQ_##name, kind, struct swhca_usrq_attr, member)

static const struct swhca_uattr_spec create_attrs[] = {
	{ CREATE_ATTR(TYPE, U32, type) },
	{ CREATE_ATTR(MAX_WR, U32, max_wr) },
	{ CREATE_ATTR(MAX_SGE, U32, max_sge) },
	{ CREATE_ATTR(PD_HANDLE, OBJ, pd), .type = UVERBS_OBJECT_PD },
};
static const struct swhca_uattr_spec create_objs_xrc[] = {
	{ CREATE_ATTR(XRCD_HANDLE, OBJ, xrcd), .type = UVERBS_OBJECT_XRCD },
	{ CREATE_ATTR(CQ_HANDLE, OBJ, cq), .type = UVERBS_OBJECT_CQ },
};
static const struct swhca_uattr_spec create_events[] = {
	{ CREATE_ATTR(USER_HANDLE, U64, events.user_handle) },
	{ CREATE_ATTR(EVENT_FD, EVENTS, events.async), .type = SWHCA_UEVENT_ASYNC,
	  .is_optional = true },
};

static int
create_out(struct swhca_ureq *req, struct swhca_uobj *srq)
{
	const struct swhca_uattr_answer answers[] = {
		{ UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, &srq->srq.max_wr, sizeof(srq->srq.max_wr) },
		{ UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, &srq->srq.max_sge,
		  sizeof(srq->srq.max_sge) },
		{ UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, &srq->num, sizeof(srq->num) },
	};

	return swhca_uattrs_out_obj(req, srq, UVERBS_ATTR_CREATE_SRQ_HANDLE, answers,
				    SWHCA_ARRAY_SIZE(answers));
}

int
swhca_usrq_create_req(struct swhca_ureq *req)
{
	struct swhca_usrq_attr attr = { 0 };
	struct swhca_uobj *srq;
	int ret;

	ret = swhca_uattrs_in(req, create_attrs, SWHCA_ARRAY_SIZE(create_attrs), &attr);
	if (ret == 0 && attr.type == IB_UVERBS_SRQT_XRC)
		ret = swhca_uattrs_in(req, create_objs_xrc, SWHCA_ARRAY_SIZE(create_objs_xrc),
				      &attr);
	if (ret == 0)
		ret = swhca_uattrs_in(req, create_events, SWHCA_ARRAY_SIZE(create_events), &attr);
	if (ret != 0)
		return ret;
	ret = swhca_usrq_create(req, &attr, &srq);
	swhca_uevent_attr_fini(&attr.events);
	if (ret != 0)
		return ret;
	return create_out(req, srq);
}

int
swhca_usrq_destroy_req(struct swhca_ureq *req)
{
	struct ib_uverbs_destroy_srq_resp resp = { 0 };
	struct swhca_uevent_counts counts;
	struct swhca_uobj *srq;
	int ret;

	ret = swhca_uattr_obj(req, UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_OBJECT_SRQ, &srq);
	if (ret == 0)
		ret = swhca_uobj_destroy_counted(req->file, srq, &counts);
	if (ret != 0)
		return ret;
	resp.events_reported = counts.nb_async;
	return swhca_uattr_out(req, UVERBS_ATTR_DESTROY_SRQ_RESP, &resp, sizeof(resp));
}

int
swhca_usrq_modify(struct swhca_ufile *file, struct swhca_uobj *srq,
		  const struct ib_uverbs_modify_srq *cmd)
{
	uint8_t in[PRM_MODIFY_RMP_IN_SIZE] = { 0 };
	uint8_t *rmpc = &in[PRM_MODIFY_RMP_IN_RMPC_BYTE];
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	if ((cmd->attr_mask & SRQ_MAX_WR) != 0) {
		SWHCA_LOG(WARNING, "modify SRQ 0x%x: resize: not supported", srq->num);
		return -EINVAL;
	}
	if ((cmd->attr_mask & SRQ_LIMIT) == 0)
		return 0;
	if (cmd->srq_limit > srq->srq.max_wr)
		return -EINVAL;
	prm_set(in, PRM_CMD_IN_UID, swhca_uobj_uid(file, srq));
	if (srq->create_op == PRM_CMD_CREATE_XRC_SRQ) {
		prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_ARM_XRC_SRQ);
		prm_set(in, PRM_CMD_IN_OP_MOD, PRM_ARM_RQ_OP_MOD_SRQ);
		prm_set(in, PRM_ARM_RQ_IN_SRQN, srq->num);
		prm_set(in, PRM_ARM_RQ_IN_LWM, cmd->srq_limit);
		return swhca_udev_exec(file->dev, in, PRM_CMD_SHORT_IN_SIZE, out, sizeof(out));
	}
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_MODIFY_RMP);
	prm_set(in, PRM_MODIFY_RMP_IN_RMP_STATE, PRM_RMPC_STATE_RDY);
	prm_set(in, PRM_MODIFY_RMP_IN_RMPN, srq->num);
	prm_set(in, PRM_MODIFY_RMP_IN_BITMASK_LWM, 1);
	prm_set(rmpc, PRM_RMPC_STATE, PRM_RMPC_STATE_RDY);
	prm_set(rmpc + PRM_RMPC_WQ_BYTE, PRM_WQ_LWM, cmd->srq_limit);
	return swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
}

static_assert(PRM_QUERY_SRQ_OUT_SIZE == PRM_QUERY_RMP_OUT_SIZE, "answers of both queries");

int
swhca_usrq_query(struct swhca_ufile *file, const struct swhca_uobj *srq,
		 struct ib_uverbs_query_srq_resp *resp)
{
	bool is_xrc = srq->create_op == PRM_CMD_CREATE_XRC_SRQ;
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_SRQ_OUT_SIZE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, is_xrc ? PRM_CMD_QUERY_XRC_SRQ : PRM_CMD_QUERY_RMP);
	prm_set(in, PRM_CMD_IN_UID, swhca_uobj_uid(file, srq));
	prm_set(in, PRM_CMD_IN_OBJ, srq->num);
	ret = swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	*resp = (struct ib_uverbs_query_srq_resp){
		.max_wr = srq->srq.max_wr,
		.max_sge = srq->srq.max_sge,
		.srq_limit = (uint32_t)(is_xrc ?
			prm_get(&out[PRM_QUERY_SRQ_OUT_SRQC_BYTE], PRM_SRQC_LWM) :
			prm_get(&out[PRM_QUERY_RMP_OUT_RMPC_BYTE + PRM_RMPC_WQ_BYTE], PRM_WQ_LWM)),
	};
	return 0;
}
