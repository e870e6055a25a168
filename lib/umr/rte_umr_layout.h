/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_LAYOUT_H
#define RTE_UMR_LAYOUT_H

/**
 * @file
 *
 * Arrays and data types under memory keys: what a program knows of its data (shape and strides, or
 * an MPI-like type) becomes a list, an interleaved pattern or keys under keys, whichever is the
 * cheapest. Included by rte_umr.h, which describes the model.
 *
 * There are two steps. rte_umr_layout_plan() needs no device, only its limits; it tells what the
 * layout costs, or why there is none. rte_umr_layout_enqueue() then configures keys, as often as
 * wanted, and for memory at any address: a tile of a matrix is planned once for all tiles.
 *
 *     struct rte_umr_type --+
 *                           +--> rte_umr_layout_plan() --> rte_umr_layout_cost_get()
 *     dev_info --> conf ----+              |               rte_umr_layout_size(queue)
 *                                          v
 *     address, lkey, keys -----> rte_umr_layout_enqueue() --> mkeys[nb_keys - 1]
 *
 * The key shows the bytes of the type in the order of the type, one behind the other from offset 0:
 * what MPI_Pack() would copy, or numpy.ascontiguousarray(). A transfer that reads memory through it
 * gathers, one that writes to memory through it scatters; the bytes on the other side are in one
 * piece, or under a key of its own.
 *
 * @par What becomes what
 *   - Dimensions and blocks that follow each other in memory are joined first. What is one piece
 *     then is a list of one (of as many pieces of max_entry_len as it takes).
 *   - One repetition is an interleaved pattern, so is a repetition of a few pieces.
 *   - What fits the ring as a list is a list, if no pattern is shorter.
 *   - Anything else is the cheapest of: a longer list; patterns under patterns, one for each
 *     dimension or for a part of a stride that is too long for one; a list of keys, each with a
 *     part; a list of lists. An entry costs 1, a key RTE_UMR_LAYOUT_KEY_COST.
 *
 * @par
 *     Patterns need repetitions of a stride in [1, max_interleaved_stride] that is not less than
 *     the bytes taken at a time. Negative strides and strides of 0 (broadcasts) are lists. A stride
 *     beyond max_interleaved_stride that has a divisor within becomes two patterns: one takes the
 *     bytes out of each divisor, the other one repeats over what the first one shows.
 *
 * @par Who owns the keys
 *     The caller, all of them: they come from pools of his (rte_umr_mkey_get_bulk()), and go back
 *     together when nobody uses the last one any more, which is the key of the layout. The others
 *     are under it: configuring or invalidating one of them changes what the layout shows, or
 *     breaks it. Peers are told the last key only.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>

#include "rte_umr_data.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Most dimensions of an array. */
#define RTE_UMR_TYPE_MAX_DIMS 32u

/** Most types within each other, the outermost one included. */
#define RTE_UMR_TYPE_MAX_DEPTH 32u

/** What a key costs beside its entries, in entries; see rte_umr_layout_plan(). */
#define RTE_UMR_LAYOUT_KEY_COST 8u

/** Most entries of all keys of a layout. */
#define RTE_UMR_LAYOUT_MAX_ENTRIES (1u << 24)

/** How a type is made. The names, and what they mean, are those of MPI's constructors. */
enum rte_umr_type_kind {
	RTE_UMR_TYPE_BYTES = 0, /**< count bytes in one piece. */
	RTE_UMR_TYPE_CONTIGUOUS, /**< count times child, each behind the extent of the last one. */
	/** count blocks of blocklen times child, stride extents of child apart. */
	RTE_UMR_TYPE_VECTOR,
	RTE_UMR_TYPE_HVECTOR, /**< As a vector, stride in bytes. */
	/** count blocks, block i of blocklens[i] times child, displs[i] extents of child away. */
	RTE_UMR_TYPE_INDEXED,
	RTE_UMR_TYPE_HINDEXED, /**< As indexed, displs in bytes. */
	/** count blocks, block i of blocklens[i] times children[i], displs[i] bytes away. */
	RTE_UMR_TYPE_STRUCT,
	/**
	 * Part of an array of ndims dimensions: shape[] elements from starts[] on, of sizes[] in
	 * each dimension. Its extent is that of the whole array.
	 */
	RTE_UMR_TYPE_SUBARRAY,
	/** A view of an array: ndims dimensions of shape[] elements, strides[] bytes apart. */
	RTE_UMR_TYPE_ARRAY,
	RTE_UMR_TYPE_RESIZED, /**< child, as if it began at lb and were extent bytes long. */
};

/** RTE_UMR_TYPE_F_*: the first dimension of a subarray is the one that varies fastest (Fortran). */
#define RTE_UMR_TYPE_F_FIRST_FASTEST RTE_BIT32(0)
/** All flags of types that this version knows. */
#define RTE_UMR_TYPE_F_ALL RTE_UMR_TYPE_F_FIRST_FASTEST

/**
 * Where the bytes of some data are, relative to its address, and in which order they come. Types
 * are only read, and only while they are planned: they may be on the stack.
 *
 * Members that the kind has no use for are ignored, but for the reserved ones. The order of
 * dimensions is that of numpy and C: the last one varies fastest.
 *
 * An array as numpy, PyTorch and DLPack describe it: shape is theirs; strides are numpy's, or those
 * of PyTorch and DLPack times the size of an element; child has the bytes of an element (NULL: one
 * byte). For data in C's order strides may be NULL, as in DLPack.
 *
 * @code
 * const struct rte_umr_type elem = { .kind = RTE_UMR_TYPE_BYTES, .count = sizeof(float) };
 * const struct rte_umr_type view = {
 *	.kind = RTE_UMR_TYPE_ARRAY, .ndims = 2, .shape = shape, .strides = strides,
 *	.child = &elem,
 * };
 * @endcode
 */
struct rte_umr_type {
	uint8_t kind; /**< enum rte_umr_type_kind. */
	uint8_t reserved; /**< Zero. */
	uint16_t ndims; /**< Dimensions, [0, RTE_UMR_TYPE_MAX_DIMS]; 0: one element. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_TYPE_F_*. */
	uint64_t count; /**< Bytes, children or blocks; may be 0. */
	uint64_t blocklen; /**< Children of a block of a vector; may be 0. */
	int64_t stride; /**< From one block of a vector to the next. */
	const struct rte_umr_type *child; /**< What it is made of; not of BYTES and STRUCT. */
	const struct rte_umr_type *const *children; /**< STRUCT: count types. */
	const uint64_t *blocklens; /**< Children of each block; NULL: 1 each. */
	const int64_t *displs; /**< Where the blocks are. */
	const int64_t *shape; /**< Elements in each dimension; may be 0. */
	const int64_t *strides; /**< ARRAY: bytes from one element to the next; NULL: C's order. */
	const int64_t *sizes; /**< SUBARRAY: elements of the whole array. */
	const int64_t *starts; /**< SUBARRAY: first element. */
	int64_t lb; /**< RESIZED: lower bound, in bytes. */
	int64_t extent; /**< RESIZED: bytes from one to the next. */
	uint64_t reserved2[2]; /**< Zero. */
};

/**
 * @name How a layout is planned
 * Bits of rte_umr_layout_conf::flags.
 * @{
 */
/**
 * Transfers may write through the key. Then no byte of memory may be shown twice, because the order
 * of writes is not defined. Without the flag the key is for reads of memory only.
 */
#define RTE_UMR_LAYOUT_F_WRITE		RTE_BIT32(0)
/** All flags that this version knows. */
#define RTE_UMR_LAYOUT_F_ALL		RTE_UMR_LAYOUT_F_WRITE
/**@}*/

/** What a plan may use: limits of a device (rte_umr_layout_conf_init()), and the caller's. */
struct rte_umr_layout_conf {
	uint32_t flags; /**< Bitwise OR of RTE_UMR_LAYOUT_F_*. */
	uint32_t max_keys; /**< Keys, at least 1. 1: nothing is nested. */
	/** rte_umr_mkey_pool_conf::max_entries of the keys. */
	uint32_t max_entries;
	/** Entries of the longest list, at most nb_list_entries of the queue. */
	uint32_t max_list;
	uint32_t max_list_inline; /**< Entries of a list that fit the ring of a queue. */
	uint32_t max_interleaved; /**< Entries of the longest pattern; 0: no patterns. */
	uint32_t max_interleaved_inline; /**< Entries of a pattern that fit the ring. */
	uint32_t max_interleaved_stride; /**< Largest bytes_count + bytes_skip, in bytes. */
	uint32_t max_entry_len; /**< Longest piece, in bytes. */
	/** Keys under each other, the topmost one included. */
	uint16_t max_levels;
	uint16_t reserved; /**< Zero. */
	uint64_t reserved2[4]; /**< Zero. */
};

/** Arrays and types that were planned: entries relative to an address; opaque. */
struct rte_umr_layout;

/** What a layout is, and what it costs. */
struct rte_umr_layout_cost {
	uint64_t len; /**< Bytes that its key shows. */
	int64_t lb; /**< First byte of memory, relative to the address of the data. */
	int64_t ub; /**< Behind the last byte of memory. */
	uint64_t nb_pieces; /**< Pieces of memory: what requests of one piece each would be. */
	/** Entries of all keys, headers of patterns included; 16 bytes each. */
	uint64_t nb_entries;
	uint32_t nb_keys; /**< Keys, the one of the layout included. */
	uint32_t max_entries; /**< Of the key with the most: the least its pool can have. */
	uint16_t nb_levels; /**< Keys under each other; 1: nothing is nested. */
	/** The data are in one piece from lb on: a segment of a transfer does without a key. */
	bool is_contiguous;
	uint8_t reserved[5]; /**< Zero. */
	uint64_t reserved2[2]; /**< Zero. */
};

/** One of the keys of a layout. */
struct rte_umr_layout_key {
	uint64_t len; /**< Bytes that it shows. */
	uint32_t nb_entries; /**< Segments of a list, or entries of a pattern without its header. */
	uint32_t repeat; /**< Of a pattern; 1 of a list. */
	uint16_t level; /**< 1: over memory only; else most levels of keys with this one. */
	uint8_t layout; /**< enum rte_umr_layout_type: LIST or INTERLEAVED. */
	uint8_t reserved[5]; /**< Zero. */
};

/** What a layout takes on a queue; see rte_umr_layout_size(). */
struct rte_umr_layout_size {
	uint64_t nb_desc; /**< Descriptors of the send ring, of all keys together. */
	/** Entries of the queue's memory for long lists, of all keys together; 16 bytes each. */
	uint64_t nb_list_entries;
	uint64_t reserved[2]; /**< Zero. */
};

/**
 * Find the cheapest layout of some data. Needs no device, and no memory of the data.
 *
 * A layout that fits one key without memory of long lists is preferred; else the one with the least
 * of entries + RTE_UMR_LAYOUT_KEY_COST * keys. A control function: microseconds for an array, up to
 * a second for tens of thousands of blocks that are all different.
 *
 * @param conf
 *   Limits; copied.
 * @param type
 *   What the data are; read only until the call returns.
 * @return
 *   The layout, freed by rte_umr_layout_free(), or NULL with rte_errno. All but ENOMEM are logged
 *   with value and limit:
 *   - EINVAL: a parameter or an array of a type is NULL, a kind or a flag is unknown, a reserved
 *     field is not 0; max_keys, max_entries, max_list, max_entry_len or max_levels is 0; ndims is
 *     more than RTE_UMR_TYPE_MAX_DIMS, a shape is negative, a subarray is not within its array, or
 *     there are no bytes
 *   - ELOOP: types are more than RTE_UMR_TYPE_MAX_DEPTH deep
 *   - ERANGE: an offset or a length has more than 62 bits
 *   - EEXIST: RTE_UMR_LAYOUT_F_WRITE, and a byte of memory would be shown twice (a stride of 0, or
 *     blocks that overlap), or cannot be ruled out to be within 2^20 pieces
 *   - E2BIG: there is no layout within these limits: it takes more entries, keys or levels,
 *     or more than RTE_UMR_LAYOUT_MAX_ENTRIES
 *   - ENOMEM: out of memory
 */
__rte_experimental
struct rte_umr_layout *rte_umr_layout_plan(const struct rte_umr_layout_conf *conf,
					   const struct rte_umr_type *type);

/** Free a layout; NULL is accepted. Keys that were configured by it stay as they are. */
__rte_experimental
void rte_umr_layout_free(struct rte_umr_layout *layout);

/**
 * Tell what a layout is and costs.
 *
 * @param layout
 *   Layout.
 * @param cost
 *   Written.
 */
__rte_experimental
void rte_umr_layout_cost_get(const struct rte_umr_layout *layout, struct rte_umr_layout_cost *cost);

/**
 * Tell what one of the keys of a layout is.
 *
 * @param layout
 *   Layout.
 * @param i
 *   Number of the key, in the order in which they are configured; nb_keys - 1 is the topmost one.
 * @param key
 *   Written on success.
 * @return
 *   0, or
 *   - -ERANGE: there are fewer keys (logged)
 */
__rte_experimental
int rte_umr_layout_key_get(const struct rte_umr_layout *layout, uint32_t i,
			   struct rte_umr_layout_key *key);

/**
 * Tell what configuring all keys of a layout takes on a queue: rte_umr_op_desc() of each of them,
 * for keys of plain pools. A control function.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index; the queue is set up, the device need not be started.
 * @param layout
 *   Layout.
 * @param size
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: the queue is not set up, or a DC target (logged)
 *   - -E2BIG: the memory of long lists of this queue does not hold the entries of a key (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_layout_size(int16_t dev_id, uint16_t queue_id, const struct rte_umr_layout *layout,
			struct rte_umr_layout_size *size);

/** Memory and keys of a layout, for rte_umr_layout_enqueue(). */
struct rte_umr_layout_op {
	/**
	 * Address of the data, from which types count: that of an array's element 0. Addresses are
	 * those of lkey: of a region, or offsets of a configured key, which then counts as a level.
	 */
	uint64_t addr;
	uint32_t lkey; /**< Key of the memory [addr + lb, addr + ub). */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*, of the topmost key. */
	/**
	 * nb_keys keys of pools of the device, all different, the one of the layout last; read
	 * only. The others get what it needs of them: local writes if it is written to.
	 */
	struct rte_umr_mkey *const *mkeys;
	uint32_t nb_mkeys; /**< nb_keys of the layout. */
	/** Keys in front that an earlier call has configured, for the same memory; else 0. */
	uint32_t first;
	uint64_t reserved[2]; /**< Zero. */
};

/**
 * Enqueue operations that configure the keys of a layout: one for each key. Behind the last of them
 * the layout is there; a transfer on the same queue may use mkeys[nb_keys - 1] at once.
 *
 * What can be checked is checked before the first operation. If the ring or the memory of long
 * lists has no room for all of them, those that fit are enqueued: collect completions, and call
 * again with first moved on by what was returned.
 *
 * Order and threads are those of rte_umr_mkey_list(). A layout has room of its own for addresses:
 * one call for it at a time.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, [0, nb_queues - 1] as given to rte_umr_dev_configure().
 * @param layout
 *   Layout, planned within the limits of this device.
 * @param op
 *   Memory and keys. Keys keep their previous layouts as long as they are not enqueued.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE is for the first operation;
 *   RTE_UMR_OP_F_SUBMIT hands what is enqueued to the device if that is at least one.
 * @return
 *   Number of keys that operations were enqueued for, [1, nb_keys - first]: fewer than that, a call
 *   for the rest tells why. Ring indices follow each other. Or
 *   - -EINVAL: nb_mkeys is not nb_keys of the layout, first is not below it, a key is NULL, a
 *     reserved field is not 0, or a flag or access bit is unknown (logged)
 *   - -EACCES: access has writes or atomics, and the layout was planned without
 *     RTE_UMR_LAYOUT_F_WRITE (logged)
 *   - -ERANGE: addr + lb is below 0, or addr + ub has more than 64 bits (logged)
 *   - -E2BIG: a key was created for fewer entries than it is to have (logged)
 *   - -EXDEV: a key belongs to another device (logged)
 *   - -ENODEV: no such device
 *   - what else rte_umr_mkey_list() and rte_umr_mkey_interleaved() return for the first key
 */
__rte_experimental
int rte_umr_layout_enqueue(int16_t dev_id, uint16_t queue_id, struct rte_umr_layout *layout,
			   const struct rte_umr_layout_op *op, uint64_t flags);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_LAYOUT_H */
