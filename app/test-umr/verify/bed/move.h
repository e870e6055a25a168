/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_MOVE_H
#define VERIFY_MOVE_H

/**
 * @file
 * Move a range of a key by RDMA writes or reads and compare the result: the part of a case that
 * does not depend on how the key was configured.
 *
 * One side has a key over its layout area, the other has the flat area. The key shows bytes of the
 * layout area in some order, which a verify_view describes.
 */

#include "model/layout.h"
#include "verify/bed/mode.h"
#include "verify/bed/ops.h"

/** Maximum number of operations that move a range of a key. */
#define VERIFY_MOVE_MAX_PARTS	4u

/** Side with the key, and direction of the transfer. */
enum verify_move_kind {
	MOVE_WRITE_GATHER,	/**< RDMA write; the key is the local source. */
	MOVE_READ_SCATTER,	/**< RDMA read; the key is the local destination. */
	MOVE_WRITE_SCATTER,	/**< RDMA write; the key is the remote destination. */
	MOVE_READ_GATHER,	/**< RDMA read; the key is the remote source. */
	MOVE_NB_KINDS,
};

struct verify_move {
	enum verify_move_kind kind;
	const struct bed_path *path;
	uint32_t access;	/**< Access of the key, RTE_UMR_ACCESS_*. */
	uint64_t from;		/**< First byte of the key to move. */
	uint64_t len;		/**< Number of bytes, [1, BED_MAX_TOTAL]. */
	uint32_t flat_offset;	/**< Offset of the source or destination in the flat area. */
	uint32_t noise_offset;	/**< Offset of the bytes for the source. */
	uint32_t nb_parts;	/**< Operations that share the range. */
	uint64_t part_ends[VERIFY_MOVE_MAX_PARTS]; /**< Relative to from; ascending. */
	bool is_in_turn;	/**< Each operation waits for preceding reads. */
	bool by_status;		/**< Collected by rte_umr_completed_status(). */
	bool has_error;		/**< The first operation must fail, the rest is flushed. */
	bool is_beyond;		/**< It ends one byte after the key instead. */
};

/** The bytes of the layout area that a key shows. */
struct verify_view {
	const void *layout;	/**< First argument of the functions, see model/oracle.h. */
	uint64_t total;		/**< Bytes of the key. */
	/** Read bytes [from, from + len) of the key in order. */
	void (*gather)(const void *layout, const uint8_t *arena, uint64_t from, uint64_t len,
		       uint8_t *out);
	/** Store len bytes to [from, from + len) of the key. */
	void (*scatter)(const void *layout, uint8_t *arena, uint64_t from, uint64_t len,
			const uint8_t *in);
	/** Find the position of a byte of the area in the key; the first argument is found_in. */
	bool (*find)(const void *layout, uint64_t arena_offset, uint64_t *position);
	const void *found_in;
};

/** View of a key with one layout through the oracle; the layout is borrowed. */
struct verify_view verify_view_of(const struct layout *layout);

/** Steps around the transfer, which differ by mode. */
struct verify_steps {
	/** Enqueue the configuration of the key. Reports errors through ops and returns false. */
	bool (*before)(const void *arg, struct verify_ops *ops);
	/** Enqueue operations after the transfer, unless it must fail; may be NULL. */
	bool (*after)(const void *arg, struct verify_ops *ops);
	const void *arg;
	uint32_t key;		/**< Key value used by the transfer. */
	uint32_t pool;		/**< Index in verify_env::pools. */
	uint64_t base;		/**< Address of the first byte of the key. */
};

/** Whether the key is the destination; it must then not show any byte twice. */
bool verify_move_is_scatter(const struct verify_move *move);
/** The end that has the key; its queue configures the key. */
const struct bed_end *verify_move_key_end(const struct verify_move *move);
const struct bed_end *verify_move_flat_end(const struct verify_move *move);
/** Access required by the transfer, RTE_UMR_ACCESS_* or 0. */
uint32_t verify_move_access_needed(const struct verify_move *move);

/** Generate the access of a key: the required bits and random others that the device supports. */
uint32_t verify_access_gen(struct prng *prng, uint32_t needed, uint32_t capa);

/** First half: direction, place and access. @return The device that has the key. */
const struct rte_umr_dev_info *verify_move_gen_path(struct verify_move *move, const struct bed *bed,
						    struct prng *prng);
/** Second half, when the size of the key is known: the range. */
void verify_move_gen_range(struct verify_move *move, struct prng *prng, uint64_t total);
/** Its end, when the length is known: places in the flat area and in the noise. */
void verify_move_gen_places(struct verify_move *move, struct prng *prng);
/** Move the range by a single operation. */
void verify_move_one_part(struct verify_move *move);
/** Let one transfer in sixteen end after the key, which must fail. */
void verify_move_gen_beyond(struct verify_move *move, struct prng *prng);

/**
 * Fill the memory, configure the key, transfer, compare, and recover the queues if the transfer had
 * to fail. On a single queue, one doorbell covers everything; otherwise each step waits for the
 * previous one, as the API requires.
 */
void verify_move_run(const struct verify_move *move, const struct verify_view *view,
		     const struct verify_steps *steps, const uint8_t *noise,
		     struct case_result *result);

/** Describe the move in two lines, each starting with a prefix. */
void verify_move_print(FILE *f, const char *prefix, const struct verify_move *move);
/** Describe a failure by verify_move_gen_beyond(), if any. */
void verify_move_print_beyond(FILE *f, const char *prefix, const struct verify_move *move);

#endif /* VERIFY_MOVE_H */
