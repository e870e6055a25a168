/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * What keys of types show, for mpi_test.py: a line for each type on stdin, in prefix notation, with
 * limits in front; on stdout the offset of each byte, or why there is none.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_log.h>
#include <rte_umr.h>

#include "keys.h"

#define MAX_BYTES	(1u << 20)
#define MAX_TYPES	256u
#define MAX_NUMBERS	16384u
#define MAX_LINE	(1u << 18)
#define BASE		(UINT64_C(1) << 40)

static char line[MAX_LINE];
static uint64_t addrs[MAX_BYTES];
static struct rte_umr_type types[MAX_TYPES];
static const struct rte_umr_type *children[MAX_NUMBERS];
static int64_t numbers[MAX_NUMBERS];
static uint32_t nb_types, nb_children, nb_numbers;
static char *rest;

static const char *
word_get(void)
{
	const char *word = strtok_r(NULL, " \n", &rest);

	if (word == NULL)
		exit(2);
	return word;
}

static int64_t
number_get(void)
{
	return strtoll(word_get(), NULL, 0);
}

static int64_t *
numbers_take(uint64_t n)
{
	nb_numbers += (uint32_t)n;
	if (nb_numbers > MAX_NUMBERS)
		exit(3);
	return &numbers[nb_numbers - n];
}

static const struct rte_umr_type *type_get(void);

static void
blocks_get(struct rte_umr_type *type)
{
	int64_t *lens, *displs;
	const struct rte_umr_type **of;

	type->count = (uint64_t)number_get();
	lens = numbers_take(type->count);
	displs = numbers_take(type->count);
	of = &children[nb_children];
	nb_children += (uint32_t)type->count;
	if (nb_children > MAX_NUMBERS)
		exit(3);
	for (uint64_t i = 0; i < type->count; i++) {
		lens[i] = number_get();
		displs[i] = number_get();
		if (type->kind == RTE_UMR_TYPE_STRUCT)
			of[i] = type_get();
	}
	type->blocklens = (const uint64_t *)lens;
	type->displs = displs;
	type->children = of;
}

static void
dims_get(struct rte_umr_type *type)
{
	int64_t *sizes, *shape, *starts;

	type->ndims = (uint16_t)number_get();
	type->flags = type->kind == RTE_UMR_TYPE_SUBARRAY ? (uint32_t)number_get() : 0;
	sizes = numbers_take(type->ndims);
	shape = numbers_take(type->ndims);
	starts = numbers_take(type->ndims);
	for (uint16_t i = 0; i < type->ndims; i++) {
		if (type->kind == RTE_UMR_TYPE_SUBARRAY)
			sizes[i] = number_get();
		shape[i] = number_get();
		starts[i] = number_get();
	}
	type->sizes = sizes;
	type->shape = shape;
	type->starts = type->strides = starts;
}

static const struct rte_umr_type *
type_get(void)
{
	static const char kinds[] = "BCVHIXSUAR";
	struct rte_umr_type *type = &types[nb_types++];
	const char *kind = strchr(kinds, word_get()[0]);

	if (kind == NULL || nb_types == MAX_TYPES)
		exit(2);
	*type = (struct rte_umr_type){ .kind = (uint8_t)(kind - kinds) };
	switch (type->kind) {
	case RTE_UMR_TYPE_BYTES:
	case RTE_UMR_TYPE_CONTIGUOUS:
		type->count = (uint64_t)number_get();
		break;
	case RTE_UMR_TYPE_VECTOR:
	case RTE_UMR_TYPE_HVECTOR:
		type->count = (uint64_t)number_get();
		type->blocklen = (uint64_t)number_get();
		type->stride = number_get();
		break;
	case RTE_UMR_TYPE_SUBARRAY:
	case RTE_UMR_TYPE_ARRAY:
		dims_get(type);
		break;
	case RTE_UMR_TYPE_RESIZED:
		type->lb = number_get();
		type->extent = number_get();
		break;
	default:
		blocks_get(type);
	}
	if (type->kind != RTE_UMR_TYPE_BYTES && type->kind != RTE_UMR_TYPE_STRUCT)
		type->child = type_get();
	return type;
}

/* Offsets of all bytes, those that follow each other as one range. */
static void
offsets_print(uint64_t nb)
{
	uint64_t i, first = 0;

	for (i = 1; i <= nb; i++) {
		if (i < nb && addrs[i] == addrs[i - 1] + 1)
			continue;
		printf(" %" PRId64 " %" PRIu64, (int64_t)(addrs[first] - BASE), i - first);
		first = i;
	}
	printf("\n");
}

static void
type_pack(const struct rte_umr_layout_conf *conf, const struct rte_umr_type *type)
{
	struct rte_umr_layout *layout = rte_umr_layout_plan(conf, type);
	struct rte_umr_layout_op op = { .addr = BASE, .lkey = KEYS_LKEY, .mkeys = keys.ptrs };
	struct rte_umr_layout_cost cost;

	if (layout == NULL) {
		printf("error %d\n", rte_errno);
		return;
	}
	rte_umr_layout_cost_get(layout, &cost);
	op.nb_mkeys = cost.nb_keys;
	keys_reset(cost.max_entries);
	if (cost.len > MAX_BYTES || rte_umr_layout_enqueue(KEYS_DEV_ID, 0, layout, &op, 0) !=
				    (int)cost.nb_keys || keys_walk(cost.nb_keys - 1, addrs) == 0)
		exit(4);
	printf("%u", cost.nb_keys);
	offsets_print(cost.len);
	rte_umr_layout_free(layout);
}

int
main(void)
{
	struct rte_umr_layout_conf conf = {
		.max_list = 65532, .max_interleaved = 65531,
		.max_interleaved_stride = 65535, .max_entry_len = UINT32_C(1) << 31,
		.max_levels = 4,
	};

	rte_log_set_level(rte_log_register("lib.umr"), RTE_LOG_EMERG);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		nb_types = nb_children = nb_numbers = 0;
		conf.max_keys = (uint32_t)strtoul(strtok_r(line, " \n", &rest), NULL, 0);
		conf.max_entries = (uint32_t)number_get();
		conf.max_list_inline = (uint32_t)number_get();
		conf.max_interleaved_inline = conf.max_list_inline;
		type_pack(&conf, type_get());
		fflush(stdout);
	}
	keys_fini();
	return 0;
}
