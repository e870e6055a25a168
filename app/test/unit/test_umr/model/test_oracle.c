/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The oracle of dpdk-test-umr against answers written by hand, and the promises of the generator
 * that the verify command relies on.
 */

#include "cases.h"
#include "budget.h"
#include "model/layout_gen.h"
#include "model/oracle.h"

#define NB_LAYOUTS	(8 * test_nb_cases())
#define ARENA_SIZE	(600u << 10)
#define GUARD		4096u
#define MAX_TOTAL	(256u << 10)

static const struct layout_gen_conf gen_conf = {
	.arena_size = ARENA_SIZE, .guard = GUARD, .max_total = MAX_TOTAL, .max_list = 52,
	.max_interleaved = 51,
};

/* Shows "cd", "a", "cdef". */
static const struct layout list = {
	.repeat = 1, .nb_pieces = 3, .pieces = { { 2, 2, 0 }, { 0, 1, 0 }, { 2, 4, 0 } },
};

/* Shows "ab" and "j" at strides 3 and 2, three times: "abjdelghn". */
static const struct layout interleaved = {
	.is_interleaved = true, .repeat = 3, .nb_pieces = 2, .pieces = { { 0, 2, 1 }, { 9, 1, 1 } },
};

CASE(gather_follows_lists_and_patterns)
{
	static const struct {
		const struct layout *layout;
		uint64_t from, len;
		const char *expected;
	} rows[] = {
		{ &list, 0, 7, "cdacdef" }, { &list, 1, 3, "dac" }, { &list, 6, 1, "f" },
		{ &list, 0, 0, "" }, { &interleaved, 0, 9, "abjdelghn" },
		{ &interleaved, 2, 4, "jdel" }, { &interleaved, 8, 1, "n" },
	};

	/* The sum of pieces times repeat. */
	assert_int_equal(oracle_len(&list), 7);
	assert_int_equal(oracle_len(&interleaved), 9);
	for (size_t i = 0; i < NB_OF(rows); i++) {
		char out[32] = "";

		oracle_gather(rows[i].layout, (const uint8_t *)"abcdefghijklmnop", rows[i].from,
			      rows[i].len, (uint8_t *)out);
		assert_string_equal(out, rows[i].expected);
	}
}

CASE(scatter_writes_only_the_range)
{
	uint8_t arena[] = "................";

	oracle_scatter(&interleaved, arena, 0, 9, (const uint8_t *)"123456789");
	assert_string_equal((char *)arena, "12.45.78.3.6.9..");
	memset(arena, '.', 16);
	oracle_scatter(&interleaved, arena, 1, 3, (const uint8_t *)"xyz");
	assert_string_equal((char *)arena, ".x.z.....y......");
}

CASE(find_gives_the_first_position)
{
	uint64_t position;

	assert_true(oracle_find(&list, 3, &position));
	assert_int_equal(position, 1);
	assert_true(oracle_find(&list, 5, &position));
	assert_int_equal(position, 6);
	assert_false(oracle_find(&list, 1, &position));
	assert_true(oracle_find(&interleaved, 13, &position));
	assert_int_equal(position, 8);
}

static uint64_t
piece_end(const struct layout *layout, const struct layout_piece *piece)
{
	return piece->offset + (uint64_t)(layout->repeat - 1) * (piece->len + piece->skip) +
	       piece->len;
}

static void
assert_within_limits(const struct layout *layout)
{
	assert_uint_in_range(layout->nb_pieces, 1, layout->is_interleaved ? 51 : 52);
	assert_uint_in_range(oracle_len(layout), 1, MAX_TOTAL);
	assert_uint_in_range(layout->repeat, 1, layout->is_interleaved ? LAYOUT_GEN_MAX_REPEAT : 1);
	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		const struct layout_piece *piece = &layout->pieces[i];

		assert_uint_in_range(piece->len, 1, LAYOUT_GEN_MAX_PIECE);
		if (layout->is_interleaved)
			assert_uint_in_range(piece->len + piece->skip, 1, LAYOUT_GEN_MAX_STRIDE);
		else
			assert_int_equal(piece->skip, 0);
		assert_true(piece->offset >= GUARD);
		assert_true(piece_end(layout, piece) <= ARENA_SIZE - GUARD);
	}
}

CASE(generated_layouts_stay_within_limits)
{
	const uint32_t seed = test_seed();
	struct layout layout;

	for (unsigned int n = 0; n < NB_LAYOUTS; n++) {
		struct prng prng = prng_stream(seed, n);

		layout_gen(&prng, &gen_conf, n % 2 == 0, &layout);
		assert_within_limits(&layout);
	}
}

CASE(disjoint_layouts_show_no_byte_twice)
{
	const uint32_t seed = test_seed();
	static uint8_t counts[ARENA_SIZE];
	struct layout layout;

	for (unsigned int n = 0; n < NB_LAYOUTS / 10; n++) {
		struct prng prng = prng_stream(seed, n);

		layout_gen(&prng, &gen_conf, true, &layout);
		memset(counts, 0, ARENA_SIZE);
		for (uint32_t r = 0; r < layout.repeat; r++)
			for (uint32_t i = 0; i < layout.nb_pieces; i++) {
				const struct layout_piece *piece = &layout.pieces[i];
				uint32_t start = piece->offset + r * (piece->len + piece->skip);

				for (uint32_t b = 0; b < piece->len; b++)
					if (counts[start + b]++ != 0)
						fail_msg("layout %u shows byte 0x%x twice", n,
							 start + b);
			}
	}
}

CASE(generator_reaches_its_limits)
{
	const uint32_t seed = test_seed();
	uint32_t nb_max_list = 0, nb_max_interleaved = 0, nb_overlaps = 0, nb_single = 0;
	struct layout layout;

	for (unsigned int n = 0; n < NB_LAYOUTS; n++) {
		struct prng prng = prng_stream(seed, n);

		layout_gen(&prng, &gen_conf, false, &layout);
		nb_max_list += !layout.is_interleaved && layout.nb_pieces == 52;
		nb_max_interleaved += layout.is_interleaved && layout.nb_pieces == 51;
		nb_single += layout.nb_pieces == 1;
		for (uint32_t i = 1; i < layout.nb_pieces; i++)
			nb_overlaps += layout.pieces[i].offset >= layout.pieces[i - 1].offset &&
				       layout.pieces[i].offset <
					       piece_end(&layout, &layout.pieces[i - 1]);
	}
	assert_true(nb_max_list > NB_LAYOUTS / 100);
	assert_true(nb_max_interleaved > NB_LAYOUTS / 200);
	assert_true(nb_single > NB_LAYOUTS / 100);
	assert_true(nb_overlaps > NB_LAYOUTS / 10);
}

CASE(same_seed_gives_same_layout)
{
	struct prng a = prng_stream(3, 4), b = prng_stream(3, 4), c = prng_stream(3, 5);
	struct layout layout_a, layout_b, layout_c;

	layout_gen(&a, &gen_conf, true, &layout_a);
	layout_gen(&b, &gen_conf, true, &layout_b);
	layout_gen(&c, &gen_conf, true, &layout_c);
	assert_memory_equal(&layout_a, &layout_b, sizeof(layout_a));
	assert_memory_not_equal(&layout_a, &layout_c, sizeof(layout_a));
}
