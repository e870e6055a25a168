/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_SERVER_H
#define SWHCA_HOST_SERVER_H

/**
 * @file
 * Thread that answers requests of other processes at a Unix socket, inside the user's program.
 *
 * A connection carries one request and one answer. A client must be of the same user, or root:
 * others are rejected before a byte is read. A client that sends nothing is closed after
 * SWHCA_SERVER_SILENCE_MS; others are served meanwhile. When the program is out of descriptors, or
 * the machine out of memory, connections wait until some are available.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/** Maximum size of a request. */
#define SWHCA_SERVER_REQUEST_MAX 8192
/** Maximum concurrent silent connections; more wait until one ends. */
#define SWHCA_SERVER_MAX_CONNS 16
/** Time limit for a request to arrive. */
#define SWHCA_SERVER_SILENCE_MS 2000

/** A server; the members after the callback are private. */
struct swhca_server {
	/** Name of the thread, up to 15 characters, and in log lines. */
	const char *name;
	/** Type for socket(2). */
	int type;
	/** Stack size of the thread; 0: default. */
	size_t stack_bytes;
	/**
	 * Serve a request: a packet, or the available bytes of a stream. The callee sends the
	 * answer; the connection is non-blocking, and its buffer has room for more than a request.
	 */
	void (*serve)(int fd, const struct ucred *peer, const void *request, size_t len);

	_Atomic int listener;		/**< -1: not started; also initialize to this. */
	_Atomic int conns[SWHCA_SERVER_MAX_CONNS];	/**< -1: free. */
	struct ucred peers[SWHCA_SERVER_MAX_CONNS];
	int64_t deadlines[SWHCA_SERVER_MAX_CONNS];
	int64_t pause_end;		/**< No connection is accepted before. */
	unsigned int pause_ms;		/**< 0: the last accept succeeded. */
	_Bool has_rejected;		/**< A rejected peer was logged. */
};

/**
 * Bind, listen and serve. The descriptors are kept (kept_fd.h).
 *
 * @return
 *   0, or a negative errno: -EADDRINUSE if the address is in use, which is logged with pid and
 *   user; nothing is started then.
 */
int swhca_server_start(struct swhca_server *server, const struct sockaddr_un *addr,
		       socklen_t addr_len);

/** In the child of fork(2): the thread is in the parent. May be called if not started. */
void swhca_server_forget(struct swhca_server *server);

#endif /* SWHCA_HOST_SERVER_H */
