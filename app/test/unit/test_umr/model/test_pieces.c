/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Layouts of many pieces of dpdk-test-umr: what they show against answers written by hand and
 * against a second way to find it, and the promises of the generator.
 */

#include "cases.h"
#include "budget.h"
#include "model/pieces.h"

#define NB_LAYOUTS	(3 * test_nb_cases())
#define ARENA_SIZE	(584u << 10)
#define GUARD		4096u
#define MAX_TOTAL	(256u << 10)

static struct pieces pieces;

CASE(pattern_shows_what_was_written_by_hand)
{
	const uint8_t arena[] = "abcdefghijkl";
	uint8_t out[16] = { 0 }, back[13] = "............";
	uint64_t position;

	pieces.is_pattern = true;
	pieces.repeat = 3;
	pieces.nb = 2;
	pieces.pieces[0] = (struct layout_piece){ 0, 1, 2 };	/* a d g */
	pieces.pieces[1] = (struct layout_piece){ 4, 2, 1 };	/* ef hi kl */
	assert_int_equal(pieces_len(&pieces), 9);
	pieces_gather(&pieces, arena, 0, 9, out);
	assert_string_equal((char *)out, "aefdhigkl");
	memset(out, 0, sizeof(out));
	pieces_gather(&pieces, arena, 2, 4, out);
	assert_string_equal((char *)out, "fdhi");
	pieces_scatter(&pieces, back, 1, 4, (const uint8_t *)"1234");
	assert_string_equal((char *)back, "...312.4....");
	assert_true(pieces_find(&pieces, 7, &position));
	assert_int_equal(position, 4);
	assert_false(pieces_find(&pieces, 2, &position));
}

CASE(bytes_behind_gigabytes_are_found)
{
	const uint8_t arena[] = "abcdef";
	uint8_t out[3] = { 0 };

	pieces.is_pattern = false;
	pieces.repeat = 1;
	pieces.nb = 5;
	for (uint32_t i = 0; i < 5; i++)
		pieces.pieces[i] = (struct layout_piece){ i, UINT32_C(1) << 31, 0 };
	assert_int_equal(pieces_len(&pieces), UINT64_C(5) << 31);
	pieces_gather(&pieces, arena, UINT64_C(4) << 31, 2, out);
	assert_string_equal((char *)out, "ef");
}

/* Marks the bytes of the arena; fails on one outside, or on one that is shown twice. */
static void
check_disjoint(void)
{
	static uint8_t marks[ARENA_SIZE];
	uint64_t start;

	memset(marks, 0, sizeof(marks));
	for (uint32_t r = 0; r < pieces.repeat; r++) {
		for (uint32_t i = 0; i < pieces.nb; i++) {
			const struct layout_piece *p = &pieces.pieces[i];

			start = p->offset + (uint64_t)r * (p->len + p->skip);
			assert_true(p->len > 0 && start >= GUARD &&
				    start + p->len <= ARENA_SIZE - GUARD);
			for (uint32_t b = 0; b < p->len; b++)
				assert_int_equal(marks[start + b]++, 0);
		}
	}
	assert_true(pieces_len(&pieces) <= MAX_TOTAL);
}

static void
check_inside(void)
{
	uint64_t end;

	for (uint32_t i = 0; i < pieces.nb; i++) {
		const struct layout_piece *p = &pieces.pieces[i];

		end = p->offset + (uint64_t)(pieces.repeat - 1) * (p->len + p->skip) + p->len;
		assert_true(p->len > 0 && p->offset >= GUARD && end <= ARENA_SIZE - GUARD);
	}
}

static bool
is_wide(void)
{
	for (uint32_t i = 0; i < pieces.nb; i++)
		if (pieces.pieces[i].len + pieces.pieces[i].skip > PIECES_MAX_STRIDE)
			return true;
	return false;
}

/* Kind 0: a list, 1: a pattern, 2: a wide one. */
CASE(generated_layouts_keep_their_promises)
{
	struct pieces_conf conf = {
		.arena_size = ARENA_SIZE, .guard = GUARD, .max_total = MAX_TOTAL, .min_nb = 1,
		.max_nb = PIECES_MAX - 1,
	};
	const uint32_t seed = test_seed();
	uint32_t nb_small = 0, nb_max = 0, i, kind;

	for (i = 0; i < NB_LAYOUTS; i++) {
		struct prng prng = prng_stream(seed, i);

		kind = i % 3;
		conf.is_disjoint = i / 3 % 2;
		if (kind == 0)
			pieces_gen_list(&prng, &conf, &pieces);
		else
			pieces_gen_pattern(&prng, &conf, kind == 2, &pieces);
		assert_true(pieces.nb >= 1 && pieces.nb <= conf.max_nb);
		if (kind != 0)
			assert_int_equal(is_wide(), kind == 2);
		assert_int_equal(pieces.is_pattern, kind != 0);
		/* A wide one is a list for the device. */
		if (kind == 2)
			assert_true((uint64_t)pieces.nb * pieces.repeat <= conf.max_nb);
		if (conf.is_disjoint)
			check_disjoint();
		else
			check_inside();
		nb_small += pieces.nb <= 52;
		nb_max += pieces.nb == conf.max_nb;
	}
	/* Few and many are both common. */
	assert_true(nb_small > NB_LAYOUTS / 20 && nb_max > NB_LAYOUTS / 40);
}
