/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Conversion of types to trees: checks, and extents of MPI's constructors. */

#include <errno.h>
#include <inttypes.h>

#include "layout/tree.h"
#include "rte_umr_private.h"

/** A converted type: its tree and its bounds. */
struct built {
	struct umr_ref ref;
	int64_t lb, ub;
	bool is_empty;	/* no bounds: MPI's empty type */
	bool is_bound;	/* bounds were set, and take precedence over others (MPI 4.0, 5.1.6) */
};

static const struct rte_umr_type one_byte = { .kind = RTE_UMR_TYPE_BYTES, .count = 1 };

#define TYPE_REJECT(tree, errno_, ...)                                                             \
	do {                                                                                       \
		if ((tree)->error == 0) {                                                          \
			UMR_LOG(ERR, "layout: " __VA_ARGS__);                                      \
			(tree)->error = (errno_);                                                  \
		}                                                                                  \
	} while (0)

static struct built type_build(struct umr_tree *tree, const struct rte_umr_type *type,
			       uint32_t depth);

/** Convert a number from the caller; exceeding the address space is an error. */
static int64_t
count_check(struct umr_tree *tree, uint64_t count)
{
	if (count <= (uint64_t)UMR_TREE_MAX)
		return (int64_t)count;
	TYPE_REJECT(tree, -ERANGE, "a count of a type is %" PRIu64 ", at most %" PRId64, count,
		    UMR_TREE_MAX);
	return 0;
}

static int64_t
extent_of(struct umr_tree *tree, const struct built *what)
{
	return umr_tree_add(tree, what->ub, -what->lb);
}

/** n times the same type, stride bytes apart. */
static struct built
repeat(struct umr_tree *tree, struct built what, uint64_t count, int64_t stride)
{
	const int64_t n = count_check(tree, count);
	int64_t last;

	if (n == 0 || what.is_empty || tree->error != 0)
		return (struct built){ .is_empty = true };
	last = umr_tree_mul(tree, n - 1, stride);
	what.ref = umr_tree_strided(tree, count, stride, what.ref);
	what.lb = umr_tree_add(tree, what.lb, RTE_MIN(last, 0));
	what.ub = umr_tree_add(tree, what.ub, RTE_MAX(last, 0));
	return what;
}

/** n consecutive types. */
static struct built
repeat_dense(struct umr_tree *tree, struct built what, uint64_t count)
{
	return repeat(tree, what, count, extent_of(tree, &what));
}

static struct built
bytes_build(struct umr_tree *tree, const struct rte_umr_type *type)
{
	return (struct built){
		.ref = umr_tree_run(tree, type->count),
		.ub = count_check(tree, type->count),
		.is_empty = type->count == 0,
	};
}

/** Check the blocks of an indexed type. @return Number of blocks, or 0 */
static uint64_t
blocks_check(struct umr_tree *tree, const struct rte_umr_type *type)
{
	if (type->count != 0 && type->displs == NULL)
		TYPE_REJECT(tree, -EINVAL, "a type of kind %u has no displs", type->kind);
	else if (type->kind == RTE_UMR_TYPE_STRUCT && type->count != 0 && type->children == NULL)
		TYPE_REJECT(tree, -EINVAL, "a type of kind %u has no children", type->kind);
	else if (type->count > UINT32_MAX)
		TYPE_REJECT(tree, -ERANGE, "a type has %" PRIu64 " blocks, at most %u",
			    type->count, UINT32_MAX);
	return tree->error == 0 ? type->count : 0;
}

/** Bounds of all blocks; if the bounds of some were set, only of those. */
static void
block_bounds_add(struct built *all, const struct built *block, int64_t displ)
{
	if (!all->is_empty && all->is_bound && !block->is_bound)
		return;
	if (all->is_empty || (block->is_bound && !all->is_bound)) {
		all->lb = block->lb + displ;
		all->ub = block->ub + displ;
	}
	all->lb = RTE_MIN(all->lb, block->lb + displ);
	all->ub = RTE_MAX(all->ub, block->ub + displ);
	all->is_bound = block->is_bound;
	all->is_empty = false;
}

/** Blocks at given displacements, of one type or different types. */
static struct built
indexed_build(struct umr_tree *tree, const struct rte_umr_type *type, uint32_t depth)
{
	const bool is_struct = type->kind == RTE_UMR_TYPE_STRUCT;
	const uint64_t n = blocks_check(tree, type);
	struct built all = { .is_empty = true }, child = { 0 }, block = { 0 };
	struct umr_ref *items;
	uint64_t i, len, last = 0;
	int64_t displ;

	items = umr_tree_alloc(tree, (size_t)n * sizeof(*items));
	if (!is_struct)
		child = type_build(tree, type->child, depth);
	for (i = 0; i < n && tree->error == 0; i++) {
		len = type->blocklens == NULL ? 1 : type->blocklens[i];
		if (is_struct)
			child = type_build(tree, type->children[i], depth);
		/* Equal blocks share a node. */
		if (is_struct || i == 0 || len != last)
			block = repeat_dense(tree, child, len);
		last = len;
		items[i] = block.ref;
		if (block.is_empty)
			continue;
		displ = type->displs[i];
		if (type->kind == RTE_UMR_TYPE_INDEXED)
			displ = umr_tree_mul(tree, displ, extent_of(tree, &child));
		items[i].off = umr_tree_add(tree, items[i].off, displ);
		block_bounds_add(&all, &block, umr_tree_add(tree, displ, 0));
	}
	if (tree->error == 0)
		all.ref = umr_tree_list(tree, items, n);
	return all;
}

static bool
are_dims_good(struct umr_tree *tree, const struct rte_umr_type *type)
{
	const bool is_part = type->kind == RTE_UMR_TYPE_SUBARRAY;
	uint16_t i;

	if (type->ndims > RTE_UMR_TYPE_MAX_DIMS)
		TYPE_REJECT(tree, -EINVAL, "a type has %u dimensions, at most %u", type->ndims,
			    RTE_UMR_TYPE_MAX_DIMS);
	else if (type->ndims != 0 && (type->shape == NULL ||
		 (is_part && (type->sizes == NULL || type->starts == NULL))))
		TYPE_REJECT(tree, -EINVAL, "a type of %u dimensions lacks an array", type->ndims);
	for (i = 0; i < type->ndims && tree->error == 0; i++) {
		if (type->shape[i] < 0 || type->shape[i] > UMR_TREE_MAX)
			TYPE_REJECT(tree, -EINVAL, "dimension %u has %" PRId64 " elements", i,
				    type->shape[i]);
		else if (is_part && (type->starts[i] < 0 || type->sizes[i] < type->shape[i] ||
			 type->starts[i] > type->sizes[i] - type->shape[i]))
			TYPE_REJECT(tree, -EINVAL, "dimension %u: %" PRId64 " elements from %"
				    PRId64 " on of %" PRId64, i, type->shape[i], type->starts[i],
				    type->sizes[i]);
	}
	return tree->error == 0;
}

static struct built
subarray_build(struct umr_tree *tree, const struct rte_umr_type *type, struct built child)
{
	const bool is_first_fastest = (type->flags & RTE_UMR_TYPE_F_FIRST_FASTEST) != 0;
	int64_t stride = extent_of(tree, &child), start = 0;
	struct built all = child;
	uint16_t i, k;

	for (i = 0; i < type->ndims; i++) {
		k = is_first_fastest ? i : (uint16_t)(type->ndims - 1 - i);
		all = repeat(tree, all, (uint64_t)type->shape[k], stride);
		start = umr_tree_add(tree, start, umr_tree_mul(tree, type->starts[k], stride));
		stride = umr_tree_mul(tree, stride, type->sizes[k]);
	}
	if (child.is_empty)
		return all;
	/* Without elements it is empty, with the extent of the whole array. */
	if (all.ref.node != NULL)
		all.ref.off = umr_tree_add(tree, all.ref.off, start);
	all.lb = 0;
	all.ub = stride;
	all.is_bound = true;
	all.is_empty = false;
	return all;
}

static struct built
array_build(struct umr_tree *tree, const struct rte_umr_type *type, struct built child)
{
	struct built all = child;
	uint16_t i;

	for (i = type->ndims; i-- > 0;) {
		if (type->strides == NULL)
			all = repeat_dense(tree, all, (uint64_t)type->shape[i]);
		else
			all = repeat(tree, all, (uint64_t)type->shape[i], type->strides[i]);
	}
	return all;
}

static struct built
vector_build(struct umr_tree *tree, const struct rte_umr_type *type, struct built child)
{
	int64_t stride = type->stride;

	if (type->kind == RTE_UMR_TYPE_VECTOR)
		stride = umr_tree_mul(tree, stride, extent_of(tree, &child));
	return repeat(tree, repeat_dense(tree, child, type->blocklen), type->count, stride);
}

static struct built
resized_build(struct umr_tree *tree, const struct rte_umr_type *type, struct built child)
{
	child.lb = umr_tree_add(tree, type->lb, 0);
	child.ub = umr_tree_add(tree, type->lb, type->extent);
	child.is_bound = true;
	child.is_empty = false;
	return child;
}

/** A type with one child. */
static struct built
parent_build(struct umr_tree *tree, const struct rte_umr_type *type, uint32_t depth)
{
	const struct rte_umr_type *of = type->child;
	struct built child;

	if (of == NULL && type->kind == RTE_UMR_TYPE_ARRAY)
		of = &one_byte;
	child = type_build(tree, of, depth);
	if (tree->error != 0)
		return child;
	switch (type->kind) {
	case RTE_UMR_TYPE_CONTIGUOUS:
		return repeat_dense(tree, child, type->count);
	case RTE_UMR_TYPE_SUBARRAY:
		return are_dims_good(tree, type) ? subarray_build(tree, type, child) : child;
	case RTE_UMR_TYPE_ARRAY:
		return are_dims_good(tree, type) ? array_build(tree, type, child) : child;
	case RTE_UMR_TYPE_RESIZED:
		return resized_build(tree, type, child);
	default:
		return vector_build(tree, type, child);
	}
}

static bool
is_type_good(struct umr_tree *tree, const struct rte_umr_type *type, uint32_t depth)
{
	if (depth == RTE_UMR_TYPE_MAX_DEPTH)
		TYPE_REJECT(tree, -ELOOP, "types are more than %u deep", RTE_UMR_TYPE_MAX_DEPTH);
	else if (type == NULL)
		TYPE_REJECT(tree, -EINVAL, "a type is NULL");
	else if (type->kind > RTE_UMR_TYPE_RESIZED)
		TYPE_REJECT(tree, -EINVAL, "a type is of kind %u, at most %u", type->kind,
			    RTE_UMR_TYPE_RESIZED);
	else if ((type->flags & ~RTE_UMR_TYPE_F_ALL) != 0)
		TYPE_REJECT(tree, -EINVAL, "flags of a type 0x%x have bits beyond 0x%x",
			    type->flags, RTE_UMR_TYPE_F_ALL);
	else if (type->reserved != 0 || !UMR_IS_ZERO(type->reserved2))
		TYPE_REJECT(tree, -EINVAL, "a reserved field of a type is not 0");
	return tree->error == 0;
}

static struct built
type_build(struct umr_tree *tree, const struct rte_umr_type *type, uint32_t depth)
{
	if (tree->error != 0 || !is_type_good(tree, type, depth))
		return (struct built){ .is_empty = true };
	switch (type->kind) {
	case RTE_UMR_TYPE_BYTES:
		return bytes_build(tree, type);
	case RTE_UMR_TYPE_INDEXED:
	case RTE_UMR_TYPE_HINDEXED:
	case RTE_UMR_TYPE_STRUCT:
		return indexed_build(tree, type, depth + 1);
	default:
		return parent_build(tree, type, depth + 1);
	}
}

struct umr_ref
umr_type_tree(struct umr_tree *tree, const struct rte_umr_type *type)
{
	const struct built all = type_build(tree, type, 0);

	return tree->error == 0 ? all.ref : (struct umr_ref){ 0 };
}
