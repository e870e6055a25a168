/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_PLAN_H
#define LAYOUT_PLAN_H

/**
 * @file
 * Plans: keys and their entries, relative to the address of the data. choose.c selects the cheapest
 * form, plan.c creates the keys.
 */

#include "layout/tree.h"

/** Value of umr_plan_entry::key for memory. */
#define UMR_PLAN_MEMORY UINT32_MAX

/** An entry of a key. */
struct umr_plan_entry {
	int64_t off;	/* in that key, or in memory */
	uint32_t key;	/* index of an earlier key, or UMR_PLAN_MEMORY */
	uint32_t len;
	uint32_t skip;	/* of a pattern */
};

struct umr_plan_key {
	struct rte_umr_layout_key attr;
	size_t first;	/* entry */
};

struct rte_umr_layout {
	struct rte_umr_layout_conf conf;
	struct rte_umr_layout_cost cost;
	struct umr_plan_key *keys;
	struct umr_plan_entry *entries;
	uint32_t max_keys;	/* room for */
	size_t nb_entries, room;
	/* Entries of the current key in the format of the device. */
	union {
		struct rte_umr_seg *segs;
		struct rte_umr_interleaved *interleaved;
		void *scratch;
	};
};

/** Form of a part. */
enum umr_choice_kind {
	UMR_CHOICE_NONE,	/* not possible within the limits */
	UMR_CHOICE_PIECE,	/* one piece: no key */
	UMR_CHOICE_LIST,	/* a list of its runs */
	UMR_CHOICE_PATTERN,	/* a pattern, and what repeats it */
	UMR_CHOICE_KEYS,	/* a list of parts, some with keys */
	UMR_CHOICE_LISTS,	/* a list of lists */
};

/**
 * Rule that selects the items of a list, of those that are not one piece, that get their own keys.
 */
enum umr_item_rule {
	UMR_ITEM_CHEAPER,	/* those that are cheaper with a key */
	UMR_ITEM_LONG,		/* those longer than the cost of a key: the list is too long */
	UMR_ITEM_ALL,
};

struct umr_choice {
	enum umr_choice_kind kind;
	uint64_t nb_keys;
	uint64_t nb_entries;	/* of all keys, including headers of patterns */
	uint32_t nb_levels;
	bool is_inline;		/* one key, in the ring */
	enum umr_item_rule rule; /* UMR_CHOICE_KEYS */
	/* UMR_CHOICE_PATTERN */
	const struct umr_node *unit;	/* what repeats */
	uint32_t period;		/* bytes from one repetition to the next */
	uint32_t repeat;
	int64_t first;			/* start of the first one, relative to the part */
	struct umr_ref rest;		/* the part in terms of the pattern */
};

/** A part of a plan. */
struct umr_part {
	struct umr_ref ref;
	uint64_t key_len;	/* of the key that contains it; 0: memory */
	uint32_t nb_levels;	/* levels of keys allowed above it */
};

/** Find the cheapest form of a part. New nodes belong to the tree. */
struct umr_choice umr_choose(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
			     const struct umr_part *part);

/** Entries of a list of the runs of a node. */
uint64_t umr_nb_pieces(const struct rte_umr_layout_conf *conf, const struct umr_node *node);

/** Whether an item of a list gets its own keys; *own is their cost. */
bool umr_item_has_key(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
		      const struct umr_node *item, uint32_t nb_levels, enum umr_item_rule rule,
		      struct umr_choice *own);

/** Maximum entries of a key. */
static inline uint32_t
umr_max_list(const struct rte_umr_layout_conf *conf)
{
	return RTE_MIN(conf->max_list, conf->max_entries);
}

/** Create the keys of a tree. @return 0 or a negative errno (logged except for -ENOMEM). */
int umr_plan_make(struct rte_umr_layout *layout, struct umr_tree *tree, struct umr_ref ref);

#endif /* LAYOUT_PLAN_H */
