/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Calls on open device files, of this process and of children that inherited them.
 */

#include <errno.h>
#include <sys/mman.h>

#include "swhca_uverbs_fd.h"
#include "swhca_uverbs_fork.h"
#include "swhca_uverbs_priv.h"

/* Neither a parent's, nor of a device that is gone (ib_uverbs: a disassociated file). */
static bool
ufile_is_alive(const struct swhca_ufile *file)
{
	return swhca_ufile_is_own(file) && !swhca_uverbs_is_removed(file->dev->index);
}

static int
file_ioctl(struct swhca_ufile *file, uint64_t arg)
{
	struct swhca_ureq req = { .file = file };
	int ret;

	ret = ufile_is_alive(file) ? swhca_ureq_read(&req, arg) : -EIO;
	if (ret == 0) {
		pthread_mutex_lock(&file->lock);
		ret = swhca_ureq_exec(&req);
		pthread_mutex_unlock(&file->lock);
	}
	return ret;
}

static int
file_mmap(struct swhca_ufile *file, size_t len, int prot, off_t offset, int *bar_fd,
	  off_t *bar_offset)
{
	int ret;

	if (!ufile_is_alive(file))
		return -EIO;
	*bar_fd = swhca_hca_bar_fd(file->dev->hca);
	pthread_mutex_lock(&file->lock);
	ret = !file->has_context ? -EINVAL :
	      swhca_uuar_mmap(file, offset, len, prot, bar_fd, bar_offset);
	pthread_mutex_unlock(&file->lock);
	return ret;
}

int
swhca_ufile_call_serve(struct swhca_ufork_call *call)
{
	struct swhca_ufile *file;
	off_t bar_offset = 0;
	int fd, ret;

	file = swhca_ufile_get_own(call->file);
	if (file == NULL)
		return -EIO;
	if (call->kind == SWHCA_UFORK_IOCTL) {
		ret = file_ioctl(file, call->arg);
	} else {
		ret = file_mmap(file, call->len, call->prot, call->offset, &fd, &bar_offset);
		/* The child has no other file of the device than its BAR. */
		if (ret == 0 && fd != swhca_hca_bar_fd(file->dev->hca))
			ret = -EIO;
		/* What a fault there should do, it would have to do here. */
		if (ret == 0 && (size_t)bar_offset >= swhca_hca_bar_size(file->dev->hca))
			ret = -EOPNOTSUPP;
		call->offset = bar_offset;
	}
	swhca_ufile_put(file);
	return ret;
}

int
swhca_uverbs_ioctl(int fd, unsigned long request, void *arg)
{
	struct swhca_ufile *file;
	int ret;

	if (request != RDMA_VERBS_IOCTL)
		return -ENOTTY;
	file = swhca_ufile_get(fd);
	if (file == NULL)
		return -EBADF;
	if (file->events != NULL) {
		ret = -ENOTTY;
	} else if (!swhca_ufile_is_own(file)) {
		struct swhca_ufork_call call = { .kind = SWHCA_UFORK_IOCTL, .file = file,
						 .arg = (uintptr_t)arg };

		ret = swhca_ufork_call(&call);
	} else {
		ret = file_ioctl(file, (uintptr_t)arg);
	}
	swhca_ufile_put(file);
	return ret;
}

int
swhca_uverbs_mmap(int fd, size_t len, int prot, int flags, off_t offset, int *bar_fd,
		  off_t *bar_offset)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	int ret;

	if (file == NULL)
		return -EBADF;
	if (file->events != NULL) {
		ret = -ENODEV;
	} else if ((flags & MAP_SHARED) == 0) {
		ret = -EINVAL;
	} else if (!swhca_ufile_is_own(file)) {
		struct swhca_ufork_call call = { .kind = SWHCA_UFORK_MMAP, .prot = prot,
						 .file = file, .len = len, .offset = offset };

		ret = swhca_ufork_call(&call);
		*bar_fd = swhca_hca_bar_fd(file->dev->hca);
		*bar_offset = call.offset;
	} else {
		ret = file_mmap(file, len, prot, offset, bar_fd, bar_offset);
	}
	swhca_ufile_put(file);
	return ret;
}
