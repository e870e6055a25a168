/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DEV_H
#define SWHCA_UVERBS_DEV_H

/**
 * @file
 * Devices of this process, and what mlx5_core and mlx5_ib keep of one in Linux.
 *
 * Lowest room of the front end: of files and objects it knows only that there are lists of them.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "include/hca.h"
#include "mlx5_prm_cmd.h"
#include "mlx5_prm_qos.h"
#include "front/uverbs/dev/abi.h"

struct swhca_udev;
struct swhca_uumr;

/** Number of a UAR page that is not there. */
#define SWHCA_NO_UAR UINT32_MAX

/** Completion vectors of a device; each has an event queue. */
#define SWHCA_NB_COMP_VECTORS 4u
/** Interrupt vector of asynchronous events; those of completion vectors follow. */
#define SWHCA_ASYNC_VECTOR 0u
#define SWHCA_FIRST_COMP_VECTOR 1u
#define SWHCA_NB_EQS (SWHCA_FIRST_COMP_VECTOR + SWHCA_NB_COMP_VECTORS)

/** An event queue of a device. */
struct swhca_ueq {
	uint32_t eqn;
	uint32_t uarn;		/**< Its own page: EQs that share one overwrite doorbells. */
	uint32_t ci;		/**< Entries consumed, runs free; only the interrupt touches it. */
	uint8_t *buf;
	uint8_t *uar;
};

/** Lists that sources of events are hashed to by number. */
#define SWHCA_UEVENT_NB_BUCKETS 256u

/** What a device keeps for its events. */
struct swhca_uevent_table {
	LIST_HEAD(, swhca_uevent_src) srcs[SWHCA_UEVENT_NB_BUCKETS];
	LIST_HEAD(, swhca_uevent_file) files;
	LIST_HEAD(, swhca_usub) subs;	/**< Subscriptions of DevX. */
};

/** Longest time that a completion event may be held back (cqc.cq_period has 12 bits). */
#define SWHCA_MAX_CQ_PERIOD_US 0xfffu
#define SWHCA_MAX_CQ_COUNT 0xffffu

/** Most entries of the rate table that files may have. */
#define SWHCA_MAX_URATES 128u

/** An entry of the rate table. */
struct swhca_urate {
	uint32_t nb_users;		/**< Objects; 0: the entry is free. */
	uint16_t uid;			/**< User context that it is for, or PRM_UID_SHARED. */
	uint8_t ctx[PRM_PP_SIZE];	/**< As the user gave it. */
};

/** Entries of the table of steering tags. */
#define SWHCA_NB_UTAGS 64u

/** An entry of the table of steering tags; number 0 stands for none. */
struct swhca_utag {
	uint32_t nb_users;	/**< DMA handles; 0: the entry is free. */
	uint32_t cpu;
	uint8_t mem_type;
};

/** What the rooms above do when something happens to the devices; NULL: nothing. */
struct swhca_udev_ops {
	/** The engine is going to be created. */
	void (*prepare)(void);
	/** It works. */
	void (*start)(void);
	/** An event queue entry; called in the interrupt. Not NULL. */
	void (*event)(struct swhca_udev *dev, const uint8_t *eqe);
};

/** A device, alive from its first use to the end of the process. */
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
	uint32_t pdn;		/**< The kernel's own, of XRC targets. */
	uint16_t whitelist_uid;	/**< Of commands that need no user context. */
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
/** Whether a device was taken away, [0, SWHCA_MAX_DEVICES - 1]. */
bool swhca_udev_is_removed(unsigned int index);
/**
 * Take it away.
 *
 * @param dev
 *   Written on success: the device, or NULL if nobody has got it yet.
 * @return
 *   0, or -ENODEV: there is none, or not any more.
 */
int swhca_udev_remove(unsigned int index, struct swhca_udev **dev);

/** Of all devices; before the first of them is there. Copied. */
void swhca_udev_ops_set(const struct swhca_udev_ops *ops);
/** Device by index; the first call creates all of them. @return 0 or a negative errno. */
int swhca_udev_get(unsigned int index, struct swhca_udev **dev);
/** Device by any index, or NULL: nobody has got it yet. */
struct swhca_udev *swhca_udev_find(unsigned int index);
/** All devices, or NULL: there are none yet, or they are those of the parent of fork(2). */
struct swhca_fabric *swhca_udev_fabric(void);
/** A thread waits: swhca_fabric_lend() of their fabric. @return false: nothing was done. */
bool swhca_udev_lend(void);
/** In the child of fork(2): forget the devices, their engine is in the parent. */
void swhca_udev_forget(void);
/** Pages go away: tell all devices. */
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
