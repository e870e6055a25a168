/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_ARP_H
#define SWHCA_WIRE_LINK_ARP_H

/**
 * @file
 * Cache of Ethernet addresses of IPv4 neighbors (RFC 826).
 *
 * A pure state machine: no socket, time is a parameter. Received frames are passed in, frames to be
 * sent are polled:
 *
 *   find() ------> unknown: ASKED --- answer ---> KNOWN --- old ---> KNOWN, asked again
 *                             |                                        |
 *                             +--- no answer: forgotten <--------------+
 *
 * Every address is considered a neighbor: there are no routers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Maximum number of neighbors in the cache. */
#define SWHCA_ARP_ENTRIES	16u

/* Ethernet II: destination, source, type; without the frame check sequence (IEEE 802.3, 3.1.1). */
#define SWHCA_ETHER_LEN		14u
/** Shorter frames are padded. */
#define SWHCA_ETHER_MIN		60u
#define SWHCA_ETHER_MAC_LEN	6u
#define SWHCA_ETHER_TYPE_IPV4	0x0800u
#define SWHCA_ETHER_TYPE_ARP	0x0806u

enum swhca_arp_state {
	SWHCA_ARP_FREE,
	SWHCA_ARP_ASKED,
	SWHCA_ARP_KNOWN,
};

struct swhca_arp_entry {
	uint8_t state;		/**< enum swhca_arp_state */
	uint8_t nb_asked;	/**< Unanswered requests. */
	uint8_t ip[4];
	uint8_t mac[SWHCA_ETHER_MAC_LEN];
	uint64_t next_ns;	/**< Time of the next request. */
	uint64_t used_ns;	/**< Time of the last lookup. */
};

/** All fields are private. */
struct swhca_arp {
	uint8_t ip[4];
	uint8_t mac[SWHCA_ETHER_MAC_LEN];
	bool has_answer;	/**< To be sent to the last requester. */
	uint8_t asker_ip[4];
	uint8_t asker_mac[SWHCA_ETHER_MAC_LEN];
	struct swhca_arp_entry entries[SWHCA_ARP_ENTRIES];
};

/** Write the header of a frame. */
void swhca_ether_put(uint8_t *frame, const uint8_t *dst, const uint8_t *src, uint16_t type);

/** Initialize with the own addresses. */
void swhca_arp_init(struct swhca_arp *arp, const uint8_t ip[4], const uint8_t mac[6]);
/**
 * Look up a neighbor; an unknown one is requested, and replaces the least recently used one if
 * necessary.
 *
 * @return
 *   ASKED, or KNOWN with a valid mac.
 */
const struct swhca_arp_entry *swhca_arp_find(struct swhca_arp *arp, const uint8_t ip[4],
					     uint64_t now_ns);
/** Look up a neighbor without a request. @return NULL: unknown. */
const struct swhca_arp_entry *swhca_arp_look(const struct swhca_arp *arp, const uint8_t ip[4]);
/**
 * Handle an ARP frame.
 *
 * @return
 *   0, or -EBADMSG: shorter than an ARP packet, not Ethernet and IPv4, or the sender address cannot
 *   be a neighbor.
 */
int swhca_arp_receive(struct swhca_arp *arp, const uint8_t *frame, size_t len, uint64_t now_ns);
/**
 * Get the next frame to be sent now, which is then considered sent. Entries without an answer
 * become FREE.
 *
 * @param[out] frame
 *   SWHCA_ETHER_MIN bytes.
 * @return
 *   false: there is none.
 */
bool swhca_arp_next(struct swhca_arp *arp, uint64_t now_ns, uint8_t *frame);
/** @return Time to poll for the next frame, UINT64_MAX: never. */
uint64_t swhca_arp_deadline(const struct swhca_arp *arp);

#endif /* SWHCA_WIRE_LINK_ARP_H */
