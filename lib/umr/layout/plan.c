/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Creates the keys of a choice, from those that refer to memory upwards. */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "layout/plan.h"
#include "rte_umr_private.h"

/** A plan under construction. */
struct maker {
	struct rte_umr_layout *layout;
	struct umr_tree *tree;
	int error;
};

/** Location of a contiguous part. */
struct place {
	uint32_t key; /* UMR_PLAN_MEMORY, or an index */
	int64_t off;
	uint64_t len;
};

/** Make room for one more element; NULL on error. */
static void *
array_grow(struct maker *maker, void *array, size_t nb, size_t *room, size_t size)
{
	const size_t more = nb == 0 ? 16 : nb * 2;
	void *grown;

	if (nb < *room)
		return array;
	grown = realloc(array, more * size);
	if (grown == NULL) {
		maker->error = -ENOMEM;
		return NULL;
	}
	*room = more;
	return grown;
}

static void
key_begin(struct maker *maker, uint8_t type, uint32_t repeat)
{
	struct rte_umr_layout *layout = maker->layout;
	size_t room = layout->max_keys;
	struct umr_plan_key *keys;

	if (maker->error != 0)
		return;
	keys = array_grow(maker, layout->keys, layout->cost.nb_keys, &room, sizeof(*keys));
	if (keys == NULL)
		return;
	layout->max_keys = (uint32_t)room;
	layout->keys = keys;
	keys[layout->cost.nb_keys++] = (struct umr_plan_key){
		.attr = { .layout = type, .repeat = repeat, .level = 1 },
		.first = layout->nb_entries,
	};
}

/** Add an entry to the newest key. */
static void
entry_add(struct maker *maker, const struct umr_plan_entry *entry)
{
	struct rte_umr_layout *layout = maker->layout;
	struct umr_plan_entry *entries;
	struct umr_plan_key *key;

	if (maker->error != 0)
		return;
	entries = array_grow(maker, layout->entries, layout->nb_entries, &layout->room,
			     sizeof(*entries));
	if (entries == NULL)
		return;
	layout->entries = entries;
	entries[layout->nb_entries++] = *entry;
	key = &layout->keys[layout->cost.nb_keys - 1];
	key->attr.nb_entries++;
	key->attr.len += (uint64_t)entry->len * key->attr.repeat;
	if (entry->key != UMR_PLAN_MEMORY &&
	    key->attr.level <= layout->keys[entry->key].attr.level)
		key->attr.level = (uint16_t)(layout->keys[entry->key].attr.level + 1);
}

/** Location of the whole newest key. */
static struct place
key_place(const struct maker *maker)
{
	const struct rte_umr_layout *layout = maker->layout;
	const uint32_t last = layout->cost.nb_keys - 1;

	if (maker->error != 0)
		return (struct place){ 0 };
	return (struct place){ last, 0, layout->keys[last].attr.len };
}

/** Add a location to a list, as entries that the device supports. */
static void
place_add(struct maker *maker, struct place place)
{
	const uint32_t max = maker->layout->conf.max_entry_len;
	struct umr_plan_entry entry = { .key = place.key };

	for (; place.len != 0 && maker->error == 0; place.len -= entry.len) {
		entry.off = place.off;
		entry.len = (uint32_t)RTE_MIN(place.len, (uint64_t)max);
		entry_add(maker, &entry);
		place.off += entry.len;
	}
}

/** Runs for one key, or for several in sequence. */
struct run_arg {
	struct maker *maker;
	uint32_t key;		/* that contains the runs */
	uint32_t period;	/* 0: a list */
	uint32_t max;		/* maximum entries of a key; 0: any */
};

/** Merge a run with the last entry of a list if adjacent. Returns the merged bytes. */
static uint64_t
run_join(const struct run_arg *arg, int64_t off, uint64_t len)
{
	struct rte_umr_layout *layout = arg->maker->layout;
	struct umr_plan_key *key = &layout->keys[layout->cost.nb_keys - 1];
	struct umr_plan_entry *last;
	uint64_t part;

	if (arg->period != 0 || key->attr.nb_entries == 0)
		return 0;
	last = &layout->entries[layout->nb_entries - 1];
	if (last->key != arg->key || last->off + (int64_t)last->len != off)
		return 0;
	part = RTE_MIN(len, (uint64_t)(layout->conf.max_entry_len - last->len));
	last->len += (uint32_t)part;
	key->attr.len += part;
	return part;
}

static int
run_add(void *a, int64_t off, uint64_t len)
{
	const struct run_arg *arg = a;
	const struct rte_umr_layout *layout = arg->maker->layout;
	const uint64_t max_len = layout->conf.max_entry_len;
	struct umr_plan_entry entry = { .key = arg->key };
	uint64_t part;

	if (arg->maker->error != 0)
		return arg->maker->error;
	part = run_join(arg, off, len);
	off += (int64_t)part;
	len -= part;
	for (; len != 0 && arg->maker->error == 0; len -= entry.len, off += entry.len) {
		entry.off = off;
		entry.len = (uint32_t)RTE_MIN(len, max_len);
		entry.skip = arg->period == 0 ? 0 : arg->period - entry.len;
		if (arg->max != 0 &&
		    layout->keys[layout->cost.nb_keys - 1].attr.nb_entries == arg->max)
			key_begin(arg->maker, RTE_UMR_LAYOUT_LIST, 1);
		entry_add(arg->maker, &entry);
	}
	return arg->maker->error;
}

static struct place part_make(struct maker *maker, struct umr_ref ref, uint32_t key,
			      uint64_t key_len, uint32_t nb_levels);

static struct place
list_make(struct maker *maker, struct umr_ref ref, uint32_t key)
{
	struct run_arg arg = { .maker = maker, .key = key };

	key_begin(maker, RTE_UMR_LAYOUT_LIST, 1);
	umr_node_visit(ref.node, ref.off, run_add, &arg);
	return key_place(maker);
}

static struct place
lists_make(struct maker *maker, struct umr_ref ref, uint32_t key)
{
	struct run_arg arg = {
		.maker = maker, .key = key, .max = umr_max_list(&maker->layout->conf),
	};
	const uint32_t first = maker->layout->cost.nb_keys;
	uint32_t i, end;

	key_begin(maker, RTE_UMR_LAYOUT_LIST, 1);
	umr_node_visit(ref.node, ref.off, run_add, &arg);
	end = maker->layout->cost.nb_keys;
	key_begin(maker, RTE_UMR_LAYOUT_LIST, 1);
	for (i = first; i < end && maker->error == 0; i++)
		place_add(maker, (struct place){ i, 0, maker->layout->keys[i].attr.len });
	return key_place(maker);
}

static struct place
pattern_make(struct maker *maker, const struct umr_choice *choice, struct umr_ref ref,
	     uint32_t key, uint32_t nb_levels)
{
	struct run_arg arg = { .maker = maker, .key = key, .period = choice->period };
	struct place pattern;

	key_begin(maker, RTE_UMR_LAYOUT_INTERLEAVED, choice->repeat);
	umr_node_visit(choice->unit, ref.off + choice->first, run_add, &arg);
	pattern = key_place(maker);
	return part_make(maker, choice->rest, pattern.key, pattern.len, nb_levels - 1);
}

/** Child or item i of a node. */
static struct umr_ref
item_of(struct umr_ref ref, uint64_t i)
{
	struct umr_ref item = { .off = (int64_t)i * ref.node->stride, .node = ref.node->child };

	if (ref.node->kind == UMR_NODE_LIST)
		item = ref.node->items[i];
	item.off += ref.off;
	return item;
}

/** Create the keys of parts of a list first, then the list. */
static struct place
keys_make(struct maker *maker, struct umr_ref ref, uint32_t key, uint32_t nb_levels,
	  enum umr_item_rule rule)
{
	const struct rte_umr_layout_conf *conf = &maker->layout->conf;
	struct run_arg arg = { .maker = maker, .key = key };
	const struct umr_node *last = NULL;
	struct umr_choice own;
	struct place *places;
	struct umr_ref item;
	bool has_key = false;
	uint64_t i;

	places = calloc((size_t)ref.node->n, sizeof(*places));
	if (places == NULL)
		maker->error = -ENOMEM;
	for (i = 0; i < ref.node->n && maker->error == 0; i++) {
		item = item_of(ref, i);
		if (item.node != last)
			has_key = umr_item_has_key(conf, maker->tree, item.node, nb_levels - 1,
						   rule, &own);
		last = item.node;
		if (has_key)
			places[i] = part_make(maker, item, key, 0, nb_levels - 1);
	}
	key_begin(maker, RTE_UMR_LAYOUT_LIST, 1);
	for (i = 0; i < ref.node->n && maker->error == 0; i++) {
		item = item_of(ref, i);
		if (places[i].len != 0)
			place_add(maker, places[i]);
		else
			umr_node_visit(item.node, item.off, run_add, &arg);
	}
	free(places);
	return key_place(maker);
}

static struct place
part_make(struct maker *maker, struct umr_ref ref, uint32_t key, uint64_t key_len,
	  uint32_t nb_levels)
{
	const struct umr_part part = { .ref = ref, .key_len = key_len, .nb_levels = nb_levels };
	struct umr_choice choice;

	if (maker->error == 0)
		maker->error = maker->tree->error;
	if (maker->error != 0)
		return (struct place){ 0 };
	choice = umr_choose(&maker->layout->conf, maker->tree, &part);
	switch (choice.kind) {
	case UMR_CHOICE_PIECE:
		return (struct place){ key, ref.off, ref.node->len };
	case UMR_CHOICE_LIST:
		return list_make(maker, ref, key);
	case UMR_CHOICE_LISTS:
		return lists_make(maker, ref, key);
	case UMR_CHOICE_PATTERN:
		return pattern_make(maker, &choice, ref, key, nb_levels);
	case UMR_CHOICE_KEYS:
		return keys_make(maker, ref, key, nb_levels, choice.rule);
	default:
		maker->error = maker->tree->error != 0 ? maker->tree->error : -E2BIG;
		return (struct place){ 0 };
	}
}

/** Sum up the properties of all keys. */
static void
cost_sum(struct rte_umr_layout *layout, struct umr_ref ref)
{
	struct rte_umr_layout_cost *cost = &layout->cost;
	const struct rte_umr_layout_key *attr;
	uint32_t i, nb;

	cost->len = ref.node->len;
	cost->lb = ref.off + ref.node->lb;
	cost->ub = ref.off + ref.node->ub;
	cost->nb_pieces = ref.node->nb_runs;
	cost->is_contiguous = ref.node->kind == UMR_NODE_RUN;
	for (i = 0; i < cost->nb_keys; i++) {
		attr = &layout->keys[i].attr;
		nb = attr->nb_entries + (attr->layout == RTE_UMR_LAYOUT_INTERLEAVED);
		cost->nb_entries += nb;
		cost->max_entries = RTE_MAX(cost->max_entries, nb);
		if (attr->level > cost->nb_levels)
			cost->nb_levels = attr->level;
	}
}

int
umr_plan_make(struct rte_umr_layout *layout, struct umr_tree *tree, struct umr_ref ref)
{
	const struct rte_umr_layout_conf *conf = &layout->conf;
	struct maker maker = { .layout = layout, .tree = tree };
	struct place place;

	place = part_make(&maker, ref, UMR_PLAN_MEMORY, 0, conf->max_levels);
	RTE_SET_USED(place);
	if (maker.error == -E2BIG)
		UMR_LOG(ERR, "layout: %" PRIu64 " bytes in %" PRIu64 " pieces, as a list %" PRIu64
			" entries: not within %u of a key (list %u, pattern %u, stride up to %u), "
			"%u keys, %u levels, %u entries in all", ref.node->len, ref.node->nb_runs,
			umr_nb_pieces(conf, ref.node), conf->max_entries, conf->max_list,
			conf->max_interleaved, conf->max_interleaved_stride, conf->max_keys,
			conf->max_levels, RTE_UMR_LAYOUT_MAX_ENTRIES);
	if (maker.error == 0)
		cost_sum(layout, ref);
	return maker.error;
}
