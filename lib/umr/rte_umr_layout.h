/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_LAYOUT_H
#define RTE_UMR_LAYOUT_H

/**
 * @file
 *
 * Arrays and data types as memory keys: the description of data (shape and strides, or an MPI-like
 * type) is converted to a list, an interleaved pattern or nested keys, whichever is the cheapest.
 * Included by rte_umr.h, which describes the model.
 *
 * There are two steps. rte_umr_layout_plan() needs no device, only its limits; it reports the cost
 * of the layout, or why no layout is possible. rte_umr_layout_enqueue() then configures keys, any
 * number of times and for memory at any address: one plan serves all tiles of a matrix.
 *
 *     struct rte_umr_type --+
 *                           +--> rte_umr_layout_plan() --> rte_umr_layout_cost_get()
 *     dev_info --> conf ----+              |               rte_umr_layout_size(queue)
 *                                          v
 *     address, lkey, keys -----> rte_umr_layout_enqueue() --> mkeys[nb_keys - 1]
 *
 * The key contains the bytes of the type in the order of the type, consecutively from offset 0,
 * like the copy that MPI_Pack() or numpy.ascontiguousarray() makes. A transfer that reads memory
 * through the key gathers, one that writes memory through it scatters; the bytes on the other side
 * are contiguous, or have a key of their own.
 *
 * @par Conversion
 *   - Dimensions and blocks that are adjacent in memory are merged first. A single piece becomes a
 *     list with one entry (or as many entries of max_entry_len as needed).
 *   - A repetition of one or a few pieces becomes an interleaved pattern.
 *   - Data that fit the ring as a list become a list, unless a pattern is shorter.
 *   - Other data become the cheapest of: a longer list; nested patterns, one for each dimension or
 *     for a part of a stride that is too long for one pattern; a list of keys, each with a part of
 *     the data; a list of lists. An entry costs 1, a key RTE_UMR_LAYOUT_KEY_COST.
 *
 * @par
 *     Patterns require a stride in [1, max_interleaved_stride] that is not less than the longest
 *     piece of a repetition. Negative strides and strides of 0 (broadcasts) become lists. A stride
 *     above max_interleaved_stride that has a divisor within the limit becomes two patterns: one
 *     selects the bytes in each divisor, the other repeats over the first one.
 *
 * @par Ownership of keys
 *     The caller owns all keys. They come from the caller's pools (rte_umr_mkey_get_bulk()), and go
 *     back together when the last one, which is the key of the layout, is no longer used. The
 *     layout refers to the other keys: configuring or invalidating one of them changes or breaks
 *     the layout. Peers need only the last key.
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

/** Maximum number of dimensions of an array. */
#define RTE_UMR_TYPE_MAX_DIMS 32u

/** Maximum depth of nested types, including the outermost one. */
#define RTE_UMR_TYPE_MAX_DEPTH 32u

/** Cost of a key in addition to its entries, in entries; see rte_umr_layout_plan(). */
#define RTE_UMR_LAYOUT_KEY_COST 8u

/** Maximum number of entries of all keys of a layout. */
#define RTE_UMR_LAYOUT_MAX_ENTRIES (1u << 24)

/** Kind of a type. Names and semantics are those of MPI's constructors. */
enum rte_umr_type_kind {
	RTE_UMR_TYPE_BYTES = 0, /**< count contiguous bytes. */
	/** count times child, each after the extent of the previous one. */
	RTE_UMR_TYPE_CONTIGUOUS,
	/** count blocks of blocklen times child, stride extents of child apart. */
	RTE_UMR_TYPE_VECTOR,
	RTE_UMR_TYPE_HVECTOR, /**< As a vector, stride in bytes. */
	/** count blocks, block i of blocklens[i] times child at displs[i] extents of child. */
	RTE_UMR_TYPE_INDEXED,
	RTE_UMR_TYPE_HINDEXED, /**< As indexed, displs in bytes. */
	/** count blocks, block i of blocklens[i] times children[i] at displs[i] bytes. */
	RTE_UMR_TYPE_STRUCT,
	/**
	 * Part of an array of ndims dimensions: shape[] of the sizes[] elements in each dimension,
	 * starting at starts[]. The extent is that of the whole array.
	 */
	RTE_UMR_TYPE_SUBARRAY,
	/** A view of an array: ndims dimensions of shape[] elements, strides[] bytes apart. */
	RTE_UMR_TYPE_ARRAY,
	/** child with its lower bound set to lb and its extent to extent bytes. */
	RTE_UMR_TYPE_RESIZED,
};

/** RTE_UMR_TYPE_F_*: the first dimension of a subarray varies fastest (Fortran). */
#define RTE_UMR_TYPE_F_FIRST_FASTEST RTE_BIT32(0)
/** All type flags of this version. */
#define RTE_UMR_TYPE_F_ALL RTE_UMR_TYPE_F_FIRST_FASTEST

/**
 * Positions of data bytes relative to the address of the data, and their order. Types are read
 * only, and only read during planning: they may be on the stack.
 *
 * Members that do not apply to the kind are ignored, except the reserved ones. The order of
 * dimensions is that of numpy and C: the last one varies fastest.
 *
 * To describe an array of numpy, PyTorch or DLPack: use its shape; use the strides of numpy, or
 * those of PyTorch and DLPack multiplied by the size of an element; set child to the bytes of an
 * element (NULL: one byte). For data in C order strides may be NULL, as in DLPack.
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
	const struct rte_umr_type *child; /**< Element type; not used for BYTES and STRUCT. */
	const struct rte_umr_type *const *children; /**< STRUCT: count types. */
	const uint64_t *blocklens; /**< Children of each block; NULL: 1 each. */
	const int64_t *displs; /**< Displacements of the blocks. */
	const int64_t *shape; /**< Elements in each dimension; may be 0. */
	const int64_t *strides; /**< ARRAY: bytes from one element to the next; NULL: C's order. */
	const int64_t *sizes; /**< SUBARRAY: elements of the whole array. */
	const int64_t *starts; /**< SUBARRAY: first element. */
	int64_t lb; /**< RESIZED: lower bound, in bytes. */
	int64_t extent; /**< RESIZED: bytes from one to the next. */
	uint64_t reserved2[2]; /**< Zero. */
};

/**
 * @name Flags for planning a layout
 * Bits of rte_umr_layout_conf::flags.
 * @{
 */
/**
 * Transfers may write memory through the key. Then no byte of memory may appear twice, because the
 * order of writes is undefined. Without this flag the key is only for reads of memory.
 */
#define RTE_UMR_LAYOUT_F_WRITE		RTE_BIT32(0)
/** All flags that this version knows. */
#define RTE_UMR_LAYOUT_F_ALL		RTE_UMR_LAYOUT_F_WRITE
/**@}*/

/** Limits of a plan: those of a device (rte_umr_layout_conf_init()), and the caller's. */
struct rte_umr_layout_conf {
	uint32_t flags; /**< Bitwise OR of RTE_UMR_LAYOUT_F_*. */
	uint32_t max_keys; /**< Maximum number of keys, at least 1. 1: no nesting. */
	/** rte_umr_mkey_pool_conf::max_entries of the keys. */
	uint32_t max_entries;
	/** Entries of the longest list, at most nb_list_entries of the queue. */
	uint32_t max_list;
	uint32_t max_list_inline; /**< Entries of a list that fit the ring of a queue. */
	uint32_t max_interleaved; /**< Entries of the longest pattern; 0: no patterns. */
	uint32_t max_interleaved_inline; /**< Entries of a pattern that fit the ring. */
	uint32_t max_interleaved_stride; /**< Largest bytes_count + bytes_skip, in bytes. */
	uint32_t max_entry_len; /**< Longest entry, in bytes. */
	/** Maximum levels of keys, including the topmost one. */
	uint16_t max_levels;
	uint16_t reserved; /**< Zero. */
	uint64_t reserved2[4]; /**< Zero. */
};

/** A planned layout: entries relative to an address; opaque. */
struct rte_umr_layout;

/** Properties and cost of a layout. */
struct rte_umr_layout_cost {
	uint64_t len; /**< Bytes of its key. */
	int64_t lb; /**< First byte of memory, relative to the address of the data. */
	int64_t ub; /**< End: first byte after the memory, relative to the address of the data. */
	uint64_t nb_pieces; /**< Contiguous pieces of memory. */
	/** Entries of all keys, including headers of patterns; 16 bytes each. */
	uint64_t nb_entries;
	uint32_t nb_keys; /**< Number of keys, including that of the layout. */
	uint32_t max_entries; /**< Entries of the largest key: minimum max_entries of its pool. */
	uint16_t nb_levels; /**< Levels of keys; 1: no nesting. */
	/** The data are contiguous from lb on: a segment of a transfer needs no key. */
	bool is_contiguous;
	uint8_t reserved[5]; /**< Zero. */
	uint64_t reserved2[2]; /**< Zero. */
};

/** One of the keys of a layout. */
struct rte_umr_layout_key {
	uint64_t len; /**< Bytes of the key. */
	uint32_t nb_entries; /**< Segments of a list, or entries of a pattern without its header. */
	uint32_t repeat; /**< Repetitions of a pattern; 1 for a list. */
	/** 1: refers to memory only; else maximum levels of keys, including this one. */
	uint16_t level;
	uint8_t layout; /**< enum rte_umr_layout_type: LIST or INTERLEAVED. */
	uint8_t reserved[5]; /**< Zero. */
};

/** Resources of a layout on a queue; see rte_umr_layout_size(). */
struct rte_umr_layout_size {
	uint64_t nb_desc; /**< Descriptors of the send ring, for all keys. */
	/** Entries of the queue's memory for long lists, for all keys; 16 bytes each. */
	uint64_t nb_list_entries;
	uint64_t reserved[2]; /**< Zero. */
};

/**
 * Find the cheapest layout of data. Needs neither a device nor the memory of the data.
 *
 * A layout that fits one key without memory for long lists is preferred; otherwise the layout with
 * the smallest sum of entries + RTE_UMR_LAYOUT_KEY_COST * keys. This is a control function: it
 * takes microseconds for an array, and up to a second for tens of thousands of different blocks.
 *
 * @param conf
 *   Limits; copied.
 * @param type
 *   Type of the data; only read during the call.
 * @return
 *   The layout, freed by rte_umr_layout_free(), or NULL with rte_errno. All but ENOMEM are logged
 *   with value and limit:
 *   - EINVAL: a parameter or an array of a type is NULL, a kind or a flag is unknown, a reserved
 *     field is not 0; max_keys, max_entries, max_list, max_entry_len or max_levels is 0; ndims is
 *     more than RTE_UMR_TYPE_MAX_DIMS, a shape is negative, a subarray is not within its array, or
 *     the type has no bytes
 *   - ELOOP: types are nested more than RTE_UMR_TYPE_MAX_DEPTH deep
 *   - ERANGE: an offset or a length has more than 62 bits
 *   - EEXIST: RTE_UMR_LAYOUT_F_WRITE is set, and a byte of memory would appear twice (a stride of
 *     0, or overlapping blocks), or this cannot be excluded within 2^20 pieces
 *   - E2BIG: no layout fits the limits: it needs more entries, keys or levels, or more than
 *     RTE_UMR_LAYOUT_MAX_ENTRIES
 *   - ENOMEM: out of memory
 */
__rte_experimental
struct rte_umr_layout *rte_umr_layout_plan(const struct rte_umr_layout_conf *conf,
					   const struct rte_umr_type *type);

/** Free a layout; NULL is accepted. Keys that were configured with it do not change. */
__rte_experimental
void rte_umr_layout_free(struct rte_umr_layout *layout);

/**
 * Get the properties and the cost of a layout.
 *
 * @param layout
 *   Layout.
 * @param cost
 *   Written.
 */
__rte_experimental
void rte_umr_layout_cost_get(const struct rte_umr_layout *layout, struct rte_umr_layout_cost *cost);

/**
 * Get the description of a key of a layout.
 *
 * @param layout
 *   Layout.
 * @param i
 *   Index of the key, in the order of configuration; nb_keys - 1 is the topmost one.
 * @param key
 *   Written on success.
 * @return
 *   0, or
 *   - -ERANGE: the layout has fewer keys (logged)
 */
__rte_experimental
int rte_umr_layout_key_get(const struct rte_umr_layout *layout, uint32_t i,
			   struct rte_umr_layout_key *key);

/**
 * Get the resources that configuring all keys of a layout takes on a queue: the sum of
 * rte_umr_op_desc() over all keys, for pools without flags. This is a control function.
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
 *   - -EINVAL: the queue is not set up, or is a DC target (logged)
 *   - -E2BIG: the long-list memory of this queue is too small for the entries of a key (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_layout_size(int16_t dev_id, uint16_t queue_id, const struct rte_umr_layout *layout,
			struct rte_umr_layout_size *size);

/** Memory and keys of a layout, for rte_umr_layout_enqueue(). */
struct rte_umr_layout_op {
	/**
	 * Address of the data that types are relative to, for example of element 0 of an array. It
	 * is an address of lkey: of a region, or an offset of a configured key, which then counts
	 * as a level.
	 */
	uint64_t addr;
	uint32_t lkey; /**< Key of the memory [addr + lb, addr + ub). */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_* for the topmost key. */
	/**
	 * nb_keys different keys of pools of the device, the key of the layout last; read only. The
	 * other keys get the access that it needs: local writes if it is written to.
	 */
	struct rte_umr_mkey *const *mkeys;
	uint32_t nb_mkeys; /**< nb_keys of the layout. */
	/**
	 * Number of leading keys that an earlier call has configured for the same memory; else 0.
	 */
	uint32_t first;
	uint64_t reserved[2]; /**< Zero. */
};

/**
 * Enqueue operations that configure the keys of a layout, one for each key. The layout is complete
 * after the last one; a transfer on the same queue may use mkeys[nb_keys - 1] at once.
 *
 * All possible checks run before the first operation. If the ring or the memory for long lists has
 * no room for all operations, those that fit are enqueued: collect completions, and call again with
 * first increased by the return value.
 *
 * Order and threads are the same as for rte_umr_mkey_list(). A layout contains a buffer for
 * addresses, so calls for the same layout must not run in parallel.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index.
 * @param layout
 *   Layout, planned within the limits of this device.
 * @param op
 *   Memory and keys. Keys keep their previous layouts until they are enqueued.
 * @param flags
 *   Bitwise OR of RTE_UMR_OP_F_*. RTE_UMR_OP_F_FENCE applies to the first operation;
 *   RTE_UMR_OP_F_SUBMIT submits the enqueued operations if there is at least one.
 * @return
 *   Number of keys that operations were enqueued for, [1, nb_keys - first]; if it is less than
 *   nb_keys - first, a call for the rest returns the error. Ring indices are consecutive. Or
 *   - -EINVAL: nb_mkeys is not nb_keys of the layout, first is not less than it, a key is NULL, a
 *     reserved field is not 0, or a flag or access bit is unknown (logged)
 *   - -EACCES: access includes writes or atomics, and the layout was planned without
 *     RTE_UMR_LAYOUT_F_WRITE (logged)
 *   - -ERANGE: addr + lb is below 0, or addr + ub has more than 64 bits (logged)
 *   - -E2BIG: a key was created for fewer entries than it needs (logged)
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
