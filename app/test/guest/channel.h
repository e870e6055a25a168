/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef GUEST_CHANNEL_H
#define GUEST_CHANNEL_H

/**
 * @file
 * Exchange lines of text between two programs over TCP, for the addresses of their queue pairs and
 * for synchronization. Any failure ends the program with a message; the other one sees the end of
 * the connection.
 */

#include <stdbool.h>
#include <stddef.h>

/** Everything must have happened within these seconds. */
#define CHANNEL_LINE		256u

struct channel {
	int fd;
	size_t nb_bytes;
	char bytes[CHANNEL_LINE];
	/** Called while a line is waited for. */
	void (*idle)(void *arg);
	void *arg;
};

/** End the program with a message. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Wait for one connection at a port of all addresses. */
void channel_listen(struct channel *channel, const char *port);
/** Connect, with retries. */
void channel_connect(struct channel *channel, const char *host, const char *port);
/** Send a line; the format contains no newline. */
void channel_say(struct channel *channel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Wait for a line. */
void channel_hear(struct channel *channel, char line[CHANNEL_LINE]);
/** Wait for a line and compare it. */
void channel_expect(struct channel *channel, const char *line);

/** Monotonic time. */
unsigned long long time_ns(void);

#endif /* GUEST_CHANNEL_H */
