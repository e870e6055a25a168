/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_H
#define RTE_UMR_H

/**
 * @file
 *
 * User-mode memory registration (UMR) device API.
 *
 * An RDMA adapter accesses memory through memory keys (mkey). An operation on a queue, not a system
 * call, configures a key from a pool of this API: it maps a list of segments, or an interleaved
 * pattern, to one address range, which begins at 0 unless rte_umr_mkey_op::base_addr says
 * otherwise. A transfer on the same queue may use the key at once, so that one operation replaces
 * many transfers or a copy.
 *
 *     +------------+   +------------+       +--------------+
 *     |  queue 0   |   |  queue 1   |  ...  |  mkey pools  |
 *     | (lcore A)  |   | (lcore B)  |       |  regions     |
 *     +------------+   +------------+       +--------------+
 *            \               |                     /
 *             +--------------+--------------------+
 *             |            UMR device             |
 *             +-----------------------------------+
 *
 * The control functions are called in this order:
 *
 *   1. rte_umr_dev_probe() (after rte_eal_init())
 *   2. rte_umr_dev_configure()
 *   3. rte_umr_queue_setup(), for every queue
 *   4. rte_umr_dev_start()
 *   5. rte_umr_queue_connect(), for every RC queue; rte_umr_dc_addr_fill() for DC initiators
 *   6. the data path
 *   7. rte_umr_dev_stop(); steps 2 to 4 may follow again
 *   8. rte_umr_dev_close()
 *
 * Memory regions, windows, key pools, data encryption keys and logins may be created at any time
 * between probe and close. They must be freed before the device is closed.
 *
 * The data path has two halves. Enqueue functions write operations to the ring of a queue and
 * return their ring index; rte_umr_submit() (or the flag RTE_UMR_OP_F_SUBMIT on the last one) posts
 * them to the device. rte_umr_completed() and rte_umr_completed_status() return completed
 * operations in the order in which they were enqueued.
 *
 * Rules for all operations:
 *
 *   - An operation is accepted completely or rejected. A rejected operation does not change the
 *     ring, and RTE_UMR_OP_F_SUBMIT with it has no effect.
 *   - Every accepted operation completes exactly once, with a status.
 *   - The ring index of a queue starts at 0 in rte_umr_dev_start(), increases by one with each
 *     accepted operation and wraps after UINT16_MAX.
 *   - Operations of one queue execute in order: an operation may use a key that the previous one
 *     configures. Across queues, wait for the completion.
 *   - Writes that follow a read may execute before the read returns its data; see
 *     RTE_UMR_OP_F_FENCE.
 *   - Segment arrays are copied; they may be reused on return. The memory that they describe must
 *     not change until the operations that move it have completed.
 *
 * Errors: the first operation that fails reports its own status. It moves the queue to the error
 * state. Operations that follow it, including those that were enqueued but not submitted, and
 * receives complete with RTE_UMR_STATUS_FLUSHED. New ones are rejected with -EIO until
 * rte_umr_queue_recover() or a restart of the device. A flushed operation may have been executed
 * partially.
 *
 * A whole device can be lost: it is removed, reports a fatal error, or stops responding. When the
 * driver has detected this (its guide states how long that takes), polling returns all outstanding
 * operations and receives with RTE_UMR_STATUS_FLUSHED, whether or not the device completes them.
 * rte_umr_dev_status() and RTE_UMR_DEV_EVENT_LOST report the loss. The device can only be used
 * again after it is closed and probed again. It may still access the memory of outstanding
 * operations until rte_umr_dev_stop() has returned 0 or the device has been closed.
 *
 * Structs can grow without breaking programs that are already compiled:
 *
 *   - Structs that the application fills in have reserved members (reserved, reserved2 and so on).
 *     They must be zero, otherwise the call logs and returns -EINVAL. Use an initializer or
 *     memset().
 *   - Structs that the library fills in are written completely. Their reserved members are zero.
 *   - struct rte_umr_dev_info has no reserved members; rte_umr_dev_info_get() passes its size.
 *   - Objects that the library returns as pointers (keys, regions, windows, DEKs) grow at their
 *     end. The application neither creates nor copies them.
 *   - Entries of arrays (struct rte_umr_seg, struct rte_umr_completion and the entries of layouts)
 *     do not change.
 *
 * Members that hold a value of an enum have a fixed-width type.
 *
 * Threads: control functions of one device must not run at the same time, except those documented
 * as thread safe, such as rte_umr_mr_lookup() and rte_umr_dev_status(). A queue belongs to one
 * lcore at a time; queues are independent. Key pools are thread safe.
 *
 * Processes: a device belongs to the process that probed it, which must be EAL's primary process. A
 * secondary process has no devices: control functions log and return -EPERM, also when they are
 * given an object of the primary process; rte_umr_dev_scan() finds nothing; the data path returns
 * -ENODEV. Functions that need no device (names, rte_umr_dev_count() and similar) work.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_compat.h>
#include <rte_errno.h>

#include "rte_umr_crypto.h"
#include "rte_umr_data.h"
#include "rte_umr_layout.h"
#include "rte_umr_mbuf.h"
#include "rte_umr_mem.h"
#include "rte_umr_mkey.h"
#include "rte_umr_queue.h"
#include "rte_umr_sg.h"
#include "rte_umr_xstats.h"

/** Version of these headers. */
#define RTE_UMR_VERSION "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* Inline functions call each other: what is experimental is marked where a program calls it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/** Size of a device name with its terminating zero. */
#define RTE_UMR_DEV_NAME_LEN 64

/** Size of a firmware version string with its terminating zero. */
#define RTE_UMR_FW_VERSION_LEN 64

/**
 * @name Capabilities of a device
 * Bits of rte_umr_dev_info::dev_capa.
 * @{
 */
#define RTE_UMR_CAPA_MKEY_LIST		RTE_BIT64(0) /**< rte_umr_mkey_list(). */
#define RTE_UMR_CAPA_MKEY_INTERLEAVED	RTE_BIT64(1) /**< rte_umr_mkey_interleaved(). */
#define RTE_UMR_CAPA_MKEY_INVALIDATE	RTE_BIT64(2) /**< rte_umr_mkey_invalidate(). */
#define RTE_UMR_CAPA_MKEY_TAG		RTE_BIT64(3) /**< The 8-bit tag of a key can change. */
/** Keys that refer to keys; see max_nesting. */
#define RTE_UMR_CAPA_MKEY_NESTED	RTE_BIT64(4)
#define RTE_UMR_CAPA_MKEY_CONFIGURE	RTE_BIT64(5) /**< rte_umr_mkey_configure(). */
#define RTE_UMR_CAPA_MKEY_UPDATE	RTE_BIT64(6) /**< RTE_UMR_MKEY_POOL_F_UPDATE. */
#define RTE_UMR_CAPA_MKEY_FIXED		RTE_BIT64(7) /**< RTE_UMR_MKEY_POOL_F_FIXED_SIZE. */
#define RTE_UMR_CAPA_WRITE		RTE_BIT64(8) /**< RDMA write, with immediate too. */
#define RTE_UMR_CAPA_READ		RTE_BIT64(9) /**< RDMA read. */
#define RTE_UMR_CAPA_SEND		RTE_BIT64(10) /**< Send and receive, with immediate too. */
#define RTE_UMR_CAPA_ATOMIC		RTE_BIT64(11) /**< Atomics of 8 bytes. */
#define RTE_UMR_CAPA_SEND_INV		RTE_BIT64(12) /**< rte_umr_send_inv(). */
#define RTE_UMR_CAPA_INLINE		RTE_BIT64(13) /**< RTE_UMR_OP_F_INLINE. */
#define RTE_UMR_CAPA_RECV_INLINE	RTE_BIT64(14) /**< Receives are inline; max_recv_inline. */
#define RTE_UMR_CAPA_QUEUE_EVENT	RTE_BIT64(15) /**< rte_umr_queue_event_fd(). */
#define RTE_UMR_CAPA_LOOPBACK		RTE_BIT64(16) /**< RTE_UMR_TRANSPORT_LOOPBACK. */
#define RTE_UMR_CAPA_RC			RTE_BIT64(17) /**< RTE_UMR_TRANSPORT_RC. */
#define RTE_UMR_CAPA_QUEUE_RECOVER	RTE_BIT64(18) /**< rte_umr_queue_recover(). */
/** RTE_UMR_TRANSPORT_DCI and RTE_UMR_TRANSPORT_DCT; see rte_umr_queue.h. */
#define RTE_UMR_CAPA_DC			RTE_BIT64(19)
#define RTE_UMR_CAPA_MW_TYPE_1		RTE_BIT64(20) /**< Memory windows of type 1. */
#define RTE_UMR_CAPA_MW_TYPE_2B		RTE_BIT64(21) /**< Memory windows of type 2B. */
#define RTE_UMR_CAPA_MKEY_BASE		RTE_BIT64(22) /**< RTE_UMR_MKEY_POOL_F_BASE. */
#define RTE_UMR_CAPA_DOORBELL_BF	RTE_BIT64(24) /**< Write-combined doorbells. */
#define RTE_UMR_CAPA_BF			RTE_BIT64(25) /**< RTE_UMR_QUEUE_F_BF. */
#define RTE_UMR_CAPA_PD			RTE_BIT64(32) /**< rte_umr_pd_alloc(). */
#define RTE_UMR_CAPA_MR_REREGISTER	RTE_BIT64(33) /**< rte_umr_mr_reregister(). */
#define RTE_UMR_CAPA_MR_ODP		RTE_BIT64(34) /**< RTE_UMR_MR_F_ON_DEMAND and advice. */
#define RTE_UMR_CAPA_MR_ODP_IMPLICIT	RTE_BIT64(35) /**< Implicit regions. */
#define RTE_UMR_CAPA_MR_ODP_STATS	RTE_BIT64(36) /**< rte_umr_odp_stats_get(). */
#define RTE_UMR_CAPA_MR_DMABUF		RTE_BIT64(37) /**< RTE_UMR_MR_F_DMABUF. */
#define RTE_UMR_CAPA_MKEY_QUERY		RTE_BIT64(38) /**< rte_umr_mkey_query(). */
#define RTE_UMR_CAPA_MKEY_CRYPTO	RTE_BIT64(40) /**< RTE_UMR_MKEY_POOL_F_CRYPTO. */
#define RTE_UMR_CAPA_CRYPTO_MULTI_UNIT	RTE_BIT64(41) /**< More than one data unit in a key. */
#define RTE_UMR_CAPA_DEK_PLAIN		RTE_BIT64(42) /**< Plaintext data encryption keys. */
#define RTE_UMR_CAPA_DEK_WRAPPED	RTE_BIT64(43) /**< Wrapped DEKs, with a login. */
#define RTE_UMR_CAPA_MKEY_SIG		RTE_BIT64(48) /**< RTE_UMR_MKEY_POOL_F_SIG. */
/**@}*/

/** Link layer of a port. */
enum rte_umr_link_layer {
	RTE_UMR_LINK_INFINIBAND = 0, /**< InfiniBand: peers have a LID. */
	RTE_UMR_LINK_ETHERNET, /**< RoCE: peers have a GID and a MAC address. */
};

/**
 * Status of a device. Any value other than OK, including an unknown one, means: the device is lost.
 */
enum rte_umr_dev_status {
	RTE_UMR_DEV_STATUS_OK = 0, /**< No error is known. */
	RTE_UMR_DEV_STATUS_FAILED, /**< It reported a fatal error, or was removed. */
	RTE_UMR_DEV_STATUS_SILENT, /**< It stopped completing operations and reports no reason. */
};

/** Asynchronous events of a device. */
enum rte_umr_dev_event {
	RTE_UMR_DEV_EVENT_LOST = 0, /**< Its status is no longer RTE_UMR_DEV_STATUS_OK. */
	/**
	 * The automatic recovery of a queue failed: nb_auto_recovery_failures in the queue
	 * statistics identifies the queue. The recovery is not retried; call
	 * rte_umr_queue_recover().
	 */
	RTE_UMR_DEV_EVENT_RECOVERY_FAILED,
};

/** Limits and capabilities of a device. */
struct rte_umr_dev_info {
	char dev_name[RTE_UMR_DEV_NAME_LEN]; /**< Name, e.g. "mlx5_0". */
	const char *driver_name; /**< Driver that probed it, static string. */
	char fw_version[RTE_UMR_FW_VERSION_LEN]; /**< Firmware version that the device reports. */
	uint32_t vendor_id; /**< Vendor number (an OUI). */
	uint32_t vendor_part_id; /**< PCI device number. */
	int16_t numa_node; /**< NUMA node, or -1 if unknown. */
	uint8_t port; /**< Port in use, from 1. */
	uint8_t link_layer; /**< enum rte_umr_link_layer of the port. */
	uint16_t lid; /**< LID of the port, 0 on Ethernet. */
	bool is_port_active; /**< The port was active at the time of the call. */
	bool is_started; /**< rte_umr_dev_start() was called. */
	uint64_t dev_capa; /**< Bitwise OR of RTE_UMR_CAPA_*. */
	uint32_t access_capa; /**< Bitwise OR of RTE_UMR_ACCESS_* that keys support. */
	uint32_t mr_access_capa; /**< Bitwise OR of RTE_UMR_ACCESS_* that regions support. */
	uint32_t odp_capa; /**< Bitwise OR of RTE_UMR_ODP_CAPA_*. */
	uint16_t nb_queues; /**< Configured queues, 0 before rte_umr_dev_configure(). */
	uint16_t max_queues; /**< Largest number of queues, up to RTE_UMR_MAX_QUEUES. */
	uint16_t min_desc; /**< Smallest depth of a send ring, in descriptors. */
	uint16_t max_desc; /**< Largest depth of a send ring, in descriptors. */
	uint16_t max_recv_desc; /**< Largest depth of a receive ring, in receives. */
	uint16_t max_recv_segs; /**< Largest number of segments of a receive. */
	uint16_t max_dct_recv_desc; /**< max_recv_desc of a DC target; 0: no DC. */
	uint16_t max_dct_recv_segs; /**< max_recv_segs of a DC target; 0: no DC. */
	uint16_t max_list_inline; /**< Entries of a list that fit the ring of a queue. */
	uint16_t max_interleaved_inline; /**< Entries of an interleaved layout that fit it. */
	uint16_t max_nesting; /**< Levels of keys that refer to keys. */
	uint16_t max_inline; /**< Largest write or send with RTE_UMR_OP_F_INLINE. */
	uint16_t max_dci_inline; /**< max_inline of a DC initiator; 0: no DC. */
	uint16_t max_bf_desc; /**< Descriptors of the longest operation with RTE_UMR_QUEUE_F_BF. */
	uint16_t max_recv_inline; /**< Largest message received in a completion; 0: none. */
	uint8_t min_log_entry_size; /**< Smallest rte_umr_mkey_pool_conf::log_entry_size. */
	uint8_t max_log_entry_size; /**< Largest one; 0: no fixed-size entries. */
	uint32_t max_entries; /**< Largest max_entries of a key pool. */
	uint32_t max_list; /**< Entries of the longest list. */
	uint32_t max_interleaved; /**< Entries of the longest interleaved layout. */
	uint32_t max_mkeys; /**< Largest number of keys of the device. */
	uint32_t max_mws; /**< Largest number of memory windows of the device. */
	uint32_t max_entry_len; /**< Longest list segment, in bytes. */
	uint32_t max_interleaved_stride; /**< Largest bytes_count + bytes_skip, in bytes. */
	uint64_t max_msg_len; /**< Longest write, read, send or receive, in bytes. */
	uint64_t max_mw_len; /**< Longest memory window, in bytes. */
	uint32_t sig_types; /**< Bit n: enum rte_umr_sig_type n; 0: no signatures. */
	uint32_t sig_trans_types; /**< The same for transactions; 0: no transaction signatures. */
	uint32_t sig_block_sizes; /**< Bitwise OR of RTE_UMR_SIG_BLOCK_*. */
	uint32_t max_sig_mkeys; /**< Largest number of signature keys of the device. */
	uint64_t max_mr_len; /**< Longest memory region, in bytes. */
	uint32_t max_deks; /**< Largest number of data encryption keys; 0: no crypto. */
	uint32_t crypto_unit_sizes; /**< Bitwise OR of RTE_UMR_CRYPTO_UNIT_*. */
	uint16_t max_segs; /**< Largest number of segments of a write or send. */
	uint16_t max_read_segs; /**< Largest number of segments of a read. */
	uint16_t max_dci_segs; /**< max_segs of a DC initiator; 0: no DC. */
	uint16_t max_dci_read_segs; /**< max_read_segs of a DC initiator; 0: no DC. */
};

/** Configuration of a device. */
struct rte_umr_dev_conf {
	uint16_t nb_queues; /**< Number of queues, [1, max_queues]. */
	uint16_t reserved[15]; /**< Zero. */
};

/**
 * List the devices that the drivers of this process can probe.
 *
 * Not thread safe. Call it after rte_eal_init().
 *
 * @param names
 *   Array of nb_max names; may be NULL if nb_max is 0.
 * @param nb_max
 *   Size of the array.
 * @return
 *   Number of devices found. If it is more than nb_max, only the first nb_max are written.
 */
__rte_experimental
uint16_t rte_umr_dev_scan(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max);

/**
 * Open a device.
 *
 * Not thread safe.
 *
 * @param devargs
 *   Name ("mlx5_0") or PCI address ("0000:08:00.0") of the device, followed by options of its
 *   driver, as in "mlx5_0,port=2".
 * @param dev_id
 *   Written on success: identifier of the device, to be closed with rte_umr_dev_close(). May be
 *   NULL.
 * @return
 *   0, or
 *   - -EINVAL: devargs is NULL, has no name, an unknown key or a bad value
 *   - -ENODEV: no driver has a device of that name
 *   - -EEXIST: the device is already open
 *   - -ENOTSUP: the device lacks something that the driver needs (logged)
 *   - -ENOSPC: RTE_UMR_MAX_DEVS devices are open
 *   - -ENOMEM: out of memory
 *   - -EPERM: secondary processes cannot open devices
 *   - another negative errno of the system: the device could not be opened (logged)
 */
__rte_experimental
int rte_umr_dev_probe(const char *devargs, int16_t *dev_id);

/**
 * Close a device: stop it, free its queues and PDs, release its identifier.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   0, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EBUSY: memory regions, windows, key pools, data encryption keys or logins still exist, or a
 *     callback of the device called this function (logged); nothing was done
 */
__rte_experimental
int rte_umr_dev_close(int16_t dev_id);

/** Number of open devices. */
__rte_experimental
uint16_t rte_umr_dev_count(void);

/** Whether dev_id is an open device. */
__rte_experimental
bool rte_umr_dev_is_valid(int16_t dev_id);

/**
 * Find the next open device.
 *
 * @param start
 *   First identifier to check.
 * @return
 *   Lowest identifier of an open device that is not below start, or -1 if there is none.
 */
__rte_experimental
int16_t rte_umr_dev_next(int16_t start);

/** Iterate over all open devices. */
#define RTE_UMR_FOREACH_DEV(dev_id)                                                                \
	for ((dev_id) = rte_umr_dev_next(0); (dev_id) >= 0;                                        \
	     (dev_id) = rte_umr_dev_next((int16_t)((dev_id) + 1)))

/**
 * Find an open device by its name.
 *
 * @param name
 *   Name as in rte_umr_dev_info::dev_name.
 * @param dev_id
 *   Written on success.
 * @return
 *   0, or
 *   - -EINVAL: a parameter is NULL
 *   - -ENODEV: no open device has this name
 */
__rte_experimental
int rte_umr_dev_id_by_name(const char *name, int16_t *dev_id);

/**
 * Get limits and capabilities of a device, for a caller whose struct has size bytes. Used by
 * rte_umr_dev_info_get() and by languages that cannot call inline functions.
 *
 * @param dev_id
 *   Device identifier.
 * @param info
 *   Written on success: size bytes. Members that do not fit are omitted; bytes beyond the struct of
 *   the library are zero.
 * @param size
 *   Size of struct rte_umr_dev_info that the caller was compiled with.
 * @return
 *   0, or
 *   - -EINVAL: info is NULL, or size is 0 (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_dev_info_get_size(int16_t dev_id, struct rte_umr_dev_info *info, size_t size);

/**
 * Get limits and capabilities of a device.
 *
 * @param dev_id
 *   Device identifier.
 * @param info
 *   Written on success.
 * @return
 *   See rte_umr_dev_info_get_size().
 */
__rte_experimental
static inline int
rte_umr_dev_info_get(int16_t dev_id, struct rte_umr_dev_info *info)
{
	return rte_umr_dev_info_get_size(dev_id, info, sizeof(*info));
}

/**
 * Initialize the configuration of a layout with the limits of a device, all its keys, and for reads
 * of memory. Then set flags, set max_entries to that of the pool, and lower other limits as needed.
 *
 * @param info
 *   Limits; read only. They may come from a device, or be made up for a plan without a device.
 * @param conf
 *   Written.
 */
__rte_experimental
static inline void
rte_umr_layout_conf_init(const struct rte_umr_dev_info *info, struct rte_umr_layout_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->max_keys = info->max_mkeys;
	conf->max_entries = info->max_entries;
	conf->max_list = info->max_list;
	conf->max_list_inline = info->max_list_inline;
	conf->max_interleaved = info->max_interleaved;
	conf->max_interleaved_inline = info->max_interleaved_inline;
	conf->max_interleaved_stride = info->max_interleaved_stride;
	conf->max_entry_len = info->max_entry_len;
	conf->max_levels = (info->dev_capa & RTE_UMR_CAPA_MKEY_NESTED) != 0 ? info->max_nesting : 1;
	if ((info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) == 0)
		conf->max_interleaved = 0;
}

/**
 * Configure a device. Existing queues are freed.
 *
 * @param dev_id
 *   Device identifier.
 * @param conf
 *   Configuration; copied.
 * @return
 *   0, or
 *   - -EINVAL: conf is NULL, nb_queues is 0 or a reserved field is not 0
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ERANGE: nb_queues is more than max_queues
 *   - -EBUSY: the device is started
 *   - -ENOMEM: out of memory
 */
__rte_experimental
int rte_umr_dev_configure(int16_t dev_id, const struct rte_umr_dev_conf *conf);

/**
 * Start a device. Loopback queues are connected; ring indices and counters start at 0. Operations
 * that were not collected after rte_umr_dev_stop() are discarded.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   0, also if it is already started, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EINVAL: the device is not configured, or one of its queues is not set up (logged)
 *   - -EIO or another negative errno: the device is lost, or rejected a command (logged)
 */
__rte_experimental
int rte_umr_dev_start(int16_t dev_id);

/**
 * Stop a device. No queue may be in use. Afterwards enqueue functions return -ESHUTDOWN;
 * outstanding operations can be collected with RTE_UMR_STATUS_FLUSHED. Connections are closed.
 *
 * @param dev_id
 *   Device identifier.
 * @return
 *   0, also if it is already stopped, or
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EIO or another negative errno: the device rejected a command (logged); it counts as stopped,
 *     but may still write to receive buffers, whose receives then are not flushed
 */
__rte_experimental
int rte_umr_dev_stop(int16_t dev_id);

/**
 * Get the status of a device, which reports whether it is lost. Any thread may call this at any
 * time, but not while the device is being closed.
 *
 * @param dev_id
 *   Device identifier.
 * @param status
 *   Written on success: enum rte_umr_dev_status.
 * @return
 *   0, or
 *   - -EINVAL: status is NULL
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_dev_status(int16_t dev_id, uint8_t *status);

/**
 * Callback for an event of a device.
 *
 * It runs in EAL's interrupt thread, in parallel to the data path, and must not use the queues of
 * the data path. It may call rte_umr_dev_status(), and notify another thread to stop and close the
 * device; it must not stop or close the device itself.
 *
 * @param dev_id
 *   Device identifier.
 * @param event
 *   Event.
 * @param arg
 *   As given to rte_umr_dev_callback_register().
 */
typedef void (*rte_umr_dev_callback_t)(int16_t dev_id, enum rte_umr_dev_event event, void *arg);

/**
 * Register a callback for an event of a device. Earlier events are not repeated: check
 * rte_umr_dev_status() afterwards. Any thread may call this at any time, but not while the device
 * is being closed, which unregisters all callbacks.
 *
 * @param dev_id
 *   Device identifier.
 * @param event
 *   Event.
 * @param function
 *   Function.
 * @param arg
 *   Passed to the function.
 * @return
 *   0, or
 *   - -EINVAL: function is NULL, or the event is unknown (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -EEXIST: the function is already registered for the event with this argument
 *   - -ENOMEM: out of memory
 */
__rte_experimental
int rte_umr_dev_callback_register(int16_t dev_id, enum rte_umr_dev_event event,
				  rte_umr_dev_callback_t function, void *arg);

/**
 * Unregister a callback: it is not running when the call has returned 0. Any thread may call this
 * at any time, but not while the device is being closed.
 *
 * @param dev_id
 *   Device identifier.
 * @param event
 *   Event.
 * @param function
 *   Function.
 * @param arg
 *   As given to rte_umr_dev_callback_register().
 * @return
 *   0, or
 *   - -EINVAL: function is NULL, or the event is unknown (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 *   - -ENOENT: the function is not registered for the event, with this argument
 *   - -EAGAIN: the function is running; call again
 */
__rte_experimental
int rte_umr_dev_callback_unregister(int16_t dev_id, enum rte_umr_dev_event event,
				    rte_umr_dev_callback_t function, void *arg);

/**
 * Print the state of a device, its key pools and its queues as text. For a queue in the error
 * state, also decode the operation that failed, as rte_umr_queue_dump() does. The format may
 * change.
 *
 * @param dev_id
 *   Device identifier.
 * @param f
 *   Open file.
 * @return
 *   0, or
 *   - -EINVAL: f is NULL
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_dump(int16_t dev_id, FILE *f);

/** Name of an enum rte_umr_op_type, a static string; "unknown" for an invalid value. */
__rte_experimental
const char *rte_umr_op_name(unsigned int op);

/** Name of an enum rte_umr_status, a static string; "unknown" for an invalid value. */
__rte_experimental
const char *rte_umr_status_name(unsigned int status);

/** Name of the status of a device, a static string; "unknown" for an invalid value. */
__rte_experimental
const char *rte_umr_dev_status_name(unsigned int status);

#pragma GCC diagnostic pop

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_H */
