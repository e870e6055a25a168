/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queue pairs of verbs: modify (ib_core: ib_modify_qp_is_ok(); mlx5_ib: __mlx5_ib_modify_qp()).
 */

#include <errno.h>
#include <string.h>

#include "swhca_ident.h"
#include "swhca_uverbs_priv.h"
#include "swhca_uverbs_qp.h"

/* enum ib_qp_attr_mask; verbs.h: IBV_QP_* */
#define QP_STATE		(1u << 0)
#define QP_CUR_STATE		(1u << 1)
#define QP_ACCESS_FLAGS		(1u << 3)
#define QP_PKEY_INDEX		(1u << 4)
#define QP_PORT			(1u << 5)
#define QP_QKEY			(1u << 6)
#define QP_AV			(1u << 7)
#define QP_PATH_MTU		(1u << 8)
#define QP_TIMEOUT		(1u << 9)
#define QP_RETRY_CNT		(1u << 10)
#define QP_RNR_RETRY		(1u << 11)
#define QP_RQ_PSN		(1u << 12)
#define QP_MAX_QP_RD_ATOMIC	(1u << 13)
#define QP_ALT_PATH		(1u << 14)
#define QP_MIN_RNR_TIMER	(1u << 15)
#define QP_SQ_PSN		(1u << 16)
#define QP_MAX_DEST_RD_ATOMIC	(1u << 17)
#define QP_PATH_MIG_STATE	(1u << 18)
#define QP_DEST_QPN		(1u << 20)

/* Bits that ib_core knows for user space and that a device may ignore or refuse. */
#define QP_UNSUPPORTED	(QP_ALT_PATH | QP_PATH_MIG_STATE)

/* mlx5_ib: MLX5_IB_ACK_REQ_FREQ */
#define ACK_REQ_FREQ 8u
#define MTU_256 1u
#define MTU_4096 5u

#define OPT_ACCESS (PRM_QP_OPT_RRE | PRM_QP_OPT_RAE | PRM_QP_OPT_RWE)

/*
 * A transition of the state machine: the command, attributes that must come with it, attributes
 * that may (IBA 11.2.5.2), and the bits of opt_param_mask that the command takes.
 */
struct uqp_transition {
	uint8_t from;
	uint8_t to;
	uint16_t op;
	uint32_t opt_params;
	struct {
		uint32_t must;
		uint32_t may;
	} rc, uc, ud;
};

static const struct uqp_transition transitions[] = {
	{ UQP_RESET, UQP_INIT, PRM_CMD_RST2INIT_QP, 0,
	  .rc = { QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0 },
	  .uc = { QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS, 0 },
	  .ud = { QP_PKEY_INDEX | QP_PORT | QP_QKEY, 0 } },
	{ UQP_INIT, UQP_INIT, PRM_CMD_INIT2INIT_QP, OPT_ACCESS | PRM_QP_OPT_PKEY_INDEX,
	  .rc = { 0, QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS },
	  .uc = { 0, QP_PKEY_INDEX | QP_PORT | QP_ACCESS_FLAGS },
	  .ud = { 0, QP_PKEY_INDEX | QP_PORT | QP_QKEY } },
	{ UQP_INIT, UQP_RTR, PRM_CMD_INIT2RTR_QP, OPT_ACCESS | PRM_QP_OPT_PKEY_INDEX,
	  .rc = { QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN | QP_MAX_DEST_RD_ATOMIC |
			  QP_MIN_RNR_TIMER,
		  QP_ALT_PATH | QP_ACCESS_FLAGS | QP_PKEY_INDEX },
	  .uc = { QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN,
		  QP_ALT_PATH | QP_ACCESS_FLAGS | QP_PKEY_INDEX },
	  .ud = { 0, QP_PKEY_INDEX | QP_QKEY } },
	{ UQP_RTR, UQP_RTS, PRM_CMD_RTR2RTS_QP,
	  OPT_ACCESS | PRM_QP_OPT_PM_STATE | PRM_QP_OPT_RNR_TIMEOUT,
	  .rc = { QP_TIMEOUT | QP_RETRY_CNT | QP_RNR_RETRY | QP_SQ_PSN | QP_MAX_QP_RD_ATOMIC,
		  QP_CUR_STATE | QP_ALT_PATH | QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER |
			  QP_PATH_MIG_STATE },
	  .uc = { QP_SQ_PSN, QP_CUR_STATE | QP_ALT_PATH | QP_ACCESS_FLAGS | QP_PATH_MIG_STATE },
	  .ud = { QP_SQ_PSN, QP_CUR_STATE | QP_QKEY } },
	{ UQP_RTS, UQP_RTS, PRM_CMD_RTS2RTS_QP,
	  OPT_ACCESS | PRM_QP_OPT_PM_STATE | PRM_QP_OPT_RNR_TIMEOUT,
	  .rc = { 0, QP_CUR_STATE | QP_ACCESS_FLAGS | QP_ALT_PATH | QP_PATH_MIG_STATE |
			     QP_MIN_RNR_TIMER },
	  .uc = { 0, QP_CUR_STATE | QP_ACCESS_FLAGS | QP_ALT_PATH | QP_PATH_MIG_STATE },
	  .ud = { 0, QP_CUR_STATE | QP_QKEY } },
	{ UQP_SQD, UQP_RTS, PRM_CMD_SQD2RTS_QP,
	  OPT_ACCESS | PRM_QP_OPT_PM_STATE | PRM_QP_OPT_RNR_TIMEOUT,
	  .rc = { 0, QP_CUR_STATE | QP_ALT_PATH | QP_ACCESS_FLAGS | QP_MIN_RNR_TIMER |
			     QP_PATH_MIG_STATE },
	  .uc = { 0, QP_CUR_STATE | QP_ALT_PATH | QP_ACCESS_FLAGS | QP_PATH_MIG_STATE },
	  .ud = { 0, QP_CUR_STATE | QP_QKEY } },
	{ UQP_SQE, UQP_RTS, PRM_CMD_SQERR2RTS_QP, OPT_ACCESS | PRM_QP_OPT_RNR_TIMEOUT,
	  .uc = { 0, QP_CUR_STATE | QP_ACCESS_FLAGS },
	  .ud = { 0, QP_CUR_STATE | QP_QKEY } },
};

static const struct uqp_transition to_reset = { .to = UQP_RESET, .op = PRM_CMD_2RST_QP };
static const struct uqp_transition to_err = { .to = UQP_ERR, .op = PRM_CMD_2ERR_QP };

static const struct uqp_transition *
transition_find(uint8_t from, uint8_t to)
{
	size_t i;

	if (to == UQP_RESET)
		return &to_reset;
	if (to == UQP_ERR)
		return &to_err;
	for (i = 0; i < SWHCA_ARRAY_SIZE(transitions); i++) {
		if (transitions[i].from == from && transitions[i].to == to)
			return &transitions[i];
	}
	return NULL;
}

static bool
transition_takes(const struct uqp_transition *tr, uint8_t type, uint32_t mask)
{
	uint32_t must = tr->rc.must, may = tr->rc.may;

	if (type == IB_UVERBS_QPT_UC) {
		must = tr->uc.must;
		may = tr->uc.may;
	} else if (type == IB_UVERBS_QPT_UD) {
		must = tr->ud.must;
		may = tr->ud.may;
	}
	/* CUR_STATE is allowed in any transition out of a state that can be named. */
	may |= QP_STATE | QP_CUR_STATE;
	return (mask & must) == must && (mask & ~(must | may)) == 0;
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

/* Remote operations make no sense without responder resources, but for writes. */
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
	if ((mask & QP_PATH_MTU) != 0) {
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

/* Queues of a file take the ports of the adapter in turn (mlx5_ib: get_tx_affinity()). */
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
	prm_set(in, PRM_CMD_IN_UID, file->uid);
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
	if (tr->op == PRM_CMD_RST2INIT_QP)
		prm_set(qpc, PRM_QPC_LAG_TX_PORT_AFFINITY,
			lag_port_next(file));
	return swhca_udev_exec(file->dev, in, sizeof(in), out, sizeof(out));
}

int
swhca_uqp_modify(struct swhca_ufile *file, struct swhca_uobj *obj,
		 const struct ib_uverbs_modify_qp *attr)
{
	uint32_t mask = attr->attr_mask;
	uint8_t from = (mask & QP_CUR_STATE) != 0 ? attr->cur_qp_state : obj->qp.state;
	uint8_t to = (mask & QP_STATE) != 0 ? attr->qp_state : from;
	const struct uqp_transition *tr;
	int ret;

	if ((mask & QP_CUR_STATE) != 0 && (from < UQP_RTR || from > UQP_SQE))
		return -EINVAL;
	tr = transition_find(from, to);
	if (tr == NULL || !transition_takes(tr, obj->qp.type, mask)) {
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
	/* Nothing to do, and no command for it. */
	if (from == UQP_RESET && to == UQP_RESET)
		return 0;
	ret = transition_exec(file, obj, tr, attr);
	if (ret == 0)
		uqp_update(&obj->qp, attr, to);
	return ret;
}
