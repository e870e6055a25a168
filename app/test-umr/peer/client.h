/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_CLIENT_H
#define PEER_CLIENT_H

/**
 * @file
 * The other side: another process of this tool that serves. See proto.h.
 *
 * Functions return false on failure; why, in words, is in peer->why.
 */

#include "channel.h"
#include "peer/proto.h"
#include "tool/tool.h"

/** Memory of the server. */
struct peer_memory {
	uint64_t addr;
	uint32_t size;
	uint32_t lkeys[PEER_NB_MRS];	/**< For layouts of its keys. */
	uint32_t rkeys[PEER_NB_MRS];	/**< For transfers. */
	uint32_t closed_rkey;		/**< Of a registration that they may not use. */
};

struct peer {
	struct channel channel;
	/** What it says about its device; what nobody needs is 0. */
	struct rte_umr_dev_info info;
	struct peer_memory areas[PEER_MAX_AREAS];
	char why[CHANNEL_WHY_SIZE];
};

/** Whether the value of --peer is a place, before anything is opened; complains if not. */
bool peer_where_check(const char *where);

/**
 * Find a server and ask it for memory, keys and queues.
 *
 * @param where
 *   HOST[:PORT]
 * @return
 *   NULL on failure, which is said on stderr as that of a command.
 */
struct peer *peer_open(const char *command, const char *where, const uint32_t *sizes,
		       uint32_t nb_areas, uint32_t nb_queues);
/** NULL is accepted. */
void peer_close(struct peer *peer);

/** Connect a queue, which is not connected and not in error, with one of the server. */
bool peer_connect(struct peer *peer, int16_t dev_id, uint16_t queue_id, uint32_t number);
/** A queue of the server leaves the one that it is connected with: that is not told. */
bool peer_leave(struct peer *peer, uint32_t number);

/** Give the server's memory some bytes, or take them. */
bool peer_put(struct peer *peer, uint32_t area, uint32_t offset, const void *bytes, uint32_t len);
bool peer_get(struct peer *peer, uint32_t area, uint32_t offset, void *bytes, uint32_t len);
/** The sum of an area, see peer_sum_of(). */
bool peer_sum(struct peer *peer, uint32_t area, uint64_t *sum);

/** Take keys of the server; none is taken. They go by their number, from 0. */
bool peer_keys_take(struct peer *peer, uint32_t nb, uint32_t *values);
/** Put them all back. */
bool peer_keys_give(struct peer *peer);

/** Configure a key that is taken, or make it useless; it is done on return. */
bool peer_key_list(struct peer *peer, uint32_t key, uint32_t access,
		   const struct rte_umr_seg *segs, uint32_t nb);
bool peer_key_interleaved(struct peer *peer, uint32_t key, uint32_t access, uint32_t repeat,
			  const struct rte_umr_interleaved *entries, uint32_t nb);
bool peer_key_invalidate(struct peer *peer, uint32_t key);

#endif /* PEER_CLIENT_H */
