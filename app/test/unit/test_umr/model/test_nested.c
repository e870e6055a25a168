/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The oracle of keys under keys against answers written by hand, and its generator's promises. */

#include "cases.h"
#include "budget.h"
#include "model/nested.h"

#define NB_LAYOUTS	(2 * test_nb_cases())
#define ARENA_SIZE	(584u << 10)
#define GUARD		4096u

static const struct nested_gen_conf gen_conf = {
	.arena_size = ARENA_SIZE, .guard = GUARD, .max_list = 52, .max_interleaved = 51,
};

/*
 * Over "abcdefghijklmnop":
 * key 0 shows "bcd" and "i": "bcdi";
 * key 1, a pattern over key 0 and memory, twice: "b" + "n", "d" + "p": "bndp";
 * key 2: "dp" of key 1, "cdi" of key 0, "a": "dpcdia".
 */
static const struct nested three_levels = {
	.nb_keys = 3,
	.keys = {
		{ .level = 1, .len = 4, .repeat = 1, .nb_pieces = 2,
		  .pieces = { { NESTED_MEMORY, 1, 3, 0 }, { NESTED_MEMORY, 8, 1, 0 } } },
		{ .level = 2, .len = 4, .is_interleaved = true, .repeat = 2, .nb_pieces = 2,
		  .pieces = { { 0, 0, 1, 1 }, { NESTED_MEMORY, 13, 1, 1 } } },
		{ .level = 3, .len = 6, .repeat = 1, .nb_pieces = 3,
		  .pieces = { { 1, 2, 2, 0 }, { 0, 1, 3, 0 }, { NESTED_MEMORY, 0, 1, 0 } } },
	},
};

static struct nested nested;
static uint8_t counts[ARENA_SIZE];

/* Each case resolves a copy of its own. */
static int
setup(void **state)
{
	nested = three_levels;
	nested_resolve(&nested);
	return 0;
}

CASE_WITH(gather_goes_through_all_levels, setup, NULL)
{
	char out[8] = "";

	assert_int_equal(nested_len(&nested), 6);
	nested_gather(&nested, (const uint8_t *)"abcdefghijklmnop", 0, 6, (uint8_t *)out);
	assert_string_equal(out, "dpcdia");
	memset(out, 0, sizeof(out));
	nested_gather(&nested, (const uint8_t *)"abcdefghijklmnop", 4, 2, (uint8_t *)out);
	assert_string_equal(out, "ia");
}

CASE_WITH(scatter_writes_only_the_range, setup, NULL)
{
	char arena[] = "abcdefghijklmnop";
	uint64_t position;

	nested_scatter(&nested, (uint8_t *)arena, 1, 2, (const uint8_t *)"XY");
	assert_string_equal(arena, "abYdefghijklmnoX");
	assert_true(nested_find(&nested, 8, &position));
	assert_int_equal(position, 4);
	assert_false(nested_find(&nested, 1, &position));
}

CASE_WITH(levels_are_counted_for_each_byte, setup, NULL)
{
	static const uint16_t nb_levels[] = { 3, 2, 2, 2, 2, 1 };
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(nested.bytes[i].nb_levels, nb_levels[i]);
}

CASE_WITH(mark_follows_the_last_bytes_of_a_key, setup, NULL)
{
	static const bool all_of_0[] = { true, false, true, true, true, false };
	static const bool last_of_0[] = { false, false, false, false, true, false };
	nested_mark(&nested, 0, 0);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(nested.bytes[i].is_marked, all_of_0[i]);
	nested_mark(&nested, 0, 3);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(nested.bytes[i].is_marked, last_of_0[i]);
}

/* Bytes that a piece spans in what it is cut from, in all repetitions. */
static uint64_t
piece_end(const struct nested_key *key, const struct nested_piece *piece)
{
	return piece->offset + (key->repeat - 1) * (uint64_t)(piece->len + piece->skip) +
	       piece->len;
}

static void
assert_key_within_limits(uint32_t k)
{
	const struct nested_key *key = &nested.keys[k];
	uint32_t max = key->is_interleaved ? gen_conf.max_interleaved : gen_conf.max_list;
	uint64_t len = 0;

	assert_uint_in_range(key->nb_pieces, 1, max);
	assert_uint_in_range(key->len, 1, NESTED_MAX_LEN);
	for (uint32_t i = 0; i < key->nb_pieces; i++) {
		const struct nested_piece *piece = &key->pieces[i];

		assert_true(piece->len >= 1);
		assert_true(piece->len + piece->skip <= UINT16_MAX);
		len += piece->len;
		if (piece->inner == NESTED_MEMORY) {
			assert_true(piece->offset >= GUARD);
			assert_true(piece_end(key, piece) <= ARENA_SIZE - GUARD);
		} else {
			assert_true(piece->inner < k);
			assert_true(nested.keys[piece->inner].level < key->level);
			assert_true(piece_end(key, piece) <= nested.keys[piece->inner].len);
		}
	}
	assert_int_equal(len * key->repeat, key->len);
}

CASE(generated_keys_stay_within_limits)
{
	const uint32_t seed = test_seed();

	for (unsigned int n = 0; n < NB_LAYOUTS; n++) {
		struct prng prng = prng_stream(seed, n);
		uint32_t nb_levels = 1 + n / 2 % NESTED_MAX_LEVELS;

		nested_gen(&prng, &gen_conf, nb_levels, n % 2 == 0, &nested);
		assert_uint_in_range(nested.nb_keys, nb_levels, NESTED_MAX_KEYS);
		assert_int_equal(nested.keys[nested.nb_keys - 1].level, nb_levels);
		for (uint32_t k = 0; k < nested.nb_keys; k++)
			assert_key_within_limits(k);
	}
}

CASE(disjoint_keys_show_no_byte_twice)
{
	const uint32_t seed = test_seed();

	for (unsigned int n = 0; n < NB_LAYOUTS / 10; n++) {
		struct prng prng = prng_stream(seed, n);

		nested_gen(&prng, &gen_conf, 2 + n % 4, true, &nested);
		memset(counts, 0, ARENA_SIZE);
		for (uint32_t i = 0; i < nested_len(&nested); i++)
			if (counts[nested.bytes[i].arena_offset]++ != 0)
				fail_msg("layout %u shows byte 0x%x twice", n,
					 nested.bytes[i].arena_offset);
	}
}

/* In most layouts some byte passes as many keys as there are levels. */
CASE(generator_reaches_all_levels_and_overlaps)
{
	const uint32_t seed = test_seed();
	unsigned int nb_deep = 0, nb_shown_twice = 0;

	for (unsigned int n = 0; n < NB_LAYOUTS / 2; n++) {
		struct prng prng = prng_stream(seed, n);
		bool is_deep = false, is_shown_twice = false;

		nested_gen(&prng, &gen_conf, 4, false, &nested);
		memset(counts, 0, ARENA_SIZE);
		for (uint32_t i = 0; i < nested_len(&nested); i++) {
			const struct nested_byte *byte = &nested.bytes[i];

			is_deep = is_deep || byte->nb_levels == 4;
			is_shown_twice = is_shown_twice || counts[byte->arena_offset]++ != 0;
		}
		nb_deep += is_deep;
		nb_shown_twice += is_shown_twice;
	}
	assert_true(nb_deep > NB_LAYOUTS / 8);
	assert_true(nb_shown_twice > NB_LAYOUTS / 40);
}
