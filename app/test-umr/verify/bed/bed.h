/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_BED_H
#define VERIFY_BED_H

/**
 * @file
 * Test bed of the verify command: devices, connected queues, memory.
 *
 * Every device has two areas of registered memory: layouts are cut out of one, and the other is
 * moved as one piece. Each area has a twin in unregistered memory with the contents that the area
 * must have. The oracle works on the twins only.
 *
 * Every device has up to three queues: a loopback queue, one to the next device, and one from the
 * previous device. With a single device, the last two are connected to each other.
 *
 * Alternatively, the second side is a serving process. Then this process uses one device and one
 * queue, which is connected to the queue of the server and starts all transfers. See remote.h.
 */

#include "peer/client.h"
#include "tool/tool.h"

/** Bytes at both ends of each area that no layout uses. */
#define BED_GUARD		4096u
/** Maximum number of bytes that a case moves. */
#define BED_MAX_TOTAL		(256u << 10)
#define BED_LAYOUT_SIZE		(2 * BED_MAX_TOTAL + 64 * 1024u + 2 * BED_GUARD)
#define BED_FLAT_SIZE		(BED_MAX_TOTAL + 64 * 1024u + 2 * BED_GUARD)
/** Registrations of the layout area, so that pieces of one layout have different keys. */
#define BED_NB_LAYOUT_MRS	2u
/** Keys per device; few, so that their tags wrap around. */
#define BED_NB_MKEYS		8u
#define BED_MAX_PATHS		(3u * TOOL_MAX_DEVICES)

/** Transports to use; bit mask. */
#define BED_LOOPBACK	0x1u
#define BED_RC		0x2u
#define BED_PEER	0x4u	/**< RC with another process; excludes the others. */

struct bed;
struct bed_remote;

/** Sizes of the areas of a peer. */
extern const uint32_t bed_peer_sizes[2];

struct bed_area {
	const char *name;
	uint8_t *memory;	/**< Memory that devices access. */
	uint8_t *expected;	/**< Expected contents. */
	uint32_t size;		/**< Size of each in bytes. */
	uint64_t addr;		/**< Address for the devices of its process. */
};

struct bed_side {
	int16_t dev_id;
	struct bed_remote *remote;	/**< In another process; NULL: in this one. */
	struct rte_umr_dev_info info;
	struct bed_area layout;
	struct bed_area flat;
	struct rte_umr_mr *layout_mrs[BED_NB_LAYOUT_MRS];
	struct rte_umr_mr *flat_mr;
	struct rte_umr_mkey_pool *pool;
	/** Additional flags of all pools, and the access that their keys support. */
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

/** Requirements of a mode beyond the queues of the common bed. */
struct bed_conf {
	/** Queues of each device without a path; numbered from bed_first_extra(). */
	uint16_t nb_extra;
	uint32_t nb_list_entries;	/**< Of each queue. */
	uint16_t nb_recv_desc;		/**< Of each queue, limited by its device. */
	/** Change the configuration of a queue before its setup; may be NULL. */
	void (*queue_conf)(const struct bed_side *side, uint16_t queue_id, bool is_extra,
			   struct rte_umr_queue_conf *conf);
};

struct bed {
	const struct bed_conf *conf;	/**< NULL: the common bed only. */
	unsigned int transports;
	uint16_t nb_sides;
	struct bed_side sides[TOOL_MAX_DEVICES];
	uint16_t nb_paths;
	struct bed_path paths[BED_MAX_PATHS];
};

/** The requested transports that all devices support. */
unsigned int bed_transports(const struct tool_devices *devices, unsigned int transports);

/** Queues of each device. */
uint16_t bed_nb_queues(unsigned int transports, const struct bed_conf *conf);

/**
 * Set everything up on open devices and start it.
 *
 * @param transports
 *   Bitwise OR of BED_LOOPBACK and BED_RC, without those that a device does not support. With a
 *   peer, also BED_PEER.
 * @param conf
 *   Additional requirements of a mode, or NULL; borrowed.
 * @param peer
 *   The other side, with areas of bed_peer_sizes; borrowed. NULL: everything is in this process.
 * @return
 *   True, or false after an error was printed; call bed_destroy() in both cases.
 */
bool bed_create(struct bed *bed, const struct tool_devices *devices, unsigned int transports,
		const struct bed_conf *conf, struct peer *peer);

/** Undo a complete or partial bed_create(). The devices stay open. */
void bed_destroy(struct bed *bed);

/**
 * Recover after a failure: restart the devices, reconnect the queues and restore the expected
 * contents of every area.
 */
bool bed_restart(struct bed *bed);

/** First of the extra queues of each device. */
uint16_t bed_first_extra(const struct bed *bed);

/** Connect a queue to its peer. Prints an error and returns false on failure. */
bool bed_connect(const struct bed_end *end, const struct bed_end *peer);

/**
 * Recover both ends of a path after an operation that had to fail. All outstanding operations must
 * have been collected.
 *
 * @return
 *   Whether the path works again; otherwise an error was printed.
 */
bool bed_path_recover(const struct bed_path *path);

/**
 * Create an area of random bytes. Prints an error and returns false on failure; destroy it in both
 * cases.
 */
bool bed_area_create(struct bed_area *area, const char *name, uint32_t size, int socket_id);
void bed_area_destroy(struct bed_area *area);
/**
 * Create a pool of keys; flags and limits are reduced to what the device supports. Prints an error
 * and returns NULL on failure.
 */
struct rte_umr_mkey_pool *bed_pool_create(const struct bed_side *side,
					  struct rte_umr_mkey_pool_conf conf);

/** Restore the expected contents of an area. */
void bed_area_heal(struct bed_area *area);

/** Register an area; prints an error and returns NULL on failure. */
struct rte_umr_mr *bed_mr_register(const struct bed_side *side, const struct bed_area *area,
				   uint32_t access);

/**
 * Compare an area with its twin.
 *
 * @param first
 *   Set to the offset of the first difference, if any.
 * @return
 *   Number of bytes that differ.
 */
uint32_t bed_area_compare(const struct bed_area *area, uint32_t *first);

#endif /* VERIFY_BED_H */
