/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_VIEW_H
#define SWHCA_VIEW_H

/**
 * @file
 * Where the paths that programs hard-code lead: /sys and /dev/infiniband with the devices in it.
 *
 * What is of a device (/sys/class/infiniband/mlx5_0/...) lies in the tree of host/sysfs.h. A
 * folder in which there are entries of the machine, too (/sys/class/infiniband), is made anew in
 * the folder "view" beside that tree each time that somebody asks for it: with symbolic links as
 * sysfs has them, so that the kernel finds its way from there, also by "..". All else is the
 * machine's own.
 */

#include <stdbool.h>
#include <stddef.h>

/** Longest path that leads anywhere else than it says. */
#define SWHCA_VIEW_PATH 1024

/**
 * Find where an absolute path leads, whose folders are separated by one '/', without "." or "..".
 *
 * @param out
 *   Written if the path leads elsewhere.
 * @return
 *   Whether it does.
 */
bool swhca_view_find(const char *path, char out[static SWHCA_VIEW_PATH]);

/**
 * The path that leads to a place in our folder.
 *
 * @return
 *   Whether there is one. If not, out is not written.
 */
bool swhca_view_name(const char *path, char out[static SWHCA_VIEW_PATH]);

#endif /* SWHCA_VIEW_H */
