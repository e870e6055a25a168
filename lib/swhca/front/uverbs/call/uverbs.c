/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Calls on open device files, of this process and of children that inherited them.
 */

#include <errno.h>
#include <sys/mman.h>

#include "host/conf.h"
#include "base/dma_direct.h"
#include "base/kept_fd.h"
#include "host/sysfs.h"
#include "host/trap.h"
#include "front/uverbs/call/method.h"
#include "front/uverbs/call/uverbs.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/file/uverbs_event.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/fork.h"
#include "front/uverbs/obj/mmap.h"
#include "front/uverbs/obj/uverbs_odp.h"
#include "front/uverbs/obj/raw.h"
#include "front/uverbs/obj/uverbs_uar.h"

/* Set before any file is opened. */
static struct swhca_uverbs_host host;

/* Not for files of a parent or of a removed device (ib_uverbs: a disassociated file). */
static bool
ufile_is_alive(const struct swhca_ufile *file)
{
	return swhca_ufile_is_own(file) && !swhca_udev_is_removed(file->dev->index);
}

/* Execute a request; a call of the kernel for each part of it would take longer than most. */
static int
file_ioctl(struct swhca_ufile *file, uint64_t arg)
{
	struct swhca_ureq req = { .file = file };
	sigset_t old;
	int ret;

	if (host.catches_faults)
		swhca_dma_direct_begin(&old);
	ret = ufile_is_alive(file) ? swhca_ureq_read(&req, arg) : -EIO;
	if (ret == 0) {
		pthread_mutex_lock(&file->lock);
		if (file->nb_unseen_uars != 0 && swhca_conf_get()->is_strict != 0)
			swhca_uraw_watch(file);
		ret = swhca_ureq_exec(&req);
		pthread_mutex_unlock(&file->lock);
	}
	if (host.catches_faults)
		swhca_dma_direct_end(&old);
	return ret;
}

static int
file_resolve(struct swhca_ufile *file, off_t offset, size_t len, int prot, struct swhca_umap *map)
{
	int ret;

	if (!ufile_is_alive(file))
		return -EIO;
	pthread_mutex_lock(&file->lock);
	ret = file->has_context ? swhca_umap_resolve(file, offset, len, prot, map) : -EINVAL;
	pthread_mutex_unlock(&file->lock);
	return ret;
}

static int
call_serve(struct swhca_ufork_call *call)
{
	struct swhca_ufile *file;
	struct swhca_umap map;
	int ret;

	file = swhca_ufile_get_own(call->file);
	if (file == NULL)
		return -EIO;
	if (call->kind == SWHCA_UFORK_IOCTL) {
		ret = file_ioctl(file, call->arg);
	} else {
		ret = file_resolve(file, call->offset, call->len, call->prot, &map);
		/* Faults in the child cannot be handled here. */
		if (ret == 0 && map.act == SWHCA_UMAP_MEMIC_OP)
			ret = -EOPNOTSUPP;
		/* On failure the child must not get data of the stack. */
		if (ret == 0)
			call->offset = map.offset;
	}
	swhca_ufile_put(file);
	return ret;
}

static void
parent_before_fork(void)
{
	if (swhca_ufiles_exist())
		swhca_ufork_prepare(call_serve);
}

static void
child_after_fork(void)
{
	swhca_ufds_forget();
	swhca_ufork_child();
	swhca_upinned_forget();
	swhca_uevent_forget();
	if (host.forget != NULL)
		host.forget();
	swhca_udev_forget();
	swhca_uodp_forget();
	swhca_trap_forget();
	swhca_fd_forget();
	swhca_sysfs_forget();
}

void
swhca_uverbs_init(const struct swhca_uverbs_host *wanted)
{
	const struct swhca_udev_ops ops = {
		.prepare = wanted->prepare,
		.start = wanted->start,
		.event = swhca_uevent_dispatch,
	};

	host = *wanted;
	swhca_udev_ops_set(&ops);
	swhca_ufds_start();
	pthread_atfork(parent_before_fork, NULL, child_after_fork);
}

bool
swhca_uverbs_ioctl(int fd, unsigned long request, void *arg, int *ret)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	bool is_device;

	if (file == NULL)
		return false;
	is_device = swhca_ufile_is_device(file);
	if (!is_device || request != RDMA_VERBS_IOCTL) {
		*ret = -ENOTTY;
	} else if (!swhca_ufile_is_own(file)) {
		struct swhca_ufork_call call = { .kind = SWHCA_UFORK_IOCTL, .file = file,
						 .arg = (uintptr_t)arg };

		*ret = swhca_ufork_call(&call);
	} else {
		*ret = file_ioctl(file, (uintptr_t)arg);
	}
	swhca_ufile_put(file);
	return is_device;
}

int
swhca_uverbs_mmap(int fd, size_t len, int prot, int flags, off_t *offset)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	struct swhca_umap map = { .offset = *offset };
	int ret;

	if (file == NULL)
		return -EBADF;
	if (!swhca_ufile_is_device(file)) {
		ret = -ENODEV;
	} else if ((flags & MAP_SHARED) == 0) {
		ret = -EINVAL;
	} else if (!swhca_ufile_is_own(file)) {
		struct swhca_ufork_call call = { .kind = SWHCA_UFORK_MMAP, .prot = prot,
						 .file = file, .len = len, .offset = *offset };

		ret = swhca_ufork_call(&call);
		map.offset = call.offset;
	} else {
		ret = file_resolve(file, *offset, len, prot, &map);
	}
	if (ret == 0)
		*offset = map.offset;
	swhca_ufile_put(file);
	return ret;
}

static void
uar_mapped(struct swhca_ufile *file, void *va, size_t len, const struct swhca_umap *map)
{
	swhca_trap_add_uar(file->dev->hca, va, len, (off_t)map->bar_offset);
	pthread_mutex_lock(&file->lock);
	swhca_uuar_mapped(file, map->offset);
	pthread_mutex_unlock(&file->lock);
}

int
swhca_uverbs_mapped(int fd, void *va, size_t len, off_t offset)
{
	struct swhca_ufile *file = swhca_ufile_get(fd);
	struct swhca_umap map;
	int ret = 0;

	if (file == NULL)
		return -EBADF;
	/* A child maps the same as its parent; mappings have no side effects there. */
	if (swhca_ufile_is_own(file))
		ret = file_resolve(file, offset, len, PROT_READ, &map);
	else
		map.act = SWHCA_UMAP_NOTHING;
	if (ret == 0 && map.act == SWHCA_UMAP_MEMIC_OP)
		ret = swhca_trap_add(file->dev->hca, va, len, (off_t)map.bar_offset);
	else if (ret == 0 && map.act == SWHCA_UMAP_UAR && swhca_conf_get()->is_strict != 0)
		uar_mapped(file, va, len, &map);
	swhca_ufile_put(file);
	return ret;
}
