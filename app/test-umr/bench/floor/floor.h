/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

/**
 * @file
 * Store the WQEs of operations and the lists that they refer to, and nothing else. A list is a
 * copy of segments that swaps their bytes.
 *
 * An operation is given as the bytes that the driver built for one. All operations of a batch are
 * equal except for the index in their control segments. Stores cover the bytes of the WQEs, rounded
 * up to a vector.
 *
 * Several ways to store exist. None is the fastest for all CPUs, operation sizes and ring sizes, so
 * every way that the CPU supports is available. This file does not need EAL.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>

/** Maximum number of WQEs of an operation. */
#define BENCH_FLOOR_MAX_WQES	3u

/** Alignment that the device requires for a list in memory. */
#define BENCH_FLOOR_LIST_ALIGN	2048u

/** An operation. */
struct bench_floor_op {
	const uint8_t *image;	/**< Its blocks, aligned to 64 bytes; indices are 0. */
	const uint8_t *last;	/**< The same with a completion. */
	const uint8_t *segs;	/**< Segments of the list that the WQE points to, or NULL. */
	uint32_t nb_wqebb;
	uint32_t nb_list_bb;	/**< Blocks of 64 bytes of the list, or 0. */
	uint32_t nb_wqes;
	struct {
		uint32_t at;		/**< First block. */
		uint32_t nb_bytes;
		uint32_t word;		/**< First word of the control segment, host byte order. */
		rte_be32_t qpn_ds;	/**< Second word. */
	} wqes[BENCH_FLOOR_MAX_WQES];
};

/** Destination of operations. */
struct bench_floor_ring {
	uint8_t *sq;		/**< Aligned to 64 bytes; a wrapping WQE may exceed the end. */
	uint32_t sq_mask;	/**< Number of blocks - 1. */
	uint32_t sq_pi;		/**< Next block, free running. */
	uint8_t *list;		/**< Memory for lists. */
	size_t list_size;
	size_t list_pos;	/**< Position of the next list. */
};

/**
 * Convert operations that the driver built for one queue to operations of another queue.
 *
 * @param op
 *   nb_wqebb, nb_list_bb and segs are input, the rest is output.
 * @param image
 *   Blocks of an operation, aligned to 64 bytes; the function adapts index, completion, queue and
 *   key of the list.
 * @param last
 *   Aligned room for the same number of blocks.
 * @return
 *   False if the blocks are not WQEs of this total size.
 */
bool bench_floor_op_init(struct bench_floor_op *op, uint8_t *image, uint8_t *last, uint32_t qpn,
			 uint32_t list_lkey);

/**
 * Store operations; the last one has a completion.
 *
 * @return
 *   The doorbell: the first 8 bytes of the last WQE, as they are in memory.
 */
typedef uint64_t (*bench_floor_store_t)(const struct bench_floor_op *op,
					struct bench_floor_ring *ring, uint32_t batch);

/** A way to store operations. */
struct bench_floor_way {
	const char *name;
	uint16_t simd_bits;		/**< Width of the vectors. */
	bool (*is_supported)(void);	/**< Whether this CPU supports it. */
	bench_floor_store_t store;
};

/** Ordered by vector width. */
extern const struct bench_floor_way bench_floor_ways[];
extern const unsigned int bench_floor_nb_ways;

#endif /* BENCH_FLOOR_H */
