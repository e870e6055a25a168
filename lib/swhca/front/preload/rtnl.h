/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_RTNL_H
#define SWHCA_PRELOAD_RTNL_H

/**
 * @file
 * Sockets of rtnetlink(7), which are the kernel's: requests go to it as they are, and what it
 * answers is read as it is. Only lists of links and of addresses become longer before they end, and
 * that it does not know one of our net devices becomes what there is to tell of it.
 *
 * What is told between its packets is made while the next of them is waiting, so that poll(2) and
 * epoll(7) tell the truth.
 */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/** A socket of rtnetlink was made. Nothing is done without net devices. */
void swhca_rtnl_opened(int fd);
/** Is it one of them? */
bool swhca_rtnl_has(int fd);
/** Requests are going to be sent. */
void swhca_rtnl_requests(int fd, const void *buf, size_t len);
/**
 * Something is going to be received.
 *
 * @param ret
 *   What recvmsg(2) is to return, if something was.
 * @return
 *   Whether something of ours was; otherwise the kernel's is next.
 */
bool swhca_rtnl_receive(int fd, struct msghdr *msg, int flags, ssize_t *ret);
/** Descriptors are going to be closed, or replaced. */
void swhca_rtnl_close_range(unsigned int first, unsigned int last);
/** In the child of fork(2). */
void swhca_rtnl_forget(void);

#endif /* SWHCA_PRELOAD_RTNL_H */
