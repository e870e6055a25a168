/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Like files of uverbs events (front/uverbs/file/evfile.c), a channel is one end of a socket pair:
 * it contains a byte while an event waits.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/kept_fd.h"
#include "base/log.h"
#include "front/ucma/ucma_file.h"

static void
bell_ring(struct swhca_ucm_file *file)
{
	if (!file->is_rung)
		file->is_rung = send(file->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* A reader that already has the byte finds the list empty and waits again. */
static void
bell_unring(struct swhca_ucm_file *file)
{
	uint8_t byte;

	if (file->is_rung && recv(file->fd, &byte, 1, MSG_DONTWAIT) == 1)
		file->is_rung = false;
}

int
swhca_ucm_file_create(int flags, struct swhca_ucm_file **out)
{
	int type = SOCK_STREAM | SOCK_CLOEXEC | ((flags & O_NONBLOCK) != 0 ? SOCK_NONBLOCK : 0);
	struct swhca_ucm_file *file = calloc(1, sizeof(*file));
	int fds[2], ret;

	if (file == NULL)
		return -ENOMEM;
	if (socketpair(AF_UNIX, type, 0, fds) != 0) {
		ret = swhca_call_error("socketpair");
		goto free_file;
	}
	file->fd = (int)syscall(SYS_fcntl, fds[0], F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0) {
		ret = -errno;
		goto close_fds;
	}
	if ((flags & O_CLOEXEC) == 0)
		syscall(SYS_fcntl, fds[0], F_SETFD, 0);
	file->fd = swhca_fd_raise(file->fd);
	file->bell = swhca_fd_raise(fds[1]);
	swhca_fd_keep(file->fd);
	swhca_fd_keep(file->bell);
	TAILQ_INIT(&file->events);
	*out = file;
	return fds[0];

close_fds:
	swhca_fd_close(fds[0]);
	swhca_fd_close(fds[1]);
free_file:
	free(file);
	return ret;
}

static struct swhca_ucm_id *
id_of_file(const struct swhca_ucm_file *file)
{
	struct swhca_ucm_id *id;

	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->file == file && !id->is_request)
			return id;
	}
	return NULL;
}

void
swhca_ucm_file_destroy(struct swhca_ucm_file *file)
{
	struct swhca_ucm_id *id;

	swhca_ucm_lock();
	while ((id = id_of_file(file)) != NULL)
		swhca_ucm_id_destroy(id);
	swhca_ucm_unlock();
	swhca_fd_release(file->fd);
	swhca_fd_release(file->bell);
	free(file);
}

struct swhca_ucm_event *
swhca_ucm_event_post(struct swhca_ucm_id *id, enum swhca_ucm_event_type type, int status)
{
	struct swhca_ucm_event *event;

	/* For a request not yet accepted: accepting it finds that it is over (ucma.c). */
	if (type != UCM_CONNECT_REQUEST && (id->is_request || id->uid == 0))
		return NULL;
	event = calloc(1, sizeof(*event));
	if (event == NULL) {
		SWHCA_LOG(ERR, "rdma_cm: event %d of 0x%x: no memory, it is lost", type,
			  id->handle);
		return NULL;
	}
	event->id = id;
	event->resp.uid = id->uid;
	event->resp.id = id->handle;
	event->resp.event = type;
	event->resp.status = (uint32_t)status;
	SWHCA_LOG(DEBUG, "rdma_cm: 0x%x: event %d, status %d", id->handle, type, status);
	TAILQ_INSERT_TAIL(&id->file->events, event, link);
	bell_ring(id->file);
	return event;
}

struct swhca_ucm_event *
swhca_ucm_event_first(struct swhca_ucm_file *file)
{
	return TAILQ_FIRST(&file->events);
}

void
swhca_ucm_event_take(struct swhca_ucm_file *file, struct swhca_ucm_event *event)
{
	TAILQ_REMOVE(&file->events, event, link);
	event->id->nb_reported++;
	if (event->mc != NULL)
		event->mc->nb_reported++;
	free(event);
	if (TAILQ_EMPTY(&file->events))
		bell_unring(file);
}

void
swhca_ucm_events_drop(struct swhca_ucm_file *file, const struct swhca_ucm_id *id,
		      const struct swhca_ucm_mc *mc)
{
	struct swhca_ucm_event *event, *next;

	for (event = TAILQ_FIRST(&file->events); event != NULL; event = next) {
		next = TAILQ_NEXT(event, link);
		if (id != NULL ? event->id != id : event->mc != mc)
			continue;
		TAILQ_REMOVE(&file->events, event, link);
		if (event->request != NULL) {
			event->id->nb_requests--;
			swhca_ucm_id_destroy(event->request);
		}
		free(event);
	}
	if (TAILQ_EMPTY(&file->events))
		bell_unring(file);
}

void
swhca_ucm_events_move(struct swhca_ucm_id *id, struct swhca_ucm_file *to)
{
	struct swhca_ucm_file *from = id->file;
	struct swhca_ucm_event *event, *next;

	for (event = TAILQ_FIRST(&from->events); event != NULL; event = next) {
		next = TAILQ_NEXT(event, link);
		if (event->id != id)
			continue;
		TAILQ_REMOVE(&from->events, event, link);
		TAILQ_INSERT_TAIL(&to->events, event, link);
		if (event->request != NULL)
			event->request->file = to;
		bell_ring(to);
	}
	if (TAILQ_EMPTY(&from->events))
		bell_unring(from);
	id->file = to;
}

int
swhca_ucm_file_wait(struct swhca_ucm_file *file)
{
	const struct iovec iov = { .iov_base = (uint8_t[1]){ 0 }, .iov_len = 1 };
	ssize_t len;

	/* The libc call is a cancellation point, like write(2), which is intercepted. */
	len = readv(file->fd, &iov, 1);
	if (len < 0)
		return -errno;
	swhca_ucm_lock();
	if (len == 1)
		file->is_rung = false;
	if (!TAILQ_EMPTY(&file->events))
		bell_ring(file);
	swhca_ucm_unlock();
	return 0;
}
