/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* accept4() */
#endif

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"

/* Delay between attempts to connect. */
#define RETRY_MS 50
/* Interval at which waits check the quit flag. */
#define SLICE_MS 100
#define DEFAULT_HOST "127.0.0.1"

void
channel_clean(char *text)
{
	for (; *text != '\0'; text++)
		if (*text < ' ' || *text > '~')
			*text = '?';
}

static int __attribute__((format(printf, 3, 4)))
channel_fail(struct channel *c, int ret, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->why, sizeof(c->why), format, args);
	va_end(args);
	channel_clean(c->why);
	return ret;
}

static int64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until a socket is ready. Returns -ETIMEDOUT after the deadline. */
static int
fd_wait(const struct channel *c, short events, int64_t deadline)
{
	struct pollfd pfd = { .fd = c->fd, .events = events };
	int64_t left;
	int ret;

	do {
		if (c->has_quit != NULL && *c->has_quit)
			return -ECANCELED;
		left = deadline - now_ms();
		/* Wait in slices: a signal may arrive just before poll(). */
		ret = poll(&pfd, 1, left <= 0 ? 0 : left < SLICE_MS ? (int)left : SLICE_MS);
		if (ret < 0 && errno != EINTR)
			return -errno;
	} while (ret <= 0 && left > 0);
	return ret > 0 ? 0 : -ETIMEDOUT;
}

/* Split "HOST:PORT", "[V6]:PORT", or one part alone, in place; parts may be NULL. */
static int
where_split(char *where, bool is_port_alone, char **host, char **port)
{
	char *colon, *end;

	*host = where;
	*port = NULL;
	if (where[0] == '[') {
		end = strchr(where, ']');
		if (end == NULL || (end[1] != '\0' && end[1] != ':'))
			return -EINVAL;
		*host = where + 1;
		*port = end[1] == ':' ? end + 2 : NULL;
		*end = '\0';
		return 0;
	}
	colon = strchr(where, ':');
	if (colon != NULL) {
		if (strchr(colon + 1, ':') != NULL)
			return -EINVAL;
		*colon = '\0';
		*port = colon + 1;
	} else if (is_port_alone) {
		*host = NULL;
		*port = where;
	}
	return 0;
}

static bool
is_port(const char *port, long min)
{
	char *end;
	long number;

	if (port == NULL || !isdigit((unsigned char)port[0]))
		return false;
	errno = 0;
	number = strtol(port, &end, 10);
	return *end == '\0' && errno == 0 && number >= min && number <= UINT16_MAX;
}

/* Get host and port from a text, using copy as a buffer; NULL: missing. */
static int
where_parse(const char *where, enum channel_place place, char copy[CHANNEL_WHERE_SIZE],
	    char **host, char **port, char why[CHANNEL_WHY_SIZE])
{
	static const char *const forms[] = {
		[CHANNEL_LISTEN] = "[ADDR:]PORT",
		[CHANNEL_CONNECT] = "HOST:PORT",
		[CHANNEL_CONNECT_DEFAULT] = "HOST[:PORT]",
	};
	const int min = place == CHANNEL_LISTEN ? 0 : 1;
	bool is_ok;

	if (snprintf(copy, CHANNEL_WHERE_SIZE, "%s", where) >= CHANNEL_WHERE_SIZE) {
		snprintf(why, CHANNEL_WHY_SIZE, "%.40s...: %zu characters, at most %d", where,
			 strlen(where), CHANNEL_WHERE_SIZE - 1);
		return -EINVAL;
	}
	is_ok = where_split(copy, place == CHANNEL_LISTEN, host, port) == 0 &&
		(*host == NULL || **host != '\0') &&
		(is_port(*port, min) || (*port == NULL && place == CHANNEL_CONNECT_DEFAULT));
	if (is_ok)
		return 0;
	snprintf(why, CHANNEL_WHY_SIZE, "%s: not %s, with a port in [%d, %d]", where,
		 forms[place], min, UINT16_MAX);
	channel_clean(why);
	return -EINVAL;
}

int
channel_where_check(const char *where, enum channel_place place, char why[CHANNEL_WHY_SIZE])
{
	char copy[CHANNEL_WHERE_SIZE], *host, *port;

	return where_parse(where, place, copy, &host, &port, why);
}

/* Resolve a text to addresses; the caller frees them by freeaddrinfo(). */
static int
where_resolve(struct channel *c, const char *where, const char *default_port,
	      enum channel_place place, struct addrinfo **list)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (place == CHANNEL_LISTEN ? AI_PASSIVE : 0),
	};
	char copy[CHANNEL_WHERE_SIZE], *host, *port;
	int ret = where_parse(where, place, copy, &host, &port, c->why);

	if (ret != 0)
		return ret;
	ret = getaddrinfo(host != NULL ? host : DEFAULT_HOST, port != NULL ? port : default_port,
			  &hints, list);
	if (ret != 0)
		return channel_fail(c, -ENOENT, "%s: %s", where, gai_strerror(ret));
	return 0;
}

/* Format an address in the syntax of the options. */
static void
where_set(struct channel *c, const struct sockaddr_storage *addr, socklen_t len)
{
	char host[128] = "?", port[16] = "?";

	getnameinfo((const struct sockaddr *)addr, len, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(c->where, sizeof(c->where), addr->ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
		 host, port);
}

static void
channel_open(struct channel *c, int fd, int timeout_ms)
{
	const int yes = 1;

	c->fd = fd;
	c->timeout_ms = timeout_ms;
	c->nb_in = 0;
	/* Requests and responses are short. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

static int
listen_at(struct channel *c, const struct addrinfo *info)
{
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	const int yes = 1;

	c->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		return -errno;
	setsockopt(c->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(c->fd, info->ai_addr, info->ai_addrlen) != 0 || listen(c->fd, 8) != 0 ||
	    getsockname(c->fd, (struct sockaddr *)&addr, &len) != 0)
		return -errno;
	where_set(c, &addr, len);
	return 0;
}

int
channel_listen(struct channel *listener, const char *where, int timeout_ms)
{
	struct addrinfo *list;
	int ret;

	*listener = (struct channel){ .fd = -1, .timeout_ms = timeout_ms };
	ret = where_resolve(listener, where, NULL, CHANNEL_LISTEN, &list);
	if (ret != 0)
		return ret;
	/* A name may have addresses that this host does not have: use the first one that works. */
	for (const struct addrinfo *info = list; info != NULL; info = info->ai_next) {
		ret = listen_at(listener, info);
		if (ret == 0)
			break;
		channel_close(listener);
	}
	freeaddrinfo(list);
	if (ret == 0)
		return 0;
	return channel_fail(listener, ret, "listening at %s: %s", where, strerror(-ret));
}

int
channel_accept(struct channel *listener, struct channel *channel)
{
	const int64_t deadline = now_ms() + listener->timeout_ms;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	int ret = 0, fd = -1;

	*channel = (struct channel){ .fd = -1 };
	while (fd < 0) {
		ret = fd_wait(listener, POLLIN, deadline);
		if (ret == -ETIMEDOUT)
			return channel_fail(listener, ret, "no peer connected to %s within %d ms",
					    listener->where, listener->timeout_ms);
		if (ret == 0)
			fd = accept4(listener->fd, (struct sockaddr *)&addr, &len,
				     SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (ret != 0 || (fd < 0 && errno != EAGAIN && errno != ECONNABORTED &&
				 errno != EINTR)) {
			ret = ret != 0 ? ret : -errno;
			return channel_fail(listener, ret, "%s: %s", listener->where,
					    strerror(-ret));
		}
	}
	channel_open(channel, fd, listener->timeout_ms);
	channel->has_quit = listener->has_quit;
	where_set(channel, &addr, len);
	return 0;
}

static int
connect_to(struct channel *c, const struct addrinfo *info, int64_t deadline)
{
	socklen_t len = sizeof(int);
	int ret = 0;

	c->fd = socket(info->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (c->fd < 0)
		return -errno;
	if (connect(c->fd, info->ai_addr, info->ai_addrlen) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return -errno;
	ret = fd_wait(c, POLLOUT, deadline);
	if (ret != 0)
		return ret;
	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &ret, &len) != 0)
		return -errno;
	return -ret;
}

/*
 * Try all addresses of a name. An address that refuses may listen later, so report that regardless
 * of later addresses.
 */
static int
connect_any(struct channel *c, const struct addrinfo *list, int64_t deadline)
{
	bool is_refused = false;
	int ret = -ENOENT;

	for (const struct addrinfo *info = list; info != NULL; info = info->ai_next) {
		ret = connect_to(c, info, deadline);
		if (ret == 0)
			return 0;
		is_refused |= ret == -ECONNREFUSED;
		channel_close(c);
	}
	return is_refused ? -ECONNREFUSED : ret;
}

int
channel_connect(struct channel *channel, const char *where, const char *default_port,
		int timeout_ms)
{
	const struct timespec pause = { .tv_nsec = RETRY_MS * 1000000L };
	const int64_t deadline = now_ms() + timeout_ms;
	struct sockaddr_storage addr;
	socklen_t len = sizeof(addr);
	struct addrinfo *list;
	int ret;

	*channel = (struct channel){ .fd = -1 };
	snprintf(channel->where, sizeof(channel->where), "%s", where);
	ret = where_resolve(channel, where, default_port, default_port != NULL ?
			    CHANNEL_CONNECT_DEFAULT : CHANNEL_CONNECT, &list);
	if (ret != 0)
		return ret;
	for (;;) {
		ret = connect_any(channel, list, deadline);
		if (ret != -ECONNREFUSED || now_ms() + RETRY_MS >= deadline)
			break;
		nanosleep(&pause, NULL);
	}
	freeaddrinfo(list);
	if (ret != 0)
		return channel_fail(channel, ret, "%s: %s (tried for %d ms)", where,
				    strerror(-ret), timeout_ms);
	channel_open(channel, channel->fd, timeout_ms);
	if (getpeername(channel->fd, (struct sockaddr *)&addr, &len) == 0)
		where_set(channel, &addr, len);
	return 0;
}

void
channel_close(struct channel *channel)
{
	if (channel->fd >= 0)
		close(channel->fd);
	channel->fd = -1;
}

/* Record the error that ends the channel. */
static int
channel_lost(struct channel *c, int ret)
{
	c->error = ret == -EPIPE ? -ECONNRESET : ret;
	if (ret == -ETIMEDOUT)
		return channel_fail(c, ret, "%s: no answer within %d ms", c->where, c->timeout_ms);
	if (c->error == -ECONNRESET)
		return channel_fail(c, c->error, "%s is gone", c->where);
	if (ret == -EMSGSIZE)
		return channel_fail(c, ret, "%s: a line of more than %d bytes", c->where,
				    CHANNEL_MAX_LINE);
	if (ret == -EBADMSG)
		return channel_fail(c, ret, "%s: a line with a byte that is 0", c->where);
	return channel_fail(c, ret, "%s: %s", c->where, strerror(-ret));
}

/* Check the channel and the quit flag; a channel that always has data never reaches a wait. */
static int
channel_check(struct channel *c)
{
	if (c->error == 0 && c->has_quit != NULL && *c->has_quit)
		channel_lost(c, -ECANCELED);
	return c->error;
}

int
channel_send(struct channel *channel, const void *bytes, size_t len)
{
	const int64_t deadline = now_ms() + channel->timeout_ms;
	const char *from = bytes;
	ssize_t nb;
	int ret;

	if (channel_check(channel) != 0)
		return channel->error;
	while (len > 0) {
		nb = send(channel->fd, from, len, MSG_NOSIGNAL);
		if (nb > 0) {
			from += nb;
			len -= (size_t)nb;
			continue;
		}
		if (nb < 0 && errno == EINTR)
			continue;
		ret = nb < 0 && errno != EAGAIN ? -errno : fd_wait(channel, POLLOUT, deadline);
		if (ret != 0)
			return channel_lost(channel, ret);
	}
	return 0;
}

/* Receive at least one byte. Returns the number of bytes or a negative errno. */
static ssize_t
bytes_take(struct channel *c, void *bytes, size_t len, int64_t deadline)
{
	ssize_t nb;
	int ret;

	for (;;) {
		nb = recv(c->fd, bytes, len, 0);
		if (nb > 0)
			return nb;
		if (nb == 0)
			return channel_lost(c, -ECONNRESET);
		if (errno == EINTR)
			continue;
		ret = errno != EAGAIN ? -errno : fd_wait(c, POLLIN, deadline);
		if (ret != 0)
			return channel_lost(c, ret);
	}
}

/* Remove the first received bytes from the buffer. */
static void
in_take(struct channel *c, size_t len)
{
	c->nb_in -= len;
	memmove(c->in, c->in + len, c->nb_in);
}

int
channel_recv(struct channel *channel, void *bytes, size_t len)
{
	const int64_t deadline = now_ms() + channel->timeout_ms;
	size_t done = len < channel->nb_in ? len : channel->nb_in;
	ssize_t nb;

	if (channel_check(channel) != 0)
		return channel->error;
	memcpy(bytes, channel->in, done);
	in_take(channel, done);
	for (; done < len; done += (size_t)nb) {
		nb = bytes_take(channel, (char *)bytes + done, len - done, deadline);
		if (nb < 0)
			return (int)nb;
	}
	return 0;
}

int
channel_hear(struct channel *channel, char line[CHANNEL_MAX_LINE])
{
	const int64_t deadline = now_ms() + channel->timeout_ms;
	size_t len;
	ssize_t nb;
	char *end;

	if (channel_check(channel) != 0)
		return channel->error;
	while ((end = memchr(channel->in, '\n', channel->nb_in)) == NULL) {
		if (channel->nb_in == sizeof(channel->in))
			return channel_lost(channel, -EMSGSIZE);
		nb = bytes_take(channel, channel->in + channel->nb_in,
				sizeof(channel->in) - channel->nb_in, deadline);
		if (nb < 0)
			return (int)nb;
		channel->nb_in += (size_t)nb;
	}
	len = (size_t)(end - channel->in);
	if (memchr(channel->in, '\0', len) != NULL)
		return channel_lost(channel, -EBADMSG);
	memcpy(line, channel->in, len);
	line[len] = '\0';
	in_take(channel, len + 1);
	return 0;
}

int
channel_printf(struct channel *channel, const char *format, ...)
{
	char line[CHANNEL_MAX_LINE + 1];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (len < 0 || len >= CHANNEL_MAX_LINE)
		return channel_fail(channel, -EMSGSIZE, "a line of %d bytes, at most %d", len,
				    CHANNEL_MAX_LINE - 1);
	line[len++] = '\n';
	return channel_send(channel, line, (size_t)len);
}

int
channel_greet(struct channel *channel, const char *name, unsigned int version)
{
	char line[CHANNEL_MAX_LINE], own[128];
	int ret;

	snprintf(own, sizeof(own), "%s %u", name, version);
	ret = channel_printf(channel, "%s", own);
	if (ret == 0)
		ret = channel_hear(channel, line);
	if (ret == -ETIMEDOUT)
		return channel_fail(channel, ret, "%s: no greeting within %d ms: it is busy, or "
				    "does not speak '%s'", channel->where, channel->timeout_ms,
				    own);
	if (ret == 0 && strcmp(line, own) != 0)
		return channel_fail(channel, -EPROTO, "%s speaks '%.100s', not '%s'",
				    channel->where, line, own);
	return ret;
}

void
channel_hex(char *text, const void *bytes, size_t len)
{
	const uint8_t *from = bytes;

	for (size_t i = 0; i < len; i++)
		sprintf(text + 2 * i, "%02x", from[i]);
	text[2 * len] = '\0';
}

int
channel_unhex(const char *text, void *bytes, size_t len)
{
	char digits[3] = "";

	if (strlen(text) != 2 * len || strspn(text, "0123456789abcdefABCDEF") != 2 * len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		memcpy(digits, text + 2 * i, 2);
		((uint8_t *)bytes)[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	return 0;
}
