/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_PEER_H
#define SWHCA_HOST_PEER_H

/**
 * @file
 * Who is at the other end of a Unix socket. Abstract addresses have no permissions: every user of
 * the machine may connect to one, and may take one that is free. So each side asks the kernel who
 * the other one is before it believes, or even reads, a byte.
 */

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

/**
 * The peer of a connected socket (SO_PEERCRED of unix(7)): who called connect(2), or for whoever
 * connected, who called listen(2).
 *
 * @return
 *   0, or a negative errno.
 */
int swhca_peer_get(int fd, struct ucred *peer);

/** Is a peer of this process's own user, or of root? */
bool swhca_peer_is_trusted(const struct ucred *peer);

/**
 * Does a process listen where that of a certain number is to be found?
 *
 * @return
 *   true if the peer is that process, and its user is one that this process may deal with: its own
 *   or root; whoever is root deals with anybody.
 */
bool swhca_peer_is_process(const struct ucred *peer, pid_t pid);

/** Who listens at an address. @return 0, or a negative errno (nobody, or too busy to tell). */
int swhca_peer_of_addr(int type, const struct sockaddr *addr, socklen_t addr_len,
		       struct ucred *peer);

#endif /* SWHCA_HOST_PEER_H */
