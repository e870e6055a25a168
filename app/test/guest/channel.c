/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "../patience.h"
#include "channel.h"

unsigned long long
time_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (unsigned long long)ts.tv_sec * 1000000000u + (unsigned long long)ts.tv_nsec;
}

void
fail(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

static struct addrinfo *
resolve(const char *host, const char *port)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM,
					.ai_flags = host == NULL ? AI_PASSIVE : 0 };
	struct addrinfo *found = NULL;
	int ret = getaddrinfo(host, port, &hints, &found);

	if (ret != 0)
		fail("%s port %s: %s", host != NULL ? host : "any", port, gai_strerror(ret));
	return found;
}

void
channel_listen(struct channel *channel, const char *port)
{
	struct addrinfo *addr = resolve(NULL, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, addr->ai_addr, addr->ai_addrlen) != 0 || listen(fd, 1) != 0)
		fail("listen at port %s: %s", port, strerror(errno));
	freeaddrinfo(addr);
	printf("listening\n");
	fflush(stdout);
	if (poll(&wait, 1, patience_ms()) != 1)
		fail("nobody connects to port %s", port);
	channel->fd = accept(fd, NULL, NULL);
	if (channel->fd < 0)
		fail("accept: %s", strerror(errno));
	close(fd);
}

void
channel_connect(struct channel *channel, const char *host, const char *port)
{
	uint64_t end = patience_end();
	struct addrinfo *addr = resolve(host, port);

	for (;;) {
		channel->fd = socket(AF_INET, SOCK_STREAM, 0);
		if (channel->fd >= 0 && connect(channel->fd, addr->ai_addr, addr->ai_addrlen) == 0)
			break;
		if (patience_is_over(end))
			fail("connect to %s port %s: %s", host, port, strerror(errno));
		close(channel->fd);
		poll(NULL, 0, 100);
	}
	freeaddrinfo(addr);
}

void
channel_say(struct channel *channel, const char *format, ...)
{
	char line[CHANNEL_LINE];
	va_list args;
	size_t len;

	va_start(args, format);
	vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	len = strlen(line);
	line[len++] = '\n';
	if (send(channel->fd, line, len, MSG_NOSIGNAL) != (ssize_t)len)
		fail("the other side is gone: %s", strerror(errno));
}

/* A whole line of what was read. */
static bool
line_take(struct channel *channel, char line[CHANNEL_LINE])
{
	char *end = memchr(channel->bytes, '\n', channel->nb_bytes);
	size_t len;

	if (end == NULL)
		return false;
	len = (size_t)(end - channel->bytes);
	memcpy(line, channel->bytes, len);
	line[len] = '\0';
	channel->nb_bytes -= len + 1;
	memmove(channel->bytes, end + 1, channel->nb_bytes);
	return true;
}

void
channel_hear(struct channel *channel, char line[CHANNEL_LINE])
{
	uint64_t end = patience_end();
	struct pollfd wait = { .fd = channel->fd, .events = POLLIN };
	ssize_t got;

	while (!line_take(channel, line)) {
		if (channel->idle != NULL)
			channel->idle(channel->arg);
		if (patience_is_over(end))
			fail("no answer of the other side within %u s", patience_s());
		if (poll(&wait, 1, channel->idle != NULL ? 0 : 1000) != 1)
			continue;
		got = recv(channel->fd, channel->bytes + channel->nb_bytes,
			   sizeof(channel->bytes) - channel->nb_bytes, 0);
		if (got <= 0)
			fail("the other side is gone, or sends what is no line");
		channel->nb_bytes += (size_t)got;
	}
}

void
channel_expect(struct channel *channel, const char *line)
{
	char heard[CHANNEL_LINE];

	channel_hear(channel, heard);
	if (strcmp(heard, line) != 0)
		fail("the other side says \"%s\", not \"%s\"", heard, line);
}
