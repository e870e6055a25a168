/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_PRIVATE_H
#define RTE_UMR_PRIVATE_H

/**
 * @file
 * Declarations shared by the files of lib/umr.
 */

#include <errno.h>

#include <rte_log.h>

#include "rte_umr_pmd.h"

extern int rte_umr_logtype;

/** Log one line. */
#define UMR_LOG(level, fmt, ...)                                                                   \
	rte_log(RTE_LOG_##level, (uint32_t)rte_umr_logtype, "umr: " fmt "\n", ##__VA_ARGS__)
/** Log one line about a device, by its name: UMR_NAME_LOG(ERR, dev->name, "..."). */
#define UMR_NAME_LOG(level, name, fmt, ...)                                                        \
	UMR_LOG(level, "%s: " fmt, name, ##__VA_ARGS__)
/** The same by its identifier: UMR_DEV_LOG(ERR, dev_id, "..."). */
#define UMR_DEV_LOG(level, dev_id, fmt, ...)                                                       \
	UMR_NAME_LOG(level, rte_umr_dev_label(dev_id), fmt, ##__VA_ARGS__)

/** Whether a reserved member of a struct, an array, is zero. */
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

/** Whether this is a secondary process, which has no devices (logged). */
bool rte_umr_is_secondary(const char *what);
/** Error of a control function that found no device. @return -ENODEV, or -EPERM (logged) */
int rte_umr_no_dev(const char *what);
/** Open device of that identifier, or NULL. */
struct rte_umr_dev *rte_umr_dev_get(int16_t dev_id);

/** Objects that the control path returns. */
enum umr_object_kind {
	UMR_OBJECT_MR,
	UMR_OBJECT_MW,
	UMR_OBJECT_PD,
	UMR_OBJECT_POOL,
	UMR_OBJECT_DEK,
	UMR_OBJECT_LOGIN,
};

/** Allocate a zeroed object, or return NULL. */
void *rte_umr_object_alloc(enum umr_object_kind kind, size_t size);
/** Free an object; NULL is accepted. */
void rte_umr_object_free(void *handle);
/** Check that an object exists, without dereferencing it. @return 0 or -EINVAL (logged) */
int rte_umr_object_check(enum umr_object_kind kind, const void *handle);

/** Get the constant capabilities and limits of a device, without querying it. */
void rte_umr_dev_limits_get(struct rte_umr_dev *dev, struct rte_umr_dev_info *info);

/** Fast-path table: open a device without queues. */
void rte_umr_fp_dev_open(int16_t dev_id);
/** Fast-path table: close a device. */
void rte_umr_fp_dev_close(int16_t dev_id);
/** Check and fill in the header of a queue. @return 0 or -EINVAL (logged). */
int rte_umr_fp_queue_init(const struct rte_umr_dev *dev, uint16_t queue_id,
			  struct rte_umr_fp_queue *queue);
/** Fast-path table: add a queue. */
void rte_umr_fp_queue_set(const struct rte_umr_dev *dev, uint16_t queue_id,
			  struct rte_umr_fp_queue *queue);
/** Fast-path table: reject enqueueing, allow collecting outstanding operations. */
void rte_umr_fp_set_stopped(struct rte_umr_dev *dev);
/** Fast-path table: use the driver's functions. */
void rte_umr_fp_set_started(struct rte_umr_dev *dev);
/** Table entry for a queue that does not exist, of an open or a closed device. */
const struct rte_umr_fp_entry *rte_umr_fp_no_entry(bool is_open);

/** Functions of a started queue: the driver's, or those that check and call them. */
const struct rte_umr_fp_ops *rte_umr_debug_ops(const struct rte_umr_fp_queue *queue);

/** Status of a queue that is set up. */
enum rte_umr_queue_status rte_umr_queue_status_of(const struct rte_umr_dev *dev, uint16_t queue_id);

/**
 * Count a failed or rejected operation of the driver by its return value. Errors that only report a
 * wrong state do not count. @return ret
 */
static inline int
rte_umr_counted(struct rte_umr_dev *dev, int ret)
{
	if (ret < 0 && ret != -EBUSY && ret != -EALREADY && ret != -EISCONN)
		__atomic_fetch_add(&dev->nb_failures, 1, __ATOMIC_RELAXED);
	return ret;
}

/** State of a key pool. */
struct rte_umr_mkey_pool_state {
	uint32_t nb_mkeys;
	uint32_t max_entries;
	uint32_t flags;
	uint32_t nb_in_use;	/* approximate while lcores get and put */
	uint32_t nb_unreturned;	/* when destroying it was attempted */
	uint64_t nb_empty;	/* calls that found too few keys */
};

/** Get the state of pool i of a device, in the order of creation. @return Whether it exists */
bool rte_umr_mkey_pool_state(const struct rte_umr_dev *dev, uint32_t i,
			     struct rte_umr_mkey_pool_state *state);
/** Reset the counters of pools. */
void rte_umr_mkey_pools_stats_reset(struct rte_umr_dev *dev);
/** Log the keys in use of all pools of a device. */
void rte_umr_mkey_pools_log(const struct rte_umr_dev *dev);

/** Release all queues and clear the configuration. */
void rte_umr_queues_free(struct rte_umr_dev *dev);

/**
 * Lock for devices, queues and pools that telemetry can find: taken to publish or free one. Control
 * path only.
 */
void rte_umr_objs_lock(void);
void rte_umr_objs_unlock(void);
/** Shared lock for the data path of RTE_UMR_DEBUG, whose threads do not wait for each other. */
void rte_umr_objs_read_lock(void);

/** Find a key of a device by its value, ignoring the tag; NULL if none. The lock is held. */
const struct rte_umr_mkey *rte_umr_mkey_find(struct rte_umr_dev *dev, uint32_t key);

/**
 * Check a pointer to a key, without dereferencing an invalid one. Takes the lock. @return
 * Description of the fault, or NULL: the pool exists and the key is in use.
 */
const char *rte_umr_mkey_fault(const struct rte_umr_mkey *mkey);

/** Enable lookups in a device: allocate the caches of lcores. @return 0 or -ENOMEM (logged). */
int rte_umr_lookup_open(int16_t dev_id);
/**
 * Add a range of memory to lookups. @param owner Identifies the range for removal, together with
 * the address. @return 0 or -ENOMEM (logged).
 */
int rte_umr_lookup_add(int16_t dev_id, const void *addr, size_t len, uint32_t lkey,
		       const void *owner);
/** Remove a range from lookups; does nothing if it does not exist. */
void rte_umr_lookup_remove(int16_t dev_id, const void *addr, const void *owner);
/** Disable lookups in a device, which has no regions. */
void rte_umr_lookup_close(int16_t dev_id);

/**
 * Register the memory of an address that was not found, if it was added to a heap. Any thread.
 * @return Whether the address is known now.
 */
bool rte_umr_eal_mem_join(struct rte_umr_eal_mem *mem, const void *addr);

/** Register memory without adding it to lookups. @return As rte_umr_mr_register(). */
struct rte_umr_mr *rte_umr_mr_register_unfound(int16_t dev_id, const struct rte_umr_mr_conf *conf);

/** Whether a PD belongs to the device (NULL does). Logged if not. */
bool rte_umr_pd_is_of(const struct rte_umr_pd *pd, int16_t dev_id);
/** Free the PDs of a device. */
void rte_umr_pds_free(struct rte_umr_dev *dev);
/** Add a user of a PD; NULL is accepted. */
void rte_umr_pd_ref(struct rte_umr_pd *pd);
/** Remove a user of a PD; NULL is accepted. */
void rte_umr_pd_unref(struct rte_umr_pd *pd);

/** Check that a device is not lost. @return 0 or -EIO (logged). */
int rte_umr_lost_check(const struct rte_umr_dev *dev, const char *what);
/**
 * Handle the return value of a driver operation that releases an object. A lost device may reject
 * it, but the object could never be freed then: ignore the error. @return ret, or 0
 */
int rte_umr_given_back(struct rte_umr_dev *dev, int ret);
/** Whether this thread is in a callback of the device. */
bool rte_umr_callbacks_are_mine(const struct rte_umr_dev *dev);
/** Free all callbacks. */
void rte_umr_callbacks_free(struct rte_umr_dev *dev);

#endif /* RTE_UMR_PRIVATE_H */
