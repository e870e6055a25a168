/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FILE_LOCK_H
#define SWHCA_FILE_LOCK_H

/**
 * @file
 * File locks that also work where flock(2) is denied by seccomp(2) of a container, or is not
 * supported by the file system.
 *
 * The alternative is F_OFD_SETLK (fcntl(2)). Both locks belong to the open file, including
 * inherited descriptors, but are independent of each other. A shared lock takes one of them, and an
 * exclusive lock all that are available, so that processes with different restrictions exclude each
 * other.
 */

#include <stdbool.h>

/** Name of the calls, for messages. */
#define SWHCA_FILE_LOCK_CALL "flock, and fcntl(F_OFD_SETLK) instead"

/**
 * Lock an open file without waiting, until all its descriptors are closed.
 *
 * @return
 *   0, -EBUSY if it is locked, or a negative errno of flock(2): neither lock is available.
 */
int swhca_file_lock(int fd, bool is_exclusive);

#endif /* SWHCA_FILE_LOCK_H */
