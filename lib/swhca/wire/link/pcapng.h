/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_PCAPNG_H
#define SWHCA_WIRE_LINK_PCAPNG_H

/**
 * @file
 * Blocks of a pcapng file (draft-ietf-opsawg-pcapng) in bytes: numbers have the byte order of this
 * host, which the section header specifies. Packets begin with their IP header (LINKTYPE_RAW), as
 * sockets have no lower header.
 *
 *   section header, then for each device an interface description before its packets; packets of
 *   all devices, each with its time and direction
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet/ip.h"

/** Bytes of a section header, and maximum bytes of an interface description. */
#define SWHCA_PCAPNG_SHB_MAX	64u
#define SWHCA_PCAPNG_IDB_MAX	512u
/** Maximum bytes of a packet block before the BTH, and after the ICRC. */
#define SWHCA_PCAPNG_HEAD_MAX	(28u + SWHCA_IP_UDP_MAX)
#define SWHCA_PCAPNG_TAIL_MAX	(3u + 12u + 4u)

/** First bytes of a file. */
#define SWHCA_PCAPNG_SHB	0x0a0d0d0au

/** A packet of an interface. */
struct swhca_pcapng_packet {
	uint32_t interface;	/**< Interfaces in the order of their descriptions, from 0. */
	bool is_outbound;
	uint64_t time_ns;	/**< Since 1970. */
	const struct swhca_packet_ip *ip;
	const uint8_t *data;	/**< From BTH to ICRC, for the UDP checksum over IPv6. */
	uint32_t len;
};

/** Write a section header. @return Its size. */
size_t swhca_pcapng_shb(uint8_t buf[SWHCA_PCAPNG_SHB_MAX]);

/**
 * Write an interface description; times are in nanoseconds.
 *
 * @param name, description
 *   Truncated to 127 bytes.
 * @return
 *   Its size.
 */
size_t swhca_pcapng_idb(const char *name, const char *description,
			uint8_t buf[SWHCA_PCAPNG_IDB_MAX]);

/**
 * Write what precedes a packet's BTH: block header, and IP and UDP headers.
 *
 * @return
 *   Its size, or a negative errno of swhca_packet_ip_build().
 */
int swhca_pcapng_head(const struct swhca_pcapng_packet *packet,
		      uint8_t buf[SWHCA_PCAPNG_HEAD_MAX]);

/** Write what follows the ICRC of a packet with a head. @return Its size. */
size_t swhca_pcapng_tail(const struct swhca_pcapng_packet *packet,
			 uint8_t buf[SWHCA_PCAPNG_TAIL_MAX]);

#endif /* SWHCA_WIRE_LINK_PCAPNG_H */
