/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Connections: creation of machines from a context, and scheduling. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mlx5_prm_cmd.h"
#include "queue/q_counter.h"
#include "wire/conn/conn.h"
#include "xport/port.h"

/*
 * Maximum outstanding bytes: what the link of the peer accepts before it drops, if it is like the
 * own one. A socket counts the memory of packets, at worst some four times their size.
 */
#define WINDOW_MIN_BYTES (64u << 10)
#define WINDOW_MAX_BYTES (512u << 10)
#define ROOM_OF_BYTE 4u
#define WINDOW_MIN 16u
/** Packets that a connection sends before the next one is served, and of all in one pass. */
#define BURST 32u
#define PASS 256u
/** A larger store is freed when it is not needed. */
#define STORE_KEEP 65536u

int
swhca_store_grow(struct swhca_store *store, size_t len)
{
	size_t size = store->size < 256 ? 256 : store->size;
	uint8_t *data;

	if (len <= store->size)
		return 0;
	while (size < len)
		size *= 2;
	data = realloc(store->data, size);
	if (data == NULL)
		return -ENOMEM;
	store->data = data;
	store->size = size;
	return 0;
}

void
swhca_store_fini(struct swhca_store *store)
{
	free(store->data);
	*store = (struct swhca_store){ 0 };
}

void
swhca_store_release(struct swhca_store *store)
{
	if (store->size > STORE_KEEP)
		swhca_store_fini(store);
}

struct swhca_conn *
swhca_conn_create(struct swhca_net *net)
{
	struct swhca_conn *conn = swhca_alloc(sizeof(*conn));

	if (conn == NULL)
		return NULL;
	conn->net = net;
	LIST_INSERT_HEAD(&net->conns, conn, link);
	return conn;
}

/* Add the new counts of the machines: names as in hw_counters of mlx5. */
static void
stats_add(struct swhca_wire_stats *stats, const struct swhca_conn *conn)
{
	const struct swhca_rc_requester_stats *q = &conn->requester.stats;
	const struct swhca_rc_responder_stats *r = &conn->responder.stats;

	stats->packet_seq_err += q->nb_sequence_naks - conn->requester_seen.nb_sequence_naks;
	stats->implied_nak_seq_err += q->nb_implied_naks - conn->requester_seen.nb_implied_naks;
	stats->local_ack_timeout_err += q->nb_timeouts - conn->requester_seen.nb_timeouts;
	stats->rnr_nak_retry_err += q->nb_rnr_naks - conn->requester_seen.nb_rnr_naks;
	stats->out_of_sequence += r->nb_out_of_sequence - conn->responder_seen.nb_out_of_sequence;
	stats->duplicate_request += r->nb_duplicates - conn->responder_seen.nb_duplicates;
}

/* Count for the device, and for the counter set of the queue. */
static void
conn_count(struct swhca_conn *conn)
{
	stats_add(&conn->net->hca->stats.wire, conn);
	stats_add(swhca_q_stats(conn->net->hca, conn->qp), conn);
	conn->requester_seen = conn->requester.stats;
	conn->responder_seen = conn->responder.stats;
}

void
swhca_conn_destroy(struct swhca_conn *conn)
{
	unsigned int i;

	conn_count(conn);
	if (conn->is_active)
		TAILQ_REMOVE(&conn->net->active, conn, active);
	LIST_REMOVE(conn, link);
	if (conn->qp == NULL) {
		LIST_REMOVE(conn, session_link);
		conn->net->nb_sessions--;
	}
	for (i = 0; conn->msgs != NULL && i < SWHCA_CONN_MSGS; i++) {
		swhca_spans_fini(&conn->msgs[i].spans);
		swhca_store_fini(&conn->msgs[i].store);
	}
	for (i = 0; i < conn->responder.conf.max_dest_rd_atomic && conn->reads != NULL; i++)
		swhca_store_fini(&conn->reads[i].store);
	swhca_store_fini(&conn->part.store);
	free(conn->rc_msgs);
	free(conn->msgs);
	free(conn->resources);
	free(conn->reads);
	if (conn->qp != NULL)
		conn->qp->conn = NULL;
	free(conn);
}

static uint8_t
transport_of(const struct swhca_qp *qp)
{
	switch (prm_get(qp->qpc, PRM_QPC_ST)) {
	case PRM_QP_ST_UC:
		return SWHCA_TRANSPORT_UC;
	case PRM_QP_ST_XRC:
		return SWHCA_TRANSPORT_XRC;
	case PRM_QP_ST_DCI:
		return SWHCA_TRANSPORT_DC;
	default:
		return SWHCA_TRANSPORT_RC;
	}
}

struct swhca_conn *
swhca_conn_of(struct swhca_qp *qp)
{
	struct swhca_net *net = qp->hca->net;
	struct swhca_packet_ip ip = { 0 };
	struct swhca_conn *conn;
	struct swhca_addr addr;

	if (qp->conn != NULL)
		return qp->conn;
	/* An initiator of DC sets its path with each message. */
	if (transport_of(qp) != SWHCA_TRANSPORT_DC) {
		swhca_addr_from_ads(&addr, qp->qpc + PRM_QPC_PRIMARY_PATH_BYTE);
		if (!swhca_net_route(net, &addr, &ip))
			return NULL;
	}
	conn = swhca_conn_create(net);
	if (conn == NULL)
		return NULL;
	conn->qp = qp;
	conn->transport = transport_of(qp);
	conn->log_mtu = (uint8_t)(7 + prm_get(qp->qpc, PRM_QPC_MTU));
	conn->remote_qpn = (uint32_t)prm_get(qp->qpc, PRM_QPC_REMOTE_QPN);
	conn->ip = ip;
	qp->conn = conn;
	return conn;
}

/* Maximum outstanding packets. */
static uint32_t
window_of(const struct swhca_conn *conn)
{
	uint32_t bytes = conn->net->link->room / ROOM_OF_BYTE;

	if (bytes < WINDOW_MIN_BYTES)
		bytes = WINDOW_MIN_BYTES;
	if (bytes > WINDOW_MAX_BYTES)
		bytes = WINDOW_MAX_BYTES;
	return bytes >> conn->log_mtu < WINDOW_MIN ? WINDOW_MIN : bytes >> conn->log_mtu;
}

int
swhca_conn_init_requester(struct swhca_conn *conn, uint32_t psn)
{
	const uint8_t *qpc = conn->qp->qpc;
	const struct swhca_rc_requester_conf conf = {
		.psn = psn,
		.window = window_of(conn),
		.log_mtu = conn->log_mtu,
		.timeout = (uint8_t)prm_get(qpc, PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT),
		.retry_cnt = (uint8_t)prm_get(qpc, PRM_QPC_RETRY_COUNT),
		.rnr_retry = (uint8_t)prm_get(qpc, PRM_QPC_RNR_RETRY),
		.max_rd_atomic = (uint8_t)(1u << prm_get(qpc, PRM_QPC_LOG_SRA_MAX)),
		.is_unreliable = conn->transport == SWHCA_TRANSPORT_UC,
	};
	int ret;

	if (conn->rc_msgs == NULL)
		conn->rc_msgs = calloc(SWHCA_CONN_MSGS, sizeof(*conn->rc_msgs));
	if (conn->msgs == NULL)
		conn->msgs = calloc(SWHCA_CONN_MSGS, sizeof(*conn->msgs));
	if (conn->rc_msgs == NULL || conn->msgs == NULL)
		return -ENOMEM;
	ret = swhca_rc_requester_init(&conn->requester, &conf, conn->rc_msgs, SWHCA_LOG_CONN_MSGS);
	conn->requester_seen = (struct swhca_rc_requester_stats){ 0 };
	conn->has_requester = ret == 0;
	return ret;
}

int
swhca_conn_init_responder(struct swhca_conn *conn, const struct swhca_rc_responder_conf *conf)
{
	size_t nb = conf->max_dest_rd_atomic;
	int ret;

	if (conn->transport == SWHCA_TRANSPORT_UC) {
		ret = swhca_uc_responder_init(&conn->uc, conf->psn, conf->log_mtu, conf->max_msg);
		conn->has_responder = ret == 0;
		return ret;
	}
	if (conn->resources == NULL)
		conn->resources = calloc(nb, sizeof(*conn->resources));
	if (conn->reads == NULL)
		conn->reads = calloc(nb, sizeof(*conn->reads));
	if (conn->resources == NULL || conn->reads == NULL)
		return -ENOMEM;
	ret = swhca_rc_responder_init(&conn->responder, conf, conn->resources);
	conn->responder_seen = (struct swhca_rc_responder_stats){ 0 };
	conn->has_responder = ret == 0;
	return ret;
}

void
swhca_conn_activate(struct swhca_conn *conn)
{
	if (conn->is_active)
		return;
	conn->is_active = true;
	TAILQ_INSERT_TAIL(&conn->net->active, conn, active);
}

void
swhca_conn_arm(struct swhca_conn *conn)
{
	uint64_t deadline = SWHCA_RC_NEVER;

	conn_count(conn);
	if (conn->has_requester)
		deadline = swhca_rc_requester_deadline(&conn->requester);
	if (conn->again_ns != 0 && conn->again_ns < deadline)
		deadline = conn->again_ns;
	if (deadline < conn->net->deadline)
		conn->net->deadline = deadline;
}

void
swhca_conn_tick_all(struct swhca_net *net, uint64_t now)
{
	struct swhca_conn *conn;

	if (now < net->deadline)
		return;
	net->deadline = SWHCA_RC_NEVER;
	LIST_FOREACH(conn, &net->conns, link) {
		if (conn->again_ns != 0 && now >= conn->again_ns) {
			conn->again_ns = 0;
			swhca_conn_activate(conn);
		}
		if (conn->has_requester &&
		    now >= swhca_rc_requester_deadline(&conn->requester)) {
			swhca_rc_requester_tick(&conn->requester, now);
			swhca_request_wake(conn);
			swhca_conn_activate(conn);
		}
		swhca_conn_arm(conn);
	}
}

void
swhca_conn_skip_all(struct swhca_net *net, uint64_t ns)
{
	struct swhca_conn *conn;

	LIST_FOREACH(conn, &net->conns, link)
		if (conn->has_requester)
			swhca_rc_requester_skip(&conn->requester, ns);
	/* The next tick updates the earliest deadline. */
	net->deadline = 0;
}

/* Responses first, as their requesters have waited longer. @return Number of packets. */
static unsigned int
conn_burst(struct swhca_conn *conn, uint64_t now)
{
	unsigned int nb = 0;

	while (nb < BURST && swhca_respond_packet(conn))
		nb++;
	while (nb < BURST && swhca_request_packet(conn, now))
		nb++;
	return nb;
}

unsigned int
swhca_conn_send_all(struct swhca_net *net, uint64_t now)
{
	struct swhca_conn *conn;
	unsigned int nb, nb_all = 0;

	while (nb_all < PASS && (conn = TAILQ_FIRST(&net->active)) != NULL &&
	       swhca_tx_has_room(net)) {
		TAILQ_REMOVE(&net->active, conn, active);
		conn->is_active = false;
		nb = conn_burst(conn, now);
		nb_all += nb;
		/* A connection that has used up its turn, or the room, may have more. */
		if (nb == BURST || !swhca_tx_has_room(net))
			swhca_conn_activate(conn);
		swhca_conn_arm(conn);
	}
	return nb_all;
}
