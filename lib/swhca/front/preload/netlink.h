/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NETLINK_H
#define SWHCA_NETLINK_H

/**
 * @file
 * Sockets of RDMA netlink, by which libibverbs finds devices and asks about fork(2), and by which
 * alone counters of on-demand paging are told. What they answer: front/uverbs/nl/nldev.h.
 *
 * A socket is one of a pair. A request is answered while it is sent, into the other one; answers
 * are read as from any socket, but for the address that they come from. What does not fit waits
 * until something was read.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <linux/netlink.h>

/** A new socket, with the flags of a type of socket(2). @return Descriptor or a negative errno. */
int swhca_netlink_open(int type);
/** Is it one of them? */
bool swhca_netlink_has(int fd);
/** Give a socket a number, 0 for any. @return 0, -EINVAL, -EADDRINUSE or -EBADF. */
int swhca_netlink_bind(int fd, const struct sockaddr_nl *addr, socklen_t len);
/** What getsockname(2) tells of a socket. @return 0 or -EBADF. */
int swhca_netlink_name(int fd, struct sockaddr_nl *addr);
/** connect(2), to the kernel. @return 0, -EINVAL, -EPERM (to another process) or -EBADF. */
int swhca_netlink_connect(int fd, const struct sockaddr_nl *addr, socklen_t len);
/** Set an option of SOL_NETLINK. @return 0, -EINVAL, -ENOPROTOOPT or -EBADF. */
int swhca_netlink_option_set(int fd, int name, const void *value, socklen_t len);
/**
 * What is told of an option of SOL_NETLINK, or of the domain, protocol and type of a socket.
 *
 * @return
 *   0, -EBADF, or -ENOPROTOOPT: not known; other options of SOL_SOCKET are those of the pair.
 */
int swhca_netlink_option_get(int fd, int level, int name, int *value);
/** Something was read: there may be room for more. errno stays. */
void swhca_netlink_received(int fd);
/** Send requests, and answer them. @return Bytes or a negative errno. */
ssize_t swhca_netlink_send(int fd, const void *buf, size_t len);
/** Descriptors from first to last are going to be closed, or replaced; anything is accepted. */
void swhca_netlink_close_range(unsigned int first, unsigned int last);
/** In the child of fork(2): the sockets are those of the parent. */
void swhca_netlink_forget(void);

#endif /* SWHCA_NETLINK_H */
