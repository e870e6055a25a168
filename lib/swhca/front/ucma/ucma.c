/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "host/sysfs.h"
#include "front/ucma/alive.h"
#include "front/ucma/ucma_cmd.h"
#include "front/ucma/ucma_file.h"
#include "front/ucma/ucma.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/uverbs_mem.h"

bool
swhca_ucma_path(const char *path)
{
	return path != NULL && strcmp(path, "/dev/infiniband/rdma_cm") == 0;
}

void
swhca_ucma_stat(struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFCHR | S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
	st->st_nlink = 1;
	st->st_ino = 1;
	st->st_blksize = 4096;
	st->st_rdev = makedev(SWHCA_RDMA_CM_MAJOR, SWHCA_RDMA_CM_MINOR);
}

static void
file_fini(struct swhca_ufile *ufile)
{
	swhca_ucm_file_destroy(ufile->cm);
}

int
swhca_ucma_open(int flags)
{
	struct swhca_ufile *ufile = swhca_ufile_alloc(NULL, file_fini);
	int fd, ret;

	if (ufile == NULL)
		return -ENOMEM;
	fd = swhca_ucm_file_create(flags, &ufile->cm);
	if (fd < 0) {
		ufile->fini = NULL;
		swhca_ufile_free(ufile);
		return fd;
	}
	ret = swhca_ufd_set(fd, ufile);
	if (ret != 0) {
		swhca_fd_close(fd);
		swhca_ufile_put(ufile);
		return ret;
	}
	return fd;
}

bool
swhca_ucma_is(int fd)
{
	struct swhca_ufile *ufile = swhca_ufile_get(fd);
	bool is_cm;

	if (ufile == NULL)
		return false;
	is_cm = ufile->cm != NULL;
	swhca_ufile_put(ufile);
	return is_cm;
}

/* Return the first event to the caller, and for a request create its identifier. */
static int
event_read(struct swhca_ucm_file *file, uint64_t response, size_t out_len)
{
	struct swhca_ucm_event *event;
	size_t size = sizeof(event->resp);
	int ret;

	if (out_len < offsetof(struct rdma_ucm_event_resp, reserved))
		return -ENOSPC;
	swhca_ucm_lock();
	event = swhca_ucm_event_first(file);
	ret = event == NULL ? -EAGAIN :
	      swhca_uaddr_write(response, &event->resp, out_len < size ? out_len : size);
	if (ret == 0) {
		if (event->request != NULL) {
			event->request->is_request = false;
			event->id->nb_requests--;
		}
		swhca_ucm_event_take(file, event);
	}
	swhca_ucm_unlock();
	return ret;
}

static void
ufile_put(void *arg)
{
	swhca_ufile_put(arg);
}

/* A cancelled thread leaves this frame without a return: ASan must not have marked its memory. */
__attribute__((no_sanitize_address)) static int
event_wait(struct swhca_ufile *ufile, int state)
{
	int ret;

	pthread_cleanup_push(ufile_put, ufile);
	pthread_setcancelstate(state, NULL);
	ret = swhca_ucm_file_wait(ufile->cm);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cleanup_pop(0);
	return ret;
}

/* "state": cancellation state during the wait. */
static int
event_get(struct swhca_ufile *ufile, uint64_t in, size_t in_len, size_t out_len, int state)
{
	struct rdma_ucm_get_event cmd;
	int ret;

	if (in_len < sizeof(cmd))
		return -EINVAL;
	ret = swhca_uaddr_read(&cmd, in, sizeof(cmd));
	while (ret == 0) {
		ret = event_read(ufile->cm, cmd.response, out_len);
		if (ret != -EAGAIN)
			break;
		ret = event_wait(ufile, state);
	}
	return ret;
}

static ssize_t
command_write(struct swhca_ufile *ufile, const void *buf, size_t len, int state)
{
	struct rdma_ucm_cmd_hdr hdr;
	uint64_t in = (uintptr_t)buf + sizeof(hdr);
	int ret;

	if (!swhca_ufile_is_own(ufile))
		return -EIO;
	if (len < sizeof(hdr))
		return -EINVAL;
	ret = swhca_uaddr_read(&hdr, (uintptr_t)buf, sizeof(hdr));
	if (ret != 0)
		return ret;
	if (hdr.in + sizeof(hdr) > len)
		return -EINVAL;
	if (hdr.cmd == RDMA_USER_CM_CMD_GET_EVENT)
		ret = event_get(ufile, in, hdr.in, hdr.out, state);
	else
		ret = swhca_ucm_cmd_exec(ufile->cm, hdr.cmd, in, hdr.in, hdr.out);
	return ret != 0 ? ret : (ssize_t)len;
}

ssize_t
swhca_ucma_write(int fd, const void *buf, size_t len)
{
	struct swhca_ufile *ufile;
	ssize_t ret;
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	ufile = swhca_ufile_get(fd);
	ret = ufile == NULL || ufile->cm == NULL ? -EBADF :
						   command_write(ufile, buf, len, state);
	if (ufile != NULL)
		swhca_ufile_put(ufile);
	pthread_setcancelstate(state, NULL);
	return ret;
}

void
swhca_ucma_removed(unsigned int index)
{
	struct swhca_ucm_id *id;

	swhca_ucm_lock();
	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->dev == NULL || id->dev->index != index || id->is_removed)
			continue;
		swhca_ucm_event_post(id, UCM_DEVICE_REMOVAL, 0);
		id->is_removed = true;
		id->has_conn = false;
	}
	swhca_ucm_unlock();
}

void
swhca_ucma_exit(void)
{
	struct swhca_ucm_id *id;

	swhca_ucm_lock();
	LIST_FOREACH(id, &swhca_ucm_ids, link) {
		if (id->has_conn)
			swhca_cm_conn_fini(&id->conn);
		id->has_conn = false;
		swhca_ucm_alive_end(id);
	}
	swhca_ucm_unlock();
}

void
swhca_ucma_forget(void)
{
	swhca_ucm_forget();
}
