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

struct swhca_ufile;
struct swhca_ufork_call;

/** File of a descriptor with a reference, or NULL if it is not ours. */
struct swhca_ufile *swhca_ufile_get(int fd);
/** A certain device file that this process opened, with a reference; NULL if there is none. */
struct swhca_ufile *swhca_ufile_get_own(const struct swhca_ufile *wanted);
/** Device file that this process opened, by what fstat(2) says of it; or NULL. */
struct swhca_ufile *swhca_ufile_get_inode(dev_t st_dev, ino_t st_ino);
/** Device files of a device that this process opened, each with a reference. @return How many. */
size_t swhca_ufiles_get_own(unsigned int dev_index, struct swhca_ufile **files, size_t nb_max);
/** Drop a reference; the last one destroys what the file has. */
void swhca_ufile_put(struct swhca_ufile *file);
/** Did this process open it? Otherwise it is a parent's. */
bool swhca_ufile_is_own(const struct swhca_ufile *file);

/** A call of a child on a file that it inherited (front/uverbs/call/uverbs.c). */
int swhca_ufile_call_serve(struct swhca_ufork_call *call);

#endif /* SWHCA_UVERBS_FD_H */
