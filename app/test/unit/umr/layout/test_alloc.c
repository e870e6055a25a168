/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory that runs out while a layout is planned: each allocation fails in turn, and none leaks. */

#include <rte_umr.h>

#include "cases.h"

/* What the files under test need of the library. */
int rte_umr_logtype;

const struct rte_umr_fp_entry *rte_umr_fp_no_entry(bool is_open);

const struct rte_umr_fp_entry *
rte_umr_fp_no_entry(bool is_open)
{
	return NULL;
}

static struct {
	unsigned int nb_calls;
	unsigned int fail_at; /* from 1; 0: none */
	int nb_live;
} memory;

void *__real_malloc(size_t size);
void *__real_calloc(size_t nb, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nb, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static void *
counted(void *got)
{
	memory.nb_live += got != NULL;
	return got;
}

void *
__wrap_malloc(size_t size)
{
	return ++memory.nb_calls == memory.fail_at ? NULL : counted(__real_malloc(size));
}

void *
__wrap_calloc(size_t nb, size_t size)
{
	return ++memory.nb_calls == memory.fail_at ? NULL : counted(__real_calloc(nb, size));
}

void *
__wrap_realloc(void *old, size_t size)
{
	if (++memory.nb_calls == memory.fail_at)
		return NULL;
	memory.nb_live -= old != NULL;
	return counted(__real_realloc(old, size));
}

void
__wrap_free(void *old)
{
	memory.nb_live -= old != NULL;
	__real_free(old);
}

/* Until it fails no more. */
static void
fails_in_turn(const struct rte_umr_layout_conf *conf, const struct rte_umr_type *type,
	      uint32_t nb_keys)
{
	struct rte_umr_layout_cost cost;
	struct rte_umr_layout *layout;

	for (memory.fail_at = 1;; memory.fail_at++) {
		memory.nb_calls = 0;
		memory.nb_live = 0;
		layout = rte_umr_layout_plan(conf, type);
		if (layout != NULL)
			break;
		assert_int_equal(rte_errno, ENOMEM);
		assert_int_equal(memory.nb_live, 0);
	}
	/* The last one did not reach it. */
	assert_true(memory.nb_calls < memory.fail_at);
	assert_true(memory.fail_at > 4);
	rte_umr_layout_cost_get(layout, &cost);
	assert_int_equal(cost.nb_keys, nb_keys);
	rte_umr_layout_free(layout);
	assert_int_equal(memory.nb_live, 0);
}

CASE(each_allocation_may_fail)
{
	static const struct rte_umr_type elem = { .kind = RTE_UMR_TYPE_BYTES, .count = 8 };
	static const int64_t cube[] = { 60, 70, 40 }, cube_strides[] = { 49152, 512, 8 };
	static const int64_t prime[] = { 5000 }, prime_stride[] = { 1048583 };
	static const struct rte_umr_type patterns = {
		.kind = RTE_UMR_TYPE_ARRAY, .ndims = 3, .shape = cube, .strides = cube_strides,
		.child = &elem,
	};
	static const struct rte_umr_type lists = {
		.kind = RTE_UMR_TYPE_ARRAY, .ndims = 1, .shape = prime, .strides = prime_stride,
		.child = &elem,
	};
	static const struct rte_umr_type *const children[] = { &patterns, &elem, &lists };
	static const int64_t displs[] = { -(1 << 30), 3, 50 };
	static const struct rte_umr_type parts = {
		.kind = RTE_UMR_TYPE_STRUCT, .count = 3, .children = children, .displs = displs,
	};
	struct rte_umr_layout_conf conf = {
		.flags = RTE_UMR_LAYOUT_F_WRITE,
		.max_keys = 100, .max_entries = 65536, .max_list = 1000, .max_list_inline = 52,
		.max_interleaved = 999, .max_interleaved_inline = 51,
		.max_interleaved_stride = 65535, .max_entry_len = UINT32_C(1) << 31,
		.max_levels = 4,
	};

	fails_in_turn(&conf, &patterns, 2);
	fails_in_turn(&conf, &lists, 6);
	fails_in_turn(&conf, &parts, 9);
}
