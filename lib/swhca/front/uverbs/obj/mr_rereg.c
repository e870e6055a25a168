/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Changing a memory region: its memory, its access, its PD (ib_core: ib_uverbs_rereg_mr(); mlx5_ib:
 * mlx5_ib_rereg_user_mr()).
 *
 * Changes that a UMR can make keep its key. Others create a new key, and destroy the old one. An
 * error before the region is modified leaves it unchanged; later the region is revoked: every use
 * of it fails until it is deregistered, as documented in ibv_rereg_mr(3).
 */

#include <errno.h>

#include "mlx5_prm_wqe.h"
#include "base/log.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/uverbs_mem.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"
#include "front/uverbs/obj/dmabuf.h"
#include "front/uverbs/obj/mr.h"
#include "front/uverbs/obj/mr_rereg.h"
#include "front/uverbs/obj/uverbs_odp.h"
#include "front/uverbs/obj/uverbs_umr.h"

#define REREG_KNOWN (IB_UVERBS_REREG_TRANS | IB_UVERBS_REREG_PD | IB_UVERBS_REREG_ACCESS)

/* ib_verbs.h: enum ib_mr_rereg, the values of IBV_REREG_MR_CHANGE_*. */
enum {
	IB_UVERBS_REREG_TRANS = 1 << 0,
	IB_UVERBS_REREG_PD = 1 << 1,
	IB_UVERBS_REREG_ACCESS = 1 << 2,
};

/* Rights that a UMR can change (can_use_umr_rereg_access()); ordering only with a capability. */
#define UMR_ACCESS                                                                                 \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC)

#define MASK_ACCESS                                                                                \
	(PRM_UMR_MKEY_MASK_LR | MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |                   \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                                          \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                                         \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC)

static bool
can_umr_access(const struct swhca_udev *dev, uint32_t from, uint32_t to)
{
	uint32_t diff = from ^ to;

	if ((diff & ~(uint32_t)UMR_ACCESS) != 0)
		return false;
	return (diff & IB_UVERBS_ACCESS_REMOTE_ATOMIC) == 0 ||
	       swhca_udev_cap(dev, PRM_CAP_UMR_MODIFY_ATOMIC_DISABLED) == 0;
}

/* Check that the key has room for the pages of other memory. */
static bool
can_umr_pages(const struct swhca_udev *dev, const struct swhca_uobj *mr,
	      const struct swhca_upages *pages)
{
	return swhca_ureg_nb_xlt(pages) <= mr->mr.nb_xlt &&
	       swhca_ureg_nb_xlt(pages) <= SWHCA_UUMR_MAX_XLT &&
	       swhca_udev_cap(dev, PRM_CAP_UMR_MODIFY_ENTITY_SIZE_DISABLED) == 0;
}

/* Disable all accesses through the key. */
static int
mr_revoke(struct swhca_udev *dev, const struct swhca_uobj *mr)
{
	struct swhca_uumr_change change = {
		.key = mr->mr.key,
		.mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE,
	};

	prm_set(change.mkc, PRM_MKC_FREE, 1);
	return swhca_uumr_exec(dev, &change);
}

static void
change_fill(const struct swhca_udev *dev, struct swhca_uumr_change *change,
	    const struct swhca_uobj *mr, const struct swhca_ureg_attr *attr)
{
	change->key = mr->mr.key;
	change->mask = MASK_ACCESS | PRM_UMR_MKEY_MASK_PD;
	swhca_ureg_mkc_access(dev, change->mkc, attr->access);
	/* The ordering is not changed. */
	prm_set(change->mkc, PRM_MKC_RELAXED_ORDERING_WRITE, 0);
	prm_set(change->mkc, PRM_MKC_PD, attr->pd->num);
}

static int
mr_change_access(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr)
{
	struct swhca_uumr_change change = { .flags = PRM_UMR_FLAG_CHECK_NOT_FREE };
	int ret;

	change_fill(dev, &change, mr, attr);
	ret = swhca_uumr_exec(dev, &change);
	if (ret == 0)
		mr->mr.access = attr->access;
	return ret;
}

static int
mr_change_pages(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr,
		const struct swhca_upages *pages)
{
	struct swhca_uumr_change change = { .flags = MLX5_WQE_UMR_CTRL_FLAG_CHECK_FREE };
	uint8_t xlt[SWHCA_UUMR_MAX_XLT * PRM_KLM_SIZE] = { 0 };
	int ret;

	ret = mr_revoke(dev, mr);
	if (ret != 0)
		return ret;
	change_fill(dev, &change, mr, attr);
	change.mask |= MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN | MLX5_WQE_UMR_CTRL_MKEY_MASK_START_ADDR |
		       MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | PRM_UMR_MKEY_MASK_PAGE_SIZE;
	prm_set(change.mkc, PRM_MKC_START_ADDR, attr->iova);
	prm_set(change.mkc, PRM_MKC_LEN, attr->len);
	prm_set(change.mkc, PRM_MKC_LOG_PAGE_SIZE, pages->log_page);
	swhca_upages_write(pages, xlt, PRM_MTT_WR_EN | PRM_MTT_RD_EN);
	change.xlt = xlt;
	change.nb_xlt = swhca_ureg_nb_xlt(pages);
	ret = swhca_uumr_exec(dev, &change);
	if (ret != 0)
		return ret;
	mr->mr.start = attr->start;
	mr->mr.iova = attr->iova;
	mr->mr.len = attr->len;
	mr->mr.access = attr->access;
	mr->mr.is_writable = (attr->access & SWHCA_UREG_WRITES) != 0;
	return 0;
}

/* New pages are pinned while the old ones still are (mlx5_ib: umr_rereg_pas()). */
static int
mr_move(struct swhca_udev *dev, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr,
	const struct swhca_upages *pages)
{
	uint64_t nb_pinned = mr->nb_pinned;
	int ret;

	ret = swhca_ureg_pin(mr, attr);
	if (ret != 0)
		return ret;
	ret = mr_change_pages(dev, mr, attr, pages);
	swhca_uunpin(mr, ret == 0 ? nb_pinned : mr->nb_pinned - nb_pinned);
	return ret;
}

/* Make the old key of a region a separate object, to be destroyed with its mapping. */
static struct swhca_uobj *
old_key_alloc(struct swhca_ufile *file, struct swhca_uobj *mr)
{
	struct swhca_uobj *old = swhca_uobj_alloc(file, UVERBS_OBJECT_MR);

	if (old == NULL)
		return NULL;
	old->create_op = PRM_CMD_CREATE_MKEY;
	old->num = mr->num;
	old->mr = mr->mr;
	swhca_uobj_ref(old, mr->deps[0]);
	if (swhca_ureg_is_dmabuf(mr)) {
		old->fini = mr->fini;
		mr->fini = NULL;
	}
	return old;
}

/* Restore the region with its current key. */
static void
old_key_free(struct swhca_ufile *file, struct swhca_uobj *mr, struct swhca_uobj *old)
{
	if (old->fini != NULL)
		mr->fini = old->fini;
	swhca_uobj_free(file, old);
}

/* Other pages are pinned beside the old ones; the same pages stay pinned. */
static int
mr_repin(struct swhca_uobj *mr, const struct swhca_ureg_attr *attr, bool is_other)
{
	if (is_other)
		return swhca_ureg_pin(mr, attr);
	return swhca_uaddr_check(attr->start, attr->len, (attr->access & SWHCA_UREG_WRITES) != 0);
}

/*
 * Replace the key by a new one, of other memory or of the same. If the old one cannot be destroyed,
 * it stays with its PD until the file is closed (ib_uverbs_rereg_mr(), uobj_put_destroy()).
 */
static int
mr_replace(struct swhca_ufile *file, struct swhca_uobj *mr, const struct swhca_ureg_attr *attr,
	   bool is_other)
{
	struct swhca_uobj *old = old_key_alloc(file, mr);
	const uint64_t nb_pinned = mr->nb_pinned;
	int ret;

	if (old == NULL)
		return -ENOMEM;
	ret = mr_repin(mr, attr, is_other);
	if (ret == 0)
		ret = mr_revoke(file->dev, mr);
	if (ret == 0)
		ret = swhca_ureg_memory_create(file->dev, mr, attr);
	if (ret != 0) {
		swhca_uunpin(mr, mr->nb_pinned - nb_pinned);
		old_key_free(file, mr, old);
		return ret;
	}
	if (is_other) {
		old->nb_pinned = nb_pinned;
		mr->nb_pinned -= nb_pinned;
	}
	if (swhca_uobj_destroy(file, old) != 0)
		SWHCA_LOG(ERR, "REREG_MR: key 0x%x stays until the device is closed", old->num);
	return 0;
}

static int
mr_change(struct swhca_ufile *file, struct swhca_uobj *mr, uint32_t flags,
	  const struct swhca_ureg_attr *attr)
{
	struct swhca_udev *dev = file->dev;
	bool by_umr = can_umr_access(dev, mr->mr.access, attr->access);
	struct swhca_upages pages;
	int ret;

	if ((flags & IB_UVERBS_REREG_TRANS) == 0) {
		if (by_umr)
			return mr_change_access(dev, mr, attr);
		/* Linux uses the range of the request, which is empty. */
		if (swhca_ureg_is_dmabuf(mr))
			return -EINVAL;
		return swhca_uodp_is_paged(mr) ? -EOPNOTSUPP : mr_replace(file, mr, attr, false);
	}
	/* Paged regions, and those of another device, have no page list to be replaced. */
	if (swhca_uodp_is_paged(mr) || swhca_ureg_is_dmabuf(mr) ||
	    (attr->access & IB_UVERBS_ACCESS_ON_DEMAND) != 0)
		return mr_replace(file, mr, attr, true);
	ret = swhca_ureg_pages(attr, &pages);
	if (ret != 0)
		return ret;
	return by_umr && can_umr_pages(dev, mr, &pages) ? mr_move(dev, mr, attr, &pages) :
							  mr_replace(file, mr, attr, true);
}

static int
flags_check(const struct swhca_udev *dev, const struct swhca_uobj *mr,
	    const struct ib_uverbs_rereg_mr *cmd)
{
	int ret;

	/* Device memory has no other translation. */
	if (cmd->flags == 0 || (mr->deps[1] != NULL && mr->deps[1]->type == UVERBS_OBJECT_DM))
		return -EINVAL;
	/* Nor are hints supported in a change. */
	if (mr->deps[1] != NULL)
		return -EOPNOTSUPP;
	if ((cmd->flags & ~(uint32_t)REREG_KNOWN) != 0) {
		SWHCA_LOG(WARNING, "REREG_MR: flags 0x%x: unknown: 0x%x", cmd->flags,
			  cmd->flags & ~(uint32_t)REREG_KNOWN);
		return -EOPNOTSUPP;
	}
	if ((cmd->flags & IB_UVERBS_REREG_TRANS) != 0) {
		ret = swhca_ureg_range_check(cmd->start, cmd->length, cmd->hca_va);
		if (ret != 0)
			return ret;
	}
	if ((cmd->flags & IB_UVERBS_REREG_ACCESS) != 0) {
		ret = swhca_ureg_access_check(dev, cmd->access_flags);
		if (ret != 0)
			return ret;
		/* ib_umem_check_rereg(): memory pinned read-only cannot become writable. */
		if ((cmd->flags & IB_UVERBS_REREG_TRANS) == 0 && !mr->mr.is_writable &&
		    (cmd->access_flags & SWHCA_UREG_WRITES) != 0)
			return -EACCES;
	}
	return 0;
}

int
swhca_ureg_rereg(struct swhca_ufile *file, const struct ib_uverbs_rereg_mr *cmd,
		 struct swhca_uobj **obj)
{
	struct swhca_ureg_attr attr;
	struct swhca_uobj *mr, *pd;
	int ret;

	ret = swhca_uobj_get(file, cmd->mr_handle, UVERBS_OBJECT_MR, &mr);
	if (ret == 0)
		ret = flags_check(file->dev, mr, cmd);
	if (ret != 0)
		return ret;
	pd = mr->deps[0];
	if ((cmd->flags & IB_UVERBS_REREG_PD) != 0)
		ret = swhca_uobj_get(file, cmd->pd_handle, UVERBS_OBJECT_PD, &pd);
	if (ret != 0)
		return ret;
	attr = (struct swhca_ureg_attr){
		.start = mr->mr.start,
		.len = mr->mr.len,
		.iova = mr->mr.iova,
		.access = mr->mr.access,
		.pd = pd,
	};
	if ((cmd->flags & IB_UVERBS_REREG_TRANS) != 0) {
		attr.start = cmd->start;
		attr.len = cmd->length;
		attr.iova = cmd->hca_va;
	}
	if ((cmd->flags & IB_UVERBS_REREG_ACCESS) != 0)
		attr.access = cmd->access_flags;
	ret = mr_change(file, mr, cmd->flags, &attr);
	if (ret != 0)
		return ret;
	mr->deps[0]->nb_refs--;
	pd->nb_refs++;
	mr->deps[0] = pd;
	*obj = mr;
	return 0;
}
