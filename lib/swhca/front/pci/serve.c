/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file_lock.h"
#include "base/log.h"
#include "base/thread.h"
#include "front/pci/pci_request.h"
#include "front/pci/serve.h"

/* Maximum waiting clients. */
#define BACKLOG 4
#define NS_PER_S UINT64_C(1000000000)

void
swhca_pci_client_serve(struct swhca_pci_server *server, int sock)
{
	struct swhca_vfu_session session = { .function = server->function };
	int ret, request_ret, wait_ms;

	do {
		wait_ms = session.has_version ? -1 : (int)server->rest_ms;
		ret = swhca_vfu_receive(sock, server->stop_fd, wait_ms, server->rest_ms,
					&server->msg);
		if (ret != 0)
			break;
		request_ret = swhca_vfu_request(&session, &server->msg, &server->reply);
		swhca_vfu_msg_close_fds(&server->msg);
		ret = swhca_vfu_answer(sock, server->stop_fd, server->rest_ms, &server->msg,
				       request_ret, &server->reply);
	} while (ret == 0 && request_ret != -EPROTO);
	swhca_pci_function_leave(server->function);
}

/* @return Connected client, or a negative errno. */
static int
client_accept(const struct swhca_pci_server *server)
{
	struct pollfd fds[] = {
		{ .fd = server->listen_fd, .events = POLLIN },
		{ .fd = server->stop_fd, .events = POLLIN },
	};
	int sock;

	if (poll(fds, 2, -1) < 0)
		return -errno;
	if (fds[1].revents != 0)
		return -ECANCELED;
	sock = accept4(server->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	return sock >= 0 ? sock : -errno;
}

/* Out of descriptors: waiting clients may leave meanwhile. */
static void
pause_briefly(const struct swhca_pci_server *server)
{
	struct pollfd stop = { .fd = server->stop_fd, .events = POLLIN };

	poll(&stop, 1, 100);
}

static void *
server_main(void *arg)
{
	struct swhca_pci_server *server = arg;
	int sock;

	while (true) {
		sock = client_accept(server);
		if (sock == -ECANCELED)
			return NULL;
		if (sock < 0) {
			if (sock != -EINTR && sock != -EAGAIN && sock != -ECONNABORTED) {
				SWHCA_LOG(ERR, "%s: %s", server->path, strerror(-sock));
				pause_briefly(server);
			}
			continue;
		}
		SWHCA_LOG(DEBUG, "%s: client connected", server->path);
		swhca_pci_client_serve(server, sock);
		close(sock);
		SWHCA_LOG(DEBUG, "%s: client disconnected", server->path);
	}
}

/* Remove a stale socket whose server is gone. */
static int
stale_remove(const struct sockaddr_un *addr)
{
	struct stat st;
	int sock, ret;

	if (lstat(addr->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
		return 0;
	sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock < 0)
		return -errno;
	ret = connect(sock, (const struct sockaddr *)addr, sizeof(*addr)) == 0 ? 0 : -errno;
	close(sock);
	if (ret != -ECONNREFUSED)
		return -EADDRINUSE;
	return unlink(addr->sun_path) == 0 ? 0 : -errno;
}

/* The name appears only when the socket listens, as waiting clients connect at once. */
static int
socket_create(struct swhca_pci_server *server)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const size_t path_len = strlen(server->path);
	int ret;

	memcpy(addr.sun_path, server->path, path_len);
	ret = stale_remove(&addr);
	if (ret != 0)
		return ret;
	addr.sun_path[path_len] = '~';
	ret = stale_remove(&addr);
	if (ret != 0)
		return ret;
	server->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->listen_fd < 0)
		return -errno;
	/*
	 * Clients control the whole device: only admit this user, independent of the umask
	 * (unix(7)).
	 */
	fchmod(server->listen_fd, S_IRUSR | S_IWUSR);
	if (bind(server->listen_fd, (const struct sockaddr *)&addr, sizeof(addr)) != 0) {
		ret = -errno;
	} else {
		if (listen(server->listen_fd, BACKLOG) != 0 ||
		    link(addr.sun_path, server->path) != 0)
			ret = errno == EEXIST ? -EADDRINUSE : -errno;
		unlink(addr.sun_path);
	}
	if (ret != 0)
		close(server->listen_fd);
	return ret;
}

/* @return Descriptor of the lock, -EBUSY if it is taken, or a negative errno. */
static int
lock_take(const char *path)
{
	struct stat by_path, by_fd;
	int fd, ret;

	do {
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		ret = swhca_file_lock(fd, true);
		if (ret == 0 && lstat(path, &by_path) == 0 && fstat(fd, &by_fd) == 0 &&
		    by_path.st_ino == by_fd.st_ino)
			return fd;
		close(fd);
		/* Else its last holder has removed it. */
	} while (ret == 0);
	return ret;
}

/*
 * Of servers that start for one name at once, a single one may remove what another one left behind:
 * a socket that does not listen yet looks the same.
 */
static int
socket_listen(struct swhca_pci_server *server)
{
	char lock[sizeof(server->path) + sizeof(".lock")];
	int fd, ret;

	snprintf(lock, sizeof(lock), "%s.lock", server->path);
	fd = lock_take(lock);
	if (fd < 0)
		return fd == -EBUSY ? -EADDRINUSE : fd;
	ret = socket_create(server);
	unlink(lock);
	close(fd);
	return ret;
}

int
swhca_pci_server_start(struct swhca_pci_server *server, struct swhca_pci_function *function,
		       const char *path, int stop_fd)
{
	int ret;

	*server = (struct swhca_pci_server){ .function = function, .stop_fd = stop_fd,
					     .rest_ms = SWHCA_VFU_REST_MS };
	/* A socket address needs one more character and its end. */
	if (strlen(path) + 1 >= sizeof(server->path))
		return -ENAMETOOLONG;
	memcpy(server->path, path, strlen(path) + 1);
	ret = swhca_vfu_msg_init(&server->msg);
	if (ret != 0)
		return ret;
	ret = -ENOMEM;
	server->reply.data = malloc(SWHCA_VFU_MAX_DATA);
	if (server->reply.data == NULL)
		goto msg_fini;
	ret = socket_listen(server);
	if (ret != 0)
		goto free_reply;
	ret = swhca_thread_start(&server->thread, NULL, "swhca-pci", server_main, server);
	if (ret == 0)
		return 0;
	close(server->listen_fd);
	unlink(server->path);
free_reply:
	free(server->reply.data);
msg_fini:
	swhca_vfu_msg_fini(&server->msg);
	return ret;
}

/* ThreadSanitizer does not support pthread_clockjoin_np(). */
static int
thread_join(pthread_t thread, uint64_t deadline_ns)
{
	const uint64_t now_ns = swhca_now_ns();
	const uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += (time_t)(left_ns / NS_PER_S);
	end.tv_nsec += (long)(left_ns % NS_PER_S);
	if (end.tv_nsec >= (long)NS_PER_S) {
		end.tv_nsec -= (long)NS_PER_S;
		end.tv_sec++;
	}
	return -pthread_timedjoin_np(thread, NULL, &end);
}

int
swhca_pci_server_join(struct swhca_pci_server *server, uint64_t deadline_ns)
{
	int ret;

	unlink(server->path);
	ret = thread_join(server->thread, deadline_ns);
	if (ret != 0) {
		SWHCA_LOG(ERR, "%s: the thread of the client does not end: %s", server->path,
			  strerror(-ret));
		return ret;
	}
	close(server->listen_fd);
	free(server->reply.data);
	swhca_vfu_msg_fini(&server->msg);
	return 0;
}
