/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "verify/bed/layout.h"

struct layout_gen_conf
verify_gen_conf(const struct rte_umr_dev_info *info, bool has_patterns)
{
	struct layout_gen_conf conf = {
		.arena_size = BED_LAYOUT_SIZE, .guard = BED_GUARD,
		.max_total = BED_MAX_TOTAL,
		.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list_inline),
	};

	if (has_patterns && (info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) != 0)
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES - 1,
					       info->max_interleaved_inline);
	return conf;
}

struct layout_gen_conf
verify_gen_conf_long(const struct rte_umr_dev_info *info, struct prng *prng, uint32_t max_total)
{
	struct layout_gen_conf conf = verify_gen_conf(info, false);

	conf.max_total = max_total;
	conf.max_list = RTE_MIN(LAYOUT_MAX_PIECES, info->max_list);
	if (prng_one_in(prng, 3) && (info->dev_capa & RTE_UMR_CAPA_MKEY_INTERLEAVED) != 0) {
		conf.max_interleaved = RTE_MIN(LAYOUT_MAX_PIECES - 1, info->max_interleaved);
		conf.max_list = 0;
	}
	return conf;
}

struct rte_umr_seg
verify_layout_seg(const struct bed_side *side, uint32_t offset, uint32_t len, uint32_t i)
{
	return (struct rte_umr_seg){
		.addr = side->layout.addr + offset, .length = len,
		.lkey = side->layout_mrs[i % BED_NB_LAYOUT_MRS]->lkey,
	};
}

struct rte_umr_seg
verify_flat_seg(const struct bed_side *side, uint32_t offset, uint32_t len)
{
	return (struct rte_umr_seg){ side->flat.addr + offset, len, side->flat_mr->lkey };
}

struct rte_umr_interleaved
verify_stride(struct rte_umr_seg seg, uint32_t skip)
{
	return (struct rte_umr_interleaved){
		.addr = seg.addr, .bytes_count = seg.length, .bytes_skip = skip, .lkey = seg.lkey,
	};
}

void
verify_segs_fill(const struct bed_side *side, const struct layout_piece *pieces, uint32_t nb,
		 struct rte_umr_seg *segs)
{
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = verify_layout_seg(side, pieces[i].offset, pieces[i].len, i);
}

void
verify_interleaved_fill(const struct bed_side *side, const struct layout_piece *pieces, uint32_t nb,
			struct rte_umr_interleaved *entries)
{
	for (uint32_t i = 0; i < nb; i++)
		entries[i] = verify_stride(verify_layout_seg(side, pieces[i].offset, pieces[i].len,
							     i), pieces[i].skip);
}

struct rte_umr_mkey_op
verify_layout_conf(const struct layout *layout, uint32_t access, const struct bed_side *side,
		   struct verify_entries *entries)
{
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS | RTE_UMR_MKEY_SET_LAYOUT,
		.access = access, .layout = RTE_UMR_LAYOUT_LIST,
		.nb_entries = layout->nb_pieces, .segs = entries->segs,
	};

	if (!layout->is_interleaved) {
		verify_segs_fill(side, layout->pieces, layout->nb_pieces, entries->segs);
		return conf;
	}
	verify_interleaved_fill(side, layout->pieces, layout->nb_pieces, entries->interleaved);
	conf.layout = RTE_UMR_LAYOUT_INTERLEAVED;
	conf.repeat = layout->repeat;
	conf.interleaved = entries->interleaved;
	return conf;
}

static bool
plain_add(struct verify_ops *ops, struct rte_umr_mkey *mkey, const struct rte_umr_mkey_op *conf)
{
	if (conf->layout == RTE_UMR_LAYOUT_LIST)
		return verify_ops_list(ops, mkey, conf->access, conf->segs, conf->nb_entries);
	return verify_ops_interleaved(ops, mkey, conf->access, conf->repeat, conf->interleaved,
				      conf->nb_entries);
}

bool
verify_layout_add(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
		  const struct layout *layout)
{
	struct verify_entries entries;
	const struct rte_umr_mkey_op conf = verify_layout_conf(layout, access, ops->side, &entries);

	return plain_add(ops, mkey, &conf);
}

int
verify_conf_enqueue(const struct verify_ops *ops, struct rte_umr_mkey *mkey,
		    const struct rte_umr_mkey_op *conf)
{
	struct rte_umr_mkey_op op = *conf;

	op.mkey = mkey;
	return rte_umr_mkey_configure(ops->dev_id, ops->queue_id, &op, 0);
}

bool
verify_conf_rejected(struct verify_ops *ops, struct rte_umr_mkey *mkey,
		     const struct rte_umr_mkey_op *conf, const struct verify_rejection *rejection)
{
	struct rte_umr_mkey_pool *pool = ops->side->pool;
	struct rte_umr_mkey *plain = mkey == NULL ? rte_umr_mkey_get(pool) : NULL;
	int ret;

	if (mkey == NULL && plain == NULL)
		return verify_ops_check(ops, false, "no plain key left");
	ret = verify_conf_enqueue(ops, mkey != NULL ? mkey : plain, conf);
	if (plain != NULL)
		rte_umr_mkey_put(pool, plain);
	return verify_ops_rejected(ops, ret, rejection->error, rejection->name);
}

struct rte_umr_interleaved
verify_long_entry(const struct bed_side *side)
{
	return verify_stride(verify_layout_seg(side, 0, 4096, 0), 0);
}

bool
verify_conf_add(struct verify_ops *ops, struct rte_umr_mkey *mkey,
		const struct rte_umr_mkey_op *conf)
{
	return verify_ops_room(ops) &&
	       verify_ops_add(ops, verify_conf_enqueue(ops, mkey, conf),
			      RTE_UMR_OP_MKEY_CONFIGURE, 0);
}

static bool
step_add(uint32_t step, struct verify_ops *ops, struct rte_umr_mkey *mkey,
	 const struct rte_umr_mkey_op *conf)
{
	struct rte_umr_mkey_op part = *conf;

	if ((step & VERIFY_STEP_INVALIDATE) != 0)
		return verify_ops_invalidate(ops, mkey);
	if ((step & VERIFY_STEP_PLAIN) != 0)
		return plain_add(ops, mkey, conf);
	if ((step & VERIFY_STEP_ALL) == 0)
		part.setters = step & RTE_UMR_MKEY_SET_ALL;
	return verify_conf_add(ops, mkey, &part);
}

bool
verify_way_add(const struct verify_way *way, struct verify_ops *ops, struct rte_umr_mkey *mkey,
	       const struct rte_umr_mkey_op *conf, const struct rte_umr_mkey_op *other)
{
	for (unsigned int i = 0; i < RTE_DIM(way->steps) && way->steps[i] != 0; i++)
		if (!step_add(way->steps[i], ops, mkey,
			      (way->steps[i] & VERIFY_STEP_OTHER) != 0 ? other : conf))
			return false;
	return true;
}
