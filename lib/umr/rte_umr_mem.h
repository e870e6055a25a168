/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MEM_H
#define RTE_UMR_MEM_H

/**
 * @file
 *
 * What the application makes on the control path, and operations refer to: memory regions,
 * protection domains, memory windows, data encryption keys. Included by rte_umr.h, which describes
 * the model.
 *
 * @par Memory regions and protection domains
 * A region makes memory known to a device. Its pages are pinned when it is registered or, with
 * on-demand paging (ODP), brought in when the device touches them: a region may then cover memory
 * that is not mapped yet, and an implicit one covers all that a process will ever map. What
 * nothing is mapped to fails at run time, with RTE_UMR_STATUS_LOCAL_PROT or
 * RTE_UMR_STATUS_REMOTE_ACCESS.
 *
 * A protection domain (PD) says who may use what: a queue reaches only regions and keys of its own
 * one. Every device has a default PD, which all objects belong to that name no other. The device
 * checks it at run time: a region or key of another PD fails like one that does not exist.
 *
 * @par Memory windows
 * A window is a key for the peer that shows a part of a memory region. An operation on a queue
 * binds it, another one makes it unusable; no system call is needed for either, so that a peer can
 * be let in for one transfer and no longer.
 *
 *     rte_umr_mw_create()   ->  unbound
 *     rte_umr_mw_bind()         unbound (type 1: or bound)  ->  bound, with a new key
 *     rte_umr_mw_invalidate()   bound  ->  unbound
 *     rte_umr_send_inv() of the peer, type 2B only:  bound  ->  unbound
 *     rte_umr_mw_destroy()  in any state
 *
 * There are two types (IBTA 10.6.7.2). One of type 1 can be used over any queue of its device and
 * bound again while it is bound. One of type 2B belongs to the queue that binds it: the peer must
 * come over that queue, and only that queue can invalidate it; it must be unbound to be bound.
 *
 * The region must be registered with RTE_UMR_ACCESS_MW_BIND. It stays registered while a window is
 * bound to it.
 *
 * @par Data encryption keys
 * A data encryption key (DEK) is brought to the device once; memory keys of pools with
 * RTE_UMR_MKEY_POOL_F_CRYPTO are then configured with it (rte_umr_mkey.h).
 *
 * A device takes keys in one of two ways, which is set in its firmware and told by its
 * capabilities: RTE_UMR_CAPA_DEK_PLAIN, as they are; RTE_UMR_CAPA_DEK_WRAPPED, wrapped by a key
 * (the import KEK) that a crypto officer has stored in it, and while a login is valid. DEKs never
 * leave the device, and they are gone when it is closed.
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

/** A piece of memory. Same layout as struct ibv_sge. */
struct rte_umr_seg {
	uint64_t addr; /**< Address; an offset when lkey is a configured memory key. */
	uint32_t length; /**< Bytes. */
	uint32_t lkey; /**< Key of a memory region, or a configured memory key. */
};

/** An RDMA write or read, for rte_umr_write_burst() and rte_umr_read_burst(). */
struct rte_umr_rdma_op {
	struct rte_umr_seg local; /**< Memory here. A length of 0 moves nothing. */
	uint64_t remote_addr; /**< Address at the peer; an offset for a configured memory key. */
	uint32_t rkey; /**< Key of the peer, in host byte order. */
	uint32_t reserved; /**< Zero. */
};

/**
 * @name Access
 * What may be done through a memory region or a memory key. Local reads are always allowed.
 * @{
 */
#define RTE_UMR_ACCESS_LOCAL_WRITE	RTE_BIT32(0) /**< Local writes: read results, receives. */
#define RTE_UMR_ACCESS_REMOTE_READ	RTE_BIT32(1) /**< RDMA reads by the peer. */
#define RTE_UMR_ACCESS_REMOTE_WRITE	RTE_BIT32(2) /**< RDMA writes by the peer. */
#define RTE_UMR_ACCESS_REMOTE_ATOMIC	RTE_BIT32(3) /**< Atomics by the peer. */
/** All access that this version knows. */
#define RTE_UMR_ACCESS_ALL                                                                         \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE |   \
	 RTE_UMR_ACCESS_REMOTE_ATOMIC)
/**
 * Not a right: the device's writes may become visible in another order than it made them, within
 * an operation and between operations. Faster on some hosts. A completion still comes behind the
 * data of its operation.
 */
#define RTE_UMR_ACCESS_RELAXED_ORDERING	RTE_BIT32(4)
/** Memory windows may be bound to the region. Regions only. */
#define RTE_UMR_ACCESS_MW_BIND		RTE_BIT32(5)
/** All bits that the access of a region may have; see rte_umr_dev_info::mr_access_capa. */
#define RTE_UMR_MR_ACCESS_ALL                                                                      \
	(RTE_UMR_ACCESS_ALL | RTE_UMR_ACCESS_RELAXED_ORDERING | RTE_UMR_ACCESS_MW_BIND)
/**@}*/

/**
 * @name Kinds of memory regions
 * Bits of rte_umr_mr_conf::flags and rte_umr_mr::flags.
 * @{
 */
/**
 * Pages come when the device touches them and may go at any time. With addr NULL and len SIZE_MAX
 * the region is implicit: all of the address space. Below a key it takes one level of max_nesting.
 * Needs RTE_UMR_CAPA_MR_ODP or RTE_UMR_CAPA_MR_ODP_IMPLICIT.
 */
#define RTE_UMR_MR_F_ON_DEMAND	RTE_BIT32(0)
/** With RTE_UMR_MR_F_ON_DEMAND, not implicit: all pages are huge, and stay so. */
#define RTE_UMR_MR_F_HUGE	RTE_BIT32(1)
/** Addresses of the region begin at rte_umr_mr_conf::iova, not at those of the process. */
#define RTE_UMR_MR_F_IOVA	RTE_BIT32(2)
/** The same, beginning at 0: addr is the first byte of a page. */
#define RTE_UMR_MR_F_ZERO_BASED	RTE_BIT32(3)
/** The memory is that of a DMA buffer of another device. Needs RTE_UMR_CAPA_MR_DMABUF. */
#define RTE_UMR_MR_F_DMABUF	RTE_BIT32(4)
/** All bits that this version knows. */
#define RTE_UMR_MR_F_ALL                                                                           \
	(RTE_UMR_MR_F_ON_DEMAND | RTE_UMR_MR_F_HUGE | RTE_UMR_MR_F_IOVA |                          \
	 RTE_UMR_MR_F_ZERO_BASED | RTE_UMR_MR_F_DMABUF)
/**@}*/

/** A protection domain; opaque. */
struct rte_umr_pd;

/** A registered memory region. Written by rte_umr_mr_register(), read only for others. */
struct rte_umr_mr {
	void *addr; /**< First byte; NULL for a DMA buffer and an implicit region. */
	size_t len; /**< Bytes; SIZE_MAX for an implicit region. */
	uint32_t lkey; /**< Key for local use: struct rte_umr_seg. Host byte order. */
	uint32_t rkey; /**< Key for the peer's use. Host byte order. */
	uint32_t access; /**< Bitwise OR of RTE_UMR_ACCESS_*. */
	int16_t dev_id; /**< Device that it belongs to. */
	bool is_lost; /**< rte_umr_mr_reregister() failed half-way: only to be deregistered. */
	void *driver_private; /**< The driver's. */
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
	/** With RTE_UMR_MR_F_IOVA: at the same place of a page as addr, or as dmabuf_offset. */
	uint64_t iova;
	/** With RTE_UMR_MR_F_DMABUF: first byte in the buffer, and address in operations. */
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
/** All changes that this version knows. */
#define RTE_UMR_MR_CHANGE_ALL                                                                      \
	(RTE_UMR_MR_CHANGE_TRANSLATION | RTE_UMR_MR_CHANGE_PD | RTE_UMR_MR_CHANGE_ACCESS)
/**@}*/

/** Advice about a region with on-demand paging. */
enum rte_umr_mr_advice {
	RTE_UMR_MR_ADVICE_PREFETCH = 0, /**< Bring pages in, to be read by the device. */
	RTE_UMR_MR_ADVICE_PREFETCH_WRITE, /**< Bring pages in, to be read and written. */
	/** Show the device pages that are in memory already; bring none in. */
	RTE_UMR_MR_ADVICE_PREFETCH_NO_FAULT,
};

/** Follow the advice before the call returns. */
#define RTE_UMR_MR_ADVISE_F_FLUSH RTE_BIT32(0)

/**
 * @name Operations that may meet absent pages
 * Bits of rte_umr_dev_info::odp_capa, for RTE_UMR_TRANSPORT_RC and RTE_UMR_TRANSPORT_LOOPBACK.
 * @{
 */
#define RTE_UMR_ODP_CAPA_SEND	RTE_BIT32(0) /**< Source of a send. */
#define RTE_UMR_ODP_CAPA_RECV	RTE_BIT32(1) /**< Receive. */
#define RTE_UMR_ODP_CAPA_WRITE	RTE_BIT32(2) /**< Both sides of a write. */
#define RTE_UMR_ODP_CAPA_READ	RTE_BIT32(3) /**< Both sides of a read. */
#define RTE_UMR_ODP_CAPA_ATOMIC	RTE_BIT32(4) /**< Both sides of an atomic. */
/**@}*/

/** Counters of on-demand paging; see rte_umr_odp_stats_get(). What a system lacks stays 0. */
struct rte_umr_odp_stats {
	uint64_t nb_regions; /**< Regions that the sums are over. */
	uint64_t nb_page_faults; /**< Pages brought in because the device touched them. */
	uint64_t nb_page_invalidations; /**< Pages taken from the device again. */
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
 *   - ENOTSUP: the driver has only the default one
 *   - ENOMEM: out of memory
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_pd *rte_umr_pd_alloc(int16_t dev_id);

/**
 * Free a protection domain. Nothing may belong to it any more: queues leave it when they are set
 * up anew or rte_umr_dev_configure() frees them.
 *
 * @param pd
 *   PD; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: pd is no PD, or one that was freed (logged)
 *   - -EBUSY: regions, windows, key pools or queues are left (logged with their number)
 *   - another negative errno of the system (logged); the PD is still there
 */
__rte_experimental
int rte_umr_pd_free(struct rte_umr_pd *pd);

/**
 * Register memory with a device.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied. Memory that is not on demand stays mapped until
 *   rte_umr_mr_deregister().
 * @return
 *   The region, freed by rte_umr_mr_deregister(), or NULL with rte_errno:
 *   - EINVAL: conf is NULL, addr is NULL, len is 0, an access bit or flag is unknown, access bits
 *     or flags do not go together, iova has another place in its page than addr, the PD is of
 *     another device, or reserved is not 0 (all logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device lacks what a flag or an access bit asks for (logged)
 *   - ERANGE: len is more than max_mr_len (logged)
 *   - ENOMEM: out of memory, or of memory that may be locked
 *   - EFAULT: the memory is not mapped everywhere (logged), or not to be written, but an access
 *     bit says so; not with RTE_UMR_MR_F_ON_DEMAND
 *   - EBADF: dmabuf_fd is no open descriptor
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_mr *rte_umr_mr_register(int16_t dev_id, const struct rte_umr_mr_conf *conf);

/**
 * Change a region: its memory, its PD, its access, in any combination. No operation may
 * use it at that time, no configured key refer to it; windows bound to it are lost.
 *
 * On success lkey and rkey may be others. Each change that is not asked for is left as it was. A
 * change of the translation of a region with on-demand paging keeps it on demand.
 *
 * On an error of the first group the region is as it was. On one of the second group the system
 * may have stopped half-way, and nobody can tell how far it came: is_lost is set, and from then
 * on the region is only to be deregistered; rte_umr_mr_lookup() does not find it. Where an error
 * is in both, is_lost tells.
 *
 * Not thread safe with other control functions of the device except rte_umr_mr_lookup().
 *
 * @param mr
 *   Region.
 * @param changes
 *   Bitwise OR of RTE_UMR_MR_CHANGE_*, at least one.
 * @param conf
 *   New values; copied. Only fields that changes asks for are read, and flags and reserved must
 *   be 0.
 * @return
 *   0, or, with the region as it was (logged),
 *   - -EINVAL: a parameter is NULL, mr is no region or one that was deregistered, changes is 0 or
 *     has an unknown bit, flags or reserved is not 0, or a new value is not valid, as in
 *     rte_umr_mr_register()
 *   - -ENOTSUP: an access bit that the device lacks; the translation of a region that has other
 *     addresses than the process, is implicit or is a DMA buffer
 *   - -ERANGE: len is more than max_mr_len
 *   - -EACCES: memory that was registered to be read only gets a right to write without
 *     RTE_UMR_MR_CHANGE_TRANSLATION (Linux pinned it to be read)
 *   - -EFAULT: the new memory is not mapped everywhere; not with RTE_UMR_MR_F_ON_DEMAND
 *   - -ENOMEM: out of memory of the process
 *   - -ESTALE: the region is lost
 *   - another negative errno of the system, if it was the translation of a region with on-demand
 *     paging: that is made anew before the old one goes
 *   or, with the region lost (logged),
 *   - -EFAULT: the new memory is not to be written, but an access bit says so
 *   - -ENOMEM: out of memory of the system, or of memory that may be locked
 *   - another negative errno of the system
 */
__rte_experimental
int rte_umr_mr_reregister(struct rte_umr_mr *mr, uint32_t changes,
			  const struct rte_umr_mr_conf *conf);

/**
 * Deregister memory. No operation may use it any more, no configured key refer to it.
 *
 * @param mr
 *   Region; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: mr is no region, or one that was deregistered (logged)
 *   - another negative errno of the system (logged); the region is then still registered
 */
__rte_experimental
int rte_umr_mr_deregister(struct rte_umr_mr *mr);

struct rte_mempool;

/**
 * Register all memory of a mempool: as many regions as it has contiguous ranges.
 * rte_umr_mr_lookup() and rte_umr_addr_to_mkey() then find the keys of its objects.
 *
 * Any mempool will do: with several chunks, with memory of hugepages or of none, of the application
 * (rte_extmem_register()), or with external buffers that are pinned to its mbufs
 * (rte_pktmbuf_pool_create_extbuf()), of which the buffers are registered and the mbufs are not.
 * Chunks, or buffers, with less than a page between them are one range, and what is between them
 * is in the region. A mempool that is registered more than once, with the same access, has its
 * regions until it was unregistered as often.
 *
 * Not thread safe with other control functions of the device.
 *
 * @param dev_id
 *   Device identifier.
 * @param mp
 *   Mempool; it is filled, and stays until it is unregistered.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*, as for rte_umr_mr_register().
 * @return
 *   0, or
 *   - -EINVAL: mp is NULL or has no memory, or access is not valid (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EEXIST: the mempool is registered with other access (logged)
 *   - what rte_umr_mr_register() says of one of the regions; none of them is left (logged)
 */
__rte_experimental
int rte_umr_mempool_register(int16_t dev_id, struct rte_mempool *mp, uint32_t access);

/**
 * Undo rte_umr_mempool_register(). No operation may be using the memory any more. In front of
 * rte_mempool_free(), and of rte_umr_dev_close(), which does not do it.
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
 *   - what rte_umr_mr_deregister() says of a region; those regions are left, try again
 */
__rte_experimental
int rte_umr_mempool_unregister(int16_t dev_id, struct rte_mempool *mp);

/**
 * Register all memory of EAL: a region for each contiguous range that there is now, and for each
 * that EAL takes from the system later, before anybody gets memory of it. What rte_malloc(),
 * memzones and mempools of EAL's memory give in one of these ranges has a key that
 * rte_umr_mr_lookup() and rte_umr_addr_to_mkey() find. Called more than once, with the same access,
 * it lasts until rte_umr_eal_memory_unregister() was called as often.
 *
 * Memory that a program adds to a heap of its own (rte_malloc_heap_memory_add()) is registered when
 * an address of it is looked for first. EAL does not tell when it goes: unregister EAL's memory in
 * front of rte_malloc_heap_memory_remove().
 *
 * Ranges that come at different times are regions of their own, also where one follows the other in
 * memory. EAL may then give out a block that is in both: no one region holds it all, and it has no
 * key. What must have one is registered by itself (rte_umr_mempool_register(),
 * rte_umr_mr_register()), or EAL takes all that it needs at the start (-m, --socket-mem).
 *
 * Memory that EAL gives back to the system is not found any more. Its region goes when all of it
 * was given back; until then its pages stay locked, and a peer that has its key reaches them,
 * though nobody else does. A range that comes later and cannot be registered is logged, and not
 * found.
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
 *   - -EEXIST: it is registered with other access (logged)
 *   - -ENOMEM: out of memory
 *   - what rte_umr_mr_register() says of a range; none of the regions is left (logged)
 */
__rte_experimental
int rte_umr_eal_memory_register(int16_t dev_id, uint32_t access);

/**
 * Undo rte_umr_eal_memory_register(). No operation may be using the memory any more. In front of
 * rte_umr_dev_close(), which does not do it.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   0, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOENT: it is not registered (logged)
 *   - what rte_umr_mr_deregister() says of a region; those regions are left, try again
 */
__rte_experimental
int rte_umr_eal_memory_unregister(int16_t dev_id);

/**
 * Find the region that holds a piece of memory: one of the default PD, at the addresses of the
 * process. Of several the one that starts last; an implicit region only if there is no other.
 *
 * Thread safe with other calls of itself and with registering, re-registering and deregistering
 * other regions.
 *
 * @param dev_id
 *   Device identifier.
 * @param addr
 *   First byte.
 * @param len
 *   Bytes; 0 are also in a region that ends at addr.
 * @param lkey
 *   Written on success with the key for local use, in host byte order.
 * @return
 *   0, or
 *   - -EINVAL: lkey is NULL
 *   - -ENODEV: no such device
 *   - -ENOENT: no one region holds it all
 */
__rte_experimental
int rte_umr_mr_lookup(int16_t dev_id, const void *addr, size_t len, uint32_t *lkey)
	__rte_warn_unused_result;

/**
 * Give advice about memory of regions with on-demand paging. Pages that were brought in may go
 * again at any time.
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
 *   0 or RTE_UMR_MR_ADVISE_F_FLUSH. Without it the call may return earlier, and what cannot be
 *   brought in is no error.
 * @return
 *   0, or (logged)
 *   - -EINVAL: segs is NULL, nb_segs is 0, advice or a flag is unknown, or the PD is of another
 *     device
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOTSUP: the device has no on-demand paging, or the system does not know the advice
 *   - -ENOENT: an lkey is not one of a region with on-demand paging
 *   - -EPERM: a region of another PD; RTE_UMR_MR_ADVICE_PREFETCH_WRITE for a region that may not
 *     be written
 *   - -EFAULT: a range leaves its region, or has memory that is not mapped
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
 *   - -ENOTSUP: the device has no on-demand paging, or the system does not count
 *   - another negative errno of the system (logged)
 */
__rte_experimental
int rte_umr_odp_stats_get(int16_t dev_id, struct rte_umr_odp_stats *stats);

/** Most bytes that a window shows: 2 GiB. */
#define RTE_UMR_MAX_MW_LEN (UINT64_C(1) << 31)

/** Type of a memory window. */
enum rte_umr_mw_type {
	RTE_UMR_MW_TYPE_1 = 1, /**< Bound at any time, used over any queue. */
	RTE_UMR_MW_TYPE_2B = 2, /**< Belongs to the queue that binds it. */
};

/** A memory window. Read only for the application. */
struct rte_umr_mw {
	/** Value of the last bind that was accepted, for the peer. Host byte order. */
	uint32_t rkey;
	uint8_t type; /**< enum rte_umr_mw_type. */
	uint8_t reserved; /**< Zero. */
	int16_t dev_id; /**< Device that it belongs to. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	void *driver_private; /**< The driver's. */
};

/** Addresses of the window start at 0, not at those of the region. Type 2B only. */
#define RTE_UMR_MW_BIND_F_ZERO_BASED RTE_BIT32(0)

/** What a window is to show. */
struct rte_umr_mw_range {
	const struct rte_umr_mr *mr; /**< Region, with RTE_UMR_ACCESS_MW_BIND. */
	uint64_t addr; /**< First byte, an address as operations use it. */
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
 *   PD of the device, that of regions and queues that the window is used with; NULL: the default
 *   one.
 * @param type
 *   Type of the window.
 * @return
 *   The window, unbound, freed by rte_umr_mw_destroy(), or NULL with rte_errno:
 *   - EINVAL: the type is unknown, or the PD is one of another device (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device has no windows of this type (logged)
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
 *   - -EINVAL: mw is no window, or one that was destroyed (logged)
 *   - another negative errno of the system (logged); the window is then still there
 */
__rte_experimental
int rte_umr_mw_destroy(struct rte_umr_mw *mw);

/** Bytes of a key tag. */
#define RTE_UMR_KEYTAG_LEN 8

/** Bytes that describe a DEK for its owner. */
#define RTE_UMR_DEK_OPAQUE_LEN 8

/** Most bytes of a DEK as it is brought to the device: 2 keys of 256 bits, tag, wrapped. */
#define RTE_UMR_DEK_KEY_MAX 80

/** Bytes that AES key wrap (RFC 3394) adds to a key. */
#define RTE_UMR_KEY_WRAP_LEN 8

/** Bytes of a wrapped credential. */
#define RTE_UMR_CREDENTIAL_LEN 48

/** Bits of each of the two AES keys of a DEK. */
enum rte_umr_dek_size {
	RTE_UMR_DEK_128 = 0, /**< AES-128-XTS. */
	RTE_UMR_DEK_256, /**< AES-256-XTS. */
};

/** What has become of a DEK. */
enum rte_umr_dek_state {
	RTE_UMR_DEK_READY = 0, /**< It can be used. */
	RTE_UMR_DEK_ERROR, /**< The device has lost it: destroy it and create it anew. */
};

/** What has become of a login. */
enum rte_umr_crypto_login_state {
	RTE_UMR_CRYPTO_LOGIN_VALID = 0, /**< Wrapped DEKs can be created and queried. */
	/** Its credential or its import KEK was deleted: destroy it. */
	RTE_UMR_CRYPTO_LOGIN_INVALID,
};

/** Configuration of a login. */
struct rte_umr_crypto_login_conf {
	uint32_t credential_id; /**< Which credential of the device, 24 bits. */
	uint32_t import_kek_id; /**< Which import KEK of the device, 24 bits. */
	/** RTE_UMR_CREDENTIAL_LEN bytes: the credential, wrapped by that import KEK. Copied. */
	const void *credential;
	uint64_t reserved[2]; /**< Zero. */
};

/** A login; opaque. */
struct rte_umr_crypto_login;

/** Configuration of a DEK. */
struct rte_umr_dek_conf {
	/**
	 * Two AES keys behind each other, the one for data and the one for tweaks; they must
	 * differ. With has_keytag, RTE_UMR_KEYTAG_LEN bytes of tag behind them. With a login, all
	 * this wrapped by the import KEK of the login (AES key wrap). Copied; not kept in memory.
	 */
	const void *key;
	/** Bytes of key: 32 or 64, with a tag 8 more, wrapped 8 more. */
	uint32_t key_len;
	uint8_t size; /**< enum rte_umr_dek_size: bits of each AES key. */
	/** A memory key must present the tag of the DEK to use it: struct rte_umr_crypto. */
	bool has_keytag;
	uint8_t reserved[2]; /**< Zero. */
	/** Valid login of this device if the key is wrapped, NULL if it is not. */
	const struct rte_umr_crypto_login *login;
	struct rte_umr_pd *pd; /**< PD of the memory keys that may use it; NULL: the default one. */
	uint8_t opaque[RTE_UMR_DEK_OPAQUE_LEN]; /**< For the owner; rte_umr_dek_query() has it. */
	uint64_t reserved2[2]; /**< Zero. */
};

/** A data encryption key in a device. Read only for the application. */
struct rte_umr_dek {
	uint32_t id; /**< Number that memory keys refer to, 24 bits. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint8_t size; /**< enum rte_umr_dek_size. */
	uint8_t state; /**< enum rte_umr_dek_state, as rte_umr_dek_query() saw it last. */
	bool has_keytag; /**< It has a tag. */
	bool is_wrapped; /**< It came wrapped. */
	uint8_t reserved[6]; /**< Zero. */
	struct rte_umr_pd *pd; /**< PD that it belongs to; NULL: the default one. */
	void *driver_private; /**< The driver's. */
};

/** What the device knows of a DEK. */
struct rte_umr_dek_attr {
	uint8_t state; /**< enum rte_umr_dek_state: whether it can be used. */
	uint8_t reserved[7]; /**< Zero. */
	uint8_t opaque[RTE_UMR_DEK_OPAQUE_LEN]; /**< As it was created with. */
	uint64_t reserved2[2]; /**< Zero. */
};

/**
 * Log in to a device that takes wrapped keys.
 *
 * A login is needed to create and to query wrapped DEKs, not to use them.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The login, freed by rte_umr_crypto_login_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf or credential is NULL, an identifier is more than 24 bits, reserved is not 0,
 *     or the device does not accept the credential (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - ENOTSUP: the device lacks RTE_UMR_CAPA_DEK_WRAPPED (logged)
 *   - ENOMEM: out of memory
 *   - EAGAIN, EIO or another errno: the device rejected the command (logged)
 */
__rte_experimental
struct rte_umr_crypto_login *
rte_umr_crypto_login_create(int16_t dev_id, const struct rte_umr_crypto_login_conf *conf);

/**
 * Ask whether a login is still valid.
 *
 * @param login
 *   Login.
 * @param state
 *   Written on success: enum rte_umr_crypto_login_state.
 * @return
 *   0, or
 *   - -EINVAL: login or state is NULL, login was destroyed, or the device is in a state that is not
 *     known (logged)
 *   - -EIO or another negative errno: the device rejected the command (logged)
 */
__rte_experimental
int rte_umr_crypto_login_query(struct rte_umr_crypto_login *login, uint8_t *state);

/**
 * Log out. DEKs that were created stay usable.
 *
 * @param login
 *   Login; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: login is no login, or one that was destroyed (logged)
 *   - another negative errno: the device rejected the command (logged); the login is still there
 */
__rte_experimental
int rte_umr_crypto_login_destroy(struct rte_umr_crypto_login *login);

/**
 * Bring a data encryption key to a device.
 *
 * The driver forgets the bytes of the key before it returns.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   The DEK, freed by rte_umr_dek_destroy(), or NULL with rte_errno:
 *   - EINVAL: conf or key is NULL, size is unknown, key_len does not go with size, has_keytag and
 *     login, pd is of another device, a reserved field is not 0 (all logged), or the device does
 *     not accept the key: not wrapped by the import KEK, the login is not valid, both AES keys are
 *     the same (logged)
 *   - ENODEV: no such device
 *   - EPERM: this is a secondary process (logged)
 *   - EXDEV: the login belongs to another device (logged)
 *   - ENOTSUP: the device lacks RTE_UMR_CAPA_MKEY_CRYPTO; RTE_UMR_CAPA_DEK_WRAPPED with a login;
 *     RTE_UMR_CAPA_DEK_PLAIN without (logged)
 *   - ENOMEM: out of memory
 *   - EAGAIN: max_deks keys are in use (logged)
 *   - EIO or another errno: the device rejected the command (logged)
 */
__rte_experimental
struct rte_umr_dek *rte_umr_dek_create(int16_t dev_id, const struct rte_umr_dek_conf *conf);

/**
 * Ask the device about a DEK. A wrapped one needs a valid login of the device. What is found
 * is also noted in the DEK: a memory key is not configured with one in RTE_UMR_DEK_ERROR.
 *
 * @param dek
 *   DEK.
 * @param attr
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: dek or attr is NULL, dek was destroyed, there is no valid login, or the device is in
 *     a state that is not known (logged)
 *   - -EIO or another negative errno: the device rejected the command (logged)
 */
__rte_experimental
int rte_umr_dek_query(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr);

/**
 * Destroy a DEK. No memory key may refer to it any more: transfers through one that does fail.
 *
 * @param dek
 *   DEK; NULL is accepted.
 * @return
 *   0, or
 *   - -EINVAL: dek is no DEK, or one that was destroyed (logged)
 *   - another negative errno: the device rejected the command (logged); the DEK is still there
 */
__rte_experimental
int rte_umr_dek_destroy(struct rte_umr_dek *dek);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MEM_H */
