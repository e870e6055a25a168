/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_CLIENT_H
#define PEER_CLIENT_H

/**
 * @file
 * Client of a serving process of this tool. See proto.h.
 *
 * Functions return false on failure; peer->why has the reason.
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
	uint32_t closed_rkey;		/**< Of a registration without remote access. */
};

struct peer {
	struct channel channel;
	/** Device information from the server; unused members are 0. */
	struct rte_umr_dev_info info;
	struct peer_memory areas[PEER_MAX_AREAS];
	char why[CHANNEL_WHY_SIZE];
};

/** Check the syntax of --peer before anything is opened. Prints an error on failure. */
bool peer_where_check(const char *where);

/**
 * Connect to a server and request memory, keys and queues.
 *
 * @param where
 *   HOST[:PORT]
 * @return
 *   NULL after an error was printed with the name of the command.
 */
struct peer *peer_open(const char *command, const char *where, const uint32_t *sizes,
		       uint32_t nb_areas, uint32_t nb_queues);
/** Accepts NULL. */
void peer_close(struct peer *peer);

/** Connect a queue, which must be neither connected nor in error, to a queue of the server. */
bool peer_connect(struct peer *peer, int16_t dev_id, uint16_t queue_id, uint32_t number);
/** Make a queue of the server leave its peer without notification. */
bool peer_leave(struct peer *peer, uint32_t number);

/** Write or read bytes of the memory of the server. */
bool peer_put(struct peer *peer, uint32_t area, uint32_t offset, const void *bytes, uint32_t len);
bool peer_get(struct peer *peer, uint32_t area, uint32_t offset, void *bytes, uint32_t len);
/** Checksum of an area, see peer_sum_of(). */
bool peer_sum(struct peer *peer, uint32_t area, uint64_t *sum);

/** Take keys of the server, which must not be taken yet. They are numbered from 0. */
bool peer_keys_take(struct peer *peer, uint32_t nb, uint32_t *values);
/** Return all keys. */
bool peer_keys_give(struct peer *peer);

/** Configure or invalidate a taken key; complete on return. */
bool peer_key_list(struct peer *peer, uint32_t key, uint32_t access,
		   const struct rte_umr_seg *segs, uint32_t nb);
bool peer_key_interleaved(struct peer *peer, uint32_t key, uint32_t access, uint32_t repeat,
			  const struct rte_umr_interleaved *entries, uint32_t nb);
bool peer_key_invalidate(struct peer *peer, uint32_t key);

#endif /* PEER_CLIENT_H */
