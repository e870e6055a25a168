/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CLIENT_H
#define SWHCA_CLIENT_H

/**
 * @file
 * One request to another process (host/server.h), and its answer, within a bounded time. Between
 * the two calls the caller checks the identity of the peer (host/peer.h).
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/**
 * Connect to a server.
 *
 * @param type
 *   Of socket(2).
 * @param deadline
 *   Of host/deadline.h.
 * @return
 *   Non-blocking descriptor, to be closed; or a negative errno: -ECONNREFUSED (no listener),
 *   -ETIMEDOUT (not accepted in time) or another of socket(2), connect(2).
 */
int swhca_ask_connect(int type, const struct sockaddr *addr, socklen_t addr_len,
		      int64_t deadline);

/**
 * Send a request and receive the complete answer.
 *
 * @return
 *   Length of the answer, at least 1; or a negative errno: -ETIMEDOUT, -ECONNRESET (the server
 *   rejected the request or is gone), or another of send(2), recv(2).
 */
ssize_t swhca_ask(int fd, const void *request, size_t len, void *answer, size_t size,
		  int64_t deadline);

#endif /* SWHCA_CLIENT_H */
