/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Bursts: what many calls for one key do, with one call. Compiled twice: a ring that is too large
 * for the L1 cache (TEST_NB_WQEBB of app/test/unit/meson.build) is written in another way.
 */

#ifndef TEST_NB_WQEBB
#define TEST_NB_WQEBB	128u
#endif
#include "budget.h"
#include "test_queue.h"

#define NB_OPS		12u
#define NB_SEGS		52u
#define NB_ENTRIES	51u

enum kind {
	LISTS,
	PATTERNS,
	MIXED,	/* any of them, and what has no layout or no access */
	INVALIDATIONS,
	NB_KINDS,
};

/* Operations from a seed, and what they point to. */
static struct burst {
	struct rte_umr_mkey mkeys[NB_OPS];
	struct rte_umr_mkey *mkey_ptrs[NB_OPS];
	struct rte_umr_seg segs[NB_OPS][NB_SEGS];
	struct rte_umr_interleaved entries[NB_OPS][NB_ENTRIES];
	struct rte_umr_mkey_op ops[INVALIDATIONS][NB_OPS];
} burst;

/* Often the same as that in front of it, else one block, some or anything. */
static uint32_t
random_nb(unsigned int *seed, uint32_t max, uint32_t last)
{
	static const uint32_t limits[] = { 4, 16 };
	uint32_t which = (uint32_t)rand_r(seed) % 4;

	if (last != 0 && rand_r(seed) % 2 == 0)
		return last;
	return 1 + (uint32_t)rand_r(seed) % (which < RTE_DIM(limits) ? limits[which] : max);
}

static void
burst_fill(unsigned int seed)
{
	struct burst *b = &burst;
	/* Sums of more than 32 bits, and single lengths that are not added up in vectors. */
	const bool has_long = seed % 2 == 0;
	uint32_t nb_segs = 0, nb_entries = 0;

	for (uint32_t i = 0; i < NB_OPS; i++) {
		nb_segs = random_nb(&seed, NB_SEGS, nb_segs);
		nb_entries = random_nb(&seed, NB_ENTRIES, nb_entries);
		b->mkeys[i] = test_mkey(NB_SEGS);
		b->mkeys[i].key = (uint32_t)rand_r(&seed);
		b->mkey_ptrs[i] = &b->mkeys[i];
		for (uint32_t j = 0; j < NB_SEGS; j++)
			b->segs[i][j] = (struct rte_umr_seg){
				.addr = (uint64_t)rand_r(&seed) << 20,
				.length = 1 + (has_long && seed % 8 == 0 ? rand_r(&seed) :
									   rand_r(&seed) >> 8),
				.lkey = (uint32_t)rand_r(&seed),
			};
		for (uint32_t j = 0; j < NB_ENTRIES; j++)
			b->entries[i][j] = (struct rte_umr_interleaved){
				.addr = (uint64_t)rand_r(&seed) << 20,
				.bytes_count = 1 + (rand_r(&seed) & 0x7fff),
				.bytes_skip = rand_r(&seed) & 0x7fff,
				.lkey = (uint32_t)rand_r(&seed),
			};
		/* At the ends of the arrays: a sanitizer finds a variant that reads more. */
		b->ops[LISTS][i] = test_list_op(&b->mkeys[i], &b->segs[i][NB_SEGS - nb_segs],
						nb_segs, rand_r(&seed) & MLX5_UMR_ACCESS_MKC);
		b->ops[PATTERNS][i] = test_pattern_op(&b->mkeys[i],
						      &b->entries[i][NB_ENTRIES - nb_entries],
						      nb_entries, 1 + rand_r(&seed) % 1000,
						      rand_r(&seed) & MLX5_UMR_ACCESS_MKC);
		b->ops[MIXED][i] = b->ops[rand_r(&seed) % 2 != 0 ? LISTS : PATTERNS][i];
		if (rand_r(&seed) % 4 == 0)
			b->ops[MIXED][i].setters &= rand_r(&seed);
	}
}

static int
burst_enqueue(enum kind kind, struct mlx5_umr_queue *queue, uint32_t first, uint16_t nb,
	      uint64_t flags)
{
	if (kind == INVALIDATIONS)
		return test_isa->mkey_invalidate_burst(queue, &burst.mkey_ptrs[first], nb, flags);
	return test_isa->mkey_configure_burst(queue, &burst.ops[kind][first], nb, flags);
}

/* The variant without vectors, so that variants are compared, too. */
static int
single_enqueue(enum kind kind, struct mlx5_umr_queue *queue, uint32_t i, uint64_t flags)
{
	if (kind == INVALIDATIONS)
		return mlx5_umr_mkey_invalidate(queue, &burst.mkeys[i], flags);
	return test_reference.mkey_configure(queue, &burst.ops[kind][i], flags);
}

static void
queue_move_to(struct test_queue *t, uint32_t pi, uint32_t op_pi, uint32_t nb_free)
{
	t->queue.sq_pi = pi;
	t->queue.sq_end = pi + nb_free;
	t->queue.op_pi = op_pi;
	t->queue.op_submitted = op_pi;
	t->queue.fm_next = PRM_CTRL_FM_NONE;
	memset(t->sq, TEST_POISON, sizeof(t->sq));
	memset(t->ops, TEST_POISON, sizeof(t->ops));
}

static void
compare(const struct test_queue *t, const struct test_queue *ref)
{
	assert_int_equal(t->queue.sq_pi, ref->queue.sq_pi);
	assert_int_equal(t->queue.op_pi, ref->queue.op_pi);
	assert_int_equal(t->queue.fm_next, ref->queue.fm_next);
	assert_memory_equal(t->sq, ref->sq, TEST_NB_WQEBB * PRM_WQE_BB_SIZE);
	assert_memory_equal(t->ops, ref->ops, sizeof(t->ops));
}

/* At every place of both rings, also when there is room for a part only. */
QUEUE_CASE(burst_does_what_single_calls_do)
{
	struct test_queue *ref = test_queue_new();
	const uint32_t first = test_seed(), nb = test_nb_cases();
	unsigned int seed = first;

	for (uint32_t n = 0; n < nb; n++) {
		uint64_t flags = rand_r(&seed) & RTE_UMR_OP_F_FENCE;
		uint32_t pi = (uint32_t)rand_r(&seed), op_pi = (uint32_t)rand_r(&seed), i = 0;
		uint32_t nb_free = rand_r(&seed) % 4 == 0 ? rand_r(&seed) % TEST_NB_WQEBB :
							    TEST_NB_WQEBB;
		enum kind kind = rand_r(&seed) % NB_KINDS;
		int ret, expected = 0;

		burst_fill(first + n);
		queue_move_to(t, pi, op_pi, nb_free);
		queue_move_to(ref, pi, op_pi, nb_free);
		for (; i < NB_OPS; i++) {
			expected = single_enqueue(kind, &ref->queue, i, i == 0 ? flags : 0);
			if (expected < 0)
				break;
		}
		ret = burst_enqueue(kind, &t->queue, 0, NB_OPS, flags);
		assert_int_equal(ret, i == 0 ? expected : (int)i);
		compare(t, ref);
	}
	free(ref);
}

QUEUE_CASE(burst_stops_at_what_is_rejected)
{
	uint32_t pi;

	for (enum kind kind = 0; kind < NB_KINDS; kind++) {
		burst_fill(7);
		queue_move_to(t, 0, 0, TEST_NB_WQEBB);
		for (uint32_t i = 0; i < 3; i++)
			burst.ops[LISTS][i].nb_entries = burst.ops[PATTERNS][i].nb_entries = 1;
		burst.mkeys[2].dev_id = TEST_DEV_ID + 1;
		assert_int_equal(burst_enqueue(kind, &t->queue, 0, 5, RTE_UMR_OP_F_SUBMIT), 2);
		/* What was taken is on its way. */
		assert_int_equal(t->queue.op_pi, 2);
		assert_int_equal(t->queue.op_submitted, 2);
		pi = t->queue.sq_pi;
		assert_int_equal(*test_wqe_at(t, pi), TEST_POISON);
		assert_int_equal(burst_enqueue(kind, &t->queue, 2, 3, RTE_UMR_OP_F_SUBMIT),
				 -EXDEV);
		assert_int_equal(t->queue.sq_pi, pi);
		assert_int_equal(*test_wqe_at(t, pi), TEST_POISON);
	}
}

/* Two operations that are alike, and what becomes of them when one has a bad piece. */
static void
check_bad_piece(struct test_queue *t, enum kind kind, uint32_t bad, int expected)
{
	uint32_t pi;

	queue_move_to(t, 0, 0, TEST_NB_WQEBB);
	assert_int_equal(burst_enqueue(kind, &t->queue, 0, 2, 0), bad == 0 ? expected : 1);
	pi = t->queue.sq_pi;
	assert_int_equal(t->queue.op_pi, bad);
	/* It has no head. */
	test_filled(test_wqe_at(t, pi), TEST_POISON, MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE);
	if (bad != 0)
		assert_int_equal(burst_enqueue(kind, &t->queue, 1, 1, 0), expected);
	assert_int_equal(t->queue.sq_pi, pi);
}

/* Two operations of nb pieces each. */
static void
pairs_fill(uint32_t nb)
{
	burst_fill(nb);
	for (uint32_t i = 0; i < 2; i++) {
		burst.ops[LISTS][i].segs = burst.segs[i];
		burst.ops[PATTERNS][i].interleaved = burst.entries[i];
		burst.ops[LISTS][i].nb_entries = burst.ops[PATTERNS][i].nb_entries = nb;
	}
}

QUEUE_CASE(bad_pieces_are_rejected)
{
	for (uint32_t nb = 1; nb <= NB_SEGS; nb++)
		for (uint32_t piece = 0; piece < nb; piece++)
			for (uint32_t bad = 0; bad < 2; bad++) {
				pairs_fill(nb);
				burst.segs[bad][piece].length = 0;
				check_bad_piece(t, LISTS, bad, -EINVAL);
				burst.segs[bad][piece].length = (1u << 31) + 1;
				check_bad_piece(t, LISTS, bad, -ERANGE);
			}
}

QUEUE_CASE(bad_entries_are_rejected)
{
	static const struct {
		uint32_t count, skip;
		int ret;
	} entries[] = {
		{ 0, 1, -EINVAL }, { 0x10000, 1, -ERANGE }, { 1, 0xffff, -ERANGE },
		{ 0, UINT32_MAX, -EINVAL }, { 0x10000, 0, -ERANGE },
		/* The sum wraps to a stride that would do. */
		{ 16, UINT32_MAX, -ERANGE },
	};

	for (uint32_t nb = 1; nb <= 8; nb++)
		for (uint32_t piece = 0; piece < nb; piece++)
			for (uint32_t bad = 0; bad < 2; bad++) {
				pairs_fill(nb);
				for (size_t i = 0; i < RTE_DIM(entries); i++) {
					burst.entries[bad][piece].bytes_count = entries[i].count;
					burst.entries[bad][piece].bytes_skip = entries[i].skip;
					check_bad_piece(t, PATTERNS, bad, entries[i].ret);
				}
			}
}

QUEUE_CASE(bad_arguments_are_rejected)
{
	struct rte_umr_mkey_op *l = burst.ops[LISTS], *p = burst.ops[PATTERNS];

	queue_move_to(t, 0, 0, TEST_NB_WQEBB);
	burst_fill(9);
	l->nb_entries = p->nb_entries = 0;
	assert_int_equal(burst_enqueue(LISTS, &t->queue, 0, 1, 0), -EINVAL);
	assert_int_equal(burst_enqueue(PATTERNS, &t->queue, 0, 1, 0), -EINVAL);
	burst_fill(9);
	p->repeat = 0;
	assert_int_equal(burst_enqueue(PATTERNS, &t->queue, 0, 1, 0), -EINVAL);
	for (uint32_t nb = 1; nb <= NB_SEGS; nb++) {
		burst_fill(9);
		l[0].nb_entries = l[1].nb_entries = nb;
		burst.mkeys[0].max_entries = nb - 1;
		assert_int_equal(burst_enqueue(LISTS, &t->queue, 0, 2, 0), -E2BIG);
		burst.mkeys[0].max_entries = NB_SEGS;
		p[0].nb_entries = p[1].nb_entries = RTE_MIN(nb, NB_ENTRIES);
		p->repeat = 0;
		assert_int_equal(burst_enqueue(PATTERNS, &t->queue, 0, 2, 0), -EINVAL);
		p->repeat = 1;
		/* The header takes a place, too. */
		burst.mkeys[0].max_entries = RTE_MIN(nb, NB_ENTRIES);
		assert_int_equal(burst_enqueue(PATTERNS, &t->queue, 0, 2, 0), -E2BIG);
		burst.mkeys[0].max_entries = NB_SEGS;
		l->access = p->access = 1u << 31;
		assert_int_equal(burst_enqueue(LISTS, &t->queue, 0, 2, 0), -EINVAL);
		assert_int_equal(burst_enqueue(PATTERNS, &t->queue, 0, 2, 0), -EINVAL);
	}
	assert_int_equal(t->queue.sq_pi, 0);
	assert_int_equal(t->sq[0], TEST_POISON);
}

QUEUE_CASE(burst_of_nothing_and_bad_flags_are_rejected)
{
	burst_fill(1);
	for (enum kind kind = 0; kind < NB_KINDS; kind++) {
		uint64_t nb_rejected = test_nb_rejected(&t->queue);

		assert_int_equal(burst_enqueue(kind, &t->queue, 0, 0, 0), -EINVAL);
		assert_int_equal(burst_enqueue(kind, &t->queue, 0, 1, RTE_UMR_OP_F_ALL + 1),
				 -EINVAL);
		assert_int_equal(burst_enqueue(kind, &t->queue, 0, 1, RTE_BIT64(63)), -EINVAL);
		assert_int_equal(test_nb_rejected(&t->queue), nb_rejected + 3);
	}
	t->queue.error = -EIO;
	assert_int_equal(burst_enqueue(LISTS, &t->queue, 0, 3, 0), -EIO);
	assert_int_equal(t->queue.sq_pi, 0);
}

QUEUE_CASE(burst_is_submitted_with_one_doorbell)
{
	const struct mlx5_wqe_ctrl_seg *ctrl;
	uint64_t nb_doorbells = t->queue.nb_doorbells;

	burst_fill(3);
	queue_move_to(t, 0, 0, TEST_NB_WQEBB);
	assert_int_equal(burst_enqueue(INVALIDATIONS, &t->queue, 0, 4,
				       RTE_UMR_OP_F_SUBMIT | RTE_UMR_OP_F_FENCE), 4);
	assert_int_equal(t->queue.nb_doorbells, nb_doorbells + 1);
	for (uint32_t pi = 0; pi < 8; pi += MLX5_UMR_HDR_WQEBB) {
		ctrl = (const void *)(t->sq + pi * PRM_WQE_BB_SIZE);
		assert_int_equal(ctrl->fm_ce_se,
				 (pi == 0 ? PRM_CTRL_FM_FENCE : t->queue.fm_umr) |
				 (pi == 6 ? PRM_CTRL_CE_ALWAYS : 0));
	}
	assert_int_equal(rte_be_to_cpu_32(t->dbr[1]), 8);
}

int
main(void)
{
	return test_run_isas();
}
