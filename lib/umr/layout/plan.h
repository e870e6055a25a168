/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_PLAN_H
#define LAYOUT_PLAN_H

/**
 * @file
 * Plans: keys and their entries, relative to the address of the data. What is chosen is decided by
 * choose.c, keys are made of it by plan.c.
 */

#include "layout/tree.h"

/** Instead of the number of a key: memory. */
#define UMR_PLAN_MEMORY UINT32_MAX

/** An entry of a key. */
struct umr_plan_entry {
	int64_t off;	/* in that key, or in memory */
	uint32_t key;	/* number of a key in front of this one, or UMR_PLAN_MEMORY */
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
	/* Entries of the key at hand as the device wants them. */
	union {
		struct rte_umr_seg *segs;
		struct rte_umr_interleaved *interleaved;
		void *scratch;
	};
};

/** What a part is made with. */
enum umr_choice_kind {
	UMR_CHOICE_NONE,	/* there is no way within the limits */
	UMR_CHOICE_PIECE,	/* it is in one piece: no key */
	UMR_CHOICE_LIST,	/* a list of its runs */
	UMR_CHOICE_PATTERN,	/* a pattern, and what repeats over that */
	UMR_CHOICE_KEYS,	/* a list of parts, of which some have keys */
	UMR_CHOICE_LISTS,	/* a list of lists */
};

/** Which items of a list, of those that are not in one piece, get keys of their own. */
enum umr_item_rule {
	UMR_ITEM_CHEAPER,	/* those that cost less so */
	UMR_ITEM_LONG,		/* those that are longer than a key costs: the list is too long */
	UMR_ITEM_ALL,
};

struct umr_choice {
	enum umr_choice_kind kind;
	uint64_t nb_keys;
	uint64_t nb_entries;	/* of all keys, headers of patterns included */
	uint32_t nb_levels;
	bool is_inline;		/* one key, in the ring */
	enum umr_item_rule rule; /* UMR_CHOICE_KEYS */
	/* UMR_CHOICE_PATTERN */
	const struct umr_node *unit;	/* what repeats */
	uint32_t period;		/* bytes from one to the next */
	uint32_t repeat;
	int64_t first;			/* where the first one begins, from where the part does */
	struct umr_ref rest;		/* the part as seen through the pattern */
};

/** A part that is to be made. */
struct umr_part {
	struct umr_ref ref;
	uint64_t key_len;	/* of the key that it is in; 0: memory */
	uint32_t nb_levels;	/* keys that can be above that */
};

/** The cheapest way to make a part. Nodes that it makes are in the tree. */
struct umr_choice umr_choose(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
			     const struct umr_part *part);

/** Entries of a list of the runs of a node. */
uint64_t umr_nb_pieces(const struct rte_umr_layout_conf *conf, const struct umr_node *node);

/** Whether an item of a list gets keys of its own; *own is what they cost. */
bool umr_item_has_key(const struct rte_umr_layout_conf *conf, struct umr_tree *tree,
		      const struct umr_node *item, uint32_t nb_levels, enum umr_item_rule rule,
		      struct umr_choice *own);

/** Entries of one key at most. */
static inline uint32_t
umr_max_list(const struct rte_umr_layout_conf *conf)
{
	return RTE_MIN(conf->max_list, conf->max_entries);
}

/** Make keys of a tree. @return 0 or a negative errno (logged but for -ENOMEM). */
int umr_plan_make(struct rte_umr_layout *layout, struct umr_tree *tree, struct umr_ref ref);

#endif /* LAYOUT_PLAN_H */
