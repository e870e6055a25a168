/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SYSFS_ATTR_H
#define SWHCA_SYSFS_ATTR_H

/**
 * @file
 * Attributes in sysfs that are of a process, or change: addresses and what is made of them, the
 * state of a port, its counters. The tree of files (sysfs.h) belongs to all processes of a run, and
 * holds what these are of a device that nobody has opened; who reads one in a process with devices
 * is given the text of this moment.
 */

#include <stdbool.h>
#include <stddef.h>

#include "host/conf.h"

/** A device as its attributes show it. */
struct swhca_sysfs_dev {
	const struct swhca_conf *conf;
	unsigned int index;
	bool is_port_down;
	struct swhca_port_rate rate;
	struct swhca_wire_stats stats;
};

/** Longest text of an attribute, with its end. */
#define SWHCA_SYSFS_TEXT 64

/**
 * Text of an attribute, with a newline.
 *
 * @param name
 *   Path in the folder of the function: "infiniband/mlx5_0/ports/1/lid", "net/enp8s0f0np0/address".
 * @return
 *   false if there is none, or it is always the same.
 */
bool swhca_sysfs_attr(const struct swhca_sysfs_dev *dev, const char *name,
		      char text[static SWHCA_SYSFS_TEXT]);

struct swhca_tree;

/**
 * Make the file of an attribute, if there is one: as it is of a device that nobody has opened.
 *
 * @param pci
 *   Folder of the function.
 */
void swhca_sysfs_attr_create(struct swhca_tree *tree, const char *pci, unsigned int index,
			     const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Whether a file of that name, without its folder, may be one. */
bool swhca_sysfs_attr_may_be(const char *file);

/**
 * The device and attribute that a path leads to, which the kernel tells of an open file.
 *
 * @param path
 *   Without symbolic links.
 * @return
 *   Name of the attribute, in path, and index of the device; NULL if there is none.
 */
const char *swhca_sysfs_attr_of_path(const char *path, unsigned int *index);

#endif /* SWHCA_SYSFS_ATTR_H */
