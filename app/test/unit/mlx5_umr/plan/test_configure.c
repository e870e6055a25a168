/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configurations of keys off the fast path: their bytes, typed by hand from the layouts in
 * mlx5dv.h and the PRM, what is rejected, and operations of several WQEs.
 */

#define TEST_NB_WQEBB 32u

#include "plan/configure.h"
#include "ring/mkey.h"
#include "test_queue.h"

#define NB_CHUNKS	4u
#define MAX_KLM		(NB_CHUNKS * MLX5_UMR_KLM_CHUNK_NB)

static uint8_t memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE] __rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);
static uint8_t kept[MAX_KLM * PRM_KLM_SIZE] __rte_aligned(16);
static struct mlx5_umr_mkey_priv *priv;
static struct test_keys keys;

static int
setup(void **state)
{
	struct test_queue *t = *state = test_queue_new();

	memset(memory, TEST_POISON, sizeof(memory));
	memset(kept, 0, sizeof(kept));
	test_klm_mem_set(t, memory, NB_CHUNKS);
	return 0;
}

static struct rte_umr_mkey *
update_mkey(uint32_t max_entries)
{
	struct rte_umr_mkey *mkey = test_keys_set(&keys, 0, max_entries,
						  RTE_UMR_MKEY_POOL_F_UPDATE);

	priv = rte_umr_mkey_priv(mkey);
	priv->klms = kept;
	return mkey;
}

/* Where the WQE points to. */
static uint64_t
pointer_at(const uint8_t *seg)
{
	uint64_t addr;

	memcpy(&addr, seg + 8, sizeof(addr));
	return rte_be_to_cpu_64(addr);
}

QUEUE_CASE_WITH(nothing_set_makes_the_key_usable, setup, test_queue_teardown)
{
	const struct rte_umr_mkey_op conf = { 0 };
	struct rte_umr_mkey mkey = test_mkey(4);

	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	TEST_BYTES(t->sq,
		   0, 0, 0, 0x25, 0x12, 0x34, 0x56, 0x08, 0, 0, 0, 0, 0, 0xab, 0xcd, 0x07,
		   /* inline; mkey_mask: free, mkey */
		   0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x20, 0, 0x20, 0,
		   [68] = 0xff, 0xff, 0xff, 0x07, [127] = 0);
	assert_int_equal(t->queue.sq_pi, 2);
	assert_int_equal(t->ops[0].type, RTE_UMR_OP_MKEY_CONFIGURE);
}

QUEUE_CASE_WITH(access_alone_keeps_the_layout, setup, test_queue_teardown)
{
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS,
		.access = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE,
	};
	struct rte_umr_mkey mkey = test_mkey(4);

	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	/* Mask; access_flags: remote read and write. */
	TEST_BYTES(t->sq + 24, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x00);
	TEST_BYTES(t->sq + 64, 0x00, 0x00, 0x30, 0x00, 0xff, 0xff, 0xff, 0x07);
	assert_int_equal(t->queue.sq_pi, 2);
}

QUEUE_CASE_WITH(layout_alone_keeps_the_access, setup, test_queue_teardown)
{
	const struct rte_umr_seg seg = { 0x1000, 64, 0x200 };
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT, .nb_entries = 1, .segs = &seg,
	};
	struct rte_umr_mkey mkey = test_mkey(4);

	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	TEST_BYTES(t->sq + 16, 0x80, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0, 0, 0x20, 0, 0x20, 0x01);
	assert_int_equal(t->sq[66], 0);		/* access_flags */
	assert_int_equal(t->sq[95], 64);	/* len */
	TEST_BYTES(t->sq + 128, 0, 0, 0, 0x40, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, [63] = 0);
}

QUEUE_CASE_WITH(long_pattern_goes_to_memory, setup, test_queue_teardown)
{
	struct rte_umr_interleaved entries[53];
	struct rte_umr_mkey mkey = test_mkey(54);

	for (uint32_t i = 0; i < 53; i++)
		entries[i] = (struct rte_umr_interleaved){ 0x1000000000 + i, 65535, 0, 0x100 + i };
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, UINT32_MAX, entries, 53,
						    0), 0);
	/* 9 DS, not inline, 56 octowords. */
	TEST_BYTES(t->sq,
		   0, 0, 0, 0x25, 0x12, 0x34, 0x56, 0x09, 0, 0, 0, 0, 0, 0xab, 0xcd, 0x07,
		   0, 0, 0, 0, 0, 0x38, 0, 0, 0, 0, 0, 0, 0x20, 0x3c, 0x20, 0x01);
	/* 53 times 65535 bytes, 2^32 - 1 times: more than 32 bits hold. */
	TEST_BYTES(t->sq + 88, 0x00, 0x34, 0xff, 0xca, 0xff, 0xcb, 0x00, 0x35);
	TEST_BYTES(t->sq + 128, 0x00, 0x00, 0x03, 0x80, 0x00, 0xaa, 0xbb, 0x00);
	assert_int_equal(pointer_at(t->sq + 128), (uintptr_t)memory);
	TEST_BYTES(memory,
		   /* byte_count 53 * 65535, op, repeat_count, num_ent */
		   0, 0x34, 0xff, 0xcb, 0, 0, 0x04, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0x35,
		   /* stride, byte_count, key, address */
		   0xff, 0xff, 0xff, 0xff, 0, 0, 0x01, 0, 0, 0, 0, 0x10, 0, 0, 0, 0);
	test_filled(memory + 54 * 16, 0, 32);
	assert_int_equal(memory[56 * 16], TEST_POISON);
	assert_int_equal(t->ops[0].type, RTE_UMR_OP_MKEY_INTERLEAVED);
}

/* Strides of 65536 do not fit 16 bits: the pattern is the list that it stands for. */
QUEUE_CASE_WITH(wide_pattern_becomes_a_list, setup, test_queue_teardown)
{
	const struct rte_umr_interleaved entries[] = {
		{ 0x100000, 16, 65520, 0x100 }, { 0x200000, 65536, 65536, 0x200 },
	};
	struct rte_umr_mkey mkey = test_mkey(6);

	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, 3, entries, 2, 0), 0);
	assert_int_equal(t->sq[21], 8);		/* klm_octowords */
	/* len: 3 * 65552 */
	TEST_BYTES(t->sq + 88, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00, 0x30);
	TEST_BYTES(t->sq + 128,
		   0, 0, 0, 0x10, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0x10, 0, 0,
		   0, 0x01, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0x20, 0, 0,
		   0, 0, 0, 0x10, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0x11, 0, 0,
		   0, 0x01, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0x22, 0, 0,
		   0, 0, 0, 0x10, 0, 0, 0x01, 0, 0, 0, 0, 0, 0, 0x12, 0, 0,
		   0, 0x01, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0x24, 0, 0, [127] = 0);
	/* One more repetition than the key has room for; a count that no entry holds. */
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, 4, entries, 2, 0),
			 -ERANGE);
	mkey.max_entries = UINT16_MAX;
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, MAX_KLM / 2 + 1, entries,
						    2, 0), -ERANGE);
	assert_int_equal(t->queue.op_pi, 1);
	assert_int_equal(t->queue.klm_mem.head, 0);
}

QUEUE_CASE_WITH(fixed_size_entries_have_no_length, setup, test_queue_teardown)
{
	struct rte_umr_fixed entries[] = { { 0x3000, 0x300, 0 }, { 0x7f0000004000, 0x400, 0 } };
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT, .layout = RTE_UMR_LAYOUT_FIXED,
		.nb_entries = 2, .fixed = entries,
	};
	struct rte_umr_mkey mkey = test_mkey(4);

	/* Only keys of pools of fixed-size entries have them, and nothing else. */
	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), -EINVAL);
	mkey.flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE;
	mkey.log_entry_size = 31;
	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0, &test_seg, 1, 0), -EINVAL);
	entries[1].reserved = 1;
	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), -EINVAL);
	entries[1].reserved = 0;
	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	assert_int_equal(t->sq[21], 4);
	/* len: 2^32 */
	TEST_BYTES(t->sq + 88, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00);
	/* Each: reserved, key, address. */
	TEST_BYTES(t->sq + 128,
		   0, 0, 0, 0, 0, 0, 0x03, 0, 0, 0, 0, 0, 0, 0, 0x30, 0,
		   0, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0x7f, 0, 0, 0, 0x40, 0, [63] = 0);
	assert_int_equal(test_nb_rejected(&t->queue), 3);
}

static void
list_fill(struct test_queue *t, struct rte_umr_mkey *mkey, uint32_t nb)
{
	static struct rte_umr_seg segs[MAX_KLM];

	for (uint32_t i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000 * i, 0x100, 0x100 + i };
	assert_int_equal(test_isa->mkey_list(&t->queue, mkey, 0, segs, nb, 0), 0);
}

/* Entry 5 of 10 has neighbors in its group that stay. */
QUEUE_CASE_WITH(update_takes_whole_groups, setup, test_queue_teardown)
{
	const struct rte_umr_seg seg = { 0xb0000, 1, 0xa00 };
	struct rte_umr_mkey *mkey = update_mkey(10);
	const uint8_t *wqe = t->sq + 5 * 64;

	list_fill(t, mkey, 10);
	assert_int_equal(t->queue.sq_pi, 5);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, &seg, 1, 0), 1);
	TEST_BYTES(wqe,
		   0, 0, 0x05, 0x25, 0x12, 0x34, 0x56, 0x0c, 0, 0, 0, 0x20, 0, 0xab, 0xcd, 0x07,
		   /* inline, check not free, translation offset; 4 octowords from 4; mask: len */
		   0xd0, 0, 0, 0, 0, 0x04, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0x01,
		   /* mkc.len: 9 * 256 + 1 */
		   [64 + 30] = 0x09, 0x01, [128] =
		   0, 0, 0x01, 0, 0, 0, 0x01, 0x04, 0, 0, 0, 0, 0, 0, 0x40, 0,
		   0, 0, 0, 0x01, 0, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0x0b, 0, 0,
		   0, 0, 0x01, 0, 0, 0, 0x01, 0x06, 0, 0, 0, 0, 0, 0, 0x60, 0,
		   0, 0, 0x01, 0, 0, 0, 0x01, 0x07, 0, 0, 0, 0, 0, 0, 0x70, 0);
	assert_int_equal(t->queue.sq_pi, 8);
	assert_int_equal(t->ops[1].type, RTE_UMR_OP_MKEY_UPDATE);
	/* The same length again: the context does not change. */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, &seg, 1, 0), 2);
	test_filled(wqe + 3 * 64 + 24, 0, 8);
	test_filled(wqe + 4 * 64, 0, 32);
}

QUEUE_CASE_WITH(long_update_goes_to_memory, setup, test_queue_teardown)
{
	struct rte_umr_mkey *mkey = update_mkey(300);
	const uint8_t *chunk = memory + 3 * MLX5_UMR_KLM_CHUNK_SIZE;
	struct rte_umr_seg segs[53];

	for (uint32_t i = 0; i < 53; i++)
		segs[i] = (struct rte_umr_seg){ 0x90000 + i, 0x100, 0x900 + i };
	list_fill(t, mkey, 300);		/* chunks 0 to 2 */
	/* [201, 254): octowords 200 to 255 */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 201, segs, 53, 0), 1);
	assert_int_equal(t->sq[3 * 64 + 7], 9);	/* DS */
	TEST_BYTES(t->sq + 3 * 64 + 16, 0x50, 0, 0, 0, 0, 0x38, 0, 0xc8, 0, 0, 0, 0, 0, 0, 0, 0);
	TEST_BYTES(t->sq + 5 * 64, 0x00, 0x00, 0x03, 0x80, 0x00, 0xaa, 0xbb, 0x00);
	assert_int_equal(pointer_at(t->sq + 5 * 64), (uintptr_t)chunk);
	/* First and last octowords of the groups, and the ones next to them. */
	TEST_BYTES(chunk, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0xc8);
	TEST_BYTES(chunk + 16, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x09, 0x00);
	TEST_BYTES(chunk + 53 * 16, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x09, 0x34);
	TEST_BYTES(chunk + 55 * 16, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0xff);
	assert_int_equal(chunk[56 * 16], TEST_POISON);
	/* The memory is full now. */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 0, segs, 53, 0), -ENOSPC);
}

QUEUE_CASE_WITH(update_limits_have_their_errno, setup, test_queue_teardown)
{
	/* Of a list of 10 in a key for 20: a segment of length 1 and one of that length. */
	static const struct {
		const char *name;
		uint32_t first, nb, length;
		uint64_t flags;
		int ret;
	} cases[] = {
		{ "none", 0, 0, 1, 0, -EINVAL },
		{ "first", 11, 1, 1, 0, -ERANGE },
		{ "largest first", UINT32_MAX, 2, 1, 0, -ERANGE },
		{ "end", 10, 11, 1, 0, -E2BIG },
		{ "number", 0, 21, 1, 0, -E2BIG },
		{ "end that wraps", 9, UINT32_MAX - 8, 1, 0, -E2BIG },
		{ "flag", 0, 1, 1, 1 << 20, -EINVAL },
		{ "no length", 0, 2, 0, 0, -EINVAL },
		{ "length", 0, 2, UINT32_C(0x80000001), 0, -ERANGE },
	};
	struct rte_umr_seg segs[2] = { { 0x1000, 1, 1 }, { 0x1000, 1, 1 } };
	struct rte_umr_mkey *plain = test_keys_set(&keys, 1, 20, 0);
	struct rte_umr_mkey *mkey = update_mkey(20);
	struct mlx5_umr_queue *q = &t->queue;
	uint8_t before[sizeof(kept)];

	assert_int_equal(mlx5_umr_mkey_update(q, plain, 0, segs, 1, 0), -ENOTSUP);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 1, 0), -ENOENT);
	list_fill(t, mkey, 10);
	memcpy(before, kept, sizeof(kept));
	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		segs[1].length = cases[i].length;
		row_check(cases[i].name, mlx5_umr_mkey_update(q, mkey, cases[i].first, segs,
							      cases[i].nb, cases[i].flags),
			  cases[i].ret);
	}
	mkey->dev_id++;
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 1, 0), -EXDEV);
	mkey->dev_id--;
	q->error = -EIO;
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 1, 0), -EIO);
	q->error = 0;
	assert_memory_equal(before, kept, sizeof(kept));
	assert_int_equal(q->op_pi, 1);
	segs[1].length = UINT32_C(0x80000000);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 8, segs, 2, 0), 1);
	/* A signature has been made for the length of the key. */
	mkey->flags |= RTE_UMR_MKEY_POOL_F_SIG;
	segs[0].length = 2;
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 8, segs, 2, 0), -EINVAL);
	segs[1].length--;
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 8, segs, 2, 0), 2);
}

/* A list of 5 was one of 12 before: what was left of that does not come back. */
QUEUE_CASE_WITH(update_behind_the_end_makes_the_list_longer, setup, test_queue_teardown)
{
	static const uint8_t new[] = {
		0x80, 0, 0, 0, 0, 0, 0x0a, 0, 0, 0, 0, 0, 0, 0x0b, 0, 0,
		0, 0, 0, 0x01, 0, 0, 0x0a, 0x01, 0, 0, 0, 0, 0, 0x0c, 0, 0,
	};
	/* Then one more that fits, or not, and what is wrong with it. */
	static const struct {
		const char *name;
		uint32_t first, nb;
		int ret;
	} ends[] = {
		{ "gap", 10, 1, -ERANGE }, { "9 to 11", 9, 2, 3 }, { "11 to 13", 11, 2, -E2BIG },
		{ "11 to 12", 11, 1, 4 }, { "12 to 13", 12, 1, -E2BIG },
	};
	struct rte_umr_seg segs[2] = {
		{ 0xb0000, UINT32_C(1) << 31, 0xa00 }, { 0xc0000, 1, 0xa01 },
	};
	struct rte_umr_mkey *mkey = update_mkey(12);
	const uint8_t *wqe;

	list_fill(t, mkey, 5);
	memset(kept + 8 * PRM_KLM_SIZE, TEST_POISON, 4 * PRM_KLM_SIZE);
	wqe = test_wqe_at(t, t->queue.sq_pi);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, segs, 2, 0), 1);
	/* inline, check not free, translation offset; 4 octowords from 4; mask: len */
	TEST_BYTES(wqe + 16, 0xd0, 0, 0, 0, 0, 0x04, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0x01);
	/* 5 * 256 + 2 GiB + 1 */
	TEST_BYTES(wqe + 88, 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x05, 0x01);
	TEST_BYTES(wqe + 128, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04);
	assert_memory_equal(wqe + 144, new, sizeof(new));
	test_filled(wqe + 176, 0, 16);
	/* The key keeps its owner and its tag. */
	assert_int_equal(wqe[64 + 3], 0);
	wqe = test_wqe_at(t, t->queue.sq_pi);
	segs[1].length = 0x100;
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 7, segs, 2, 0), 2);
	/* 8 octowords from 4; 2 GiB and 256 more */
	TEST_BYTES(wqe + 16, 0xd0, 0, 0, 0, 0, 0x08, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0x01);
	TEST_BYTES(wqe + 88, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x06, 0x01);
	assert_memory_equal(wqe + 144, new, sizeof(new));
	assert_memory_equal(wqe + 176, new, 16);
	test_filled(wqe + 208, 0, 48);
	assert_int_equal(priv->nb_entries, 9);
	/* To the last one that it was created for. */
	for (size_t i = 0; i < RTE_DIM(ends); i++)
		row_check(ends[i].name, mlx5_umr_mkey_update(&t->queue, mkey, ends[i].first, segs,
							     ends[i].nb, 0), ends[i].ret);
	assert_int_equal(priv->nb_entries, 12);
}

QUEUE_CASE_WITH(signed_key_does_not_grow, setup, test_queue_teardown)
{
	struct rte_umr_mkey *mkey = update_mkey(12);

	list_fill(t, mkey, 5);
	mkey->flags |= RTE_UMR_MKEY_POOL_F_CRYPTO;
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, &test_seg, 1, 0), -EINVAL);
	assert_int_equal(priv->nb_entries, 5);
	assert_int_equal(t->queue.op_pi, 1);
}

QUEUE_CASE_WITH(pattern_has_no_list_to_be_updated, setup, test_queue_teardown)
{
	const struct rte_umr_interleaved entry = { 0x1000, 16, 16, 0x100 };
	struct rte_umr_mkey *mkey = update_mkey(20);

	list_fill(t, mkey, 10);
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, mkey, 0, 4, &entry, 1, 0), 1);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 0, &test_seg, 1, 0), -ENOENT);
}

QUEUE_CASE_WITH(relaxed_ordering_is_overridden_like_rights, setup, test_queue_teardown)
{
	const uint32_t relaxed = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_RELAXED_ORDERING;
	struct rte_umr_mkey mkey = test_mkey(4), plain = test_mkey(4);
	struct mlx5_umr_queue *q = &t->queue;

	q->relaxed_mkey_mask = PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE |
			       PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ;
	mkey.flags = RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING;
	/* A key of another pool. */
	assert_int_equal(test_isa->mkey_list(q, &plain, relaxed, &test_seg, 1, 0), -ENOTSUP);
	assert_int_equal(test_isa->mkey_list(q, &plain, 0, &test_seg, 1, 0), 0);
	TEST_BYTES(t->sq + 24, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x01);
	assert_int_equal(test_isa->mkey_list(q, &mkey, relaxed, &test_seg, 1, 0), 1);
	/* mkey_mask: relaxed_ordering_read, free, rights, relaxed_ordering_write, mkey, len */
	TEST_BYTES(t->sq + 3 * 64 + 24, 0x00, 0x00, 0x80, 0x00, 0x22, 0x3c, 0x20, 0x01);
	/* lw; relaxed_ordering_write is bit 18 of dword 0, _read bit 6 of dword 14 */
	TEST_BYTES(t->sq + 4 * 64, 0x00, 0x04, 0x08, 0x00);
	assert_int_equal(t->sq[4 * 64 + 59], 0x40);
	/* The key is told each time. */
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, &test_seg, 1, 0), 2);
	TEST_BYTES(t->sq + 6 * 64 + 24, 0x00, 0x00, 0x80, 0x00, 0x22, 0x3c, 0x20, 0x01);
	TEST_BYTES(t->sq + 7 * 64, 0x00, 0x00, 0x00, 0x00);
	assert_int_equal(t->sq[7 * 64 + 59], 0);
	assert_int_equal(t->ops[2].type, RTE_UMR_OP_MKEY_LIST);
}

QUEUE_CASE_WITH(base_is_set_with_each_layout, setup, test_queue_teardown)
{
	struct rte_umr_mkey mkey = test_mkey(64), plain = test_mkey(4);
	struct rte_umr_seg segs[64];
	struct rte_umr_mkey_op op = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .nb_entries = 1, .segs = segs,
		.base_addr = 0x1122334455667788,
	};
	struct mlx5_umr_queue *q = &t->queue;

	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = test_seg;
	mkey.flags = RTE_UMR_MKEY_POOL_F_BASE;
	assert_int_equal(test_configure(q, &plain, &op, 0), -ENOTSUP);
	assert_int_equal(test_configure(q, &mkey, &op, 0), 0);
	/* mkey_mask: free, rights, mkey, start_addr (bit 6), len; start_addr is dwords 4 and 5. */
	TEST_BYTES(t->sq + 24, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x41);
	TEST_BYTES(t->sq + 80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
	/* Without one it is 0 again, also by the shorter call. */
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, segs, 1, 0), 1);
	TEST_BYTES(t->sq + 3 * 64 + 24, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x41);
	TEST_BYTES(t->sq + 3 * 64 + 80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00);
	/* A pointer to a list of 64 entries, 9 DS. */
	op.nb_entries = 64;
	assert_int_equal(test_configure(q, &mkey, &op, 0), 2);
	TEST_BYTES(t->sq + 6 * 64 + 24, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x41);
	TEST_BYTES(t->sq + 6 * 64 + 80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
	/* The range ends below 2^64. A base without a layout is ignored. */
	op.base_addr = UINT64_MAX - 64 * (uint64_t)test_seg.length;
	assert_int_equal(test_configure(q, &mkey, &op, 0), 3);
	op.base_addr++;
	assert_int_equal(test_configure(q, &mkey, &op, 0), -EINVAL);
	op.setters = RTE_UMR_MKEY_SET_ACCESS;
	assert_int_equal(test_configure(q, &mkey, &op, 0), 4);
	TEST_BYTES(t->sq + 12 * 64 + 24, 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x00);
}

/* An operation of WQEs of 2, 1 and 1 blocks. */
static int
multi_enqueue(struct test_queue *t)
{
	static const uint8_t nb_ds[] = { 8, 2, 2 };
	struct mlx5_umr_queue *q = &t->queue;
	struct mlx5_umr_slot slot;
	struct mlx5_umr_ctrl ctrl;
	uint8_t *wqe;

	assert_true(mlx5_umr_slot_get(q, 4, &slot));
	ctrl = mlx5_umr_ctrl_of(q, &slot, 0, 0);
	wqe = slot.wqe;
	for (uint32_t i = 0; i < 3; i++) {
		mlx5_umr_ctrl_build((uint64_t *)wqe, MLX5_OPCODE_UMR, nb_ds[i], &ctrl);
		wqe += prm_ds_to_wqebb(nb_ds[i]) * PRM_WQE_BB_SIZE;
		ctrl.pi += prm_ds_to_wqebb(nb_ds[i]);
	}
	q->multi_pi = (uint16_t)slot.pi;
	return mlx5_umr_op_commit(q, &slot, 4, RTE_UMR_OP_MKEY_CONFIGURE, 0, q->fm_umr, 0);
}

static uint8_t
ce_at(struct test_queue *t, mlx5_umr_idx_t pi)
{
	return test_wqe_at(t, pi)[11] & PRM_CTRL_CE_MASK;
}

/* At every place of the ring, also over its end. */
QUEUE_CASE_WITH(last_wqe_of_several_completes_the_operation, setup, test_queue_teardown)
{
	struct mlx5_umr_queue *q = &t->queue;
	uint32_t i, pi;

	for (i = 0; i < 3 * TEST_NB_WQEBB; i++) {
		assert_true(test_write(t, 1, 0) >= 0);
		pi = q->sq_pi;
		assert_true(multi_enqueue(t) >= 0);
		assert_int_equal(mlx5_umr_submit(q), 0);
		assert_int_equal(ce_at(t, pi - 1), 0);
		assert_int_equal(ce_at(t, pi), 0);
		assert_int_equal(ce_at(t, pi + 2), 0);
		assert_int_equal(ce_at(t, pi + 3), PRM_CTRL_CE_ALWAYS);
		TEST_SENT_NONE(t);
		test_cqe_write(t, (uint16_t)(pi + 3), MLX5_CQE_REQ, 0);
		TEST_SENT(t, 2, 2 * i, OK, OK);
		assert_int_equal(t->done[1].op, RTE_UMR_OP_MKEY_CONFIGURE);
		assert_int_equal(mlx5_umr_desc_avail(q), TEST_NB_WQEBB);
	}
}

CASE_WITH(error_of_any_wqe_is_that_of_the_operation, setup, test_queue_teardown)
{
	/* The WQEs begin so many blocks behind the operation. */
	static const uint16_t offsets[] = { 0, 2, 3 };

	for (size_t i = 0; i < RTE_DIM(offsets); i++) {
		struct test_queue *t = test_queue_new();

		free(*state);
		*state = t;
		assert_true(test_write(t, 1, 0) >= 0);
		assert_true(multi_enqueue(t) >= 0);
		assert_true(test_write(t, 1, 0) >= 0);
		assert_int_equal(mlx5_umr_submit(&t->queue), 0);
		assert_true(test_write(t, 1, 0) >= 0);
		test_cqe_write(t, 1 + offsets[i], MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_MW_BIND_ERR);
		TEST_SENT(t, 4, 0, OK, RTE_UMR_STATUS_MKEY_CONFIG, FLUSHED, FLUSHED);
	}
}

int
main(void)
{
	return test_run_isas();
}
