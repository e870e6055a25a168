/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_PROTO_H
#define PEER_PROTO_H

/**
 * @file
 * Protocol between two processes of this tool.
 *
 * Messages are lines of a channel (app/common/channel.h), each a JSON object. The client sends
 * {"do": WHAT, ...}; the server executes the request and responds, with {"error": WHY} on failure.
 * The first request is open. Addresses, lengths and keys are numbers as in operations.
 *
 *     do           members                             response
 *     open         areas (bytes of each), keys,        device, capa, access, limits; areas: addr,
 *                  entries, queues                     keys [lkey, rkey] of registrations, and
 *                                                      closed, the key of one without remote access
 *     connect      endpoint (hexadecimal), queue       endpoint
 *     leave        queue                               the queue leaves its peer unnotified
 *     put          area, offset, len; then the bytes
 *     get          area, offset, len                   then the bytes
 *     sum          area                                sum, see peer_sum_of()
 *     take         nb                                  keys: values of keys from the pool; later
 *                                                      requests number them from 0
 *     give                                             returns all keys
 *     list         key, access, entries: [addr, length, lkey]
 *     interleaved  key, access, repeat, entries: [addr, count, skip, lkey]
 *     invalidate   key
 *
 * Serve one client: see proto.h.
 */

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "channel.h"
#include "tool/tool.h"

#define PEER_PROTO_NAME		"umr-peer"
#define PEER_PROTO_VERSION	2u
/** Default port of servers. */
#define PEER_DEFAULT_PORT	"18517"

#define PEER_MAX_AREAS		2u
#define PEER_MAX_AREA_SIZE	(64u << 20)
/** Registrations of an area, so that pieces of one layout have different keys. */
#define PEER_NB_MRS		2u
#define PEER_MAX_KEYS		32u
#define PEER_MAX_QUEUES		64u
/** Maximum number of entries of a layout: its line must fit in the channel. */
#define PEER_MAX_ENTRIES	128u

/** Longest wait for a response; a software device may have lost its CPU for some time. */
#define PEER_TIMEOUT_MS		30000
/** Longest wait for a server that does not listen yet. */
#define PEER_CONNECT_MS		5000

/** Checksum that changes with any byte: FNV-1a of words, for a multiple of 8 bytes. */
static inline uint64_t
peer_sum_of(const uint8_t *bytes, size_t len)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325), word;

	for (size_t i = 0; i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, bytes + i, sizeof(word));
		/* The high bits of a product depend on all bits, the low ones do not. */
		sum = (sum ^ word) * UINT64_C(0x100000001b3);
		sum ^= sum >> 32;
	}
	return sum;
}

/**
 * Exchange greetings with a client and execute its requests on an open device until it disconnects
 * or the channel has to quit.
 *
 * @return
 *   Whether the client disconnected properly; otherwise an error was printed.
 */
bool peer_serve(struct channel *channel, int16_t dev_id);

#endif /* PEER_PROTO_H */
