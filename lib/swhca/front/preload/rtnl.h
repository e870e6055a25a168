/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PRELOAD_RTNL_H
#define SWHCA_PRELOAD_RTNL_H

/**
 * @file
 * Sockets of rtnetlink(7), which belong to the kernel: requests and answers pass unchanged. Only
 * lists of links and addresses are extended before they end, and errors for our net devices are
 * replaced by answers.
 *
 * Additional packets are generated while the next packet of the kernel is waiting, so that poll(2)
 * and epoll(7) return correct results.
 */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/** Register a new socket of rtnetlink. Does nothing without net devices. */
void swhca_rtnl_opened(int fd);
/** Check whether it is registered. */
bool swhca_rtnl_has(int fd);
/** Called before requests are sent. */
void swhca_rtnl_requests(int fd, const void *buf, size_t len);
/**
 * Called before a receive.
 *
 * @param ret
 *   Result of recvmsg(2), if something was received.
 * @return
 *   Whether data of ours was received; else receive from the kernel.
 */
bool swhca_rtnl_receive(int fd, struct msghdr *msg, int flags, ssize_t *ret);
/** Called before descriptors are closed or replaced. */
void swhca_rtnl_close_range(unsigned int first, unsigned int last);
/** In the child of fork(2). */
void swhca_rtnl_forget(void);

#endif /* SWHCA_PRELOAD_RTNL_H */
