/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_PCAPNG_H
#define SWHCA_WIRE_LINK_PCAPNG_H

/**
 * @file
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng), as bytes: numbers in the order of this host,
 * which the section header tells. Packets begin with their IP header (LINKTYPE_RAW), for sockets do
 * not know of another one.
 *
 *   section header, then for each device an interface description, somewhere in front of its
 *   packets; packets of all of them, each with its time and direction
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet/ip.h"

/** Bytes of a section header, and most of an interface description. */
#define SWHCA_PCAPNG_SHB_MAX	64u
#define SWHCA_PCAPNG_IDB_MAX	512u
/** Bytes of a packet block in front of the BTH at most, and behind the ICRC. */
#define SWHCA_PCAPNG_HEAD_MAX	(28u + SWHCA_IP_UDP_MAX)
#define SWHCA_PCAPNG_TAIL_MAX	(3u + 12u + 4u)

/** First bytes of a file. */
#define SWHCA_PCAPNG_SHB	0x0a0d0d0au

/** A packet of an interface. */
struct swhca_pcapng_packet {
	uint32_t interface;	/**< In the order of their descriptions, from 0. */
	bool is_outbound;
	uint64_t time_ns;	/**< Since 1970. */
	const struct swhca_packet_ip *ip;
	const uint8_t *data;	/**< From BTH to ICRC: the checksum of UDP over IPv6 counts it. */
	uint32_t len;
};

/** Section header. @return Its bytes. */
size_t swhca_pcapng_shb(uint8_t buf[SWHCA_PCAPNG_SHB_MAX]);

/**
 * Interface description; times are of nanoseconds.
 *
 * @param name, description
 *   Cut at 127 bytes.
 * @return
 *   Its bytes.
 */
size_t swhca_pcapng_idb(const char *name, const char *description,
			uint8_t buf[SWHCA_PCAPNG_IDB_MAX]);

/**
 * What stands in front of a packet's BTH: of the block, and IP and UDP headers.
 *
 * @return
 *   Its bytes, or a negative errno of swhca_packet_ip_build().
 */
int swhca_pcapng_head(const struct swhca_pcapng_packet *packet,
		      uint8_t buf[SWHCA_PCAPNG_HEAD_MAX]);

/** What stands behind the ICRC of a packet that has a head. @return Its bytes. */
size_t swhca_pcapng_tail(const struct swhca_pcapng_packet *packet,
			 uint8_t buf[SWHCA_PCAPNG_TAIL_MAX]);

#endif /* SWHCA_WIRE_LINK_PCAPNG_H */
