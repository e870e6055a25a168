/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Write a matrix to a peer and transpose it on the way. An element may be a vector: with rows for
 * tokens, columns for heads and 256 bytes of data of a head per token, "heads of a token together"
 * becomes "tokens of a head together".
 *
 * One interleaved key implements two loops: each repetition accesses the entries in turn, and each
 * entry continues where it stopped. The transpose of a matrix with contiguous rows is two loops:
 * for each column, for each row. Therefore it is one key, with an entry for each row that advances
 * by an element, and one repetition per column:
 *
 *     entry 0   a b c d                              a e i  b f j  c g k  d h l
 *     entry 1   e f g h      repeated 4 times:       column 0, column 1, ...
 *     entry 2   i j k l
 *
 * A matrix of contiguous tiles needs three loops: for each column of tiles, for each column of a
 * tile, for each row. An entry has one stride, and cannot step from one tile to the next. Therefore
 * each column of tiles is a key as above, and a list of these keys is the third loop: nested.
 *
 *     | tile 0 | tile 1 | tile 2 |      key 0: tiles 0, 3; key 1: tiles 1, 4; key 2: tiles 2, 5
 *     | tile 3 | tile 4 | tile 5 |      list: key 0, key 1, key 2
 *
 *   umr_transpose [EAL option]... -- [option]... [device[,option...]]
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "options.h"
#include "pair.h"
#include "matrix.h"

#define BURST 32 /* writes per call */
#define ACCESS RTE_UMR_ACCESS_LOCAL_WRITE

struct transpose {
	struct pair pair;
	struct matrix m;
	uint32_t nb_rounds;
	struct pair_mem memory, staging; /* of the near side: the matrix, and its transpose */
	struct pair_mem target; /* of the far side: the transpose, row by row */
	struct rte_umr_seg place; /* received by the near side */
	struct pair_keys row_keys; /* for lists, one per row of the target */
	struct pair_keys tile_keys; /* for columns of tiles, and their list */
	struct rte_umr_seg *segs;
	struct rte_umr_interleaved *entries;
};

/* Enqueue a write to an offset of the target. */
static int
write_enqueue(struct transpose *t, const struct rte_umr_seg *local, size_t offset,
	      struct cost *cost)
{
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_WRITE, .length = local->length };
	uint64_t start = rte_rdtsc();
	int ret;

	do
		ret = rte_umr_write(t->pair.dev_id, 0, local, t->place.addr + offset,
				    t->place.lkey, 0);
	while (pair_retry(&t->pair, 0, ret, &start));
	return cost_enqueued(cost, 0, &shape, ret < 0 ? ret : 1, start);
}

/* Way 1: a write for each element. */
static int
move_elements(void *arg, struct cost *cost)
{
	struct transpose *t = arg;
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_WRITE, .length = t->m.element };
	struct rte_umr_rdma_op ops[BURST];
	uint64_t addr = t->place.addr, start;
	uint32_t col = 0, row = 0, nb;
	size_t offset;
	int ret = 0;

	while (col < t->m.cols && ret == 0) {
		start = rte_rdtsc();
		offset = matrix_col_offset(&t->m, col);
		for (nb = 0; nb < BURST && row + nb < t->m.rows; nb++)
			ops[nb] = (struct rte_umr_rdma_op){
				.local = pair_seg(&t->memory, offset + t->m.row_offset[row + nb],
						  t->m.element),
				.remote_addr = addr + nb * t->m.element,
				.rkey = t->place.lkey,
			};
		do
			ret = rte_umr_write_burst(t->pair.dev_id, 0, ops, (uint16_t)nb, 0);
		while (pair_retry(&t->pair, 0, ret, &start));
		if (ret > 0) {
			addr += (uint32_t)ret * t->m.element;
			row += (uint32_t)ret;
			col += row / t->m.rows;
			row %= t->m.rows;
		}
		ret = cost_enqueued(cost, 0, &shape, ret, start);
	}
	return ret != 0 ? ret : pair_collect(&t->pair, 0);
}

/* Way 2: for each row of the target, a list of its elements and a write. */
static int
move_rows(void *arg, struct cost *cost)
{
	struct transpose *t = arg;
	const struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_MKEY_LIST,
						.nb_entries = t->m.rows };
	const uint32_t len = t->m.rows * t->m.element;
	struct rte_umr_seg local = { .length = len };
	struct rte_umr_mkey *mkey;
	uint32_t row, col;
	uint64_t start;
	size_t offset;
	int ret = 0;

	for (col = 0; col < t->m.cols && ret == 0; col++) {
		mkey = t->row_keys.mkeys[col];
		start = rte_rdtsc();
		offset = matrix_col_offset(&t->m, col);
		for (row = 0; row < t->m.rows; row++)
			t->segs[row] = pair_seg(&t->memory, offset + t->m.row_offset[row],
						t->m.element);
		do
			ret = rte_umr_mkey_list(t->pair.dev_id, 0, mkey, ACCESS, t->segs,
						t->m.rows, 0);
		while (pair_retry(&t->pair, 0, ret, &start));
		ret = cost_enqueued(cost, 0, &shape, ret < 0 ? ret : 1, start);
		local.lkey = mkey->key;
		if (ret == 0)
			ret = write_enqueue(t, &local, (size_t)col * len, cost);
	}
	return ret != 0 ? ret : pair_collect(&t->pair, 0);
}

/* Way 3: transpose on the CPU, then one write. */
static int
move_by_cpu(void *arg, struct cost *cost)
{
	struct transpose *t = arg;
	const struct rte_umr_seg local = pair_seg(&t->staging, 0, (uint32_t)t->staging.len);
	const uint64_t start = rte_rdtsc();
	int ret;

	matrix_transpose(&t->m, t->memory.addr, t->staging.addr);
	cost_since(cost, start);
	cost->nb_copied = t->staging.len;
	ret = write_enqueue(t, &local, 0, cost);
	return ret != 0 ? ret : pair_collect(&t->pair, 0);
}

/* Way 4: a key for each column of tiles, a list of these keys if there are several, one write. */
static int
move_by_keys(void *arg, struct cost *cost)
{
	struct transpose *t = arg;
	const uint32_t nb_keys = t->m.cols / t->m.tile_cols;
	const uint32_t len = (uint32_t)t->memory.len / nb_keys;
	struct rte_umr_op_shape shape = { .op = RTE_UMR_OP_MKEY_INTERLEAVED,
					  .nb_entries = t->m.rows };
	struct rte_umr_mkey **mkeys = t->tile_keys.mkeys;
	struct rte_umr_seg local = { .length = (uint32_t)t->memory.len };
	uint32_t i, row;
	uint64_t start;
	size_t offset;
	int ret = 0;

	for (i = 0; i < nb_keys && ret == 0; i++) {
		start = rte_rdtsc();
		offset = matrix_col_offset(&t->m, i * t->m.tile_cols);
		for (row = 0; row < t->m.rows; row++)
			t->entries[row] = (struct rte_umr_interleaved){
				.addr = (uintptr_t)t->memory.addr + t->m.row_offset[row] + offset,
				.bytes_count = t->m.element, /* The next element follows. */
				.lkey = t->memory.mr->lkey,
			};
		do
			ret = rte_umr_mkey_interleaved(t->pair.dev_id, 0, mkeys[i], ACCESS,
						       t->m.tile_cols, t->entries, t->m.rows, 0);
		while (pair_retry(&t->pair, 0, ret, &start));
		t->segs[i] = (struct rte_umr_seg){ 0, len, mkeys[i]->key };
		ret = cost_enqueued(cost, 0, &shape, ret < 0 ? ret : 1, start);
	}
	if (nb_keys > 1 && ret == 0) {
		start = rte_rdtsc();
		do
			ret = rte_umr_mkey_list(t->pair.dev_id, 0, mkeys[nb_keys], ACCESS, t->segs,
						nb_keys, 0);
		while (pair_retry(&t->pair, 0, ret, &start));
		shape.op = RTE_UMR_OP_MKEY_LIST;
		shape.nb_entries = nb_keys;
		ret = cost_enqueued(cost, 0, &shape, ret < 0 ? ret : 1, start);
	}
	local.lkey = mkeys[nb_keys > 1 ? nb_keys : 0]->key;
	if (ret == 0)
		ret = write_enqueue(t, &local, 0, cost);
	return ret != 0 ? ret : pair_collect(&t->pair, 0);
}

/* Element by element comparison of the target. */
static int
target_verify(void *arg)
{
	const struct transpose *t = arg;

	return matrix_is_transpose(&t->m, t->memory.addr, t->target.addr) ? 0 : -EBADMSG;
}

/* Allocate the target on the far side and send its address. */
static int
target_prepare(void *arg)
{
	struct transpose *t = arg;
	const struct rte_umr_seg place = { (uintptr_t)t->target.addr, (uint32_t)t->target.len,
					   t->target.mr->rkey };

	memset(t->target.addr, 0xee, t->target.len);
	return pair_send(&t->pair, PAIR_FAR, &place, sizeof(place), &t->place);
}

static const struct cost_way ways[] = {
	{ "a write for each element", move_elements },
	{ "a list and a write for a row", move_rows },
	{ "transposed by CPU, one write", move_by_cpu },
	{ "interleaved keys, one write", move_by_keys },
};

static int
run(void *arg)
{
	struct transpose *t = arg;
	const uint32_t nb = t->m.cols / t->m.tile_cols, longest = RTE_MAX(t->m.rows, t->m.cols);
	const size_t len = matrix_len(&t->m);
	const struct cost_ways all = {
		.ways = ways, .nb_ways = RTE_DIM(ways), .nb_rounds = t->nb_rounds, .arg = t,
		.prepare = target_prepare, .verify = target_verify,
		.unit = "element", .nb_units = (uint64_t)t->m.rows * t->m.cols,
	};
	int ret = matrix_init(&t->m, &t->pair.info);

	if (ret != 0)
		return ret;
	t->segs = calloc(longest, sizeof(*t->segs));
	t->entries = calloc(t->m.rows, sizeof(*t->entries));
	ret = t->segs == NULL || t->entries == NULL ? -ENOMEM :
	      pair_mem_alloc(&t->pair, PAIR_NEAR, len, &t->memory);
	if (ret == 0)
		ret = pair_mem_alloc(&t->pair, PAIR_NEAR, len, &t->staging);
	if (ret == 0)
		ret = pair_mem_alloc(&t->pair, PAIR_FAR, len, &t->target);
	if (ret == 0)
		ret = pair_keys_create(&t->pair, PAIR_NEAR, t->m.cols, t->m.rows, 0, &t->row_keys);
	/* An interleaved layout needs one more entry. */
	if (ret == 0)
		ret = pair_keys_create(&t->pair, PAIR_NEAR, nb + 1, RTE_MAX(t->m.rows + 1, nb), 0,
				       &t->tile_keys);
	if (ret == 0)
		ret = cost_compare(&t->pair, &all);
	pair_keys_destroy(&t->tile_keys);
	pair_keys_destroy(&t->row_keys);
	pair_mem_free(&t->target);
	pair_mem_free(&t->staging);
	pair_mem_free(&t->memory);
	free(t->entries);
	free(t->segs);
	matrix_fini(&t->m);
	printf("%" PRIu32 " x %" PRIu32 " elements of %" PRIu32 " bytes, interleaved keys: %" PRIu32
	       ": %s\n", t->m.rows, t->m.cols, t->m.element, nb,
	       ret == 0 ? "good" : strerror(-ret));
	return ret;
}

int
main(int argc, char **argv)
{
	struct transpose t = { .m = { 64, 96, 32, 16, 8, NULL }, .nb_rounds = 15 };
	const struct option_value values[] = {
		{ "rows", "rows of the matrix", &t.m.rows, 1, 65000, NULL },
		{ "cols", "columns of it", &t.m.cols, 1, 65000, NULL },
		{ "element", "bytes of an element", &t.m.element, 1, 65535, NULL },
		{ "tile-rows", "rows of a tile", &t.m.tile_rows, 1, 65000, NULL },
		{ "tile-cols", "columns of a tile", &t.m.tile_cols, 1, 65000, NULL },
		{ "rounds", "rounds of each way", &t.nb_rounds, 1, COST_MAX_ROUNDS, NULL },
	};
	const struct pair_conf conf = { .msg_len = sizeof(t.place), .queue.nb_desc = 4096 };
	const char *device = NULL;
	int ret = options_parse(argc, argv, "Write a matrix to a peer, transposed.", values,
				RTE_DIM(values), &device);

	if (ret != 0)
		return ret == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
	return pair_run(argc, argv, &t.pair, device, &conf, run, &t);
}
