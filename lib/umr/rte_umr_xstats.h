/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_XSTATS_H
#define RTE_UMR_XSTATS_H

/**
 * @file
 *
 * Extended statistics: all counters of a queue or a device, as pairs of name and value, for
 * programs that show or collect numbers without interpreting them. The driver's guide describes
 * each counter and how to react to it.
 *
 * Each queue has a set of counters, and so does the device (RTE_UMR_XSTATS_DEV). The set does not
 * change while the queue, or the device, exists:
 *
 *   - read the names once and the values any number of times; both have the same order
 *   - identifiers below RTE_UMR_XSTATS_ID_DRIVER are those of enum rte_umr_xstat_id: they are
 *     stable across versions and the same for all drivers
 *   - identifiers from RTE_UMR_XSTATS_ID_DRIVER on belong to the driver and are valid for one
 *     version of it: store its names instead, which are stable
 *
 * Threads: values may be read while queues are in use; each is then some recent value. As control
 * functions, these must not run in parallel to others of the same device; /umr/xstats of telemetry
 * may.
 *
 * Included by rte_umr.h.
 */

#include <stdint.h>

#include <rte_common.h>
#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Queue index that selects the device itself. */
#define RTE_UMR_XSTATS_DEV UINT16_MAX

/** Size of a name with its terminating zero. */
#define RTE_UMR_XSTATS_NAME_LEN 56

/** First identifier of the driver. */
#define RTE_UMR_XSTATS_ID_DRIVER 0x10000u

/** Identifiers of lib/umr. Values are stable; new ones are added at the end of each group. */
enum rte_umr_xstat_id {
	/** Queue: the members of struct rte_umr_queue_stats, starting with nb_submitted. */
	RTE_UMR_XSTAT_SUBMITTED = 0,
	RTE_UMR_XSTAT_COMPLETED, /**< nb_completed. */
	RTE_UMR_XSTAT_ERRORS, /**< nb_errors. */
	RTE_UMR_XSTAT_DOORBELLS, /**< nb_doorbells. */
	RTE_UMR_XSTAT_BF, /**< nb_bf. */
	RTE_UMR_XSTAT_FULL, /**< nb_full. */
	RTE_UMR_XSTAT_REJECTED, /**< nb_rejected. */
	RTE_UMR_XSTAT_RECV_POSTED, /**< nb_recv_posted. */
	RTE_UMR_XSTAT_RECV_COMPLETED, /**< nb_recv_completed. */
	RTE_UMR_XSTAT_RECV_ERRORS, /**< nb_recv_errors. */
	RTE_UMR_XSTAT_RECOVERIES, /**< nb_recoveries. */
	RTE_UMR_XSTAT_AUTO_RECOVERIES, /**< nb_auto_recoveries. */
	RTE_UMR_XSTAT_LAST_RECOVERY_NS, /**< last_recovery_ns. */
	RTE_UMR_XSTAT_MAX_RECOVERY_NS, /**< max_recovery_ns. */
	RTE_UMR_XSTAT_AUTO_RECOVERY_FAILURES, /**< nb_auto_recovery_failures. */

	/** Queue: first of nb_rejects, indexed by enum rte_umr_reject. */
	RTE_UMR_XSTAT_REJECTS = 0x100,

	/** Device: memory regions that exist. */
	RTE_UMR_XSTAT_MRS = 0x200,
	RTE_UMR_XSTAT_MWS, /**< Memory windows that exist. */
	RTE_UMR_XSTAT_DEKS, /**< Data encryption keys that exist. */
	RTE_UMR_XSTAT_MKEY_POOLS, /**< Key pools that exist. */
	RTE_UMR_XSTAT_MKEYS, /**< Keys of the pools, free or not. */
	/** Of these, in use; some may be counted twice while lcores get and put keys. */
	RTE_UMR_XSTAT_MKEYS_IN_USE,
	/** Calls that returned -ENOBUFS because a pool had too few keys. */
	RTE_UMR_XSTAT_MKEY_POOL_EMPTY,
	RTE_UMR_XSTAT_MKEYS_UNRETURNED, /**< Keys in use when destroying a pool was attempted. */
	/** Control operations that failed or were rejected in the driver or its device. */
	RTE_UMR_XSTAT_COMMAND_FAILURES,
};

/** Name of a counter. */
struct rte_umr_xstat_name {
	char name[RTE_UMR_XSTATS_NAME_LEN]; /**< Lower case, words with '_' between them. */
	uint32_t id; /**< As in struct rte_umr_xstat. */
	uint32_t reserved; /**< Zero. */
};

/** Value of a counter. */
struct rte_umr_xstat {
	uint64_t value; /**< Value. */
	uint32_t id; /**< enum rte_umr_xstat_id, or RTE_UMR_XSTATS_ID_DRIVER and more. */
	uint32_t reserved; /**< Zero. */
};

/**
 * Get the names of counters.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @param names
 *   Array that is written; may be NULL if nb_max is 0.
 * @param nb_max
 *   Size of names.
 * @return
 *   Number of counters; if it is more than nb_max, nothing is written. Or
 *   - -EINVAL: names is NULL and nb_max is not 0, or the queue index is invalid or the queue is not
 *     set up (logged)
 *   - -ENOMEM: out of memory (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_names_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat_name *names,
			     uint32_t nb_max);

/**
 * Get the values of counters, in the order of their names.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @param xstats
 *   Array that is written; may be NULL if nb_max is 0.
 * @param nb_max
 *   Size of xstats.
 * @return
 *   Number of counters; if it is more than nb_max, nothing is written. Or
 *   - -EINVAL: xstats is NULL and nb_max is not 0, or the queue index is invalid or the queue is
 *     not set up (logged)
 *   - -ENOMEM: out of memory (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat *xstats,
		       uint32_t nb_max);

/**
 * Get the value of one counter.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @param name
 *   Name of the counter.
 * @param value
 *   Written on success.
 * @return
 *   0, or
 *   - -ENOENT: no counter has that name
 *   - -EINVAL: name or value is NULL, or the queue index is invalid or the queue is not set up
 *     (logged)
 *   - -ENOMEM: out of memory (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_by_name_get(int16_t dev_id, uint16_t queue_id, const char *name,
			       uint64_t *value);

/**
 * Set counters to zero. For a queue, this resets the same counters as rte_umr_queue_stats_reset()
 * and is not thread safe with the data path of the queue. For a device, it resets counters of
 * events, not numbers of existing objects.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is invalid or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_reset(int16_t dev_id, uint16_t queue_id);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_XSTATS_H */
