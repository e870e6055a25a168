/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHANNEL_H
#define CHANNEL_H

/*
 * Two processes that tell each other addresses and keys: lines of text, and bytes, over TCP.
 *
 * Each side greets first with the name of what it speaks and its version; others are turned away.
 * Every wait has a deadline, and one that is to quit ends with -ECANCELED. Functions return 0 or a
 * negative errno; why, in words, is in the channel, without characters that a terminal obeys.
 *
 * Who has sent or received a part of something does not know where the next line begins: behind an
 * error of a wait a channel only repeats it, and is to be closed. channel_accept() may be called
 * again behind -ETIMEDOUT.
 */

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

/* Longest line, with its end. */
#define CHANNEL_MAX_LINE 16384
#define CHANNEL_WHERE_SIZE 300
/* A text with an address in it. */
#define CHANNEL_WHY_SIZE 512

/* What a text names. */
enum channel_place {
	CHANNEL_LISTEN, /* "[ADDR:]PORT", with port 0 for one that is free */
	CHANNEL_CONNECT, /* "HOST:PORT" */
	CHANNEL_CONNECT_DEFAULT, /* "HOST[:PORT]": there is a port for one without */
};

/*
 * Whether a text looks like such a place, for who checks options before anything is opened. Hosts
 * are not looked up. -EINVAL: it does not; why, in words, is in why.
 */
int channel_where_check(const char *where, enum channel_place place, char why[CHANNEL_WHY_SIZE]);

struct channel {
	int fd; /* -1: closed */
	int timeout_ms; /* of each wait from here on; may be changed */
	/* Set: waits end; NULL: nothing ends them. What is accepted has that of its listener. */
	const volatile sig_atomic_t *has_quit;
	int error; /* what has ended it, see above */
	size_t nb_in; /* bytes of in that were received and not taken yet */
	char in[CHANNEL_MAX_LINE];
	char where[CHANNEL_WHERE_SIZE]; /* the other side; of one that listens: itself */
	char why[CHANNEL_WHY_SIZE]; /* what the last error was */
};

/*
 * Listen at "[ADDR:]PORT", with port 0 at one that is free: where says which. Without an address
 * it is 127.0.0.1, so that no other host gets in. An address of IPv6 has brackets.
 *   -EINVAL: no such port; -ENOENT: no such address; or what the system says
 */
int channel_listen(struct channel *listener, const char *where, int timeout_ms);

/*
 * Wait for somebody. The new channel has the listener's timeout; what is wrong is told by the
 * listener, -ETIMEDOUT: nobody came.
 */
int channel_accept(struct channel *listener, struct channel *channel);

/*
 * Connect to "HOST[:PORT]"; default_port, if not NULL, is for one without. A side that does not
 * listen yet is tried again until the time is over.
 *   -EINVAL: no port; -ENOENT: no such host; -ECONNREFUSED, -ETIMEDOUT
 */
int channel_connect(struct channel *channel, const char *where, const char *default_port,
		    int timeout_ms);

/* A channel that was closed, or never opened and is zero but for fd -1, is accepted. */
void channel_close(struct channel *channel);

/* Greet, and hear the other side's greeting. -EPROTO: it speaks something else. */
int channel_greet(struct channel *channel, const char *name, unsigned int version);

/* Send a line; its end is added. -EMSGSIZE: longer than CHANNEL_MAX_LINE. */
int channel_tell(struct channel *channel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Receive a line, without its end, of CHANNEL_MAX_LINE bytes at most. -EMSGSIZE: it is longer;
 * -EBADMSG: there is a 0 in it; -ECONNRESET: the other side is gone, in the middle of a line if
 * nb_in is not 0; -ETIMEDOUT: it says nothing.
 */
int channel_hear(struct channel *channel, char line[CHANNEL_MAX_LINE]);

/* Let what came from the other side be printed: characters that are not ASCII, or none, are '?'. */
void channel_clean(char *text);

/* Send and receive bytes. */
int channel_send(struct channel *channel, const void *bytes, size_t len);
int channel_recv(struct channel *channel, void *bytes, size_t len);

/*
 * Hexadecimal digits of bytes, 2 * len + 1 characters; and bytes of digits. -EINVAL: they are not
 * that many, or something else.
 */
void channel_hex(char *text, const void *bytes, size_t len);
int channel_unhex(const char *text, void *bytes, size_t len);

#endif
