/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_ICRC_H
#define SWHCA_PACKET_ICRC_H

/**
 * @file
 * Invariant CRC: covers what routers do not change (IBTA vol. 1, 7.8.1, annex A17).
 *
 * It is the CRC-32 of Ethernet over 8 bytes of ones (in place of the LRH, which RoCEv2 lacks), IP
 * header, UDP header and all from BTH to padding; it ends the packet, low byte first. Ones replace
 * fields that change on the way:
 *
 *   IPv4  type of service, time to live, checksum
 *   IPv6  traffic class, flow label, hop limit
 *   UDP   checksum
 *   BTH   byte 4: FECN, BECN and reserved bits
 *
 *   crc = swhca_icrc_begin(&ip, hdrs, hdr_len, swhca_packet_len(&pkt));
 *   crc = swhca_icrc_update(crc, payload, len);     for each piece; then padding
 *   swhca_icrc_put(crc, end);
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet/ip.h"

/**
 * Start with IP, UDP and transport headers.
 *
 * @param ip
 *   As on the wire; tclass, hop_limit and flow_label are ignored. Addresses of the same IP version.
 * @param hdrs
 *   From the BTH on.
 * @param hdr_len
 *   Their size, at least that of the BTH.
 * @param ib_len
 *   Bytes from BTH to ICRC, at most SWHCA_IB_LEN_MAX.
 * @return
 *   Input of swhca_icrc_update().
 */
uint32_t swhca_icrc_begin(const struct swhca_packet_ip *ip, const uint8_t *hdrs, size_t hdr_len,
			  size_t ib_len);

/** Add payload, or padding. */
uint32_t swhca_icrc_update(uint32_t crc, const uint8_t *data, size_t len);

/** Write it after the packet: 4 bytes. */
void swhca_icrc_put(uint32_t crc, uint8_t *dst);

/**
 * Check the ICRC of a packet.
 *
 * @param ip
 *   As for swhca_icrc_begin().
 * @param buf
 *   From BTH to ICRC.
 * @param len
 *   Its size; false if it is less than a BTH and an ICRC, or more than SWHCA_IB_LEN_MAX.
 */
bool swhca_icrc_is_right(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len);

/**
 * Find the IPv4 identification of a packet for which its ICRC is right.
 *
 * A UDP socket does not report it, but the ICRC covers it. It has 16 of the 32 bits that an ICRC
 * checks, so at most one is found, but also for one in 65536 wrong packets: do not search for peers
 * whose identification is known. Once found, expect the next one near it.
 *
 * @param ip
 *   As for swhca_icrc_begin(); id is ignored. IPv6: has none, so 0 is found, or nothing.
 * @param buf
 *   From BTH to ICRC.
 * @param len
 *   Its size.
 * @param[out] id
 *   Unchanged if there is none.
 * @return
 *   Whether there is one.
 */
bool swhca_icrc_find_id(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len,
			uint16_t *id);

#endif /* SWHCA_PACKET_ICRC_H */
