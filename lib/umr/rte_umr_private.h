/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_PRIVATE_H
#define RTE_UMR_PRIVATE_H

/**
 * @file
 * What the files of lib/umr share.
 */

#include <errno.h>

#include <rte_log.h>

#include "rte_umr_pmd.h"

extern int rte_umr_logtype;

/** One line: UMR_LOG(ERR, "device %d: ...", dev_id). */
#define UMR_LOG(level, fmt, ...)                                                                   \
	rte_log(RTE_LOG_##level, (uint32_t)rte_umr_logtype, "umr: " fmt "\n", ##__VA_ARGS__)

/** Whether room of a struct is zero, a member that is an array. */
#define UMR_IS_ZERO(array) rte_umr_is_zero(array, sizeof(array))

static inline bool
rte_umr_is_zero(const void *room, size_t size)
{
	const uint8_t *bytes = room;
	size_t i;

	for (i = 0; i < size; i++)
		if (bytes[i] != 0)
			return false;
	return true;
}

/** Whether this is a secondary process, which has no devices: says so. */
bool rte_umr_is_secondary(const char *what);
/** A control function has found no device. @return -ENODEV, or -EPERM (logged) */
int rte_umr_no_dev(const char *what);
/** Open device of that identifier, or NULL. */
struct rte_umr_dev *rte_umr_dev_get(int16_t dev_id);

/** What the control path hands out. */
enum umr_object_kind {
	UMR_OBJECT_MR,
	UMR_OBJECT_MW,
	UMR_OBJECT_PD,
	UMR_OBJECT_POOL,
	UMR_OBJECT_DEK,
	UMR_OBJECT_LOGIN,
};

/** Memory of an object, all zero, or NULL. */
void *rte_umr_object_alloc(enum umr_object_kind kind, size_t size);
/** Free it; NULL is accepted. */
void rte_umr_object_free(void *handle);
/** Whether there is such an object; it is not looked into. @return 0 or -EINVAL (logged) */
int rte_umr_object_check(enum umr_object_kind kind, const void *handle);

/** Capabilities and limits of a device, without what changes: nothing is asked for them. */
void rte_umr_dev_limits_get(struct rte_umr_dev *dev, struct rte_umr_dev_info *info);

/** Fast-path table: the device is open, and none of its queues is set up. */
void rte_umr_fp_dev_open(int16_t dev_id);
/** Fast-path table: there is no such device. */
void rte_umr_fp_dev_close(int16_t dev_id);
/** Check and fill in what a queue begins with. @return 0 or -EINVAL (logged). */
int rte_umr_fp_queue_init(const struct rte_umr_dev *dev, uint16_t queue_id,
			  struct rte_umr_fp_queue *queue);
/** Fast-path table: a queue is set up. */
void rte_umr_fp_queue_set(const struct rte_umr_dev *dev, uint16_t queue_id,
			  struct rte_umr_fp_queue *queue);
/** Fast-path table: enqueueing is rejected, what is outstanding can be collected. */
void rte_umr_fp_set_stopped(struct rte_umr_dev *dev);
/** Fast-path table: the driver's functions. */
void rte_umr_fp_set_started(struct rte_umr_dev *dev);
/** What stands in the table where a device that is open has no queue, or one that is not. */
struct rte_umr_fp_queue *rte_umr_fp_no_queue(bool is_open);

/** Functions of a queue that is started: the driver's, or those that check and call them. */
const struct rte_umr_fp_ops *rte_umr_debug_ops(const struct rte_umr_fp_queue *queue);

/** What a queue, which is set up, can do. */
enum rte_umr_queue_status rte_umr_queue_status_of(const struct rte_umr_dev *dev, uint16_t queue_id);

/**
 * What an operation of the driver has returned: counts what it has rejected, or could not do.
 * What only says that the state is not right is none of it. @return ret
 */
static inline int
rte_umr_counted(struct rte_umr_dev *dev, int ret)
{
	if (ret < 0 && ret != -EBUSY && ret != -EALREADY && ret != -EISCONN)
		__atomic_fetch_add(&dev->nb_failures, 1, __ATOMIC_RELAXED);
	return ret;
}

/** A queue, which is set up, as text. */
void rte_umr_queue_dump_of(const struct rte_umr_dev *dev, uint16_t queue_id, uint32_t nb_ops,
			   FILE *f);

/** A name as counters, and dictionaries of telemetry, have them: without '-'. */
void rte_umr_underscore(char *name);

/** An extended statistic. */
struct rte_umr_xstat_row {
	uint64_t value;
	uint32_t id;
	char name[RTE_UMR_XSTATS_NAME_LEN];
};

/**
 * Extended statistics of a queue or, RTE_UMR_XSTATS_DEV, of a device, in an array that the caller
 * frees. @return How many, -EINVAL (no such queue) or -ENOMEM
 */
int rte_umr_xstats_rows(const struct rte_umr_dev *dev, uint16_t queue_id,
			struct rte_umr_xstat_row **rows);

/** What is known of a key pool. */
struct rte_umr_mkey_pool_state {
	uint32_t nb_mkeys;
	uint32_t max_entries;
	uint32_t flags;
	uint32_t nb_in_use;	/* about, while lcores get and put */
	uint32_t nb_unreturned;	/* when it was to be destroyed */
	uint64_t nb_empty;	/* calls that found too few keys */
};

/** Pool number i of a device, in the order in which they were made. @return Whether there is one */
bool rte_umr_mkey_pool_state(const struct rte_umr_dev *dev, uint32_t i,
			     struct rte_umr_mkey_pool_state *state);
/** Set what pools count to 0. */
void rte_umr_mkey_pools_stats_reset(struct rte_umr_dev *dev);
/** Say which keys of which pools of a device are out. */
void rte_umr_mkey_pools_log(const struct rte_umr_dev *dev);

/** Release all queues and forget the configuration. */
void rte_umr_queues_free(struct rte_umr_dev *dev);

/**
 * Devices, queues and pools that telemetry can find stay while it holds this lock: who publishes
 * or frees one takes it. Control path only.
 */
void rte_umr_objs_lock(void);
void rte_umr_objs_unlock(void);
/** The same for the data path of RTE_UMR_DEBUG, whose threads do not wait for each other. */
void rte_umr_objs_read_lock(void);

/** Key of a device by its value, whatever the tag, or NULL. The lock is held. */
const struct rte_umr_mkey *rte_umr_mkey_find(struct rte_umr_dev *dev, uint32_t key);

/**
 * What is wrong with a pointer to a key, which is not followed if it is none. Takes the lock.
 * @return What to say of it, or NULL: the key is out of its pool, which there is.
 */
const char *rte_umr_mkey_fault(const struct rte_umr_mkey *mkey);

/** Lookups in a device begin: caches of lcores. @return 0 or -ENOMEM (logged). */
int rte_umr_lookup_open(int16_t dev_id);
/**
 * Let a range of memory be found. @param owner Only to find it again when it is removed, with the
 * same address. @return 0 or -ENOMEM (logged).
 */
int rte_umr_lookup_add(int16_t dev_id, const void *addr, size_t len, uint32_t lkey,
		       const void *owner);
/** Let a range not be found any more; nothing if it is not there. */
void rte_umr_lookup_remove(int16_t dev_id, const void *addr, const void *owner);
/** Lookups in a device, which has no regions, find nothing any more. */
void rte_umr_lookup_close(int16_t dev_id);

/**
 * An address was not found: if it is of memory that was added to a heap, register that. Any thread.
 * @return Whether the address is known now.
 */
bool rte_umr_eal_mem_join(struct rte_umr_eal_mem *mem, const void *addr);

/** Register memory, but let lookups not find it. @return As rte_umr_mr_register(). */
struct rte_umr_mr *rte_umr_mr_register_unfound(int16_t dev_id, const struct rte_umr_mr_conf *conf);

/** Whether a PD is one of the device; NULL is. Logged if not. */
bool rte_umr_pd_is_of(const struct rte_umr_pd *pd, int16_t dev_id);
/** Free the PDs of a device. */
void rte_umr_pds_free(struct rte_umr_dev *dev);
/** Something belongs to a PD from now on; NULL is accepted. */
void rte_umr_pd_ref(struct rte_umr_pd *pd);
/** Something belongs to a PD no more; NULL is accepted. */
void rte_umr_pd_unref(struct rte_umr_pd *pd);

/** Whether a device can do that; if it is lost, says so. @return 0 or -EIO (logged). */
int rte_umr_lost_check(const struct rte_umr_dev *dev, const char *what);
/**
 * What a driver has returned that was to give something back. A device that is lost may reject it,
 * but nobody would get rid of what it has then: it goes with the device. @return ret, or 0
 */
int rte_umr_given_back(struct rte_umr_dev *dev, int ret);
/** Whether this thread is in a callback of the device. */
bool rte_umr_callbacks_are_mine(const struct rte_umr_dev *dev);
/** Nobody is told any more. */
void rte_umr_callbacks_free(struct rte_umr_dev *dev);

#endif /* RTE_UMR_PRIVATE_H */
