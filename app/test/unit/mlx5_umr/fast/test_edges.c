/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Edges of what configures keys: arrays with memory that is not mapped in front of them or behind
 * them, lengths around every limit at every place of an array, WQEs at the ends of rings and of
 * indices. WQEs are compared with what this file builds byte by byte.
 */

#include <sys/mman.h>
#include <unistd.h>

#define TEST_NB_WQEBB	64u
#include "test_queue.h"

#define RING_SIZE	(TEST_NB_WQEBB * PRM_WQE_BB_SIZE)
#define NB_CHUNKS	4u
#define MAX_IN_MEMORY	200u
#define ROOM_SIZE	8192u
#define ACCESS		(RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE)

/* Memory with nothing in front of it and nothing behind it. */
enum room {
	ARRAY,
	OPS,
	KEY,
	NB_ROOMS,
};

static uint8_t *rooms[NB_ROOMS];
static uint8_t klms[NB_CHUNKS * MLX5_UMR_KLM_CHUNK_SIZE] __rte_aligned(MLX5_UMR_KLM_CHUNK_SIZE);
static uint8_t expected[sizeof(((struct test_queue *)NULL)->sq)];

static int
rooms_create(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = RTE_ALIGN_CEIL(ROOM_SIZE, page);
	uint8_t *addr;

	for (int i = 0; i < NB_ROOMS; i++) {
		addr = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (addr == MAP_FAILED ||
		    mprotect(addr + page, size, PROT_READ | PROT_WRITE) != 0)
			return -1;
		/* Its end is what ends there. */
		rooms[i] = addr + page + size - ROOM_SIZE;
	}
	return 0;
}

/* So many bytes at the end of a room, or at its beginning (page sizes divide ROOM_SIZE). */
static void *
put(enum room room, const void *src, size_t len, bool at_end)
{
	return memcpy(rooms[room] + (at_end ? ROOM_SIZE - len : 0), src, len);
}

static void
be(uint8_t *dst, uint64_t value, unsigned int nb)
{
	while (nb-- != 0) {
		dst[nb] = (uint8_t)value;
		value >>= 8;
	}
}

static void
block_set(uint32_t pi, const uint8_t *block)
{
	memcpy(&expected[(size_t)(pi % TEST_NB_WQEBB) * PRM_WQE_BB_SIZE], block, PRM_WQE_BB_SIZE);
}

/* Blocks 0 and 1 (rdma-core 44, providers/mlx5/mlx5dv.h: segments of a WQE). */
static void
head_expect(uint32_t pi, uint8_t fence, uint32_t key, uint32_t nb_klm, uint64_t len)
{
	uint8_t block[PRM_WQE_BB_SIZE] = { 0 };

	be(&block[1], pi & UINT16_MAX, 2);
	block[3] = 0x25;	/* UMR */
	be(&block[4], TEST_QPN, 3);
	block[7] = (uint8_t)(8 + nb_klm);
	block[11] = fence;
	be(&block[12], key, 4);
	block[16] = 0x80;	/* inline */
	be(&block[20], nb_klm, 2);
	/* LEN, MKEY, LW, RR, RW, A, FREE */
	be(&block[24], UINT64_C(1) << 0 | UINT64_C(1) << 13 | UINT64_C(1) << 18 |
		       UINT64_C(1) << 19 | UINT64_C(1) << 20 | UINT64_C(1) << 21 |
		       UINT64_C(1) << 29, 8);
	block_set(pi, block);
	memset(block, 0, sizeof(block));
	block[2] = 0x10 | 0x20;	/* ACCESS */
	be(&block[4], 0xffffff, 3);
	block[7] = (uint8_t)key;
	be(&block[24], len, 8);
	block_set(pi + 1, block);
}

/* @return Blocks of the WQE. */
static uint32_t
list_expect(uint32_t pi, uint8_t fence, uint32_t key, const struct rte_umr_seg *segs, uint32_t nb)
{
	uint32_t nb_blocks = (nb + 3) / 4, i;
	uint8_t tail[13 * PRM_WQE_BB_SIZE] = { 0 };
	uint64_t len = 0;

	for (i = 0; i < nb; i++) {
		len += segs[i].length;
		be(&tail[16 * i], segs[i].length, 4);
		be(&tail[16 * i + 4], segs[i].lkey, 4);
		be(&tail[16 * i + 8], segs[i].addr, 8);
	}
	head_expect(pi, fence, key, 4 * nb_blocks, len);
	for (i = 0; i < nb_blocks; i++)
		block_set(pi + 2 + i, &tail[i * PRM_WQE_BB_SIZE]);
	return 2 + nb_blocks;
}

static uint32_t
pattern_expect(uint32_t pi, uint8_t fence, uint32_t key,
	       const struct rte_umr_interleaved *entries, uint32_t nb, uint32_t repeat)
{
	uint32_t nb_blocks = (nb + 1 + 3) / 4, len = 0, i;
	uint8_t tail[13 * PRM_WQE_BB_SIZE] = { 0 };

	for (i = 0; i < nb; i++) {
		len += entries[i].bytes_count;
		be(&tail[16 * i + 16], entries[i].bytes_count + entries[i].bytes_skip, 2);
		be(&tail[16 * i + 18], entries[i].bytes_count, 2);
		be(&tail[16 * i + 20], entries[i].lkey, 4);
		be(&tail[16 * i + 24], entries[i].addr, 8);
	}
	be(&tail[0], len, 4);
	be(&tail[4], 0x400, 4);
	be(&tail[8], repeat, 4);
	be(&tail[14], nb, 2);
	head_expect(pi, fence, key, 4 * nb_blocks, (uint64_t)len * repeat);
	for (i = 0; i < nb_blocks; i++)
		block_set(pi + 2 + i, &tail[i * PRM_WQE_BB_SIZE]);
	return 2 + nb_blocks;
}

static void
queue_reset(struct test_queue *t, uint32_t pi, uint32_t op_pi)
{
	struct mlx5_umr_queue *q = &t->queue;

	q->sq_pi = pi;
	q->sq_end = pi + TEST_NB_WQEBB;
	q->op_pi = op_pi;
	q->op_submitted = (uint16_t)op_pi;
	q->fm_next = PRM_CTRL_FM_NONE;
	test_klm_mem_set(t, klms, NB_CHUNKS);
	memset(t->sq, TEST_POISON, RING_SIZE);
	memset(t->ops, TEST_POISON, sizeof(t->ops));
	memset(expected, TEST_POISON, sizeof(expected));
}

/* Ways to configure a key. */
enum way {
	SINGLE,
	BURST,
	CONFIGURE,
	NB_WAYS,
};

/* @return Above 0, or a negative errno. */
static int
enqueue(struct test_queue *t, enum way way, const struct rte_umr_mkey_op *op, bool at_end)
{
	const struct rte_umr_mkey_op *copy = put(OPS, op, sizeof(*op), at_end);
	int ret;

	if (way == BURST)
		return test_isa->mkey_configure_burst(&t->queue, copy, 1, 0);
	if (way == CONFIGURE)
		ret = test_isa->mkey_configure(&t->queue, copy, 0);
	else if (op->layout == RTE_UMR_LAYOUT_LIST)
		ret = test_isa->mkey_list(&t->queue, op->mkey, op->access, op->segs,
					  op->nb_entries, 0);
	else
		ret = test_isa->mkey_interleaved(&t->queue, op->mkey, op->access, op->repeat,
						 op->interleaved, op->nb_entries, 0);
	return ret < 0 ? ret : 1;
}

static void
ring_check(const struct test_queue *t)
{
	assert_memory_equal(t->sq, expected, RING_SIZE);
}

/* No WQE was written, and the queue is as it was. */
static void
rejected_check(struct test_queue *t, uint32_t pi, uint32_t op_pi)
{
	memset(expected, TEST_POISON, sizeof(expected));
	test_sq_restore(t, expected, MLX5_UMR_HDR_WQEBB);
	ring_check(t);
	assert_int_equal(t->queue.sq_pi, pi);
	assert_int_equal(t->queue.op_pi, op_pi);
}

static void
segs_fill(struct rte_umr_seg *segs, uint32_t nb, uint32_t length)
{
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){
			UINT64_C(0x8182838485868700) + i, length, 0xf1f2f300 + i,
		};
}

static void
entries_fill(struct rte_umr_interleaved *entries, uint32_t nb, uint32_t count, uint32_t skip)
{
	for (uint32_t i = 0; i < nb; i++)
		entries[i] = (struct rte_umr_interleaved){
			UINT64_C(0x8182838485868700) + i, count, skip, 0xf1f2f300 + i,
		};
}

QUEUE_CASE(lists_are_read_to_their_ends_only)
{
	struct rte_umr_seg segs[MAX_IN_MEMORY];
	const struct rte_umr_mkey key = test_mkey(MAX_IN_MEMORY);
	struct rte_umr_mkey_op op;

	segs_fill(segs, RTE_DIM(segs), 100);
	for (uint32_t i = 0; i < 2 * NB_WAYS * MAX_IN_MEMORY; i++) {
		const uint32_t nb = 1 + i / (2 * NB_WAYS);
		const bool at_end = i % 2;

		queue_reset(t, 0, 0);
		op = test_list_op(put(KEY, &key, sizeof(key), at_end),
				  put(ARRAY, segs, nb * sizeof(segs[0]), at_end), nb, ACCESS);
		assert_int_equal(enqueue(t, i / 2 % NB_WAYS, &op, at_end), 1);
		if (nb > PRM_UMR_INLINE_KLM_MAX) {
			/* The last one, and what the list is filled up with. */
			assert_int_equal(klms[16 * nb - 1], (uint8_t)segs[nb - 1].addr);
			for (uint32_t j = nb; j % PRM_KLM_ALIGN != 0; j++)
				assert_int_equal(klms[16 * j + 15], 0);
			continue;
		}
		list_expect(0, 0, key.key, segs, nb);
		ring_check(t);
	}
}

QUEUE_CASE(patterns_are_read_to_their_ends_only)
{
	struct rte_umr_interleaved entries[PRM_UMR_INLINE_STRIDED_MAX];
	const struct rte_umr_mkey key = test_mkey(PRM_UMR_INLINE_KLM_MAX);
	struct rte_umr_mkey_op op;

	entries_fill(entries, RTE_DIM(entries), 100, 200);
	for (uint32_t i = 0; i < 2 * NB_WAYS * RTE_DIM(entries); i++) {
		const uint32_t nb = 1 + i / (2 * NB_WAYS);
		const bool at_end = i % 2;

		queue_reset(t, 0, 0);
		op = test_pattern_op(put(KEY, &key, sizeof(key), at_end),
				     put(ARRAY, entries, nb * sizeof(entries[0]), at_end), nb,
				     UINT32_MAX, ACCESS);
		assert_int_equal(enqueue(t, i / 2 % NB_WAYS, &op, at_end), 1);
		pattern_expect(0, 0, key.key, entries, nb, UINT32_MAX);
		ring_check(t);
	}
}

/* Arrays of operations and of keys, of more than are fetched ahead. */
QUEUE_CASE(operations_are_read_to_their_ends_only)
{
	struct rte_umr_mkey keys[20], *mkeys[RTE_DIM(keys)];
	struct rte_umr_mkey_op ops[RTE_DIM(keys)];
	const void *src;

	for (uint32_t i = 0; i < RTE_DIM(keys); i++) {
		keys[i] = test_mkey(4);
		mkeys[i] = &keys[i];
		ops[i] = test_list_op(mkeys[i], &test_seg, 1, ACCESS);
	}
	for (uint32_t nb = 1; nb <= RTE_DIM(keys); nb++) {
		queue_reset(t, 0, 0);
		src = put(OPS, ops, nb * sizeof(ops[0]), true);
		assert_int_equal(test_isa->mkey_configure_burst(&t->queue, src, (uint16_t)nb, 0),
				 nb);
		queue_reset(t, 0, 0);
		src = put(OPS, mkeys, nb * sizeof(mkeys[0]), true);
		assert_int_equal(test_isa->mkey_invalidate_burst(&t->queue, src, (uint16_t)nb, 0),
				 nb);
	}
}

/* The next size: of all blocks some, of those with few entries all. */
static uint32_t
nb_next(uint32_t nb, uint32_t max)
{
	return nb < max % 6 + 6 ? nb + 1 : nb + 6;
}

/* One segment of that length among others, at every place of lists. */
static void
length_check(struct test_queue *t, uint32_t length, uint32_t others, int error)
{
	struct rte_umr_mkey mkey = test_mkey(PRM_UMR_INLINE_KLM_MAX);
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	struct rte_umr_mkey_op op;
	uint32_t nb, at;

	for (nb = 1; nb <= PRM_UMR_INLINE_KLM_MAX; nb = nb_next(nb, PRM_UMR_INLINE_KLM_MAX)) {
		for (at = 0; at < nb; at++) {
			segs_fill(segs, nb, others);
			segs[at].length = length;
			op = test_list_op(&mkey, segs, nb, ACCESS);
			for (enum way way = 0; way < NB_WAYS; way++) {
				queue_reset(t, 0, 0);
				assert_int_equal(enqueue(t, way, &op, true),
						 error != 0 ? error : 1);
				if (error != 0) {
					rejected_check(t, 0, 0);
					continue;
				}
				list_expect(0, 0, mkey.key, segs, nb);
				ring_check(t);
			}
		}
	}
}

/* What some variants add up in 32 bits has limits of its own: 2^26 and 2^29 bytes. */
QUEUE_CASE(lengths_of_segments_at_limits)
{
	static const uint32_t good[] = {
		1, (1u << 26) - 1, 1u << 26, (1u << 26) + 1, (1u << 29) - 1, 1u << 29,
		(1u << 29) + 1, (1u << 31) - 1, 1u << 31,
	};
	const uint32_t others[] = { 1, 1u << 26, 1u << 27, 1u << 29, 1u << 31 };

	for (size_t i = 0; i < RTE_DIM(others); i++) {
		for (size_t j = 0; j < RTE_DIM(good); j++)
			length_check(t, good[j], others[i], 0);
		length_check(t, 0, others[i], -EINVAL);
		length_check(t, (1u << 31) + 1, others[i], -ERANGE);
		length_check(t, UINT32_MAX, others[i], -ERANGE);
	}
}

/* What a pattern becomes. */
enum fate {
	REJECTED,
	REPEATED,	/* by the device */
	UNROLLED,	/* a list: the device has 16 bits for what an entry takes */
};

static void
pattern_expect_as(enum fate fate, uint32_t key, const struct rte_umr_interleaved *entries,
		  uint32_t nb, uint32_t repeat)
{
	struct rte_umr_seg segs[PRM_UMR_INLINE_STRIDED_MAX];

	if (fate == REPEATED)
		pattern_expect(0, 0, key, entries, nb, repeat);
	if (fate != UNROLLED)
		return;
	assert_int_equal(repeat, 1);
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = (struct rte_umr_seg){
			entries[i].addr, entries[i].bytes_count, entries[i].lkey,
		};
	list_expect(0, 0, key, segs, nb);
}

/* One entry like that among others, at every place of patterns. */
static void
pattern_check(struct test_queue *t, const uint32_t entry[2], uint32_t repeat, enum fate fate)
{
	const uint32_t max = PRM_UMR_INLINE_STRIDED_MAX;
	struct rte_umr_mkey mkey = test_mkey(PRM_UMR_INLINE_KLM_MAX);
	struct rte_umr_interleaved entries[PRM_UMR_INLINE_STRIDED_MAX];
	struct rte_umr_mkey_op op;
	int ret;

	for (uint32_t nb = 1; nb <= max; nb = nb_next(nb, max)) {
		for (uint32_t at = 0; at < nb; at++) {
			entries_fill(entries, nb, 0xffff, 0);
			entries[at].bytes_count = entry[0];
			entries[at].bytes_skip = entry[1];
			op = test_pattern_op(&mkey, entries, nb, repeat, ACCESS);
			for (enum way way = 0; way < NB_WAYS; way++) {
				queue_reset(t, 0, 0);
				ret = enqueue(t, way, &op, true);
				assert_int_equal(ret > 0, fate != REJECTED);
				pattern_expect_as(fate, mkey.key, entries, nb, repeat);
				test_sq_restore(t, expected, fate == UNROLLED ? 0 :
							     MLX5_UMR_HDR_WQEBB);
				ring_check(t);
				assert_int_equal(t->queue.op_pi, ret > 0);
			}
		}
	}
}

QUEUE_CASE(strides_at_limits)
{
	/* bytes_count, bytes_skip */
	static const struct {
		uint32_t entry[2];
		enum fate fate;
	} cases[] = {
		{ { 1, 0 }, REPEATED }, { { 1, 0xfffe }, REPEATED }, { { 0xffff, 0 }, REPEATED },
		{ { 0x8000, 0x7fff }, REPEATED }, { { 0xfffe, 1 }, REPEATED },
		{ { 1, 0xffff }, UNROLLED }, { { 0xffff, 1 }, UNROLLED },
		{ { 0x10000, 0 }, UNROLLED }, { { 0x8000, 0x8000 }, UNROLLED },
		{ { 1, UINT32_MAX }, UNROLLED }, { { 2, UINT32_MAX }, UNROLLED },
		{ { 0x10000, 0xffff0000 }, UNROLLED }, { { 0x80000000, 0x80000000 }, UNROLLED },
		{ { 0xffff, UINT32_MAX - 0xfffe }, UNROLLED },
		{ { 0, 0 }, REJECTED }, { { 0, 1 }, REJECTED }, { { 0, 0xffff }, REJECTED },
		{ { 0, UINT32_MAX }, REJECTED }, { { 0x80000001, 0 }, REJECTED },
		{ { UINT32_MAX, 0 }, REJECTED }, { { UINT32_MAX, 2 }, REJECTED },
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		pattern_check(t, cases[i].entry, 1, cases[i].fate);
		if (cases[i].fate != REPEATED)
			continue;
		pattern_check(t, cases[i].entry, UINT32_MAX, REPEATED);
		pattern_check(t, cases[i].entry, 0, REJECTED);
	}
}

/* Bursts of lists of several sizes at the ends of the rings, of 16 bits and of 32 bits. */
QUEUE_CASE(indices_begin_again)
{
	static const uint32_t sizes[] = { 1, 4, 5, 9, 3, 2, 52, 1, 1 };
	static const uint32_t ends[] = { TEST_NB_WQEBB, UINT32_C(1) << 16, 0 };
	struct rte_umr_mkey_op ops[RTE_DIM(sizes)];
	struct rte_umr_mkey keys[RTE_DIM(sizes)];
	struct rte_umr_seg segs[PRM_UMR_INLINE_KLM_MAX];
	uint32_t n, i, pi, begin, op_begin;

	segs_fill(segs, RTE_DIM(segs), UINT32_C(1) << 31);
	for (i = 0; i < RTE_DIM(sizes); i++) {
		keys[i] = test_mkey(PRM_UMR_INLINE_KLM_MAX);
		keys[i].key += i << 8 | i;
		ops[i] = test_list_op(&keys[i], segs, sizes[i], ACCESS);
	}
	for (n = 0; n < RTE_DIM(ends) * RTE_DIM(ends) * 64; n++) {
		begin = ends[n % RTE_DIM(ends)] - n / 9;
		op_begin = ends[n / RTE_DIM(ends) % RTE_DIM(ends)] - n / 9 % 12;
		queue_reset(t, begin, op_begin);
		assert_int_equal(test_isa->mkey_configure_burst(&t->queue, ops, RTE_DIM(sizes),
							   RTE_UMR_OP_F_FENCE), RTE_DIM(sizes));
		for (i = 0, pi = begin; i < RTE_DIM(sizes); i++) {
			const struct mlx5_umr_op *op = &t->ops[(op_begin + i) % TEST_NB_WQEBB];

			assert_int_equal(op->pi, (uint16_t)pi);
			assert_int_equal(op->type, RTE_UMR_OP_MKEY_CONFIGURE);
			assert_int_equal(op->length, 0);
			assert_int_equal(op->status, RTE_UMR_STATUS_SUCCESS);
			pi += list_expect(pi, i == 0 ? PRM_CTRL_FM_FENCE : t->queue.fm_umr,
					  keys[i].key, segs, sizes[i]);
		}
		assert_int_equal(t->queue.sq_pi, pi);
		assert_int_equal(t->queue.op_pi, op_begin + (uint32_t)RTE_DIM(sizes));
		ring_check(t);
	}
}

/* What can be wrong with an operation. */
static void
list_break(struct rte_umr_mkey_op *op, struct rte_umr_mkey *mkey, struct rte_umr_seg *segs,
	   uint32_t what)
{
	if (what == 0)
		op->nb_entries = 0;
	else if (what == 1)
		mkey->max_entries = op->nb_entries - 1;
	else if (what == 2)
		op->access = ACCESS | RTE_BIT32(31);
	else if (what == 3)
		mkey->dev_id++;
	else if (what == 4)
		segs[op->nb_entries - 1].length = 0;
	else if (what == 5)
		segs[op->nb_entries - 1].length = UINT32_MAX;
	else
		mkey->flags = RTE_UMR_MKEY_POOL_F_FIXED_SIZE;
}

/* Whatever is wrong, and wherever: what is in front of it is taken, and its error comes next. */
QUEUE_CASE(burst_ends_in_front_of_a_bad_one)
{
	static const uint32_t sizes[] = { 1, 4, 5, 52 };
	struct rte_umr_seg good[PRM_UMR_INLINE_KLM_MAX], bad[PRM_UMR_INLINE_KLM_MAX];
	struct rte_umr_mkey keys[2], *mkey = &keys[1];
	struct rte_umr_mkey_op ops[4];
	uint32_t what, at, i, pi, nb;

	segs_fill(good, RTE_DIM(good), 7);
	for (uint32_t n = 0; n < 7 * 4 * 4 * 4; n++) {
		what = n % 7;
		at = n / 7 % 4;
		nb = sizes[n / 28 % 4];
		keys[0] = keys[1] = test_mkey(PRM_UMR_INLINE_KLM_MAX);
		for (i = 0; i < RTE_DIM(ops); i++)
			ops[i] = test_list_op(&keys[0], good, sizes[n / 112], ACCESS);
		segs_fill(bad, RTE_DIM(bad), 7);
		ops[at] = test_list_op(mkey, bad, nb, ACCESS);
		list_break(&ops[at], mkey, bad, what);
		queue_reset(t, 0, 0);
		if (at != 0)
			assert_int_equal(test_isa->mkey_configure_burst(&t->queue, ops, 4, 0), at);
		for (i = 0, pi = 0; i < at; i++)
			pi += list_expect(pi, i == 0 ? 0 : t->queue.fm_umr, keys[0].key, good,
					  sizes[n / 112]);
		assert_uint_in_range(-test_isa->mkey_configure_burst(&t->queue, &ops[at],
								     4 - at, 0), 1,
				4095);
		assert_int_equal(t->queue.sq_pi, pi);
		assert_int_equal(t->queue.op_pi, at);
		test_sq_restore(t, expected, MLX5_UMR_HDR_WQEBB);
		ring_check(t);
	}
}

/* As many as the API can count, and a queue that takes some of them. */
QUEUE_CASE(longest_burst_fills_the_ring)
{
	struct rte_umr_mkey_op *ops = calloc(UINT16_MAX, sizeof(*ops));
	struct rte_umr_mkey mkey = test_mkey(4);

	assert_non_null(ops);
	for (uint32_t i = 0; i < UINT16_MAX; i++)
		ops[i] = test_list_op(&mkey, &test_seg, 1, ACCESS);
	queue_reset(t, 50, 100);
	assert_int_equal(test_isa->mkey_configure_burst(&t->queue, ops, UINT16_MAX, 0),
			 TEST_NB_WQEBB / 3);
	assert_int_equal(t->queue.sq_pi, 50 + TEST_NB_WQEBB / 3 * 3);
	assert_int_equal(test_isa->mkey_configure_burst(&t->queue, ops, UINT16_MAX, 0), -ENOSPC);
	/* And one that has failed. */
	queue_reset(t, 50, 100);
	t->queue.error = -EIO;
	assert_int_equal(test_isa->mkey_configure_burst(&t->queue, ops, UINT16_MAX, 0), -EIO);
	rejected_check(t, 50, 100);
	free(ops);
}

int
main(void)
{
	return rooms_create() != 0 ? 1 : test_run_isas();
}
