/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_PATH_H
#define SWHCA_PRELOAD_PATH_H

/**
 * @file
 * Paths of intercepted calls. Each call resolves its path (view.h) and continues with the result;
 * the path of a device file resolves to a device.
 */

#include <stdbool.h>

#include "front/preload/view.h"

/** Resolved path. */
struct swhca_path {
	const char *path;	/**< For the next definition of the call, with the same folder. */
	int device;		/**< Its device file (preload_node.h), or -1. */
	bool is_ours;		/**< In our folder: an attribute, which is read-only. */
	char buf[SWHCA_VIEW_PATH];
};

/**
 * Resolve a path, preserving errno.
 *
 * @param dirfd
 *   Base folder of a relative path, or AT_FDCWD.
 */
void swhca_path_find(struct swhca_path *to, int dirfd, const char *path);

/** Declare "to", the resolved path. */
#define SWHCA_PATH_FIND(dirfd, path)                                                               \
	struct swhca_path to;                                                                      \
	swhca_path_find(&to, dirfd, path)

/** Convert a result in our folder to its name; true if it was converted. */
bool swhca_path_name(char *path, size_t size);

#endif /* SWHCA_PRELOAD_PATH_H */
