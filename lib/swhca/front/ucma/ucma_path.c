/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "front/ucma/id.h"
#include "front/ucma/ucma_path.h"
#include "front/uverbs/dev/uverbs_port.h"

/* cma.c: CMA_IBOE_PACKET_LIFETIME, 268 ms; hop limit: net.ipv4.ip_default_ttl. */
#define PACKET_LIFE_TIME 16u
#define HOP_LIMIT 64u
#define PKEY_DEFAULT 0xffffu
/* IBV_RATE_40_GBPS (cma.c: iboe_get_rate() of a fast port). */
#define RATE_40_GBPS 7u
/* IBTA volume 1, table 205: exactly. */
#define SELECTOR_EXACT 2u
#define PORT 1u

/* verbs.h: IBV_QPS_*, IBV_QP_*, IBV_ACCESS_*. */
#define QPS_INIT	1u
#define QPS_RTR		2u
#define QPS_RTS		3u
#define QP_STATE		(1u << 0)
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
#define QP_MIN_RNR_TIMER	(1u << 15)
#define QP_SQ_PSN		(1u << 16)
#define QP_MAX_DEST_RD_ATOMIC	(1u << 17)
#define QP_DEST_QPN		(1u << 20)
#define ACCESS_REMOTE_WRITE	(1u << 1)
#define ACCESS_REMOTE_READ	(1u << 2)
#define ACCESS_REMOTE_ATOMIC	(1u << 3)

void
swhca_ucm_route_set(struct swhca_ucm_id *id)
{
	id->has_route = true;
	id->path_mtu = swhca_uport_mtu(id->dev);
	/* Routers are for IP addresses; an InfiniBand subnet uses LIDs. */
	id->hop_limit = swhca_uport_is_eth(id->dev) ? HOP_LIMIT : 0;
	/* cma.c: rdma_set_ack_timeout() */
	id->packet_life_time = id->has_ack_timeout && id->ack_timeout != 0 ?
			       (uint8_t)(id->ack_timeout - 1) : PACKET_LIFE_TIME;
}

void
swhca_ucm_ah_fill(const struct swhca_ucm_id *id, struct ib_uverbs_ah_attr *ah)
{
	*ah = (struct ib_uverbs_ah_attr){
		.grh = {
			.sgid_index = id->local.gid_index,
			.hop_limit = id->hop_limit,
			.traffic_class = id->tos,
		},
		.is_global = swhca_uport_is_eth(id->dev),
		.dlid = id->dlid,
		.port_num = PORT,
	};
	memcpy(ah->grh.dgid, id->dgid, sizeof(ah->grh.dgid));
}

void
swhca_ucm_path_fill(const struct swhca_ucm_id *id, struct ib_user_path_rec *rec)
{
	*rec = (struct ib_user_path_rec){
		.dlid = htons(id->dlid),
		.slid = htons(id->local.lid),
		.reversible = 1,
		.mtu = id->path_mtu,
		.pkey = htons(PKEY_DEFAULT),
		.hop_limit = id->hop_limit,
		.traffic_class = id->tos,
		.mtu_selector = SELECTOR_EXACT,
		.rate_selector = SELECTOR_EXACT,
		.rate = RATE_40_GBPS,
		.packet_life_time_selector = SELECTOR_EXACT,
		.packet_life_time = id->packet_life_time,
	};
	memcpy(rec->dgid, id->dgid, sizeof(rec->dgid));
	memcpy(rec->sgid, id->local.gid, sizeof(rec->sgid));
}

/* PathRecord, byte by byte. */
void
swhca_ucm_path_pack(const struct swhca_ucm_id *id, uint8_t rec[64])
{
	const uint64_t service_id = htobe64(swhca_ucm_service_id(id, &id->dst));
	const uint16_t dlid = htons(id->dlid), slid = htons(id->local.lid);

	memset(rec, 0, 64);
	memcpy(rec, &service_id, sizeof(service_id));
	memcpy(rec + 8, id->dgid, sizeof(id->dgid));
	memcpy(rec + 24, id->local.gid, sizeof(id->local.gid));
	memcpy(rec + 40, &dlid, sizeof(dlid));
	memcpy(rec + 42, &slid, sizeof(slid));
	rec[47] = id->hop_limit;
	rec[48] = id->tos;
	rec[49] = 0x80;			/* Reversible. */
	rec[50] = PKEY_DEFAULT >> 8;
	rec[51] = PKEY_DEFAULT & 0xff;
	rec[54] = (uint8_t)(SELECTOR_EXACT << 6 | id->path_mtu);
	rec[55] = SELECTOR_EXACT << 6 | RATE_40_GBPS;
	rec[56] = (uint8_t)(SELECTOR_EXACT << 6 | id->packet_life_time);
}

/* cma.c: cma_ib_init_qp_attr(). */
static int
attr_unconnected(struct swhca_ucm_id *id, struct ib_uverbs_qp_attr *attr)
{
	attr->qp_attr_mask = QP_STATE | QP_PKEY_INDEX | QP_PORT;
	attr->port_num = PORT;
	if (id->qp_type != UCM_QPT_UD) {
		attr->qp_attr_mask |= QP_ACCESS_FLAGS;
		return 0;
	}
	attr->qp_attr_mask |= QP_QKEY;
	if (swhca_ucm_qkey_set(id, 0) != 0)
		return -EINVAL;
	attr->qkey = id->qkey;
	return 0;
}

/* cm.c: cm_init_qp_init_attr() etc. Each requires a connection state. */
static int
attr_init(const struct swhca_ucm_id *id, struct ib_uverbs_qp_attr *attr)
{
	if (id->conn.state < SWHCA_CM_REQ_SENT || id->conn.state > SWHCA_CM_ESTABLISHED)
		return -EINVAL;
	attr->qp_attr_mask = QP_STATE | QP_ACCESS_FLAGS | QP_PKEY_INDEX | QP_PORT;
	attr->qp_access_flags = ACCESS_REMOTE_WRITE;
	if (id->conn.responder_resources != 0)
		attr->qp_access_flags |= ACCESS_REMOTE_READ | ACCESS_REMOTE_ATOMIC;
	attr->port_num = PORT;
	return 0;
}

static bool
knows_peer(const struct swhca_ucm_id *id)
{
	return id->conn.state >= SWHCA_CM_REQ_RCVD && id->conn.state <= SWHCA_CM_ESTABLISHED;
}

static int
attr_rtr(const struct swhca_ucm_id *id, struct ib_uverbs_qp_attr *attr)
{
	if (!knows_peer(id))
		return -EINVAL;
	attr->qp_attr_mask = QP_STATE | QP_AV | QP_PATH_MTU | QP_DEST_QPN | QP_RQ_PSN;
	swhca_ucm_ah_fill(id, &attr->ah_attr);
	attr->path_mtu = id->conn.path_mtu;
	attr->dest_qp_num = id->conn.remote_qpn;
	if (id->qp_type == UCM_QPT_RC || id->qp_type == UCM_QPT_XRC_TGT) {
		attr->qp_attr_mask |= QP_MAX_DEST_RD_ATOMIC | QP_MIN_RNR_TIMER;
		attr->max_dest_rd_atomic = id->conn.responder_resources;
	}
	return 0;
}

static int
attr_rts(const struct swhca_ucm_id *id, struct ib_uverbs_qp_attr *attr)
{
	if (!knows_peer(id))
		return -EINVAL;
	attr->qp_attr_mask = QP_STATE | QP_SQ_PSN;
	attr->sq_psn = id->conn.sq_psn;
	if (id->qp_type == UCM_QPT_RC || id->qp_type == UCM_QPT_XRC_INI) {
		attr->qp_attr_mask |= QP_RETRY_CNT | QP_RNR_RETRY | QP_MAX_QP_RD_ATOMIC;
		attr->retry_cnt = id->conn.retry_count;
		attr->rnr_retry = id->conn.rnr_retry_count;
		attr->max_rd_atomic = id->conn.initiator_depth;
	}
	if (id->qp_type != UCM_QPT_UC) {
		attr->qp_attr_mask |= QP_TIMEOUT;
		attr->timeout = id->has_ack_timeout ? id->ack_timeout : id->conn.ack_timeout;
	}
	return 0;
}

int
swhca_ucm_qp_attr(struct swhca_ucm_id *id, uint32_t state, struct ib_uverbs_qp_attr *attr)
{
	int ret = -EINVAL;

	*attr = (struct ib_uverbs_qp_attr){ .qp_state = state };
	if (!id->has_conn || id->qp_type == UCM_QPT_UD)
		ret = attr_unconnected(id, attr);
	else if (state == QPS_INIT)
		ret = attr_init(id, attr);
	else if (state == QPS_RTR)
		ret = attr_rtr(id, attr);
	else if (state == QPS_RTS)
		ret = attr_rts(id, attr);
	/* cma.c: rdma_init_qp_attr() */
	if (state == QPS_RTR)
		attr->rq_psn = id->seq_num;
	return ret;
}
