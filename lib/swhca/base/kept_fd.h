/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_KEPT_FD_H
#define SWHCA_KEPT_FD_H

/**
 * @file
 * Descriptors that the devices need for the life of the process. A program that closes all
 * descriptors that it did not open, as daemons do, must not close them: close(2) treats them as not
 * open, close_range(2) skips them, and dup2(2) cannot replace them.
 */

#include <stdbool.h>

/** Keep a descriptor open; a negative or very large one is ignored. */
void swhca_fd_keep(int fd);

/** As above, and close it in a child of fork(2), which has its own links. */
void swhca_fd_keep_here(int fd);

/** In the child of fork(2): close those descriptors. */
void swhca_fd_close_here(void);

/** Stop keeping it, before the library itself closes it. */
void swhca_fd_unkeep(int fd);

/** Stop keeping it and close it. */
void swhca_fd_release(int fd);

/**
 * Check whether a descriptor is kept. Not in a child of vfork(2), which has its own descriptors.
 */
bool swhca_fd_is_kept(int fd);

/** Lowest kept descriptor from first to last, or -1. */
int swhca_fd_kept_first(unsigned int first, unsigned int last);

/** In the child of fork(2), where no device is used. */
void swhca_fd_forget(void);

#endif /* SWHCA_KEPT_FD_H */
