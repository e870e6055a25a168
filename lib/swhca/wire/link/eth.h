/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_ETH_H
#define SWHCA_WIRE_LINK_ETH_H

/**
 * @file
 * Link of Ethernet frames: opened by eth.c, sent and received by eth_frame.c.
 *
 * Packets to a neighbor whose address is unknown wait for it, in order. When too many wait, the
 * next ones are dropped, as senders have time-outs.
 */

#include <sys/socket.h>

#include "wire/link/arp.h"
#include "wire/link/link_ops.h"

/** Offset of a frame in a buffer. */
#define SWHCA_ETH_SHIFT		2u
/** Headers of Ethernet, IPv4 and UDP. */
#define SWHCA_ETH_HDRS_LEN	(SWHCA_ETHER_LEN + SWHCA_IPV4_LEN + SWHCA_UDP_LEN)

/** Maximum frames that wait for an address. */
#define SWHCA_ETH_PARKED	64u

struct swhca_eth_parked {
	uint8_t ip[4];
	uint32_t len;
	uint32_t ib_len;
};

/** Frames of one system call. */
struct swhca_eth_batch {
	struct mmsghdr msgs[SWHCA_LINK_BATCH];
	struct iovec iovs[SWHCA_LINK_BATCH][3];	/**< Headers, packet, padding. */
	uint8_t hdrs[SWHCA_LINK_BATCH][SWHCA_ETH_HDRS_LEN];
};

/**
 * Rate limit. The process that moves frames of a virtual machine has a socket with the default
 * buffer size, which silently drops frames that it does not read in time. Frames are sent no faster
 * than those of 1000BASE-T, except for a burst that fills a quarter of that buffer.
 */
#define SWHCA_ETH_NS_PER_BYTE	8u

struct swhca_eth {
	struct swhca_link link;
	uint64_t busy_until;	/**< End of the sent frames at this rate. */
	uint64_t burst_ns;	/**< Maximum lead over real time. */
	bool is_paced;		/**< The last packets were not accepted because of that. */
	struct swhca_arp arp;
	uint32_t frame_max;	/**< Maximum frame bytes, without check sequence. */
	uint32_t stride;	/**< Bytes from one buffer to the next. */
	uint8_t *bufs;		/**< For received frames. */
	uint8_t *parked_frames;	/**< Waiting for an address, oldest first. */
	unsigned int nb_parked;
	struct swhca_eth_parked parked[SWHCA_ETH_PARKED];
	struct swhca_eth_batch batch;
};

/** Kind of a frame. */
enum swhca_eth_kind {
	SWHCA_ETH_PACKET,	/**< The packet is written. */
	SWHCA_ETH_ARP,		/**< Handled; there may be a frame to send. */
	SWHCA_ETH_OTHER,	/**< For another address, or another protocol. */
	SWHCA_ETH_BAD,		/**< To be counted: invalid lengths, addresses. */
};

/** Parse a received frame. */
enum swhca_eth_kind swhca_eth_take(struct swhca_eth *eth, uint8_t *frame, size_t len,
				   uint64_t now_ns, struct swhca_link_packet *packet);

/* Ops of the link. */
unsigned int swhca_eth_send(struct swhca_link *link, const struct swhca_link_packet *packets,
			    unsigned int nb);
unsigned int swhca_eth_receive(struct swhca_link *link, struct swhca_link_packet *packets,
			       unsigned int nb);
bool swhca_eth_send_frame(struct swhca_link *link, const uint8_t *frame, size_t len);

#endif /* SWHCA_WIRE_LINK_ETH_H */
