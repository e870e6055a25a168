/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_PEER_H
#define SWHCA_HOST_PEER_H

/**
 * @file
 * Identity of the peer of a Unix socket. Abstract addresses have no permissions: every user of the
 * machine may connect to one, and may take a free one. Each side therefore asks the kernel for the
 * identity of the other one before it trusts, or even reads, a byte.
 */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/**
 * Get the peer of a connected socket (SO_PEERCRED of unix(7)): the process that called connect(2),
 * or on the connecting side, listen(2).
 *
 * @return
 *   0, or a negative errno.
 */
int swhca_peer_get(int fd, struct ucred *peer);

/** Check whether a peer belongs to this process's own user, or to root. */
bool swhca_peer_is_trusted(const struct ucred *peer);

/**
 * Check whether a listener is the expected process.
 *
 * @return
 *   true if the peer is that process, and its user may be trusted: the user of this process or
 *   root; a process of root trusts all users.
 */
bool swhca_peer_is_process(const struct ucred *peer, pid_t pid);

/** Get the listener at an address. @return 0, or a negative errno (none, or too busy to answer). */
int swhca_peer_of_addr(int type, const struct sockaddr *addr, socklen_t addr_len,
		       struct ucred *peer);

#endif /* SWHCA_HOST_PEER_H */
