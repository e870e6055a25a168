/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_ETH_H
#define SWHCA_WIRE_LINK_ETH_H

/**
 * @file
 * A link of Ethernet frames: what eth.c opens, eth_frame.c sends and receives.
 *
 * Packets to a neighbour whose address is not known wait until it is, in order. When there are too
 * many of them the next ones are dropped, for who sends them has time-outs.
 */

#include <sys/socket.h>

#include "wire/link/arp.h"
#include "wire/link/link.h"

/** In front of a frame in a buffer. */
#define SWHCA_ETH_SHIFT		2u
/** Headers of Ethernet, IPv4 and UDP. */
#define SWHCA_ETH_HDRS_LEN	(SWHCA_ETHER_LEN + SWHCA_IPV4_LEN + SWHCA_UDP_LEN)

/** Frames that wait for an address, at most. */
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
 * The pace. Whoever moves the frames of a virtual machine has a socket with the room that all have
 * by default, and what it does not take in time is lost without a word. Frames leave no faster than
 * those of 1000BASE-T, but for as many as go into a quarter of that room.
 */
#define SWHCA_ETH_NS_PER_BYTE	8u

struct swhca_eth {
	struct swhca_link link;
	uint64_t busy_until;	/**< Of what was sent, at its pace. */
	uint64_t burst_ns;	/**< How far that may be ahead. */
	bool is_paced;		/**< The last packets were not taken for that. */
	struct swhca_arp arp;
	uint32_t frame_max;	/**< Bytes of a frame, without its check sequence. */
	uint32_t stride;	/**< Bytes from one buffer to the next. */
	uint8_t *bufs;		/**< Of frames that came. */
	uint8_t *parked_frames;	/**< That wait for an address, the oldest first. */
	unsigned int nb_parked;
	struct swhca_eth_parked parked[SWHCA_ETH_PARKED];
	struct swhca_eth_batch batch;
};

/** What a frame is. */
enum swhca_eth_kind {
	SWHCA_ETH_PACKET,	/**< The packet is written. */
	SWHCA_ETH_ARP,		/**< Taken; there may be something to be sent. */
	SWHCA_ETH_OTHER,	/**< Somebody else's, or of another protocol. */
	SWHCA_ETH_BAD,		/**< To be counted: lengths, addresses. */
};

/** Look at a frame that came. */
enum swhca_eth_kind swhca_eth_take(struct swhca_eth *eth, uint8_t *frame, size_t len,
				   uint64_t now_ns, struct swhca_link_packet *packet);

/* As the ops of a link. */
unsigned int swhca_eth_send(struct swhca_link *link, const struct swhca_link_packet *packets,
			    unsigned int nb);
unsigned int swhca_eth_receive(struct swhca_link *link, struct swhca_link_packet *packets,
			       unsigned int nb);
bool swhca_eth_send_frame(struct swhca_link *link, const uint8_t *frame, size_t len);

#endif /* SWHCA_WIRE_LINK_ETH_H */
