/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Selects the form of a tree: compares the cost of each form and uses the cheapest.
 *
 * A pattern selects a unit from each period of memory. In the pattern the units are consecutive, so
 * the part of the tree above them is the same tree with shorter strides:
 *
 *     memory    |uu......|uu......|........|uu......|uu......|    stride 8, then 24
 *     pattern   |uu|uu|..|uu|uu|                                  stride 2, then 6: 2 dimensions
 *                                                                 have become one, of 4 bytes
 *
 * The period divides all strides above the unit, and is at least as long as each piece of the unit.
 * So each dimension of a part of an array can have its own pattern, and a stride that is too long
 * for the device becomes a shorter one over a pattern whose period divides it. The pattern has
 * bytes of every period from the first to the last unit; the key above it skips periods without a
 * unit. If nothing is above the pattern, it is the key.
 */

#include <stdlib.h>

#include "layout/plan.h"

/* Maximum number of runs that are checked for being adjacent. */
#define MAX_COUNTED (1u << 18)

/** An impossible choice. */
static const struct umr_choice no_choice = { .kind = UMR_CHOICE_NONE };

/** Cost of entries and keys as one number. */
static uint64_t
weight(const struct umr_choice *choice)
{
	return choice->nb_entries + choice->nb_keys * RTE_UMR_LAYOUT_KEY_COST;
}

/** Use the new choice if it is better. */
static void
choice_take(const struct rte_umr_layout_conf *conf, struct umr_choice *best,
	    const struct umr_choice *other)
{
	if (other->kind == UMR_CHOICE_NONE || other->nb_keys > conf->max_keys ||
	    other->nb_entries > RTE_UMR_LAYOUT_MAX_ENTRIES)
		return;
	if (best->kind == UMR_CHOICE_NONE || (other->is_inline && !best->is_inline) ||
	    (other->is_inline == best->is_inline && weight(other) < weight(best)))
		*best = *other;
}

uint64_t
umr_nb_pieces(const struct rte_umr_layout_conf *conf, const struct umr_node *node)
{
	uint64_t i, nb;

	if (node->max_run <= conf->max_entry_len)
		return node->nb_runs;
	switch (node->kind) {
	case UMR_NODE_RUN:
		return (node->len - 1) / conf->max_entry_len + 1;
	case UMR_NODE_STRIDED:
		return node->n * umr_nb_pieces(conf, node->child);
	default:
		for (nb = 0, i = 0; i < node->n; i++)
			nb += umr_nb_pieces(conf, node->items[i].node);
		return nb;
	}
}

/** Entries of a list under construction. */
struct count {
	uint64_t nb, max_len;
	uint64_t len;	/* of the last entry */
	int64_t end;	/* of it */
};

static int
count_add(void *arg, int64_t off, uint64_t len)
{
	struct count *count = arg;
	uint64_t part;

	/* Merge with the last entry if adjacent. */
	if (count->nb != 0 && off == count->end) {
		part = RTE_MIN(len, count->max_len - count->len);
		count->len += part;
		count->end += (int64_t)part;
		off += (int64_t)part;
		len -= part;
	}
	if (len == 0)
		return 0;
	count->nb += (len - 1) / count->max_len + 1;
	count->len = (len - 1) % count->max_len + 1;
	count->end = off + (int64_t)len;
	return 0;
}

/** Number of entries of a list of all runs; exact if there are not too many. */
static uint64_t
nb_listed(const struct rte_umr_layout_conf *conf, const struct umr_node *node)
{
	struct count count = { .max_len = conf->max_entry_len };

	if (node->nb_runs > MAX_COUNTED)
		return umr_nb_pieces(conf, node);
	umr_node_visit(node, 0, count_add, &count);
	return count.nb;
}

/** A list of all runs; if there are too many, a list of lists. */
static struct umr_choice
choose_list(const struct rte_umr_layout_conf *conf, const struct umr_part *part)
{
	const uint64_t max = umr_max_list(conf), nb = nb_listed(conf, part->ref.node);
	const uint64_t nb_lists = (nb - 1) / max + 1;
	struct umr_choice choice = {
		.kind = UMR_CHOICE_LIST,
		.nb_keys = 1,
		.nb_entries = nb,
		.nb_levels = 1,
		.is_inline = nb <= conf->max_list_inline,
	};
	uint64_t nb_top;

	if (nb <= max)
		return choice;
	/* A list may be longer than the largest entry. */
	nb_top = nb_lists + part->ref.node->len / conf->max_entry_len;
	if (part->nb_levels < 2 || nb_top > max)
		return no_choice;
	choice.kind = UMR_CHOICE_LISTS;
	choice.nb_keys = nb_lists + 1;
	choice.nb_entries = nb + nb_top;
	choice.nb_levels = 2;
	choice.is_inline = false;
	return choice;
}

static uint64_t
gcd(uint64_t a, uint64_t b)
{
	uint64_t rest;

	while (b != 0) {
		rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/** Path from the top of a tree to its units. */
struct spine {
	uint64_t gcd;		/* of all distances */
	int64_t first, last;	/* starts of units, relative to the tree */
};

/** Next node on the path to identical units, or NULL; adds the step to spine. */
static const struct umr_node *
spine_next(const struct umr_node *node, struct spine *spine)
{
	int64_t first = 0, last = 0;
	uint64_t i;

	switch (node->kind) {
	case UMR_NODE_STRIDED:
		last = (int64_t)(node->n - 1) * node->stride;
		spine->gcd = gcd(spine->gcd, (uint64_t)llabs(node->stride));
		spine->first += RTE_MIN(last, 0);
		spine->last += RTE_MAX(last, 0);
		return node->child;
	case UMR_NODE_LIST:
		for (i = 1; i < node->n; i++) {
			if (!umr_node_equal(node->items[0].node, node->items[i].node))
				return NULL;
			spine->gcd = gcd(spine->gcd, (uint64_t)llabs(node->items[i].off));
			first = RTE_MIN(first, node->items[i].off);
			last = RTE_MAX(last, node->items[i].off);
		}
		spine->first += first;
		spine->last += last;
		return node->items[0].node;
	default:
		return NULL;
	}
}

/** The largest divisor of n in [min, max], or 0. Results are cached. */
static uint32_t
divisor(struct umr_tree *tree, uint64_t n, uint64_t min, uint32_t max)
{
	struct umr_divisor *known = &tree->divisors[(n * 31 + min) % RTE_DIM(tree->divisors)];
	uint32_t d;

	if (n <= max)
		return n >= min ? (uint32_t)n : 0;
	if (known->n == n && known->min == min)
		return known->divisor;
	for (d = max; d >= min && d > 0; d--)
		if (n % d == 0)
			break;
	*known = (struct umr_divisor){ n, min, d >= min ? d : 0 };
	return known->divisor;
}

/** A tree in terms of a pattern. */
static struct umr_ref
squeeze(struct umr_tree *tree, const struct umr_node *node, const struct umr_choice *how)
{
	const int64_t len = (int64_t)how->unit->len, period = how->period;
	struct umr_ref *items;
	uint64_t i;

	if (node == how->unit || tree->error != 0)
		return umr_tree_run(tree, how->unit->len);
	if (node->kind == UMR_NODE_STRIDED)
		return umr_tree_strided(tree, node->n,
					umr_tree_mul(tree, node->stride / period, len),
					squeeze(tree, node->child, how));
	items = umr_tree_alloc(tree, (size_t)node->n * sizeof(*items));
	if (items == NULL)
		return (struct umr_ref){ 0 };
	items[0] = squeeze(tree, node->items[0].node, how);
	for (i = 1; i < node->n; i++) {
		items[i] = items[0];
		items[i].off += umr_tree_mul(tree, node->items[i].off / period, len);
	}
	return umr_tree_list(tree, items, node->n);
}

/** A pattern of a unit, and the rest above it. */
static struct umr_choice
choose_pattern(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
	       const struct umr_part *part, const struct umr_node *unit, const struct spine *spine)
{
	const uint64_t nb = umr_nb_pieces(conf, unit);
	struct umr_choice choice = { .kind = UMR_CHOICE_PATTERN, .unit = unit }, above;
	uint64_t nb_rounds;
	struct umr_part rest;

	if (nb > conf->max_interleaved || nb >= conf->max_entries)
		return no_choice;
	choice.period = divisor(tree, spine->gcd, unit->max_run, conf->max_interleaved_stride);
	/* The pattern would skip nothing. */
	if (choice.period == 0 ||
	    (unit->kind == UMR_NODE_RUN && choice.period == unit->len))
		return no_choice;
	nb_rounds = (uint64_t)(spine->last - spine->first) / choice.period + 1;
	if (nb_rounds > UINT32_MAX)
		return no_choice;
	choice.repeat = (uint32_t)nb_rounds;
	choice.first = spine->first;
	choice.rest = squeeze(tree, part->ref.node, &choice);
	if (tree->error != 0)
		return no_choice;
	choice.rest.off -= spine->first / (int64_t)choice.period * (int64_t)unit->len;
	rest = (struct umr_part){
		.ref = choice.rest,
		.key_len = nb_rounds * unit->len,
		.nb_levels = part->nb_levels - 1,
	};
	above = umr_choose(conf, tree, &rest);
	if (above.kind == UMR_CHOICE_NONE)
		return no_choice;
	choice.nb_keys = 1 + above.nb_keys;
	choice.nb_entries = 1 + nb + above.nb_entries;
	choice.nb_levels = 1 + above.nb_levels;
	choice.is_inline = above.nb_keys == 0 && nb <= conf->max_interleaved_inline;
	return choice;
}

bool
umr_item_has_key(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
		 const struct umr_node *item, uint32_t nb_levels, enum umr_item_rule rule,
		 struct umr_choice *own)
{
	const struct umr_part part = { .ref.node = item, .nb_levels = nb_levels };

	if (item->kind == UMR_NODE_RUN)
		return false;
	*own = umr_choose(conf, tree, &part);
	if (own->kind == UMR_CHOICE_NONE)
		return false;
	if (rule == UMR_ITEM_ALL)
		return true;
	if (rule == UMR_ITEM_LONG)
		return umr_nb_pieces(conf, item) > RTE_UMR_LAYOUT_KEY_COST;
	return weight(own) + (item->len - 1) / conf->max_entry_len + 1 <
			       umr_nb_pieces(conf, item);
}

/** A list with an entry for each child or item, which is one piece or has its own keys. */
static struct umr_choice
choose_keys(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
	    const struct umr_part *part, enum umr_item_rule rule)
{
	const struct umr_node *node = part->ref.node, *last = NULL, *item;
	struct umr_choice choice = { .kind = UMR_CHOICE_KEYS, .nb_levels = 1 }, own = { 0 };
	const bool is_strided = node->kind == UMR_NODE_STRIDED;
	const uint64_t nb = is_strided ? 1 : node->n, times = is_strided ? node->n : 1;
	uint64_t i, nb_top = 0;
	bool has_key = false, has_any = false;

	if (part->nb_levels < 2 || node->kind == UMR_NODE_RUN)
		return no_choice;
	for (i = 0; i < nb; i++) {
		item = is_strided ? node->child : node->items[i].node;
		if (item != last)
			has_key = umr_item_has_key(conf, tree, item, part->nb_levels - 1, rule,
						   &own);
		last = item;
		if (!has_key) {
			nb_top += times * umr_nb_pieces(conf, item);
			continue;
		}
		if (times > conf->max_keys)
			return no_choice;
		has_any = true;
		nb_top += times * ((item->len - 1) / conf->max_entry_len + 1);
		choice.nb_keys += times * own.nb_keys;
		choice.nb_entries += times * own.nb_entries;
		choice.nb_levels = RTE_MAX(choice.nb_levels, own.nb_levels + 1);
	}
	if (!has_any || nb_top > umr_max_list(conf))
		return no_choice;
	choice.rule = rule;
	choice.nb_keys++;
	choice.nb_entries += nb_top;
	return choice;
}

static const enum umr_item_rule rules[] = { UMR_ITEM_CHEAPER, UMR_ITEM_LONG, UMR_ITEM_ALL };

struct umr_choice
umr_choose(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
	   const struct umr_part *part)
{
	const struct umr_node *node = part->ref.node, *unit = node;
	const struct umr_choice piece = { .kind = UMR_CHOICE_PIECE };
	struct umr_choice best = no_choice, other;
	struct spine spine = { 0 };
	unsigned int i;

	/* A whole key needs no further key. */
	if (node->kind == UMR_NODE_RUN && part->ref.off == 0 && node->len == part->key_len)
		return piece;
	if (part->nb_levels == 0)
		return no_choice;
	other = choose_list(conf, part);
	choice_take(conf, &best, &other);
	if (node->kind == UMR_NODE_RUN)
		return best;
	while (conf->max_interleaved != 0 && (unit = spine_next(unit, &spine)) != NULL) {
		other = choose_pattern(conf, tree, part, unit, &spine);
		choice_take(conf, &best, &other);
	}
	for (i = 0; i < RTE_DIM(rules); i++) {
		other = choose_keys(conf, tree, part, rules[i]);
		choice_take(conf, &best, &other);
	}
	return best;
}
