/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_H
#define SWHCA_PACKET_H

/**
 * @file
 * Encoding and parsing of RoCEv2 transport packets in arrays, without sockets or objects.
 *
 *   IP, UDP   BTH   XRCETH | DCETH | DETH   RETH | AtomicETH | AETH   AtomicAckETH   ImmDt | IETH
 *   (ip.h)    \_______________________________ headers _____________________________________/
 *             payload   0 to 3 bytes of padding   ICRC (icrc.h)
 *
 * Only length, padding, version and opcode of a packet are checked here. The owner of the queue
 * pair checks numbers, partition, Q_Key, PSN, path MTU and rights. Bits reserved by IBTA are
 * written as 0 and ignored when parsed.
 *
 * DC header of software devices (the packets of adapters are not public), in requests and in
 * responses, directly after the BTH:
 *
 *   byte 0       8        9             12            20
 *        | key   | flags  | source QP   | session     |
 *
 *   key        access key of the DCT; 0 in a response
 *   flags      bit 7: the PSN of this packet is the first one of the session; others reserved
 *   source QP  the DCI, the destination of answers; in a response the DCT
 *   session    increased each time that the DCI connects to a target: packets of a session that
 *              is over are dropped; doc/guides/tools/swhca.rst has the rules
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet/opcode.h"

/** Maximum path MTU, thus payload of a packet. */
#define SWHCA_PACKET_MTU_MAX	4096u
/** Maximum message: 2^31 bytes (IBTA vol. 1, 9.7.4.1). */
#define SWHCA_MSG_LEN_MAX	0x80000000u
/** 24-bit numbers: queue pairs, PSN, MSN, SRQ. */
#define SWHCA_24_BITS		0xffffffu

/** Packet fields. Those of headers that its opcode lacks are ignored. */
struct swhca_packet {
	uint8_t opcode;
	bool is_solicited;	/**< SE: a completion with an event. */
	/**
	 * MigReq. Path migration is unsupported: senders use 1 (IBTA vol. 1, 17.2.8: state
	 * MIGRATED); receivers accept both, as Linux' rxe sends 0.
	 */
	bool is_migrated;
	bool has_fecn;
	bool has_becn;
	bool wants_ack;		/**< AckReq */
	uint16_t pkey;
	uint32_t dst_qpn;	/**< 24 bits */
	uint32_t psn;		/**< 24 bits */

	uint32_t srqn;		/**< XRCETH: 24 bits. */
	uint32_t src_qpn;	/**< DETH, DCETH: 24 bits. */
	uint32_t qkey;		/**< DETH */
	uint64_t dc_key;	/**< DCETH */
	uint64_t dc_session;	/**< DCETH */
	bool dc_is_first;	/**< DCETH */

	uint64_t va;		/**< RETH, AtomicETH */
	uint32_t rkey;		/**< RETH, AtomicETH */
	uint32_t dma_len;	/**< RETH: of the whole message; may exceed the maximum. */
	uint64_t swap_add;	/**< AtomicETH */
	uint64_t compare;	/**< AtomicETH */

	uint8_t syndrome;	/**< AETH: see aeth.h. */
	uint32_t msn;		/**< AETH: 24 bits. */
	uint64_t orig;		/**< AtomicAckETH: previous value of the memory. */

	uint32_t imm_be;	/**< ImmDt, big endian: opaque. */
	uint32_t inval_rkey;	/**< IETH */

	uint16_t payload_len;	/**< Bytes after the headers, without padding. */
};

/** Padding bytes that make a payload a multiple of 4. */
static inline uint8_t
swhca_packet_pad(uint32_t payload_len)
{
	return (uint8_t)(-payload_len & 3u);
}

/**
 * Size of a packet without IP and UDP: headers, payload, padding, ICRC.
 *
 * @param pkt
 *   Valid opcode, and payload_len.
 */
size_t swhca_packet_len(const struct swhca_packet *pkt);

/**
 * Write the headers of a packet.
 *
 * Payload, padding (zeros) and ICRC follow them; the pad count is set from payload_len.
 *
 * @param pkt
 *   All fields of the opcode.
 * @param buf
 *   Destination; unchanged on error.
 * @param size
 *   Its size; SWHCA_HDRS_MAX is always enough.
 * @return
 *   Size of the headers, or
 *   - -EPROTONOSUPPORT: there is no such opcode
 *   - -ERANGE: a field has more bits than its header
 *   - -EMSGSIZE: payload that the opcode does not allow, required payload missing, or too much
 *   - -ENOSPC: the buffer is too small
 */
int swhca_packet_build(const struct swhca_packet *pkt, uint8_t *buf, size_t size);

/**
 * Parse a packet.
 *
 * @param buf
 *   From BTH to ICRC, which is not checked: the payload of the UDP datagram.
 * @param len
 *   Its size.
 * @param[out] pkt
 *   All fields of the opcode, the others 0; unchanged on error.
 * @return
 *   Size of the headers, or
 *   - -EBADMSG: shorter than the headers of the opcode and the ICRC, or not a multiple of 4
 *   - -EPROTO: the version of the transport headers is not 0 (IBTA vol. 1, 9.6.1)
 *   - -EPROTONOSUPPORT: there is no such opcode
 *   - -EMSGSIZE: payload that the opcode does not allow, required payload missing, too much, or
 *     less than the padding
 */
int swhca_packet_parse(const uint8_t *buf, size_t len, struct swhca_packet *pkt);

/**
 * Check the payload size of a packet against a path MTU: first and middle packets are full, others
 * not longer (IBTA vol. 1, 9.7.4.1, 9.8.2).
 */
bool swhca_packet_fits_mtu(const struct swhca_packet *pkt, uint32_t mtu);

/**
 * Reason to reject a packet, for a log.
 *
 * @param ret
 *   Error of swhca_packet_parse() or swhca_packet_build().
 */
const char *swhca_packet_strerror(int ret);

#endif /* SWHCA_PACKET_H */
