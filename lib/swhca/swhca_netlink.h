/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NETLINK_H
#define SWHCA_NETLINK_H

/**
 * @file
 * RDMA netlink as far as the counters of on-demand paging need it, for there is no other way to
 * them (Linux, drivers/infiniband/core/nldev.c, hw/mlx5/restrack.c): dumps of the devices, of the
 * regions with on-demand paging, and of their counters.
 *
 * A socket is one of a pair. A request is answered while it is sent, by send(2) or sendto(2), into
 * the other one. The socket cannot be bound: libnl and libmnl give up, and libibverbs with them,
 * which then reads sysfs. A plain socket of Linux need not be bound.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** A new socket, with the flags of a type of socket(2). @return Descriptor or a negative errno. */
int swhca_netlink_open(int type);
/** Is it one of them? */
bool swhca_netlink_has(int fd);
/** Send requests, and answer them. @return Bytes or a negative errno. */
ssize_t swhca_netlink_send(int fd, const void *buf, size_t len);
/** A descriptor is going to be closed, or replaced; anything is accepted. */
void swhca_netlink_close(int fd);
/** So are all from first to last. */
void swhca_netlink_close_range(unsigned int first, unsigned int last);
/** In the child of fork(2): the sockets are those of the parent. */
void swhca_netlink_forget(void);

#endif /* SWHCA_NETLINK_H */
