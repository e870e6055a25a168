/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * UAR pages of a context and what mmap(2) makes of them.
 *
 * Two schemes, as in mlx5_ib: a library that says MLX5_LIB_CAP_DYN_UAR allocates UAR objects; an
 * older one (or with SWHCA_STATIC_UAR=1, to test that) gets static pages, whose blue flame
 * registers are handed to QPs here, and pages that mmap allocates (MLX5_IB_MMAP_ALLOC_WC).
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "swhca_uverbs_priv.h"

/* mmap offset (mlx5_ib): in its page number a command in bits 15..8, an index in 23..16, 7..0. */
#define MMAP_CMD_SHIFT 8u

uint64_t
swhca_uuar_mmap_offset(uint32_t cmd, uint32_t handle)
{
	return ((uint64_t)(handle >> 8) << 16 | cmd << MMAP_CMD_SHIFT | (handle & 0xff)) *
	       SWHCA_UAR_SIZE;
}

static uint32_t
nb_static_pages(const struct swhca_ufile *file)
{
	return file->nb_static_bfregs / SWHCA_BFREGS_PER_UAR;
}

static uint32_t
nb_sys_pages(const struct swhca_ufile *file)
{
	return nb_static_pages(file) + file->nb_dyn_bfregs / SWHCA_BFREGS_PER_UAR;
}

int
swhca_uuar_init(struct swhca_ufile *file, uint32_t nb_bfregs, uint32_t nb_low_lat)
{
	uint32_t i;
	int ret;

	file->nb_static_bfregs = nb_bfregs;
	file->nb_low_lat_bfregs = nb_low_lat;
	file->nb_dyn_bfregs = SWHCA_MAX_DYN_BFREGS;
	file->sys_pages = calloc(nb_sys_pages(file), sizeof(*file->sys_pages));
	file->bfreg_users = calloc(nb_bfregs, sizeof(*file->bfreg_users));
	if (file->sys_pages == NULL || file->bfreg_users == NULL) {
		ret = -ENOMEM;
		goto fini;
	}
	for (i = 0; i < nb_sys_pages(file); i++)
		file->sys_pages[i] = SWHCA_NO_UAR;
	for (i = 0; i < nb_static_pages(file); i++) {
		ret = swhca_udev_exec_alloc(file->dev, PRM_CMD_ALLOC_UAR, file->uid,
					    &file->sys_pages[i]);
		if (ret != 0)
			goto fini;
	}
	return 0;

fini:
	swhca_uuar_fini(file);
	return ret;
}

void
swhca_uuar_fini(struct swhca_ufile *file)
{
	uint32_t i;

	for (i = 0; file->sys_pages != NULL && i < nb_sys_pages(file); i++) {
		if (file->sys_pages[i] != SWHCA_NO_UAR)
			swhca_udev_exec_obj(file->dev, PRM_CMD_DEALLOC_UAR, file->uid,
					    file->sys_pages[i]);
	}
	free(file->sys_pages);
	free(file->bfreg_users);
	file->sys_pages = NULL;
	file->bfreg_users = NULL;
	file->nb_static_bfregs = 0;
	file->nb_dyn_bfregs = 0;
}

int
swhca_uuar_of_bfreg(const struct swhca_ufile *file, uint32_t bfreg, bool is_dyn, uint32_t *uar)
{
	uint32_t nb = is_dyn ? file->nb_dyn_bfregs : file->nb_static_bfregs;
	uint32_t page = bfreg / SWHCA_BFREGS_PER_UAR + (is_dyn ? nb_static_pages(file) : 0);

	if (bfreg >= nb || file->sys_pages[page] == SWHCA_NO_UAR)
		return -EINVAL;
	*uar = file->sys_pages[page];
	return 0;
}

/*
 * The last nb_low_lat registers serve one QP each and need no lock; those before are shared;
 * register 0 is for those that nothing better is left for (mlx5_ib: alloc_bfreg()).
 */
uint32_t
swhca_uuar_bfreg_get(struct swhca_ufile *file)
{
	uint32_t first_low_lat = file->nb_static_bfregs - file->nb_low_lat_bfregs;
	uint32_t best = 0;
	uint32_t i;

	for (i = first_low_lat; i < file->nb_static_bfregs; i++) {
		if (file->bfreg_users[i] == 0) {
			best = i;
			goto out;
		}
	}
	for (i = 1; i < first_low_lat; i++) {
		if (best == 0 || file->bfreg_users[i] < file->bfreg_users[best])
			best = i;
	}
out:
	file->bfreg_users[best]++;
	return best;
}

void
swhca_uuar_bfreg_put(struct swhca_ufile *file, uint32_t bfreg)
{
	file->bfreg_users[bfreg]--;
}

static int
mmap_alloc(struct swhca_ufile *file, uint32_t index, uint32_t *uar)
{
	uint32_t page = nb_static_pages(file) + index;
	int ret;

	if (index >= file->nb_dyn_bfregs / SWHCA_BFREGS_PER_UAR)
		return -EINVAL;
	if (file->sys_pages[page] == SWHCA_NO_UAR) {
		ret = swhca_udev_exec_alloc(file->dev, PRM_CMD_ALLOC_UAR, file->uid,
					    &file->sys_pages[page]);
		if (ret != 0)
			return ret;
	}
	*uar = file->sys_pages[page];
	return 0;
}

int
swhca_uuar_mmap(struct swhca_ufile *file, off_t offset, size_t len, int prot, int *fd,
		off_t *bar_offset)
{
	uint64_t pgoff = (uint64_t)offset / SWHCA_UAR_SIZE;
	uint32_t index = (pgoff & 0xff) | (pgoff >> 16 & 0xff) << 8;
	uint32_t cmd = pgoff >> MMAP_CMD_SHIFT & 0xff;
	struct swhca_uobj *obj;
	uint32_t uar;
	int ret = 0;

	if ((prot & PROT_EXEC) != 0)
		return -EPERM;
	if (cmd == MLX5_IB_MMAP_DEVICE_MEM)
		return swhca_udm_mmap(file, index, len, bar_offset);
	if (len != SWHCA_UAR_SIZE)
		return -EINVAL;
	switch (cmd) {
	case MLX5_IB_MMAP_REGULAR_PAGE:
	case MLX5_IB_MMAP_WC_PAGE:
	case MLX5_IB_MMAP_NC_PAGE:
		if (index >= nb_static_pages(file))
			return -EINVAL;
		uar = file->sys_pages[index];
		break;
	case MLX5_IB_MMAP_ALLOC_WC:
		ret = mmap_alloc(file, index, &uar);
		break;
	case SWHCA_MMAP_UAR_OBJ:
		obj = swhca_uobj_find(file, index, MLX5_IB_OBJECT_UAR);
		if (obj == NULL)
			return -EINVAL;
		uar = obj->num;
		break;
	case SWHCA_MMAP_VAR_OBJ:
		obj = swhca_uobj_find(file, index, MLX5_IB_OBJECT_VAR);
		if (obj == NULL)
			return -EINVAL;
		*bar_offset = swhca_uvar_bar_offset(file->dev, obj->num);
		return 0;
	case MLX5_IB_MMAP_CORE_CLOCK:
	case MLX5_IB_MMAP_CLOCK_INFO:
		return swhca_uclock_mmap(file->dev, cmd, index, prot, fd, bar_offset);
	default:
		SWHCA_LOG(WARNING, "mmap command %u: not supported", cmd);
		return -EOPNOTSUPP;
	}
	if (ret == 0)
		*bar_offset = (off_t)uar * SWHCA_UAR_SIZE;
	return ret;
}

int
swhca_uuar_alloc_req(struct swhca_ureq *req)
{
	uint32_t len = SWHCA_UAR_SIZE;
	struct swhca_uobj *obj;
	uint64_t offset;
	uint32_t type;
	int ret;

	ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, &type);
	if (ret != 0)
		return ret;
	/* Memory of this model has one kind of mapping, so both are the same. */
	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	obj = swhca_uobj_alloc(req->file, MLX5_IB_OBJECT_UAR);
	if (obj == NULL)
		return -ENOMEM;
	/* The mmap offset has 16 bits for the handle. */
	ret = obj->handle > UINT16_MAX ? -ENOSPC :
	      swhca_udev_exec_alloc(req->file->dev, PRM_CMD_ALLOC_UAR, req->file->uid, &obj->num);
	if (ret != 0) {
		swhca_uobj_free(req->file, obj);
		return ret;
	}
	obj->create_op = PRM_CMD_ALLOC_UAR;
	offset = swhca_uuar_mmap_offset(SWHCA_MMAP_UAR_OBJ, obj->handle);
	ret = swhca_uattr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset,
			      sizeof(offset));
	if (ret == 0)
		ret = swhca_uattr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &len,
				      sizeof(len));
	if (ret == 0)
		ret = swhca_uattr_out(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &obj->num,
				      sizeof(obj->num));
	if (ret == 0)
		ret = swhca_uattr_out_handle(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, obj->handle);
	if (ret != 0)
		swhca_uobj_destroy(req->file, obj);
	return ret;
}

int
swhca_uuar_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
				      MLX5_IB_OBJECT_UAR);
}
