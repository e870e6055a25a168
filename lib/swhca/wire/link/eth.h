/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_ETH_H
#define SWHCA_WIRE_LINK_ETH_H

/**
 * @file
 * A link of Ethernet frames: what eth.c opens, eth_frame.c sends and receives.
 *
 * A packet to a neighbour whose address is not known waits until it is; the next ones to the same
 * neighbour are dropped meanwhile, for who sends them has time-outs.
 */

#include <sys/socket.h>

#include "wire/link/arp.h"
#include "wire/link/link.h"

/** In front of a frame in a buffer. */
#define SWHCA_ETH_SHIFT		2u
/** Headers of Ethernet, IPv4 and UDP. */
#define SWHCA_ETH_HDRS_LEN	(SWHCA_ETHER_LEN + SWHCA_IPV4_LEN + SWHCA_UDP_LEN)

/** Frames of one system call. */
struct swhca_eth_batch {
	struct mmsghdr msgs[SWHCA_LINK_BATCH];
	struct iovec iovs[SWHCA_LINK_BATCH][3];	/**< Headers, packet, padding. */
	uint8_t hdrs[SWHCA_LINK_BATCH][SWHCA_ETH_HDRS_LEN];
};

struct swhca_eth {
	struct swhca_link link;
	struct swhca_arp arp;
	uint32_t frame_max;	/**< Bytes of a frame, without its check sequence. */
	uint32_t stride;	/**< Bytes from one buffer to the next. */
	uint8_t *bufs;		/**< Of frames that came. */
	uint8_t *parked_frames;	/**< That wait for an address: one for each entry of arp. */
	uint32_t parked_len[SWHCA_ARP_ENTRIES];	/**< 0: none. */
	uint32_t parked_ib_len[SWHCA_ARP_ENTRIES];
	uint8_t parked_ip[SWHCA_ARP_ENTRIES][4];
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

#endif /* SWHCA_WIRE_LINK_ETH_H */
