/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_IP_H
#define SWHCA_PACKET_IP_H

/**
 * @file
 * Headers around a RoCEv2 packet: UDP of IPv4 or IPv6 (IBTA annex A17).
 *
 * With a UDP socket the kernel writes these headers, but the ICRC covers most of them, and a
 * datagram of a UD queue pair has them before its payload. For an unconnected socket that does not
 * fragment (IP_MTU_DISCOVER: IP_PMTUDISC_DO), Linux sets the IPv4 identification to 0; segments of
 * one sendmsg(2) with UDP_SEGMENT are numbered from there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Destination port of RoCEv2 (IANA). */
#define SWHCA_ROCE_UDP_PORT	4791u

#define SWHCA_IPV4_LEN		20u
#define SWHCA_IPV6_LEN		40u
#define SWHCA_UDP_LEN		8u
#define SWHCA_IP_UDP_MAX	(SWHCA_IPV6_LEN + SWHCA_UDP_LEN)
/** Maximum bytes from BTH to ICRC over IPv4. */
#define SWHCA_IB_LEN_MAX	(UINT16_MAX - SWHCA_IPV4_LEN - SWHCA_UDP_LEN)
/** Bytes before the payload of a datagram in a receive buffer. */
#define SWHCA_PACKET_GRH_LEN	40u

/** Header fields and addresses. IPv4 is mapped into GIDs (include/gid.h). */
struct swhca_packet_ip {
	uint8_t sgid[16];
	uint8_t dgid[16];
	uint16_t src_port;
	uint16_t id;		/**< IPv4 */
	bool is_df;		/**< IPv4: do not fragment; must be set. */
	uint8_t tclass;		/**< Type of service */
	uint8_t hop_limit;	/**< Time to live */
	uint32_t flow_label;	/**< IPv6, 20 bits */
};

/** Size of both headers. */
size_t swhca_packet_ip_len(const struct swhca_packet_ip *ip);

/**
 * Write IP and UDP headers. The UDP checksum is 0, as the ICRC covers the data.
 *
 * @param ip
 *   All fields.
 * @param ib_len
 *   Bytes from BTH to ICRC.
 * @param buf
 *   Destination; unchanged on error.
 * @param size
 *   Its size; SWHCA_IP_UDP_MAX is always enough.
 * @return
 *   Size of the headers, or
 *   - -EINVAL: only one address is IPv4; or the flow label has over 20 bits
 *   - -EMSGSIZE: ib_len is over SWHCA_IB_LEN_MAX
 *   - -ENOSPC: the buffer is too small
 */
int swhca_packet_ip_build(const struct swhca_packet_ip *ip, size_t ib_len, uint8_t *buf,
			  size_t size);

/**
 * Parse IP and UDP headers.
 *
 * @param buf
 *   From the IP header on.
 * @param len
 *   Its size; bytes after the packet are ignored (padding of Ethernet).
 * @param[out] ip
 *   All fields; unchanged on error.
 * @param[out] ib_len
 *   Bytes from BTH to ICRC, all within len; unchanged on error.
 * @return
 *   Size of the headers, or
 *   - -EPROTONOSUPPORT: not IPv4 without options or IPv6 without extension headers, a fragment, or
 *     not UDP to the port of RoCEv2
 *   - -EBADMSG: lengths of the headers contradict each other or len, or are over SWHCA_IB_LEN_MAX;
 *     or the checksum of IPv4 is wrong
 */
int swhca_packet_ip_parse(const uint8_t *buf, size_t len, struct swhca_packet_ip *ip,
			  size_t *ib_len);

/**
 * Write the start of a receive buffer of a UD queue pair: the IPv6 header, or zeros and the IPv4
 * header at the end (IBTA A17.4.5.1).
 *
 * @param ip
 *   All fields; addresses of the same IP version.
 * @param ib_len
 *   Bytes from BTH to ICRC, of a packet that was on a wire.
 * @param[out] grh
 *   SWHCA_PACKET_GRH_LEN bytes.
 */
void swhca_packet_grh(const struct swhca_packet_ip *ip, size_t ib_len, uint8_t *grh);

#endif /* SWHCA_PACKET_IP_H */
