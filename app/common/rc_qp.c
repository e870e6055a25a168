/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include "rc_qp.h"

int
rc_qp_port_address(struct ibv_context *ctx, uint8_t port_num, struct ibv_ah_attr *ah)
{
	struct ibv_port_attr port;
	int ret = ibv_query_port(ctx, port_num, &port);

	if (ret != 0)
		return ret;
	*ah = (struct ibv_ah_attr){ .dlid = port.lid, .port_num = port_num };
	if (port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return 0;
	ah->is_global = 1;
	ah->grh.hop_limit = 1;
	/* The function returns -1 and does not always set errno. */
	errno = EIO;
	return ibv_query_gid(ctx, port_num, 0, &ah->grh.dgid) == 0 ? 0 : errno;
}

int
rc_qp_own_address(struct ibv_context *ctx, struct ibv_ah_attr *ah)
{
	return rc_qp_port_address(ctx, RC_QP_PORT, ah);
}

int
rc_qp_connect(struct ibv_qp *qp, const struct rc_qp_conf *conf, const struct ibv_ah_attr *ah,
	      uint32_t qpn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = ah->port_num,
		.qp_access_flags = conf->access,
		.ah_attr = *ah,
		.path_mtu = conf->mtu,
		.dest_qp_num = qpn,
		.rq_psn = conf->psn,
		.sq_psn = conf->psn,
		.max_dest_rd_atomic = conf->rd_atomic,
		.max_rd_atomic = conf->rd_atomic,
		.min_rnr_timer = conf->min_rnr_timer,
		.timeout = conf->timeout,
		.retry_cnt = conf->retry_cnt,
		.rnr_retry = conf->rnr_retry,
	};
	struct ibv_port_attr port;
	int ret;

	if (conf->mtu == 0) {
		ret = ibv_query_port(qp->context, ah->port_num, &port);
		if (ret != 0)
			return ret;
		attr.path_mtu = port.active_mtu;
	}
	ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
			    IBV_QP_ACCESS_FLAGS);
	if (ret != 0)
		return ret;
	attr.qp_state = IBV_QPS_RTR;
	ret = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			    IBV_QP_MIN_RNR_TIMER);
	if (ret != 0)
		return ret;
	attr.qp_state = IBV_QPS_RTS;
	return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
			     IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

int
rc_qp_connect_itself(struct ibv_qp *qp, const struct rc_qp_conf *conf)
{
	struct ibv_ah_attr ah;
	int ret = rc_qp_own_address(qp->context, &ah);

	return ret != 0 ? ret : rc_qp_connect(qp, conf, &ah, qp->qp_num);
}
