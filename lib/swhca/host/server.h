/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_SERVER_H
#define SWHCA_HOST_SERVER_H

/**
 * @file
 * A thread that answers requests of other processes at a Unix socket, in somebody else's program.
 *
 * A connection is one request and one answer. Who connects must be of the same user, or root:
 * anybody else is turned away before a byte is read. Who connects and says nothing waits by
 * itself and is closed after SWHCA_SERVER_SILENCE_MS; others are served meanwhile. When the
 * program has used up its descriptors, or the machine its memory, connections wait until there are
 * some again.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/** Longest request. */
#define SWHCA_SERVER_REQUEST_MAX 8192
/** Connections that may be silent at a time; more wait until one ends. */
#define SWHCA_SERVER_MAX_CONNS 16
/** Time in which a request has to come. */
#define SWHCA_SERVER_SILENCE_MS 2000

/** A server; what stands behind the callback is its own. */
struct swhca_server {
	/** Of the thread, up to 15 characters, and of lines of the log. */
	const char *name;
	/** Of socket(2). */
	int type;
	/** Of the thread's stack; 0: the usual. */
	size_t stack_bytes;
	/**
	 * Serve a request: a packet, or what a stream had when it was looked at. The callee sends
	 * the answer; the connection does not block, and has room for more than a request.
	 */
	void (*serve)(int fd, const struct ucred *peer, const void *request, size_t len);

	_Atomic int listener;		/**< -1: not started; so in the definition, too. */
	_Atomic int conns[SWHCA_SERVER_MAX_CONNS];	/**< -1: free. */
	struct ucred peers[SWHCA_SERVER_MAX_CONNS];
	int64_t deadlines[SWHCA_SERVER_MAX_CONNS];
	int64_t pause_end;		/**< Until then no connection is accepted. */
	unsigned int pause_ms;		/**< 0: the last one was accepted. */
	_Bool has_rejected;		/**< Told the log of a stranger. */
};

/**
 * Bind, listen and serve. The descriptors are kept (keep.h).
 *
 * @return
 *   0, or a negative errno: -EADDRINUSE if somebody has the address, which the log tells with
 *   number and user; nothing has been started then.
 */
int swhca_server_start(struct swhca_server *server, const struct sockaddr_un *addr,
		       socklen_t addr_len);

/** In the child of fork(2): the thread is in the parent. Not started is accepted. */
void swhca_server_forget(struct swhca_server *server);

#endif /* SWHCA_HOST_SERVER_H */
