/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PATH_H
#define SWHCA_PATH_H

/**
 * @file
 * Paths of intercepted calls. Each call asks where its path leads (view.h) and goes on with the
 * answer; the path of a device file leads to a device.
 */

#include <stdbool.h>

#include "front/preload/view.h"

/** Where a path leads. */
struct swhca_path {
	const char *path;	/**< For the next definition of the call, with the same folder. */
	int device;		/**< Device file that it is (node.h), or -1. */
	bool is_ours;		/**< It leads into our folder: an attribute, which is read-only. */
	char buf[SWHCA_VIEW_PATH];
};

/**
 * Find out. errno is kept.
 *
 * @param dirfd
 *   Of the folder that a relative path begins in, or AT_FDCWD.
 */
void swhca_path_find(struct swhca_path *to, int dirfd, const char *path);

/** Declare "to", where a path leads. */
#define SWHCA_PATH_FIND(dirfd, path)                                                               \
	struct swhca_path to;                                                                      \
	swhca_path_find(&to, dirfd, path)

/** The name of a result that is in our folder; true if it was and is changed. */
bool swhca_path_name(char *path, size_t size);

#endif /* SWHCA_PATH_H */
