/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>
#include <string.h>

#include "model/type_gen.h"

#define MAX_TYPES	64u
#define MAX_ARRAYS	256u

/* Types of a case, with their arrays. */
static struct pool {
	struct rte_umr_type types[MAX_TYPES];
	const struct rte_umr_type *children[MAX_TYPES * 4];
	int64_t numbers[MAX_ARRAYS * 4];
	uint64_t lens[MAX_ARRAYS];
	uint32_t nb_types, nb_children, nb_numbers, nb_lens;
} pool;

static int64_t *
numbers_get(uint32_t n)
{
	pool.nb_numbers += n;
	if (pool.nb_numbers > RTE_DIM(pool.numbers))
		abort();
	return &pool.numbers[pool.nb_numbers - n];
}

static int64_t
around(struct prng *prng, int64_t min, int64_t max)
{
	return min + (int64_t)prng_between(prng, 0, (uint64_t)(max - min));
}

static const struct rte_umr_type *type_gen(struct prng *prng, uint32_t depth);

static void
dims_gen(struct prng *prng, struct rte_umr_type *type)
{
	static const int64_t common[] = { 8, 16, 64, 96, 512, 4096, 65536, 100000, 131072, 7, 0 };
	int64_t *shape, *strides, *sizes, *starts;
	uint16_t i;

	type->ndims = (uint16_t)prng_between(prng, 0, 4);
	shape = numbers_get(type->ndims);
	strides = numbers_get(type->ndims);
	sizes = numbers_get(type->ndims);
	starts = numbers_get(type->ndims);
	for (i = 0; i < type->ndims; i++) {
		shape[i] = prng_one_in(prng, 60) ? 0 : (int64_t)prng_log(prng, 12);
		starts[i] = around(prng, 0, 3);
		sizes[i] = shape[i] + starts[i] + around(prng, 0, 3);
		strides[i] = prng_one_in(prng, 3) ? around(prng, -40, 200) :
			     common[prng_between(prng, 0, RTE_DIM(common) - 1)];
		if (prng_one_in(prng, 10))
			strides[i] = -strides[i];
		/* Arrays have strides that are multiples of the next one. */
		if (i > 0 && prng_one_in(prng, 2))
			strides[i - 1] = strides[i] * around(prng, 1, 40);
	}
	type->shape = shape;
	type->sizes = sizes;
	type->starts = starts;
	type->strides = prng_one_in(prng, 4) ? NULL : strides;
	type->flags = type->kind == RTE_UMR_TYPE_SUBARRAY && prng_one_in(prng, 2) ?
			      RTE_UMR_TYPE_F_FIRST_FASTEST : 0;
}

static void
blocks_gen(struct prng *prng, struct rte_umr_type *type, uint32_t depth)
{
	const bool is_regular = prng_one_in(prng, 4);
	const int64_t step = around(prng, -60, 300);
	int64_t *displs;
	uint64_t *lens;
	uint64_t i;

	type->count = prng_log(prng, 10);
	displs = numbers_get((uint32_t)type->count);
	lens = &pool.lens[pool.nb_lens];
	pool.nb_lens += (uint32_t)type->count;
	type->children = &pool.children[pool.nb_children];
	pool.nb_children += (uint32_t)type->count;
	if (pool.nb_lens > RTE_DIM(pool.lens) || pool.nb_children > RTE_DIM(pool.children))
		abort();
	for (i = 0; i < type->count; i++) {
		lens[i] = is_regular ? 2 : prng_between(prng, 0, 4);
		displs[i] = is_regular ? (int64_t)i * step : around(prng, -100, 400);
		if (type->kind == RTE_UMR_TYPE_STRUCT)
			pool.children[type->children - pool.children + (ptrdiff_t)i] =
				i > 0 && prng_one_in(prng, 2) ? type->children[0] :
								type_gen(prng, depth + 1);
	}
	type->displs = displs;
	type->blocklens = prng_one_in(prng, 5) ? NULL : lens;
}

static const struct rte_umr_type *
type_gen(struct prng *prng, uint32_t depth)
{
	static const uint8_t kinds[] = {
		RTE_UMR_TYPE_CONTIGUOUS, RTE_UMR_TYPE_VECTOR, RTE_UMR_TYPE_HVECTOR,
		RTE_UMR_TYPE_INDEXED, RTE_UMR_TYPE_HINDEXED, RTE_UMR_TYPE_STRUCT,
		RTE_UMR_TYPE_SUBARRAY, RTE_UMR_TYPE_ARRAY, RTE_UMR_TYPE_ARRAY,
		RTE_UMR_TYPE_RESIZED,
	};
	struct rte_umr_type *type = &pool.types[pool.nb_types++];

	*type = (struct rte_umr_type){ .kind = RTE_UMR_TYPE_BYTES, .count = prng_log(prng, 40) };
	if (depth == 3 || pool.nb_types > MAX_TYPES - 12 || prng_one_in(prng, 6))
		return type;
	type->kind = kinds[prng_between(prng, 0, RTE_DIM(kinds) - 1)];
	if (type->kind == RTE_UMR_TYPE_ARRAY || type->kind == RTE_UMR_TYPE_SUBARRAY) {
		dims_gen(prng, type);
	} else if (type->kind >= RTE_UMR_TYPE_INDEXED && type->kind <= RTE_UMR_TYPE_STRUCT) {
		blocks_gen(prng, type, depth);
	} else {
		type->count = prng_between(prng, 0, 8);
		type->blocklen = prng_between(prng, 0, 4);
		type->stride = type->kind == RTE_UMR_TYPE_VECTOR ? around(prng, -5, 20) :
								   around(prng, -80, 300);
		type->lb = around(prng, -20, 20);
		type->extent = around(prng, 0, 200);
	}
	if (type->kind != RTE_UMR_TYPE_STRUCT &&
	    !(type->kind == RTE_UMR_TYPE_ARRAY && prng_one_in(prng, 5)))
		type->child = type_gen(prng, depth + 1);
	return type;
}

const struct rte_umr_type *
gen_type(struct prng *prng)
{
	memset(&pool, 0, sizeof(pool));
	return type_gen(prng, 0);
}
