/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Trees of strided and listed memory; see layout/tree.h. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout/tree.h"
#include "rte_umr_private.h"

#define CHUNK_SIZE	(64u << 10)
/*
 * Maximum number of pieces that are compared if simpler checks do not show that they are disjoint.
 */
#define MAX_COMPARED	(1u << 20)

struct umr_tree_chunk {
	struct umr_tree_chunk *next;
	size_t used, size;
	uint64_t data[];
};

static struct umr_tree_chunk *
chunk_add(struct umr_tree *tree, size_t size)
{
	struct umr_tree_chunk *chunk;

	size = RTE_MAX(size, (size_t)CHUNK_SIZE);
	chunk = malloc(sizeof(*chunk) + size);
	if (chunk == NULL) {
		tree->error = -ENOMEM;
		return NULL;
	}
	*chunk = (struct umr_tree_chunk){ .next = tree->chunks, .size = size };
	tree->chunks = chunk;
	return chunk;
}

void *
umr_tree_alloc(struct umr_tree *tree, size_t size)
{
	struct umr_tree_chunk *chunk = tree->chunks;
	void *mem;

	size = RTE_ALIGN_CEIL(size, sizeof(uint64_t));
	if (chunk == NULL || chunk->size - chunk->used < size)
		chunk = chunk_add(tree, size);
	if (chunk == NULL)
		return NULL;
	mem = (uint8_t *)chunk->data + chunk->used;
	chunk->used += size;
	return mem;
}

void
umr_tree_free(struct umr_tree *tree)
{
	struct umr_tree_chunk *chunk;

	while (tree->chunks != NULL) {
		chunk = tree->chunks;
		tree->chunks = chunk->next;
		free(chunk);
	}
}

static int64_t
bounded(struct umr_tree *tree, int64_t value, bool has_overflow)
{
	if (!has_overflow && value <= UMR_TREE_MAX && value >= -UMR_TREE_MAX)
		return value;
	if (tree->error == 0)
		UMR_LOG(ERR, "layout: an offset or a length has more than 62 bits");
	tree->error = tree->error != 0 ? tree->error : -ERANGE;
	return 0;
}

int64_t
umr_tree_mul(struct umr_tree *tree, int64_t a, int64_t b)
{
	int64_t product = 0;
	const bool has_overflow = __builtin_mul_overflow(a, b, &product);

	return bounded(tree, product, has_overflow);
}

int64_t
umr_tree_add(struct umr_tree *tree, int64_t a, int64_t b)
{
	int64_t sum = 0;
	const bool has_overflow = __builtin_add_overflow(a, b, &sum);

	return bounded(tree, sum, has_overflow);
}

/** Convert a number from the caller to a signed one. */
static int64_t
count_of(struct umr_tree *tree, uint64_t n)
{
	return bounded(tree, (int64_t)RTE_MIN(n, (uint64_t)INT64_MAX), n > UMR_TREE_MAX);
}

static struct umr_ref
node_new(struct umr_tree *tree, int64_t off, const struct umr_node *node)
{
	struct umr_node *copy = umr_tree_alloc(tree, sizeof(*copy));

	if (copy == NULL || tree->error != 0)
		return (struct umr_ref){ 0 };
	*copy = *node;
	return (struct umr_ref){ off, copy };
}

struct umr_ref
umr_tree_run(struct umr_tree *tree, uint64_t len)
{
	const struct umr_node node = {
		.kind = UMR_NODE_RUN,
		.len = len,
		.nb_runs = 1,
		.max_run = len,
		.ub = count_of(tree, len),
	};

	return len == 0 ? (struct umr_ref){ 0 } : node_new(tree, 0, &node);
}

struct umr_ref
umr_tree_strided(struct umr_tree *tree, uint64_t n, int64_t stride, struct umr_ref child)
{
	const struct umr_node *of = child.node;
	struct umr_node node = { .kind = UMR_NODE_STRIDED, .n = n, .stride = stride, .child = of };
	int64_t last;

	if (n == 0 || of == NULL || tree->error != 0)
		return (struct umr_ref){ 0 };
	if (n == 1)
		return child;
	node.len = (uint64_t)umr_tree_mul(tree, count_of(tree, n), (int64_t)of->len);
	node.nb_runs = (uint64_t)umr_tree_mul(tree, count_of(tree, n), (int64_t)of->nb_runs);
	node.max_run = of->max_run;
	last = umr_tree_mul(tree, count_of(tree, n - 1), stride);
	node.lb = umr_tree_add(tree, of->lb, RTE_MIN(last, 0));
	node.ub = umr_tree_add(tree, of->ub, RTE_MAX(last, 0));
	if (tree->error != 0)
		return (struct umr_ref){ 0 };
	if (of->kind == UMR_NODE_RUN && stride == (int64_t)of->len) {
		child.node = umr_tree_run(tree, node.len).node;
		return child;
	}
	if (of->kind == UMR_NODE_STRIDED &&
	    stride == umr_tree_mul(tree, (int64_t)of->n, of->stride)) {
		node.n = (uint64_t)umr_tree_mul(tree, count_of(tree, n), (int64_t)of->n);
		node.stride = of->stride;
		node.child = of->child;
	}
	return node_new(tree, child.off, &node);
}

bool
umr_node_equal(const struct umr_node *a, const struct umr_node *b)
{
	uint64_t i;

	if (a == b)
		return true;
	if (a->kind != b->kind || a->len != b->len || a->n != b->n || a->lb != b->lb ||
	    a->ub != b->ub)
		return false;
	switch (a->kind) {
	case UMR_NODE_RUN:
		return true;
	case UMR_NODE_STRIDED:
		return a->stride == b->stride && umr_node_equal(a->child, b->child);
	default:
		for (i = 0; i < a->n; i++)
			if (a->items[i].off != b->items[i].off ||
			    !umr_node_equal(a->items[i].node, b->items[i].node))
				return false;
		return true;
	}
}

/** Append an item; merge it with the last one if adjacent. */
static void
item_add(struct umr_tree *tree, struct umr_ref *items, uint64_t *nb, struct umr_ref item)
{
	struct umr_ref *last = *nb == 0 ? NULL : &items[*nb - 1];

	if (last != NULL && last->node->kind == UMR_NODE_RUN && item.node->kind == UMR_NODE_RUN &&
	    last->off + (int64_t)last->node->len == item.off)
		last->node = umr_tree_run(tree, last->node->len + item.node->len).node;
	else
		items[(*nb)++] = item;
}

/** Flatten items: without empty ones and lists; NULL on error. */
static struct umr_ref *
items_flatten(struct umr_tree *tree, const struct umr_ref *items, uint64_t n, uint64_t *nb)
{
	struct umr_ref *flat, item;
	uint64_t i, k, max = 0;

	for (i = 0; i < n; i++)
		max += items[i].node == NULL		      ? 0 :
		       items[i].node->kind == UMR_NODE_LIST ? items[i].node->n :
							      1;
	*nb = 0;
	flat = umr_tree_alloc(tree, (size_t)max * sizeof(*flat));
	for (i = 0; i < n && flat != NULL && tree->error == 0; i++) {
		if (items[i].node == NULL)
			continue;
		if (items[i].node->kind != UMR_NODE_LIST) {
			item_add(tree, flat, nb, items[i]);
			continue;
		}
		for (k = 0; k < items[i].node->n && tree->error == 0; k++) {
			item = items[i].node->items[k];
			item.off = umr_tree_add(tree, item.off, items[i].off);
			item_add(tree, flat, nb, item);
		}
	}
	return tree->error == 0 ? flat : NULL;
}

/** Whether items are equal and at equal distances. */
static bool
is_regular(const struct umr_ref *items, uint64_t n)
{
	uint64_t i;

	for (i = 1; i < n; i++)
		if (items[i].off - items[i - 1].off != items[1].off - items[0].off ||
		    !umr_node_equal(items[i].node, items[0].node))
			return false;
	return n > 1;
}

struct umr_ref
umr_tree_list(struct umr_tree *tree, const struct umr_ref *items, uint64_t n)
{
	struct umr_node node = { .kind = UMR_NODE_LIST, .lb = UMR_TREE_MAX, .ub = -UMR_TREE_MAX };
	struct umr_ref *flat;
	int64_t first;
	uint64_t i;

	if (tree->error != 0)
		return (struct umr_ref){ 0 };
	flat = items_flatten(tree, items, n, &node.n);
	if (flat == NULL || node.n == 0)
		return (struct umr_ref){ 0 };
	if (node.n == 1)
		return flat[0];
	if (is_regular(flat, node.n))
		return umr_tree_strided(tree, node.n, flat[1].off - flat[0].off, flat[0]);
	first = flat[0].off;
	for (i = 0; i < node.n; i++) {
		flat[i].off -= first;
		node.len = (uint64_t)umr_tree_add(tree, (int64_t)node.len,
						  (int64_t)flat[i].node->len);
		node.nb_runs = (uint64_t)umr_tree_add(tree, (int64_t)node.nb_runs,
						      (int64_t)flat[i].node->nb_runs);
		node.max_run = RTE_MAX(node.max_run, flat[i].node->max_run);
		node.lb = RTE_MIN(node.lb, umr_tree_add(tree, flat[i].off, flat[i].node->lb));
		node.ub = RTE_MAX(node.ub, umr_tree_add(tree, flat[i].off, flat[i].node->ub));
	}
	node.items = flat;
	return node_new(tree, first, &node);
}

int
umr_node_visit(const struct umr_node *node, int64_t off, umr_run_t function, void *arg)
{
	uint64_t i;
	int ret = 0;

	switch (node->kind) {
	case UMR_NODE_RUN:
		return function(arg, off, node->len);
	case UMR_NODE_STRIDED:
		for (i = 0; i < node->n && ret == 0; i++)
			ret = umr_node_visit(node->child, off + (int64_t)i * node->stride,
					     function, arg);
		return ret;
	default:
		for (i = 0; i < node->n && ret == 0; i++)
			ret = umr_node_visit(node->items[i].node, off + node->items[i].off,
					     function, arg);
		return ret;
	}
}

/** Range of memory. */
struct range {
	int64_t from, to;
};

static int
range_compare(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	return (left->from > right->from) - (left->from < right->from);
}

/** Sort ranges and check that they are disjoint. */
static bool
ranges_are_disjoint(struct range *ranges, uint64_t n)
{
	uint64_t i;

	qsort(ranges, (size_t)n, sizeof(*ranges), range_compare);
	for (i = 1; i < n; i++)
		if (ranges[i].from < ranges[i - 1].to)
			return false;
	return true;
}

static int
range_add(void *arg, int64_t off, uint64_t len)
{
	struct range **next = arg;

	*(*next)++ = (struct range){ off, off + (int64_t)len };
	return 0;
}

/** Compare all runs. */
static int
runs_disjoint(const struct umr_node *node)
{
	struct range *ranges, *next;
	bool is_disjoint;

	if (node->nb_runs > MAX_COMPARED)
		return -EEXIST;
	ranges = malloc((size_t)node->nb_runs * sizeof(*ranges));
	if (ranges == NULL)
		return -ENOMEM;
	next = ranges;
	umr_node_visit(node, 0, range_add, &next);
	is_disjoint = ranges_are_disjoint(ranges, node->nb_runs);
	free(ranges);
	return is_disjoint ? 0 : -EEXIST;
}

static int
dim_compare(const void *a, const void *b)
{
	const struct umr_node *const *left = a, *const *right = b;
	const int64_t x = llabs((*left)->stride), y = llabs((*right)->stride);

	return (x > y) - (x < y);
}

/**
 * Nested dimensions: whether each stride, starting with the shortest, exceeds the extent that it
 * repeats. Then they are disjoint; otherwise they may still be.
 */
static bool
dims_are_apart(const struct umr_node *node, const struct umr_node **base)
{
	const struct umr_node *dims[RTE_UMR_TYPE_MAX_DIMS * 2];
	uint64_t span;
	uint32_t n, i;

	for (n = 0; node->kind == UMR_NODE_STRIDED; node = node->child) {
		if (n == RTE_DIM(dims))
			return false;
		dims[n++] = node;
	}
	*base = node;
	qsort(dims, n, sizeof(dims[0]), dim_compare);
	span = (uint64_t)(node->ub - node->lb);
	for (i = 0; i < n; i++) {
		const uint64_t stride = (uint64_t)llabs(dims[i]->stride);

		if (stride < span)
			return false;
		span += stride * (dims[i]->n - 1);
	}
	return true;
}

/** Whether the ranges of items are disjoint. */
static int
items_apart(const struct umr_node *node)
{
	struct range *ranges = malloc((size_t)node->n * sizeof(*ranges));
	bool is_disjoint;
	uint64_t i;

	if (ranges == NULL)
		return -ENOMEM;
	for (i = 0; i < node->n; i++) {
		const struct umr_ref *item = &node->items[i];

		ranges[i] = (struct range){ item->off + item->node->lb,
					    item->off + item->node->ub };
	}
	is_disjoint = ranges_are_disjoint(ranges, node->n);
	free(ranges);
	return is_disjoint ? 0 : -EEXIST;
}

int
umr_node_disjoint(const struct umr_node *node)
{
	const struct umr_node *base;
	uint64_t i;
	int ret;

	switch (node->kind) {
	case UMR_NODE_RUN:
		return 0;
	case UMR_NODE_STRIDED:
		if (dims_are_apart(node, &base))
			return umr_node_disjoint(base);
		return runs_disjoint(node);
	default:
		ret = items_apart(node);
		for (i = 0; i < node->n && ret == 0; i++)
			ret = umr_node_disjoint(node->items[i].node);
		return ret == -EEXIST ? runs_disjoint(node) : ret;
	}
}
