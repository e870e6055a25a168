/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_XSTATS_H
#define RTE_UMR_XSTATS_H

/**
 * @file
 *
 * Extended statistics: everything that a queue or a device counts, as pairs of a name and a value,
 * for programs that show or collect numbers and need not know what they mean. The driver's guide
 * tells for each what it means and what to do about it.
 *
 * A set of counters belongs to a queue, or with RTE_UMR_XSTATS_DEV to the device. It does not
 * change while the queue, or the device, is there:
 *
 *   - ask for names once, and then for values as often as wanted; both come in the same order
 *   - identifiers below RTE_UMR_XSTATS_ID_DRIVER are those of enum rte_umr_xstat_id: they stay
 *     from version to version, and are the same for all drivers
 *   - those from there on are the driver's, and hold for this version of it: keep its names
 *     instead, which stay
 *
 * Threads: values may be read while queues work, each is then some recent value. As control
 * functions these do not run together with others of the same device, but /umr/xstats of
 * telemetry may.
 *
 * Included by rte_umr.h.
 */

#include <stdint.h>

#include <rte_common.h>
#include <rte_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** In place of a queue: the device itself. */
#define RTE_UMR_XSTATS_DEV UINT16_MAX

/** Size of a name with its terminating zero. */
#define RTE_UMR_XSTATS_NAME_LEN 56

/** Identifiers from here on are the driver's. */
#define RTE_UMR_XSTATS_ID_DRIVER 0x10000u

/** Identifiers of lib/umr. Values stay; new ones come at the end of each group. */
enum rte_umr_xstat_id {
	/** Of a queue: the members of struct rte_umr_queue_stats, nb_submitted first. */
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

	/** Of a queue: from here on nb_rejects, by enum rte_umr_reject. */
	RTE_UMR_XSTAT_REJECTS = 0x100,

	/** Of a device: memory regions that there are. */
	RTE_UMR_XSTAT_MRS = 0x200,
	RTE_UMR_XSTAT_MWS, /**< Memory windows that there are. */
	RTE_UMR_XSTAT_DEKS, /**< Data encryption keys that there are. */
	RTE_UMR_XSTAT_MKEY_POOLS, /**< Key pools that there are. */
	RTE_UMR_XSTAT_MKEYS, /**< Keys in them, free or not. */
	/** Of these, out of their pool; some may be counted twice while lcores get and put. */
	RTE_UMR_XSTAT_MKEYS_IN_USE,
	RTE_UMR_XSTAT_MKEY_POOL_EMPTY, /**< Calls that found too few keys in a pool: -ENOBUFS. */
	RTE_UMR_XSTAT_MKEYS_UNRETURNED, /**< Keys that were out when a pool was to be destroyed. */
	/** Control operations that the driver or its device has rejected or could not do. */
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
 * Names of counters.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @param names
 *   Where they go; may be NULL if nb_max is 0.
 * @param nb_max
 *   Room of names.
 * @return
 *   Number of counters; if it is more than nb_max, nothing was written. Or
 *   - -EINVAL: names is NULL and nb_max is not 0, or the queue index is wrong or the queue is not
 *     set up (logged)
 *   - -ENOMEM: out of memory (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_names_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat_name *names,
			     uint32_t nb_max);

/**
 * Values of counters, in the order of their names.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @param xstats
 *   Where they go; may be NULL if nb_max is 0.
 * @param nb_max
 *   Room of xstats.
 * @return
 *   Number of counters; if it is more than nb_max, nothing was written. Or
 *   - -EINVAL: xstats is NULL and nb_max is not 0, or the queue index is wrong or the queue is not
 *     set up (logged)
 *   - -ENOMEM: out of memory (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_get(int16_t dev_id, uint16_t queue_id, struct rte_umr_xstat *xstats,
		       uint32_t nb_max);

/**
 * Value of one counter.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @param name
 *   Its name.
 * @param value
 *   Written on success.
 * @return
 *   0, or
 *   - -ENOENT: no counter has that name
 *   - -EINVAL: name or value is NULL, or the queue index is wrong or the queue is not set up
 *     (logged)
 *   - -ENOMEM: out of memory (logged)
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_by_name_get(int16_t dev_id, uint16_t queue_id, const char *name,
			       uint64_t *value);

/**
 * Set counters to zero. Those of a queue are all that rte_umr_queue_stats_reset() resets, and as
 * that it is not thread safe with the data path of the queue. Of a device: what counts events;
 * numbers of what there is stay.
 *
 * @param dev_id
 *   Device identifier.
 * @param queue_id
 *   Queue index, or RTE_UMR_XSTATS_DEV.
 * @return
 *   0, or
 *   - -EINVAL: the queue index is wrong or the queue is not set up
 *   - -ENODEV: no such device
 *   - -EPERM: this is a secondary process (logged)
 */
__rte_experimental
int rte_umr_xstats_reset(int16_t dev_id, uint16_t queue_id);

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_XSTATS_H */
