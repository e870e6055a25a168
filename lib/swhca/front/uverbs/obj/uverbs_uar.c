/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * UAR pages of a context.
 *
 * Two schemes, as in mlx5_ib: a library with MLX5_LIB_CAP_DYN_UAR allocates UAR objects; an older
 * one (or one with SWHCA_STATIC_UAR=1, for tests) gets static pages, whose blue flame registers are
 * assigned to QPs here, and pages allocated by mmap (MLX5_IB_MMAP_ALLOC_WC).
 */

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/uverbs_uar.h"

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

/* Allocate a page and place it in the file. */
static int
page_alloc(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint32_t *uar)
{
	int ret;

	ret = swhca_udev_exec_alloc(file->dev, PRM_CMD_ALLOC_UAR, file->uid, uar);
	if (ret != 0)
		return ret;
	ret = swhca_umap_place(file, cmd, index, (uint64_t)*uar * SWHCA_UAR_SIZE, SWHCA_UAR_SIZE);
	if (ret != 0) {
		swhca_udev_exec_obj(file->dev, PRM_CMD_DEALLOC_UAR, file->uid, *uar);
		*uar = SWHCA_NO_UAR;
	}
	return ret;
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
		ret = page_alloc(file, MLX5_IB_MMAP_REGULAR_PAGE, i, &file->sys_pages[i]);
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

/*
 * The last nb_low_lat registers serve one QP each and need no lock; lower ones are shared; register
 * 0 is used if no better one is left (mlx5_ib: alloc_bfreg()).
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

/* Allocated by its first use: a mapping, or a queue if the mapping was not intercepted. */
static int
dyn_page_get(struct swhca_ufile *file, uint32_t index, uint32_t *uar)
{
	uint32_t *page;
	int ret = 0;

	if (index >= file->nb_dyn_bfregs / SWHCA_BFREGS_PER_UAR)
		return -EINVAL;
	page = &file->sys_pages[nb_static_pages(file) + index];
	if (*page == SWHCA_NO_UAR)
		ret = page_alloc(file, MLX5_IB_MMAP_ALLOC_WC, index, page);
	*uar = *page;
	return ret;
}

static int
static_page_get(const struct swhca_ufile *file, uint32_t index, uint32_t *uar)
{
	if (index >= nb_static_pages(file))
		return -EINVAL;
	*uar = file->sys_pages[index];
	return 0;
}

int
swhca_uuar_of_bfreg(struct swhca_ufile *file, uint32_t bfreg, bool is_dyn, uint32_t *uar)
{
	uint32_t index = bfreg / SWHCA_BFREGS_PER_UAR;

	return is_dyn ? dyn_page_get(file, index, uar) : static_page_get(file, index, uar);
}

int
swhca_uuar_find(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint32_t *uar)
{
	if (cmd == MLX5_IB_MMAP_ALLOC_WC)
		return dyn_page_get(file, index, uar);
	if (cmd != SWHCA_MMAP_UAR_OBJ)
		return static_page_get(file, index, uar);
	*uar = index;
	return swhca_uobj_find_num(file, MLX5_IB_OBJECT_UAR, index) != NULL ? 0 : -EINVAL;
}

int
swhca_uuar_check(const struct swhca_ufile *file, uint32_t uar)
{
	uint32_t i;

	for (i = 0; i < nb_sys_pages(file); i++) {
		if (file->sys_pages[i] == uar && uar != SWHCA_NO_UAR)
			return 0;
	}
	return swhca_uobj_find_num(file, MLX5_IB_OBJECT_UAR, uar) != NULL ? 0 : -EINVAL;
}

static void
uar_seen(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	if (!obj->is_seen)
		file->nb_unseen_uars--;
	obj->is_seen = true;
}

void
swhca_uuar_mapped(struct swhca_ufile *file, off_t offset)
{
	struct swhca_uobj *obj;

	TAILQ_FOREACH(obj, &file->order, link) {
		if (obj->type == MLX5_IB_OBJECT_UAR &&
		    swhca_umap_offset(SWHCA_MMAP_UAR_OBJ, obj->num) == offset)
			uar_seen(file, obj);
	}
}

/* Its unique number is its index in the file. */
static int
uar_obj_init(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	int ret;

	ret = swhca_udev_exec_alloc(file->dev, PRM_CMD_ALLOC_UAR, file->uid, &obj->num);
	if (ret != 0)
		return ret;
	ret = swhca_umap_place(file, SWHCA_MMAP_UAR_OBJ, obj->num,
			       (uint64_t)obj->num * SWHCA_UAR_SIZE, SWHCA_UAR_SIZE);
	if (ret != 0) {
		swhca_udev_exec_obj(file->dev, PRM_CMD_DEALLOC_UAR, file->uid, obj->num);
		return ret;
	}
	obj->create_op = PRM_CMD_ALLOC_UAR;
	obj->fini = uar_seen;
	file->nb_unseen_uars++;
	return 0;
}

static int
alloc_out(struct swhca_ureq *req, struct swhca_uobj *obj)
{
	const uint64_t offset = (uint64_t)swhca_umap_offset(SWHCA_MMAP_UAR_OBJ, obj->num);
	const uint32_t len = SWHCA_UAR_SIZE;
	const struct swhca_uattr_answer answers[] = {
		{ MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset) },
		{ MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &len, sizeof(len) },
		{ MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &obj->num, sizeof(obj->num) },
	};

	return swhca_uattrs_out_obj(req, obj, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, answers,
				    SWHCA_ARRAY_SIZE(answers));
}

int
swhca_uuar_alloc_req(struct swhca_ureq *req)
{
	struct swhca_uobj *obj;
	uint32_t type;
	int ret;

	ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, &type);
	if (ret != 0)
		return ret;
	/* Memory of this model has one kind of mapping, so both are equal. */
	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	obj = swhca_uobj_alloc(req->file, MLX5_IB_OBJECT_UAR);
	if (obj == NULL)
		return -ENOMEM;
	ret = uar_obj_init(req->file, obj);
	if (ret != 0) {
		swhca_uobj_free(req->file, obj);
		return ret;
	}
	return alloc_out(req, obj);
}

int
swhca_uuar_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE,
				      MLX5_IB_OBJECT_UAR);
}
