/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef LAYOUT_TREE_H
#define LAYOUT_TREE_H

/**
 * @file
 * Intermediate form of types before planning: a tree of three kinds of nodes, with shared equal
 * parts. Nodes are immutable.
 *
 *     RUN       len bytes in one piece
 *     STRIDED   n times the child, stride bytes apart; the child begins where the node does
 *     LIST      items at offsets; the first one begins where the node does
 *
 * The reference to a node has the offset of its start. A type is built from the inside out, merging
 * nodes where possible: a RUN that repeats without gaps becomes a longer RUN, two consecutive
 * dimensions become one, nested lists become one list, equal items at equal distances become
 * STRIDED.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rte_umr_layout.h"

enum umr_node_kind { UMR_NODE_RUN, UMR_NODE_STRIDED, UMR_NODE_LIST };

struct umr_node;

/** A node at an offset. */
struct umr_ref {
	int64_t off;
	const struct umr_node *node; /* NULL: no bytes */
};

struct umr_node {
	enum umr_node_kind kind;
	uint64_t len;		/* bytes, of all repetitions */
	uint64_t nb_runs;
	uint64_t max_run;	/* bytes of the longest one */
	int64_t lb, ub;		/* memory that it covers, relative to its start */
	uint64_t n;		/* repetitions or items */
	int64_t stride;
	const struct umr_node *child;
	const struct umr_ref *items;
};

struct umr_tree_chunk;

/** Cached divisor of a number, not below a minimum; see choose.c. */
struct umr_divisor {
	uint64_t n, min;
	uint32_t divisor; /* 0: there is none */
};

/** Memory of nodes, and the error state: after an error the tree is invalid. */
struct umr_tree {
	struct umr_tree_chunk *chunks;
	struct umr_divisor divisors[61];
	int error; /* 0 or a negative errno; logged except for -ENOMEM */
};

/** Largest offset or length: the sum of two does not overflow. */
#define UMR_TREE_MAX (INT64_C(1) << 62)

/** Allocate memory until umr_tree_free(), or return NULL with tree->error. */
void *umr_tree_alloc(struct umr_tree *tree, size_t size);
void umr_tree_free(struct umr_tree *tree);

struct umr_ref umr_tree_run(struct umr_tree *tree, uint64_t len);
/** n times child, the first one at its offset. */
struct umr_ref umr_tree_strided(struct umr_tree *tree, uint64_t n, int64_t stride,
				struct umr_ref child);
/** List of items in order; the array is copied. */
struct umr_ref umr_tree_list(struct umr_tree *tree, const struct umr_ref *items, uint64_t n);

/** Whether two nodes are equal, relative to their starts. */
bool umr_node_equal(const struct umr_node *a, const struct umr_node *b);

/** Callback for a run of len bytes at off; a value other than 0 ends the visit. */
typedef int (*umr_run_t)(void *arg, int64_t off, uint64_t len);

/**
 * Call a function for each run, in order.
 * @return 0, or the return value of the function if that is not 0
 */
int umr_node_visit(const struct umr_node *node, int64_t off, umr_run_t function, void *arg);

/** Check that no byte appears twice. @return 0, -EEXIST (not logged) or -ENOMEM */
int umr_node_disjoint(const struct umr_node *node);

/** a * b; on overflow the tree has an error (logged). */
int64_t umr_tree_mul(struct umr_tree *tree, int64_t a, int64_t b);
/** a + b; on overflow the tree has an error (logged). */
int64_t umr_tree_add(struct umr_tree *tree, int64_t a, int64_t b);

/** Tree of a type; logs errors. node is NULL if it has no bytes or on error. */
struct umr_ref umr_type_tree(struct umr_tree *tree, const struct rte_umr_type *type);

#endif /* LAYOUT_TREE_H */
