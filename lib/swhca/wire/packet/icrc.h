/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_ICRC_H
#define SWHCA_PACKET_ICRC_H

/**
 * @file
 * Invariant CRC: of what no router changes (IBTA vol. 1, 7.8.1, annex A17).
 *
 * It is the CRC-32 of Ethernet over 8 bytes of ones (the LRH that RoCEv2 has not), IP header, UDP
 * header and all from BTH to padding; last in the packet, its low byte first. Ones are counted in
 * place of what changes on the way:
 *
 *   IPv4  type of service, time to live, checksum
 *   IPv6  traffic class, flow label, hop limit
 *   UDP   checksum
 *   BTH   byte 4: FECN, BECN and reserved bits
 *
 *   crc = swhca_icrc_begin(&ip, hdrs, hdr_len, swhca_packet_len(&pkt));
 *   crc = swhca_icrc_update(crc, payload, len);     as often as there are pieces; then padding
 *   swhca_icrc_put(crc, end);
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet/ip.h"

/**
 * Begin with IP, UDP and transport headers.
 *
 * @param ip
 *   As it was, or will be, on the wire; tclass, hop_limit and flow_label do not matter. Addresses
 *   of one kind.
 * @param hdrs
 *   From the BTH on.
 * @param hdr_len
 *   Their bytes, at least those of the BTH.
 * @param ib_len
 *   Bytes from BTH to ICRC, at most SWHCA_IB_LEN_MAX.
 * @return
 *   What swhca_icrc_update() goes on with.
 */
uint32_t swhca_icrc_begin(const struct swhca_packet_ip *ip, const uint8_t *hdrs, size_t hdr_len,
			  size_t ib_len);

/** Go on with payload, or padding. */
uint32_t swhca_icrc_update(uint32_t crc, const uint8_t *data, size_t len);

/** Write it behind the packet: 4 bytes. */
void swhca_icrc_put(uint32_t crc, uint8_t *dst);

/**
 * Whether the ICRC of a packet is right.
 *
 * @param ip
 *   As for swhca_icrc_begin().
 * @param buf
 *   From BTH to ICRC.
 * @param len
 *   Its bytes; fewer than of a BTH and an ICRC, or more than SWHCA_IB_LEN_MAX, are never
 *   right.
 */
bool swhca_icrc_is_right(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len);

/**
 * Find the identification of an IPv4 packet whose ICRC is right.
 *
 * A UDP socket does not tell it, but the ICRC counts it. It is 16 bits of the 32 that an ICRC
 * checks, so that one is found for one in 65536 wrong packets, and for one at most: pass by what is
 * known to send another one each time. If it is found once it can be expected to be near the next.
 *
 * @param ip
 *   As for swhca_icrc_begin(); id does not matter. IPv6: there is none, so 0 is found, or nothing.
 * @param buf
 *   From BTH to ICRC.
 * @param len
 *   Its bytes.
 * @param[out] id
 *   Untouched if there is none.
 * @return
 *   Whether there is one.
 */
bool swhca_icrc_find_id(const struct swhca_packet_ip *ip, const uint8_t *buf, size_t len,
			uint16_t *id);

#endif /* SWHCA_PACKET_ICRC_H */
