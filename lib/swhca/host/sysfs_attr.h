/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_SYSFS_ATTR_H
#define SWHCA_SYSFS_ATTR_H

/**
 * @file
 * Attributes in sysfs that depend on the process, or change: addresses and values derived from
 * them, port state, counters. The tree of files (sysfs.h) is shared by all processes of a run, and
 * contains the values of a device that is not open; a process with devices reads the current value
 * instead.
 */

#include <stdbool.h>
#include <stddef.h>

#include "host/conf.h"

/** A device in its attributes. */
struct swhca_sysfs_dev {
	const struct swhca_conf *conf;
	unsigned int index;
	bool is_port_down;
	struct swhca_port_rate rate;
	struct swhca_wire_stats stats;
};

/** Maximum size of an attribute's text, including its end. */
#define SWHCA_SYSFS_TEXT 64

/**
 * Get the text of an attribute, with a newline.
 *
 * @param name
 *   Path in the folder of the function: "infiniband/mlx5_0/ports/1/lid", "net/enp8s0f0np0/address".
 * @return
 *   false if there is none, or it is constant.
 */
bool swhca_sysfs_attr(const struct swhca_sysfs_dev *dev, const char *name,
		      char text[static SWHCA_SYSFS_TEXT]);

struct swhca_tree;

/**
 * Create the file of an attribute, if there is one, with the value of a device that is not open.
 *
 * @param pci
 *   Folder of the function.
 */
void swhca_sysfs_attr_create(struct swhca_tree *tree, const char *pci, unsigned int index,
			     const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Check whether a file of that name, without its folder, may be such an attribute. */
bool swhca_sysfs_attr_may_be(const char *file);

/**
 * Find the device and attribute of a path, as the kernel returns it for an open file.
 *
 * @param path
 *   Without symbolic links.
 * @return
 *   Name of the attribute, in path, and index of the device; NULL if there is none.
 */
const char *swhca_sysfs_attr_of_path(const char *path, unsigned int *index);

#endif /* SWHCA_SYSFS_ATTR_H */
