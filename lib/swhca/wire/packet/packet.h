/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_H
#define SWHCA_PACKET_H

/**
 * @file
 * Transport packets of RoCEv2: values to bytes, and back. Arrays only: no sockets, no objects.
 *
 *   IP, UDP   BTH   XRCETH | DCETH | DETH   RETH | AtomicETH | AETH   AtomicAckETH   ImmDt | IETH
 *   (ip.h)    \_______________________________ headers _____________________________________/
 *             payload   0 to 3 bytes of padding   ICRC (icrc.h)
 *
 * What is checked here is what makes a packet a packet: its length, padding, version and opcode.
 * Whether it belongs to somebody (numbers, partition, Q_Key, PSN, path MTU, rights) is for who has
 * the queue pair. Bits that the IBTA reserves are 0 in what is built and not looked at otherwise.
 *
 * The DC header of software devices (the packets of adapters are not public), in requests and in
 * responses, right behind the BTH:
 *
 *   byte 0       8        9             12            20
 *        | key   | flags  | source QP   | session     |
 *
 *   key        access key of the DCT; 0 in a response
 *   flags      bit 7: the PSN of this packet is the first one of the session; others reserved
 *   source QP  the DCI, which answers go to; in a response the DCT
 *   session    a higher number each time that the DCI turns to a target: who gets a packet of one
 *              that is over drops it; doc/guides/tools/swhca.rst has the rules
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/packet/opcode.h"

/** Largest path MTU, thus payload of a packet. */
#define SWHCA_PACKET_MTU_MAX	4096u
/** Longest message: 2^31 bytes (IBTA vol. 1, 9.7.4.1). */
#define SWHCA_MSG_LEN_MAX	0x80000000u
/** Numbers of 24 bits: queue pairs, PSN, MSN, SRQ. */
#define SWHCA_24_BITS		0xffffffu

/** Fields of a packet. Those of headers that its opcode has not are neither read nor written. */
struct swhca_packet {
	uint8_t opcode;
	bool is_solicited;	/**< SE: a completion with an event. */
	/**
	 * MigReq. No path migration here: 1 is to be sent (IBTA vol. 1, 17.2.8: state MIGRATED); a
	 * receiver takes both, for Linux' rxe sends 0.
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
	uint32_t dma_len;	/**< RETH: of the whole message; it may exceed the maximum. */
	uint64_t swap_add;	/**< AtomicETH */
	uint64_t compare;	/**< AtomicETH */

	uint8_t syndrome;	/**< AETH: see aeth.h. */
	uint32_t msn;		/**< AETH: 24 bits. */
	uint64_t orig;		/**< AtomicAckETH: what memory held. */

	uint32_t imm_be;	/**< ImmDt, big endian: not a number to anybody here. */
	uint32_t inval_rkey;	/**< IETH */

	uint16_t payload_len;	/**< Bytes behind the headers, without padding. */
};

/** Bytes that make a payload a multiple of 4. */
static inline uint8_t
swhca_packet_pad(uint32_t payload_len)
{
	return (uint8_t)(-payload_len & 3u);
}

/**
 * Length of a packet without IP and UDP: headers, payload, padding, ICRC.
 *
 * @param pkt
 *   opcode, of those that are known, and payload_len.
 */
size_t swhca_packet_len(const struct swhca_packet *pkt);

/**
 * Write the headers of a packet.
 *
 * Payload, padding (zeros) and ICRC go behind them; the pad count is already that of payload_len.
 *
 * @param pkt
 *   All fields that the opcode has.
 * @param buf
 *   Where to; untouched on error.
 * @param size
 *   Its bytes; SWHCA_HDRS_MAX are always enough.
 * @return
 *   Bytes of headers, or
 *   - -EPROTONOSUPPORT: there is no such opcode
 *   - -ERANGE: a field has more bits than its header
 *   - -EMSGSIZE: payload where the opcode has none, none where it must have some, or too much
 *   - -ENOSPC: the buffer is too small
 */
int swhca_packet_build(const struct swhca_packet *pkt, uint8_t *buf, size_t size);

/**
 * Read a packet.
 *
 * @param buf
 *   From BTH to ICRC, which is not looked at: the payload of the UDP datagram.
 * @param len
 *   Its bytes.
 * @param[out] pkt
 *   All fields that the opcode has, the others 0; untouched on error.
 * @return
 *   Bytes of headers, or
 *   - -EBADMSG: shorter than the headers of the opcode and the ICRC, or not a multiple of 4
 *   - -EPROTO: the version of the transport headers is not 0 (IBTA vol. 1, 9.6.1)
 *   - -EPROTONOSUPPORT: there is no such opcode
 *   - -EMSGSIZE: payload where the opcode has none, none where it must have some, too much, or less
 *     than the padding
 */
int swhca_packet_parse(const uint8_t *buf, size_t len, struct swhca_packet *pkt);

/**
 * Whether the payload of a packet is as long as a path MTU makes it: first and middle packets are
 * full, others not longer (IBTA vol. 1, 9.7.4.1, 9.8.2).
 */
bool swhca_packet_fits_mtu(const struct swhca_packet *pkt, uint32_t mtu);

/**
 * Why a packet was refused, for a log.
 *
 * @param ret
 *   Error of swhca_packet_parse() or swhca_packet_build().
 */
const char *swhca_packet_strerror(int ret);

#endif /* SWHCA_PACKET_H */
