/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DEV_H
#define SWHCA_UVERBS_DEV_H

/**
 * @file
 * Devices of this process, with the state of mlx5_core and mlx5_ib in Linux.
 *
 * Lowest layer of the front end: files and objects are opaque lists here.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "include/hca.h"
#include "mlx5_prm_cmd.h"
#include "mlx5_prm_qos.h"
#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_udev;
struct swhca_uumr;

/** Invalid number of a UAR page. */
#define SWHCA_NO_UAR UINT32_MAX

/** Completion vectors of a device; each has an event queue. */
#define SWHCA_NB_COMP_VECTORS 4u
/** Interrupt vector of asynchronous events; completion vectors follow. */
#define SWHCA_ASYNC_VECTOR 0u
#define SWHCA_FIRST_COMP_VECTOR 1u
#define SWHCA_NB_EQS (SWHCA_FIRST_COMP_VECTOR + SWHCA_NB_COMP_VECTORS)

/** An event queue of a device. */
struct swhca_ueq {
	uint32_t eqn;
	uint32_t uarn;		/**< Its own page: EQs that share one overwrite doorbells. */
	uint32_t ci;		/**< Entries consumed, free-running; only used by the interrupt. */
	uint8_t *buf;
	uint8_t *uar;
};

/** Hash lists of event sources by number. */
#define SWHCA_UEVENT_NB_BUCKETS 256u

/** Event state of a device. */
struct swhca_uevent_table {
	LIST_HEAD(, swhca_uevent_src) srcs[SWHCA_UEVENT_NB_BUCKETS];
	LIST_HEAD(, swhca_uevent_file) files;
	LIST_HEAD(, swhca_usub) subs;	/**< Subscriptions of DevX. */
};

/** Maximum delay of a completion event (cqc.cq_period has 12 bits). */
#define SWHCA_MAX_CQ_PERIOD_US 0xfffu
#define SWHCA_MAX_CQ_COUNT 0xffffu

/** Maximum entries of the rate table for files. */
#define SWHCA_MAX_URATES 128u

/** An entry of the rate table. */
struct swhca_urate {
	uint32_t nb_users;		/**< Objects; 0: the entry is free. */
	uint16_t uid;			/**< User context that owns it, or PRM_UID_SHARED. */
	uint8_t ctx[PRM_PP_SIZE];	/**< As set by the user. */
};

/** Entries of the steering tag table. */
#define SWHCA_NB_UTAGS 64u

/** An entry of the steering tag table; number 0 means none. */
struct swhca_utag {
	uint32_t nb_users;	/**< DMA handles; 0: the entry is free. */
	uint32_t cpu;
	uint8_t mem_type;
};

/** Callbacks of upper layers for the devices; NULL: none. */
struct swhca_udev_ops {
	/** Before the engine is created. */
	void (*prepare)(void);
	/** After the engine was started. */
	void (*start)(void);
	/** An event queue entry; called in the interrupt. Not NULL. */
	void (*event)(struct swhca_udev *dev, const uint8_t *eqe);
};

/** A device, which exists from its first use to the end of the process. */
struct swhca_udev {
	unsigned int index;
	struct swhca_hca *hca;
	void (*event)(struct swhca_udev *dev, const uint8_t *eqe); /**< As in the ops. */
	struct swhca_ueq eqs[SWHCA_NB_EQS];	/**< By interrupt vector. */
	struct swhca_uevent_table events;
	struct mlx5_ib_clock_info clock_info;
	uint8_t caps[4096];	/**< General capabilities, current values. */
	uint8_t atomic_caps[4096];
	uint8_t qos_caps[4096];
	uint8_t vdpa_caps[4096];
	uint8_t caps_2[4096];	/**< General capabilities 2; without them, zeros. */
	uint8_t dm_caps[4096];
	uint32_t pdn;		/**< The kernel's own, for XRC targets. */
	uint16_t whitelist_uid;	/**< For commands that need no user context. */
	pthread_mutex_t lock;	/**< Guards what follows, which files share. */
	LIST_HEAD(, swhca_uxrcd) xrcds;
	LIST_HEAD(, swhca_utarget) targets;
	uint64_t vars;		/**< Bit mask of the doorbell pages in use. */
	uint64_t dm_pages;	/**< Bit mask of the pages of device memory in use. */
	struct swhca_urate rates[SWHCA_MAX_URATES];
	struct swhca_utag tags[SWHCA_NB_UTAGS];
	uint8_t odp_caps[4096];
	uint32_t null_mkey;
	uint32_t dump_fill_mkey;
	pthread_mutex_t umr_lock;
	struct swhca_uumr *umr;	/**< Queue pair for changes of keys, or NULL: not needed yet. */
};

/** Number of devices, as configured. */
unsigned int swhca_udev_nb(void);
/** Check whether a device was removed, [0, SWHCA_MAX_DEVICES - 1]. */
bool swhca_udev_is_removed(unsigned int index);
/**
 * Remove a device.
 *
 * @param dev
 *   Written on success: the device, or NULL if it is unused.
 * @return
 *   0, or -ENODEV: it does not exist, or no longer.
 */
int swhca_udev_remove(unsigned int index, struct swhca_udev **dev);

/** Set the callbacks of all devices, before the first is created. Copied. */
void swhca_udev_ops_set(const struct swhca_udev_ops *ops);
/** Get a device by index; the first call creates all of them. @return 0 or a negative errno. */
int swhca_udev_get(unsigned int index, struct swhca_udev **dev);
/** Find a device by any index, or NULL: unused. */
struct swhca_udev *swhca_udev_find(unsigned int index);
/** Fabric of all devices, or NULL: there are none yet, or they belong to the parent of fork(2). */
struct swhca_fabric *swhca_udev_fabric(void);
/** swhca_fabric_lend() of their fabric, for a waiting thread. @return false: nothing was done. */
bool swhca_udev_lend(void);
/** In the child of fork(2): drop the devices, their engine is in the parent. */
void swhca_udev_forget(void);
/** Notify all devices that pages go away. */
void swhca_udev_invalidate(uint64_t addr, uint64_t len);

static inline uint32_t
swhca_ueq_of_comp_vector(const struct swhca_udev *dev, uint32_t comp_vector)
{
	return dev->eqs[SWHCA_FIRST_COMP_VECTOR + comp_vector].eqn;
}

static inline uint32_t
swhca_udev_cap(const struct swhca_udev *dev, struct prm_field field)
{
	return (uint32_t)prm_get(dev->caps, field);
}

#endif /* SWHCA_UVERBS_DEV_H */
