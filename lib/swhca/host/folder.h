/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_FOLDER_H
#define SWHCA_FOLDER_H

/**
 * @file
 * Temporary folders and their removal.
 *
 * The name of a folder identifies its owner: "swhca.<pid namespace>-<pid>-<start time>.<random>".
 * Every process that uses it holds a shared lock on the file "lock" in it: by flock(2), or where it
 * is denied, by F_OFD_SETLK (fcntl(2)). It may be removed when the owner is gone (or says so) and
 * the lock is free. The remover renames it first, so that no process uses a partial folder.
 *
 * Other users of the machine may create anything in the parent, under any name that they guess or
 * have seen. Only folders of this user that others cannot write to are used or removed, symbolic
 * links are not followed, and names of new folders are unpredictable.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * Candidate parents of a folder, in order of preference: those in the environment (TMPDIR,
 * XDG_RUNTIME_DIR) and some more.
 *
 * @return
 *   A path, "" (a variable that is not set, or contains no absolute path), or NULL: no more.
 */
const char *swhca_folder_parent(unsigned int index);

/** Create a folder for an owner in a parent. @return 0 or a negative errno. */
int swhca_folder_create(char *path, size_t size, const char *parent, pid_t owner);

/**
 * Choose the name of a folder that swhca_folder_hold() creates when needed. It is too long for
 * others to guess and create it before.
 *
 * @return
 *   0, -ENAMETOOLONG, or a negative errno of getrandom(2).
 */
int swhca_folder_name(char *path, size_t size, const char *parent, pid_t owner);

/**
 * Open a folder for reading, if it may be used.
 *
 * @return
 *   File descriptor, or a negative errno: -EPERM (owned by another user, writable by others, or not
 *   a folder), -ENOENT (it does not exist and may be created), or another of open(2).
 */
int swhca_folder_open(const char *path);

/**
 * Use a folder, and create it if it was removed.
 *
 * @param call
 *   On error, the failed call; NULL: none, it may not be used (swhca_folder_open()).
 * @return
 *   File descriptor of the lock, or a negative errno; -EBUSY: the lock was not free within 10 s.
 */
int swhca_folder_hold(const char *path, const char **call);

/**
 * Remove a folder unless it is in use.
 *
 * @param is_owner_gone
 *   The owner is known not to need it any more.
 * @return
 *   0, -EBUSY (in use), or another negative errno.
 */
int swhca_folder_reap(const char *path, bool is_owner_gone);

/** Remove folders of dead owners in a parent. */
void swhca_folder_sweep(const char *parent);

/** Remove a folder and its content. */
void swhca_folder_remove(const char *path);

#endif /* SWHCA_FOLDER_H */
