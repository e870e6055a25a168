/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/deadline.h"
#include "host/peer.h"
#include "host/server.h"
#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "base/thread.h"

#define BACKLOG 16
/* Pause before another accept after a lack of resources: doubled each time. */
#define PAUSE_MIN_MS 1u
#define PAUSE_MAX_MS 256u

/* Send EOF to late clients, even if a child of fork(2) also has the descriptor. */
static void
conn_close(struct swhca_server *server, unsigned int i)
{
	int fd = atomic_exchange(&server->conns[i], -1);

	shutdown(fd, SHUT_RDWR);
	swhca_fd_release(fd);
}

/* Index of a free slot, or -1. */
static int
conn_slot(const struct swhca_server *server)
{
	int i;

	for (i = 0; i < SWHCA_SERVER_MAX_CONNS; i++) {
		if (atomic_load(&server->conns[i]) < 0)
			return i;
	}
	return -1;
}

/* Only this thread closes it, and no call of libc does (swhca_fd_keep()). */
static void
conn_add(struct swhca_server *server, int fd)
{
	struct ucred peer = { 0 };
	int slot = conn_slot(server);

	if (slot < 0 || swhca_peer_get(fd, &peer) != 0 || !swhca_peer_is_trusted(&peer)) {
		if (!server->has_rejected)
			SWHCA_LOG(WARNING, "%s: process %ld of user %ld is rejected; further"
				  " rejections are not logged", server->name, (long)peer.pid,
				  (long)peer.uid);
		server->has_rejected = true;
		swhca_fd_close(fd);
		return;
	}
	fd = swhca_fd_raise(fd);
	swhca_fd_keep(fd);
	server->peers[slot] = peer;
	server->deadlines[slot] = swhca_deadline_in(SWHCA_SERVER_SILENCE_MS);
	atomic_store(&server->conns[slot], fd);
}

/* Check for an error of the listener itself. All other errors are temporary: accept(2), ERRORS. */
static bool
is_end_of_listener(int err)
{
	return err == EBADF || err == EINVAL || err == ENOTSOCK || err == EOPNOTSUPP;
}

static bool
is_next_at_once(int err)
{
	return err == EAGAIN || err == EINTR || err == ECONNABORTED;
}

/*
 * No descriptor, or no memory (EMFILE, ENFILE, ENOBUFS, ENOMEM): the connection stays pending, so
 * that poll(2) would return at once.
 */
static void
server_pause(struct swhca_server *server, const char *what, int err)
{
	if (server->pause_ms == 0)
		SWHCA_LOG(WARNING, "%s: %s: %s; trying on", server->name, what, strerror(err));
	server->pause_ms = server->pause_ms == 0 ? PAUSE_MIN_MS : server->pause_ms * 2;
	if (server->pause_ms > PAUSE_MAX_MS)
		server->pause_ms = PAUSE_MAX_MS;
	server->pause_end = swhca_deadline_in(server->pause_ms);
}

/* @return false if there will be no more connections. */
static bool
conn_accept(struct swhca_server *server, int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd >= 0) {
		server->pause_ms = 0;
		conn_add(server, fd);
		return true;
	}
	if (is_end_of_listener(errno))
		return false;
	if (!is_next_at_once(errno))
		server_pause(server, "accept", errno);
	return true;
}

/* Serve a request; a client that has hung up waits for no answer. */
static void
conn_serve(struct swhca_server *server, unsigned int i, short revents)
{
	_Alignas(max_align_t) uint8_t request[SWHCA_SERVER_REQUEST_MAX];
	int fd = atomic_load(&server->conns[i]);
	ssize_t len;

	if (revents != 0 && (revents & POLLHUP) == 0) {
		len = recv(fd, request, sizeof(request), 0);
		if (len < 0 && is_next_at_once(errno))
			return;
		if (len > 0)
			server->serve(fd, &server->peers[i], request, (size_t)len);
	} else if (revents == 0 && swhca_deadline_left_ms(server->deadlines[i]) > 0) {
		return;
	}
	conn_close(server, i);
}

/* Input of poll(2): the connections, and the listener if another one can be accepted. */
struct question {
	struct pollfd fds[SWHCA_SERVER_MAX_CONNS + 1];
	unsigned int conns[SWHCA_SERVER_MAX_CONNS];
	nfds_t nb_conns;
	bool has_listener;	/* after the connections */
	int timeout_ms;
};

static void
until(struct question *q, int64_t deadline)
{
	int left = swhca_deadline_left_ms(deadline);

	if (q->timeout_ms < 0 || left < q->timeout_ms)
		q->timeout_ms = left;
}

static void
question_fill(struct swhca_server *server, int listener, struct question *q)
{
	bool is_paused = server->pause_ms != 0 && swhca_deadline_left_ms(server->pause_end) > 0;
	unsigned int i;
	int fd;

	q->nb_conns = 0;
	q->timeout_ms = -1;
	for (i = 0; i < SWHCA_SERVER_MAX_CONNS; i++) {
		fd = atomic_load(&server->conns[i]);
		if (fd < 0)
			continue;
		q->conns[q->nb_conns] = i;
		q->fds[q->nb_conns++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		until(q, server->deadlines[i]);
	}
	q->has_listener = !is_paused && q->nb_conns < SWHCA_SERVER_MAX_CONNS;
	q->fds[q->nb_conns] = (struct pollfd){ .fd = listener, .events = POLLIN };
	if (is_paused)
		until(q, server->pause_end);
}

/* One round. @return false if the listener failed. */
static bool
server_turn(struct swhca_server *server, int listener)
{
	struct question q;
	int revents;
	nfds_t i;

	question_fill(server, listener, &q);
	if (poll(q.fds, q.nb_conns + (q.has_listener ? 1 : 0), q.timeout_ms) < 0) {
		if (errno == EINTR)
			return true;
		/* EINVAL: the descriptor limit is lower than the number of entries here. */
		server_pause(server, "poll", errno);
		poll(NULL, 0, (int)server->pause_ms);
		return true;
	}
	for (i = 0; i < q.nb_conns; i++)
		conn_serve(server, q.conns[i], q.fds[i].revents);
	revents = q.has_listener ? q.fds[q.nb_conns].revents : 0;
	if ((revents & ~POLLIN) != 0)
		return false;
	return revents == 0 || conn_accept(server, listener);
}

static void *
server_main(void *arg)
{
	struct swhca_server *server = arg;
	int listener = atomic_load(&server->listener);

	while (server_turn(server, listener))
		;
	SWHCA_LOG(ERR, "%s: descriptor %d was closed, no request is answered any more",
		  server->name, listener);
	return NULL;
}

static int
thread_start(struct swhca_server *server)
{
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	pthread_attr_init(&attr);
	if (server->stack_bytes != 0)
		pthread_attr_setstacksize(&attr, server->stack_bytes);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = swhca_thread_start(&thread, &attr, server->name, server_main, server);
	pthread_attr_destroy(&attr);
	return ret;
}

/* The owner of the address may have taken it on purpose. */
static void
taken_log(const struct swhca_server *server, const struct sockaddr_un *addr, socklen_t addr_len)
{
	const int name_len = (int)(addr_len - offsetof(struct sockaddr_un, sun_path) - 1);
	struct ucred peer;

	if (swhca_peer_of_addr(server->type, (const struct sockaddr *)addr, addr_len, &peer) == 0)
		SWHCA_LOG(ERR, "%s: process %ld of user %ld has the address @%.*s", server->name,
			  (long)peer.pid, (long)peer.uid, name_len, addr->sun_path + 1);
	else
		SWHCA_LOG(ERR, "%s: another process uses the address @%.*s", server->name, name_len,
			  addr->sun_path + 1);
}

int
swhca_server_start(struct swhca_server *server, const struct sockaddr_un *addr, socklen_t addr_len)
{
	int fd, ret = 0;
	unsigned int i;

	for (i = 0; i < SWHCA_SERVER_MAX_CONNS; i++)
		atomic_store(&server->conns[i], -1);
	fd = swhca_fd_raise(socket(AF_UNIX, server->type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
	if (fd < 0)
		return swhca_call_error("socket");
	if (bind(fd, (const struct sockaddr *)addr, addr_len) != 0)
		ret = swhca_call_error("bind");
	else if (listen(fd, BACKLOG) != 0)
		ret = swhca_call_error("listen");
	if (ret == -EADDRINUSE)
		taken_log(server, addr, addr_len);
	if (ret == 0) {
		swhca_fd_keep(fd);
		atomic_store(&server->listener, fd);
		ret = thread_start(server);
	}
	if (ret != 0) {
		atomic_store(&server->listener, -1);
		swhca_fd_release(fd);
	}
	return ret;
}

void
swhca_server_forget(struct swhca_server *server)
{
	int fd = atomic_exchange(&server->listener, -1);
	unsigned int i;

	if (fd < 0)
		return;
	swhca_fd_release(fd);
	for (i = 0; i < SWHCA_SERVER_MAX_CONNS; i++) {
		fd = atomic_exchange(&server->conns[i], -1);
		if (fd >= 0)
			swhca_fd_release(fd);
	}
}
