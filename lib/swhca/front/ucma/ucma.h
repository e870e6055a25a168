/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UCMA_H
#define SWHCA_UCMA_H

/**
 * @file
 * Connection manager as /dev/infiniband/rdma_cm, at the level of libc calls (Linux:
 * drivers/infiniband/core/ucma.c). A descriptor supports write(2) of commands and poll(2), which
 * are all that librdmacm uses. Close and duplicate are common to all device files (uverbs.h).
 *
 * Thread safe. After fork(2) files of the parent are inactive; the child may open its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

/** Check whether a path is the device. */
bool swhca_ucma_path(const char *path);
/** Fill the result of stat(2). */
void swhca_ucma_stat(struct stat *st);
/** Open it with O_CLOEXEC and O_NONBLOCK of flags. @return Descriptor or a negative errno. */
int swhca_ucma_open(int flags);
/** Check whether a descriptor belongs to it. */
bool swhca_ucma_is(int fd);
/** write(2), a cancellation point if it waits. @return Bytes or a negative errno. */
ssize_t swhca_ucma_write(int fd, const void *buf, size_t len);
/** A device was removed: its users are notified. */
void swhca_ucma_removed(unsigned int index);
/** The process exits, which closes everything: peers are notified. */
void swhca_ucma_exit(void);
/** In the child of fork(2): all of it belongs to the parent. */
void swhca_ucma_forget(void);

#endif /* SWHCA_UCMA_H */
