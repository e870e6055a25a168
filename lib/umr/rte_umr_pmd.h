/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_PMD_H
#define RTE_UMR_PMD_H

/**
 * @file
 *
 * Driver interface of lib/umr. It is installed for drivers that are built outside of this tree;
 * applications do not need it, and its symbols are in the node INTERNAL.
 *
 * A driver registers itself before main(). When an application probes a device, lib/umr calls the
 * drivers in turn; the one that supports the device fills in a struct rte_umr_dev. lib/umr checks
 * arguments, limits (against rte_umr_dev_info) and state before it calls an operation, so a driver
 * may trust its arguments. lib/umr does not check the data path.
 */

#include <pthread.h>
#include <sys/queue.h>

#include <rte_common.h>
#include <rte_compat.h>
#include <rte_kvargs.h>

#include "rte_umr.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Version of this interface. It increases with every change of a struct of this header or of struct
 * rte_umr_fp_queue. A new operation in a reserved member of struct rte_umr_fp_ops does not change
 * it.
 */
#define RTE_UMR_PMD_ABI_VERSION 6u

struct rte_umr_callback;
struct rte_umr_dev;

/** A counter of a driver. */
struct rte_umr_drv_xstat {
	char name[RTE_UMR_XSTATS_NAME_LEN]; /**< Lower case, words with '_' between them. */
	uint64_t value; /**< Value. */
};

/**
 * Operations of a driver. They return 0 or a negative errno; the driver logs failures. For a lost
 * device, lib/umr treats operations that release an object as successful, whatever they return:
 * they must free the driver's resources.
 */
struct rte_umr_dev_ops {
	/**
	 * Fill in all fields except nb_queues, is_started and driver_name, without querying the
	 * device: most control calls read the limits.
	 */
	void (*info_get)(struct rte_umr_dev *dev, struct rte_umr_dev_info *info);
	/**
	 * Query the device for is_port_active and lid, which change, and fill them in. NULL:
	 * info_get sets them.
	 */
	void (*port_info_get)(struct rte_umr_dev *dev, struct rte_umr_dev_info *info);
	/**
	 * Connect loopback queues, open the others. On error all queues are closed again.
	 */
	int (*start)(struct rte_umr_dev *dev);
	/** Close all queues. On error go on with the next one. */
	int (*stop)(struct rte_umr_dev *dev);
	/** Free everything except dev. Queues have been released. */
	void (*close)(struct rte_umr_dev *dev);
	void (*dump)(struct rte_umr_dev *dev, FILE *f);

	/**
	 * The queue must be zero except the driver's own fields and drv_ops, which must be set, see
	 * rte_umr_driver_fp_ops_complete().
	 */
	int (*queue_setup)(struct rte_umr_dev *dev, uint16_t queue_id,
			   const struct rte_umr_queue_conf *conf, struct rte_umr_fp_queue **queue);
	void (*queue_release)(void *queue);
	void (*queue_endpoint_get)(void *queue, struct rte_umr_endpoint *local);
	int (*queue_connect)(void *queue, const struct rte_umr_endpoint *remote);
	int (*queue_recover)(void *queue);
	/** Get or create the descriptor. These three are NULL without RTE_UMR_CAPA_QUEUE_EVENT. */
	int (*queue_event_fd)(void *queue);
	/** -EINVAL for a queue without a descriptor, also from the next one. */
	int (*queue_event_arm)(void *queue);
	int (*queue_event_clear)(void *queue);
	/** dev_id and is_filled are set; fill in av. NULL without RTE_UMR_CAPA_DC. */
	int (*dc_addr_fill)(struct rte_umr_dev *dev, const struct rte_umr_endpoint *remote,
			    uint64_t dc_key, struct rte_umr_dc_addr *addr);
	/** State of the queue; the device is started. Thread safe. */
	enum rte_umr_queue_status (*queue_status)(const void *queue);
	/** Called by any thread, while the queue is in use. */
	void (*queue_stats_get)(void *queue, struct rte_umr_queue_stats *stats);
	/** Reset these, and those of queue_xstats_get. */
	void (*queue_stats_reset)(void *queue);
	/**
	 * Counters that are not in struct rte_umr_queue_stats: write all, unless there are more
	 * than nb_max, and return their number; the set and the order are constant for a queue.
	 * Called by any thread, while the queue is in use. NULL: there are none.
	 */
	uint32_t (*queue_xstats_get)(const void *queue, struct rte_umr_drv_xstat *xstats,
				     uint32_t nb_max);
	/**
	 * size is zero; the type, layout and nb_entries are valid. The queue is not a DC target.
	 */
	int (*op_desc)(const void *queue, const struct rte_umr_op_shape *shape,
		       struct rte_umr_op_size *size);
	/**
	 * State of the queue and, unless nb_ops is 0, its last operations and completions, decoded;
	 * for a queue in the error state, the operation that failed. Called by any thread, while
	 * the queue is in use.
	 */
	void (*queue_dump)(const void *queue, uint32_t nb_ops, FILE *f);

	/** dev_id is set; fill in driver_private. Both are NULL without RTE_UMR_CAPA_PD. */
	int (*pd_alloc)(struct rte_umr_dev *dev, struct rte_umr_pd *pd);
	int (*pd_free)(struct rte_umr_dev *dev, struct rte_umr_pd *pd);
	/**
	 * The fields from the application are set; fill in keys and driver_private. conf has the
	 * values without a field in mr.
	 *
	 * Calls of these three are serialized and may come from any thread, also from one that
	 * holds EAL's memory lock. They must not allocate or free memory of EAL (rte_malloc(),
	 * memzones).
	 */
	int (*mr_register)(struct rte_umr_dev *dev, struct rte_umr_mr *mr,
			   const struct rte_umr_mr_conf *conf);
	/**
	 * new_mr has the new, valid properties of mr: fill in keys. On error set mr->is_lost unless
	 * mr is unchanged. NULL without RTE_UMR_CAPA_MR_REREGISTER.
	 */
	int (*mr_reregister)(struct rte_umr_dev *dev, struct rte_umr_mr *mr, uint32_t changes,
			     struct rte_umr_mr *new_mr);
	int (*mr_deregister)(struct rte_umr_dev *dev, struct rte_umr_mr *mr);
	/** NULL without RTE_UMR_CAPA_MR_ODP. */
	int (*mr_advise)(struct rte_umr_dev *dev, const struct rte_umr_pd *pd,
			 enum rte_umr_mr_advice advice, const struct rte_umr_seg *segs,
			 uint32_t nb_segs, uint32_t flags);
	/** NULL without RTE_UMR_CAPA_MR_ODP_STATS. */
	int (*odp_stats_get)(struct rte_umr_dev *dev, struct rte_umr_odp_stats *stats);
	/**
	 * Bytes of the driver's data of a key in a pool with these flags (RTE_UMR_MKEY_POOL_F_*), a
	 * multiple of RTE_CACHE_LINE_SIZE. NULL: there are none.
	 */
	uint32_t (*mkey_priv_size)(uint32_t flags);
	/**
	 * pd may be NULL; fill in key (tag 0), the other fields are set. rte_umr_mkey_priv() is
	 * zero.
	 */
	int (*mkey_create)(struct rte_umr_dev *dev, const struct rte_umr_pd *pd,
			   struct rte_umr_mkey *mkey);
	int (*mkey_destroy)(struct rte_umr_dev *dev, struct rte_umr_mkey *mkey);
	/**
	 * A key with attributes was taken from its pool: discard the attributes of its last owner.
	 */
	void (*mkey_recycle)(struct rte_umr_dev *dev, struct rte_umr_mkey *mkey);
	/**
	 * attr is zero. NULL without RTE_UMR_CAPA_MKEY_QUERY. May run in parallel to other
	 * operations.
	 */
	int (*mkey_query)(struct rte_umr_dev *dev, const struct rte_umr_mkey *mkey,
			  struct rte_umr_mkey_attr *attr);
	/** Data path, thread safe. NULL without RTE_UMR_CAPA_MKEY_SIG. */
	rte_umr_mkey_check_t mkey_check;
	/** pd, type and dev_id are set; fill in rkey and driver_private. NULL without windows. */
	int (*mw_create)(struct rte_umr_dev *dev, struct rte_umr_mw *mw);
	int (*mw_destroy)(struct rte_umr_dev *dev, struct rte_umr_mw *mw);

	/* Only called on devices with RTE_UMR_CAPA_MKEY_CRYPTO. */
	int (*crypto_login_create)(struct rte_umr_dev *dev,
				   const struct rte_umr_crypto_login_conf *conf, void **login);
	/** state: enum rte_umr_crypto_login_state. */
	int (*crypto_login_query)(void *login, uint8_t *state);
	int (*crypto_login_destroy)(void *login);
	/** All fields except id and driver_private are set. */
	int (*dek_create)(struct rte_umr_dev *dev, const struct rte_umr_dek_conf *conf,
			  struct rte_umr_dek *dek);
	int (*dek_query)(struct rte_umr_dek *dek, struct rte_umr_dek_attr *attr);
	int (*dek_destroy)(struct rte_umr_dek *dek);
};

/** A protection domain; NULL stands for the default one of a device. */
struct rte_umr_pd {
	TAILQ_ENTRY(rte_umr_pd) next; /**< Owned by lib/umr. */
	int16_t dev_id; /**< Device that it belongs to. */
	uint32_t nb_users; /**< Regions, pools and queues. */
	uint32_t num; /**< Number in the device; owned by the driver. */
	void *driver_private; /**< Owned by the driver; not freed if pd_free() fails at close. */
};

/** Size and alignment of a block of keys. */
#define RTE_UMR_MKEY_BLOCK_SIZE 4096u
/** Slots of the size of a key in a block: its head and the keys. */
#define RTE_UMR_MKEY_BLOCK_SLOTS (RTE_UMR_MKEY_BLOCK_SIZE / sizeof(struct rte_umr_mkey))
/** Slots of the head: a cache line, because all lcores read it, and owners write their keys. */
#define RTE_UMR_MKEY_BLOCK_HEAD (RTE_CACHE_LINE_SIZE / sizeof(struct rte_umr_mkey))
/** Keys of a block. */
#define RTE_UMR_MKEY_BLOCK_NB (RTE_UMR_MKEY_BLOCK_SLOTS - RTE_UMR_MKEY_BLOCK_HEAD)

/**
 * Keys of a pool are in blocks, so that data that few configurations need are stored separately and
 * are found by the address of a key:
 *
 *   block, a multiple of 4096       privs
 *   +---------------+
 *   | privs         |-------------> | unused, one for each slot of the head |
 *   | priv_size     |               | ...                                   |
 *   | reserved      |               |                                       |
 *   +---------------+               | the driver's data of key 0, priv_size |
 *   | key 0         |               | ... of key 1                          |
 *   | key 1         |               | ...                                   |
 *   | ...           |
 */
struct rte_umr_mkey_block {
	uint8_t *privs; /**< Data of the driver by slot. */
	uint32_t priv_size; /**< Bytes for each slot. */
	uint8_t reserved[RTE_CACHE_LINE_SIZE - sizeof(uint8_t *) - sizeof(uint32_t)];
	struct rte_umr_mkey mkeys[RTE_UMR_MKEY_BLOCK_NB]; /**< Keys. */
} __rte_aligned(RTE_UMR_MKEY_BLOCK_SIZE);

/** Get the driver's data of a key. The key must be the one in its pool, not a copy. */
static inline void *
rte_umr_mkey_priv(const struct rte_umr_mkey *mkey)
{
	const uintptr_t offset = (uintptr_t)mkey & (RTE_UMR_MKEY_BLOCK_SIZE - 1);
	const struct rte_umr_mkey_block *block =
		(const struct rte_umr_mkey_block *)((uintptr_t)mkey - offset);

	return block->privs + offset / sizeof(*mkey) * block->priv_size;
}

/** A device. */
struct rte_umr_dev {
	char name[RTE_UMR_DEV_NAME_LEN]; /**< Written by the driver. */
	int16_t dev_id; /**< Index in the fast-path table. */
	bool is_started; /**< The data path works. __atomic: telemetry reads it. */
	uint16_t nb_queues; /**< Configured queues; 0 before the configuration. */
	struct rte_umr_fp_queue **queues; /**< Queues of the driver; NULL if not set up. */
	struct rte_umr_queue_conf *queue_confs; /**< Configuration of each queue. */
	const struct rte_umr_dev_ops *ops; /**< Written by the driver. */
	void *dev_private; /**< Written by the driver. */
	const struct rte_umr_driver *driver; /**< Driver that probed it. */
	TAILQ_HEAD(, rte_umr_pd) pds; /**< PDs without the default one. */
	pthread_mutex_t mr_lock; /**< Serializes registering and deregistering regions. */
	/** Memory regions that exist. Written under mr_lock; __atomic: telemetry reads it. */
	uint32_t nb_mrs;
	TAILQ_HEAD(, rte_umr_mempool_mrs) mempools; /**< Mempools that are registered. */
	struct rte_umr_eal_mem *eal_mem; /**< Set if EAL's memory is registered; else NULL. */
	TAILQ_HEAD(, rte_umr_mkey_pool) pools; /**< Key pools. */
	uint32_t nb_pools; /**< Key pools that exist. */
	uint32_t nb_mkeys; /**< Keys in them. */
	uint32_t nb_sig_mkeys; /**< Of these, with signatures. */
	uint32_t nb_mws; /**< Memory windows that exist. */
	uint32_t nb_deks; /**< Data encryption keys that exist. */
	uint32_t nb_crypto_logins; /**< Logins that exist. */
	/**
	 * enum rte_umr_dev_status, owned by lib/umr. Written by any thread: __atomic, see
	 * rte_umr_driver_dev_lost_set().
	 */
	uint8_t status;
	TAILQ_HEAD(, rte_umr_callback) callbacks; /**< Callbacks for events. */
	uint64_t nb_failures; /**< Control operations that failed in the driver: __atomic. */
};

/** A driver. */
struct rte_umr_driver {
	TAILQ_ENTRY(rte_umr_driver) next; /**< Owned by lib/umr. */
	uint32_t abi_version; /**< RTE_UMR_PMD_ABI_VERSION that the driver was built with. */
	const char *name; /**< Static string. */
	const char *const *valid_keys; /**< Keys of its devargs, ending with NULL. */
	/** List devices, see rte_umr_dev_scan(). */
	uint16_t (*scan)(char (*names)[RTE_UMR_DEV_NAME_LEN], uint16_t nb_max);
	/**
	 * Open the device of that name or PCI address and fill in dev. Returns 0, -ENODEV if the
	 * driver does not support the device (not logged), -EEXIST if is_open() is true for its
	 * name, or another negative errno (logged).
	 */
	int (*probe)(struct rte_umr_dev *dev, const char *name, const struct rte_kvargs *args);
};

/**
 * Register a driver; called before main(). The struct must persist. A driver with another ABI
 * version is not registered (logged).
 */
__rte_internal
void rte_umr_driver_register(struct rte_umr_driver *driver);

/**
 * Name of a device for the log. @return Name of an open device, otherwise "device ID", valid until
 * the next call of the thread.
 */
__rte_internal
const char *rte_umr_dev_label(int16_t dev_id);

/** Whether a device of that name is open. */
__rte_internal
bool rte_umr_driver_is_open(const char *name);

/**
 * Mark a device as lost. Afterwards, and not before, polling its queues must return all outstanding
 * operations: a caller that finds them flushed while the status is OK frees memory that the device
 * may access. May be called by any thread, with any lock held, after probe() has filled in dev_id
 * and before close() has returned.
 *
 * @return
 *   Whether this is the first call for the device: then rte_umr_driver_dev_lost_tell() must follow.
 */
__rte_internal
bool rte_umr_driver_dev_lost_set(struct rte_umr_dev *dev, enum rte_umr_dev_status status);

/**
 * Run the callbacks for a lost device. Called once, by EAL's interrupt thread, without holding a
 * lock that a control function takes.
 */
__rte_internal
void rte_umr_driver_dev_lost_tell(struct rte_umr_dev *dev);

/**
 * Run the callbacks for a queue whose automatic recovery failed. Called by EAL's interrupt thread,
 * without holding a lock that a control function takes.
 */
__rte_internal
void rte_umr_driver_recovery_failed_tell(struct rte_umr_dev *dev);

/**
 * Complete a data-path table, before the first queue that uses it is set up: NULL entries are
 * replaced by functions that return an unsupported error or collect nothing. So a driver may be
 * older than an operation.
 */
__rte_internal
void rte_umr_driver_fp_ops_complete(struct rte_umr_fp_ops *ops);

/**
 * Enable or disable the checks of RTE_UMR_DEBUG for queues of devices that are started afterwards;
 * for tests.
 */
__rte_internal
void rte_umr_driver_debug_set(bool on);

/** Register a driver before main(). */
#define RTE_UMR_DRIVER_REGISTER(driver)                                                            \
	RTE_INIT(driver##_register)                                                                \
	{                                                                                          \
		rte_umr_driver_register(&(driver));                                                \
	}

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_PMD_H */
