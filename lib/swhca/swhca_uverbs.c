/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Open files and the methods of RDMA_VERBS_IOCTL.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "swhca_control.h"
#include "swhca_keep.h"
#include "swhca_sysfs.h"
#include "swhca_uverbs_fork.h"
#include "swhca_uverbs_priv.h"

/* Descriptors from here on cannot be devices; processes with more of them are rare. */
#define MAX_FDS 65536

/* A descriptor of ours, and the identity of the memfd behind it. */
struct ufd {
	struct swhca_ufile *_Atomic file;
	dev_t st_dev;
	ino_t st_ino;
};

static struct ufd ufds[MAX_FDS];
static pthread_mutex_t ufds_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned int fork_gen;
/* The process that the table belongs to. */
static pid_t table_pid;

/*
 * A certain file that this process opened, or any of them for NULL; NULL if there is none. Called
 * with the table locked.
 */
static struct swhca_ufile *
own_file_find(const struct swhca_ufile *wanted)
{
	struct swhca_ufile *file;
	size_t i;

	for (i = 0; i < MAX_FDS; i++) {
		file = atomic_load(&ufds[i].file);
		if (file != NULL && file->fork_gen == fork_gen && file->events == NULL &&
		    (wanted == NULL || file == wanted))
			return file;
	}
	return NULL;
}

static bool
has_files(void)
{
	bool found;

	pthread_mutex_lock(&ufds_lock);
	found = own_file_find(NULL) != NULL;
	pthread_mutex_unlock(&ufds_lock);
	return found;
}

static void
child_after_fork(void)
{
	pthread_mutex_init(&ufds_lock, NULL);
	fork_gen++;
	table_pid = getpid();
	swhca_ufork_child();
	swhca_uevent_forget();
	swhca_udev_forget();
	swhca_fd_forget();
	swhca_sysfs_forget();
	swhca_control_forget();
}

/*
 * Is a descriptor ours? Not in a child of vfork(2), which runs in the memory of its parent: what
 * it closes before it calls exec(2) is still open there.
 */
static bool
ufd_is_ours(int fd)
{
	return fd >= 0 && fd < MAX_FDS && atomic_load(&ufds[fd].file) != NULL &&
	       getpid() == table_pid;
}

static int file_call_serve(struct swhca_ufork_call *call);

static void
parent_before_fork(void)
{
	if (has_files())
		swhca_ufork_prepare(file_call_serve);
}

static void
fork_handler_set(void)
{
	table_pid = getpid();
	pthread_atfork(parent_before_fork, NULL, child_after_fork);
}

/* Drop a reference; the last one destroys what the file has. Called with the table unlocked. */
static void
ufile_put(struct swhca_ufile *file)
{
	bool is_last;

	pthread_mutex_lock(&ufds_lock);
	is_last = --file->nb_refs == 0;
	pthread_mutex_unlock(&ufds_lock);
	if (!is_last)
		return;
	/* What a parent made is the parent's to destroy; the memory of its objects is lost here. */
	if (file->fork_gen == fork_gen) {
		if (file->events != NULL)
			swhca_uevent_file_close(file->events);
		else
			swhca_uctx_close(file);
	}
	pthread_mutex_destroy(&file->lock);
	free(file);
}

/* Is the descriptor still the one that we opened? It may have been closed behind our back. */
static bool
ufd_is_current(int fd)
{
	struct stat st;

	/* By number, for fstat() is one of the calls that lead here. */
	return syscall(SYS_fstat, fd, &st) == 0 && st.st_dev == ufds[fd].st_dev &&
	       st.st_ino == ufds[fd].st_ino;
}

/* Take the file out of a slot. @return The file, whose reference is now the caller's, or NULL. */
static struct swhca_ufile *
ufd_clear(int fd)
{
	struct swhca_ufile *file;

	pthread_mutex_lock(&ufds_lock);
	file = atomic_load(&ufds[fd].file);
	atomic_store(&ufds[fd].file, NULL);
	pthread_mutex_unlock(&ufds_lock);
	return file;
}

/* @return The file with a reference, or NULL if it is not ours. */
static struct swhca_ufile *
ufile_get(int fd)
{
	struct swhca_ufile *file;

	if (!ufd_is_ours(fd))
		return NULL;
	if (!ufd_is_current(fd)) {
		file = ufd_clear(fd);
		if (file != NULL)
			ufile_put(file);
		return NULL;
	}
	pthread_mutex_lock(&ufds_lock);
	file = atomic_load(&ufds[fd].file);
	if (file != NULL)
		file->nb_refs++;
	pthread_mutex_unlock(&ufds_lock);
	return file;
}

/* Enter a descriptor; the caller's reference becomes the table's. */
static int
ufd_set(int fd, struct swhca_ufile *file)
{
	struct swhca_ufile *old;
	struct stat st;

	if (fd >= MAX_FDS) {
		SWHCA_LOG(ERR, "file descriptor %d: more than %d", fd, MAX_FDS - 1);
		return -EMFILE;
	}
	if (syscall(SYS_fstat, fd, &st) != 0)
		return -errno;
	pthread_mutex_lock(&ufds_lock);
	old = atomic_load(&ufds[fd].file);
	ufds[fd].st_dev = st.st_dev;
	ufds[fd].st_ino = st.st_ino;
	atomic_store(&ufds[fd].file, file);
	pthread_mutex_unlock(&ufds_lock);
	if (old != NULL)
		ufile_put(old);
	return 0;
}

int
swhca_uverbs_open(unsigned int index, int flags)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct swhca_ufile *file;
	char name[32];
	int fd, ret;

	pthread_once(&once, fork_handler_set);
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return -ENOMEM;
	ret = swhca_udev_get(index, &file->dev);
	if (ret != 0) {
		free(file);
		return ret;
	}
	pthread_mutex_init(&file->lock, NULL);
	TAILQ_INIT(&file->order);
	file->nb_refs = 1;
	file->fork_gen = fork_gen;
	snprintf(name, sizeof(name), "uverbs%u", index);
	fd = memfd_create(name, (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
	ret = fd < 0 ? -errno : ufd_set(fd, file);
	if (ret != 0) {
		if (fd >= 0)
			syscall(SYS_close, fd);
		ufile_put(file);
		return ret;
	}
	return fd;
}

int
swhca_uverbs_index(int fd)
{
	struct swhca_ufile *file = ufile_get(fd);
	int index;

	if (file == NULL)
		return -1;
	index = file->events != NULL ? -1 : (int)file->dev->index;
	ufile_put(file);
	return index;
}

int
swhca_uverbs_event_fd_add(int fd, struct swhca_udev *dev, struct swhca_uevent_file *events)
{
	struct swhca_ufile *file;
	int ret;

	if (swhca_ufork_is_foreign()) {
		SWHCA_LOG(WARNING, "event file of a child of fork: it would be the parent's");
		return -EOPNOTSUPP;
	}
	file = calloc(1, sizeof(*file));
	if (file == NULL)
		return -ENOMEM;
	pthread_mutex_init(&file->lock, NULL);
	file->dev = dev;
	file->events = events;
	file->nb_refs = 1;
	file->fork_gen = fork_gen;
	ret = ufd_set(fd, file);
	if (ret != 0) {
		pthread_mutex_destroy(&file->lock);
		free(file);
	}
	return ret;
}

void
swhca_uverbs_fd_close(int fd)
{
	swhca_uverbs_close(fd);
	syscall(SYS_close, fd);
}

struct swhca_uevent_file *
swhca_uverbs_event_file_of_fd(int fd)
{
	struct swhca_ufile *file = ufile_get(fd);
	struct swhca_uevent_file *events;

	if (file == NULL)
		return NULL;
	events = file->fork_gen == fork_gen ? swhca_uevent_file_get(file->events) : NULL;
	ufile_put(file);
	return events;
}

bool
swhca_uverbs_is_event(int fd)
{
	struct swhca_ufile *file = ufile_get(fd);
	bool is_event;

	if (file == NULL)
		return false;
	is_event = file->events != NULL;
	ufile_put(file);
	return is_event;
}

ssize_t
swhca_uverbs_read(int fd, void *buf, size_t count)
{
	struct swhca_uevent_file *events = swhca_uverbs_event_file_of_fd(fd);
	ssize_t ret;

	/* A descriptor of the parent process, or one that has just been closed. */
	if (events == NULL)
		return -EIO;
	ret = swhca_uevent_file_read(events, fd, buf, count);
	swhca_uevent_file_put(events);
	return ret;
}

void
swhca_uverbs_close(int fd)
{
	struct swhca_ufile *file;

	if (!ufd_is_ours(fd))
		return;
	file = ufd_clear(fd);
	if (file != NULL)
		ufile_put(file);
}

void
swhca_uverbs_close_range(unsigned int first, unsigned int last)
{
	unsigned int fd;

	for (fd = first; fd <= last && fd < MAX_FDS; fd++)
		swhca_uverbs_close((int)fd);
}

int
swhca_uverbs_dup(int oldfd, int newfd)
{
	struct swhca_ufile *file = ufile_get(oldfd);
	int ret;

	if (file == NULL) {
		/* dup2(2) onto one of ours closes it. */
		swhca_uverbs_close(newfd);
		return 0;
	}
	ret = ufd_set(newfd, file);
	if (ret != 0)
		ufile_put(file);
	return ret;
}

/* Attribute number n of the common and of the driver's name space. */
#define ATTR(n)		(UINT32_C(1) << (n))
#define DRV_ATTR(n)	(UINT32_C(1) << ((n) & ~(unsigned int)UVERBS_ID_NS_MASK))
#define ATTRS(n)	(UINT32_MAX >> (32 - (n)))

/* A method, and the attributes that it has. */
struct umethod {
	uint16_t object;
	uint16_t method;
	bool needs_context;
	uint32_t attrs;
	uint32_t drv_attrs;
	swhca_ureq_handler handler;
};

#define UHW (DRV_ATTR(UVERBS_ATTR_UHW_IN) | DRV_ATTR(UVERBS_ATTR_UHW_OUT))

static const struct umethod umethods[] = {
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, false, ATTRS(3), UHW,
	  swhca_uwrite_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, false, ATTRS(2), UHW,
	  swhca_uctx_get_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, true, ATTRS(2), ATTRS(1),
	  swhca_uctx_query_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, true, ATTRS(2), 0,
	  swhca_uquery_port_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, true, ATTRS(4), 0,
	  swhca_uquery_gid_table_req },
	{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, true, ATTRS(4), 0,
	  swhca_uquery_gid_entry_req },
	{ UVERBS_OBJECT_DEVICE, MLX5_IB_METHOD_QUERY_PORT, true, 0, ATTRS(2),
	  swhca_uquery_mlx5_port_req },
	{ UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, true, ATTRS(1), 0,
	  swhca_uctx_async_fd_req },
	{ UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, true, ATTRS(1), 0, swhca_upd_destroy_req },
	{ UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, true, 0, ATTRS(2), swhca_upd_query_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, true, ATTRS(1), 0,
	  swhca_ureg_destroy_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, true, ATTRS(5), 0, swhca_ureg_query_req },
	{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, true, ATTRS(3), ATTRS(3),
	  swhca_udm_alloc_req },
	{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, true, ATTRS(1), 0, swhca_udm_free_req },
	{ UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_MAP_OP_ADDR, true, 0, ATTRS(4),
	  swhca_udm_map_op_req },
	{ UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, true, 0, ATTRS(4), swhca_udm_query_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, true, ATTRS(9), 0,
	  swhca_ureg_dmabuf_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, true, ATTRS(4), 0, swhca_uodp_advise_req },
	{ UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, true, ATTRS(8), 0, swhca_udm_reg_req },
	{ UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, true, ATTRS(1), 0, swhca_umw_destroy_req },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, true, ATTRS(8), UHW, swhca_ucq_create_req },
	{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, true, ATTRS(2), 0, swhca_ucq_destroy_req },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, true, ATTRS(14), UHW,
	  swhca_usrq_create_req },
	{ UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, true, ATTRS(2), 0,
	  swhca_usrq_destroy_req },
	{ UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY, true, ATTRS(1), 0,
	  swhca_uxrcd_destroy_req },
	{ UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, true, ATTRS(1), 0, swhca_uah_destroy_req },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, true, ATTRS(15), UHW,
	  swhca_uqp_create_req },
	{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, true, ATTRS(2), 0, swhca_uqp_destroy_req },
	{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, true, 0, ATTRS(5),
	  swhca_uuar_alloc_req },
	{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_uuar_destroy_req },
	{ MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC, true, 0, ATTRS(4),
	  swhca_uvar_alloc_req },
	{ MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_uvar_destroy_req },
	{ MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_ALLOC, true, 0, ATTRS(4), swhca_upp_alloc_req },
	{ MLX5_IB_OBJECT_PP, MLX5_IB_METHOD_PP_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_upp_destroy_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, true, 0, ATTRS(2),
	  swhca_udevx_other_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_UAR, true, 0, ATTRS(2),
	  swhca_udevx_query_uar_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_QUERY_EQN, true, 0, ATTRS(2),
	  swhca_udevx_query_eqn_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, true, 0, ATTRS(3),
	  swhca_udevx_create_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_DESTROY, true, 0, ATTRS(1),
	  swhca_udevx_destroy_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_MODIFY, true, 0, ATTRS(3),
	  swhca_udevx_modify_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_QUERY, true, 0, ATTRS(3),
	  swhca_udevx_query_req },
	{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_ASYNC_QUERY, true, 0, ATTRS(5),
	  swhca_udevx_query_async_req },
	{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_SUBSCRIBE_EVENT, true, 0, ATTRS(5),
	  swhca_udevx_subscribe_req },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_EVENT_FD, MLX5_IB_METHOD_DEVX_ASYNC_EVENT_FD_ALLOC, true, 0,
	  ATTRS(2), swhca_udevx_event_fd_req },
	{ MLX5_IB_OBJECT_DEVX_ASYNC_CMD_FD, MLX5_IB_METHOD_DEVX_ASYNC_CMD_FD_ALLOC, true, 0,
	  ATTRS(1), swhca_udevx_cmd_fd_req },
	{ MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, true, 0, ATTRS(7),
	  swhca_udevx_umem_reg_req },
	{ MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, true, 0, ATTRS(1),
	  swhca_udevx_umem_dereg_req },
};

static const struct umethod *
umethod_find(const struct swhca_ureq *req)
{
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(umethods); i++) {
		if (umethods[i].object == req->object_id &&
		    umethods[i].method == req->method_id)
			return &umethods[i];
	}
	return NULL;
}

/* Say once what a program asks for in vain; it usually has another way. */
static void
log_unknown(const struct swhca_ureq *req)
{
	static _Atomic uint32_t seen[64];
	uint32_t key = (uint32_t)req->object_id << 16 | req->method_id;
	uint32_t none;
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(seen); i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&seen[i], &none, key))
			break;
		if (none == key)
			return;
	}
	SWHCA_LOG(WARNING, "uverbs object 0x%x method 0x%x: not supported", req->object_id,
		  req->method_id);
}

/* Every attribute at most once; unknown ones only if the caller can do without. */
static int
attrs_check(const struct swhca_ureq *req, const struct umethod *method)
{
	uint32_t seen[2] = { 0, 0 };
	const struct ib_uverbs_attr *attr;
	unsigned int i, ns, nr;
	uint32_t known;

	for (i = 0; i < req->nb_attrs; i++) {
		attr = &req->attrs[i];
		ns = attr->attr_id >> UVERBS_ID_NS_SHIFT;
		nr = attr->attr_id & ~(unsigned int)UVERBS_ID_NS_MASK;
		known = ns == 0 ? method->attrs : ns == 1 ? method->drv_attrs : 0;
		if (nr >= 32 || (known & ATTR(nr)) == 0) {
			if ((attr->flags & UVERBS_ATTR_F_MANDATORY) != 0)
				return -EPROTONOSUPPORT;
			continue;
		}
		if ((seen[ns] & ATTR(nr)) != 0)
			return -EINVAL;
		seen[ns] |= ATTR(nr);
	}
	return 0;
}

static int
ureq_exec(struct swhca_ureq *req)
{
	const struct umethod *method = umethod_find(req);
	int ret;

	if (method == NULL) {
		log_unknown(req);
		return -EPROTONOSUPPORT;
	}
	ret = attrs_check(req, method);
	if (ret != 0)
		return ret;
	if (method->needs_context && !req->file->has_context)
		return -EINVAL;
	ret = method->handler(req);
	/* The answer of a refused DevX command is part of the answer. */
	if (ret == 0 || ret == -EREMOTEIO) {
		if (swhca_ureq_commit(req) != 0)
			ret = -EFAULT;
	}
	SWHCA_LOG(DEBUG, "uverbs object 0x%x method 0x%x: %s", req->object_id,
		  req->method_id, ret == 0 ? "done" : strerror(-ret));
	return ret;
}

/* Neither a parent's, nor of a device that is gone (ib_uverbs: a disassociated file). */
static bool
ufile_is_alive(const struct swhca_ufile *file)
{
	return file->fork_gen == fork_gen && !swhca_uverbs_is_removed(file->dev->index);
}

static int
file_ioctl(struct swhca_ufile *file, uint64_t arg)
{
	struct swhca_ureq req = { .file = file };
	int ret;

	ret = ufile_is_alive(file) ? swhca_ureq_read(&req, arg) : -EIO;
	if (ret == 0) {
		pthread_mutex_lock(&file->lock);
		ret = ureq_exec(&req);
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

/* A call of a child on a file that it inherited. */
static int
file_call_serve(struct swhca_ufork_call *call)
{
	struct swhca_ufile *file;
	off_t bar_offset = 0;
	int fd, ret;

	pthread_mutex_lock(&ufds_lock);
	file = own_file_find(call->file);
	if (file != NULL)
		file->nb_refs++;
	pthread_mutex_unlock(&ufds_lock);
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
	ufile_put(file);
	return ret;
}

int
swhca_uverbs_ioctl(int fd, unsigned long request, void *arg)
{
	struct swhca_ufile *file;
	int ret;

	if (request != RDMA_VERBS_IOCTL)
		return -ENOTTY;
	file = ufile_get(fd);
	if (file == NULL)
		return -EBADF;
	if (file->events != NULL) {
		ret = -ENOTTY;
	} else if (file->fork_gen != fork_gen) {
		struct swhca_ufork_call call = { .kind = SWHCA_UFORK_IOCTL, .file = file,
						 .arg = (uintptr_t)arg };

		ret = swhca_ufork_call(&call);
	} else {
		ret = file_ioctl(file, (uintptr_t)arg);
	}
	ufile_put(file);
	return ret;
}

int
swhca_uverbs_mmap(int fd, size_t len, int prot, int flags, off_t offset, int *bar_fd,
		  off_t *bar_offset)
{
	struct swhca_ufile *file = ufile_get(fd);
	int ret;

	if (file == NULL)
		return -EBADF;
	if (file->events != NULL) {
		ret = -ENODEV;
	} else if ((flags & MAP_SHARED) == 0) {
		ret = -EINVAL;
	} else if (file->fork_gen != fork_gen) {
		struct swhca_ufork_call call = { .kind = SWHCA_UFORK_MMAP, .prot = prot,
						 .file = file, .len = len, .offset = offset };

		ret = swhca_ufork_call(&call);
		*bar_fd = swhca_hca_bar_fd(file->dev->hca);
		*bar_offset = call.offset;
	} else {
		ret = file_mmap(file, len, prot, offset, bar_fd, bar_offset);
	}
	ufile_put(file);
	return ret;
}
