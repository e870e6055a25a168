/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NODE_H
#define SWHCA_NODE_H

/**
 * @file
 * Device files of any kind, by number: those of devices have the device's, that of the connection
 * manager one of its own.
 */

#include <sys/stat.h>

/** /dev/infiniband/rdma_cm */
#define SWHCA_NODE_CM 0x10000

/** Device file that a path names, or -1. */
int swhca_node_of_path(const char *path);
/** Device file that a descriptor is of, or -1. */
int swhca_node_of_fd(int fd);
/** What stat(2) tells of it. */
void swhca_node_stat(int node, struct stat *st);

#endif /* SWHCA_NODE_H */
