/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

/**
 * @file
 * Store the WQEs of operations, and the lists that they point to, and do nothing else.
 *
 * An operation is given as the bytes that the driver has built for one. Every operation of a batch
 * is the same but for the index in its control segments. What is stored are the bytes that the
 * WQEs have, up to the end of a vector.
 *
 * There are several ways to do that. None is the fastest for all CPUs, sizes of operations and
 * rings, so all that the CPU has are offered. This needs no EAL.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>

/** WQEs of an operation. */
#define BENCH_FLOOR_MAX_WQES	2u

/** Where the device wants a list in memory to begin. */
#define BENCH_FLOOR_LIST_ALIGN	2048u

/** An operation. */
struct bench_floor_op {
	const uint8_t *image;	/**< Its blocks, aligned to 64 bytes; indices are 0. */
	const uint8_t *last;	/**< The same, with a completion. */
	const uint8_t *list;	/**< Entries that its WQE points to, aligned; or NULL. */
	uint32_t nb_wqebb;
	uint32_t nb_list_bb;	/**< Blocks of 64 bytes of those, or 0. */
	uint32_t nb_wqes;
	struct {
		uint32_t at;		/**< Its first block. */
		uint32_t nb_bytes;
		uint32_t word;		/**< First word of the control segment, host byte order. */
		rte_be32_t qpn_ds;	/**< The second one. */
	} wqes[BENCH_FLOOR_MAX_WQES];
};

/** Where operations go. */
struct bench_floor_ring {
	uint8_t *sq;		/**< Aligned to 64 bytes; what wraps may go beyond its end. */
	uint32_t sq_mask;	/**< Blocks - 1. */
	uint32_t sq_pi;		/**< Next block, runs free. */
	uint8_t *list;		/**< Memory of lists. */
	size_t list_size;
	size_t list_pos;	/**< Where the next one goes. */
};

/**
 * Make operations of a queue out of blocks that the driver has built for another one.
 *
 * @param op
 *   nb_wqebb, nb_list_bb and list are given, the rest is written.
 * @param image
 *   The blocks of an operation, aligned to 64 bytes; index, completion, queue and key of the list
 *   are adapted.
 * @param last
 *   Room for as many, aligned as well.
 * @return
 *   False if these are not WQEs of so many blocks together.
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

/** A way to store them. */
struct bench_floor_way {
	const char *name;
	uint16_t simd_bits;		/**< Of the vectors. */
	bool (*is_supported)(void);	/**< By this CPU. */
	bench_floor_store_t store;
};

/** The wider vectors the later. */
extern const struct bench_floor_way bench_floor_ways[];
extern const unsigned int bench_floor_nb_ways;

#endif /* BENCH_FLOOR_H */
