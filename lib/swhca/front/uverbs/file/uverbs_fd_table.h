/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_FD_TABLE_H
#define SWHCA_UVERBS_FD_TABLE_H

/**
 * @file
 * Table of descriptors that are open files, and references of these files.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct swhca_udev;
struct swhca_uevent_file;
struct swhca_ufile;

/** Set the process that owns the table, before the first descriptor is added. */
void swhca_ufds_start(void);
/** In the child of fork(2): all files belong to the parent. */
void swhca_ufds_forget(void);

/**
 * Allocate a file of this process with one reference, all other members zero.
 *
 * @param dev
 *   NULL: a file of connections.
 * @param fini
 *   Releases the resources of the file with the last reference.
 * @return
 *   The file, or NULL.
 */
struct swhca_ufile *swhca_ufile_alloc(struct swhca_udev *dev,
				      void (*fini)(struct swhca_ufile *file));
/** Free an unused file without resources. */
void swhca_ufile_free(struct swhca_ufile *file);
/** Get the file of a descriptor with a reference, or NULL if it is not ours. */
struct swhca_ufile *swhca_ufile_get(int fd);
/** Get a device file with a reference if this process opened it; else NULL. */
struct swhca_ufile *swhca_ufile_get_own(const struct swhca_ufile *wanted);
/** Find a device file opened by this process, by the result of fstat(2); or NULL. */
struct swhca_ufile *swhca_ufile_get_inode(dev_t st_dev, ino_t st_ino);
/** Get the files of a device opened by this process, with references. @return Their number. */
size_t swhca_ufiles_get_own(unsigned int dev_index, struct swhca_ufile **files, size_t nb_max);
/** Check whether this process has opened device files. */
bool swhca_ufiles_exist(void);
/** Drop a reference; the last one releases the resources of the file. */
void swhca_ufile_put(struct swhca_ufile *file);
/** Check whether this process opened it; else a parent did. */
bool swhca_ufile_is_own(const struct swhca_ufile *file);

/** Add a descriptor, with the caller's reference. @return 0 or negative errno. */
int swhca_ufd_set(int fd, struct swhca_ufile *file);
/** Remove any descriptor; the caller closes it. */
void swhca_ufd_close(int fd);
/** The same for all from first to last. */
void swhca_ufd_close_range(unsigned int first, unsigned int last);
/** close(2) of one that was not yet returned to the user. */
void swhca_ufd_drop(int fd);

/** Add an event file, with the caller's reference. @return As swhca_ufd_set(). */
int swhca_uevent_fd_add(int fd, struct swhca_udev *dev, struct swhca_uevent_file *file);
/** @return The event file of a descriptor with a reference, or NULL. */
struct swhca_uevent_file *swhca_uevent_file_of_fd(int fd);

#endif /* SWHCA_UVERBS_FD_TABLE_H */
