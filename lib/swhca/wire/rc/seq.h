/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_RC_SEQ_H
#define SWHCA_WIRE_RC_SEQ_H

/**
 * @file
 * Unwrapped packet sequence numbers (IBTA 9.7.1).
 *
 * A packet carries 24 bits. Internally, a sequence number has 64 bits and never wraps: a received
 * number is extended once, to the one nearest to a known number.
 */

#include <stdint.h>

#include "wire/packet/psn.h"

/** Sequence number of the first packet, with space below for older ones. */
static inline uint64_t
swhca_seq_init(uint32_t psn)
{
	return (UINT64_C(1) << 24) | (psn & SWHCA_PSN_MASK);
}

static inline uint32_t
swhca_seq_psn(uint64_t seq)
{
	return (uint32_t)seq & SWHCA_PSN_MASK;
}

/** The number in [near - 2^23, near + 2^23) for a received PSN. */
static inline uint64_t
swhca_seq_of(uint32_t psn, uint64_t near)
{
	return near + (uint64_t)(int64_t)swhca_psn_diff(psn, swhca_seq_psn(near));
}

#endif /* SWHCA_WIRE_RC_SEQ_H */
