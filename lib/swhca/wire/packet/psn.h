/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_PSN_H
#define SWHCA_PACKET_PSN_H

/**
 * @file
 * Packet sequence numbers: 24 bits that wrap; a window is half of the range (IBTA vol. 1, 9.7.1).
 */

#include <stdint.h>

#define SWHCA_PSN_MASK		0xffffffu
/** Maximum outstanding packets: more would be ambiguous with duplicates. */
#define SWHCA_PSN_WINDOW	0x800000u

/** Add to a PSN. */
static inline uint32_t
swhca_psn_add(uint32_t psn, uint32_t nb)
{
	return (psn + nb) & SWHCA_PSN_MASK;
}

/**
 * Distance between two PSNs.
 *
 * @return
 *   [-2^23, 2^23 - 1]; negative: psn is before the other one.
 */
static inline int32_t
swhca_psn_diff(uint32_t psn, uint32_t other)
{
	uint32_t diff = (psn - other) & SWHCA_PSN_MASK;

	return (int32_t)(diff ^ SWHCA_PSN_WINDOW) - (int32_t)SWHCA_PSN_WINDOW;
}

/**
 * Number of packets of a message.
 *
 * @param len
 *   Its size in bytes; an empty message is one packet.
 * @param mtu
 *   Path MTU, a power of two.
 */
static inline uint32_t
swhca_psn_nb_packets(uint64_t len, uint32_t mtu)
{
	return len == 0 ? 1 : (uint32_t)((len + mtu - 1) / mtu);
}

#endif /* SWHCA_PACKET_PSN_H */
