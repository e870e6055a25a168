/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NETLINK_H
#define SWHCA_NETLINK_H

/**
 * @file
 * Sockets of RDMA netlink, by which libibverbs finds devices and checks fork(2) support, and which
 * alone reports counters of on-demand paging. front/uverbs/nl/nldev.h generates the answers.
 *
 * A socket is one end of a pair. A request is answered while it is sent, into the other end;
 * answers are read as from any socket, except for the sender address. Answers that do not fit wait
 * until something was read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <linux/netlink.h>

/** Open a socket, with the flags of a type of socket(2). @return Descriptor or a negative errno. */
int swhca_netlink_open(int type);
/** Check whether a descriptor is such a socket. */
bool swhca_netlink_has(int fd);
/** Bind a socket to a number, 0 for any. @return 0, -EINVAL, -EADDRINUSE or -EBADF. */
int swhca_netlink_bind(int fd, const struct sockaddr_nl *addr, socklen_t len);
/** getsockname(2). @return 0 or -EBADF. */
int swhca_netlink_name(int fd, struct sockaddr_nl *addr);
/** connect(2), to the kernel. @return 0, -EINVAL, -EPERM (to another process) or -EBADF. */
int swhca_netlink_connect(int fd, const struct sockaddr_nl *addr, socklen_t len);
/** Set an option of SOL_NETLINK. @return 0, -EINVAL, -ENOPROTOOPT or -EBADF. */
int swhca_netlink_option_set(int fd, int name, const void *value, socklen_t len);
/**
 * Get an option of SOL_NETLINK, or the domain, protocol and type of a socket.
 *
 * @return
 *   0, -EBADF, or -ENOPROTOOPT: unknown; other options of SOL_SOCKET are those of the pair.
 */
int swhca_netlink_option_get(int fd, int level, int name, int *value);
/** Called after a read: there may be room for more. Preserves errno. */
void swhca_netlink_received(int fd);
/** Send requests, and answer them. @return Bytes or a negative errno. */
ssize_t swhca_netlink_send(int fd, const void *buf, size_t len);
/** Descriptors from first to last will be closed or replaced; they need not be sockets. */
void swhca_netlink_close_range(unsigned int first, unsigned int last);
/** In the child of fork(2): the sockets belong to the parent. */
void swhca_netlink_forget(void);

#endif /* SWHCA_NETLINK_H */
