/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_H
#define SWHCA_UCMA_H

/**
 * @file
 * The connection manager as a /dev/infiniband/rdma_cm: what a caller of libc sees (Linux:
 * drivers/infiniband/core/ucma.c). A descriptor supports write(2) of commands and poll(2), by which
 * librdmacm does everything. Closing and duplicating it are those of all device files (uverbs.h).
 *
 * Thread safe. After fork(2) files of the parent do nothing; the child may open its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/** Does a path name the device? */
bool swhca_ucma_path(const char *path);
/** What stat(2) tells of it. */
void swhca_ucma_stat(struct stat *st);
/** Open it; of flags O_CLOEXEC and O_NONBLOCK matter. @return Descriptor or a negative errno. */
int swhca_ucma_open(int flags);
/** Is a descriptor one of it? */
bool swhca_ucma_is(int fd);
/** write(2). A thread may be cancelled where it waits. @return Bytes or a negative errno. */
ssize_t swhca_ucma_write(int fd, const void *buf, size_t len);
/** A device was taken away: who uses it is told. */
void swhca_ucma_removed(unsigned int index);
/** The process ends, which closes everything: peers are told. */
void swhca_ucma_exit(void);
/** In the child of fork(2): all of it is the parent's. */
void swhca_ucma_forget(void);

#endif /* SWHCA_UCMA_H */
