/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MEM_H
#define RTE_UMR_MEM_H

/**
 * @file
 *
 * Objects that the application creates on the control path and operations refer to: memory regions,
 * protection domains, memory windows. Included by rte_umr.h, which describes the model. For
 * encryption keys see rte_umr_crypto.h.
 *
 * @par Memory regions and protection domains
 * A region registers memory with a device. Its pages are pinned at registration. With on-demand
 * paging (ODP) they are instead brought in when the device accesses them: a region may then cover
 * memory that is not mapped yet, and an implicit region covers all current and future memory of a
 * process. Access to unmapped memory fails at run time, with RTE_UMR_STATUS_LOCAL_PROT or
 * RTE_UMR_STATUS_REMOTE_ACCESS.
 *
 * A protection domain (PD) limits access: a queue can only use regions and keys of its own PD.
 * Every device has a default PD for objects that name no other. The device checks the PD at run
 * time: a region or key of another PD fails like one that does not exist.
 *
 * @par Memory windows
 * A window is a key that gives the peer access to a part of a memory region. One operation on a
 * queue binds it and another one invalidates it, without a system call, so a peer can get access
 * for a single transfer.
 *
 *     rte_umr_mw_create()   ->  unbound
 *     rte_umr_mw_bind()         unbound (type 1: or bound)  ->  bound, with a new key
 *     rte_umr_mw_invalidate()   bound  ->  unbound
 *     rte_umr_send_inv() of the peer, type 2B only:  bound  ->  unbound
 *     rte_umr_mw_destroy()  in any state
 *
 * There are two types (IBTA 10.6.7.2). A window of type 1 can be used over any queue of its device
 * and bound again while it is bound. A window of type 2B belongs to the queue that binds it: the
 * peer must use that queue, and only that queue can invalidate it; it must be unbound before it is
 * bound again.
 *
 * The region must be registered with RTE_UMR_ACCESS_MW_BIND, and stay registered while a window is
 * bound to it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A segment of memory. Same layout as struct ibv_sge. */
struct rte_umr_seg {
	/** Address; in a configured memory key, its rte_umr_mkey_op::base_addr + offset. */
	uint64_t addr;
	uint32_t length; /**< Bytes. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
};

/** An RDMA write or read, for rte_umr_write_burst() and rte_umr_read_burst(). */
struct rte_umr_rdma_op {
	struct rte_umr_seg local; /**< Local memory. A length of 0 moves nothing. */
	/** Address at the peer; in a configured memory key, base_addr + offset. */
	uint64_t remote_addr;
	uint32_t rkey; /**< Key of the peer, in host byte order. */
	uint32_t reserved; /**< Zero. */
};

/**
 * @name Access
 * Access rights of a memory region or a memory key. Local reads are always allowed.
 * @{
 */
#define RTE_UMR_ACCESS_LOCAL_WRITE	RTE_BIT32(0) /**< Local writes: read results, receives. */
#define RTE_UMR_ACCESS_REMOTE_READ	RTE_BIT32(1) /**< RDMA reads by the peer. */
#define RTE_UMR_ACCESS_REMOTE_WRITE	RTE_BIT32(2) /**< RDMA writes by the peer. */
#define RTE_UMR_ACCESS_REMOTE_ATOMIC	RTE_BIT32(3) /**< Atomics by the peer. */
/** All access rights of this version. */
#define RTE_UMR_ACCESS_ALL                                                                         \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE |   \
	 RTE_UMR_ACCESS_REMOTE_ATOMIC)
/**
 * Not a right: writes of the device may become visible in a different order, within an operation
 * and between operations. Faster on some hosts. A completion still follows the data of its
 * operation.
 */
#define RTE_UMR_ACCESS_RELAXED_ORDERING	RTE_BIT32(4)
/** Memory windows may be bound to the region. Regions only. */
#define RTE_UMR_ACCESS_MW_BIND		RTE_BIT32(5)
/** All access bits of regions; see rte_umr_dev_info::mr_access_capa. */
#define RTE_UMR_MR_ACCESS_ALL                                                                      \
	(RTE_UMR_ACCESS_ALL | RTE_UMR_ACCESS_RELAXED_ORDERING | RTE_UMR_ACCESS_MW_BIND)
/**@}*/

/**
 * @name Kinds of memory regions
 * Bits of rte_umr_mr_conf::flags and rte_umr_mr::flags.
 * @{
 */
/**
 * Pages are brought in when the device accesses them and may be evicted at any time. With addr NULL
 * and len SIZE_MAX the region is implicit: it covers the whole address space. Below a key it takes
 * one level of max_nesting. Needs RTE_UMR_CAPA_MR_ODP or RTE_UMR_CAPA_MR_ODP_IMPLICIT.
 */
#define RTE_UMR_MR_F_ON_DEMAND	RTE_BIT32(0)
/** With RTE_UMR_MR_F_ON_DEMAND, not implicit: all pages are and stay hugepages. */
#define RTE_UMR_MR_F_HUGE	RTE_BIT32(1)
/** Addresses of the region begin at rte_umr_mr_conf::iova instead of those of the process. */
#define RTE_UMR_MR_F_IOVA	RTE_BIT32(2)
/** Addresses begin at 0: addr is the first byte of a page. */
#define RTE_UMR_MR_F_ZERO_BASED	RTE_BIT32(3)
/** The memory is a DMA buffer of another device. Needs RTE_UMR_CAPA_MR_DMABUF. */
#define RTE_UMR_MR_F_DMABUF	RTE_BIT32(4)
/** All flags of this version. */
#define RTE_UMR_MR_F_ALL                                                                           \
	(RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_HUGE | RTE_UMR_MR_F_IOVA |                          \
	 RTE_UMR_MR_F_ZERO_BASED | RTE_UMR_MR_F_DMABUF)
/**@}*/

/** A protection domain; opaque. */
struct rte_umr_pd;

/** A registered memory region. Written by rte_umr_mr_register(), read only for the application. */
struct rte_umr_mr {
	void *addr; /**< First byte; NULL for a DMA buffer and an implicit region. */
	size_t len; /**< Bytes; SIZE_MAX for an implicit region. */
	uint32_t lkey; /**< Key for local use: struct rte_umr_seg. Host byte order. */
	uint32_t rkey; /**< Key for use by the peer. Host byte order. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	int16_t dev_id; /**< Device that it belongs to. */
	bool is_lost; /**< rte_umr_mr_reregister() failed half-way: it can only be deregistered. */
	void *driver_private; /**< Owned by the driver. */
	uint64_t iova; /**< Address of the first byte in operations. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_MR_F_*. */
};

/** Configuration of a memory region. */
struct rte_umr_mr_conf {
	void *addr; /**< First byte; NULL for a DMA buffer and an implicit region. */
	size_t len; /**< Bytes, [1, max_mr_len]; SIZE_MAX for an implicit region. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	uint32_t flags; /**< Bitwise OR of RTE_UMR_MR_F_*. */
	struct rte_umr_pd *pd; /**< PD of the device; NULL: the default one. */
	/** With RTE_UMR_MR_F_IOVA: same offset in a page as addr, or dmabuf_offset. */
	uint64_t iova;
	/** With RTE_UMR_MR_F_DMABUF: offset in the buffer, also the address in operations. */
	uint64_t dmabuf_offset;
	int32_t dmabuf_fd; /**< With RTE_UMR_MR_F_DMABUF: descriptor of the buffer; not closed. */
	uint32_t reserved; /**< Zero. */
	uint64_t reserved2[2]; /**< Zero. */
};

/**
 * @name What rte_umr_mr_reregister() changes
 * @{
 */
#define RTE_UMR_MR_CHANGE_TRANSLATION	RTE_BIT32(0) /**< addr, len */
#define RTE_UMR_MR_CHANGE_PD		RTE_BIT32(1) /**< pd */
#define RTE_UMR_MR_CHANGE_ACCESS	RTE_BIT32(2) /**< access */
/** All changes of this version. */
#define RTE_UMR_MR_CHANGE_ALL                                                                      \
	(RTE_UMR_MR_CHANGE_TRANSLATION | RTE_UMR_MR_CHANGE_PD | RTE_UMR_MR_CHANGE_ACCESS)
/**@}*/

/** Advice about a region with on-demand paging. */
enum rte_umr_mr_advice {
	RTE_UMR_MR_ADVICE_PREFETCH = 0, /**< Bring pages in for reads by the device. */
	RTE_UMR_MR_ADVICE_PREFETCH_WRITE, /**< Bring pages in for reads and writes. */
	/** Let the device access pages that are already in memory; bring none in. */
	RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT,
};

/** Follow the advice before the call returns. */
#define RTE_UMR_MR_ADVISE_F_FLUSH RTE_BIT32(0)

/**
 * @name Operations that support absent pages
 * Bits of rte_umr_dev_info::odp_capa, for RTE_UMR_TRANSPORT_RC and RTE_UMR_TRANSPORT_LOOPBACK.
 * @{
 */
#define RTE_UMR_ODP_CAPA_SEND	RTE_BIT32(0) /**< Source of a send. */
#define RTE_UMR_ODP_CAPA_RECV	RTE_BIT32(1) /**< Receive. */
#define RTE_UMR_ODP_CAPA_WRITE	RTE_BIT32(2) /**< Both sides of a write. */
#define RTE_UMR_ODP_CAPA_READ	RTE_BIT32(3) /**< Both sides of a read. */
#define RTE_UMR_ODP_CAPA_ATOMIC	RTE_BIT32(4) /**< Both sides of an atomic. */
/**@}*/

/**
 * Counters of on-demand paging; see rte_umr_odp_stats_get(). Counters that the system does not
 * support stay 0.
 */
struct rte_umr_odp_stats {
	uint64_t nb_regions; /**< Regions included in the sums. */
	uint64_t nb_page_faults; /**< Pages brought in for accesses of the device. */
	uint64_t nb_page_invalidations; /**< Pages unmapped from the device. */
	uint64_t nb_prefetches; /**< Pages brought in by rte_umr_mr_advise(). */
	uint64_t reserved[4]; /**< Zero. */
};

/**
 * Allocate a protection domain.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   The PD, freed by rte_umr_pd_free() or with the device, or NULL with rte_errno:
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the driver supports only the default PD
 *   - ENOMEM: out of memory
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_pd *rte_umr_pd_alloc(int16_t dev_id);

/**
 * Free a protection domain. It must not contain any object: queues leave it when they are set up
 * again or rte_umr_dev_configure() frees them.
 *
 * @param pd
 *   PD; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: pd is not a PD, or was freed (logged)
 *   - -EBUSY: regions, windows, key pools or queues still belong to it (logged with their number)
 *   - another negative errno of the system (logged); the PD still exists
 */
__rte_experimental
int rte_umr_pd_free(struct rte_umr_pd *pd);

/**
 * Register memory with a device.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied. Memory without on-demand paging must stay mapped until
 *   rte_umr_mr_deregister().
 * @return
 *   The region, freed by rte_umr_mr_deregister(), or NULL with rte_errno:
 *   - EINVAL: conf is NULL, addr is NULL, len is 0, an access bit or flag is unknown, access bits
 *     or flags conflict, iova has a different offset in its page than addr, the PD is of another
 *     device, or reserved is not 0 (all logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device does not support a flag or an access bit (logged)
 *   - ERANGE: len is more than max_mr_len (logged)
 *   - ENOMEM: out of memory, or of memory that may be locked
 *   - EFAULT: the memory is not completely mapped (logged), or is read only although an access bit
 *     requires writes; not with RTE_UMR_MR_F_ON_DEMAND
 *   - EBADF: dmabuf_fd is not an open descriptor
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_mr *rte_umr_mr_register(int16_t dev_id, const struct rte_umr_mr_conf *conf);

/**
 * Change the memory, the PD or the access of a region, in any combination. During the call no
 * operation may use it and no configured key may refer to it; windows bound to it are lost.
 *
 * On success lkey and rkey may change. Properties that are not selected do not change. A region
 * with on-demand paging keeps it when its translation changes.
 *
 * On an error of the first group the region does not change. On an error of the second group the
 * system may have stopped half-way at an unknown point: is_lost is set, the region can only be
 * deregistered, and rte_umr_mr_lookup() does not find it. If an error is in both groups, check
 * is_lost.
 *
 * Not thread safe with other control functions of the device except rte_umr_mr_lookup().
 *
 * @param mr
 *   Region.
 * @param changes
 *   Bitwise OR of RTE_UMR_MR_CHANGE_*, at least one.
 * @param conf
 *   New values; copied. Only fields that changes selects are read; flags and reserved must be 0.
 * @return
 *   0, or, with the region unchanged (logged),
 *   - -EINVAL: a parameter is NULL, mr is not a region or was deregistered, changes is 0 or has an
 *     unknown bit, flags or reserved is not 0, or a new value is invalid, as in
 *     rte_umr_mr_register()
 *   - -ENOTSUP: the device does not support an access bit; changing the translation of a region
 *     whose addresses differ from those of the process, or that is implicit or a DMA buffer
 *   - -ERANGE: len is more than max_mr_len
 *   - -EACCES: memory that was registered read only gets a write right without
 *     RTE_UMR_MR_CHANGE_TRANSLATION (Linux pinned it for reading)
 *   - -EFAULT: the new memory is not completely mapped; not with RTE_UMR_MR_F_ON_DEMAND
 *   - -ENOMEM: out of memory of the process
 *   - -ESTALE: the region is lost
 *   - another negative errno of the system, when changing the translation of a region with
 *     on-demand paging: the new one is created before the old one is removed
 *   or, with the region lost (logged),
 *   - -EFAULT: the new memory is read only although an access bit requires writes
 *   - -ENOMEM: out of memory of the system, or of memory that may be locked
 *   - another negative errno of the system
 */
__rte_experimental
int rte_umr_mr_reregister(struct rte_umr_mr *mr, uint32_t changes,
			  const struct rte_umr_mr_conf *conf);

/**
 * Deregister memory. No operation may use it and no configured key may refer to it any more.
 *
 * @param mr
 *   Region; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: mr is not a region, or was deregistered (logged)
 *   - another negative errno of the system (logged); the region is then still registered
 */
__rte_experimental
int rte_umr_mr_deregister(struct rte_umr_mr *mr);

struct rte_mempool;

/**
 * Register all memory of a mempool, with one region for each contiguous range. rte_umr_mr_lookup()
 * and rte_umr_addr_to_mkey() then find the keys of its objects.
 *
 * All mempools are supported: with several chunks, with or without hugepages, with memory of the
 * application (rte_extmem_register()), or with pinned external buffers
 * (rte_pktmbuf_pool_create_extbuf()), whose buffers are registered, not their mbufs. Chunks or
 * buffers that are less than a page apart form one range, and the memory between them belongs to
 * the region. Registrations with the same access are counted: the regions exist until the mempool
 * is unregistered as often.
 *
 * Not thread safe with other control functions of the device.
 *
 * @param dev_id
 *   Device identifier.
 * @param mp
 *   Mempool; it must be populated, and exist until it is unregistered.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*, as for rte_umr_mr_register().
 * @return
 *   0, or
 *   - -EINVAL: mp is NULL or has no memory, or access is invalid (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EEXIST: the mempool is registered with other access (logged)
 *   - what rte_umr_mr_register() returns for one of the regions; no region remains (logged)
 */
__rte_experimental
int rte_umr_mempool_register(int16_t dev_id, struct rte_mempool *mp, uint32_t access);

/**
 * Undo rte_umr_mempool_register(). No operation may be using the memory any more. Call it before
 * rte_mempool_free() and before rte_umr_dev_close(), which does not unregister mempools.
 *
 * @param dev_id
 *   Device identifier.
 * @param mp
 *   Mempool.
 * @return
 *   0, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOENT: the mempool is not registered (logged)
 *   - what rte_umr_mr_deregister() returns for a region; those regions remain, try again
 */
__rte_experimental
int rte_umr_mempool_unregister(int16_t dev_id, struct rte_mempool *mp);

/**
 * Register all memory of EAL: one region for each contiguous range that exists now, and for each
 * range that EAL gets from the system later, before it is used. Memory in one of these ranges that
 * comes from rte_malloc(), memzones or mempools of EAL has a key that rte_umr_mr_lookup() and
 * rte_umr_addr_to_mkey() find. Registrations with the same access are counted: the regions exist
 * until rte_umr_eal_memory_unregister() was called as often.
 *
 * Memory that a program adds to its own heap (rte_malloc_heap_memory_add()) is registered at the
 * first lookup of one of its addresses. EAL does not report its removal: unregister EAL's memory
 * before rte_malloc_heap_memory_remove().
 *
 * Ranges that are added at different times are separate regions, even if they are adjacent. EAL may
 * then return a block that spans two regions: it has no key. Memory that needs a key must be
 * registered separately (rte_umr_mempool_register(), rte_umr_mr_register()), or EAL must reserve
 * all memory at startup (-m, --socket-mem).
 *
 * Lookups no longer find memory that EAL returns to the system. Its region is deregistered when all
 * of its memory was returned; until then its pages stay locked, and a peer that has its key can
 * still access them. If a range that is added later cannot be registered, this is logged and
 * lookups do not find it.
 *
 * Not thread safe with other control functions of the device; other threads may allocate and free
 * memory at any time.
 *
 * @param dev_id
 *   Device identifier.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*, as for rte_umr_mr_register().
 * @return
 *   0, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EEXIST: the memory is already registered with other access (logged)
 *   - -ENOMEM: out of memory
 *   - what rte_umr_mr_register() returns for a range; no region remains (logged)
 */
__rte_experimental
int rte_umr_eal_memory_register(int16_t dev_id, uint32_t access);

/**
 * Undo rte_umr_eal_memory_register(). No operation may be using the memory any more. Call it before
 * rte_umr_dev_close(), which does not unregister the memory.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   0, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOENT: the memory is not registered (logged)
 *   - what rte_umr_mr_deregister() returns for a region; those regions remain, try again
 */
__rte_experimental
int rte_umr_eal_memory_unregister(int16_t dev_id);

/**
 * Find the region that contains a memory range: a region of the default PD, at the addresses of the
 * process. Of several regions, the one that starts last is used; an implicit region only if there
 * is no other.
 *
 * Thread safe, also with registering, re-registering and deregistering other regions.
 *
 * @param dev_id
 *   Device identifier.
 * @param addr
 *   First byte.
 * @param len
 *   Bytes; a range of 0 bytes is also in a region that ends at addr.
 * @param lkey
 *   Written on success with the key for local use, in host byte order.
 * @return
 *   0, or
 *   - -EINVAL: lkey is NULL
 *   - -ENODEV: no such device
 *   - -ENOENT: no single region contains the whole range
 */
__rte_experimental
int rte_umr_mr_lookup(int16_t dev_id, const void *addr, size_t len, uint32_t *lkey)
	__rte_warn_unused_result;

/**
 * Give advice about memory of regions with on-demand paging. Pages that were brought in may be
 * evicted at any time.
 *
 * @param dev_id
 *   Device identifier.
 * @param pd
 *   PD that all regions belong to; NULL: the default one.
 * @param advice
 *   What to do.
 * @param segs
 *   Array of nb_segs ranges: addr and lkey as in an operation; copied.
 * @param nb_segs
 *   Number of ranges, at least 1.
 * @param flags
 *   0 or RTE_UMR_MR_ADVISE_F_FLUSH. Without it the call may return earlier, and does not report
 *   pages that cannot be brought in.
 * @return
 *   0, or (logged)
 *   - -EINVAL: segs is NULL, nb_segs is 0, advice or a flag is unknown, or the PD is of another
 *     device
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the device does not support on-demand paging, or the system does not support the
 *     advice
 *   - -ENOENT: an lkey does not belong to a region with on-demand paging
 *   - -EPERM: a region belongs to another PD; RTE_UMR_MR_ADVICE_PREFETCH_WRITE for a region without
 *     write access
 *   - -EFAULT: a range exceeds its region, or contains unmapped memory
 *   - another negative errno of the system
 */
__rte_experimental
int rte_umr_mr_advise(int16_t dev_id, const struct rte_umr_pd *pd, enum rte_umr_mr_advice advice,
		      const struct rte_umr_seg *segs, uint32_t nb_segs, uint32_t flags);

/**
 * Read the counters of on-demand paging: sums over all regions of this process that the device
 * has now, as the system counts them (Linux: "rdma statistic show mr").
 *
 * @param dev_id
 *   Device identifier.
 * @param stats
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: stats is NULL
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the device does not support on-demand paging, or the system has no counters
 *   - another negative errno of the system (logged)
 */
__rte_experimental
int rte_umr_odp_stats_get(int16_t dev_id, struct rte_umr_odp_stats *stats);

/** Largest length of a window: 2 GiB. */
#define RTE_UMR_MAX_MW_LEN (UINT64_C(1) << 31)

/** Type of a memory window. */
enum rte_umr_mw_type {
	RTE_UMR_MW_TYPE_1 = 1, /**< Bound at any time, used over any queue. */
	RTE_UMR_MW_TYPE_2B = 2, /**< Belongs to the queue that binds it. */
};

/** A memory window. Read only for the application. */
struct rte_umr_mw {
	/** Value of the last accepted bind, for the peer. Host byte order. */
	uint32_t rkey;
	uint8_t type; /**< enum rte_umr_mw_type. */
	uint8_t reserved; /**< Zero. */
	int16_t dev_id; /**< Device that it belongs to. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	void *driver_private; /**< Owned by the driver. */
};

/** Addresses of the window start at 0, not at those of the region. Type 2B only. */
#define RTE_UMR_MW_BIND_F_ZERO_BASED RTE_BIT32(0)

/** Range of a window. */
struct rte_umr_mw_range {
	const struct rte_umr_mr *mr; /**< Region with RTE_UMR_ACCESS_MW_BIND. */
	uint64_t addr; /**< First byte, as an address in operations. */
	uint64_t length; /**< Bytes, [1, RTE_UMR_MAX_MW_LEN]. */
	/** Bitwise OR of RTE_UMR_ACCESS_REMOTE_*. Writes and atomics need a writable region. */
	uint32_t access;
	uint32_t flags; /**< Bitwise OR of RTE_UMR_MW_BIND_F_*. */
	uint64_t reserved[2]; /**< Zero. */
};

/**
 * Create a memory window.
 *
 * @param dev_id
 *   Device identifier.
 * @param pd
 *   PD of the device, the same as of the regions and queues used with the window; NULL: the default
 *   one.
 * @param type
 *   Type of the window.
 * @return
 *   The unbound window, freed by rte_umr_mw_destroy(), or NULL with rte_errno:
 *   - EINVAL: the type is unknown, or the PD belongs to another device (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device does not support windows of this type (logged)
 *   - ENOMEM: out of memory
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_mw *rte_umr_mw_create(int16_t dev_id, struct rte_umr_pd *pd,
				     enum rte_umr_mw_type type);

/**
 * Destroy a memory window, bound or not. No operation on it may be outstanding.
 *
 * @param mw
 *   Window; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: mw is not a window, or was destroyed (logged)
 *   - another negative errno of the system (logged); the window still exists
 */
__rte_experimental
int rte_umr_mw_destroy(struct rte_umr_mw *mw);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MEM_H */
