/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What arrays and types become, what that costs, and what cannot be. */

#include <rte_log.h>
#include <rte_umr.h>

#include "cases.h"
#include "keys.h"

#define GIB		(INT64_C(1) << 30)
#define BASE		(UINT64_C(1) << 44)

static const struct rte_umr_dev_info cx7 = {
	.dev_capa = RTE_UMR_CAPA_MKEY_NESTED | RTE_UMR_CAPA_MKEY_INTERLEAVED, .max_mkeys = KEYS_MAX,
	.max_entries = 65536, .max_list = 65532, .max_list_inline = 52, .max_interleaved = 65531,
	.max_interleaved_inline = 51, .max_interleaved_stride = 65535,
	.max_entry_len = UINT32_C(1) << 31, .max_nesting = 4,
};
static struct rte_umr_layout_conf conf;
static struct rte_umr_layout *layout;
static struct rte_umr_layout_cost cost;

/* 8 bytes. */
static const struct rte_umr_type word = { .kind = RTE_UMR_TYPE_BYTES, .count = 8 };

static int
setup(void **state)
{
	rte_log_set_level(rte_log_register("lib.umr"), RTE_LOG_EMERG);
	rte_umr_layout_conf_init(&cx7, &conf);
	keys_reset(cx7.max_entries);
	return 0;
}

static int
teardown(void **state)
{
	rte_umr_layout_free(layout);
	layout = NULL;
	keys_fini();
	return 0;
}

/* Plan it, and configure keys. */
static void
make(const struct rte_umr_type *type)
{
	struct rte_umr_layout_op op = { .addr = BASE, .lkey = KEYS_LKEY, .mkeys = keys.ptrs };

	rte_umr_layout_free(layout);
	layout = rte_umr_layout_plan(&conf, type);
	assert_non_null(layout);
	rte_umr_layout_cost_get(layout, &cost);
	op.nb_mkeys = cost.nb_keys;
	assert_int_equal(rte_umr_layout_enqueue(KEYS_DEV_ID, 0, layout, &op, 0), cost.nb_keys);
}

static struct rte_umr_type
array_of(uint16_t ndims, const int64_t *shape, const int64_t *strides,
	 const struct rte_umr_type *elem)
{
	return (struct rte_umr_type){
		.kind = RTE_UMR_TYPE_ARRAY, .ndims = ndims, .shape = shape, .strides = strides,
		.child = elem,
	};
}

static struct rte_umr_type
vector_of(uint64_t count, int64_t stride, const struct rte_umr_type *elem)
{
	return (struct rte_umr_type){
		.kind = RTE_UMR_TYPE_HVECTOR, .count = count, .blocklen = 1, .stride = stride,
		.child = elem,
	};
}

static struct rte_umr_type
struct_of(uint64_t count, const struct rte_umr_type *const *children, const int64_t *displs)
{
	return (struct rte_umr_type){
		.kind = RTE_UMR_TYPE_STRUCT, .count = count, .children = children, .displs = displs,
	};
}

static void
array_make(uint16_t ndims, const int64_t *shape, const int64_t *strides, uint64_t elem_len)
{
	const struct rte_umr_type elem = { .kind = RTE_UMR_TYPE_BYTES, .count = elem_len };
	const struct rte_umr_type array = array_of(ndims, shape, strides, &elem);

	make(&array);
}

static void
cost_is(uint32_t nb_keys, uint64_t nb_entries)
{
	assert_int_equal(cost.nb_keys, nb_keys);
	assert_int_equal(cost.nb_entries, nb_entries);
}

/* It has failed, for that reason, and nothing was left. */
static void
fails(const struct rte_umr_type *type, int error)
{
	rte_errno = 0;
	assert_null(rte_umr_layout_plan(&conf, type));
	assert_int_equal(rte_errno, error);
}

static void
entry_is(uint32_t key, uint32_t i, uint64_t addr, uint32_t len, uint32_t skip, uint32_t lkey)
{
	const struct rte_umr_interleaved *entry = &keys.keys[key].entries[i];

	assert_true(i < keys.keys[key].nb);
	assert_int_equal(entry->addr, addr);
	assert_int_equal(entry->bytes_count, len);
	assert_int_equal(entry->bytes_skip, skip);
	assert_int_equal(entry->lkey, lkey);
}

CASE_WITH(one_piece_is_a_list_of_one, setup, teardown)
{
	const int64_t shape[] = { 4, 5, 6 };

	array_make(3, shape, NULL, 4);
	cost_is(1, 1);
	assert_true(cost.is_contiguous);
	entry_is(0, 0, BASE, 480, 0, KEYS_LKEY);
	array_make(0, NULL, NULL, 4);
	entry_is(0, 0, BASE, 4, 0, KEYS_LKEY);
}

CASE_WITH(one_repetition_is_a_pattern, setup, teardown)
{
	const int64_t shape[] = { 1000, 16 }, strides[] = { 4096, 8 };

	array_make(2, shape, strides, 8);
	cost_is(1, 2);
	assert_int_equal(cost.nb_pieces, 1000);
	assert_int_equal(cost.ub, 999 * 4096 + 128);
	assert_true(keys.keys[0].is_pattern);
	assert_int_equal(keys.keys[0].repeat, 1000);
	entry_is(0, 0, BASE, 128, 4096 - 128, KEYS_LKEY);
}

CASE_WITH(few_pieces_are_a_list_and_a_matrix_transposed_a_pattern, setup, teardown)
{
	const int64_t few[] = { 3, 4 }, far[] = { 1 << 20, 100 };
	const int64_t shape[] = { 40, 30 }, strides[] = { 4, 160 };

	array_make(2, few, far, 8);
	cost_is(1, 12);
	assert_false(keys.keys[0].is_pattern);
	/* Its columns are the rows: 30 elements, 160 bytes apart, 40 times. */
	array_make(2, shape, strides, 4);
	assert_int_equal(cost.nb_keys, 1);
	assert_int_equal(cost.nb_pieces, 1200);
	assert_int_equal(keys.keys[0].nb, 30);
	assert_int_equal(keys.keys[0].repeat, 40);
	entry_is(0, 29, BASE + 29 * 160, 4, 0, KEYS_LKEY);
}

CASE_WITH(a_block_of_a_cube_is_a_pattern_over_a_pattern, setup, teardown)
{
	/* 60 x 70 x 40 elements of 8 bytes out of 128 x 96 x 64. */
	const int64_t sizes[] = { 128, 96, 64 }, shape[] = { 60, 70, 40 }, starts[] = { 1, 2, 3 };
	const struct rte_umr_type part = {
		.kind = RTE_UMR_TYPE_SUBARRAY, .ndims = 3, .sizes = sizes, .shape = shape,
		.starts = starts, .child = &word,
	};
	const uint64_t first = BASE + ((1 * 96 + 2) * 64 + 3) * 8;

	make(&part);
	cost_is(2, 4);
	assert_int_equal(cost.nb_levels, 2);
	assert_int_equal(cost.nb_pieces, 4200);
	entry_is(0, 0, first, 320, 512 - 320, KEYS_LKEY);
	assert_int_equal(keys.keys[0].repeat, 59 * 96 + 70);
	entry_is(1, 0, 0, 70 * 320, (96 - 70) * 320, keys.mkeys[0].key);
	assert_int_equal(keys.keys[1].repeat, 60);
	/* One key: all rows of a plane, again and again; or a list of all. */
	conf.max_keys = 1;
	make(&part);
	cost_is(1, 71);
	assert_int_equal(keys.keys[0].repeat, 60);
	conf.max_interleaved = 69;
	make(&part);
	cost_is(1, 4200);
	conf.max_list = 4199;
	fails(&part, E2BIG);
	conf.max_keys = 2;
	conf.max_levels = 1;
	fails(&part, E2BIG);
}

/* No rows of 10 by 10 bytes, in front of the 4 bytes at 96 in each of three records. */
CASE_WITH(a_part_without_elements_is_as_long_as_its_array, setup, teardown)
{
	static const int64_t sizes[] = { 10, 10 }, shape[] = { 0, 10 }, starts[] = { 3, 0 };
	static const int64_t displs[] = { 0, 96 };
	const struct rte_umr_type byte = { .kind = RTE_UMR_TYPE_BYTES, .count = 1 };
	const struct rte_umr_type four = { .kind = RTE_UMR_TYPE_BYTES, .count = 4 };
	const struct rte_umr_type part = {
		.kind = RTE_UMR_TYPE_SUBARRAY, .ndims = 2, .sizes = sizes, .shape = shape,
		.starts = starts, .child = &byte,
	};
	const struct rte_umr_type *const children[] = { &part, &four };
	const struct rte_umr_type record = struct_of(2, children, displs);
	const struct rte_umr_type records = {
		.kind = RTE_UMR_TYPE_CONTIGUOUS, .count = 3, .child = &record,
	};

	fails(&part, EINVAL);
	make(&records);
	assert_int_equal(cost.len, 12);
	assert_int_equal(cost.lb, 96);
	assert_int_equal(cost.ub, 300);
}

CASE_WITH(a_long_stride_is_two_patterns, setup, teardown)
{
	const int64_t shape[] = { 100000 }, strides[] = { 1 << 20 }, odd[] = { 1048583 };
	const int64_t many[] = { 65532 * 2 + 1 }, too_many[] = { 20000000 };
	const struct rte_umr_type elem = { .kind = RTE_UMR_TYPE_BYTES, .count = 64 };
	const struct rte_umr_type array = array_of(1, too_many, odd, &elem);

	array_make(1, shape, strides, 64);
	cost_is(2, 4);
	entry_is(0, 0, BASE, 64, 32768 - 64, KEYS_LKEY);
	assert_int_equal(keys.keys[0].repeat, 99999 * 32 + 1);
	entry_is(1, 0, 0, 64, 32 * 64 - 64, keys.mkeys[0].key);
	assert_int_equal(keys.keys[1].repeat, 100000);
	/* A prime has no parts: lists under a list. */
	array_make(1, many, odd, 64);
	assert_int_equal(cost.nb_keys, 4);
	assert_int_equal(cost.nb_levels, 2);
	assert_int_equal(keys.keys[3].nb, 3);
	assert_int_equal(keys.keys[2].nb, 1);
	assert_int_equal(keys.keys[3].len, many[0] * 64);
	fails(&array, E2BIG);
}

CASE_WITH(broadcasts_and_ways_back_are_for_lists, setup, teardown)
{
	const int64_t shape[] = { 3, 4 }, zero[] = { 0, 16 }, back[] = { -64, -16 };
	const struct rte_umr_type broadcast = array_of(2, shape, zero, &word);
	const struct rte_umr_type backwards = array_of(2, shape, back, &word);

	make(&broadcast);
	assert_int_equal(keys.keys[cost.nb_keys - 1].len, 96);
	assert_int_equal(cost.ub, 56);
	make(&backwards);
	assert_int_equal(cost.lb, -(2 * 64 + 3 * 16));
	assert_int_equal(cost.ub, 8);
	assert_int_equal(cost.nb_entries, 12);
	entry_is(0, 0, BASE, 8, 0, KEYS_LKEY);
	entry_is(0, 11, BASE - 176, 8, 0, KEYS_LKEY);
	/* Who writes has one place for each byte. */
	conf.flags = RTE_UMR_LAYOUT_F_WRITE;
	make(&backwards);
	fails(&broadcast, EEXIST);
}

CASE_WITH(overlaps_are_found_where_they_are_written, setup, teardown)
{
	const int64_t displs[] = { 0, 40, 20 }, many[] = { 2000, 3 }, strides[] = { 12, 24000 };
	const int64_t woven[] = { 1200, 2000 }, weave[] = { 24, 36 };
	const uint64_t lens[] = { 1, 1, 2 };
	const struct rte_umr_type elem = { .kind = RTE_UMR_TYPE_BYTES, .count = 12 };
	struct rte_umr_type blocks = {
		.kind = RTE_UMR_TYPE_HINDEXED, .count = 3, .displs = displs, .child = &elem,
	};
	/* Columns that lie between each other; too many to be compared one by one, too. */
	const struct rte_umr_type apart = array_of(2, many, strides, &elem);
	const struct rte_umr_type overlapping = array_of(2, woven, weave, &elem);

	conf.flags = RTE_UMR_LAYOUT_F_WRITE;
	make(&blocks);
	blocks.blocklens = lens;
	fails(&blocks, EEXIST);
	conf.flags = 0;
	make(&blocks);
	conf.flags = RTE_UMR_LAYOUT_F_WRITE;
	make(&apart);
	fails(&overlapping, EEXIST);
}

CASE_WITH(long_pieces_are_cut, setup, teardown)
{
	const struct rte_umr_type elem = { .kind = RTE_UMR_TYPE_BYTES, .count = 5 * GIB };
	const int64_t shape[] = { 2 }, strides[] = { 6 * GIB };
	const struct rte_umr_type two = array_of(1, shape, strides, &elem);

	make(&elem);
	assert_int_equal(cost.nb_entries, 3);
	entry_is(0, 1, BASE + 2 * GIB, UINT32_C(1) << 31, 0, KEYS_LKEY);
	entry_is(0, 2, BASE + 4 * GIB, UINT32_C(1) << 30, 0, KEYS_LKEY);
	make(&two);
	assert_int_equal(cost.nb_entries, 6);
	assert_int_equal(cost.nb_pieces, 2);
	assert_int_equal(cost.len, 10 * GIB);
	entry_is(0, 3, BASE + 6 * GIB, UINT32_C(1) << 31, 0, KEYS_LKEY);
}

CASE_WITH(blocks_that_are_patterns_have_keys_of_their_own, setup, teardown)
{
	const struct rte_umr_type rows = vector_of(1000, 24, &word);
	const struct rte_umr_type cols = vector_of(900, 56, &word);
	const struct rte_umr_type *const children[] = { &rows, &word, &cols, &rows };
	const int64_t displs[] = { 1000000, 3, 5000001, 9000000 };
	const struct rte_umr_type all = struct_of(4, children, displs);

	make(&all);
	cost_is(4, 3 * 2 + 4);
	entry_is(3, 0, 0, 8000, 0, keys.mkeys[0].key);
	entry_is(3, 1, BASE + 3, 8, 0, KEYS_LKEY);
	entry_is(3, 2, 0, 7200, 0, keys.mkeys[1].key);
	entry_is(3, 3, 0, 8000, 0, keys.mkeys[2].key);
}

/* In memory a piece begins where a key ends in its own addresses: it is no part of that key. */
CASE_WITH(piece_joins_no_entry_of_another_key, setup, teardown)
{
	const struct rte_umr_type rows = vector_of(1000, 24, &word);
	const struct rte_umr_type *const children[] = { &rows, &word, &word };
	const int64_t displs[] = { 1000000, 8000, 8008 };
	const struct rte_umr_type all = struct_of(3, children, displs);

	make(&all);
	assert_int_equal(cost.nb_keys, 2);
	assert_int_equal(keys.keys[1].nb, 2);
	entry_is(1, 0, 0, 8000, 0, keys.mkeys[0].key);
	entry_is(1, 1, BASE + 8000, 16, 0, KEYS_LKEY);
}

CASE_WITH(blocks_of_a_cache_in_any_order_are_one_pattern_and_a_list, setup, teardown)
{
	/* Half of each of 16 KiB blocks, 3000 of them: 2 heads of 4 in each token. */
	const struct rte_umr_type heads = { .kind = RTE_UMR_TYPE_BYTES, .count = 256 };
	const struct rte_umr_type block = vector_of(32, 512, &heads);
	int64_t displs[3000];
	const struct rte_umr_type blocks = {
		.kind = RTE_UMR_TYPE_HINDEXED, .count = 3000, .displs = displs, .child = &block,
	};

	for (uint32_t i = 0; i < 3000; i++)
		displs[i] = (int64_t)(i * 1009 % 3000) * 16384;
	make(&blocks);
	assert_int_equal(cost.nb_pieces, 96000);
	assert_int_equal(cost.nb_keys, 2);
	assert_int_equal(keys.keys[0].repeat, 3000 * 32);
	assert_int_equal(keys.keys[1].nb, 3000);
	entry_is(1, 1, 1009 * 8192, 8192, 0, keys.mkeys[0].key);
}

CASE_WITH(senseless_types_have_their_errno, setup, teardown)
{
	static const int64_t shape[33] = { 2, -1 }, sizes[] = { 4 }, starts[] = { 3 };
	static const int64_t huge[] = { INT64_MAX / 2 };
	enum { CONTIG = RTE_UMR_TYPE_CONTIGUOUS, ARRAY = RTE_UMR_TYPE_ARRAY,
	       SUBARRAY = RTE_UMR_TYPE_SUBARRAY };
	static const struct {
		const char *name;
		struct rte_umr_type type;
		int error;
	} rows[] = {
		{ "no bytes", { .kind = RTE_UMR_TYPE_BYTES }, EINVAL },
		{ "too many bytes", { .kind = RTE_UMR_TYPE_BYTES, .count = UINT64_MAX }, ERANGE },
		{ "kind", { .kind = RTE_UMR_TYPE_RESIZED + 1, .child = &word }, EINVAL },
		{ "flags", { .kind = CONTIG, .count = 2, .child = &word, .flags = 2 }, EINVAL },
		{ "reserved", { .kind = CONTIG, .count = 2, .child = &word, .reserved = 1 },
		  EINVAL },
		{ "reserved2", { .kind = CONTIG, .count = 2, .child = &word, .reserved2[1] = 1 },
		  EINVAL },
		{ "no child", { .kind = CONTIG, .count = 2 }, EINVAL },
		{ "33 dimensions", { .kind = ARRAY, .ndims = 33, .shape = shape }, EINVAL },
		{ "-1 elements", { .kind = ARRAY, .ndims = 2, .shape = shape }, EINVAL },
		{ "no shape", { .kind = ARRAY, .ndims = 1 }, EINVAL },
		{ "huge", { .kind = ARRAY, .ndims = 1, .shape = huge, .strides = huge }, ERANGE },
		{ "[3, 5) of 4", { .kind = SUBARRAY, .ndims = 1, .shape = shape, .sizes = sizes,
		  .starts = starts, .child = &word }, EINVAL },
		{ "no starts", { .kind = SUBARRAY, .ndims = 1, .shape = shape, .sizes = sizes,
		  .child = &word }, EINVAL },
		{ "no displacements", { .kind = RTE_UMR_TYPE_INDEXED, .count = 1, .child = &word },
		  EINVAL },
		{ "no children", { .kind = RTE_UMR_TYPE_STRUCT, .count = 1, .displs = sizes },
		  EINVAL },
	};
	struct rte_umr_type deep[RTE_UMR_TYPE_MAX_DEPTH + 1];

	fails(NULL, EINVAL);
	for (uint32_t i = 0; i < RTE_DIM(rows); i++) {
		rte_errno = 0;
		assert_null(rte_umr_layout_plan(&conf, &rows[i].type));
		row_check(rows[i].name, rte_errno, rows[i].error);
	}
	for (uint32_t i = 0; i < RTE_DIM(deep); i++)
		deep[i] = (struct rte_umr_type){
			.kind = RTE_UMR_TYPE_CONTIGUOUS, .count = 1,
			.child = i == 0 ? &word : &deep[i - 1],
		};
	make(&deep[RTE_UMR_TYPE_MAX_DEPTH - 2]);
	fails(&deep[RTE_UMR_TYPE_MAX_DEPTH - 1], ELOOP);
}

CASE_WITH(senseless_limits_have_their_errno, setup, teardown)
{
	struct rte_umr_layout_conf bad[] = { conf, conf, conf, conf, conf };
	struct rte_umr_layout_key key;

	bad[0].flags = 2;
	bad[1].max_keys = 0;
	bad[2].max_levels = 0;
	bad[3].max_entry_len = 0;
	bad[4].reserved2[3] = 1;
	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		rte_errno = 0;
		if (rte_umr_layout_plan(&bad[i], &word) != NULL)
			fail_msg("limits %u are good", i);
		assert_int_equal(rte_errno, EINVAL);
	}
	assert_null(rte_umr_layout_plan(NULL, &word));
	assert_int_equal(rte_errno, EINVAL);
	make(&word);
	assert_int_equal(rte_umr_layout_key_get(layout, 1, &key), -ERANGE);
}

/* Two keys. */
static void
cube_plan(void)
{
	static const int64_t shape[] = { 60, 70, 40 }, strides[] = { 49152, 512, 8 };
	const struct rte_umr_type array = array_of(3, shape, strides, &word);

	layout = rte_umr_layout_plan(&conf, &array);
	assert_non_null(layout);
	rte_umr_layout_cost_get(layout, &cost);
	assert_int_equal(cost.nb_keys, 2);
}

static int
enqueue(const struct rte_umr_layout_op *op, uint64_t flags)
{
	return rte_umr_layout_enqueue(KEYS_DEV_ID, 0, layout, op, flags);
}

CASE_WITH(senseless_operations_leave_no_trace, setup, teardown)
{
	struct rte_umr_mkey *mkeys[] = { &keys.mkeys[0], NULL };
	const struct rte_umr_layout_op good = {
		.addr = BASE, .lkey = KEYS_LKEY, .mkeys = keys.ptrs, .nb_mkeys = 2,
	};
	static const struct { const char *name; int ret; } rows[] = {
		{ "a key too many", -EINVAL }, { "first", -EINVAL }, { "reserved", -EINVAL },
		{ "no key", -EINVAL }, { "memory windows", -EINVAL }, { "atomics", -EACCES },
		{ "address", -ERANGE },
	};
	struct rte_umr_layout_op op[RTE_DIM(rows)];

	cube_plan();
	for (unsigned int i = 0; i < RTE_DIM(op); i++)
		op[i] = good;
	op[0].nb_mkeys = 3;
	op[1].first = 2;
	op[2].reserved[1] = 1;
	op[3].mkeys = mkeys;
	op[4].access = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_MW_BIND;
	op[5].access = RTE_UMR_ACCESS_REMOTE_ATOMIC;
	op[6].addr = UINT64_MAX - 100;
	for (unsigned int i = 0; i < RTE_DIM(rows); i++)
		row_check(rows[i].name, enqueue(&op[i], 0), rows[i].ret);
	keys.mkeys[1].max_entries = 1;
	assert_int_equal(enqueue(&good, 0), -E2BIG);
	keys.mkeys[1].max_entries = 2;
	keys.mkeys[1].dev_id++;
	assert_int_equal(enqueue(&good, 0), -EXDEV);
	keys.mkeys[1].dev_id--;
	assert_int_equal(rte_umr_layout_enqueue(KEYS_DEV_ID + 1, 0, layout, &good, 0), -ENODEV);
	keys.max_ops = 0;
	assert_int_equal(enqueue(&good, 0), -ENOSPC);
	assert_int_equal(keys.nb_ops, 0);
	assert_int_equal(keys.nb_submits, 0);
}

CASE_WITH(a_full_ring_is_gone_on_with, setup, teardown)
{
	struct rte_umr_layout_op op = {
		.addr = BASE, .lkey = KEYS_LKEY, .mkeys = keys.ptrs, .nb_mkeys = 2,
		.access = RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_RELAXED_ORDERING,
	};
	const uint64_t flags = RTE_UMR_OP_F_FENCE | RTE_UMR_OP_F_SUBMIT;

	conf.flags = RTE_UMR_LAYOUT_F_WRITE;
	cube_plan();
	keys.max_ops = 1;
	assert_int_equal(enqueue(&op, flags), 1);
	assert_int_equal(keys.nb_submits, 1);
	op.first = 1;
	assert_int_equal(enqueue(&op, flags), -ENOSPC);
	keys.max_ops = 2;
	assert_int_equal(enqueue(&op, 0), 1);
	assert_int_equal(keys.nb_submits, 1);
	assert_int_equal(keys.nb_ops, 2);
	assert_int_equal(keys.keys[0].flags, RTE_UMR_OP_F_FENCE);
	assert_int_equal(keys.keys[1].flags, 0);
	assert_int_equal(keys.keys[0].access,
			 RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_RELAXED_ORDERING);
	assert_int_equal(keys.keys[1].access, op.access);
}

CASE_WITH(a_plan_is_for_any_address, setup, teardown)
{
	struct rte_umr_layout_op op = {
		.addr = 0, .lkey = 0x1234, .mkeys = keys.ptrs, .nb_mkeys = 2,
		.access = RTE_UMR_ACCESS_REMOTE_READ,
	};

	cube_plan();
	assert_int_equal(enqueue(&op, 0), 2);
	entry_is(0, 0, 0, 320, 192, 0x1234);
	assert_int_equal(keys.keys[0].access, 0);
	op.addr = BASE;
	op.lkey = KEYS_LKEY;
	op.mkeys = &keys.ptrs[7];
	assert_int_equal(enqueue(&op, 0), 2);
	entry_is(7, 0, BASE, 320, 192, KEYS_LKEY);
	entry_is(8, 0, 0, 70 * 320, (96 - 70) * 320, keys.mkeys[7].key);
}
