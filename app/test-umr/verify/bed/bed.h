/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_BED_H
#define VERIFY_BED_H

/**
 * @file
 * What the cases of the verify command run on: devices, connected queues, memory.
 *
 * Every device has two areas of registered memory: one that layouts are cut out of, and one that
 * is moved as one piece. Each area has a twin in memory that no device knows: what the area must
 * hold. The oracle works on the twins only.
 *
 * Every device has up to three queues: a loopback; one to the next device; one from the device
 * before. With one device, the last two are connected to each other.
 *
 * Or the second side is another process that serves: then there is one device here, and one queue,
 * which is connected to that of the server and starts all transfers. See remote.h.
 */

#include "peer/client.h"
#include "tool/tool.h"

/** Bytes that no layout touches, at both ends of each area. */
#define BED_GUARD		4096u
/** Most bytes that a case moves. */
#define BED_MAX_TOTAL		(256u << 10)
#define BED_LAYOUT_SIZE		(2 * BED_MAX_TOTAL + 64 * 1024u + 2 * BED_GUARD)
#define BED_FLAT_SIZE		(BED_MAX_TOTAL + 64 * 1024u + 2 * BED_GUARD)
/** Registrations of the layout area: pieces of one layout have different keys. */
#define BED_NB_LAYOUT_MRS	2u
/** Keys per device; few, so that their tags go round. */
#define BED_NB_MKEYS		8u
#define BED_MAX_PATHS		(3u * TOOL_MAX_DEVICES)

/** Transports to use, bits. */
#define BED_LOOPBACK	0x1u
#define BED_RC		0x2u
#define BED_PEER	0x4u	/**< By itself: RC with another process. */

struct bed;
struct bed_remote;

/** Areas of a peer, in this order. */
extern const uint32_t bed_peer_sizes[2];

struct bed_area {
	const char *name;
	uint8_t *memory;	/**< What devices see. */
	uint8_t *expected;	/**< What they must have made of it. */
	uint32_t size;		/**< Bytes of each. */
	uint64_t addr;		/**< Where the devices of its process find it. */
};

struct bed_side {
	int16_t dev_id;
	struct bed_remote *remote;	/**< It is in another process; NULL: in this one. */
	struct rte_umr_dev_info info;
	struct bed_area layout;
	struct bed_area flat;
	struct rte_umr_mr *layout_mrs[BED_NB_LAYOUT_MRS];
	struct rte_umr_mr *flat_mr;
	struct rte_umr_mkey_pool *pool;
	/** What all pools have beside what they are for; the access that their keys can have. */
	uint32_t pool_flags;
	uint32_t key_access;
};

/** One end of a connection. */
struct bed_end {
	struct bed_side *side;
	uint16_t queue_id;
};

/** A direction of a connection; a loopback queue is both ends. */
struct bed_path {
	struct bed_end initiator;
	struct bed_end target;
};

/** What a mode needs beside the queues of the common bed. */
struct bed_conf {
	/** Queues of each device that belong to no path; numbered from bed_first_extra(). */
	uint16_t nb_extra;
	/** Change the configuration of a queue before it is set up; may be NULL. */
	void (*queue_conf)(const struct bed_side *side, uint16_t queue_id, bool is_extra,
			   struct rte_umr_queue_conf *conf);
	/** Connect extra queues, after each start; may be NULL. Complains and returns false. */
	bool (*started)(struct bed *bed);
};

struct bed {
	const struct bed_conf *conf;	/**< NULL: nothing beyond the common bed. */
	unsigned int transports;
	uint16_t nb_sides;
	struct bed_side sides[TOOL_MAX_DEVICES];
	uint16_t nb_paths;
	struct bed_path paths[BED_MAX_PATHS];
};

/** Transports, of those asked for, that all devices have. */
unsigned int bed_transports(const struct tool_devices *devices, unsigned int transports);

/** Queues of each device. */
uint16_t bed_nb_queues(unsigned int transports, const struct bed_conf *conf);

/**
 * Set everything up on open devices, and start it.
 *
 * @param transports
 *   Bitwise OR of BED_LOOPBACK and BED_RC; what a device cannot do is left out. BED_PEER, too,
 *   if there is a peer.
 * @param conf
 *   What a mode needs in addition, or NULL; borrowed.
 * @param peer
 *   The other side, with areas of bed_peer_sizes; borrowed. NULL: all is in this process.
 * @return
 *   True, or false (said on stderr); then bed_destroy() is still to be called.
 */
bool bed_create(struct bed *bed, const struct tool_devices *devices, unsigned int transports,
		const struct bed_conf *conf, struct peer *peer);

/** Undo bed_create(), whole or in part. The devices stay open. */
void bed_destroy(struct bed *bed);

/**
 * After a failure: stop and start the devices, connect the queues again, and give every area what
 * it must hold.
 */
bool bed_restart(struct bed *bed);

/** First of the extra queues of each device. */
uint16_t bed_first_extra(const struct bed *bed);

/** Connect a queue to its peer; complains and returns false. */
bool bed_connect(const struct bed_end *end, const struct bed_end *peer);

/**
 * After an operation that had to fail: bring both ends of a path back to work. Everything
 * outstanding must have been collected.
 *
 * @return
 *   Whether the path works again; complains if not.
 */
bool bed_path_recover(const struct bed_path *path);

/**
 * Take keys of a side.
 *
 * @param pool
 *   Of that side, if it is in this process.
 * @return
 *   Whether there were as many; if not, none is taken.
 */
bool bed_keys_get(const struct bed_side *side, struct rte_umr_mkey_pool *pool,
		  struct rte_umr_mkey **mkeys, uint32_t nb);
/** Put them back. */
void bed_keys_put(const struct bed_side *side, struct rte_umr_mkey_pool *pool,
		  struct rte_umr_mkey **mkeys, uint32_t nb);

/** Make an area of random bytes; complains and returns false. Destroyed in any case. */
bool bed_area_create(struct bed_area *area, const char *name, uint32_t size, int socket_id);
void bed_area_destroy(struct bed_area *area);
/** Let the memory of an area be what it must be. */
void bed_area_heal(struct bed_area *area);

/**
 * Compare an area with its twin.
 *
 * @param first
 *   Written with the first difference if there is one.
 * @return
 *   Number of bytes that differ.
 */
uint32_t bed_area_compare(const struct bed_area *area, uint32_t *first);

#endif /* VERIFY_BED_H */
