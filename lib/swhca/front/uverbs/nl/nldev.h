/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_H
#define SWHCA_NLDEV_H

/**
 * @file
 * What ib_core answers to requests of RDMA netlink (Linux, drivers/infiniband/core/nldev.c,
 * netlink.c): the devices, their ports and files, what holds for all of them, and the objects of
 * all processes of a run with their counters.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/** Who asks. */
struct swhca_nldev_peer {
	uint32_t port;		/**< Number of the socket. */
	bool has_ext_ack;	/**< It set NETLINK_EXT_ACK. */
	bool has_cap_ack;	/**< It set NETLINK_CAP_ACK. */
	bool is_busy;		/**< Has not read all of a list yet. */
	/** Takes a packet of answers. */
	void (*send)(void *arg, const void *packet, size_t len);
	void *arg;
};

/**
 * Answer a request, which begins with a whole header; nlmsg_len is at least that, and all of it is
 * there.
 */
void swhca_nldev_request(const struct nlmsghdr *request, const struct swhca_nldev_peer *peer);

#endif /* SWHCA_NLDEV_H */
