/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_FILE_H
#define SWHCA_UVERBS_FILE_H

/**
 * @file
 * What an open file of a device holds.
 *
 * It has the role of struct ib_uverbs_file and struct mlx5_ib_ucontext in Linux. Objects of one
 * file are guarded by the lock of the file, which every request holds.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct swhca_ucm_file;
struct swhca_udev;
struct swhca_uevent_file;
struct swhca_uobj;

struct swhca_ufile {
	pthread_mutex_t lock;
	struct swhca_udev *dev;
	unsigned int nb_refs;		/**< Descriptors and running calls; guarded by the table. */
	unsigned int fork_gen;		/**< Which process it belongs to. */
	uint32_t res_id;		/**< As that of an object. */
	/** The last reference is gone, in the process that opened it. */
	void (*fini)(struct swhca_ufile *file);
	struct swhca_uevent_file *events; /**< Not NULL: an event file, and nothing below is. */
	struct swhca_ucm_file *cm;	/**< The same of one of connections, without a device. */
	struct swhca_uevent_file *default_async; /**< Of objects that name none; or NULL. */
	int map_fd;			/**< Its memory (front/uverbs/file/map.h). */
	struct swhca_timer *timer;	/**< That it shows. */
	bool has_context;
	bool has_dyn_uar;		/**< Only UAR objects, no static registers. */
	uint8_t cqe_version;
	uint16_t uid;			/**< DevX user context, 0: none. */
	uint32_t lib_caps;
	uint32_t nb_static_bfregs;
	uint32_t nb_low_lat_bfregs;
	uint32_t nb_dyn_bfregs;
	uint32_t nb_lag_qps;		/**< QPs that were given a port of the adapter. */
	uint32_t *sys_pages;		/**< UAR numbers: static ones, then those mapped later. */
	uint32_t *bfreg_users;		/**< QPs of each static register. */
	uint32_t nb_unseen_uars;	/**< Of a strict device: nobody saw them being mapped. */
	struct swhca_uobj **slots;	/**< By handle. */
	uint32_t nb_slots;
	uint32_t next_slot;
	TAILQ_HEAD(swhca_uobj_list, swhca_uobj) order;
};

/** Is it one of a device, not of events of any kind? */
static inline bool
swhca_ufile_is_device(const struct swhca_ufile *file)
{
	return file->events == NULL && file->cm == NULL;
}

#endif /* SWHCA_UVERBS_FILE_H */
