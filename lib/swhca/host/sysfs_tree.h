/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SYSFS_TREE_H
#define SWHCA_SYSFS_TREE_H

/**
 * @file
 * Creation of files and folders of sysfs.
 */

#include "host/conf.h"

/** A folder being filled; after the first error all further calls do nothing. */
struct swhca_tree {
	int dirfd;
	int ret;
	const struct swhca_conf *conf;
};

/** Maximum path length below the folder. */
#define SWHCA_TREE_PATH 256

/** Create a folder unless it exists. */
void swhca_tree_mkdir(struct swhca_tree *tree, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Create a symbolic link from a path in class or bus to a folder of the tree. */
void swhca_tree_symlink(struct swhca_tree *tree, const char *target, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** Write the file "dir/name" with a text and a newline. */
void swhca_tree_file(struct swhca_tree *tree, const char *dir, const char *name,
		     const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Write a binary file. */
void swhca_tree_bytes(struct swhca_tree *tree, const char *dir, const char *name,
		      const void *bytes, size_t len);

#endif /* SWHCA_SYSFS_TREE_H */
