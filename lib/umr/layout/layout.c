/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Layouts of arrays and types: plans and their operations. */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "layout/plan.h"
#include "rte_umr_private.h"

/* Access bits that write memory. */
#define WRITE_ACCESS                                                                               \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC)

static_assert(sizeof(struct rte_umr_interleaved) >= sizeof(struct rte_umr_seg),
	      "room for entries of patterns is room for those of lists");

static int
conf_check(const struct rte_umr_layout_conf *conf)
{
	if (conf == NULL) {
		UMR_LOG(ERR, "layout: conf is NULL");
		return -EINVAL;
	}
	if ((conf->flags & ~RTE_UMR_LAYOUT_F_ALL) != 0) {
		UMR_LOG(ERR, "layout: flags 0x%x has bits beyond 0x%x", conf->flags,
			RTE_UMR_LAYOUT_F_ALL);
		return -EINVAL;
	}
	if (conf->max_keys == 0 || conf->max_entries == 0 || conf->max_list == 0 ||
	    conf->max_entry_len == 0 || conf->max_levels == 0) {
		UMR_LOG(ERR, "layout: a limit is 0: %u keys, %u entries, lists of %u, pieces of %u "
			"bytes, %u levels", conf->max_keys, conf->max_entries, conf->max_list,
			conf->max_entry_len, conf->max_levels);
		return -EINVAL;
	}
	if (conf->reserved != 0 || !UMR_IS_ZERO(conf->reserved2)) {
		UMR_LOG(ERR, "layout: a reserved field of the limits is not 0");
		return -EINVAL;
	}
	return 0;
}

/** Check that writes are possible: no byte may appear twice. */
static int
writes_check(const struct rte_umr_layout *layout, const struct umr_node *node)
{
	int ret;

	if ((layout->conf.flags & RTE_UMR_LAYOUT_F_WRITE) == 0)
		return 0;
	ret = umr_node_disjoint(node);
	if (ret == -EEXIST)
		UMR_LOG(ERR, "layout: of %" PRIu64 " bytes in %" PRIu64 " pieces within %" PRId64
			" some overlap, which writes must not", node->len, node->nb_runs,
			node->ub - node->lb);
	return ret;
}

static int
plan(struct rte_umr_layout *layout, struct umr_tree *tree, const struct rte_umr_type *type)
{
	const struct umr_ref ref = umr_type_tree(tree, type);
	int ret;

	if (tree->error != 0)
		return tree->error;
	if (ref.node == NULL) {
		UMR_LOG(ERR, "layout: 0 bytes, at least 1 is needed");
		return -EINVAL;
	}
	ret = writes_check(layout, ref.node);
	if (ret == 0)
		ret = umr_plan_make(layout, tree, ref);
	if (ret != 0)
		return ret;
	layout->scratch = malloc((size_t)layout->cost.max_entries *
				 sizeof(struct rte_umr_interleaved));
	return layout->scratch == NULL ? -ENOMEM : 0;
}

struct rte_umr_layout *
rte_umr_layout_plan(const struct rte_umr_layout_conf *conf, const struct rte_umr_type *type)
{
	struct rte_umr_layout *layout;
	struct umr_tree tree = { 0 };
	int ret;

	ret = conf_check(conf);
	if (ret != 0)
		goto fail;
	layout = calloc(1, sizeof(*layout));
	if (layout == NULL) {
		ret = -ENOMEM;
		goto fail;
	}
	layout->conf = *conf;
	ret = plan(layout, &tree, type);
	umr_tree_free(&tree);
	if (ret == 0)
		return layout;
	rte_umr_layout_free(layout);
fail:
	rte_errno = -ret;
	return NULL;
}

void
rte_umr_layout_free(struct rte_umr_layout *layout)
{
	if (layout == NULL)
		return;
	free(layout->scratch);
	free(layout->entries);
	free(layout->keys);
	free(layout);
}

void
rte_umr_layout_cost_get(const struct rte_umr_layout *layout, struct rte_umr_layout_cost *cost)
{
	*cost = layout->cost;
}

int
rte_umr_layout_key_get(const struct rte_umr_layout *layout, uint32_t i,
		       struct rte_umr_layout_key *key)
{
	if (i >= layout->cost.nb_keys) {
		UMR_LOG(ERR, "layout: key %u does not exist, it has %u", i, layout->cost.nb_keys);
		return -ERANGE;
	}
	*key = layout->keys[i].attr;
	return 0;
}

int
rte_umr_layout_size(int16_t dev_id, uint16_t queue_id, const struct rte_umr_layout *layout,
		    struct rte_umr_layout_size *size)
{
	struct rte_umr_layout_size sum = { 0 };
	struct rte_umr_op_size one;
	uint32_t i;
	int ret;

	for (i = 0; i < layout->cost.nb_keys; i++) {
		const struct rte_umr_op_shape shape = {
			.op = layout->keys[i].attr.layout == RTE_UMR_LAYOUT_LIST ?
				      RTE_UMR_OP_MKEY_LIST : RTE_UMR_OP_MKEY_INTERLEAVED,
			.nb_entries = layout->keys[i].attr.nb_entries,
		};

		ret = rte_umr_op_desc(dev_id, queue_id, &shape, &one);
		if (ret != 0)
			return ret;
		sum.nb_desc += one.nb_desc;
		sum.nb_list_entries += one.nb_list_entries;
	}
	*size = sum;
	return 0;
}

static int
op_check(const struct rte_umr_layout *layout, const struct rte_umr_layout_op *op)
{
	const struct rte_umr_layout_cost *cost = &layout->cost;
	const int64_t lb = cost->lb, ub = cost->ub;

	if (op->nb_mkeys != cost->nb_keys || op->first >= cost->nb_keys || op->mkeys == NULL ||
	    !UMR_IS_ZERO(op->reserved)) {
		UMR_LOG(ERR, "layout: %u keys from %u on, %u are needed, or mkeys is NULL, or a "
			"reserved field is not 0", op->nb_mkeys, op->first, cost->nb_keys);
		return -EINVAL;
	}
	/*
	 * Check it now: only the topmost key gets all access bits, after the others are enqueued.
	 */
	if ((op->access & ~RTE_UMR_MKEY_ACCESS_ALL) != 0) {
		UMR_LOG(ERR, "layout: access 0x%x has bits beyond 0x%x", op->access,
			RTE_UMR_MKEY_ACCESS_ALL);
		return -EINVAL;
	}
	if ((op->access & WRITE_ACCESS) != 0 &&
	    (layout->conf.flags & RTE_UMR_LAYOUT_F_WRITE) == 0) {
		UMR_LOG(ERR, "layout: access 0x%x has writes, it was planned for reads of memory",
			op->access);
		return -EACCES;
	}
	if ((lb < 0 && op->addr < (uint64_t)-lb) ||
	    (ub > 0 && op->addr > UINT64_MAX - (uint64_t)ub)) {
		UMR_LOG(ERR, "layout: address 0x%" PRIx64 ", bytes from %" PRId64 " to %" PRId64
			" of it do not exist", op->addr, lb, ub);
		return -ERANGE;
	}
	return 0;
}

/** Check that each key to configure has room for its entries. */
static int
mkeys_check(int16_t dev_id, const struct rte_umr_layout *layout,
	    const struct rte_umr_layout_op *op)
{
	const struct rte_umr_layout_key *attr;
	const struct rte_umr_mkey *mkey;
	uint32_t i, nb;

	for (i = 0; i < op->nb_mkeys; i++) {
		mkey = op->mkeys[i];
		if (mkey == NULL) {
			UMR_LOG(ERR, "layout: key %u of %u is NULL", i, op->nb_mkeys);
			return -EINVAL;
		}
		if (mkey->dev_id != dev_id) {
			UMR_LOG(ERR, "layout: key 0x%x is of device %d, not %d", mkey->key,
				mkey->dev_id, dev_id);
			return -EXDEV;
		}
		attr = &layout->keys[i].attr;
		nb = attr->nb_entries + (attr->layout == RTE_UMR_LAYOUT_INTERLEAVED);
		if (nb > mkey->max_entries) {
			UMR_LOG(ERR, "layout: key %u of %u has %u entries, 0x%x was created for %u",
				i, op->nb_mkeys, nb, mkey->key, mkey->max_entries);
			return -E2BIG;
		}
	}
	return 0;
}

/** Key and address of an entry. */
static uint32_t
entry_resolve(const struct rte_umr_layout_op *op, const struct umr_plan_entry *entry,
	      uint64_t *addr)
{
	if (entry->key == UMR_PLAN_MEMORY) {
		*addr = op->addr + (uint64_t)entry->off;
		return op->lkey;
	}
	*addr = (uint64_t)entry->off;
	return op->mkeys[entry->key]->key;
}

static void
segs_fill(struct rte_umr_layout *layout, const struct umr_plan_key *key,
	  const struct rte_umr_layout_op *op)
{
	const struct umr_plan_entry *entry = &layout->entries[key->first];
	uint32_t i;

	for (i = 0; i < key->attr.nb_entries; i++, entry++) {
		layout->segs[i].lkey = entry_resolve(op, entry, &layout->segs[i].addr);
		layout->segs[i].length = entry->len;
	}
}

static void
pattern_fill(struct rte_umr_layout *layout, const struct umr_plan_key *key,
	     const struct rte_umr_layout_op *op)
{
	const struct umr_plan_entry *entry = &layout->entries[key->first];
	struct rte_umr_interleaved *to = layout->interleaved;
	uint32_t i;

	for (i = 0; i < key->attr.nb_entries; i++, entry++, to++) {
		to->lkey = entry_resolve(op, entry, &to->addr);
		to->bytes_count = entry->len;
		to->bytes_skip = entry->skip;
	}
}

/** Configure one key. @return Same as rte_umr_mkey_list(). */
static int
key_enqueue(int16_t dev_id, uint16_t queue_id, struct rte_umr_layout *layout,
	    const struct rte_umr_layout_op *op, uint32_t i, uint64_t flags)
{
	const struct umr_plan_key *key = &layout->keys[i];
	uint32_t access = op->access;

	/* Keys below a key are used locally, regardless of its user. */
	if (i + 1 != op->nb_mkeys)
		access = (access & RTE_UMR_ACCESS_RELAXED_ORDERING) |
			 ((access & WRITE_ACCESS) != 0 ? RTE_UMR_ACCESS_LOCAL_WRITE : 0);
	if (key->attr.layout == RTE_UMR_LAYOUT_LIST) {
		segs_fill(layout, key, op);
		return rte_umr_mkey_list(dev_id, queue_id, op->mkeys[i], access, layout->segs,
					 key->attr.nb_entries, flags);
	}
	pattern_fill(layout, key, op);
	return rte_umr_mkey_interleaved(dev_id, queue_id, op->mkeys[i], access, key->attr.repeat,
					layout->interleaved, key->attr.nb_entries, flags);
}

int
rte_umr_layout_enqueue(int16_t dev_id, uint16_t queue_id, struct rte_umr_layout *layout,
		       const struct rte_umr_layout_op *op, uint64_t flags)
{
	uint64_t own = flags & ~RTE_UMR_OP_F_SUBMIT;
	uint32_t i;
	int ret;

	/* Without a device, keys cannot belong to it; report the device instead. */
	if (rte_umr_fp_entry(dev_id, queue_id)->queue == rte_umr_fp_no_entry(false)->queue)
		return -ENODEV;
	ret = op_check(layout, op);
	if (ret == 0)
		ret = mkeys_check(dev_id, layout, op);
	if (ret != 0)
		return ret;
	for (i = op->first; i < op->nb_mkeys; i++) {
		ret = key_enqueue(dev_id, queue_id, layout, op, i, own);
		if (ret < 0)
			break;
		own &= ~RTE_UMR_OP_F_FENCE;
	}
	if (i == op->first)
		return ret;
	if ((flags & RTE_UMR_OP_F_SUBMIT) != 0)
		rte_umr_submit(dev_id, queue_id);
	return (int)(i - op->first);
}
