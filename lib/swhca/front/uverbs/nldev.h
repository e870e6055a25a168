/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_H
#define SWHCA_NLDEV_H

/**
 * @file
 * What ib_core answers to requests of RDMA netlink (Linux, drivers/infiniband/core/nldev.c): the
 * devices and their files, what holds for all of them, and regions with on-demand paging and their
 * counters.
 */

#include <stdint.h>

#include <linux/netlink.h>

/**
 * Answer a request, which begins with a whole header; nlmsg_len is at least that, and all of it is
 * there.
 *
 * @param port
 *   Number of the socket that asks.
 * @param peer
 *   Socket of packets that the answers go to. One that it does not take is lost, and logged.
 */
void swhca_nldev_request(const struct nlmsghdr *request, uint32_t port, int peer);

#endif /* SWHCA_NLDEV_H */
