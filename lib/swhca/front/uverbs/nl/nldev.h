/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_H
#define SWHCA_NLDEV_H

/**
 * @file
 * Answers of ib_core to requests of RDMA netlink (Linux, drivers/infiniband/core/nldev.c,
 * netlink.c): the devices, their ports and files, global settings, and the objects of all processes
 * of a run with their counters.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/** Sender of a request. */
struct swhca_nldev_peer {
	uint32_t port;		/**< Number of the socket. */
	bool has_ext_ack;	/**< NETLINK_EXT_ACK is set. */
	bool has_cap_ack;	/**< NETLINK_CAP_ACK is set. */
	bool is_busy;		/**< A list is not completely read. */
	/** Receives a packet of answers. */
	void (*send)(void *arg, const void *packet, size_t len);
	void *arg;
};

/**
 * Answer a request, which begins with a complete header; nlmsg_len is at least that, and all of it
 * is present.
 */
void swhca_nldev_request(const struct nlmsghdr *request, const struct swhca_nldev_peer *peer);

#endif /* SWHCA_NLDEV_H */
