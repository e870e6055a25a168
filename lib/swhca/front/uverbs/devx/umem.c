/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* DevX user memory for queues of DevX users (mlx5_ib: devx.c, devx_umem_reg_cmd_alloc()). */

#include <errno.h>
#include <stdlib.h>

#include "host/conf.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/uverbs_pages.h"
#include "front/uverbs/devx/umem.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/file/pinned.h"

/* Small pages: a ring that exceeds its umem is detected, not hidden by the rest of a page. */
#define UMEM_LOG_PAGE_MAX 12u
#define UMEM_ACCESS_KNOWN                                                                          \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_RELAXED_ORDERING)

struct umem_args {
	uint64_t addr;
	uint64_t len;
	uint32_t access;
	uint64_t pgsz_bitmap;	/* Page sizes accepted by the user. */
};

/* Since Linux 5.11 the user specifies the accepted page sizes; older software accepts any. */
static int
pgsz_bitmap_read(const struct swhca_ureq *req, uint64_t *bitmap)
{
	const struct ib_uverbs_attr *attr =
		swhca_uattr_find(req, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP);

	*bitmap = UINT64_MAX;
	if (attr == NULL)
		return 0;
	if (swhca_conf_get()->is_uar_static)
		return (attr->flags & UVERBS_ATTR_F_MANDATORY) != 0 ? -EPROTONOSUPPORT : 0;
	return swhca_uattr_in_u64(req, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, bitmap);
}

static int
args_read(const struct swhca_ureq *req, struct umem_args *args)
{
	int ret;

	ret = swhca_uattr_in_u64(req, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, &args->addr);
	if (ret == 0)
		ret = swhca_uattr_in_u64(req, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, &args->len);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, &args->access);
	if (ret == 0)
		ret = pgsz_bitmap_read(req, &args->pgsz_bitmap);
	if (ret != 0)
		return ret;
	if (swhca_uattr_find(req, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD) != NULL)
		return -EOPNOTSUPP;
	if ((args->access & ~(uint32_t)UMEM_ACCESS_KNOWN) != 0)
		return -EINVAL;
	return 0;
}

static int
umem_pin(struct swhca_uobj *obj, const struct umem_args *args)
{
	return swhca_upin(obj, args->addr, args->len,
			  (args->access & (IB_UVERBS_ACCESS_LOCAL_WRITE |
					   IB_UVERBS_ACCESS_REMOTE_WRITE)) != 0);
}

/* Use the largest accepted page size that is not larger than needed. */
static int
pages_plan(const struct umem_args *args, struct swhca_upages *pages)
{
	unsigned int log_page;
	int ret;

	ret = swhca_upages_region(args->addr, args->len, args->addr, UMEM_LOG_PAGE_MAX, pages);
	if (ret != 0)
		return ret;
	for (log_page = pages->log_page; log_page >= PRM_ADAPTER_PAGE_SHIFT; log_page--) {
		if ((args->pgsz_bitmap & UINT64_C(1) << log_page) != 0)
			return swhca_upages_region(args->addr, args->len, args->addr,
						   (uint8_t)log_page, pages);
	}
	return -EINVAL;
}

static int
umem_exec(struct swhca_ufile *file, struct swhca_uobj *obj, const struct umem_args *args)
{
	uint64_t access = PRM_MTT_RD_EN;
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];
	struct swhca_upages pages;
	uint8_t *in, *ctx;
	size_t in_len;
	int ret;

	ret = pages_plan(args, &pages);
	if (ret != 0)
		return ret;
	ret = swhca_umailbox_alloc(PRM_CREATE_UMEM_IN_MTT_BYTE, pages.nb, &in, &in_len);
	if (ret != 0)
		return ret;
	if ((args->access & IB_UVERBS_ACCESS_LOCAL_WRITE) != 0)
		access |= PRM_MTT_WR_EN;
	ctx = &in[PRM_CREATE_UMEM_IN_UMEM_BYTE];
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_UMEM);
	prm_set(in, PRM_CMD_IN_UID, file->uid);
	prm_set(ctx, PRM_UMEM_LOG_PAGE_SIZE, pages.log_page - PRM_ADAPTER_PAGE_SHIFT);
	prm_set(ctx, PRM_UMEM_PAGE_OFFSET, pages.offset);
	prm_set(ctx, PRM_UMEM_NUM_OF_MTT, pages.nb);
	swhca_upages_write(&pages, &in[PRM_CREATE_UMEM_IN_MTT_BYTE], access);
	ret = swhca_udev_exec(file->dev, in, in_len, out, sizeof(out));
	free(in);
	if (ret == 0)
		obj->num = (uint32_t)prm_get(out, PRM_CREATE_UMEM_OUT_UMEM_ID);
	return ret;
}

static int
reg_out(struct swhca_ureq *req, struct swhca_uobj *obj)
{
	const struct swhca_uattr_answer answer = { MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, &obj->num,
						   sizeof(obj->num) };

	return swhca_uattrs_out_obj(req, obj, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, &answer, 1);
}

int
swhca_udevx_umem_reg_req(struct swhca_ureq *req)
{
	struct swhca_ufile *file = req->file;
	struct umem_args args;
	struct swhca_uobj *obj;
	int ret;

	if (file->uid == 0)
		return -EINVAL;
	ret = args_read(req, &args);
	if (ret != 0)
		return ret;
	obj = swhca_uobj_alloc(file, MLX5_IB_OBJECT_DEVX_UMEM);
	if (obj == NULL)
		return -ENOMEM;
	ret = umem_pin(obj, &args);
	if (ret == 0)
		ret = umem_exec(file, obj, &args);
	if (ret != 0) {
		swhca_uobj_free(file, obj);
		return ret;
	}
	obj->create_op = PRM_CMD_CREATE_UMEM;
	return reg_out(req, obj);
}

int
swhca_udevx_umem_dereg_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE,
				      MLX5_IB_OBJECT_DEVX_UMEM);
}
