/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "host/client.h"
#include "host/deadline.h"

/* A full backlog generates no event to wait for. */
#define CONNECT_PAUSE_MS 10

/* @return 0 or a negative errno; after a signal the caller retries. */
static int
wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	int ret = poll(&poll_fd, 1, swhca_deadline_left_ms(deadline));

	if (ret == 0)
		return -ETIMEDOUT;
	return ret < 0 && errno != EINTR ? -errno : 0;
}

static int
connect_until(int fd, const struct sockaddr *addr, socklen_t addr_len, int64_t deadline)
{
	while (connect(fd, addr, addr_len) != 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (swhca_deadline_left_ms(deadline) == 0)
			return -ETIMEDOUT;
		poll(NULL, 0, CONNECT_PAUSE_MS);
	}
	return 0;
}

int
swhca_ask_connect(int type, const struct sockaddr *addr, socklen_t addr_len, int64_t deadline)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = connect_until(fd, addr, addr_len, deadline);
	if (ret == 0)
		return fd;
	close(fd);
	return ret;
}

static bool
is_later(int err)
{
	return err == EAGAIN || err == EINTR;
}

static int
send_until(int fd, const void *request, size_t len, int64_t deadline)
{
	const uint8_t *at = request;
	ssize_t nb;
	int ret;

	while (len > 0) {
		nb = send(fd, at, len, MSG_NOSIGNAL);
		if (nb < 0 && !is_later(errno))
			return errno == EPIPE ? -ECONNRESET : -errno;
		if (nb >= 0) {
			at += nb;
			len -= (size_t)nb;
			continue;
		}
		ret = wait_for(fd, POLLOUT, deadline);
		if (ret != 0)
			return ret;
	}
	return 0;
}

ssize_t
swhca_ask(int fd, const void *request, size_t len, void *answer, size_t size, int64_t deadline)
{
	uint8_t *to = answer;
	size_t nb_read = 0;
	ssize_t nb = 1;
	int ret = send_until(fd, request, len, deadline);

	while (ret == 0 && nb != 0 && nb_read < size) {
		nb = recv(fd, to + nb_read, size - nb_read, 0);
		if (nb >= 0)
			nb_read += (size_t)nb;
		else if (is_later(errno))
			ret = wait_for(fd, POLLIN, deadline);
		else
			ret = -errno;
	}
	if (ret != 0)
		return ret;
	return nb_read > 0 ? (ssize_t)nb_read : -ECONNRESET;
}
