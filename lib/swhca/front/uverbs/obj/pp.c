/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Packet pacing entries (mlx5_ib: qos.c; mlx5_core: rl.c).
 *
 * Files that request the same rate share an entry of the rate table, unless a file requests its
 * own.
 */

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/pp.h"

static int
rate_set(struct swhca_udev *dev, uint32_t index, uint16_t uid, const uint8_t *ctx)
{
	uint8_t in[PRM_SET_PP_RATE_LIMIT_IN_SIZE] = { 0 };
	uint8_t out[PRM_CMD_SHORT_OUT_SIZE];

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_SET_PP_RATE_LIMIT);
	prm_set(in, PRM_CMD_IN_UID, uid);
	prm_set(in, PRM_SET_PP_RATE_LIMIT_IN_INDEX, index);
	if (ctx != NULL)
		memcpy(&in[PRM_SET_PP_RATE_LIMIT_IN_CTX_BYTE], ctx, PRM_PP_SIZE);
	return swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
}

/* Find the entry with this rate, else a free one, else 0. Entry 0 means no limit. */
static uint32_t
rate_find(const struct swhca_udev *dev, const uint8_t *ctx, bool is_dedicated)
{
	uint64_t nb = prm_get(dev->qos_caps, PRM_CAP_QOS_PACKET_PACING_RATE_TABLE_SIZE);
	const struct swhca_urate *rate;
	uint32_t i, unused = 0;

	for (i = 1; i < nb && i < SWHCA_MAX_URATES; i++) {
		rate = &dev->rates[i];
		if (rate->nb_users == 0) {
			if (unused == 0)
				unused = i;
		} else if (!is_dedicated && rate->uid == PRM_UID_SHARED &&
			   memcmp(rate->ctx, ctx, PRM_PP_SIZE) == 0) {
			return i;
		}
	}
	return unused;
}

static int
rate_get(struct swhca_ufile *file, const uint8_t *ctx, bool is_dedicated, uint32_t *index)
{
	struct swhca_udev *dev = file->dev;
	struct swhca_urate *rate;
	int ret = 0;

	pthread_mutex_lock(&dev->lock);
	*index = rate_find(dev, ctx, is_dedicated);
	rate = &dev->rates[*index];
	if (*index == 0) {
		SWHCA_LOG(WARNING, "packet pacing: all rates are in use");
		ret = -ENOSPC;
	} else if (rate->nb_users == 0) {
		rate->uid = is_dedicated ? file->uid : PRM_UID_SHARED;
		memcpy(rate->ctx, ctx, PRM_PP_SIZE);
		ret = rate_set(dev, *index, rate->uid, ctx);
	}
	if (ret == 0)
		rate->nb_users++;
	pthread_mutex_unlock(&dev->lock);
	return ret;
}

static void
rate_put(struct swhca_ufile *file, struct swhca_uobj *obj)
{
	struct swhca_udev *dev = file->dev;
	struct swhca_urate *rate = &dev->rates[obj->num];

	pthread_mutex_lock(&dev->lock);
	if (--rate->nb_users == 0)
		rate_set(dev, obj->num, rate->uid, NULL);
	pthread_mutex_unlock(&dev->lock);
}

static int
pp_check(const struct swhca_ufile *file, const uint8_t *ctx, uint32_t flags)
{
	const uint8_t *caps = file->dev->qos_caps;
	uint64_t rate = prm_get(ctx, PRM_PP_RATE_LIMIT);
	uint64_t min = prm_get(caps, PRM_CAP_QOS_PACKET_PACING_MIN_RATE);
	uint64_t max = prm_get(caps, PRM_CAP_QOS_PACKET_PACING_MAX_RATE);

	/* An entry can only be used by DevX commands. */
	if (file->uid == 0 ||
	    (flags & ~(uint32_t)MLX5_IB_UAPI_PP_ALLOC_FLAGS_DEDICATED_INDEX) != 0)
		return -EINVAL;
	if (rate == 0 || rate < min || rate > max) {
		SWHCA_LOG(WARNING, "packet pacing: %u kbit/s, %u to %u", (unsigned int)rate,
			  (unsigned int)min, (unsigned int)max);
		return -EINVAL;
	}
	return 0;
}

static int
create_out(struct swhca_ureq *req, struct swhca_uobj *obj)
{
	const uint16_t index = (uint16_t)obj->num;
	const struct swhca_uattr_answer answer = { MLX5_IB_ATTR_PP_OBJ_ALLOC_INDEX, &index,
						   sizeof(index) };

	return swhca_uattrs_out_obj(req, obj, MLX5_IB_ATTR_PP_OBJ_ALLOC_HANDLE, &answer, 1);
}

static int
pp_create(struct swhca_ureq *req, const uint8_t *ctx, uint32_t flags)
{
	struct swhca_uobj *obj;
	int ret;

	obj = swhca_uobj_alloc(req->file, MLX5_IB_OBJECT_PP);
	if (obj == NULL)
		return -ENOMEM;
	ret = rate_get(req->file, ctx, flags != 0, &obj->num);
	if (ret != 0) {
		swhca_uobj_free(req->file, obj);
		return ret;
	}
	obj->fini = rate_put;
	return create_out(req, obj);
}

int
swhca_upp_alloc_req(struct swhca_ureq *req)
{
	uint8_t ctx[PRM_PP_SIZE];
	uint32_t flags;
	int ret;

	if (swhca_uattr_len(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX) > sizeof(ctx))
		return -EINVAL;
	ret = swhca_uattr_in(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_CTX, ctx, sizeof(ctx), 1);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_PP_OBJ_ALLOC_FLAGS, &flags);
	if (ret == 0)
		ret = pp_check(req->file, ctx, flags);
	if (ret != 0)
		return ret;
	return pp_create(req, ctx, flags);
}

int
swhca_upp_destroy_req(struct swhca_ureq *req)
{
	return swhca_uobj_destroy_req(req, MLX5_IB_ATTR_PP_OBJ_DESTROY_HANDLE, MLX5_IB_OBJECT_PP);
}
