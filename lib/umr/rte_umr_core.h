/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_CORE_H
#define RTE_UMR_CORE_H

/**
 * @file
 *
 * Fast-path tables, for the inline functions of the data path. The entry of a queue has the
 * functions for its kind and state beside the argument that they get, so that a call needs three
 * dependent loads: the table, the entry, the function.
 *
 * The tables are accessed through pointers, so applications do not depend on their size.
 *
 * Included by rte_umr.h. Applications must not use these types directly.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_compat.h>

#include "rte_umr_ops.h"
#include "rte_umr_trace_fp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inline functions call each other: what is experimental is marked where a program calls it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/** Maximum number of devices of a process. */
#define RTE_UMR_MAX_DEVS 64

/** Maximum number of queues of a device. */
#define RTE_UMR_MAX_QUEUES 1024

struct rte_umr_completion;
struct rte_umr_dc_addr;
struct rte_umr_interleaved;
struct rte_umr_mkey;
struct rte_umr_mkey_error;
struct rte_umr_mkey_op;
struct rte_umr_mw;
struct rte_umr_mw_range;
struct rte_umr_rdma_op;
struct rte_umr_seg;

/** @internal Operands of a compare and swap, to limit the function to six arguments. */
struct rte_umr_swap {
	uint64_t compare; /**< Expected value, in host byte order. */
	uint64_t swap; /**< New value, in host byte order. */
};

/** @internal Read the error of a key. */
typedef int (*rte_umr_mkey_check_t)(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error);

/** @cond OPS */
/* Types of the functions of a queue, rte_umr_*_t: rte_umr_ops.h. */
#define RTE_UMR_FP_INT(type)                                                                       \
	typedef int (*rte_umr_##type##_t)(void *queue RTE_UMR_FP_PARAMS_##type(RTE_UMR_FP_PARAM));
#define RTE_UMR_FP_NUMBER(type)                                                                    \
	typedef uint16_t (*rte_umr_##type##_t)(                                                    \
		void *queue RTE_UMR_FP_PARAMS_##type(RTE_UMR_FP_PARAM));
#define RTE_UMR_FP_NUMBER_OF_CONST(type)                                                           \
	typedef uint16_t (*rte_umr_##type##_t)(                                                    \
		const void *queue RTE_UMR_FP_PARAMS_##type(RTE_UMR_FP_PARAM));
RTE_UMR_FP_TYPES(RTE_UMR_FP_INT, RTE_UMR_FP_NUMBER, RTE_UMR_FP_NUMBER_OF_CONST)

#define RTE_UMR_FP_MEMBER(name, type, point) rte_umr_##type##_t name;
/** @endcond */

/**
 * @internal
 * Data-path functions of a queue: a driver has a table for each kind of queue. All functions are
 * set; see rte_umr_driver_fp_ops_complete().
 *
 * The members are rte_umr_mkey_list_t mkey_list, ...: one for each row of rte_umr_ops.h, in that
 * order. The reserved members are for new operations.
 */
struct rte_umr_fp_ops {
	RTE_UMR_FP_OPS(RTE_UMR_FP_MEMBER, RTE_UMR_FP_MEMBER, RTE_UMR_FP_MEMBER)
	void (*reserved[64 - RTE_UMR_FP_NB_OPS])(void); /**< NULL. */
} __rte_aligned(64);

/**
 * @internal
 * Header of a driver's queue: 32 bytes, so that the driver's own fields share its cache line.
 */
struct rte_umr_fp_queue {
	const struct rte_umr_fp_ops *drv_ops; /**< Functions; written by the driver. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint16_t queue_id; /**< Index in the device. */
	uint32_t reserved0; /**< 0. */
	uint64_t user; /**< For RTE_UMR_DEBUG in lib/umr: current user; else 0. */
	uint64_t reserved1; /**< 0. */
};

/** @internal A queue in the fast-path table, which lib/umr writes. */
struct rte_umr_fp_entry {
	/** Functions that the data path calls: drv_ops of the queue while the device is started. */
	const struct rte_umr_fp_ops *ops;
	/**
	 * The driver's queue. Where there is none, also in a device that is not open, a queue of
	 * lib/umr, whose functions return the error.
	 */
	struct rte_umr_fp_queue *queue;
};

/** @internal Region in the cache of an lcore: memory in [start, start + len) has that key. */
struct rte_umr_lookup_entry {
	uintptr_t start; /**< Address of the first byte. */
	size_t len; /**< Bytes. */
	uint64_t gen; /**< Generation of the device's regions for which this is valid. */
	uint32_t lkey; /**< Key for local use. */
	uint32_t reserved; /**< 0. */
};

/** @internal Entries of an lcore for long regions, and as many for short ones: 2^n. */
#define RTE_UMR_LOOKUP_CACHE 128u
/**
 * @internal Long regions have 2^n bytes (a hugepage) or more; 2^n bytes of memory share an entry.
 */
#define RTE_UMR_LOOKUP_LONG 21

/** @internal A device in the fast-path table. */
struct rte_umr_fp_object {
	rte_umr_mkey_check_t mkey_check; /**< Does not belong to a queue. */
	/** 2 * RTE_UMR_LOOKUP_CACHE entries for each lcore. */
	struct rte_umr_lookup_entry *lookup_cache;
	/** Generation of the regions: odd while they change, never repeated. */
	uint64_t lookup_gen;
	uint32_t lookup_nb_lcores; /**< Lcores that have a cache; 0: no such device. */
	uint32_t lookup_short; /**< Short regions: 2^n bytes of memory share entries. */
	void *reserved[4]; /**< NULL. */
} __rte_aligned(64);

/** @internal RTE_UMR_MAX_DEVS devices. */
extern struct rte_umr_fp_object *rte_umr_fp_objs;

/** @internal RTE_UMR_MAX_QUEUES queues of device 0, then those of device 1, and so on. */
extern struct rte_umr_fp_entry *rte_umr_fp_entries;

/**
 * @internal RTE_UMR_DEBUG: entry for identifiers that are out of range, which rejects everything.
 * Logs.
 */
__rte_experimental
const struct rte_umr_fp_entry *rte_umr_debug_entry(int16_t dev_id, uint16_t queue_id);

/** @internal rte_umr_mkey_check() of RTE_UMR_DEBUG. */
__rte_experimental
int rte_umr_debug_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error);

/** @internal Get the entry of a queue: the driver's, or one that rejects everything. */
__rte_experimental
static inline const struct rte_umr_fp_entry *
rte_umr_fp_entry(int16_t dev_id, uint16_t queue_id)
{
#ifdef RTE_UMR_DEBUG
	if (dev_id < 0 || dev_id >= RTE_UMR_MAX_DEVS || queue_id >= RTE_UMR_MAX_QUEUES)
		return rte_umr_debug_entry(dev_id, queue_id);
#endif
	return &rte_umr_fp_entries[dev_id * RTE_UMR_MAX_QUEUES + queue_id];
}

/** @internal Cache entry of an lcore for the long region of an address. */
__rte_experimental
static inline struct rte_umr_lookup_entry *
rte_umr_lookup_long(const struct rte_umr_fp_object *obj, unsigned int lcore, uintptr_t addr)
{
	return &obj->lookup_cache[lcore * 2 * RTE_UMR_LOOKUP_CACHE +
				  (addr >> RTE_UMR_LOOKUP_LONG) % RTE_UMR_LOOKUP_CACHE];
}

/**
 * @internal
 * Cache entries of an lcore for the short region of an address: two, the latest first, so that two
 * regions that share them do not evict each other.
 */
__rte_experimental
static inline struct rte_umr_lookup_entry *
rte_umr_lookup_short(const struct rte_umr_fp_object *obj, unsigned int lcore, uintptr_t addr)
{
	const uintptr_t i = addr >> __atomic_load_n(&obj->lookup_short, __ATOMIC_RELAXED);

	return &obj->lookup_cache[(lcore * 2 + 1) * RTE_UMR_LOOKUP_CACHE +
				  i % (RTE_UMR_LOOKUP_CACHE / 2) * 2];
}

/**
 * @internal
 * Check whether an entry has the key of a memory range. Never true for 0 bytes, which may be at the
 * end of one region and the start of another.
 */
__rte_experimental
static inline bool
rte_umr_lookup_is_hit(const struct rte_umr_lookup_entry *entry, uint64_t gen, uintptr_t addr,
		      size_t len)
{
	const size_t offset = addr - entry->start;

	return entry->gen == gen && offset <= entry->len && len - 1 < entry->len - offset;
}

/** @internal Slow path of rte_umr_addr_to_mkey(): search the table and update the cache. */
__rte_experimental
uint32_t rte_umr_lookup_miss(int16_t dev_id, const void *addr, size_t len);

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_CORE_H */
