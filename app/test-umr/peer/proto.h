/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_PROTO_H
#define PEER_PROTO_H

/**
 * @file
 * What two processes of this tool say to each other.
 *
 * Over a channel of lines (app/common/channel.h), each a JSON object. The client asks {"do": WHAT,
 * ...}, the server does it and answers, with {"error": WHY} if it could not. The first request is
 * open. Addresses, lengths and keys are numbers as operations have them.
 *
 *     do           with                                answer
 *     open         areas (bytes of each), keys,        device, capa, access, limits; areas: addr,
 *                  entries, queues                     keys [lkey, rkey] of registrations, and
 *                                                      closed, that of one without remote rights
 *     connect      endpoint (hexadecimal), queue       endpoint
 *     leave        queue                               the queue leaves its peer, which is not told
 *     put          area, offset, len; then the bytes
 *     get          area, offset, len                   then the bytes
 *     sum          area                                sum, see peer_sum_of()
 *     take         nb                                  keys: values of keys out of the pool; from
 *                                                      now on they go by their number, from 0
 *     give                                             puts all keys back
 *     list         key, access, entries: [addr, length, lkey]
 *     interleaved  key, access, repeat, entries: [addr, count, skip, lkey]
 *     invalidate   key
 */

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define PEER_PROTO_NAME		"umr-peer"
#define PEER_PROTO_VERSION	2u
/** Where a server listens, and clients look for it, if nothing else is said. */
#define PEER_DEFAULT_PORT	"18517"

#define PEER_MAX_AREAS		2u
#define PEER_MAX_AREA_SIZE	(64u << 20)
/** Registrations of an area: pieces of one layout have different keys. */
#define PEER_NB_MRS		2u
#define PEER_MAX_KEYS		32u
#define PEER_MAX_QUEUES		64u
/** Entries of a layout: their line must fit the channel. */
#define PEER_MAX_ENTRIES	128u

/** Longest wait for an answer; a software device may have lost its CPU for some time. */
#define PEER_TIMEOUT_MS		30000
/** Longest wait for a server that does not listen yet. */
#define PEER_CONNECT_MS		5000

/** A sum that another byte anywhere changes: FNV-1a of words, of a multiple of 8 bytes. */
static inline uint64_t
peer_sum_of(const uint8_t *bytes, size_t len)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325), word;

	for (size_t i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		/* The high bits of a product know of all bits, the low ones do not. */
		sum = (sum ^ word) * UINT64_C(0x100000001b3);
		sum ^= sum >> 32;
	}
	return sum;
}

#endif /* PEER_PROTO_H */
