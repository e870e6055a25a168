/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Targets of the dynamically connected transport, which are queue pairs in verbs (mlx5_ib: qp.c,
 * create_dct(), mlx5_ib_modify_dct(), mlx5_ib_dct_query_qp()).
 *
 * The device has no earlier states than the active one, so a target is created in the transition
 * from INIT to RTR, where it gets its number; earlier settings are stored here.
 */

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "host/conf.h"
#include "host/ident.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/uverbs_dct.h"
#include "front/uverbs/queue/uverbs_qp.h"
#include "front/uverbs/queue/uverbs_qp_query.h"
#include "front/uverbs/queue/uverbs_qp_state.h"

#define TO_INIT_MASK (QP_STATE | QP_ACCESS_FLAGS | QP_PKEY_INDEX | QP_PORT)
#define TO_RTR_MASK (QP_STATE | QP_MIN_RNR_TIMER | QP_AV | QP_PATH_MTU)
#define QUERY_MASK (TO_INIT_MASK | TO_RTR_MASK)
#define USER_INDEX_MASK 0xffffffu
#define MTU_256 1u
#define MTU_4096 5u

static int
create_check(const struct swhca_ufile *file, const struct swhca_uqp_attr *attr,
	     const struct mlx5_ib_create_qp *ucmd)
{
	const uint32_t known = MLX5_QP_FLAG_TYPE_DCT | MLX5_QP_FLAG_SCATTER_CQE;

	if ((ucmd->flags & ~known) != 0 || attr->srq == NULL || attr->recv_cq == NULL) {
		SWHCA_LOG(WARNING, "create DCT: flags 0x%x beyond 0x%x, or no SRQ, or no CQ",
			  ucmd->flags, known);
		return -EINVAL;
	}
	if (attr->flags != 0 || swhca_udev_cap(file->dev, PRM_CAP_DCT) == 0) {
		SWHCA_LOG(WARNING, "create DCT: no DC, or create flags 0x%x: not supported",
			  attr->flags);
		return -EOPNOTSUPP;
	}
	if (file->cqe_version != 0 && ucmd->uidx > USER_INDEX_MASK) {
		SWHCA_LOG(WARNING, "create DCT: user index 0x%x, at most 0x%x", ucmd->uidx,
			  USER_INDEX_MASK);
		return -EINVAL;
	}
	return 0;
}

static void
dctc_fill(const struct swhca_ufile *file, uint8_t *dctc, const struct swhca_uqp_attr *attr,
	  const struct mlx5_ib_create_qp *ucmd)
{
	prm_set(dctc, PRM_DCTC_PD, attr->pd->num);
	prm_set(dctc, PRM_DCTC_SRQN_XRQN, attr->srq->num);
	prm_set(dctc, PRM_DCTC_CQN, attr->recv_cq->num);
	prm_set(dctc, PRM_DCTC_DC_ACCESS_KEY, ucmd->access_key);
	prm_set(dctc, PRM_DCTC_USER_INDEX,
		file->cqe_version == 0 ? PRM_USER_INDEX_NONE : ucmd->uidx);
	if ((ucmd->flags & MLX5_QP_FLAG_SCATTER_CQE) != 0 && attr->recv_cq->cq.cqe_size == 128)
		prm_set(dctc, PRM_DCTC_CS_RES, PRM_DCTC_CS_RES_64B);
}

int
swhca_udct_create(struct swhca_ureq *req, const struct swhca_uqp_attr *attr,
		  const struct mlx5_ib_create_qp *ucmd, struct swhca_uobj **obj)
{
	struct swhca_uobj *const deps[] = { attr->pd, attr->recv_cq, attr->srq, attr->send_cq };
	struct swhca_ufile *file = req->file;
	struct mlx5_ib_create_qp_resp resp = { 0 };
	struct swhca_uobj *qp;
	int ret;

	ret = create_check(file, attr, ucmd);
	if (ret != 0)
		return ret;
	qp = swhca_uobj_alloc(file, UVERBS_OBJECT_QP);
	if (qp == NULL)
		return -ENOMEM;
	qp->qp = (struct swhca_uqp){
		.type = (uint8_t)attr->type,
		.is_dct = true,
		.cap = attr->cap,
		.sq_sig_all = attr->sq_sig_all,
	};
	dctc_fill(file, qp->qp.dctc, attr, ucmd);
	swhca_uobj_refs(qp, deps, SWHCA_ARRAY_SIZE(deps));
	ret = swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (ret != 0) {
		swhca_uobj_destroy(file, qp);
		return ret;
	}
	*obj = qp;
	return 0;
}

static int
to_init(const struct swhca_udev *dev, uint8_t *dctc, const struct ib_uverbs_modify_qp *attr)
{
	uint32_t access = attr->qp_access_flags;

	if (attr->port_num == 0 || attr->port_num > swhca_udev_cap(dev, PRM_CAP_NUM_PORTS) ||
	    attr->pkey_index >= swhca_ident_nb_pkeys(swhca_conf_get()))
		return -EINVAL;
	prm_set(dctc, PRM_DCTC_RRE, (access & IB_UVERBS_ACCESS_REMOTE_READ) != 0);
	prm_set(dctc, PRM_DCTC_RWE, (access & IB_UVERBS_ACCESS_REMOTE_WRITE) != 0);
	prm_set(dctc, PRM_DCTC_RAE, (access & IB_UVERBS_ACCESS_REMOTE_ATOMIC) != 0);
	if ((access & IB_UVERBS_ACCESS_REMOTE_ATOMIC) != 0)
		prm_set(dctc, PRM_DCTC_ATOMIC_MODE, PRM_QPC_ATOMIC_MODE_IB_COMP);
	prm_set(dctc, PRM_DCTC_PORT, attr->port_num);
	prm_set(dctc, PRM_DCTC_PKEY_INDEX, attr->pkey_index);
	return 0;
}

static int
to_rtr(struct swhca_ufile *file, struct swhca_uobj *obj, const struct ib_uverbs_modify_qp *attr)
{
	uint8_t in[PRM_CREATE_DCT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	const struct ib_uverbs_qp_dest *dest = &attr->dest;
	uint8_t *dctc = obj->qp.dctc;
	int ret;

	if (attr->path_mtu < MTU_256 || attr->path_mtu > MTU_4096 ||
	    swhca_uport_path_check(file->dev, dest->port_num, dest->is_global != 0,
				   dest->sgid_index) != 0)
		return -EINVAL;
	prm_set(dctc, PRM_DCTC_MIN_RNR_NAK, attr->min_rnr_timer & 0x1f);
	prm_set(dctc, PRM_DCTC_MTU, attr->path_mtu);
	prm_set(dctc, PRM_DCTC_TCLASS, dest->traffic_class);
	prm_set(dctc, PRM_DCTC_FLOW_LABEL, dest->flow_label & 0xfffff);
	prm_set(dctc, PRM_DCTC_MY_ADDR_INDEX, dest->sgid_index);
	prm_set(dctc, PRM_DCTC_HOP_LIMIT, dest->hop_limit);
	if (swhca_uport_is_eth(file->dev))
		prm_set(dctc, PRM_DCTC_ETH_PRIO, dest->sl & 0x7);
	prm_set(dctc, PRM_DCTC_DP_ORDERING_1, obj->qp.is_unordered);
	prm_set(dctc, PRM_DCTC_DP_ORDERING_FORCE, obj->qp.is_unordered);
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_DCT);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	memcpy(&in[PRM_CREATE_DCT_IN_DCTC_BYTE], dctc, PRM_DCTC_SIZE);
	ret = swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	obj->create_op = PRM_CMD_CREATE_DCT;
	obj->num = (uint32_t)prm_get(out, PRM_CREATE_DCT_OUT_DCTN);
	return 0;
}

int
swhca_udct_modify(struct swhca_ufile *file, struct swhca_uobj *obj,
		  const struct ib_uverbs_modify_qp *attr)
{
	uint32_t mask = attr->attr_mask;
	uint8_t to = attr->qp_state;
	int ret = -EINVAL;

	if (obj->qp.state == UQP_RESET && to == UQP_INIT && mask == TO_INIT_MASK)
		ret = to_init(file->dev, obj->qp.dctc, attr);
	else if (obj->qp.state == UQP_INIT && to == UQP_RTR && mask == TO_RTR_MASK)
		ret = to_rtr(file, obj, attr);
	if (ret == 0)
		obj->qp.state = to;
	else
		SWHCA_LOG(WARNING, "modify DCT 0x%x: from %u to %u with mask 0x%x: not allowed",
			  obj->num, obj->qp.state, to, mask);
	return ret;
}

static void
dctc_read_path(const struct swhca_udev *dev, const uint8_t *dctc, struct ib_uverbs_qp_dest *dest)
{
	dest->is_global = 1;
	dest->port_num = (uint8_t)prm_get(dctc, PRM_DCTC_PORT);
	dest->traffic_class = (uint8_t)prm_get(dctc, PRM_DCTC_TCLASS);
	dest->flow_label = (uint32_t)prm_get(dctc, PRM_DCTC_FLOW_LABEL);
	dest->sgid_index = (uint8_t)prm_get(dctc, PRM_DCTC_MY_ADDR_INDEX);
	dest->hop_limit = (uint8_t)prm_get(dctc, PRM_DCTC_HOP_LIMIT);
	if (swhca_uport_is_eth(dev))
		dest->sl = (uint8_t)prm_get(dctc, PRM_DCTC_ETH_PRIO);
}

/* Only return requested attributes. */
static void
dctc_read(const struct swhca_udev *dev, const uint8_t *dctc, uint32_t mask,
	  struct ib_uverbs_query_qp_resp *resp)
{
	if ((mask & QP_STATE) != 0)
		resp->qp_state = UQP_RTR;
	if ((mask & QP_ACCESS_FLAGS) != 0)
		resp->qp_access_flags =
			(prm_get(dctc, PRM_DCTC_RRE) != 0 ? IB_UVERBS_ACCESS_REMOTE_READ : 0u) |
			(prm_get(dctc, PRM_DCTC_RWE) != 0 ? IB_UVERBS_ACCESS_REMOTE_WRITE : 0u) |
			(prm_get(dctc, PRM_DCTC_RAE) != 0 ? IB_UVERBS_ACCESS_REMOTE_ATOMIC : 0u);
	if ((mask & QP_PORT) != 0)
		resp->port_num = (uint8_t)prm_get(dctc, PRM_DCTC_PORT);
	if ((mask & QP_MIN_RNR_TIMER) != 0)
		resp->min_rnr_timer = (uint8_t)prm_get(dctc, PRM_DCTC_MIN_RNR_NAK);
	if ((mask & QP_PATH_MTU) != 0)
		resp->path_mtu = (uint8_t)prm_get(dctc, PRM_DCTC_MTU);
	if ((mask & QP_PKEY_INDEX) != 0)
		resp->pkey_index = (uint16_t)prm_get(dctc, PRM_DCTC_PKEY_INDEX);
	if ((mask & QP_AV) != 0)
		dctc_read_path(dev, dctc, &resp->dest);
}

int
swhca_udct_query(struct swhca_ufile *file, const struct swhca_uobj *obj, uint32_t mask,
		 struct ib_uverbs_query_qp_resp *resp)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_DCT_OUT_SIZE];
	int ret;

	/* Earlier states have nothing to query. */
	if (obj->qp.state != UQP_RTR || (mask != SWHCA_UQP_QUERY_ALL && (mask & ~QUERY_MASK) != 0))
		return -EINVAL;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_DCT);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	prm_set(in, PRM_CMD_IN_OBJ, obj->num);
	ret = swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	memset(resp, 0, sizeof(*resp));
	dctc_read(file->dev, &out[PRM_QUERY_DCT_OUT_DCTC_BYTE], mask, resp);
	return 0;
}
