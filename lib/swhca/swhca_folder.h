/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FOLDER_H
#define SWHCA_FOLDER_H

/**
 * @file
 * Temporary folders, and who removes them.
 *
 * The name of a folder tells its owner: "swhca.<pid namespace>-<pid>-<start time>.XXXXXX". Every
 * process that uses it holds a shared lock on the file "lock" in it. It may go when the owner is
 * gone (or says so) and nobody holds the lock. Whoever removes it renames it first, so that
 * nobody uses half a folder. Only folders of this user are ever touched, and no symbolic link is
 * followed: a folder has mode 0700, so nobody else can put one there.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** Name of a folder for an owner, in a parent. @return 0 or -ENAMETOOLONG. */
int swhca_folder_name(char *path, size_t size, const char *parent, pid_t owner);

/** Make a folder whose path ends in XXXXXX, as mkdtemp(3). @return 0 or a negative errno. */
int swhca_folder_create(char *path);

/**
 * Use a folder, making it if somebody removed it.
 *
 * @return
 *   File descriptor of the lock, or a negative errno; -EPERM if the folder is another user's.
 */
int swhca_folder_hold(const char *path);

/**
 * Remove a folder unless it is in use.
 *
 * @param is_owner_gone
 *   The caller knows that the owner does not need it any more.
 * @return
 *   0, -EBUSY (in use), or another negative errno.
 */
int swhca_folder_reap(const char *path, bool is_owner_gone);

/** Remove what dead owners left in a parent. */
void swhca_folder_sweep(const char *parent);

/** Remove a folder and what is in it. */
void swhca_folder_remove(const char *path);

#endif /* SWHCA_FOLDER_H */
