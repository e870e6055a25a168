/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_SYSFS_PCI_H
#define SWHCA_HOST_SYSFS_PCI_H

/**
 * @file
 * PCI functions and net devices in sysfs.
 */

#include "host/sysfs_tree.h"

/** Create the PCI function of a device, its net device, and their links in bus and class. */
void swhca_sysfs_pci_create(struct swhca_tree *tree, unsigned int index);

/** Unlink the RDMA and PCI files of a device. */
void swhca_sysfs_dev_remove(struct swhca_tree *tree, unsigned int index);

#endif /* SWHCA_HOST_SYSFS_PCI_H */
