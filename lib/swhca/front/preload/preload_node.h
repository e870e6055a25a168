/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_NODE_H
#define SWHCA_PRELOAD_NODE_H

/**
 * @file
 * Device files of any kind, by number: device index, or the special number of the connection
 * manager.
 */

#include <sys/stat.h>

/** /dev/infiniband/rdma_cm */
#define SWHCA_NODE_CM 0x10000

/** Device file of a path, or -1. */
int swhca_node_of_path(const char *path);
/** Device file of a descriptor, or -1. */
int swhca_node_of_fd(int fd);
/** Fill the result of stat(2). */
void swhca_node_stat(int node, struct stat *st);

#endif /* SWHCA_PRELOAD_NODE_H */
