/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdbool.h>
#include <stddef.h>

#include <rte_common.h>

#include "model/type_oracle.h"

/** Lower and upper bound. */
struct bounds {
	int64_t lb, ub;
	bool is_set;
	bool is_marked; /* set by the caller; bounds of others then do not count */
};

/** Callback for each copy of a type; false stops the iteration. */
typedef bool (*visit_t)(void *arg, const struct rte_umr_type *child, int64_t displ);

static struct bounds bounds_of(const struct rte_umr_type *type);

static int64_t
extent_of(const struct rte_umr_type *type)
{
	const struct bounds bounds = bounds_of(type);

	return bounds.ub - bounds.lb;
}

static const struct rte_umr_type byte = { .kind = RTE_UMR_TYPE_BYTES, .count = 1 };

static const struct rte_umr_type *
child_of(const struct rte_umr_type *type)
{
	return type->child == NULL ? &byte : type->child;
}

/** Visit the copies at all indices of an array in order. */
static bool
indices_visit(const struct rte_umr_type *type, visit_t visit, void *arg)
{
	const bool is_part = type->kind == RTE_UMR_TYPE_SUBARRAY;
	const bool is_fortran = is_part && (type->flags & RTE_UMR_TYPE_F_FIRST_FASTEST) != 0;
	const int64_t extent = extent_of(child_of(type));
	int64_t index[RTE_UMR_TYPE_MAX_DIMS] = { 0 }, at;
	int i, k, n = type->ndims;

	for (i = 0; i < n; i++)
		if (type->shape[i] == 0)
			return true;
	for (;;) {
		at = 0;
		if (!is_part && type->strides != NULL) {
			for (i = 0; i < n; i++)
				at += index[i] * type->strides[i];
		} else {
			for (k = 0; k < n; k++) {
				i = is_fortran ? n - 1 - k : k;
				at = at * (is_part ? type->sizes[i] : type->shape[i]) + index[i] +
				     (is_part ? type->starts[i] : 0);
			}
			at *= extent;
		}
		if (!visit(arg, child_of(type), at))
			return false;
		for (k = 0; k < n; k++) {
			i = is_fortran ? k : n - 1 - k;
			if (++index[i] < type->shape[i])
				break;
			index[i] = 0;
		}
		if (k == n)
			return true;
	}
}

static bool
blocks_visit(const struct rte_umr_type *type, visit_t visit, void *arg)
{
	const struct rte_umr_type *child;
	int64_t displ;
	uint64_t i, j;

	for (i = 0; i < type->count; i++) {
		child = type->kind == RTE_UMR_TYPE_STRUCT ? type->children[i] : type->child;
		displ = type->displs[i];
		if (type->kind == RTE_UMR_TYPE_INDEXED)
			displ *= extent_of(child);
		for (j = 0; j < (type->blocklens == NULL ? 1 : type->blocklens[i]); j++)
			if (!visit(arg, child, displ + (int64_t)j * extent_of(child)))
				return false;
	}
	return true;
}

static bool
vectors_visit(const struct rte_umr_type *type, visit_t visit, void *arg)
{
	int64_t extent = extent_of(type->child);
	uint64_t i, j;

	for (i = 0; i < type->count; i++)
		for (j = 0; j < type->blocklen; j++)
			if (!visit(arg, type->child, (int64_t)j * extent + (int64_t)i *
				   (type->kind == RTE_UMR_TYPE_VECTOR ? type->stride * extent :
									type->stride)))
				return false;
	return true;
}

static bool
copies_visit(const struct rte_umr_type *type, visit_t visit, void *arg)
{
	uint64_t i;

	switch (type->kind) {
	case RTE_UMR_TYPE_CONTIGUOUS:
		for (i = 0; i < type->count; i++)
			if (!visit(arg, type->child, (int64_t)i * extent_of(type->child)))
				return false;
		return true;
	case RTE_UMR_TYPE_VECTOR:
	case RTE_UMR_TYPE_HVECTOR:
		return vectors_visit(type, visit, arg);
	case RTE_UMR_TYPE_SUBARRAY:
	case RTE_UMR_TYPE_ARRAY:
		return indices_visit(type, visit, arg);
	case RTE_UMR_TYPE_RESIZED:
		return visit(arg, type->child, 0);
	default:
		return blocks_visit(type, visit, arg);
	}
}

static bool
bounds_add(void *arg, const struct rte_umr_type *child, int64_t displ)
{
	struct bounds *all = arg, one = bounds_of(child);

	if (!one.is_set || (all->is_marked && !one.is_marked))
		return true;
	if (one.is_marked && !all->is_marked)
		*all = (struct bounds){ .is_marked = true };
	all->lb = all->is_set ? RTE_MIN(all->lb, one.lb + displ) : one.lb + displ;
	all->ub = all->is_set ? RTE_MAX(all->ub, one.ub + displ) : one.ub + displ;
	all->is_set = true;
	return true;
}

static struct bounds
bounds_of(const struct rte_umr_type *type)
{
	struct bounds all = { 0 };
	int64_t len;
	int i;

	if (type->kind == RTE_UMR_TYPE_BYTES)
		return (struct bounds){ 0, (int64_t)type->count, type->count != 0, false };
	if (type->kind == RTE_UMR_TYPE_RESIZED)
		return (struct bounds){ type->lb, type->lb + type->extent, true, true };
	if (type->kind == RTE_UMR_TYPE_SUBARRAY && bounds_of(type->child).is_set) {
		len = extent_of(type->child);
		for (i = 0; i < type->ndims; i++)
			len *= type->sizes[i];
		return (struct bounds){ 0, len, true, true };
	}
	copies_visit(type, bounds_add, &all);
	return all;
}

/** Bytes so far. */
struct sum {
	int64_t base;
	int64_t *bytes;
	uint64_t nb, max;
};

static bool
bytes_add(void *arg, const struct rte_umr_type *child, int64_t displ)
{
	struct sum *sum = arg;
	bool is_good;
	uint64_t i;

	if (child->kind != RTE_UMR_TYPE_BYTES) {
		sum->base += displ;
		is_good = copies_visit(child, bytes_add, sum);
		sum->base -= displ;
		return is_good;
	}
	for (i = 0; i < child->count; i++) {
		if (sum->nb == sum->max)
			return false;
		if (sum->bytes != NULL)
			sum->bytes[sum->nb] = sum->base + displ + (int64_t)i;
		sum->nb++;
	}
	return true;
}

uint64_t
oracle_bytes(const struct rte_umr_type *type, int64_t *bytes, uint64_t max)
{
	struct sum sum = { .bytes = bytes, .max = max };

	return bytes_add(&sum, type, 0) ? sum.nb : UINT64_MAX;
}
