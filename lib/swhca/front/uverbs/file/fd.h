/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_FD_H
#define SWHCA_UVERBS_FD_H

/**
 * @file
 * The table of descriptors that are open files, and references of these files.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct swhca_udev;
struct swhca_uevent_file;
struct swhca_ufile;

/** The table is this process', before the first descriptor is entered. */
void swhca_ufds_start(void);
/** In the child of fork(2): all files are the parent's. */
void swhca_ufds_forget(void);

/**
 * A file of this process with one reference, all of it zero but for what it is given here.
 *
 * @param dev
 *   NULL: a file of connections.
 * @param fini
 *   Gives back what the file has, when the last reference is gone.
 * @return
 *   The file, or NULL.
 */
struct swhca_ufile *swhca_ufile_alloc(struct swhca_udev *dev,
				      void (*fini)(struct swhca_ufile *file));
/** Free one that nobody else knows, and that has nothing. */
void swhca_ufile_free(struct swhca_ufile *file);
/** File of a descriptor with a reference, or NULL if it is not ours. */
struct swhca_ufile *swhca_ufile_get(int fd);
/** A certain device file that this process opened, with a reference; NULL if there is none. */
struct swhca_ufile *swhca_ufile_get_own(const struct swhca_ufile *wanted);
/** Device file that this process opened, by what fstat(2) says of it; or NULL. */
struct swhca_ufile *swhca_ufile_get_inode(dev_t st_dev, ino_t st_ino);
/** Device files of a device that this process opened, each with a reference. @return How many. */
size_t swhca_ufiles_get_own(unsigned int dev_index, struct swhca_ufile **files, size_t nb_max);
/** Are there device files that this process opened? */
bool swhca_ufiles_exist(void);
/** Drop a reference; the last one destroys what the file has. */
void swhca_ufile_put(struct swhca_ufile *file);
/** Did this process open it? Otherwise it is a parent's. */
bool swhca_ufile_is_own(const struct swhca_ufile *file);

/** Enter a descriptor; the caller's reference becomes the table's. @return 0 or negative errno. */
int swhca_ufd_set(int fd, struct swhca_ufile *file);
/** Forget a descriptor, of which any is accepted; who calls closes it. */
void swhca_ufd_close(int fd);
/** The same for all from first to last. */
void swhca_ufd_close_range(unsigned int first, unsigned int last);
/** close(2) of one that the user does not know yet. */
void swhca_ufd_drop(int fd);

/** Enter an event file, which holds the caller's reference then. @return As swhca_ufd_set(). */
int swhca_uevent_fd_add(int fd, struct swhca_udev *dev, struct swhca_uevent_file *file);
/** @return The event file of a descriptor with a reference, or NULL if it is none. */
struct swhca_uevent_file *swhca_uevent_file_of_fd(int fd);

#endif /* SWHCA_UVERBS_FD_H */
