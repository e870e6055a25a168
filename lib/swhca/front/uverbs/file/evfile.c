/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Files from which events are read (ib_core: uverbs_main.c, ib_uverbs_event_read()).
 *
 * A descriptor of the user is one end of a socket pair: it is readable while an event waits, so
 * that poll(2) and a blocking read(2) behave as in Linux. The events themselves are in a list;
 * read(2) is intercepted, takes the byte and returns the first event. So any number of events may
 * wait, and those of a destroyed object can be removed.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/log.h"
#include "base/kept_fd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/evfile.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/uverbs_mem.h"
#include "front/uverbs/file/sub.h"

/* Maximum bytes of queued answers (mlx5_ib: MAX_ASYNC_BYTES_IN_USE). */
#define MAX_ANSWER_BYTES (1u << 20)

struct uevent {
	TAILQ_ENTRY(uevent) link;
	const void *src;
	uint32_t *counter;
	size_t len;
	uint8_t data[];
};

struct swhca_uevent_file {
	LIST_ENTRY(swhca_uevent_file) link;	/* in the table of the device */
	enum swhca_uevent_kind kind;
	unsigned int nb_refs;
	struct swhca_udev *dev;
	struct swhca_ufile *ctx;	/* NULL: closed or disconnected, nothing is added */
	TAILQ_HEAD(, uevent) events;
	size_t nb_bytes;		/* reserved for answers */
	int fd;				/* duplicate of the user's, to take the byte back */
	int bell;			/* the other end */
	bool is_rung;			/* a byte is in the socket, or taken by a reader */
	bool omits_data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
swhca_uevent_forget(void)
{
	pthread_mutex_init(&lock, NULL);
}

void
swhca_uevent_lock(void)
{
	pthread_mutex_lock(&lock);
}

void
swhca_uevent_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static void
bell_ring(struct swhca_uevent_file *file)
{
	if (!file->is_rung)
		file->is_rung = send(file->bell, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

/* A reader that already has the byte finds the list empty and waits again. */
static void
bell_unring(struct swhca_uevent_file *file)
{
	uint8_t byte;

	if (file->is_rung && recv(file->fd, &byte, 1, MSG_DONTWAIT) == 1)
		file->is_rung = false;
}

static void
events_drop(struct swhca_uevent_file *file, const void *src, bool all)
{
	struct uevent *event, *next;

	for (event = TAILQ_FIRST(&file->events); event != NULL; event = next) {
		next = TAILQ_NEXT(event, link);
		if (!all && event->src != src)
			continue;
		TAILQ_REMOVE(&file->events, event, link);
		free(event);
	}
	if (TAILQ_EMPTY(&file->events))
		bell_unring(file);
}

void
swhca_uevent_drop(struct swhca_uevent_file *file, const void *src)
{
	events_drop(file, src, false);
}

void
swhca_uevent_post(struct swhca_uevent_file *file, const void *src, uint32_t *counter,
		  const void *data, size_t len)
{
	struct uevent *event;

	if (file->ctx == NULL)
		return;
	event = malloc(sizeof(*event) + len);
	if (event == NULL) {
		SWHCA_LOG(ERR, "event of %zu bytes: no memory, it is lost", len);
		return;
	}
	event->src = src;
	event->counter = counter;
	event->len = len;
	memcpy(event->data, data, len);
	TAILQ_INSERT_TAIL(&file->events, event, link);
	bell_ring(file);
}

/* Without data an event only reports that there was at least one (mlx5_ib: deliver_event()). */
void
swhca_uevent_post_devx(struct swhca_uevent_file *file, const void *src, uint64_t cookie,
		       const void *data, size_t len)
{
	struct {
		uint64_t cookie;
		uint8_t data[PRM_EQE_SIZE];
	} event = { .cookie = cookie };
	struct uevent *other;

	assert(len <= sizeof(event.data));
	if (!file->omits_data) {
		memcpy(event.data, data, len);
		swhca_uevent_post(file, src, NULL, &event, sizeof(event.cookie) + len);
		return;
	}
	TAILQ_FOREACH(other, &file->events, link) {
		if (other->src == src)
			return;
	}
	swhca_uevent_post(file, src, NULL, &event, sizeof(event.cookie));
}

struct swhca_uevent_file *
swhca_uevent_file_get(struct swhca_uevent_file *file)
{
	if (file == NULL)
		return NULL;
	swhca_uevent_lock();
	file->nb_refs++;
	swhca_uevent_unlock();
	return file;
}

void
swhca_uevent_file_put(struct swhca_uevent_file *file)
{
	bool is_last;

	if (file == NULL)
		return;
	swhca_uevent_lock();
	is_last = --file->nb_refs == 0;
	swhca_uevent_unlock();
	if (!is_last)
		return;
	swhca_fd_release(file->fd);
	swhca_fd_release(file->bell);
	free(file);
}

static void
file_disconnect(struct swhca_uevent_file *file)
{
	if (file->ctx == NULL)
		return;
	file->ctx = NULL;
	LIST_REMOVE(file, link);
}

void
swhca_uevent_file_close(struct swhca_uevent_file *file)
{
	/* The subscriptions hold references, but not the one dropped here. */
	swhca_usubs_remove(file->dev, file, NULL);
	swhca_uevent_lock();
	file_disconnect(file);
	events_drop(file, NULL, true);
	swhca_uevent_unlock();
	swhca_uevent_file_put(file);
}

/*
 * Readers get the remaining events, and then the end of the file; a file of asynchronous events
 * waits (ib_core: uverbs_async_event_destroy_uobj() leaves such a file unchanged).
 */
static void
file_hang_up(struct swhca_uevent_file *file)
{
	file_disconnect(file);
	if (file->kind != SWHCA_UEVENT_ASYNC)
		shutdown(file->bell, SHUT_WR);
}

void
swhca_uevent_files_disconnect(struct swhca_ufile *ctx)
{
	struct swhca_uevent_file *file, *next;

	swhca_uevent_lock();
	for (file = LIST_FIRST(&ctx->dev->events.files); file != NULL; file = next) {
		next = LIST_NEXT(file, link);
		if (file->ctx == ctx)
			file_hang_up(file);
	}
	swhca_uevent_unlock();
}

void
swhca_uevent_files_remove(struct swhca_udev *dev)
{
	struct swhca_uevent_file *file, *next;

	swhca_uevent_lock();
	for (file = LIST_FIRST(&dev->events.files); file != NULL; file = next) {
		next = LIST_NEXT(file, link);
		/* These report the removal, and stay open. */
		if (file->kind == SWHCA_UEVENT_ASYNC)
			continue;
		events_drop(file, NULL, true);
		file_hang_up(file);
	}
	swhca_uevent_unlock();
}

/* Open the descriptors of a file. @return The user's, or a negative errno. */
static int
fds_open(struct swhca_uevent_file *file)
{
	int fds[2], ret;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		return swhca_call_error("socketpair");
	file->fd = (int)syscall(SYS_fcntl, fds[0], F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0) {
		ret = -errno;
		swhca_fd_close(fds[0]);
		swhca_fd_close(fds[1]);
		return ret;
	}
	file->fd = swhca_fd_raise(file->fd);
	file->bell = swhca_fd_raise(fds[1]);
	swhca_fd_keep(file->fd);
	swhca_fd_keep(file->bell);
	return fds[0];
}

int
swhca_uevent_file_create(struct swhca_ufile *ctx, enum swhca_uevent_kind kind,
			 struct swhca_uevent_file **out)
{
	struct swhca_uevent_file *file = calloc(1, sizeof(*file));
	int fd, ret;

	if (file == NULL)
		return -ENOMEM;
	fd = fds_open(file);
	if (fd < 0) {
		free(file);
		return fd;
	}
	file->kind = kind;
	file->dev = ctx->dev;
	/* Of the table, and of the caller: another thread may close the descriptor at once. */
	file->nb_refs = 2;
	file->ctx = ctx;
	TAILQ_INIT(&file->events);
	swhca_uevent_lock();
	LIST_INSERT_HEAD(&ctx->dev->events.files, file, link);
	/* A removal of the device finds it in the list from now on, or is already visible here. */
	ret = swhca_udev_is_removed(ctx->dev->index) ? -EIO : 0;
	swhca_uevent_unlock();
	if (ret == 0)
		ret = swhca_uevent_fd_add(fd, ctx->dev, file);
	if (ret != 0) {
		swhca_uevent_file_close(file);
		swhca_fd_close(fd);
	}
	if (ret == 0 && out != NULL)
		*out = file;
	else
		swhca_uevent_file_put(file);
	return ret == 0 ? fd : ret;
}

int
swhca_uevent_file_find(struct swhca_ufile *ctx, int64_t fd, enum swhca_uevent_kind kind,
		       struct swhca_uevent_file **out)
{
	struct swhca_uevent_file *file;
	bool is_right;

	file = fd < 0 || fd > INT32_MAX ? NULL : swhca_uevent_file_of_fd((int)fd);
	if (file == NULL)
		return -EBADF;
	swhca_uevent_lock();
	is_right = file->ctx == ctx && file->kind == kind;
	swhca_uevent_unlock();
	if (!is_right) {
		swhca_uevent_file_put(file);
		return -EBADF;
	}
	*out = file;
	return 0;
}

void
swhca_uevent_file_set_omit(struct swhca_uevent_file *file)
{
	file->omits_data = true;
}

bool
swhca_uevent_file_reserve(struct swhca_uevent_file *file, size_t len)
{
	bool has_room;

	swhca_uevent_lock();
	has_room = len <= MAX_ANSWER_BYTES && file->nb_bytes <= MAX_ANSWER_BYTES - len;
	if (has_room)
		file->nb_bytes += len;
	swhca_uevent_unlock();
	return has_room;
}

/* Take the first event. @return 0, -EAGAIN (none), or the error of Linux for a short buffer. */
static int
event_take(struct swhca_uevent_file *file, size_t count, struct uevent **out)
{
	struct uevent *event = TAILQ_FIRST(&file->events);
	size_t answer_head = sizeof(struct mlx5_ib_uapi_devx_async_cmd_hdr);

	if (event == NULL)
		return -EAGAIN;
	if (event->len > count)
		return file->kind == SWHCA_UEVENT_DEVX_CMD ? -ENOSPC : -EINVAL;
	TAILQ_REMOVE(&file->events, event, link);
	if (event->counter != NULL)
		(*event->counter)++;
	if (file->kind == SWHCA_UEVENT_DEVX_CMD)
		file->nb_bytes -= event->len - answer_head;
	*out = event;
	return 0;
}

/* A cancelled thread leaves this frame without a return: ASan must not have marked its memory. */
__attribute__((no_sanitize_address)) ssize_t
swhca_uevent_file_read(struct swhca_uevent_file *file, int fd, void *buf, size_t count)
{
	struct uevent *event = NULL;
	uint8_t byte;
	const struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	ssize_t len;
	int ret;

	do {
		/*
		 * Blocks or not, depending on the descriptor's flags. The libc call is a
		 * cancellation point, like read(2), which is intercepted.
		 */
		len = readv(fd, &iov, 1);
		if (len < 0)
			return -errno;
		swhca_uevent_lock();
		if (len == 1)
			file->is_rung = false;
		ret = event_take(file, count, &event);
		if (!TAILQ_EMPTY(&file->events))
			bell_ring(file);
		swhca_uevent_unlock();
		if (len == 0 && ret == -EAGAIN)
			return -EIO;
	} while (ret == -EAGAIN);
	if (ret != 0)
		return ret;
	len = (ssize_t)event->len;
	ret = swhca_uaddr_write((uintptr_t)buf, event->data, event->len);
	free(event);
	return ret != 0 ? ret : len;
}

void
swhca_uevent_post_all(struct swhca_udev *dev, const void *data, size_t len)
{
	struct swhca_uevent_file *file;

	LIST_FOREACH(file, &dev->events.files, link) {
		if (file->kind == SWHCA_UEVENT_ASYNC)
			swhca_uevent_post(file, NULL, NULL, data, len);
	}
}
