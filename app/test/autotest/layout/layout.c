/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Arrays and types under keys of the device: bytes that are gathered and scattered, by writes and
 * reads, against the type enumerated byte by byte. Keys that grow while peers read them.
 */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "autotest.h"
#include "env.h"
#include "model/type_gen.h"
#include "model/type_oracle.h"

#define MAX_BYTES	6000u
#define MAX_KEYS	48u
#define MAX_ENTRIES	400u
#define STAGE		(AT_BUF_LEN - 8192u) /* where bytes are in one piece */

/* How bytes move: the key is here or there, and is read or written. */
enum way { GATHER_WRITE, SCATTER_READ, GATHER_READ, SCATTER_WRITE, NB_WAYS };

static int64_t displs[MAX_BYTES];
static uint8_t image[AT_BUF_LEN];

struct move {
	struct at_env *env;
	enum way way;
	struct at_side *keyed;	/* side that the layout is on */
	struct at_side *plain;	/* side of the bytes in one piece */
	uint64_t len;
	int64_t origin;		/* of the type, in the buffer */
};

static uint32_t
access_of(enum way way)
{
	static const uint32_t access[] = {
		0, RTE_UMR_ACCESS_LOCAL_WRITE, RTE_UMR_ACCESS_REMOTE_READ,
		RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_LOCAL_WRITE,
	};

	return access[way];
}

static bool
is_scatter(enum way way)
{
	return way == SCATTER_READ || way == SCATTER_WRITE;
}

/* Keys for a plan, of the side that the layout is on. They are the environment's. */
static int
keys_take(struct at_side *side, struct rte_umr_mkey **mkeys, uint32_t nb)
{
	while (side->nb_keys < nb)
		TEST_ASSERT(at_key(side) != NULL);
	for (uint32_t i = 0; i < nb; i++)
		mkeys[i] = side->keys[i];
	return TEST_SUCCESS;
}

/* Configure the keys; a peer's are configured by its own queue, and waited for. */
static int
keys_make(const struct move *move, struct rte_umr_layout *layout, struct rte_umr_mkey **mkeys)
{
	const bool is_ours = move->keyed == move->env->tx &&
			     (move->way == GATHER_WRITE || move->way == SCATTER_READ);
	const uint16_t queue = is_ours ? 0 : move->env->rx_queue;
	struct rte_umr_completion done[MAX_KEYS];
	struct rte_umr_layout_cost cost;
	struct rte_umr_layout_op op = {
		.addr = (uintptr_t)move->keyed->buf + (uint64_t)move->origin,
		.lkey = move->keyed->mr->lkey, .access = access_of(move->way), .mkeys = mkeys,
	};
	struct rte_umr_layout_size size;
	int nb, i;

	rte_umr_layout_cost_get(layout, &cost);
	op.nb_mkeys = cost.nb_keys;
	TEST_ASSERT_SUCCESS(keys_take(move->keyed, mkeys, cost.nb_keys));
	TEST_ASSERT_SUCCESS(rte_umr_layout_size(move->keyed->dev_id, queue, layout, &size));
	const uint16_t room = rte_umr_desc_avail(move->keyed->dev_id, queue);
	for (; op.first < cost.nb_keys; op.first += (uint32_t)nb) {
		nb = rte_umr_layout_enqueue(move->keyed->dev_id, queue, layout, &op,
					    RTE_UMR_OP_F_SUBMIT);
		TEST_ASSERT(nb > 0);
		/* The cost is what was told; only what has no room at once comes in parts. */
		if (nb == (int)cost.nb_keys)
			TEST_ASSERT_EQUAL(room - rte_umr_desc_avail(move->keyed->dev_id, queue),
					  size.nb_desc);
		else
			TEST_ASSERT(size.nb_desc > room);
		TEST_ASSERT_EQUAL(at_collect(move->keyed->dev_id, queue, done, (uint16_t)nb), nb);
		for (i = 0; i < nb; i++)
			TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
	}
	return TEST_SUCCESS;
}

static int
bytes_move(const struct move *move, const struct rte_umr_mkey *mkey)
{
	const struct rte_umr_seg keyed = at_key_seg(mkey, 0, (uint32_t)move->len);
	const struct rte_umr_seg plain = at_seg(move->env->tx, STAGE, (uint32_t)move->len);
	const uint64_t far = at_addr(move->env->rx, STAGE);
	const int16_t dev = move->env->tx->dev_id;
	const uint32_t rkey = move->env->rx->mr->rkey;
	int ret;

	switch (move->way) {
	case GATHER_WRITE:
		ret = rte_umr_write(dev, 0, &keyed, far, rkey, 0);
		break;
	case SCATTER_READ:
		ret = rte_umr_read(dev, 0, &keyed, far, rkey, 0);
		break;
	case GATHER_READ:
		ret = rte_umr_read(dev, 0, &plain, 0, mkey->key, 0);
		break;
	default:
		ret = rte_umr_write(dev, 0, &plain, 0, mkey->key, 0);
	}
	TEST_ASSERT(ret >= 0);
	return at_finish(move->env, 1);
}

static int
case_run(struct move *move, struct rte_umr_layout *layout)
{
	struct rte_umr_mkey *mkeys[MAX_KEYS];
	struct rte_umr_layout_cost cost;
	struct at_side *changed = is_scatter(move->way) ? move->keyed : move->plain;

	at_fill(move->env);
	memcpy(image, changed->buf, AT_BUF_LEN);
	for (uint64_t i = 0; i < move->len; i++) {
		if (is_scatter(move->way))
			image[move->origin + displs[i]] = move->plain->buf[STAGE + i];
		else
			image[STAGE + i] = move->keyed->buf[move->origin + displs[i]];
	}
	rte_umr_layout_cost_get(layout, &cost);
	TEST_ASSERT_SUCCESS(keys_make(move, layout, mkeys));
	TEST_ASSERT_SUCCESS(bytes_move(move, mkeys[cost.nb_keys - 1]));
	TEST_ASSERT_SAME(changed->buf, image, AT_BUF_LEN);
	return TEST_SUCCESS;
}

/* @return TEST_SUCCESS, also if the type is none for these limits, or TEST_FAILED */
static int
random_run(struct at_env *env, struct prng *prng, uint32_t *nb, uint32_t *nb_nested)
{
	const struct rte_umr_type *type = gen_type(prng);
	struct move move = { .env = env, .way = (enum way)prng_between(prng, 0, NB_WAYS - 1) };
	struct rte_umr_layout_conf conf;
	struct rte_umr_layout_cost cost;
	struct rte_umr_dev_info info;
	uint64_t span;
	int ret;

	move.keyed = move.way < GATHER_READ ? env->tx : env->rx;
	move.plain = move.way < GATHER_READ ? env->rx : env->tx;
	move.len = oracle_bytes(type, displs, MAX_BYTES);
	if (move.len == UINT64_MAX || move.len == 0)
		return TEST_SUCCESS;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(move.keyed->dev_id, &info));
	rte_umr_layout_conf_init(&info, &conf);
	conf.flags = is_scatter(move.way) ? RTE_UMR_LAYOUT_F_WRITE : 0;
	conf.max_keys = MAX_KEYS;
	conf.max_entries = (uint32_t)prng_log(prng, MAX_ENTRIES);
	if (prng_one_in(prng, 3))
		conf.max_interleaved = 0;
	struct rte_umr_layout *const layout = rte_umr_layout_plan(&conf, type);
	if (layout == NULL)
		return TEST_SUCCESS;
	rte_umr_layout_cost_get(layout, &cost);
	ret = TEST_SUCCESS;
	if (cost.ub - cost.lb <= (int64_t)STAGE) {
		span = (uint64_t)(cost.ub - cost.lb);
		move.origin = (int64_t)prng_between(prng, 0, STAGE - span) - cost.lb;
		++*nb;
		*nb_nested += cost.nb_keys > 1;
		ret = case_run(&move, layout);
	}
	rte_umr_layout_free(layout);
	return ret;
}

AT_CASE(layout, random_types_move_the_bytes_that_they_name)
{
	const uint32_t seed = test_seed(), nb_cases = test_nb_cases();
	struct prng prng;
	uint32_t i, nb = 0, nb_nested = 0;

	AT_BUILD(env, .topology = AT_TWO_DEVICES, .nb_mkeys = MAX_KEYS, .max_entries = MAX_ENTRIES);
	for (i = 0; i < nb_cases; i++) {
		prng = prng_stream(seed, i);
		if (random_run(env, &prng, &nb, &nb_nested) != TEST_SUCCESS)
			TEST_FAIL_AT("seed %u, case %u", seed, i);
	}
	printf("# %u layouts, %u of several keys\n", nb, nb_nested);
	TEST_ASSERT(nb > nb_cases / 5);
	TEST_ASSERT(nb_nested > 0);
	return TEST_SUCCESS;
}

/* The table of the guide (prog_guide/umr_layouts.rst). */
static const int64_t tensor[] = { 64, 64, 64 }, rows[] = { 1000 }, row_strides[] = { 4096 };
static const int64_t matrix[] = { 40, 30 }, transposed[] = { 4, 160 };
static const int64_t cube[] = { 60, 70, 40 }, cube_sizes[] = { 128, 96, 64 };
static const int64_t corner[] = { 1, 2, 3 };
static const int64_t far_rows[] = { 100000 }, far_strides[] = { 1 << 20 };
static const int64_t repeated[] = { 100, 32 }, broadcast[] = { 0, 512 };
static const int64_t mirrored[] = { 16 }, back[] = { -8 };
static int64_t few[12], many[1000], blocks[3000];
static const struct rte_umr_type b4 = { .kind = RTE_UMR_TYPE_BYTES, .count = 4 };
static const struct rte_umr_type b8 = { .kind = RTE_UMR_TYPE_BYTES, .count = 8 };
static const struct rte_umr_type b128 = { .kind = RTE_UMR_TYPE_BYTES, .count = 128 };
static const struct rte_umr_type b256 = { .kind = RTE_UMR_TYPE_BYTES, .count = 256 };
static const struct rte_umr_type half_block = {
	.kind = RTE_UMR_TYPE_HVECTOR, .count = 32, .blocklen = 1, .stride = 512, .child = &b256,
};
#define ARRAY(shape_, strides_, child_)                                                            \
	{ .kind = RTE_UMR_TYPE_ARRAY, .ndims = RTE_DIM(shape_), .shape = (shape_),                 \
	  .strides = (strides_), .child = (child_) }
#define INDEXED(displs_, child_)                                                                   \
	{ .kind = RTE_UMR_TYPE_HINDEXED, .count = RTE_DIM(displs_), .displs = (displs_),           \
	  .child = (child_) }
static const struct {
	const char *name;
	struct rte_umr_type type;
	uint64_t nb_pieces;
	uint32_t nb_keys, nb_levels;
	uint64_t nb_entries, nb_desc, nb_list_entries;
} costs[] = {
	{ "tensor", ARRAY(tensor, NULL, &b4), 1, 1, 1, 1, 3, 0 },
	{ "10 GiB", { .kind = RTE_UMR_TYPE_BYTES, .count = UINT64_C(10) << 30 },
	  1, 1, 1, 5, 4, 0 },
	{ "few", INDEXED(few, &b128), 12, 1, 1, 12, 5, 0 },
	{ "mirrored", ARRAY(mirrored, back, &b8), 16, 1, 1, 16, 6, 0 },
	{ "rows", ARRAY(rows, row_strides, &b128), 1000, 1, 1, 2, 3, 0 },
	{ "transposed", ARRAY(matrix, transposed, &b4), 1200, 1, 1, 31, 10, 0 },
	{ "cube", { .kind = RTE_UMR_TYPE_SUBARRAY, .ndims = 3, .shape = cube, .sizes = cube_sizes,
		    .starts = corner, .child = &b8 }, 4200, 2, 2, 4, 6, 0 },
	{ "far", ARRAY(far_rows, far_strides, &b128), 100000, 2, 2, 4, 6, 0 },
	{ "broadcast", ARRAY(repeated, broadcast, &b128), 3200, 2, 2, 102, 6, 128 },
	{ "many", INDEXED(many, &b128), 1000, 1, 1, 1000, 3, 1024 },
	{ "blocks", INDEXED(blocks, &half_block), 96000, 2, 2, 3002, 6, 3072 },
};

static void
displs_fill(int64_t *of, uint32_t nb, int64_t unit)
{
	/* Any order, and no two at a distance that others have. */
	for (uint32_t i = 0; i < nb; i++)
		of[i] = (int64_t)((uint64_t)i * i * 7919 % 999983) * unit;
}

AT_CASE(layout, costs_are_those_of_the_guide)
{
	struct rte_umr_layout_conf limits;
	struct rte_umr_layout_cost cost;
	struct rte_umr_layout_size size;
	struct rte_umr_layout *layout;
	struct rte_umr_dev_info info;
	int ret;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	displs_fill(few, RTE_DIM(few), 1000);
	displs_fill(many, RTE_DIM(many), 1000);
	displs_fill(blocks, RTE_DIM(blocks), 16384);
	for (uint32_t i = 0; i < RTE_DIM(costs); i++) {
		rte_umr_layout_conf_init(&info, &limits);
		layout = TEST_NOT_NULL(rte_umr_layout_plan(&limits, &costs[i].type));
		rte_umr_layout_cost_get(layout, &cost);
		ret = rte_umr_layout_size(env->tx->dev_id, 0, layout, &size);
		rte_umr_layout_free(layout);
		TEST_ASSERT_SUCCESS(ret);
		printf("# %s: %" PRIu64 " pieces, %u keys, %u levels, %" PRIu64 " entries, %" PRIu64
		       " descriptors, %" PRIu64 " list entries\n", costs[i].name, cost.nb_pieces,
		       cost.nb_keys, cost.nb_levels, cost.nb_entries, size.nb_desc,
		       size.nb_list_entries);
		TEST_ASSERT_EQUAL(cost.nb_pieces, costs[i].nb_pieces);
		TEST_ASSERT_EQUAL(cost.nb_keys, costs[i].nb_keys);
		TEST_ASSERT_EQUAL(cost.nb_levels, costs[i].nb_levels);
		TEST_ASSERT_EQUAL(cost.nb_entries, costs[i].nb_entries);
		TEST_ASSERT_EQUAL(size.nb_desc, costs[i].nb_desc);
		TEST_ASSERT_EQUAL(size.nb_list_entries, costs[i].nb_list_entries);
	}
	return TEST_SUCCESS;
}

#define COLUMN		64
#define PITCH		(1 << 20)
#define NB_ROWS		40

/* A column of a matrix whose rows are a mebibyte: 16 times what a pattern can skip. */
AT_CASE(layout, a_stride_of_a_mebibyte_moves)
{
	const size_t len = (size_t)PITCH * NB_ROWS;
	const int64_t shape[] = { NB_ROWS, COLUMN }, strides[] = { PITCH, 1 };
	const struct rte_umr_type column = {
		.kind = RTE_UMR_TYPE_ARRAY, .ndims = 2, .shape = shape, .strides = strides,
	};
	struct rte_umr_layout_op op = { 0 };
	struct rte_umr_mkey *mkeys[MAX_KEYS];
	struct rte_umr_layout_conf conf;
	struct rte_umr_layout_cost cost;
	struct rte_umr_dev_info info;
	struct rte_umr_seg seg;

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	uint8_t *const memory = AT_MAP(env, len);
	const struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, memory, len, RTE_UMR_ACCESS_ALL, 0);
	op.addr = (uintptr_t)memory + 4096;
	op.lkey = mr->lkey;
	for (uint32_t i = 0; i < NB_ROWS; i++)
		memset(memory + 4096 + (size_t)i * PITCH, (int)i + 1, COLUMN);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	rte_umr_layout_conf_init(&info, &conf);
	conf.max_entries = 8; /* no list */
	struct rte_umr_layout *const layout = TEST_NOT_NULL(rte_umr_layout_plan(&conf, &column));
	rte_umr_layout_cost_get(layout, &cost);
	op.nb_mkeys = cost.nb_keys;
	op.mkeys = mkeys;
	if (cost.nb_keys == 2 && keys_take(env->tx, mkeys, 2) == TEST_SUCCESS &&
	    rte_umr_layout_enqueue(env->tx->dev_id, 0, layout, &op, 0) == 2) {
		rte_umr_layout_free(layout);
		seg = at_key_seg(mkeys[1], 0, NB_ROWS * COLUMN);
		TEST_ACCEPT(at_write(env, seg, 0, 0));
		TEST_ASSERT_SUCCESS(at_finish(env, 3));
		for (uint32_t i = 0; i < NB_ROWS * COLUMN; i++)
			TEST_ASSERT_EQUAL(env->rx->buf[i], i / COLUMN + 1);
		return TEST_SUCCESS;
	}
	rte_umr_layout_free(layout);
	TEST_FAIL_AT("%u keys", cost.nb_keys);
}
