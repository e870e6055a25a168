/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Layouts of all types off the fast path.
 *
 * The device repeats a pattern, but has 16 bits for bytes_count and for the stride of an entry
 * (mlx5dv.h, mlx5_wqe_umr_repeat_ent_seg). A larger pattern is converted to the equivalent list, if
 * it fits the key.
 */

#include <errno.h>
#include <inttypes.h>

#include "ring/slot.h"
#include "plan/layout.h"

uint32_t
mlx5_umr_max_klm(const struct mlx5_umr_queue *queue)
{
	uint32_t nb_mem = queue->klm_mem.nb_chunks * MLX5_UMR_KLM_CHUNK_NB;

	return RTE_MAX(RTE_MIN(nb_mem, MLX5_UMR_LIST_MAX), PRM_UMR_INLINE_KLM_MAX);
}

int
mlx5_umr_reject_length(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey, uint32_t i,
		       uint32_t length)
{
	if (length == 0)
		return REJECT(queue, LENGTH, -EINVAL, "key 0x%x: length of segment %u is 0",
			      mkey->key, i);
	return REJECT(queue, LENGTH, -ERANGE, "key 0x%x: length of segment %u is %u, at most %u",
		      mkey->key, i, length, MLX5_UMR_KLM_LEN_MAX);
}

/** Check the number of entries of a list or fixed-size layout. nb_max is the limit of the key. */
static int
entries_check(struct mlx5_umr_queue *queue, const struct rte_umr_mkey *mkey, uint32_t nb,
	      uint32_t nb_max, uint32_t nb_op)
{
	if (nb == 0)
		return REJECT(queue, ENTRIES, -EINVAL, "key 0x%x: 0 entries, at least 1 is needed",
			      mkey->key);
	if (nb > nb_max)
		return REJECT(queue, ENTRIES, -E2BIG, "key 0x%x: %u entries, it was created for %u",
			      mkey->key, nb, nb_max);
	if (nb > nb_op)
		return REJECT(queue, ENTRIES, -E2BIG,
			      "key 0x%x: %u entries, an operation holds at most %u", mkey->key, nb,
			      nb_op);
	return 0;
}

static int
list_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
	  const struct rte_umr_mkey *mkey)
{
	uint32_t i;

	for (i = 0; i < layout->nb_entries; i++) {
		if (mlx5_umr_is_klm_len_bad(layout->segs[i].length))
			return mlx5_umr_reject_length(queue, mkey, i, layout->segs[i].length);
		layout->len += layout->segs[i].length;
	}
	return 0;
}

static int
fixed_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
	   const struct rte_umr_mkey *mkey)
{
	uint32_t i;

	for (i = 0; i < layout->nb_entries; i++)
		if (layout->fixed[i].reserved != 0)
			return REJECT(queue, RESERVED, -EINVAL,
				      "key 0x%x: reserved of entry %u is %u, not 0", mkey->key, i,
				      layout->fixed[i].reserved);
	layout->log_entry_size = mkey->log_entry_size;
	layout->len = (uint64_t)layout->nb_entries << layout->log_entry_size;
	return 0;
}

static uint64_t
stride_of(const struct rte_umr_interleaved *entry)
{
	return (uint64_t)entry->bytes_count + entry->bytes_skip;
}

/**
 * Whether an entry fits the fields of the device; the stride matters from the second repetition on.
 */
static bool
is_repeatable(const struct mlx5_umr_layout *layout)
{
	uint32_t i;

	for (i = 0; i < layout->nb_entries; i++)
		if (stride_of(&layout->interleaved[i]) > UINT16_MAX)
			return false;
	return true;
}

/** Convert a pattern to a list. */
static int
unrolled_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
	      const struct rte_umr_mkey *mkey)
{
	uint32_t nb_max = RTE_MIN(mkey->max_entries, mlx5_umr_max_klm(queue)), i = 0;
	uint64_t nb = (uint64_t)layout->nb_entries * layout->repeat;

	while (stride_of(&layout->interleaved[i]) <= UINT16_MAX)
		i++;
	if (nb > nb_max)
		return REJECT(queue, LAYOUT, -ERANGE,
			      "key 0x%x: bytes_count + bytes_skip of entry %u is %" PRIu64
			      ", at most %u; as a list it is %" PRIu64 " entries, at most %u",
			      mkey->key, i, stride_of(&layout->interleaved[i]), UINT16_MAX, nb,
			      nb_max);
	for (i = 0; i < layout->nb_entries; i++)
		if (layout->interleaved[i].bytes_count > MLX5_UMR_KLM_LEN_MAX)
			return REJECT(queue, LENGTH, -ERANGE,
				      "key 0x%x: bytes_count of entry %u is %u, at most %u",
				      mkey->key, i, layout->interleaved[i].bytes_count,
				      MLX5_UMR_KLM_LEN_MAX);
	layout->is_unrolled = true;
	layout->nb_klm = mlx5_umr_klm_align((uint32_t)nb);
	return 0;
}

static int
interleaved_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
		 const struct rte_umr_mkey *mkey)
{
	uint64_t block_len = 0;
	uint32_t i;
	int ret;

	if (queue->max_interleaved == 0)
		return REJECT(queue, UNSUPPORTED, -ENOTSUP,
			      "key 0x%x: the device has no interleaved layouts", mkey->key);
	/* The repeat block header takes one entry. */
	ret = entries_check(queue, mkey, layout->nb_entries, mkey->max_entries - 1,
			    mlx5_umr_max_klm(queue) - 1);
	if (ret != 0)
		return ret;
	if (layout->repeat == 0)
		return REJECT(queue, LAYOUT, -EINVAL, "key 0x%x: repeat is 0, at least 1 is needed",
			      mkey->key);
	for (i = 0; i < layout->nb_entries; i++) {
		if (layout->interleaved[i].bytes_count == 0)
			return REJECT(queue, LENGTH, -EINVAL,
				      "key 0x%x: bytes_count of entry %u is 0", mkey->key, i);
		block_len += layout->interleaved[i].bytes_count;
	}
	layout->len = block_len * layout->repeat;
	if (!is_repeatable(layout))
		return unrolled_init(layout, queue, mkey);
	layout->block_len = (uint32_t)block_len;
	layout->nb_klm = mlx5_umr_klm_align(layout->nb_entries + 1);
	return 0;
}

static_assert((uint64_t)MLX5_UMR_LIST_MAX * UINT16_MAX <= UINT32_MAX,
	      "a pattern without its repetition fits 32 bits");

int
mlx5_umr_layout_init(struct mlx5_umr_layout *layout, struct mlx5_umr_queue *queue,
		     const struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf)
{
	bool is_fixed = (mkey->flags & RTE_UMR_MKEY_POOL_F_FIXED_SIZE) != 0;
	int ret;

	*layout = (struct mlx5_umr_layout){
		.type = (enum rte_umr_layout_type)conf->layout,
		.nb_entries = conf->nb_entries,
		.repeat = conf->repeat,
		.segs = conf->segs,
	};
	if (conf->layout > RTE_UMR_LAYOUT_FIXED)
		return REJECT(queue, LAYOUT, -EINVAL, "key 0x%x: layout is %u, at most %d",
			      mkey->key, conf->layout, RTE_UMR_LAYOUT_FIXED);
	if (is_fixed != (conf->layout == RTE_UMR_LAYOUT_FIXED))
		return REJECT(queue, LAYOUT, -EINVAL,
			      "key 0x%x: layout is %u, its pool was created with%s "
			      "RTE_UMR_MKEY_POOL_F_FIXED_SIZE",
			      mkey->key, conf->layout, is_fixed ? "" : "out");
	if (conf->layout == RTE_UMR_LAYOUT_INTERLEAVED)
		return interleaved_init(layout, queue, mkey);
	ret = entries_check(queue, mkey, layout->nb_entries, mkey->max_entries,
			    mlx5_umr_max_klm(queue));
	if (ret != 0)
		return ret;
	layout->nb_klm = mlx5_umr_klm_align(layout->nb_entries);
	return is_fixed ? fixed_init(layout, queue, mkey) : list_init(layout, queue, mkey);
}

static uint8_t *
pattern_store(const struct mlx5_umr_layout *layout, uint8_t *dst)
{
	mlx5_umr_len_t len;

	/* It has been checked. */
	(void)mlx5_umr_pattern_store(dst, layout->interleaved, layout->nb_entries, layout->repeat,
				     false, &len);
	return dst + (layout->nb_entries + 1) * PRM_KLM_SIZE;
}

static uint8_t *
unrolled_store(const struct mlx5_umr_layout *layout, uint8_t *dst)
{
	const struct rte_umr_interleaved *entry;
	struct rte_umr_seg seg;
	uint32_t round, i;

	for (round = 0; round < layout->repeat; round++) {
		for (i = 0; i < layout->nb_entries; i++, dst += PRM_KLM_SIZE) {
			entry = &layout->interleaved[i];
			seg = (struct rte_umr_seg){
				.addr = entry->addr + round * stride_of(entry),
				.length = entry->bytes_count,
				.lkey = entry->lkey,
			};
			mlx5_umr_klm_store(dst, &seg);
		}
	}
	return dst;
}

void
mlx5_umr_layout_store(const struct mlx5_umr_layout *layout, uint8_t *dst)
{
	uint8_t *end = dst + (size_t)layout->nb_klm * PRM_KLM_SIZE;
	mlx5_umr_len_t len;
	uint32_t i;

	if (layout->image != NULL) {
		memcpy(dst, layout->image, (size_t)(end - dst));
		return;
	}
	if (layout->type == RTE_UMR_LAYOUT_LIST) {
		/* It has been checked; the last block is padded. */
		(void)mlx5_umr_klms_store(dst, layout->segs, layout->nb_entries, 0, &len);
		return;
	}
	if (layout->is_unrolled) {
		dst = unrolled_store(layout, dst);
	} else if (layout->type == RTE_UMR_LAYOUT_INTERLEAVED) {
		dst = pattern_store(layout, dst);
	} else {
		for (i = 0; i < layout->nb_entries; i++, dst += PRM_KLM_SIZE)
			mlx5_umr_ksm_store(dst, layout->fixed[i].addr, layout->fixed[i].lkey);
	}
	memset(dst, 0, (size_t)(end - dst));
}
