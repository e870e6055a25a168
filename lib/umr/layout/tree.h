/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_TREE_H
#define LAYOUT_TREE_H

/**
 * @file
 * What types become before they are planned: a tree of three kinds of nodes, of which equal parts
 * are shared. Nodes are never changed.
 *
 *     RUN       len bytes in one piece
 *     STRIDED   n times the child, stride bytes apart; the child begins where the node does
 *     LIST      items at offsets; the first one begins where the node does
 *
 * Where a node begins is the offset of the reference to it. As a type is built from the inside out
 * everything that can be joined is: a RUN that repeats without gaps is a longer RUN, two dimensions
 * that follow each other are one, lists in lists are one list, equal items at equal distances are
 * STRIDED.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rte_umr_layout.h"

enum umr_node_kind { UMR_NODE_RUN, UMR_NODE_STRIDED, UMR_NODE_LIST };

struct umr_node;

/** A node at a place. */
struct umr_ref {
	int64_t off;
	const struct umr_node *node; /* NULL: no bytes */
};

struct umr_node {
	enum umr_node_kind kind;
	uint64_t len;		/* bytes, of all repetitions */
	uint64_t nb_runs;
	uint64_t max_run;	/* bytes of the longest one */
	int64_t lb, ub;		/* memory that it covers, from where it begins */
	uint64_t n;		/* repetitions or items */
	int64_t stride;
	const struct umr_node *child;
	const struct umr_ref *items;
};

struct umr_tree_chunk;

/** A divisor of a number that was found, not below a minimum; see choose.c. */
struct umr_divisor {
	uint64_t n, min;
	uint32_t divisor; /* 0: there is none */
};

/** Memory of nodes, and whether anything went wrong: then nothing that was built counts. */
struct umr_tree {
	struct umr_tree_chunk *chunks;
	struct umr_divisor divisors[61];
	int error; /* 0 or a negative errno; logged but for -ENOMEM */
};

/** Largest offset or length: sums of two of them are no overflow. */
#define UMR_TREE_MAX (INT64_C(1) << 62)

/** Memory that stays until umr_tree_free(), or NULL with tree->error. */
void *umr_tree_alloc(struct umr_tree *tree, size_t size);
void umr_tree_free(struct umr_tree *tree);

struct umr_ref umr_tree_run(struct umr_tree *tree, uint64_t len);
/** n times what there is at child, the first one there. */
struct umr_ref umr_tree_strided(struct umr_tree *tree, uint64_t n, int64_t stride,
				struct umr_ref child);
/** Items in their order; the array is copied. */
struct umr_ref umr_tree_list(struct umr_tree *tree, const struct umr_ref *items, uint64_t n);

/** Whether two nodes show the same, from where they begin. */
bool umr_node_equal(const struct umr_node *a, const struct umr_node *b);

/** What is called for a run of len bytes at off; not 0: no more of them. */
typedef int (*umr_run_t)(void *arg, int64_t off, uint64_t len);

/**
 * Call a function for each run, in order.
 * @return 0, or what the function has returned if that is not 0
 */
int umr_node_visit(const struct umr_node *node, int64_t off, umr_run_t function, void *arg);

/** Whether no byte is shown twice. @return 0, -EEXIST (not logged) or -ENOMEM */
int umr_node_disjoint(const struct umr_node *node);

/** a * b, or the tree has an error (logged). */
int64_t umr_tree_mul(struct umr_tree *tree, int64_t a, int64_t b);
/** a + b, likewise. */
int64_t umr_tree_add(struct umr_tree *tree, int64_t a, int64_t b);

/** Tree of a type; logs what is wrong. node is NULL if it has no bytes or on error. */
struct umr_ref umr_type_tree(struct umr_tree *tree, const struct rte_umr_type *type);

#endif /* LAYOUT_TREE_H */
