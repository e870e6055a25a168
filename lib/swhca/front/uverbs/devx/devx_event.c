/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * DevX: event channels, and queries with asynchronous answers (mlx5_ib: devx.c,
 * devx_event_notifier(), MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY).
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/high_fd.h"
#include "base/log.h"
#include "base/kept_fd.h"
#include "front/uverbs/devx/devx.h"
#include "front/uverbs/devx/devx_event.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_fd_table.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/sub.h"

/* Maximum events of a subscription (mlx5_ib: MAX_NUM_EVENTS). */
#define MAX_EVENTS 16u

/*
 * mlx5_ib: is_legacy_obj_event_num() and is_legacy_unaffiliated_event_num(). Whether an object has
 * such events is not checked; unsupported events never occur.
 */
static bool
is_event_of(uint16_t event, const struct swhca_uobj *obj)
{
	if (obj == NULL)
		return event == PRM_EVENT_PORT_CHANGE;
	switch (event) {
	case PRM_EVENT_COMP:
	case PRM_EVENT_CQ_ERROR:
	case PRM_EVENT_PATH_MIG:
	case PRM_EVENT_COMM_EST:
	case PRM_EVENT_SQ_DRAINED:
	case PRM_EVENT_SRQ_LAST_WQE:
	case PRM_EVENT_WQ_CATAS_ERROR:
	case PRM_EVENT_PATH_MIG_FAILED:
	case PRM_EVENT_WQ_INVAL_REQ_ERROR:
	case PRM_EVENT_WQ_ACCESS_ERROR:
	case PRM_EVENT_SRQ_RQ_LIMIT:
	case PRM_EVENT_SRQ_CATAS_ERROR:
	case PRM_EVENT_DCT_DRAINED:
	case PRM_EVENT_DCT_KEY_VIOLATION:
		return true;
	default:
		return false;
	}
}

/* Without /proc, accept any file without a type: timers etc. cannot be distinguished. */
static bool
is_eventfd(int fd, const struct stat *st)
{
	char path[32], target[32];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return (st->st_mode & S_IFMT) == 0;
	target[len] = '\0';
	return strcmp(target, "anon_inode:[eventfd]") == 0;
}

/* @return Duplicate of a descriptor that is an eventfd, or a negative errno. */
static int
eventfd_get(int fd)
{
	struct stat st;
	int dup;

	if (syscall(SYS_fstat, fd, &st) != 0)
		return -errno;
	if (!is_eventfd(fd, &st))
		return -EINVAL;
	dup = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
	if (dup < 0)
		return -errno;
	dup = swhca_fd_raise(dup);
	swhca_fd_keep(dup);
	return dup;
}

/* Subscription request without its list of events. */
struct sub_req {
	struct swhca_uevent_file *file;
	const struct swhca_uobj *obj;
	bool has_eventfd;
	uint32_t eventfd;
	uint64_t cookie;
};

static int
sub_create(const struct sub_req *want, uint16_t event, struct swhca_usub_list *subs)
{
	struct swhca_usub *sub = calloc(1, sizeof(*sub));

	if (sub == NULL)
		return -ENOMEM;
	sub->eventfd = want->has_eventfd ? eventfd_get((int)want->eventfd) : -1;
	if (want->has_eventfd && sub->eventfd < 0) {
		int ret = sub->eventfd;

		free(sub);
		return ret;
	}
	sub->file = swhca_uevent_file_get(want->file);
	sub->obj = want->obj;
	sub->num = want->obj != NULL ? want->obj->num : 0;
	sub->event = event;
	sub->cookie = want->cookie;
	LIST_INSERT_HEAD(subs, sub, link);
	return 0;
}

static int
subscribe(struct swhca_ureq *req, const struct sub_req *want)
{
	size_t len = swhca_uattr_len(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST);
	struct swhca_usub_list subs = LIST_HEAD_INITIALIZER(subs);
	uint16_t events[MAX_EVENTS];
	size_t i;
	int ret;

	if (len % sizeof(events[0]) != 0 || len > sizeof(events))
		return -EINVAL;
	ret = swhca_uattr_in(req, MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_TYPE_NUM_LIST, events,
			     sizeof(events), sizeof(events[0]));
	for (i = 0; ret == 0 && i < len / sizeof(events[0]); i++) {
		if (!is_event_of(events[i], want->obj)) {
			SWHCA_LOG(WARNING, "DevX subscription: event 0x%x is not one of the %s",
				  events[i], want->obj != NULL ? "object" : "device");
			ret = -EINVAL;
		} else {
			ret = sub_create(want, events[i], &subs);
		}
	}
	if (ret != 0) {
		swhca_usubs_free(&subs);
		return ret;
	}
	swhca_usubs_add(req->file->dev, &subs);
	return 0;
}

#define SUBSCRIBE_ATTR(name, kind, member)                                                         \
	SWHCA_UATTR(MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_##name, kind, struct sub_req, member)

static const struct swhca_uattr_spec subscribe_attrs[] = {
	{ SUBSCRIBE_ATTR(FD_HANDLE, EVENTS, file), .type = SWHCA_UEVENT_DEVX },
	{ SUBSCRIBE_ATTR(OBJ_HANDLE, OBJ, obj), .type = MLX5_IB_OBJECT_DEVX_OBJ,
	  .is_optional = true },
	{ SUBSCRIBE_ATTR(FD_NUM, U32, eventfd), .is_optional = true },
	{ SUBSCRIBE_ATTR(COOKIE, U64, cookie), .is_optional = true },
};

int
swhca_udevx_subscribe_req(struct swhca_ureq *req)
{
	const uint16_t cookie_id = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_COOKIE;
	const uint16_t eventfd_id = MLX5_IB_ATTR_DEVX_SUBSCRIBE_EVENT_FD_NUM;
	struct sub_req want = { 0 };
	int ret;

	if (req->file->uid == 0)
		return -EINVAL;
	ret = swhca_uattrs_in(req, subscribe_attrs, SWHCA_ARRAY_SIZE(subscribe_attrs), &want);
	want.has_eventfd = swhca_uattr_find(req, eventfd_id) != NULL;
	if (ret == 0 && want.has_eventfd && swhca_uattr_find(req, cookie_id) != NULL)
		ret = -EINVAL;
	if (ret == 0)
		ret = subscribe(req, &want);
	swhca_uevent_file_put(want.file);
	return ret;
}

int
swhca_udevx_event_fd_req(struct swhca_ureq *req)
{
	const uint16_t flags_id = MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_FLAGS;
	struct swhca_uevent_file *file;
	uint32_t flags = 0;
	int fd, ret = 0;

	if (swhca_uattr_find(req, flags_id) != NULL)
		ret = swhca_uattr_in_u32(req, flags_id, &flags);
	if (ret != 0)
		return ret;
	if ((flags & ~(uint32_t)MLX5_IB_UAPI_DEVX_CR_EV_CH_FLAGS_OMIT_DATA) != 0)
		return -EINVAL;
	fd = swhca_uevent_file_create(req->file, SWHCA_UEVENT_DEVX, &file);
	if (fd < 0)
		return fd;
	if (flags != 0)
		swhca_uevent_file_set_omit(file);
	swhca_uevent_file_put(file);
	ret = swhca_uattr_out_handle(req, MLX5_IB_ATTR_DEVX_ASYNC_EVENT_FD_ALLOC_HANDLE, fd);
	if (ret != 0)
		swhca_ufd_drop(fd);
	return ret;
}

int
swhca_udevx_cmd_fd_req(struct swhca_ureq *req)
{
	int fd, ret;

	fd = swhca_uevent_file_create(req->file, SWHCA_UEVENT_DEVX_CMD, NULL);
	if (fd < 0)
		return fd;
	ret = swhca_uattr_out_handle(req, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, fd);
	if (ret != 0)
		swhca_ufd_drop(fd);
	return ret;
}

/* The command is executed at once; its answer is queued after earlier ones. */
static int
query_async(struct swhca_ureq *req, struct swhca_uevent_file *file, uint64_t wr_id, size_t out_len)
{
	struct mlx5_ib_uapi_devx_async_cmd_hdr *hdr;
	size_t len = sizeof(*hdr) + out_len;
	int ret;

	hdr = calloc(1, len);
	if (hdr == NULL)
		return -ENOMEM;
	hdr->wr_id = wr_id;
	ret = swhca_udevx_query_exec(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE,
				     MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN, hdr->out_data,
				     out_len);
	if (ret == 0 && !swhca_uevent_file_reserve(file, out_len))
		ret = -EAGAIN;
	if (ret == 0) {
		swhca_uevent_lock();
		swhca_uevent_post(file, NULL, NULL, hdr, len);
		swhca_uevent_unlock();
	}
	free(hdr);
	return ret;
}

int
swhca_udevx_query_async_req(struct swhca_ureq *req)
{
	const struct swhca_uattr_spec channel = {
		.id = MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD,
		.kind = SWHCA_UATTR_EVENTS,
		.type = SWHCA_UEVENT_DEVX_CMD,
	};
	struct swhca_uevent_file *file;
	uint64_t wr_id, out_len;
	int ret;

	ret = swhca_uattr_in_u64(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID, &wr_id);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN, &out_len);
	if (ret != 0)
		return ret;
	if (out_len < PRM_CMD_SHORT_OUT_SIZE || out_len > UINT16_MAX)
		return -EINVAL;
	ret = swhca_uattrs_in(req, &channel, 1, &file);
	if (ret != 0)
		return ret;
	ret = query_async(req, file, wr_id, out_len);
	swhca_uevent_file_put(file);
	return ret;
}
