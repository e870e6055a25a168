/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_ARP_H
#define SWHCA_WIRE_LINK_ARP_H

/**
 * @file
 * Ethernet addresses of IPv4 neighbours (RFC 826), by a small cache.
 *
 * A state machine and nothing else: no socket, time is a parameter. Frames that came go in, frames
 * to be sent are asked for:
 *
 *   find() ------> unknown: ASKED --- answer ---> KNOWN --- old ---> KNOWN, asked again
 *                             |                                        |
 *                             +--- nobody answers: forgotten <---------+
 *
 * Every address is taken for one of a neighbour: there are no routers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Neighbours that are known or asked for at a time. */
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
	uint8_t nb_asked;	/**< Requests without an answer. */
	uint8_t ip[4];
	uint8_t mac[SWHCA_ETHER_MAC_LEN];
	uint64_t next_ns;	/**< When to ask next, or again. */
	uint64_t used_ns;	/**< When it was looked for last. */
};

/** All fields are the machine's own. */
struct swhca_arp {
	uint8_t ip[4];
	uint8_t mac[SWHCA_ETHER_MAC_LEN];
	bool has_answer;	/**< To be sent: to whoever asked last. */
	uint8_t asker_ip[4];
	uint8_t asker_mac[SWHCA_ETHER_MAC_LEN];
	struct swhca_arp_entry entries[SWHCA_ARP_ENTRIES];
};

/** Begin a frame. */
void swhca_ether_put(uint8_t *frame, const uint8_t *dst, const uint8_t *src, uint16_t type);

/** Its own addresses. */
void swhca_arp_init(struct swhca_arp *arp, const uint8_t ip[4], const uint8_t mac[6]);
/**
 * Find a neighbour; one that is not there is asked for, in place of the one that was not looked for
 * the longest if need be.
 *
 * @return
 *   It is ASKED, or KNOWN and mac counts.
 */
const struct swhca_arp_entry *swhca_arp_find(struct swhca_arp *arp, const uint8_t ip[4],
					     uint64_t now_ns);
/** What is known of a neighbour; nobody is asked. @return NULL: nothing. */
const struct swhca_arp_entry *swhca_arp_look(const struct swhca_arp *arp, const uint8_t ip[4]);
/**
 * A frame of type ARP has come.
 *
 * @return
 *   0, or -EBADMSG: it is shorter than an ARP packet, not of Ethernet and IPv4, or from an address
 *   that is no neighbour's.
 */
int swhca_arp_receive(struct swhca_arp *arp, const uint8_t *frame, size_t len, uint64_t now_ns);
/**
 * The next frame that is to be sent now, which counts as sent. Entries that nobody answers for
 * become FREE on the way.
 *
 * @param[out] frame
 *   SWHCA_ETHER_MIN bytes.
 * @return
 *   false: there is none.
 */
bool swhca_arp_next(struct swhca_arp *arp, uint64_t now_ns, uint8_t *frame);
/** @return When to ask for the next frame, UINT64_MAX: never. */
uint64_t swhca_arp_deadline(const struct swhca_arp *arp);

#endif /* SWHCA_WIRE_LINK_ARP_H */
