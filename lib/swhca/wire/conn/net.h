/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONN_NET_H
#define SWHCA_WIRE_CONN_NET_H

/**
 * @file
 * A port on a link: what its queue pairs send is built here, one behind the other, and goes out in
 * batches; what comes in goes to whom it is for.
 *
 *   packets that came --> receive.c --> respond.c (requests)   --+
 *                                  +--> request.c (responses)    |--> active connections
 *   send queues --> send.c ---------------------------------------+           |
 *   deadlines --> conn.c ------------------------------------------+          v
 *                                            link <-- tx.c <-- responses, then requests
 *
 * A packet is only made when there is room for it, so that nothing queues up but what the machines
 * of wire/rc hold. The fabric lock is held in all of it.
 */

#include "include/mad.h"
#include "object/hca.h"
#include "wire/link/link.h"
#include "wire/packet/packet.h"

struct swhca_conn;

LIST_HEAD(swhca_conn_list, swhca_conn);
/** Lists of the sessions of targets of DC. */
#define SWHCA_NB_SESSION_LISTS 256u

/** Bytes of packets that wait for the link: a batch of the longest ones. */
#define SWHCA_TX_SIZE (SWHCA_LINK_BATCH * (SWHCA_PACKET_MTU_MAX + SWHCA_HDRS_MAX + 8u))

/** Packets that are built and not sent. */
struct swhca_tx {
	uint8_t *buf;
	size_t used;
	size_t at;			/**< Of the packet at hand: where it begins, */
	size_t hdr_len;			/**< its headers, */
	uint32_t payload_len;		/**< and the payload behind them. */
	unsigned int nb;
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
};

/** Datagrams of QP1 that wait for the agent; when they are full the newest is lost. */
#define SWHCA_MAX_MADS 64u

/** Addresses whose packets have been seen to have 0 for their IPv4 identification. */
#define SWHCA_NB_NET_PEERS 256u
struct swhca_net_peer {
	uint8_t gid[16];
	uint32_t nb_wrong;	/**< In a row. */
};

struct swhca_net {
	struct swhca_hca *hca;
	struct swhca_link *link;
	struct swhca_tx tx;
	TAILQ_HEAD(, swhca_conn) active;	/**< That may have something to send. */
	struct swhca_conn_list conns;		/**< All. */
	struct swhca_conn_list sessions[SWHCA_NB_SESSION_LISTS];
	unsigned int nb_sessions;
	struct swhca_net_peer peers[SWHCA_NB_NET_PEERS];
	uint64_t deadline;			/**< No connection has an earlier one. */
	uint64_t skipped_ns;			/**< That of the fabric, as connections know. */
	uint64_t last_session;			/**< Number of that of an initiator. */
};

/** The port has no link any more; its objects are gone. NULL is accepted. */
void swhca_net_destroy(struct swhca_net *net);
/** What came, what is due, what can be sent. @return Things done. */
unsigned int swhca_net_poll(struct swhca_net *net);
/** GID that stands for a LID: an address of the same net. */
void swhca_net_gid_of_lid(const struct swhca_net *net, uint16_t lid, uint8_t gid[16]);
/** Addresses of what is sent to a GID, from an address of the port. */
void swhca_net_ip_init(const struct swhca_net *net, const uint8_t dgid[16],
		       struct swhca_packet_ip *ip);
/**
 * The addresses that packets to an address of a queue pair carry.
 *
 * @return
 *   false: without an own address no packet leaves.
 */
bool swhca_net_route(const struct swhca_net *net, const struct swhca_addr *addr,
		     struct swhca_packet_ip *ip);

/** Packets to a group come from now on, or no longer. */
void swhca_net_group(struct swhca_net *net, const uint8_t gid[16], bool is_member);

/** Whether another packet can be built; if not, all that can be sent is. */
bool swhca_tx_has_room(struct swhca_net *net);
/**
 * Begin a packet; there is room.
 *
 * @return
 *   Where packet->payload_len bytes go, or NULL: there is no such packet.
 */
uint8_t *swhca_tx_begin(struct swhca_net *net, const struct swhca_packet_ip *ip,
			const struct swhca_packet *packet);
/** Its payload is there. A packet that is begun and does not end is none. */
void swhca_tx_end(struct swhca_net *net);
/** Send what the link takes. @return Packets. */
unsigned int swhca_tx_flush(struct swhca_net *net);

/** Whether the port takes no part: what comes for it is lost. */
static inline bool
swhca_net_is_dead(const struct swhca_net *net)
{
	return net->hca->is_failed || net->hca->is_halted;
}

/** Packets that came. @return How many. */
unsigned int swhca_net_receive(struct swhca_net *net);

#endif /* SWHCA_WIRE_CONN_NET_H */
