/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONN_NET_H
#define SWHCA_WIRE_CONN_NET_H

/**
 * @file
 * Port on a link: builds the packets of its queue pairs and sends them in batches; dispatches
 * received packets.
 *
 *   received packets --> receive.c --> conn_responder.c (requests)  --+
 *                                 +--> conn_requester.c (responses)   |--> active connections
 *   send queues --> send.c -------------------------------------------+           |
 *   deadlines --> conn.c ---------------------------------------------+           v
 *                                                 link <-- tx.c <-- responses, then requests
 *
 * A packet is only built when there is room for it, so that only the machines of wire/rc queue
 * anything. The fabric lock is held.
 */

#include "include/mad.h"
#include "object/hca_state.h"
#include "wire/link/link_ops.h"
#include "wire/packet/packet.h"

struct swhca_conn;

LIST_HEAD(swhca_conn_list, swhca_conn);
/** Number of lists of DC target sessions. */
#define SWHCA_NB_SESSION_LISTS 256u

/** Bytes of packets that wait for the link: a batch of maximum size. */
#define SWHCA_TX_SIZE (SWHCA_LINK_BATCH * (SWHCA_PACKET_MTU_MAX + SWHCA_HDRS_MAX + 8u))

/** Packets built and not sent. */
struct swhca_tx {
	uint8_t *buf;
	size_t used;
	size_t at;			/**< Start of the current packet. */
	size_t hdr_len;			/**< Size of its headers. */
	uint32_t payload_len;		/**< Size of its payload. */
	unsigned int nb;
	struct swhca_link_packet packets[SWHCA_LINK_BATCH];
};

/** Queued QP1 datagrams for the agent; if full, new ones are lost. */
#define SWHCA_MAX_MADS 64u

/** Addresses whose packets were seen with IPv4 identification 0. */
#define SWHCA_NB_NET_PEERS 256u
struct swhca_net_peer {
	uint8_t gid[16];
	uint32_t nb_wrong;	/**< Consecutive. */
};

struct swhca_net {
	struct swhca_hca *hca;
	struct swhca_link *link;
	struct swhca_tx tx;
	TAILQ_HEAD(, swhca_conn) active;	/**< May have something to send. */
	struct swhca_conn_list conns;		/**< All connections. */
	struct swhca_conn_list sessions[SWHCA_NB_SESSION_LISTS];
	unsigned int nb_sessions;
	struct swhca_net_peer peers[SWHCA_NB_NET_PEERS];
	uint64_t deadline;			/**< No connection has an earlier deadline. */
	uint64_t skipped_ns;			/**< skipped_ns of the fabric, already applied to
						 *   connections. */
	uint64_t last_session;			/**< Number of the last session of an initiator. */
};

/** The port loses its link; its objects are already destroyed. NULL is accepted. */
void swhca_net_destroy(struct swhca_net *net);
/** Handle received packets, timers, and packets to send. @return Number of things done. */
unsigned int swhca_net_poll(struct swhca_net *net);
/** GID that corresponds to a LID: an address of the same net. */
void swhca_net_gid_of_lid(const struct swhca_net *net, uint16_t lid, uint8_t gid[16]);
/** Set the addresses of packets from an address of the port to a GID. */
void swhca_net_ip_init(const struct swhca_net *net, const uint8_t dgid[16],
		       struct swhca_packet_ip *ip);
/**
 * Get the addresses of packets to an address of a queue pair.
 *
 * @return
 *   false: without an own address no packet can be sent.
 */
bool swhca_net_route(const struct swhca_net *net, const struct swhca_addr *addr,
		     struct swhca_packet_ip *ip);

/** Start or stop receiving packets of a group. */
void swhca_net_group(struct swhca_net *net, const uint8_t gid[16], bool is_member);

/** Check whether another packet can be built; if not, first send what can be sent. */
bool swhca_tx_has_room(struct swhca_net *net);
/**
 * Begin a packet; there must be room.
 *
 * @return
 *   Destination of packet->payload_len bytes, or NULL: invalid packet.
 */
uint8_t *swhca_tx_begin(struct swhca_net *net, const struct swhca_packet_ip *ip,
			const struct swhca_packet *packet);
/** End a packet with its payload. A packet that is not ended is discarded. */
void swhca_tx_end(struct swhca_net *net);
/** Send what the link accepts. @return Number of packets. */
unsigned int swhca_tx_flush(struct swhca_net *net);

/** Check whether the port is inactive: received packets are lost. */
static inline bool
swhca_net_is_dead(const struct swhca_net *net)
{
	return net->hca->is_failed || net->hca->is_halted;
}

/** Handle received packets. @return Number of packets. */
unsigned int swhca_net_receive(struct swhca_net *net);

#endif /* SWHCA_WIRE_CONN_NET_H */
