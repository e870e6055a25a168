/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_KEEP_H
#define SWHCA_KEEP_H

/**
 * @file
 * Descriptors that the devices need for the life of the process. A program that closes all that
 * it did not open, as daemons do, must not close them: for close(2) they do not exist, and
 * close_range(2) leaves them out. Nor may dup2(2) put anything else in their place.
 */

#include <stdbool.h>

/** Keep a descriptor open; one that is negative, or very large, is left alone. */
void swhca_fd_keep(int fd);

/** As above; and in a child of fork(2), which has links of its own, nothing of it is to stay. */
void swhca_fd_keep_here(int fd);

/** In the child of fork(2): close those. */
void swhca_fd_close_here(void);

/** Give it up, before the library itself closes it. */
void swhca_fd_unkeep(int fd);

/** Give it up and close it. */
void swhca_fd_release(int fd);

/** Is a descriptor kept? Not in a child of vfork(2), whose descriptors are its own. */
bool swhca_fd_is_kept(int fd);

/** Lowest kept descriptor from first to last, or -1. */
int swhca_fd_kept_first(unsigned int first, unsigned int last);

/** In the child of fork(2), where no device is in use. */
void swhca_fd_forget(void);

#endif /* SWHCA_KEEP_H */
