/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_VIEW_H
#define SWHCA_VIEW_H

/**
 * @file
 * Redirection of hard-coded paths: /sys and /dev/infiniband including the devices.
 *
 * Files of a device (/sys/class/infiniband/mlx5_0/...) are in the tree of host/sysfs.h. A folder
 * that also has entries of the machine (/sys/class/infiniband) is recreated on each access in the
 * folder "view" next to that tree, with symbolic links as in sysfs, so that the kernel resolves
 * paths from there, including "..". All other paths are unchanged.
 */

#include <stdbool.h>
#include <stddef.h>

/** Maximum size of a redirected path. */
#define SWHCA_VIEW_PATH 1024

/**
 * Redirect an absolute path with folders separated by a single '/', without "." or "..".
 *
 * @param out
 *   Written if the path is redirected.
 * @return
 *   Whether it is.
 */
bool swhca_view_find(const char *path, char out[static SWHCA_VIEW_PATH]);

/**
 * Get the original path of a place in our folder.
 *
 * @return
 *   Whether there is one. If not, out is not written.
 */
bool swhca_view_name(const char *path, char out[static SWHCA_VIEW_PATH]);

#endif /* SWHCA_VIEW_H */
