/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Doorbell pages of virtio queues, called VAR (mlx5_ib: main.c, alloc_var_entry()).
 *
 * mlx5_ib offers them if the HCA has virtio queues. This one has the pages but no such queues, so
 * stores to them have no effect.
 */

#include <errno.h>

#include "base/array.h"
#include "base/log.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/var.h"

/* Page of a new VAR, or -ENOSPC. */
static int
var_get(struct swhca_udev *dev, uint32_t *index)
{
	uint32_t nb = 1u << (prm_get(dev->vdpa_caps, PRM_CAP_VDPA_LOG_DOORBELL_BAR_SIZE) -
			     prm_get(dev->vdpa_caps, PRM_CAP_VDPA_LOG_DOORBELL_STRIDE));
	int ret = -ENOSPC;
	uint32_t i;

	pthread_mutex_lock(&dev->lock);
	for (i = 0; i < nb; i++) {
		if ((dev->vars & UINT64_C(1) << i) == 0) {
			dev->vars |= UINT64_C(1) << i;
			*index = i;
			ret = 0;
			break;
		}
	}
	pthread_mutex_unlock(&dev->lock);
	if (ret != 0)
		SWHCA_LOG(WARNING, "VAR: all %u pages are in use", nb);
	return ret;
}

static void
var_fini(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	struct swhca_udev *dev = file->dev;

	pthread_mutex_lock(&dev->lock);
	dev->vars &= ~(UINT64_C(1) << obj->num);
	pthread_mutex_unlock(&dev->lock);
}

static uint32_t
var_size(const struct swhca_udev *dev)
{
	return SWHCA_UAR_SIZE << prm_get(dev->vdpa_caps, PRM_CAP_VDPA_LOG_DOORBELL_STRIDE);
}

static int
var_out(struct swhca_ureq *req, struct swhca_uobj *obj)
{
	uint64_t offset = (uint64_t)swhca_umap_offset(SWHCA_MMAP_VAR_OBJ, obj->num);
	uint32_t len = var_size(req->file->dev);
	const struct swhca_uattr_answer answers[] = {
		{ MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset) },
		{ MLX5_IB_ATTR_VAR_OBJ_ALLOC_MMAP_LENGTH, &len, sizeof(len) },
		{ MLX5_IB_ATTR_VAR_OBJ_ALLOC_PAGE_ID, &obj->num, sizeof(obj->num) },
	};

	return swhca_uattrs_out_obj(req, obj, MLX5_IB_ATTR_VAR_OBJ_ALLOC_HANDLE, answers,
				    SWHCA_ARRAY_SIZE(answers));
}

int
swhca_uvar_alloc_req(struct swhca_ureq *req)
{
	struct swhca_uobj *obj;
	int ret;

	obj = swhca_uobj_alloc(req->file, MLX5_IB_OBJECT_VAR);
	if (obj == NULL)
		return -ENOMEM;
	ret = var_get(req->file->dev, &obj->num);
	if (ret != 0) {
		swhca_uobj_free(req->file, obj);
		return ret;
	}
	obj->fini = var_fini;
	return var_out(req, obj);
}

int
swhca_uvar_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, MLX5_IB_ATTR_VAR_OBJ_DESTROY_HANDLE,
				      MLX5_IB_OBJECT_VAR);
}
