/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Replacing entries of a list and appending to it: an UMR with a translation offset.
 *
 * The device accepts whole groups of PRM_KLM_ALIGN octowords at an offset in the same unit, so an
 * update may include unchanged neighbors, and the length of the key may change. For both reasons
 * the driver keeps a copy of the octowords of keys with RTE_UMR_MKEY_POOL_F_UPDATE.
 *
 * A key grows in one UMR: entries and the new length. Linux does the same in the last UMR of a
 * longer translation (mlx5r_umr_final_update_xlt(): an offset, and MLX5_MKEY_MASK_LEN).
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "plan/configure.h"
#include "ring/mkey.h"

struct update {
	struct mlx5_umr_queue *queue;
	const struct rte_umr_mkey *mkey;
	struct mlx5_umr_mkey_priv *priv;
	uint32_t first;
	const struct rte_umr_seg *segs;
	uint32_t nb_segs;
	uint32_t nb_entries;	/* of the key after the update */
	uint64_t len;
};

void
mlx5_umr_mkey_note_layout(const struct rte_umr_mkey *mkey, struct mlx5_umr_layout *layout)
{
	struct mlx5_umr_mkey_priv *priv = rte_umr_mkey_priv(mkey);

	priv->nb_entries = mlx5_umr_layout_nb_list(layout);
	priv->len = layout->len;
	if (priv->nb_entries == 0)
		return;
	mlx5_umr_layout_store(layout, priv->klms);
	layout->image = priv->klms;
}

static int
range_check(struct update *up)
{
	struct mlx5_umr_queue *queue = up->queue;
	uint32_t key = up->mkey->key;

	up->priv = rte_umr_mkey_priv(up->mkey);
	if ((up->mkey->flags & RTE_UMR_MKEY_POOL_F_UPDATE) == 0)
		return REJECT(queue, KEY, -ENOTSUP, "key 0x%x: its pool was created "
			      "without RTE_UMR_MKEY_POOL_F_UPDATE",
			      key);
	/* The list may have been discarded because of this failure. */
	if (up->priv->nb_entries == 0 && queue->error == -EIO)
		return mlx5_umr_reject_state(queue);
	if (up->priv->nb_entries == 0)
		return REJECT(queue, KEY, -ENOENT, "key 0x%x has no list to be updated", key);
	if (up->nb_segs == 0)
		return REJECT(queue, ENTRIES, -EINVAL, "key 0x%x: 0 entries, at least 1 is needed",
			      key);
	if (up->first > up->priv->nb_entries)
		return REJECT(queue, RANGE, -ERANGE,
			      "key 0x%x: entries [%u, %" PRIu64 "), it has %u: none may be between",
			      key, up->first, (uint64_t)up->first + up->nb_segs,
			      up->priv->nb_entries);
	if (up->nb_segs > up->mkey->max_entries - up->first)
		return REJECT(queue, ENTRIES, -E2BIG,
			      "key 0x%x: entries [%u, %" PRIu64 "), it was created for %u", key,
			      up->first, (uint64_t)up->first + up->nb_segs,
			      up->mkey->max_entries);
	up->nb_entries = RTE_MAX(up->first + up->nb_segs, up->priv->nb_entries);
	return 0;
}

/** Check the lengths and compute that of the key. */
static int
segs_check(struct update *up)
{
	bool is_fixed = (up->mkey->flags & RTE_UMR_MKEY_POOL_F_FIXED_SIZE) != 0;
	const struct mlx5_wqe_umr_klm_seg *old = (const void *)up->priv->klms;
	uint64_t size = UINT64_C(1) << up->mkey->log_entry_size;
	uint32_t i;

	up->len = up->priv->len;
	for (i = 0; i < up->nb_segs; i++) {
		uint32_t length = up->segs[i].length;

		if (is_fixed && length != size)
			return REJECT(up->queue, LENGTH, -EINVAL,
				      "key 0x%x: length of segment %u is %u, "
				      "those of the key have %" PRIu64,
				      up->mkey->key, i, length, size);
		if (!is_fixed && mlx5_umr_is_klm_len_bad(length))
			return mlx5_umr_reject_length(up->queue, up->mkey, i, length);
		if (up->first + i >= up->priv->nb_entries)
			up->len += length;
		else if (!is_fixed)
			up->len += length -
				   (uint64_t)rte_be_to_cpu_32(old[up->first + i].byte_count);
	}
	/* A BSF depends on the length of its key. */
	if (up->len != up->priv->len && (up->mkey->flags & (RTE_UMR_MKEY_POOL_F_SIG |
							    RTE_UMR_MKEY_POOL_F_CRYPTO)) != 0)
		return REJECT(up->queue, LENGTH, -EINVAL,
			      "key 0x%x: its length would be %" PRIu64 ", not %" PRIu64
			      " as with its signature or encryption",
			      up->mkey->key, up->len, up->priv->len);
	return 0;
}

/** Write the new entries to the driver's copy. */
static void
update_note(const struct update *up)
{
	const bool is_fixed = (up->mkey->flags & RTE_UMR_MKEY_POOL_F_FIXED_SIZE) != 0;
	uint8_t *dst = up->priv->klms + (size_t)up->first * PRM_KLM_SIZE;
	uint32_t i;

	for (i = 0; i < up->nb_segs; i++, dst += PRM_KLM_SIZE) {
		if (is_fixed)
			mlx5_umr_ksm_store(dst, up->segs[i].addr, up->segs[i].lkey);
		else
			mlx5_umr_klm_store(dst, &up->segs[i]);
	}
	/* The rest of a new group may contain entries of a previous, longer list. */
	if (up->nb_entries != up->priv->nb_entries)
		memset(dst, 0, (size_t)(mlx5_umr_klm_align(up->nb_entries) - up->nb_entries) *
				       PRM_KLM_SIZE);
	up->priv->nb_entries = up->nb_entries;
	up->priv->len = up->len;
}

/**
 * Build the update from the driver's copy, in whole groups. The key must be in use, and only its
 * length may change. The flags are those of an update that does not enable the key (Linux,
 * mlx5r_umr_set_update_xlt_ctrl_seg(), which has our CHECK_NOT_FREE as MLX5_UMR_CHECK_FREE: "fail
 * if free").
 */
static void
update_plan(const struct update *up, struct mlx5_umr_plan *plan)
{
	plan->is_update = true;
	plan->umr_flags = MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET | PRM_UMR_FLAG_CHECK_NOT_FREE;
	plan->klm_offset = RTE_ALIGN_FLOOR(up->first, PRM_KLM_ALIGN);
	plan->layout.nb_klm = mlx5_umr_klm_align(up->first + up->nb_segs) - plan->klm_offset;
	plan->layout.image = up->priv->klms + (size_t)plan->klm_offset * PRM_KLM_SIZE;
	if (up->len == up->priv->len)
		return;
	plan->head.mkey_mask = MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN;
	plan->head.len = up->len;
}

static_assert(MLX5_UMR_LIST_MAX <= UINT16_MAX, "offsets need no more than the low 16 bits");

int
mlx5_umr_mkey_update(void *queue, struct rte_umr_mkey *mkey, uint32_t first,
		     const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	struct update up = {
		.queue = queue,
		.mkey = mkey,
		.first = first,
		.segs = segs,
		.nb_segs = nb_segs,
	};
	struct mlx5_umr_plan plan = {
		.queue = queue,
		.mkey = mkey,
		.flags = flags,
		.op = RTE_UMR_OP_MKEY_UPDATE,
	};
	int ret;

	ret = mlx5_umr_mkey_common_check(queue, mkey, flags);
	if (ret == 0)
		ret = range_check(&up);
	if (ret == 0)
		ret = segs_check(&up);
	if (ret != 0)
		return ret;
	update_plan(&up, &plan);
	ret = mlx5_umr_plan_place(&plan);
	if (ret != 0)
		return ret;
	update_note(&up);
	return mlx5_umr_plan_enqueue(&plan);
}
