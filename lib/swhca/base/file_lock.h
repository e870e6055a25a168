/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FILE_LOCK_H
#define SWHCA_FILE_LOCK_H

/**
 * @file
 * Locks of files, also where flock(2) is denied: seccomp(2) of containers does that, and some file
 * systems have none.
 *
 * The other lock is that of F_OFD_SETLK (fcntl(2)). Both belong to the open file, whoever inherits
 * it, but neither sees the other. A shared lock is either of them, and an exclusive one all that
 * can be had, so that processes find each other if they are denied different ones.
 */

#include <stdbool.h>

/** What swhca_file_lock() calls, for messages. */
#define SWHCA_FILE_LOCK_CALL "flock, and fcntl(F_OFD_SETLK) instead"

/**
 * Lock an open file without waiting, until all its descriptors are closed.
 *
 * @return
 *   0, -EBUSY if another has it, or a negative errno of flock(2): neither lock can be had.
 */
int swhca_file_lock(int fd, bool is_exclusive);

#endif /* SWHCA_FILE_LOCK_H */
