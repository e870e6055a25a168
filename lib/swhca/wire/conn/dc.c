/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Dynamically connected: an initiator switches to another target when nothing of it is outstanding.
 * Each switch starts a session with a higher number; the target has a responder for the newest
 * session of each initiator. The first packet of a session is marked, and has its initial PSN; a
 * target that did not receive it has no responder, and does not answer until it arrives. The
 * packets are an extension of software devices (wire/packet/packet.h).
 */

#include <errno.h>
#include <string.h>
#include <time.h>

#include "mlx5_prm_cmd.h"
#include "object/limits.h"
#include "wire/conn/conn.h"
#include "xport/dct.h"
#include "xport/port.h"

/* Maximum sessions of all targets of a port; the one idle for longest is replaced. */
#define MAX_SESSIONS 4096u
/* Outstanding reads and atomics of an initiator that a target accepts. */
#define MAX_DEST_RD_ATOMIC 64u

/* Check whether the connection has this destination, and is usable. */
static bool
goes_to(const struct swhca_conn *conn, const struct swhca_packet_ip *ip,
	const struct swhca_wire_req *req)
{
	return conn->has_requester && !conn->requester.is_failed &&
	       conn->remote_qpn == req->dst_qpn && conn->dc_key == req->dc_key &&
	       memcmp(conn->ip.dgid, ip->dgid, sizeof(ip->dgid)) == 0;
}

/* Higher than earlier sessions with the same number and address, even before a reboot. */
static uint64_t
session_next(struct swhca_net *net)
{
	struct timespec now;
	uint64_t ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	net->last_session++;
	if (net->last_session < ns)
		net->last_session = ns;
	return net->last_session;
}

int
swhca_dc_turn(struct swhca_conn *conn, const struct swhca_wire_req *req)
{
	struct swhca_net *net = conn->net;
	struct swhca_packet_ip ip;

	if (!swhca_net_route(net, &req->addr, &ip))
		return -ENETUNREACH;
	if (goes_to(conn, &ip, req))
		return 0;
	if (conn->has_requester && conn->requester.head != conn->requester.tail)
		return -EAGAIN;
	conn->session = session_next(net);
	conn->remote_qpn = req->dst_qpn;
	conn->dc_key = req->dc_key;
	conn->ip = ip;
	return swhca_conn_init_requester(conn, 0);
}

static struct swhca_conn_list *
bucket_of(struct swhca_net *net, const struct swhca_packet_ip *ip, uint32_t src_qpn, uint32_t dctn)
{
	uint32_t hash = (uint32_t)ip->sgid[15] << 8 ^ ip->sgid[14] ^ src_qpn * 31 ^ dctn * 17;

	return &net->sessions[hash % SWHCA_NB_SESSION_LISTS];
}

static struct swhca_conn *
session_find(struct swhca_conn_list *list, const struct swhca_packet_ip *ip,
	     const struct swhca_packet *packet)
{
	struct swhca_conn *conn;

	LIST_FOREACH(conn, list, session_link) {
		if (conn->remote_qpn == packet->src_qpn && conn->dctn == packet->dst_qpn &&
		    memcmp(conn->ip.dgid, ip->sgid, sizeof(ip->sgid)) == 0)
			return conn;
	}
	return NULL;
}

static void
session_drop_oldest(struct swhca_net *net)
{
	struct swhca_conn *conn, *oldest = NULL;

	LIST_FOREACH(conn, &net->conns, link) {
		if (conn->qp == NULL && (oldest == NULL || conn->used_ns < oldest->used_ns))
			oldest = conn;
	}
	if (oldest != NULL)
		swhca_conn_destroy(oldest);
}

static struct swhca_conn *
session_create(struct swhca_net *net, struct swhca_conn_list *list,
	       const struct swhca_packet_ip *ip, const struct swhca_packet *packet)
{
	struct swhca_conn *conn;

	if (net->nb_sessions == MAX_SESSIONS)
		session_drop_oldest(net);
	conn = swhca_conn_create(net);
	if (conn == NULL)
		return NULL;
	conn->transport = SWHCA_TRANSPORT_DC;
	conn->dctn = packet->dst_qpn;
	conn->remote_qpn = packet->src_qpn;
	swhca_net_ip_init(net, ip->sgid, &conn->ip);
	LIST_INSERT_HEAD(list, conn, session_link);
	net->nb_sessions++;
	return conn;
}

/* Start a session. @return false: its packets cannot be accepted. */
static bool
session_begin(struct swhca_conn *conn, const struct swhca_dct *dct,
	      const struct swhca_packet *packet)
{
	const struct swhca_rc_responder_conf conf = {
		.psn = packet->psn,
		.max_msg = UINT32_C(1) << SWHCA_LOG_MAX_MSG,
		.log_mtu = (uint8_t)(7 + prm_get(dct->dctc, PRM_DCTC_MTU)),
		.max_dest_rd_atomic = MAX_DEST_RD_ATOMIC,
		.credits = SWHCA_AETH_CREDITS_NONE,
	};

	conn->session = packet->dc_session;
	conn->dc_key = packet->dc_key;
	conn->log_mtu = conf.log_mtu;
	conn->net->hca->stats.wire.rx_dct_connect++;
	return swhca_conn_init_responder(conn, &conf) == 0;
}

/* Find the session of a request, or create it with its first packet. */
static struct swhca_conn *
session_of(struct swhca_net *net, struct swhca_dct *dct, const struct swhca_packet_ip *ip,
	   const struct swhca_packet *packet)
{
	struct swhca_conn_list *list = bucket_of(net, ip, packet->src_qpn, packet->dst_qpn);
	struct swhca_conn *conn = session_find(list, ip, packet);
	struct swhca_responder to;

	if (conn != NULL && conn->has_responder && conn->session == packet->dc_session)
		return conn->dc_key == packet->dc_key ? conn : NULL;
	if ((conn != NULL && conn->session > packet->dc_session) || !packet->dc_is_first ||
	    !swhca_dct_accept(net->hca, dct, packet->dc_key, &to))
		return NULL;
	if (conn == NULL)
		conn = session_create(net, list, ip, packet);
	if (conn == NULL || session_begin(conn, dct, packet))
		return conn;
	swhca_conn_destroy(conn);
	return NULL;
}

static bool
request_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
		const struct swhca_packet *packet, const uint8_t *payload, uint64_t now)
{
	struct swhca_dct *dct =
		(struct swhca_dct *)swhca_table_get(&net->hca->tables[SWHCA_OBJ_DCT],
						    packet->dst_qpn);
	struct swhca_conn *conn;
	uint16_t pkey;

	if (dct == NULL)
		return false;
	pkey = swhca_port_pkey(net->hca, (unsigned int)prm_get(dct->dctc, PRM_DCTC_PKEY_INDEX));
	if (!swhca_pkey_matches(pkey, packet->pkey)) {
		net->hca->stats.wire.nb_bad_pkeys++;
		return true;
	}
	conn = session_of(net, dct, ip, packet);
	if (conn == NULL)
		return false;
	conn->used_ns = now;
	swhca_respond(conn, dct, packet, payload);
	return true;
}

static bool
response_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
		 const struct swhca_packet *packet, const uint8_t *payload, uint64_t now)
{
	struct swhca_qp *qp = (struct swhca_qp *)swhca_table_get(&net->hca->tables[SWHCA_OBJ_QP],
								 packet->dst_qpn);
	struct swhca_conn *conn = qp == NULL ? NULL : qp->conn;

	if (conn == NULL || conn->transport != SWHCA_TRANSPORT_DC || !conn->has_requester ||
	    conn->session != packet->dc_session ||
	    memcmp(conn->ip.dgid, ip->sgid, sizeof(ip->sgid)) != 0)
		return false;
	swhca_request_answered(conn, packet, payload, now);
	return true;
}

bool
swhca_dc_receive(struct swhca_net *net, const struct swhca_packet_ip *ip,
		 const struct swhca_packet *packet, const uint8_t *payload, uint64_t now)
{
	if (swhca_opcode_info(packet->opcode)->flags & SWHCA_OPCODE_F_REQUEST)
		return request_receive(net, ip, packet, payload, now);
	return response_receive(net, ip, packet, payload, now);
}
