/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queue pairs of verbs: modify (ib_core: ib_modify_qp_is_ok(); mlx5_ib: __mlx5_ib_modify_qp()).
 */

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "host/conf.h"
#include "host/ident.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_path.h"
#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/uverbs_dct.h"
#include "front/uverbs/queue/uverbs_qp_modify.h"
#include "front/uverbs/queue/uverbs_qp_state.h"

/* Bits that ib_core accepts from user space and a device may ignore or reject. */
#define QP_UNSUPPORTED	(QP_ALT_PATH | QP_PATH_MIG_STATE)

/* mlx5_ib: MLX5_IB_ACK_REQ_FREQ */
#define ACK_REQ_FREQ 8u
#define MTU_256 1u
#define MTU_4096 5u
#define UD_LOG_MSG_MAX 12u

#define OPT_ACCESS (PRM_QP_OPT_RRE | PRM_QP_OPT_RAE | PRM_QP_OPT_RWE)

static bool
transition_takes(const struct uqp_transition *tr, uint32_t mask)
{
	/* CUR_STATE is allowed in any transition from a state that has a number. */
	uint32_t may = tr->may | QP_STATE | QP_CUR_STATE;

	return (mask & tr->must) == tr->must && (mask & ~(tr->must | may)) == 0;
}

static int
attr_check(const struct swhca_udev *dev, const struct ib_uverbs_modify_qp *attr)
{
	uint32_t nb_ports = swhca_udev_cap(dev, PRM_CAP_NUM_PORTS);
	uint32_t mask = attr->attr_mask;
	const char *what = NULL;
	unsigned int value = 0;

	if ((mask & QP_PORT) != 0 && (attr->port_num == 0 || attr->port_num > nb_ports)) {
		what = "port_num";
		value = attr->port_num;
	} else if ((mask & QP_PKEY_INDEX) != 0 &&
		   attr->pkey_index >= swhca_ident_nb_pkeys(swhca_conf_get())) {
		what = "pkey_index";
		value = attr->pkey_index;
	} else if ((mask & QP_PATH_MTU) != 0 &&
		   (attr->path_mtu < MTU_256 || attr->path_mtu > MTU_4096)) {
		what = "path_mtu";
		value = attr->path_mtu;
	} else if ((mask & QP_MAX_QP_RD_ATOMIC) != 0 &&
		   attr->max_rd_atomic > 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_RA_RES_QP)) {
		what = "max_rd_atomic";
		value = attr->max_rd_atomic;
	} else if ((mask & QP_MAX_DEST_RD_ATOMIC) != 0 &&
		   attr->max_dest_rd_atomic >
			   1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_RA_REQ_QP)) {
		what = "max_dest_rd_atomic";
		value = attr->max_dest_rd_atomic;
	} else if ((mask & QP_AV) != 0 &&
		   swhca_uport_path_check(dev, attr->dest.port_num, attr->dest.is_global != 0,
					  attr->dest.sgid_index) != 0) {
		what = "ah_attr: port_num, is_global or sgid_index";
		value = attr->dest.sgid_index;
	}
	if (what == NULL)
		return 0;
	SWHCA_LOG(WARNING, "modify QP: %s %u: out of range", what, value);
	return -EINVAL;
}

static unsigned int
log2_up(unsigned int n)
{
	return n == 1 ? 0 : 32u - (unsigned int)__builtin_clz(n - 1);
}

/* Remote operations other than writes need responder resources. */
static void
access_fill(uint8_t *qpc, const struct swhca_uqp *qp, const struct ib_uverbs_modify_qp *attr)
{
	uint32_t mask = attr->attr_mask;
	uint32_t access = (mask & QP_ACCESS_FLAGS) != 0 ? attr->qp_access_flags : qp->access;
	uint8_t depth = (mask & QP_MAX_DEST_RD_ATOMIC) != 0 ? attr->max_dest_rd_atomic :
							      qp->resp_depth;

	if (depth == 0)
		access &= IB_UVERBS_ACCESS_REMOTE_WRITE;
	prm_set(qpc, PRM_QPC_RRE, (access & IB_UVERBS_ACCESS_REMOTE_READ) != 0);
	prm_set(qpc, PRM_QPC_RWE, (access & IB_UVERBS_ACCESS_REMOTE_WRITE) != 0);
	prm_set(qpc, PRM_QPC_RAE, (access & IB_UVERBS_ACCESS_REMOTE_ATOMIC) != 0);
	if ((access & IB_UVERBS_ACCESS_REMOTE_ATOMIC) != 0)
		prm_set(qpc, PRM_QPC_ATOMIC_MODE, PRM_QPC_ATOMIC_MODE_IB_COMP);
}

static void
qpc_fill(const struct swhca_udev *dev, uint8_t *qpc, const struct swhca_uqp *qp,
	 const struct ib_uverbs_modify_qp *attr)
{
	uint8_t *ads = &qpc[PRM_QPC_PRIMARY_PATH_BYTE];
	uint32_t mask = attr->attr_mask;

	prm_set(qpc, PRM_QPC_PM_STATE, PRM_QPC_PM_STATE_MIGRATED);
	prm_set(qpc, PRM_QPC_PD, qp->pdn);
	prm_set(qpc, PRM_QPC_CQN_SND, qp->send_cqn);
	prm_set(qpc, PRM_QPC_CQN_RCV, qp->recv_cqn);
	prm_set(qpc, PRM_QPC_DBR_ADDR, qp->dbr_addr);
	prm_set(qpc, PRM_QPC_LOG_ACK_REQ_FREQ, ACK_REQ_FREQ);
	if (qp->type == IB_UVERBS_QPT_UD) {
		prm_set(qpc, PRM_QPC_MTU, MTU_4096);
		prm_set(qpc, PRM_QPC_LOG_MSG_MAX, UD_LOG_MSG_MAX);
	} else if ((mask & QP_PATH_MTU) != 0) {
		prm_set(qpc, PRM_QPC_MTU, attr->path_mtu);
		prm_set(qpc, PRM_QPC_LOG_MSG_MAX, swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MSG));
	}
	if ((mask & QP_DEST_QPN) != 0)
		prm_set(qpc, PRM_QPC_REMOTE_QPN, attr->dest_qp_num & 0xffffff);
	if ((mask & QP_PKEY_INDEX) != 0)
		prm_set(ads, PRM_ADS_PKEY_INDEX, attr->pkey_index);
	if ((mask & QP_PORT) != 0)
		prm_set(ads, PRM_ADS_VHCA_PORT_NUM, attr->port_num);
	if ((mask & QP_TIMEOUT) != 0)
		prm_set(ads, PRM_ADS_ACK_TIMEOUT, attr->timeout & 0x1f);
	if ((mask & QP_RETRY_CNT) != 0)
		prm_set(qpc, PRM_QPC_RETRY_COUNT, attr->retry_cnt & 0x7);
	if ((mask & QP_RNR_RETRY) != 0)
		prm_set(qpc, PRM_QPC_RNR_RETRY, attr->rnr_retry & 0x7);
	if ((mask & QP_MAX_QP_RD_ATOMIC) != 0 && attr->max_rd_atomic != 0)
		prm_set(qpc, PRM_QPC_LOG_SRA_MAX, log2_up(attr->max_rd_atomic));
	if ((mask & QP_MAX_DEST_RD_ATOMIC) != 0 && attr->max_dest_rd_atomic != 0)
		prm_set(qpc, PRM_QPC_LOG_RRA_MAX, log2_up(attr->max_dest_rd_atomic));
	if ((mask & (QP_ACCESS_FLAGS | QP_MAX_DEST_RD_ATOMIC)) != 0)
		access_fill(qpc, qp, attr);
	if ((mask & QP_MIN_RNR_TIMER) != 0)
		prm_set(qpc, PRM_QPC_MIN_RNR_NAK, attr->min_rnr_timer & 0x1f);
	if ((mask & QP_RQ_PSN) != 0)
		prm_set(qpc, PRM_QPC_NEXT_RCV_PSN, attr->rq_psn & 0xffffff);
	if ((mask & QP_SQ_PSN) != 0)
		prm_set(qpc, PRM_QPC_NEXT_SEND_PSN, attr->sq_psn & 0xffffff);
	if ((mask & QP_QKEY) != 0)
		prm_set(qpc, PRM_QPC_Q_KEY, attr->qkey);
}

/* mlx5_ib: ib_mask_to_mlx5_opt() */
static uint32_t
opt_param_mask(uint32_t mask)
{
	static const struct {
		uint32_t attr;
		uint32_t opt;
	} map[] = {
		{ QP_ACCESS_FLAGS, OPT_ACCESS },
		{ QP_PKEY_INDEX, PRM_QP_OPT_PKEY_INDEX },
		{ QP_QKEY, PRM_QP_OPT_Q_KEY },
		{ QP_AV, PRM_QP_OPT_PRIMARY_ADDR_PATH },
		{ QP_TIMEOUT, PRM_QP_OPT_ACK_TIMEOUT },
		{ QP_RETRY_CNT, PRM_QP_OPT_RETRY_COUNT },
		{ QP_RNR_RETRY, PRM_QP_OPT_RNR_RETRY },
		{ QP_MAX_QP_RD_ATOMIC, PRM_QP_OPT_SRA_MAX },
		{ QP_MIN_RNR_TIMER, PRM_QP_OPT_RNR_TIMEOUT },
		{ QP_MAX_DEST_RD_ATOMIC, PRM_QP_OPT_RRA_MAX | OPT_ACCESS },
	};
	uint32_t opt = 0;
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(map); i++) {
		if ((mask & map[i].attr) != 0)
			opt |= map[i].opt;
	}
	return opt;
}

static void
uqp_update(struct swhca_uqp *qp, const struct ib_uverbs_modify_qp *attr, uint8_t state)
{
	uint32_t mask = attr->attr_mask;

	qp->state = state;
	if ((mask & QP_ACCESS_FLAGS) != 0)
		qp->access = attr->qp_access_flags;
	if ((mask & QP_MAX_DEST_RD_ATOMIC) != 0)
		qp->resp_depth = attr->max_dest_rd_atomic;
	if ((mask & QP_PORT) != 0)
		qp->port = attr->port_num;
}

/* Queues of a file alternate between the ports of the adapter (mlx5_ib: get_tx_affinity()). */
static uint32_t
lag_port_next(struct swhca_ufile *file)
{
	uint32_t nb = swhca_udev_cap(file->dev, PRM_CAP_NUM_LAG_PORTS);

	if (nb <= 1 || swhca_udev_cap(file->dev, PRM_CAP_LAG_TX_PORT_AFFINITY) == 0)
		return 0;
	return ++file->nb_lag_qps % nb + 1;
}

static int
transition_exec(struct swhca_ufile *file, struct swhca_uobj *obj, const struct uqp_transition *tr,
		const struct ib_uverbs_modify_qp *attr)
{
	uint8_t in[PRM_MODIFY_QP_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	uint8_t *qpc;
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, tr->op);
	prm_set(in, PRM_CMD_IN_UID, swhca_uobj_uid(file, obj));
	prm_set(in, PRM_MODIFY_QP_IN_QPN, obj->num);
	prm_set(in, PRM_MODIFY_QP_IN_OPT_PARAM_MASK,
		opt_param_mask(attr->attr_mask) & tr->opt_params);
	qpc = &in[PRM_MODIFY_QP_IN_QPC_BYTE];
	qpc_fill(file->dev, qpc, &obj->qp, attr);
	if ((attr->attr_mask & QP_AV) != 0) {
		ret = swhca_upath_write(file->dev, &qpc[PRM_QPC_PRIMARY_PATH_BYTE], &attr->dest,
					obj->num, attr->dest_qp_num);
		if (ret != 0)
			return ret;
	}
	if (tr->op == PRM_CMD_INIT2RTR_QP && obj->qp.is_unordered) {
		prm_set(qpc, PRM_QPC_DP_ORDERING_1, 1);
		prm_set(qpc, PRM_QPC_DP_ORDERING_FORCE, 1);
	}
	if (tr->op == PRM_CMD_RST2INIT_QP)
		prm_set(qpc, PRM_QPC_LAG_TX_PORT_AFFINITY,
			lag_port_next(file));
	return swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
}

/* mlx5_ib: get_dp_ooo_cap() */
static bool
may_be_unordered(const struct swhca_udev *dev, const struct swhca_uqp *qp)
{
	if (prm_get(dev->caps_2, PRM_CAP_2_DP_ORDERING_FORCE) == 0)
		return false;
	switch (qp->type) {
	case IB_UVERBS_QPT_RC:
		return swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_RC) != 0;
	case IB_UVERBS_QPT_UC:
		return swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_UC) != 0;
	case IB_UVERBS_QPT_UD:
		return swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_UD) != 0;
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
		return swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_XRC) != 0;
	case IB_UVERBS_QPT_DRIVER:
		return swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_DC) != 0;
	default:
		return false;
	}
}

int
swhca_uqp_modify_driver(const struct swhca_ureq *req, struct swhca_uobj *obj)
{
	struct mlx5_ib_modify_qp ucmd;
	int ret;

	if (swhca_uattr_len(req, UVERBS_ATTR_UHW_IN) == 0)
		return 0;
	ret = swhca_uattr_in(req, UVERBS_ATTR_UHW_IN, &ucmd, sizeof(ucmd), sizeof(ucmd));
	if (ret != 0)
		return ret;
	if ((ucmd.comp_mask & ~UABI_MLX5_MODIFY_QP_OOO_DP) != 0 || ucmd.burst_info.reserved != 0)
		return -EOPNOTSUPP;
	if ((ucmd.comp_mask & UABI_MLX5_MODIFY_QP_OOO_DP) == 0)
		return 0;
	if (!may_be_unordered(req->file->dev, &obj->qp)) {
		SWHCA_LOG(WARNING, "modify QP 0x%x: out-of-order placement: not of type %u",
			  obj->num, obj->qp.type);
		return -EOPNOTSUPP;
	}
	obj->qp.is_unordered = true;
	return 0;
}

/* ib_uverbs, modify_qp_mask(): an XRC end may be given attributes that only the other end has. */
static uint32_t
attr_mask_of(const struct swhca_uobj *obj, uint32_t mask)
{
	switch (obj->qp.type) {
	case IB_UVERBS_QPT_XRC_INI:
		return mask & ~(uint32_t)(QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER);
	case IB_UVERBS_QPT_XRC_TGT:
		return mask & ~(uint32_t)(QP_MAX_QP_RD_ATOMIC | QP_RETRY_CNT | QP_RNR_RETRY);
	default:
		return mask;
	}
}

static int
qp_modify(struct swhca_ufile *file, struct swhca_uobj *obj,
	  const struct ib_uverbs_modify_qp *attr)
{
	uint32_t mask = attr->attr_mask;
	uint8_t from = (mask & QP_CUR_STATE) != 0 ? attr->cur_qp_state : obj->qp.state;
	uint8_t to = (mask & QP_STATE) != 0 ? attr->qp_state : from;
	const struct uqp_transition *tr;
	int ret;

	if ((mask & QP_CUR_STATE) != 0 && (from < UQP_RTR || from > UQP_SQE))
		return -EINVAL;
	tr = swhca_uqp_transition_find(obj->qp.type, from, to);
	if (tr == NULL || !transition_takes(tr, mask)) {
		SWHCA_LOG(WARNING, "modify QP 0x%x: from %u to %u with mask 0x%x: not allowed",
			  obj->num, from, to, mask);
		return -EINVAL;
	}
	if ((mask & QP_UNSUPPORTED) != 0) {
		SWHCA_LOG(WARNING, "modify QP 0x%x: path migration: not supported", obj->num);
		return -EOPNOTSUPP;
	}
	ret = attr_check(file->dev, attr);
	if (ret != 0)
		return ret;
	/* Nothing to do, and there is no command for it. */
	if (from == UQP_RESET && to == UQP_RESET)
		return 0;
	ret = transition_exec(file, obj, tr, attr);
	if (ret == 0)
		uqp_update(&obj->qp, attr, to);
	return ret;
}

int
swhca_uqp_modify(struct swhca_ufile *file, struct swhca_uobj *obj,
		 const struct ib_uverbs_modify_qp *attr)
{
	struct ib_uverbs_modify_qp known = *attr;

	if (obj->qp.is_dct)
		return swhca_udct_modify(file, obj, attr);
	known.attr_mask = attr_mask_of(obj, attr->attr_mask);
	return qp_modify(file, obj, &known);
}
