/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_EVFILE_H
#define SWHCA_UVERBS_EVFILE_H

/**
 * @file
 * Files from which events are read.
 *
 * One lock guards them and the event sources. It is taken last, also by the interrupt, so its
 * holder must not call the HCA.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct swhca_udev;
struct swhca_uevent_file;
struct swhca_ufile;

/** Kind of events in a file. */
enum swhca_uevent_kind {
	SWHCA_UEVENT_COMP,	/**< Completions (struct ib_uverbs_comp_event_desc). */
	SWHCA_UEVENT_ASYNC,	/**< Asynchronous events (struct ib_uverbs_async_event_desc). */
	SWHCA_UEVENT_DEVX,	/**< DevX subscriptions. */
	SWHCA_UEVENT_DEVX_CMD,	/**< Answers of asynchronous DevX commands. */
};

/** In the child of fork(2): the holder of the lock is a thread of the parent. */
void swhca_uevent_forget(void);
void swhca_uevent_lock(void);
void swhca_uevent_unlock(void);

/**
 * Create a file of a context.
 *
 * @param file
 *   Written on success if not NULL, with a reference in addition to that of the descriptor.
 * @return
 *   The descriptor, which belongs to the user, or a negative errno.
 */
int swhca_uevent_file_create(struct swhca_ufile *ctx, enum swhca_uevent_kind kind,
			     struct swhca_uevent_file **file);
/** Find a file by descriptor, with a reference. @return 0, or -EBADF: not such a file of ctx. */
int swhca_uevent_file_find(struct swhca_ufile *ctx, int64_t fd, enum swhca_uevent_kind kind,
			   struct swhca_uevent_file **file);
/** Take a reference. @return The file; NULL is accepted. */
struct swhca_uevent_file *swhca_uevent_file_get(struct swhca_uevent_file *file);
/** Drop a reference; NULL is accepted. */
void swhca_uevent_file_put(struct swhca_uevent_file *file);
/** The last descriptor is closed: later events are dropped. Drops its reference. */
void swhca_uevent_file_close(struct swhca_uevent_file *file);
/** A context is gone: reads of its files return the remaining events and then -EIO. */
void swhca_uevent_files_disconnect(struct swhca_ufile *ctx);
/** A device is gone: all of its files except those of asynchronous events end with -EIO. */
void swhca_uevent_files_remove(struct swhca_udev *dev);
/** read(2) of a descriptor. @return Bytes, or a negative errno as in Linux. */
ssize_t swhca_uevent_file_read(struct swhca_uevent_file *file, int fd, void *buf, size_t count);
/** DevX: omit the data of events. */
void swhca_uevent_file_set_omit(struct swhca_uevent_file *file);
/** Reserve space for an answer of that size. @return false: too much is queued. */
bool swhca_uevent_file_reserve(struct swhca_uevent_file *file, size_t len);

/**
 * Queue an event; the lock is held. Without memory it is lost, as in Linux.
 *
 * @param src
 *   Its source, or NULL.
 * @param counter
 *   Incremented when it is read, or NULL.
 */
void swhca_uevent_post(struct swhca_uevent_file *file, const void *src, uint32_t *counter,
		       const void *data, size_t len);
/** Queue a DevX event, with data unless omitted; the lock is held. */
void swhca_uevent_post_devx(struct swhca_uevent_file *file, const void *src, uint64_t cookie,
			    const void *data, size_t len);
/** Drop unread events of a source; the lock is held. */
void swhca_uevent_drop(struct swhca_uevent_file *file, const void *src);

/** Queue an event in all files of asynchronous events of a device; the lock is held. */
void swhca_uevent_post_all(struct swhca_udev *dev, const void *data, size_t len);

#endif /* SWHCA_UVERBS_EVFILE_H */
