/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_MR_H
#define RTE_UMR_MR_H

/**
 * @file
 *
 * Memory regions and protection domains of the UMR device API. Included by rte_umr.h, which
 * describes the model.
 *
 * A region makes memory known to a device. Its pages are pinned when it is registered or, with
 * on-demand paging (ODP), brought in when the device touches them: a region may then cover memory
 * that is not mapped yet, and an implicit one covers all that a process will ever map. What
 * nothing is mapped to fails at run time, with RTE_UMR_STATUS_LOCAL_PROT or
 * RTE_UMR_STATUS_REMOTE_ACCESS.
 *
 * A protection domain (PD) says who may use what: a queue reaches only regions and keys of its own
 * one. Every device has a default PD, which all objects belong to that name no other. The device
 * checks it at run time: a region or key of another PD fails like one that does not exist.
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

struct rte_umr_seg;

/**
 * @name Access rights
 * What may be done through a memory region or a memory key. Local reads are always allowed.
 * @{
 */
#define RTE_UMR_ACCESS_LOCAL_WRITE	RTE_BIT32(0) /**< Local writes: read results, receives. */
#define RTE_UMR_ACCESS_REMOTE_READ	RTE_BIT32(1) /**< RDMA reads by the peer. */
#define RTE_UMR_ACCESS_REMOTE_WRITE	RTE_BIT32(2) /**< RDMA writes by the peer. */
#define RTE_UMR_ACCESS_REMOTE_ATOMIC	RTE_BIT32(3) /**< Atomics by the peer. */
/** All access rights that this version knows. */
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
	int dmabuf_fd; /**< With RTE_UMR_MR_F_DMABUF: descriptor of the buffer; not closed. */
	uint32_t reserved; /**< Zero. */
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
};

/**
 * Allocate a protection domain.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   The PD, freed by rte_umr_pd_free() or with the device, or NULL with rte_errno:
 *   - ENODEV: no such device
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
 *   - -EBUSY: regions, windows, key pools or queues are left (logged with their number)
 *   - another negative errno of the system (logged); the PD is still there
 */
__rte_experimental
int rte_umr_pd_free(struct rte_umr_pd *pd);

/**
 * Register memory with a device, in its default PD.
 *
 * @param dev_id
 *   Device identifier.
 * @param addr
 *   First byte; stays mapped until rte_umr_mr_deregister(). NULL for an implicit region.
 * @param len
 *   Bytes, [1, max_mr_len]; SIZE_MAX for an implicit region.
 * @param access
 *   Bitwise OR of RTE_UMR_ACCESS_*. Remote writes and atomics need local writes.
 * @param flags
 *   Bitwise OR of RTE_UMR_MR_F_*, not _IOVA or _DMABUF, which rte_umr_mr_register_conf() takes.
 * @return
 *   As rte_umr_mr_register_conf().
 */
__rte_experimental
struct rte_umr_mr *rte_umr_mr_register(int16_t dev_id, void *addr, size_t len, uint32_t access,
				       uint32_t flags);

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
 *   - ENOTSUP: the device lacks what a flag or an access bit asks for (logged)
 *   - ERANGE: len is more than max_mr_len (logged)
 *   - ENOMEM: out of memory, or of memory that may be locked
 *   - EFAULT: the memory is not mapped everywhere (logged), or not to be written, but an access
 *     bit says so; not with RTE_UMR_MR_F_ON_DEMAND
 *   - EBADF: dmabuf_fd is no open descriptor
 *   - another errno of the system (logged)
 */
__rte_experimental
struct rte_umr_mr *rte_umr_mr_register_conf(int16_t dev_id, const struct rte_umr_mr_conf *conf);

/**
 * Change a region: its memory, its PD, its access rights, in any combination. No operation may
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
 *   - -EINVAL: a parameter is NULL, changes is 0 or has an unknown bit, flags or reserved is not
 *     0, or a new value is not valid, as in rte_umr_mr_register_conf()
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
 *   0, or a negative errno of the system (logged); the region is then still registered.
 */
__rte_experimental
int rte_umr_mr_deregister(struct rte_umr_mr *mr);

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
 *   Bytes.
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
 *   - -ENOTSUP: the device has no on-demand paging, or the system does not count
 *   - another negative errno of the system (logged)
 */
__rte_experimental
int rte_umr_odp_stats_get(int16_t dev_id, struct rte_umr_odp_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_MR_H */
