/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_FILE_H
#define SWHCA_UVERBS_FILE_H

/**
 * @file
 * State of an open file of a device.
 *
 * Corresponds to struct ib_uverbs_file and struct mlx5_ib_ucontext in Linux. The lock of the file
 * guards its objects; every request holds it.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "front/uverbs/file/pinned.h"

struct swhca_ucm_file;
struct swhca_udev;
struct swhca_uevent_file;
struct swhca_uobj;

struct swhca_ufile {
	pthread_mutex_t lock;
	struct swhca_udev *dev;
	unsigned int nb_refs;		/**< Descriptors and running calls; guarded by the table. */
	unsigned int fork_gen;		/**< Process that it belongs to. */
	uint32_t res_id;		/**< Like that of an object. */
	/** Called with the last reference, in the process that opened it. */
	void (*fini)(struct swhca_ufile *file);
	struct swhca_uevent_file *events; /**< Not NULL: an event file; nothing below is used. */
	struct swhca_ucm_file *cm;	/**< Not NULL: a connection file, without a device. */
	struct swhca_uevent_file *default_async; /**< Default for objects; or NULL. */
	int map_fd;			/**< Its memory (front/uverbs/file/map.h). */
	struct swhca_timer *timer;	/**< Shown by the file. */
	bool has_context;
	bool has_dyn_uar;		/**< Only UAR objects, no static registers. */
	uint8_t cqe_version;
	uint16_t uid;			/**< DevX user context, 0: none. */
	uint32_t lib_caps;
	uint32_t nb_static_bfregs;
	uint32_t nb_low_lat_bfregs;
	uint32_t nb_dyn_bfregs;
	uint32_t nb_lag_qps;		/**< QPs assigned to a port of the adapter. */
	uint32_t *sys_pages;		/**< UAR numbers: static ones, then those mapped later. */
	uint32_t *bfreg_users;		/**< QPs of each static register. */
	uint32_t nb_unseen_uars;	/**< Strict device: UARs whose mapping was not seen. */
	struct swhca_uobj **slots;	/**< By handle. */
	uint32_t nb_slots;
	uint32_t next_slot;
	TAILQ_HEAD(swhca_uobj_list, swhca_uobj) order;
	SLIST_HEAD(, swhca_udbr_page) dbr_pages;
};

/** Check whether it is a file of a device, not of events of any kind. */
static inline bool
swhca_ufile_is_device(const struct swhca_ufile *file)
{
	return file->events == NULL && file->cm == NULL;
}

#endif /* SWHCA_UVERBS_FILE_H */
