/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef PEER_SESSION_H
#define PEER_SESSION_H

/**
 * @file
 * Objects of a server for a client: queues, memory, keys. Functions return 0 or a negative errno.
 */

#include "peer/proto.h"
#include "tool/tool.h"

struct peer_area {
	uint8_t *memory;
	uint32_t size;
	struct rte_umr_mr *mrs[PEER_NB_MRS];
	struct rte_umr_mr *closed;	/**< Without remote access. */
};

struct peer_session {
	int16_t dev_id;
	struct rte_umr_dev_info info;
	uint32_t nb_queues;
	uint32_t nb_areas;
	struct peer_area areas[PEER_MAX_AREAS];
	struct rte_umr_mkey_pool *pool;
	uint32_t nb_taken;
	struct rte_umr_mkey *taken[PEER_MAX_KEYS];
	char why[256];		/**< Description of the last error. */
};

/** Requirements of the client. */
struct peer_session_conf {
	uint32_t nb_areas;
	uint32_t sizes[PEER_MAX_AREAS];	/**< Bytes. */
	uint32_t nb_keys;
	uint32_t max_entries;
	uint32_t nb_queues;
};

/** Configure and start an open device. After an error there is nothing to close. */
int peer_session_open(struct peer_session *s, int16_t dev_id, const struct peer_session_conf *conf);
void peer_session_close(struct peer_session *s);

/** Disconnect a queue and connect it again, which changes its address. */
int peer_session_connect(struct peer_session *s, uint32_t queue,
			 const struct rte_umr_endpoint *remote, struct rte_umr_endpoint *local);
/** Disconnect a queue from its peer. */
int peer_session_leave(struct peer_session *s, uint32_t queue);

/** Take keys, which must not be taken yet, from the pool. */
int peer_session_take(struct peer_session *s, uint32_t nb);
void peer_session_give(struct peer_session *s);

/** Configure or invalidate a taken key with queue 0, and wait for completion. */
int peer_session_list(struct peer_session *s, uint32_t key, uint32_t access,
		      const struct rte_umr_seg *segs, uint32_t nb);
int peer_session_interleaved(struct peer_session *s, uint32_t key, uint32_t access,
			     uint32_t repeat, const struct rte_umr_interleaved *entries,
			     uint32_t nb);
int peer_session_invalidate(struct peer_session *s, uint32_t key);

#endif /* PEER_SESSION_H */
