/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_SYSFS_RDMA_H
#define SWHCA_HOST_SYSFS_RDMA_H

/**
 * @file
 * RDMA devices in sysfs.
 */

#include "host/sysfs_tree.h"

/** Create the RDMA device in the folder of a PCI function, and its links in class. */
void swhca_sysfs_rdma_create(struct swhca_tree *tree, const char *pci, unsigned int index);

#endif /* SWHCA_HOST_SYSFS_RDMA_H */
