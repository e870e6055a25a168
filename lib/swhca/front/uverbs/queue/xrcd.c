/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * XRC domains (ib_core: ib_uverbs_open_xrcd()). Files that open one with descriptors of the same
 * inode share it; a domain without a descriptor is private. Targets in a domain may be opened by
 * all files that share it (ib_core: ib_uverbs_open_qp()).
 */

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/queue/uverbs_qp_query.h"
#include "front/uverbs/queue/xrcd.h"

#define NO_FD UINT32_MAX

/* XRC domain in the device's list; each file that shares it has an object. */
struct swhca_uxrcd {
	LIST_ENTRY(swhca_uxrcd) link;
	uint32_t num;
	uint32_t nb_users;
	bool is_shared;		/* Shared by the inode that follows. */
	dev_t st_dev;
	ino_t st_ino;
};

/* XRC target in the device's list; it exists while any file has it open. */
struct swhca_utarget {
	LIST_ENTRY(swhca_utarget) link;
	const struct swhca_uxrcd *xrcd;
	uint32_t qpn;
	uint32_t nb_users;
};

static struct swhca_uxrcd *
xrcd_find(const struct swhca_udev *dev, const struct stat *st)
{
	struct swhca_uxrcd *xrcd;

	LIST_FOREACH(xrcd, &dev->xrcds, link) {
		if (xrcd->is_shared && xrcd->st_dev == st->st_dev && xrcd->st_ino == st->st_ino)
			return xrcd;
	}
	return NULL;
}

/* A domain belongs to no user context, as several may share it. */
static int
xrcd_create(struct swhca_udev *dev, const struct stat *st, struct swhca_uxrcd **out)
{
	struct swhca_uxrcd *xrcd = calloc(1, sizeof(*xrcd));
	int ret;

	if (xrcd == NULL)
		return -ENOMEM;
	ret = swhca_udev_exec_alloc(dev, PRM_CMD_ALLOC_XRCD, 0, &xrcd->num);
	if (ret != 0) {
		free(xrcd);
		return ret;
	}
	if (st != NULL) {
		xrcd->is_shared = true;
		xrcd->st_dev = st->st_dev;
		xrcd->st_ino = st->st_ino;
	}
	LIST_INSERT_HEAD(&dev->xrcds, xrcd, link);
	*out = xrcd;
	return 0;
}

/* The device's lock is held. */
static void
xrcd_put(struct swhca_udev *dev, struct swhca_uxrcd *xrcd)
{
	if (--xrcd->nb_users > 0)
		return;
	swhca_udev_exec_obj(dev, PRM_CMD_DEALLOC_XRCD, 0, xrcd->num);
	LIST_REMOVE(xrcd, link);
	free(xrcd);
}

/* Get the domain of a request; the device's lock is held. */
static int
xrcd_get(struct swhca_udev *dev, const struct ib_uverbs_open_xrcd *cmd, struct swhca_uxrcd **xrcd)
{
	struct stat st;

	*xrcd = NULL;
	if ((cmd->oflags & ~(uint32_t)(O_CREAT | O_EXCL)) != 0)
		return -EINVAL;
	if (cmd->fd == NO_FD)
		return xrcd_create(dev, NULL, xrcd);
	if (syscall(SYS_fstat, (int)cmd->fd, &st) != 0)
		return -EBADF;
	*xrcd = xrcd_find(dev, &st);
	if (*xrcd == NULL)
		return (cmd->oflags & O_CREAT) == 0 ? -EAGAIN : xrcd_create(dev, &st, xrcd);
	return (cmd->oflags & O_EXCL) != 0 ? -EINVAL : 0;
}

static void
uxrcd_fini(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	pthread_mutex_lock(&file->dev->lock);
	xrcd_put(file->dev, obj->xrcd);
	pthread_mutex_unlock(&file->dev->lock);
}

int
swhca_uxrcd_open(struct swhca_ufile *file, const struct ib_uverbs_open_xrcd *cmd,
		 struct swhca_uobj **out)
{
	struct swhca_uobj *obj;
	int ret;

	if (swhca_udev_cap(file->dev, PRM_CAP_XRC) == 0)
		return -EOPNOTSUPP;
	obj = swhca_uobj_alloc(file, UVERBS_OBJECT_XRCD);
	if (obj == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&file->dev->lock);
	ret = xrcd_get(file->dev, cmd, &obj->xrcd);
	if (ret == 0) {
		obj->xrcd->nb_users++;
		obj->num = obj->xrcd->num;
	}
	pthread_mutex_unlock(&file->dev->lock);
	if (ret != 0) {
		swhca_uobj_free(file, obj);
		return ret;
	}
	obj->fini = uxrcd_fini;
	*out = obj;
	return 0;
}

int
swhca_uxrcd_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, UVERBS_ATTR_DESTROY_XRCD_HANDLE, UVERBS_OBJECT_XRCD);
}

static void
target_fini(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	struct swhca_utarget *target = obj->qp.target;

	pthread_mutex_lock(&file->dev->lock);
	if (--target->nb_users == 0) {
		swhca_udev_exec_obj(file->dev, PRM_CMD_DESTROY_QP, 0, target->qpn);
		LIST_REMOVE(target, link);
		free(target);
	}
	pthread_mutex_unlock(&file->dev->lock);
}

/* The last user destroys it, not this object. */
static void
target_attach(struct swhca_uobj *qp, struct swhca_utarget *target)
{
	target->nb_users++;
	qp->qp.target = target;
	qp->create_op = 0;
	qp->fini = target_fini;
}

int
swhca_utarget_add(struct swhca_ufile *file, struct swhca_uobj *qp, const struct swhca_uobj *xrcd)
{
	struct swhca_utarget *target = calloc(1, sizeof(*target));

	if (target == NULL)
		return -ENOMEM;
	target->xrcd = xrcd->xrcd;
	target->qpn = qp->num;
	pthread_mutex_lock(&file->dev->lock);
	target_attach(qp, target);
	LIST_INSERT_HEAD(&file->dev->targets, target, link);
	pthread_mutex_unlock(&file->dev->lock);
	return 0;
}

/* The device's lock is held. */
static struct swhca_utarget *
target_find(const struct swhca_udev *dev, const struct swhca_uxrcd *xrcd, uint32_t qpn)
{
	struct swhca_utarget *target;

	LIST_FOREACH(target, &dev->targets, link) {
		if (target->xrcd == xrcd && target->qpn == qpn)
			return target;
	}
	return NULL;
}

int
swhca_utarget_open(struct swhca_ufile *file, const struct ib_uverbs_open_qp *cmd,
		   struct swhca_uobj **obj)
{
	struct ib_uverbs_query_qp_resp state;
	struct swhca_utarget *target;
	struct swhca_uobj *xrcd, *qp;
	int ret;

	ret = swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_XRCD, &xrcd);
	if (ret != 0 || cmd->qp_type != IB_UVERBS_QPT_XRC_TGT)
		return -EINVAL;
	qp = swhca_uobj_alloc(file, UVERBS_OBJECT_QP);
	if (qp == NULL)
		return -ENOMEM;
	pthread_mutex_lock(&file->dev->lock);
	target = target_find(file->dev, xrcd->xrcd, cmd->qpn);
	if (target != NULL)
		target_attach(qp, target);
	pthread_mutex_unlock(&file->dev->lock);
	if (target == NULL) {
		SWHCA_LOG(WARNING, "OPEN_QP: no target 0x%x in XRC domain 0x%x", cmd->qpn,
			  xrcd->num);
		swhca_uobj_free(file, qp);
		return -EINVAL;
	}
	qp->num = cmd->qpn;
	qp->qp.type = IB_UVERBS_QPT_XRC_TGT;
	qp->qp.pdn = file->dev->pdn;
	swhca_uobj_ref(qp, xrcd);
	/*
	 * It gets no events, as ib_uverbs_open_qp() has no file for them. Others may have changed
	 * its state already.
	 */
	ret = swhca_uqp_query(file, qp, SWHCA_UQP_QUERY_ALL, &state);
	if (ret != 0) {
		swhca_uobj_destroy(file, qp);
		return ret;
	}
	*obj = qp;
	return 0;
}
