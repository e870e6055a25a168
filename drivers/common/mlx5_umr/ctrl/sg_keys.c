/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include <rte_malloc.h>

#include "ctrl/devx.h"
#include "fast/isa.h"
#include "ctrl/mr.h"
#include "ring/device.h"
#include "ring/key_table.h"
#include "ring/log.h"
#include "ctrl/sg_keys.h"
#include "wqe/wqe.h"
#include "wqe/xfer.h"

static uint32_t
max_entries(const struct mlx5_umr_queue *queue)
{
	const uint32_t max = UINT32_C(1) << RTE_MIN(queue->dev->caps.log_max_klm, 31);
	const uint32_t nb = queue->conf.max_sg_entries;

	return RTE_MIN(nb != 0 ? nb : PRM_UMR_INLINE_KLM_MAX, max);
}

bool
mlx5_umr_sg_needs_lists(const struct mlx5_umr_queue *queue)
{
	return queue->conf.nb_sg_mkeys != 0 && max_entries(queue) > PRM_UMR_INLINE_KLM_MAX;
}

/** Segments that fit the empty ring, in work requests of at most max segments each. */
static uint32_t
ring_max_segs(const struct mlx5_umr_queue *queue, uint32_t max)
{
	const uint32_t head_ds = mlx5_umr_xfer_head_ds(queue->is_dci, true);
	const uint32_t nb_wqebb = queue->sq_mask + 1, one = prm_ds_to_wqebb(head_ds + max);
	const uint32_t rest_ds = nb_wqebb % one * PRM_WQE_DS_PER_BB;

	return nb_wqebb / one * max + (rest_ds > head_ds ? rest_ds - head_ds : 0);
}

static struct mlx5_umr_sg_limits
limits_of(const struct mlx5_umr_queue *queue, uint32_t max_segs, uint32_t min_key)
{
	const struct mlx5_umr_sg *sg = &queue->sg;
	const uint32_t nb_ring = ring_max_segs(queue, max_segs);
	const bool has_keys = sg->nb_keys != 0 && min_key != 0;

	return (struct mlx5_umr_sg_limits){
		.max_segs = has_keys ? RTE_MAX(nb_ring, sg->max_entries) : nb_ring,
		.min_key = has_keys ? min_key : UINT32_MAX,
	};
}

static int
key_create(struct mlx5_umr_queue *queue, struct mlx5_umr_sg_key *key)
{
	const struct mlx5_umr_mkey_attr attr = {
		.pdn = mlx5_umr_pd_num(queue->dev, queue->conf.pd),
		.nb_klm = mlx5_umr_klm_align(queue->sg.max_entries),
	};
	uint32_t index;
	int ret;

	ret = mlx5_umr_devx_mkey_create(queue->dev, &attr, &key->obj, &index);
	if (ret == 0)
		key->key = index << MLX5_UMR_KEY_INDEX_SHIFT;
	return ret;
}

static int
keys_create(struct mlx5_umr_queue *queue)
{
	const uint32_t nb_mem = queue->klm_mem.nb_chunks * MLX5_UMR_KLM_CHUNK_NB;
	struct mlx5_umr_sg *sg = &queue->sg;
	int ret = -ENOMEM;

	if (queue->conf.nb_sg_mkeys == 0)
		return 0;
	sg->max_entries = RTE_MIN(max_entries(queue), MLX5_UMR_LIST_MAX);
	if (sg->max_entries > PRM_UMR_INLINE_KLM_MAX)
		sg->max_entries = RTE_MAX(RTE_MIN(sg->max_entries, nb_mem),
					  PRM_UMR_INLINE_KLM_MAX);
	sg->keys = rte_calloc_socket(NULL, queue->conf.nb_sg_mkeys, sizeof(*sg->keys), 0,
				     queue->conf.socket_id);
	if (sg->keys != NULL)
		ret = 0;
	for (; ret == 0 && sg->nb_keys < queue->conf.nb_sg_mkeys; sg->nb_keys += ret == 0)
		ret = key_create(queue, &sg->keys[sg->nb_keys]);
	if (ret != 0)
		MLX5_UMR_QUEUE_LOG(ERR, queue, "created %u keys of %u entries, nb_sg_mkeys is %u",
				   sg->nb_keys, sg->max_entries, queue->conf.nb_sg_mkeys);
	return ret;
}

int
mlx5_umr_sg_create(struct mlx5_umr_queue *queue)
{
	const struct mlx5_umr_devargs *args = &queue->dev->args;
	int ret;

	ret = keys_create(queue);
	if (ret != 0)
		return ret;
	queue->sg.by_key = mlx5_umr_isa_select()->sg_by_key;
	queue->sg.max_inline = RTE_MIN(args->sg_inline, queue->max_inline);
	queue->sg.write = limits_of(queue, queue->max_segs, args->sg_key);
	queue->sg.read = limits_of(queue, queue->max_read_segs, args->sg_read_key);
	return 0;
}

bool
mlx5_umr_sg_destroy(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_sg *sg = &queue->sg;

	while (sg->nb_keys != 0) {
		if (mlx5_umr_devx_destroy(queue->dev, sg->keys[sg->nb_keys - 1].obj, "mkey") != 0)
			return false;
		sg->nb_keys--;
	}
	return true;
}
