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

/* Operations from a seed, and what they point to. */
struct burst {
	struct rte_umr_mkey mkeys[NB_OPS];
	struct rte_umr_mkey *mkey_ptrs[NB_OPS];
	struct rte_umr_seg segs[NB_OPS][NB_SEGS];
	struct rte_umr_interleaved entries[NB_OPS][NB_ENTRIES];
	struct rte_umr_mkey_op lists[NB_OPS];
	struct rte_umr_mkey_op patterns[NB_OPS];
	struct rte_umr_mkey_op mixed[NB_OPS];
};

enum kind {
	LISTS,
	PATTERNS,
	INVALIDATIONS,
	MIXED,	/* any of them, and what has no layout or no access */
	NB_KINDS,
};

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
burst_fill(struct burst *b, unsigned int seed)
{
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
		b->lists[i] = test_list_op(&b->mkeys[i], &b->segs[i][NB_SEGS - nb_segs], nb_segs,
					   rand_r(&seed) & MLX5_UMR_ACCESS_MKC);
		b->patterns[i] = test_pattern_op(&b->mkeys[i],
						 &b->entries[i][NB_ENTRIES - nb_entries],
						 nb_entries, 1 + rand_r(&seed) % 1000,
						 rand_r(&seed) & MLX5_UMR_ACCESS_MKC);
		b->mixed[i] = rand_r(&seed) % 2 != 0 ? b->lists[i] : b->patterns[i];
		if (rand_r(&seed) % 4 == 0)
			b->mixed[i].setters &= rand_r(&seed);
	}
}

static int
burst_enqueue(struct burst *b, enum kind kind, struct mlx5_umr_queue *queue, uint32_t first,
	      uint16_t nb, uint64_t flags)
{
	if (kind == LISTS)
		return test_isa->mkey_configure_burst(queue, &b->lists[first], nb, flags);
	if (kind == PATTERNS)
		return test_isa->mkey_configure_burst(queue, &b->patterns[first], nb, flags);
	if (kind == MIXED)
		return test_isa->mkey_configure_burst(queue, &b->mixed[first], nb, flags);
	return test_isa->mkey_invalidate_burst(queue, &b->mkey_ptrs[first], nb, flags);
}

static int
single_enqueue(struct burst *b, enum kind kind, struct mlx5_umr_queue *queue, uint32_t i,
	       uint64_t flags)
{
	/* The variant without vectors, so that variants are compared, too. */
	if (kind == LISTS)
		return test_reference.mkey_configure(queue, &b->lists[i], flags);
	if (kind == PATTERNS)
		return test_reference.mkey_configure(queue, &b->patterns[i], flags);
	if (kind == MIXED)
		return test_reference.mkey_configure(queue, &b->mixed[i], flags);
	return test_reference.mkey_invalidate(queue, &b->mkeys[i], flags);
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
static void
burst_does_what_single_calls_do(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state, *ref;
	const uint32_t first = test_seed(), nb = test_nb_cases();
	unsigned int seed = first;
	void *ref_state;

	assert_non_null(b);
	test_queue_setup(&ref_state);
	ref = ref_state;
	for (uint32_t n = 0; n < nb; n++) {
		uint64_t flags = rand_r(&seed) & RTE_UMR_OP_F_FENCE;
		uint32_t pi = (uint32_t)rand_r(&seed), op_pi = (uint32_t)rand_r(&seed), i = 0;
		uint32_t nb_free = rand_r(&seed) % 4 == 0 ? rand_r(&seed) % TEST_NB_WQEBB :
							    TEST_NB_WQEBB;
		enum kind kind = rand_r(&seed) % NB_KINDS;
		int ret, expected = 0;

		burst_fill(b, first + n);
		queue_move_to(t, pi, op_pi, nb_free);
		queue_move_to(ref, pi, op_pi, nb_free);
		for (; i < NB_OPS; i++) {
			expected = single_enqueue(b, kind, &ref->queue, i, i == 0 ? flags : 0);
			if (expected < 0)
				break;
		}
		ret = burst_enqueue(b, kind, &t->queue, 0, NB_OPS, flags);
		assert_int_equal(ret, i == 0 ? expected : (int)i);
		compare(t, ref);
	}
	test_queue_teardown(&ref_state);
	free(b);
}

static void
burst_stops_at_what_is_rejected(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state;
	uint32_t pi;

	assert_non_null(b);
	for (enum kind kind = 0; kind < NB_KINDS; kind++) {
		burst_fill(b, 7);
		queue_move_to(t, 0, 0, TEST_NB_WQEBB);
		b->lists[0].nb_entries = b->lists[1].nb_entries = b->lists[2].nb_entries = 1;
		b->patterns[0].nb_entries = b->patterns[1].nb_entries = 1;
		b->mkeys[2].dev_id = TEST_DEV_ID + 1;
		assert_int_equal(burst_enqueue(b, kind, &t->queue, 0, 5, RTE_UMR_OP_F_SUBMIT), 2);
		/* What was taken is on its way. */
		assert_int_equal(t->queue.op_pi, 2);
		assert_int_equal(t->queue.op_submitted, 2);
		pi = t->queue.sq_pi;
		assert_int_equal(t->sq[pi * PRM_WQE_BB_SIZE], TEST_POISON);
		assert_int_equal(burst_enqueue(b, kind, &t->queue, 2, 3, RTE_UMR_OP_F_SUBMIT),
				 -EXDEV);
		assert_int_equal(t->queue.sq_pi, pi);
		assert_int_equal(t->sq[pi * PRM_WQE_BB_SIZE], TEST_POISON);
	}
	free(b);
}

/* Two operations that are alike, and what becomes of them when one has a bad piece. */
static void
check_bad_piece(struct burst *b, struct test_queue *t, enum kind kind, uint32_t bad, int expected)
{
	uint32_t pi;

	queue_move_to(t, 0, 0, TEST_NB_WQEBB);
	assert_int_equal(burst_enqueue(b, kind, &t->queue, 0, 2, 0), bad == 0 ? expected : 1);
	pi = t->queue.sq_pi;
	assert_int_equal(t->queue.op_pi, bad);
	/* It has no head. */
	for (size_t i = 0; i < MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE; i++)
		assert_int_equal(t->sq[pi * PRM_WQE_BB_SIZE + i], TEST_POISON);
	if (bad != 0)
		assert_int_equal(burst_enqueue(b, kind, &t->queue, 1, 1, 0), expected);
	assert_int_equal(t->queue.sq_pi, pi);
}

static void
bad_pieces_are_rejected(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state;

	assert_non_null(b);
	for (uint32_t nb = 1; nb <= NB_SEGS; nb++)
		for (uint32_t piece = 0; piece < nb; piece++)
			for (uint32_t bad = 0; bad < 2; bad++) {
				burst_fill(b, nb);
				for (uint32_t i = 0; i < 2; i++) {
					b->lists[i].segs = b->segs[i];
					b->lists[i].nb_entries = nb;
				}
				b->segs[bad][piece].length = 0;
				check_bad_piece(b, t, LISTS, bad, -EINVAL);
				b->segs[bad][piece].length = (1u << 31) + 1;
				check_bad_piece(b, t, LISTS, bad, -ERANGE);
			}
	free(b);
}

static void
bad_entries_are_rejected(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state;
	struct rte_umr_interleaved *entry;

	assert_non_null(b);
	for (uint32_t nb = 1; nb <= 8; nb++)
		for (uint32_t piece = 0; piece < nb; piece++)
			for (uint32_t bad = 0; bad < 2; bad++) {
				burst_fill(b, nb);
				for (uint32_t i = 0; i < 2; i++) {
					b->patterns[i].interleaved = b->entries[i];
					b->patterns[i].nb_entries = nb;
				}
				entry = &b->entries[bad][piece];
				entry->bytes_count = 0;
				check_bad_piece(b, t, PATTERNS, bad, -EINVAL);
				entry->bytes_count = 0x10000;
				check_bad_piece(b, t, PATTERNS, bad, -ERANGE);
				entry->bytes_count = 1;
				entry->bytes_skip = 0xffff;
				check_bad_piece(b, t, PATTERNS, bad, -ERANGE);
				/* The sum wraps to a stride that would do. */
				entry->bytes_count = 16;
				entry->bytes_skip = UINT32_MAX;
				check_bad_piece(b, t, PATTERNS, bad, -ERANGE);
			}
	free(b);
}

static void
bad_arguments_are_rejected(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state;
	struct rte_umr_mkey_op *l = &b->lists[0];
	struct rte_umr_mkey_op *p = &b->patterns[0];

	assert_non_null(b);
	queue_move_to(t, 0, 0, TEST_NB_WQEBB);
	burst_fill(b, 9);
	l->nb_entries = 0;
	assert_int_equal(burst_enqueue(b, LISTS, &t->queue, 0, 1, 0), -EINVAL);
	p->nb_entries = 0;
	assert_int_equal(burst_enqueue(b, PATTERNS, &t->queue, 0, 1, 0), -EINVAL);
	burst_fill(b, 9);
	p->repeat = 0;
	assert_int_equal(burst_enqueue(b, PATTERNS, &t->queue, 0, 1, 0), -EINVAL);
	for (uint32_t nb = 1; nb <= NB_SEGS; nb++) {
		burst_fill(b, 9);
		b->lists[0].nb_entries = b->lists[1].nb_entries = nb;
		b->mkeys[0].max_entries = nb - 1;
		assert_int_equal(burst_enqueue(b, LISTS, &t->queue, 0, 2, 0), -E2BIG);
		b->mkeys[0].max_entries = NB_SEGS;
		b->patterns[0].nb_entries = b->patterns[1].nb_entries = RTE_MIN(nb, NB_ENTRIES);
		b->patterns[0].repeat = 0;
		assert_int_equal(burst_enqueue(b, PATTERNS, &t->queue, 0, 2, 0), -EINVAL);
		b->patterns[0].repeat = 1;
		/* The header takes a place, too. */
		b->mkeys[0].max_entries = RTE_MIN(nb, NB_ENTRIES);
		assert_int_equal(burst_enqueue(b, PATTERNS, &t->queue, 0, 2, 0), -E2BIG);
		b->mkeys[0].max_entries = NB_SEGS;
		b->lists[0].access = b->patterns[0].access = 1u << 31;
		assert_int_equal(burst_enqueue(b, LISTS, &t->queue, 0, 2, 0), -EINVAL);
		assert_int_equal(burst_enqueue(b, PATTERNS, &t->queue, 0, 2, 0), -EINVAL);
	}
	assert_int_equal(t->queue.sq_pi, 0);
	assert_int_equal(t->sq[0], TEST_POISON);
	free(b);
}

static void
burst_of_nothing_and_bad_flags_are_rejected(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state;

	assert_non_null(b);
	burst_fill(b, 1);
	for (enum kind kind = 0; kind < NB_KINDS; kind++) {
		uint64_t nb_rejected = test_nb_rejected(&t->queue);

		assert_int_equal(burst_enqueue(b, kind, &t->queue, 0, 0, 0), -EINVAL);
		assert_int_equal(burst_enqueue(b, kind, &t->queue, 0, 1, RTE_UMR_OP_F_ALL + 1),
				 -EINVAL);
		assert_int_equal(burst_enqueue(b, kind, &t->queue, 0, 1, RTE_BIT64(63)), -EINVAL);
		assert_int_equal(test_nb_rejected(&t->queue), nb_rejected + 3);
	}
	t->queue.error = -EIO;
	assert_int_equal(burst_enqueue(b, LISTS, &t->queue, 0, 3, 0), -EIO);
	assert_int_equal(t->queue.sq_pi, 0);
	free(b);
}

static void
burst_is_submitted_with_one_doorbell(void **state)
{
	struct burst *b = calloc(1, sizeof(*b));
	struct test_queue *t = *state;
	const struct mlx5_wqe_ctrl_seg *ctrl;
	uint64_t nb_doorbells = t->queue.nb_doorbells;
	uint32_t pi;

	assert_non_null(b);
	burst_fill(b, 3);
	queue_move_to(t, 0, 0, TEST_NB_WQEBB);
	assert_int_equal(burst_enqueue(b, INVALIDATIONS, &t->queue, 0, 4,
				       RTE_UMR_OP_F_SUBMIT | RTE_UMR_OP_F_FENCE), 4);
	assert_int_equal(t->queue.nb_doorbells, nb_doorbells + 1);
	for (pi = 0; pi < 8; pi += MLX5_UMR_HDR_WQEBB) {
		ctrl = (const void *)(t->sq + pi * PRM_WQE_BB_SIZE);
		assert_int_equal(ctrl->fm_ce_se,
				 (pi == 0 ? PRM_CTRL_FM_FENCE : t->queue.fm_umr) |
				 (pi == 6 ? PRM_CTRL_CE_ALWAYS : 0));
	}
	assert_int_equal(rte_be_to_cpu_32(t->dbr[1]), 8);
	free(b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_CASE(burst_does_what_single_calls_do),
		TEST_CASE(burst_stops_at_what_is_rejected),
		TEST_CASE(bad_pieces_are_rejected),
		TEST_CASE(bad_entries_are_rejected),
		TEST_CASE(bad_arguments_are_rejected),
		TEST_CASE(burst_of_nothing_and_bad_flags_are_rejected),
		TEST_CASE(burst_is_submitted_with_one_doorbell),
	};

	return TEST_RUN_ISAS(tests);
}
