/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Device files as descriptors: open(2), read(2) of events, dup(2), close(2).
 */

#include <errno.h>
#include <pthread.h>

#include "base/high_fd.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/ctx.h"

static void
device_file_close(struct swhca_ufile *file)
{
	swhca_uctx_close(file);
	swhca_umap_destroy(file);
}

int
swhca_uverbs_open(unsigned int index, int flags)
{
	struct swhca_ufile *file;
	struct swhca_udev *dev;
	int fd, ret;

	ret = swhca_udev_get(index, &dev);
	if (ret != 0)
		return ret;
	file = swhca_ufile_alloc(dev, device_file_close);
	if (file == NULL)
		return -ENOMEM;
	TAILQ_INIT(&file->order);
	file->res_id = swhca_uobj_res_id_next();
	file->map_fd = -1;
	fd = swhca_umap_create(file, flags);
	ret = fd < 0 ? fd : swhca_ufd_set(fd, file);
	if (ret != 0) {
		if (fd >= 0)
			swhca_fd_close(fd);
		swhca_ufile_put(file);
		return ret;
	}
	return fd;
}

int
swhca_uverbs_index(int fd)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	int index;

	if (file == NULL)
		return -1;
	index = swhca_ufile_is_device(file) ? (int)file->dev->index : -1;
	swhca_ufile_put(file);
	return index;
}

bool
swhca_uverbs_is_event(int fd)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	bool is_event;

	if (file == NULL)
		return false;
	is_event = file->events != NULL;
	swhca_ufile_put(file);
	return is_event;
}

static void
events_put(void *arg)
{
	swhca_uevent_file_put(arg);
}

ssize_t
swhca_uverbs_read(int fd, void *buf, size_t count)
{
	struct swhca_uevent_file *events = swhca_uevent_file_of_fd(fd);
	ssize_t ret;

	/* A descriptor of the parent process, or one that was just closed. */
	if (events == NULL)
		return -EIO;
	/* A thread may be cancelled while it waits. */
	pthread_cleanup_push(events_put, events);
	ret = swhca_uevent_file_read(events, fd, buf, count);
	pthread_cleanup_pop(1);
	return ret;
}

void
swhca_uverbs_close(int fd)
{
	swhca_ufd_close(fd);
}

void
swhca_uverbs_close_range(unsigned int first, unsigned int last)
{
	swhca_ufd_close_range(first, last);
}

int
swhca_uverbs_dup(int oldfd, int newfd)
{
	struct swhca_ufile *file = swhca_ufile_get(oldfd);
	int ret;

	if (file == NULL) {
		/* dup2(2) onto one of ours closes it. */
		swhca_ufd_close(newfd);
		return 0;
	}
	ret = swhca_ufd_set(newfd, file);
	if (ret != 0)
		swhca_ufile_put(file);
	return ret;
}
