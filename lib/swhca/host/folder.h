/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FOLDER_H
#define SWHCA_FOLDER_H

/**
 * @file
 * Temporary folders, and who removes them.
 *
 * The name of a folder tells its owner: "swhca.<pid namespace>-<pid>-<start time>.<random>". Every
 * process that uses it holds a shared lock on the file "lock" in it: that of flock(2), or where it
 * is denied, of F_OFD_SETLK (fcntl(2)). It may go when the owner is gone (or says so) and nobody
 * holds the lock. Whoever removes it renames it first, so that nobody uses half a folder.
 *
 * Other users of the machine may put into the parent what they like, under any name that they
 * guess or have seen. Only folders of this user that nobody else may write to are ever used or
 * removed, no symbolic link is followed, and what a folder is going to be called cannot be guessed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Where a folder may be made: those in the environment (TMPDIR, XDG_RUNTIME_DIR) and some more, the
 * best first.
 *
 * @return
 *   A path, "" (a variable that is not set, or holds no absolute path), or NULL: no more.
 */
const char *swhca_folder_parent(unsigned int index);

/** Make a folder for an owner, in a parent. @return 0 or a negative errno. */
int swhca_folder_create(char *path, size_t size, const char *parent, pid_t owner);

/**
 * Name of a folder that is only made when somebody needs it, by swhca_folder_hold(): long enough
 * that nobody can have made one beforehand.
 *
 * @return
 *   0, -ENAMETOOLONG, or a negative errno of getrandom(2).
 */
int swhca_folder_name(char *path, size_t size, const char *parent, pid_t owner);

/**
 * Open a folder for reading, if it may be used.
 *
 * @return
 *   File descriptor, or a negative errno: -EPERM (it is another user's, others may write to it, or
 *   it is no folder at all), -ENOENT (there is none, it may be made), or another of open(2).
 */
int swhca_folder_open(const char *path);

/**
 * Use a folder, making it if somebody removed it.
 *
 * @param call
 *   On error, what failed; NULL: nothing, it may not be used (swhca_folder_open()).
 * @return
 *   File descriptor of the lock, or a negative errno; -EBUSY: its lock was not to be had in
 *   10 s.
 */
int swhca_folder_hold(const char *path, const char **call);

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
