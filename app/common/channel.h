/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHANNEL_H
#define CHANNEL_H

/*
 * Exchange addresses and keys between two processes: lines of text, and bytes, over TCP.
 *
 * Each side first sends a greeting with the name and version of its protocol; other peers are
 * rejected. Every wait has a deadline, and a wait that has to quit ends with -ECANCELED. Functions
 * return 0 or a negative errno; the channel contains a description without control characters.
 *
 * After a partial transfer, the start of the next line is unknown: after an error of a wait, the
 * channel only repeats that error and must be closed. channel_accept() may be called again after
 * -ETIMEDOUT.
 */

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line, including its end. */
#define CHANNEL_MAX_LINE 16384
#define CHANNEL_WHERE_SIZE 300
/* Longest description, which may contain an address. */
#define CHANNEL_WHY_SIZE 512

/* Syntax of an address. */
enum channel_place {
	CHANNEL_LISTEN, /* "[ADDR:]PORT"; port 0: any free port */
	CHANNEL_CONNECT, /* "HOST:PORT" */
	CHANNEL_CONNECT_DEFAULT, /* "HOST[:PORT]" with a default port */
};

/*
 * Check the syntax of an address before anything is opened. Hosts are not resolved. -EINVAL:
 * invalid; why has the reason.
 */
int channel_where_check(const char *where, enum channel_place place, char why[CHANNEL_WHY_SIZE]);

struct channel {
	int fd; /* -1: closed */
	int timeout_ms; /* of each subsequent wait; may be changed */
	/* Ends waits when set; NULL: never. Accepted channels inherit it from their listener. */
	const volatile sig_atomic_t *has_quit;
	int error; /* error that ended the channel, see above */
	size_t nb_in; /* received bytes that were not consumed yet */
	char in[CHANNEL_MAX_LINE];
	char where[CHANNEL_WHERE_SIZE]; /* address of the peer; of a listener: its own address */
	char why[CHANNEL_WHY_SIZE]; /* description of the last error */
};

/*
 * Listen at "[ADDR:]PORT"; with port 0, at any free port, which where contains. The default address
 * is 127.0.0.1, which no other host can reach. An IPv6 address has brackets.
 *   -EINVAL: no such port; -ENOENT: no such address; or a system error
 */
int channel_listen(struct channel *listener, const char *where, int timeout_ms);

/*
 * Wait for a peer. The new channel has the timeout of the listener; the listener describes errors.
 * -ETIMEDOUT: no peer connected.
 */
int channel_accept(struct channel *listener, struct channel *channel);

/*
 * Connect to "HOST[:PORT]" with an optional default_port. Retries until the timeout while the peer
 * does not listen yet.
 *   -EINVAL: no port; -ENOENT: no such host; -ECONNREFUSED, -ETIMEDOUT
 */
int channel_connect(struct channel *channel, const char *where, const char *default_port,
		    int timeout_ms);

/* Accepts a closed channel, or an unopened one that is zeroed except for fd -1. */
void channel_close(struct channel *channel);

/* Exchange greetings. -EPROTO: the peer uses another protocol. */
int channel_greet(struct channel *channel, const char *name, unsigned int version);

/* Send a line; its end is appended. -EMSGSIZE: longer than CHANNEL_MAX_LINE. */
int channel_printf(struct channel *channel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Receive a line of CHANNEL_MAX_LINE bytes at most, without its end. -EMSGSIZE: it is longer;
 * -EBADMSG: it contains a NUL; -ECONNRESET: the peer closed the connection, within a line if nb_in
 * is not 0; -ETIMEDOUT: the peer sent nothing.
 */
int channel_hear(struct channel *channel, char line[CHANNEL_MAX_LINE]);

/* Make received text printable: replace control and non-ASCII characters by '?'. */
void channel_clean(char *text);

/* Send and receive bytes. */
int channel_send(struct channel *channel, const void *bytes, size_t len);
int channel_recv(struct channel *channel, void *bytes, size_t len);

/*
 * Convert bytes to hexadecimal digits (2 * len + 1 characters) and back. -EINVAL: wrong number of
 * digits, or other characters.
 */
void channel_hex(char *text, const void *bytes, size_t len);
int channel_unhex(const char *text, void *bytes, size_t len);

#endif
