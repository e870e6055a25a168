/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Configurations of keys off the fast path: their bytes, typed by hand from the layouts in
 * mlx5dv.h and the PRM, what is rejected, and operations of several WQEs.
 */

#include <errno.h>

#include <rte_log.h>

#define TEST_NB_WQEBB 32u

#include "plan/configure.h"
#include "ring/log.h"
#include "ring/mkey.h"
#include "test_queue.h"

#define NB_CHUNKS	4u
#define LKEY		0x00aabb00
#define MAX_KLM		(NB_CHUNKS * MLX5_UMR_KLM_CHUNK_NB)

static struct mlx5_umr_klm_use uses[TEST_NB_WQEBB];
static uint8_t memory[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE]
	__rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);
static uint8_t kept[MAX_KLM * PRM_KLM_SIZE] __rte_aligned(16);
static struct mlx5_umr_mkey_priv priv;
static struct test_keys keys;

static int
setup(void **state)
{
	struct test_queue *t;

	test_queue_setup(state);
	t = *state;
	memset(memory, TEST_POISON, sizeof(memory));
	memset(kept, 0, sizeof(kept));
	priv = (struct mlx5_umr_mkey_priv){ .klms = kept };
	t->queue.klm_mem = (struct mlx5_umr_klm_mem){
		.base = memory,
		.lkey = LKEY,
		.nb_chunks = NB_CHUNKS,
		.use_mask = TEST_NB_WQEBB - 1,
		.uses = uses,
	};
	return 0;
}

static struct rte_umr_mkey *
update_mkey(uint32_t max_entries)
{
	return test_keys_set(&keys, 0, max_entries, RTE_UMR_MKEY_POOL_F_UPDATE, &priv);
}

/* Where the WQE points to. */
static uint64_t
pointer_at(const uint8_t *seg)
{
	uint64_t addr;

	memcpy(&addr, seg + 8, sizeof(addr));
	return rte_be_to_cpu_64(addr);
}

static void
nothing_set_makes_the_key_usable(void **state)
{
	static const uint8_t wqe[128] = {
		0x00, 0x00, 0x00, 0x25, 0x12, 0x34, 0x56, 0x08,
		0x00, 0x00, 0x00, 0x00, 0x00, 0xab, 0xcd, 0x07,
		/* inline; mkey_mask: free, mkey */
		0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x20, 0x00,
		[68] = 0xff, 0xff, 0xff, 0x07,
	};
	const struct rte_umr_mkey_op conf = { 0 };
	struct rte_umr_mkey mkey = test_mkey(4);
	struct test_queue *t = *state;

	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	assert_memory_equal(t->sq, wqe, sizeof(wqe));
	assert_int_equal(t->queue.sq_pi, 2);
	assert_int_equal(t->ops[0].type, RTE_UMR_OP_MKEY_CONFIGURE);
}

static void
access_alone_keeps_the_layout(void **state)
{
	static const uint8_t mask[] = { 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x00 };
	/* access_flags: remote read and write */
	static const uint8_t mkc[] = { 0x00, 0x00, 0x30, 0x00, 0xff, 0xff, 0xff, 0x07 };
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_ACCESS,
		.access = RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE,
	};
	struct rte_umr_mkey mkey = test_mkey(4);
	struct test_queue *t = *state;

	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	assert_memory_equal(t->sq + 24, mask, sizeof(mask));
	assert_memory_equal(t->sq + 64, mkc, sizeof(mkc));
	assert_int_equal(t->queue.sq_pi, 2);
}

static void
layout_alone_keeps_the_access(void **state)
{
	static const uint8_t umr[] = {
		0x80, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x20, 0x01,
	};
	static const uint8_t klm[64] = {
		0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
	};
	const struct rte_umr_seg seg = { 0x1000, 64, 0x200 };
	const struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT,
		.nb_entries = 1,
		.segs = &seg,
	};
	struct rte_umr_mkey mkey = test_mkey(4);
	struct test_queue *t = *state;

	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	assert_memory_equal(t->sq + 16, umr, sizeof(umr));
	assert_int_equal(t->sq[66], 0);		/* access_flags */
	assert_int_equal(t->sq[95], 64);	/* len */
	assert_memory_equal(t->sq + 128, klm, sizeof(klm));
}

static void
long_pattern_goes_to_memory(void **state)
{
	/* 9 DS, not inline, 56 octowords. */
	static const uint8_t head[] = {
		0x00, 0x00, 0x00, 0x25, 0x12, 0x34, 0x56, 0x09,
		0x00, 0x00, 0x00, 0x00, 0x00, 0xab, 0xcd, 0x07,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x38, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x01,
	};
	/* 53 times 65535 bytes, 2^32 - 1 times: more than 32 bits hold. */
	static const uint8_t len[] = { 0x00, 0x34, 0xff, 0xca, 0xff, 0xcb, 0x00, 0x35 };
	static const uint8_t pointer[] = { 0x00, 0x00, 0x03, 0x80, 0x00, 0xaa, 0xbb, 0x00 };
	static const uint8_t block[] = {
		/* byte_count 53 * 65535, op, repeat_count, num_ent */
		0x00, 0x34, 0xff, 0xcb, 0x00, 0x00, 0x04, 0x00,
		0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x35,
		/* stride, byte_count, key, address */
		0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00,
	};
	static const uint8_t zero[32];
	struct rte_umr_interleaved entries[53];
	struct rte_umr_mkey mkey = test_mkey(54);
	struct test_queue *t = *state;
	uint32_t i;

	for (i = 0; i < 53; i++)
		entries[i] = (struct rte_umr_interleaved){ 0x1000000000 + i, 65535, 0, 0x100 + i };
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, UINT32_MAX, entries, 53,
						    0), 0);
	assert_memory_equal(t->sq, head, sizeof(head));
	assert_memory_equal(t->sq + 88, len, sizeof(len));
	assert_memory_equal(t->sq + 128, pointer, sizeof(pointer));
	assert_int_equal(pointer_at(t->sq + 128), (uintptr_t)memory);
	assert_memory_equal(memory, block, sizeof(block));
	assert_memory_equal(memory + 54 * 16, zero, sizeof(zero));
	assert_int_equal(memory[56 * 16], TEST_POISON);
	assert_int_equal(t->ops[0].type, RTE_UMR_OP_MKEY_INTERLEAVED);
}

/* Strides of 65536 do not fit 16 bits: the pattern is the list that it stands for. */
static void
wide_pattern_becomes_a_list(void **state)
{
	static const uint8_t klms[128] = {
		0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x22, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x01, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x00, 0x00,
		0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x24, 0x00, 0x00,
	};
	const struct rte_umr_interleaved entries[] = {
		{ 0x100000, 16, 65520, 0x100 },
		{ 0x200000, 65536, 65536, 0x200 },
	};
	struct rte_umr_mkey mkey = test_mkey(6);
	struct test_queue *t = *state;

	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, 3, entries, 2, 0), 0);
	assert_int_equal(t->sq[21], 8);		/* klm_octowords */
	/* len: 3 * 65552 */
	assert_memory_equal(t->sq + 88, "\x00\x00\x00\x00\x00\x03\x00\x30", 8);
	assert_memory_equal(t->sq + 128, klms, sizeof(klms));
	/* One more repetition than the key has room for; a count that no entry holds. */
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, 4, entries, 2, 0),
			 -ERANGE);
	mkey.max_entries = UINT16_MAX;
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, &mkey, 0, MAX_KLM / 2 + 1, entries,
						    2, 0), -ERANGE);
	assert_int_equal(t->queue.op_pi, 1);
	assert_int_equal(t->queue.klm_mem.head, 0);
}

static void
fixed_size_entries_have_no_length(void **state)
{
	/* Each: reserved, key, address. */
	static const uint8_t ksms[64] = {
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x30, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
		0x00, 0x00, 0x7f, 0x00, 0x00, 0x00, 0x40, 0x00,
	};
	struct rte_umr_fixed entries[] = { { 0x3000, 0x300, 0 }, { 0x7f0000004000, 0x400, 0 } };
	struct rte_umr_mkey_op conf = {
		.setters = RTE_UMR_MKEY_SET_LAYOUT,
		.layout = RTE_UMR_LAYOUT_FIXED,
		.nb_entries = 2,
		.fixed = entries,
	};
	struct rte_umr_mkey mkey = test_mkey(4);
	struct test_queue *t = *state;

	/* Only keys of pools of fixed-size entries have them, and nothing else. */
	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), -EINVAL);
	mkey.flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE;
	mkey.log_entry_size = 31;
	assert_int_equal(test_isa->mkey_list(&t->queue, &mkey, 0,
					     &(struct rte_umr_seg){ 0, 8, 1 }, 1, 0), -EINVAL);
	entries[1].reserved = 1;
	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), -EINVAL);
	entries[1].reserved = 0;
	assert_int_equal(test_configure(&t->queue, &mkey, &conf, 0), 0);
	assert_int_equal(t->sq[21], 4);
	/* len: 2^32 */
	assert_memory_equal(t->sq + 88, "\x00\x00\x00\x01\x00\x00\x00\x00", 8);
	assert_memory_equal(t->sq + 128, ksms, sizeof(ksms));
	assert_int_equal(test_nb_rejected(&t->queue), 3);
}

static void
list_fill(struct test_queue *t, struct rte_umr_mkey *mkey, uint32_t nb)
{
	static struct rte_umr_seg segs[MAX_KLM];
	uint32_t i;

	for (i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000 * i, 0x100, 0x100 + i };
	assert_int_equal(test_isa->mkey_list(&t->queue, mkey, 0, segs, nb, 0), 0);
}

/* Entry 5 of 10 has neighbors in its group that stay. */
static void
update_takes_whole_groups(void **state)
{
	static const uint8_t head[] = {
		0x00, 0x00, 0x05, 0x25, 0x12, 0x34, 0x56, 0x0c,
		0x00, 0x00, 0x00, 0x20, 0x00, 0xab, 0xcd, 0x07,
		/* inline, check not free, translation offset; 4 octowords from 4; mask: len */
		0xd0, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x04,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	};
	static const uint8_t zero[32];
	/* 9 * 256 + 1 */
	static const uint8_t mkc[64] = { [30] = 0x09, 0x01 };
	static const uint8_t klms[] = {
		0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x00,
		0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x0a, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00,
		0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x06,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x60, 0x00,
		0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x07,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x70, 0x00,
	};
	const struct rte_umr_seg seg = { 0xb0000, 1, 0xa00 };
	struct rte_umr_mkey *mkey = update_mkey(10);
	struct test_queue *t = *state;
	const uint8_t *wqe = t->sq + 5 * 64;

	list_fill(t, mkey, 10);
	assert_int_equal(t->queue.sq_pi, 5);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, &seg, 1, 0), 1);
	assert_memory_equal(wqe, head, sizeof(head));
	assert_memory_equal(wqe + 32, zero, sizeof(zero));
	assert_memory_equal(wqe + 64, mkc, sizeof(mkc));
	assert_memory_equal(wqe + 128, klms, sizeof(klms));
	assert_int_equal(t->queue.sq_pi, 8);
	assert_int_equal(t->ops[1].type, RTE_UMR_OP_MKEY_UPDATE);
	/* The same length again: the context does not change. */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, &seg, 1, 0), 2);
	assert_memory_equal(wqe + 3 * 64 + 24, zero, 8);
	assert_memory_equal(wqe + 4 * 64, zero, 32);
}

static void
long_update_goes_to_memory(void **state)
{
	static const uint8_t umr[] = {
		0x50, 0x00, 0x00, 0x00, 0x00, 0x38, 0x00, 0xc8,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
	};
	static const uint8_t pointer[] = { 0x00, 0x00, 0x03, 0x80, 0x00, 0xaa, 0xbb, 0x00 };
	struct rte_umr_mkey *mkey = update_mkey(300);
	struct rte_umr_seg segs[53];
	struct test_queue *t = *state;
	uint32_t i;

	for (i = 0; i < 53; i++)
		segs[i] = (struct rte_umr_seg){ 0x90000 + i, 0x100, 0x900 + i };
	list_fill(t, mkey, 300);		/* chunks 0 to 2 */
	/* [201, 254): octowords 200 to 255 */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 201, segs, 53, 0), 1);
	assert_int_equal(t->sq[3 * 64 + 7], 9);	/* DS */
	assert_memory_equal(t->sq + 3 * 64 + 16, umr, sizeof(umr));
	assert_memory_equal(t->sq + 5 * 64, pointer, sizeof(pointer));
	assert_int_equal(pointer_at(t->sq + 5 * 64),
			 (uintptr_t)memory + 3 * MLX5_UMR_KLM_CHUNK_SIZE);
	/* First and last octowords of the groups, and the ones next to them. */
	i = 3 * MLX5_UMR_KLM_CHUNK_SIZE;
	assert_memory_equal(&memory[i], "\x00\x00\x01\x00\x00\x00\x01\xc8", 8);
	assert_memory_equal(&memory[i + 16], "\x00\x00\x01\x00\x00\x00\x09\x00", 8);
	assert_memory_equal(&memory[i + 53 * 16], "\x00\x00\x01\x00\x00\x00\x09\x34", 8);
	assert_memory_equal(&memory[i + 55 * 16], "\x00\x00\x01\x00\x00\x00\x01\xff", 8);
	assert_int_equal(memory[i + 56 * 16], TEST_POISON);
	/* The memory is full now. */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 0, segs, 53, 0), -ENOSPC);
}

static void
update_limits_have_their_errno(void **state)
{
	struct rte_umr_seg segs[2] = { { 0x1000, 1, 1 }, { 0x1000, 1, 1 } };
	struct rte_umr_mkey *plain = test_keys_set(&keys, 1, 20, 0, &priv);
	struct rte_umr_mkey *mkey = update_mkey(20);
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	uint8_t before[sizeof(kept)];

	assert_int_equal(mlx5_umr_mkey_update(q, plain, 0, segs, 1, 0), -ENOTSUP);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 1, 0), -ENOENT);
	list_fill(t, mkey, 10);
	memcpy(before, kept, sizeof(kept));
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 0, 0), -EINVAL);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 11, segs, 1, 0), -ERANGE);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, UINT32_MAX, segs, 2, 0), -ERANGE);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 10, segs, 11, 0), -E2BIG);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 21, 0), -E2BIG);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 9, segs, UINT32_MAX - 8, 0), -E2BIG);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 1, 1 << 20), -EINVAL);
	mkey->dev_id++;
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 1, 0), -EXDEV);
	mkey->dev_id--;
	segs[1].length = 0;
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 2, 0), -EINVAL);
	segs[1].length = UINT32_C(0x80000001);
	assert_int_equal(mlx5_umr_mkey_update(q, mkey, 0, segs, 2, 0), -ERANGE);
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
static void
update_behind_the_end_makes_the_list_longer(void **state)
{
	/* inline, check not free, translation offset; 4 or 8 octowords from 4; mask: len */
	static const uint8_t one_group[] = {
		0xd0, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x04,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	};
	static const uint8_t two_groups[] = {
		0xd0, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x04,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
	};
	/* 5 * 256 + 2 GiB + 1; and 2 GiB and 256 more */
	static const uint8_t len[] = { 0x00, 0x00, 0x00, 0x00, 0x80, 0x00, 0x05, 0x01 };
	static const uint8_t longer[] = { 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x06, 0x01 };
	static const uint8_t old[] = { 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04 };
	static const uint8_t new[] = {
		0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x0a, 0x01,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x0c, 0x00, 0x00,
	};
	static const uint8_t zero[48];
	struct rte_umr_seg segs[2] = {
		{ 0xb0000, UINT32_C(1) << 31, 0xa00 }, { 0xc0000, 1, 0xa01 },
	};
	struct rte_umr_mkey *mkey = update_mkey(12);
	struct test_queue *t = *state;
	const uint8_t *wqe;

	list_fill(t, mkey, 5);
	memset(kept + 8 * PRM_KLM_SIZE, TEST_POISON, 4 * PRM_KLM_SIZE);
	wqe = t->sq + t->queue.sq_pi * 64;
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, segs, 2, 0), 1);
	assert_memory_equal(wqe + 16, one_group, sizeof(one_group));
	assert_memory_equal(wqe + 88, len, sizeof(len));
	assert_memory_equal(wqe + 128, old, sizeof(old));
	assert_memory_equal(wqe + 144, new, sizeof(new));
	assert_memory_equal(wqe + 176, zero, 16);
	/* The key keeps its owner and its tag. */
	assert_int_equal(wqe[64 + 3], 0);
	wqe = t->sq + t->queue.sq_pi * 64;
	segs[1].length = 0x100;
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 7, segs, 2, 0), 2);
	assert_memory_equal(wqe + 16, two_groups, sizeof(two_groups));
	assert_memory_equal(wqe + 88, longer, sizeof(longer));
	assert_memory_equal(wqe + 144, new, sizeof(new));
	assert_memory_equal(wqe + 176, new, 16);
	assert_memory_equal(wqe + 208, zero, sizeof(zero));
	assert_int_equal(priv.nb_entries, 9);
	/* To the last one that it was created for. */
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 10, segs, 1, 0), -ERANGE);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 9, segs, 2, 0), 3);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 11, segs, 2, 0), -E2BIG);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 11, segs, 1, 0), 4);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 12, segs, 1, 0), -E2BIG);
	assert_int_equal(priv.nb_entries, 12);
}

static void
signed_key_does_not_grow(void **state)
{
	const struct rte_umr_seg seg = { 0xb0000, 1, 0xa00 };
	struct rte_umr_mkey *mkey = update_mkey(12);
	struct test_queue *t = *state;

	list_fill(t, mkey, 5);
	mkey->flags |= RTE_UMR_MKEY_POOL_F_CRYPTO;
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 5, &seg, 1, 0), -EINVAL);
	assert_int_equal(priv.nb_entries, 5);
	assert_int_equal(t->queue.op_pi, 1);
}

static void
pattern_has_no_list_to_be_updated(void **state)
{
	const struct rte_umr_interleaved entry = { 0x1000, 16, 16, 0x100 };
	const struct rte_umr_seg seg = { 0x1000, 1, 1 };
	struct rte_umr_mkey *mkey = update_mkey(20);
	struct test_queue *t = *state;

	list_fill(t, mkey, 10);
	assert_int_equal(test_isa->mkey_interleaved(&t->queue, mkey, 0, 4, &entry, 1, 0), 1);
	assert_int_equal(mlx5_umr_mkey_update(&t->queue, mkey, 0, &seg, 1, 0), -ENOENT);
}

static void
relaxed_ordering_is_overridden_like_rights(void **state)
{
	/* mkey_mask: relaxed_ordering_read, free, rights, relaxed_ordering_write, mkey, len */
	static const uint8_t mask[] = { 0x00, 0x00, 0x80, 0x00, 0x22, 0x3c, 0x20, 0x01 };
	static const uint8_t plain[] = { 0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x20, 0x01 };
	const struct rte_umr_seg seg = { 0x1000, 1, 1 };
	struct rte_umr_mkey mkey = test_mkey(4), plain_mkey = test_mkey(4);
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	const uint32_t relaxed = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_RELAXED_ORDERING;

	q->relaxed_mkey_mask = PRM_UMR_MKEY_MASK_RELAXED_ORDERING_WRITE |
			       PRM_UMR_MKEY_MASK_RELAXED_ORDERING_READ;
	mkey.flags = RTE_UMR_MKEY_POOL_F_RELAXED_ORDERING;
	/* A key of another pool. */
	assert_int_equal(test_isa->mkey_list(q, &plain_mkey, relaxed, &seg, 1, 0), -ENOTSUP);
	assert_int_equal(test_isa->mkey_list(q, &plain_mkey, 0, &seg, 1, 0), 0);
	assert_memory_equal(t->sq + 24, plain, sizeof(plain));
	assert_int_equal(test_isa->mkey_list(q, &mkey, relaxed, &seg, 1, 0), 1);
	assert_memory_equal(t->sq + 3 * 64 + 24, mask, sizeof(mask));
	/* lw; relaxed_ordering_write is bit 18 of dword 0, _read bit 6 of dword 14 */
	assert_memory_equal(t->sq + 4 * 64, "\x00\x04\x08\x00", 4);
	assert_int_equal(t->sq[4 * 64 + 59], 0x40);
	/* The key is told each time. */
	assert_int_equal(test_isa->mkey_list(q, &mkey, 0, &seg, 1, 0), 2);
	assert_memory_equal(t->sq + 6 * 64 + 24, mask, sizeof(mask));
	assert_memory_equal(t->sq + 7 * 64, "\x00\x00\x00\x00", 4);
	assert_int_equal(t->sq[7 * 64 + 59], 0);
	assert_int_equal(t->ops[2].type, RTE_UMR_OP_MKEY_LIST);
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
	uint32_t i;

	assert_true(mlx5_umr_slot_get(q, 4, &slot));
	ctrl = mlx5_umr_ctrl_of(q, &slot, 0, 0);
	wqe = slot.wqe;
	for (i = 0; i < 3; i++) {
		mlx5_umr_ctrl_build((uint64_t *)wqe, MLX5_OPCODE_UMR, nb_ds[i], &ctrl);
		wqe += prm_ds_to_wqebb(nb_ds[i]) * PRM_WQE_BB_SIZE;
		ctrl.pi += prm_ds_to_wqebb(nb_ds[i]);
	}
	q->multi_pi = (uint16_t)slot.pi;
	return mlx5_umr_op_commit(q, &slot, 4, RTE_UMR_OP_MKEY_CONFIGURE, 0, q->fm_umr, 0);
}

static uint8_t
ce_at(const struct test_queue *t, uint32_t pi)
{
	return t->sq[pi % TEST_NB_WQEBB * PRM_WQE_BB_SIZE + 11] & PRM_CTRL_CE_MASK;
}

/* At every place of the ring, also over its end. */
static void
last_wqe_of_several_completes_the_operation(void **state)
{
	struct test_queue *t = *state;
	struct mlx5_umr_queue *q = &t->queue;
	struct rte_umr_completion done[2];
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
		assert_int_equal(mlx5_umr_completed_status(q, 2, done), 0);
		test_cqe_write(t, (uint16_t)(pi + 3), MLX5_CQE_REQ, 0);
		assert_int_equal(mlx5_umr_completed_status(q, 2, done), 2);
		assert_int_equal(done[1].status, RTE_UMR_STATUS_SUCCESS);
		assert_int_equal(done[1].op, RTE_UMR_OP_MKEY_CONFIGURE);
		assert_int_equal(mlx5_umr_desc_avail(q), TEST_NB_WQEBB);
	}
}

static void
error_of_any_wqe_is_that_of_the_operation(void **state)
{
	struct test_queue *t;
	struct rte_umr_completion done[4];
	uint32_t offset, i;

	/* The WQEs begin 0, 2 and 3 blocks behind the operation. */
	for (offset = 0; offset < 4; offset++) {
		if (offset == 1)
			continue;
		setup(state);
		t = *state;
		assert_true(test_write(t, 1, 0) >= 0);
		assert_true(multi_enqueue(t) >= 0);
		assert_true(test_write(t, 1, 0) >= 0);
		assert_int_equal(mlx5_umr_submit(&t->queue), 0);
		assert_true(test_write(t, 1, 0) >= 0);
		test_cqe_write(t, (uint16_t)(1 + offset), MLX5_CQE_REQ_ERR,
			       MLX5_CQE_SYNDROME_MW_BIND_ERR);
		assert_int_equal(mlx5_umr_completed_status(&t->queue, 4, done), 4);
		assert_int_equal(done[0].status, RTE_UMR_STATUS_SUCCESS);
		assert_int_equal(done[1].status, RTE_UMR_STATUS_MKEY_CONFIG);
		for (i = 2; i < 4; i++)
			assert_int_equal(done[i].status, RTE_UMR_STATUS_FLUSHED);
		if (offset != 3)
			test_queue_teardown(state);
	}
}

static int
run(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, test_queue_teardown)
	const struct CMUnitTest tests[] = {
		T(nothing_set_makes_the_key_usable),
		T(access_alone_keeps_the_layout),
		T(layout_alone_keeps_the_access),
		T(long_pattern_goes_to_memory),
		T(wide_pattern_becomes_a_list),
		T(fixed_size_entries_have_no_length),
		T(update_takes_whole_groups),
		T(long_update_goes_to_memory),
		T(update_limits_have_their_errno),
		T(update_behind_the_end_makes_the_list_longer),
		T(signed_key_does_not_grow),
		T(pattern_has_no_list_to_be_updated),
		T(relaxed_ordering_is_overridden_like_rights),
		T(last_wqe_of_several_completes_the_operation),
		cmocka_unit_test_setup_teardown(error_of_any_wqe_is_that_of_the_operation, NULL,
						test_queue_teardown),
	};

	rte_log_set_level(mlx5_umr_logtype, RTE_LOG_CRIT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int
main(void)
{
	return test_isas_run(run);
}
