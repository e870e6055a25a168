/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PACKET_AETH_H
#define SWHCA_PACKET_AETH_H

/**
 * @file
 * Syndromes of an ACK extended transport header (IBTA vol. 1, 9.7.5.2).
 *
 *   bit 7   reserved, 0
 *   6 to 5  00 ACK, 01 RNR NAK, 10 reserved, 11 NAK
 *   4 to 0  ACK: credit code; RNR NAK: wait time code; NAK: error code
 */

#include <stdint.h>

#include "include/wire.h"

enum swhca_aeth_kind {
	SWHCA_AETH_ACK = 0,
	SWHCA_AETH_RNR = 1,
	SWHCA_AETH_RESERVED = 2,	/**< Also: reserved bit set, or unknown NAK code. */
	SWHCA_AETH_NAK = 3,
};

#define SWHCA_AETH_CODE_MASK		0x1fu
/** Unlimited ACK: of queues with a shared receive queue (IBTA vol. 1, 9.7.7.2). */
#define SWHCA_AETH_CREDITS_NONE		0x1fu
/** Result of swhca_aeth_credits() for it. */
#define SWHCA_CREDITS_UNLIMITED		UINT32_MAX

/** @return Kind of a syndrome. */
enum swhca_aeth_kind swhca_aeth_kind(uint8_t syndrome);

/** @return Syndrome of an ACK; code is [0, 0x1f]. */
static inline uint8_t
swhca_aeth_ack(uint8_t code)
{
	return (uint8_t)(SWHCA_AETH_ACK << 5 | (code & SWHCA_AETH_CODE_MASK));
}

/** @return Syndrome of an RNR NAK; timer is the code of the responder's queue pair. */
static inline uint8_t
swhca_aeth_rnr(uint8_t timer)
{
	return (uint8_t)(SWHCA_AETH_RNR << 5 | (timer & SWHCA_AETH_CODE_MASK));
}

static inline uint8_t
swhca_aeth_nak(enum swhca_nak code)
{
	return (uint8_t)(SWHCA_AETH_NAK << 5 | ((uint8_t)code & SWHCA_AETH_CODE_MASK));
}

/** Credits, timer or NAK code of a syndrome, by its kind. */
static inline uint8_t
swhca_aeth_code(uint8_t syndrome)
{
	return syndrome & SWHCA_AETH_CODE_MASK;
}

/**
 * Receive WQEs for a credit code.
 *
 * @return
 *   [0, 32768], or SWHCA_CREDITS_UNLIMITED.
 */
uint32_t swhca_aeth_credits(uint8_t code);

/** @return The largest credit code that does not exceed a number of WQEs. */
uint8_t swhca_aeth_credits_code(uint32_t nb_wqes);

#endif /* SWHCA_PACKET_AETH_H */
