/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_EVENT_H
#define SWHCA_UVERBS_EVENT_H

/**
 * @file
 * Events of the uverbs front end: who has them, and the files that they are read from.
 *
 * One lock guards all of it. It is taken last, also by the interrupt, so nothing may call the HCA
 * while holding it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

struct swhca_udev;
struct swhca_ufile;
struct swhca_uobj;
struct swhca_ureq;

/** What an event file tells of. */
enum swhca_uevent_kind {
	SWHCA_UEVENT_COMP,	/**< Completions (struct ib_uverbs_comp_event_desc). */
	SWHCA_UEVENT_ASYNC,	/**< Asynchronous events (struct ib_uverbs_async_event_desc). */
	SWHCA_UEVENT_DEVX,	/**< What DevX subscribed to. */
	SWHCA_UEVENT_DEVX_CMD,	/**< Answers of asynchronous DevX commands. */
};

/** What an object has told its user, for the answer of its destruction. */
struct swhca_uevent_counts {
	uint32_t nb_comp;
	uint32_t nb_async;
};

/** Objects that have events, by the number space that names them. */
enum swhca_uevent_obj {
	SWHCA_UEVENT_OBJ_NONE,
	SWHCA_UEVENT_OBJ_CQ,
	SWHCA_UEVENT_OBJ_QP,
	SWHCA_UEVENT_OBJ_SRQ,
};

struct swhca_uevent_file;

/** How the user of an object wants to hear of it; holds references to the files. */
struct swhca_uevent_attr {
	uint64_t user_handle;
	struct swhca_uevent_file *comp;		/**< NULL: no completion events. */
	struct swhca_uevent_file *async;	/**< NULL: the default one of the context. */
};

/** An object that has events; part of struct swhca_uobj. */
struct swhca_uevent_src {
	LIST_ENTRY(swhca_uevent_src) link; /**< In a bucket of the device. */
	enum swhca_uevent_obj type;
	uint32_t num;
	uint64_t user_handle;		/**< What an event says whose it is. */
	struct swhca_uevent_file *comp; /**< Holds a reference; NULL: nobody asks. */
	struct swhca_uevent_file *async;
	struct swhca_uevent_counts counts;
};

/** Lists that sources are hashed to by number. */
#define SWHCA_UEVENT_NB_BUCKETS 256u

/** What a device keeps for its events. */
struct swhca_uevent_table {
	LIST_HEAD(, swhca_uevent_src) srcs[SWHCA_UEVENT_NB_BUCKETS];
	LIST_HEAD(, swhca_uevent_file) files;
	LIST_HEAD(, swhca_usub) subs;	/**< Subscriptions of DevX. */
};

/** In the child of fork(2): whoever held the lock is a thread of the parent. */
void swhca_uevent_forget(void);
void swhca_uevent_lock(void);
void swhca_uevent_unlock(void);

/* Files (evfile.c). */
/**
 * Make a file for a context.
 *
 * @param file
 *   Written on success if not NULL, with a reference besides that of the descriptor.
 * @return
 *   The descriptor, which belongs to the user, or a negative errno.
 */
int swhca_uevent_file_create(struct swhca_ufile *ctx, enum swhca_uevent_kind kind,
			     struct swhca_uevent_file **file);
/** File of a descriptor, with a reference. @return 0, or -EBADF: not such a file of ctx. */
int swhca_uevent_file_find(struct swhca_ufile *ctx, int64_t fd, enum swhca_uevent_kind kind,
			   struct swhca_uevent_file **file);
/** Take a reference. @return The file; NULL is accepted. */
struct swhca_uevent_file *swhca_uevent_file_get(struct swhca_uevent_file *file);
/** Drop a reference; NULL is accepted. */
void swhca_uevent_file_put(struct swhca_uevent_file *file);
/** The last descriptor is gone: whatever comes is dropped. Drops its reference. */
void swhca_uevent_file_close(struct swhca_uevent_file *file);
/** A context is gone: reading from its files gives what is left and then -EIO. */
void swhca_uevent_files_disconnect(struct swhca_ufile *ctx);
/** A device is gone: all of its files but those of asynchronous events end with -EIO. */
void swhca_uevent_files_remove(struct swhca_udev *dev);
/** read(2) of a descriptor. @return Bytes, or a negative errno as Linux gives. */
ssize_t swhca_uevent_file_read(struct swhca_uevent_file *file, int fd, void *buf, size_t count);
/** DevX: events come without their data. */
void swhca_uevent_file_set_omit(struct swhca_uevent_file *file);
/** Reserve room for an answer of that many bytes. @return false: too much is waiting. */
bool swhca_uevent_file_reserve(struct swhca_uevent_file *file, size_t len);

/**
 * Queue an event; the lock is held. Without memory it is lost, as in Linux.
 *
 * @param src
 *   Whose it is, or NULL.
 * @param counter
 *   Incremented when it is read, or NULL.
 */
void swhca_uevent_post(struct swhca_uevent_file *file, const void *src, uint32_t *counter,
		       const void *data, size_t len);
/** Queue an event of DevX, with its data or not as the file is; the lock is held. */
void swhca_uevent_post_devx(struct swhca_uevent_file *file, const void *src, uint64_t cookie,
			    const void *data, size_t len);
/** Forget the events of a source that nobody has read; the lock is held. */
void swhca_uevent_drop(struct swhca_uevent_file *file, const void *src);

/** Queue an event in all files of asynchronous events of a device; the lock is held. */
void swhca_uevent_post_all(struct swhca_udev *dev, const void *data, size_t len);

/* Subscriptions (front/uverbs/devx/event.c). */
/** Forget those for a file, or about an object, if not NULL. */
void swhca_usubs_remove(struct swhca_udev *dev, const struct swhca_uevent_file *file,
			const struct swhca_uobj *obj);
/** Tell those that asked for an event; the lock is held. */
void swhca_usubs_notify(struct swhca_udev *dev, uint8_t event, uint32_t num, const uint8_t *eqe);

/* Sources (event.c). */
/** File that an attribute names, with a reference; NULL if there is none. @return 0, -EBADF. */
int swhca_uevent_attr_file(struct swhca_ureq *req, uint16_t id, enum swhca_uevent_kind kind,
			   struct swhca_uevent_file **file);
/**
 * Read the attributes of a create method.
 *
 * @param comp_id, async_id
 *   Attributes that name the files, which are optional; comp_id 0: there is none.
 * @return
 *   0, -EINVAL (no user handle) or -EBADF. On success swhca_uevent_attr_fini() must follow.
 */
int swhca_uevent_attr_read(struct swhca_ureq *req, uint16_t handle_id, uint16_t comp_id,
			   uint16_t async_id, struct swhca_uevent_attr *attr);
void swhca_uevent_attr_fini(struct swhca_uevent_attr *attr);
/** An object has been created in the device; it gets references of its own. */
void swhca_uevent_attach(struct swhca_ufile *file, struct swhca_uobj *obj,
			 enum swhca_uevent_obj type, const struct swhca_uevent_attr *attr);
/** An object is gone in the device: events that nobody has read are dropped. */
void swhca_uevent_detach(struct swhca_uobj *obj);
/** Hand an event queue entry to whom it concerns. Called in the interrupt. */
void swhca_uevent_dispatch(struct swhca_udev *dev, const uint8_t *eqe);

#endif /* SWHCA_UVERBS_EVENT_H */
