/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/nested.h"

#define MAX_REPEAT	64u
/* Maximum gap between pieces of memory that must not overlap. */
#define MAX_GAP		1024u

/*
 * Source of pieces: a previous key or the arena. Disjoint pieces are cut in order: bytes before the
 * cursor are used.
 */
struct source {
	uint32_t len;
	uint32_t cursor;
};

struct gen {
	struct prng *prng;
	const struct nested_gen_conf *conf;
	struct nested *nested;
	bool is_disjoint;
	struct source memory;
	struct source keys[NESTED_MAX_KEYS];
};

static struct source *
source_of(struct gen *gen, uint32_t inner)
{
	return inner == NESTED_MEMORY ? &gen->memory : &gen->keys[inner];
}

static uint32_t
source_left(const struct source *source)
{
	return source->len - source->cursor;
}

/* Choose a skip for which all repetitions fit. */
static uint32_t
draw_skip(struct prng *prng, uint32_t left, uint32_t len, uint32_t repeat)
{
	uint32_t max = UINT16_MAX - len;

	if (repeat > 1)
		max = min_u32(max, (left - len) / (repeat - 1) - len);
	if (max == 0 || prng_one_in(prng, 4))
		return 0;
	return (uint32_t)prng_log(prng, max);
}

/* Cut a piece of at most budget bytes over all repetitions. Returns false if there is no room. */
static bool
piece_draw(struct gen *gen, const struct nested_key *key, uint32_t inner, uint32_t budget,
	   struct nested_piece *piece)
{
	struct source *source = source_of(gen, inner);
	uint32_t left = source_left(source), room, extent, gap = 0;

	/* Disjoint pieces leave memory for the following ones. */
	room = gen->is_disjoint && inner == NESTED_MEMORY ? left / 8 : left;
	if (room < key->repeat || budget < key->repeat)
		return false;
	memset(piece, 0, sizeof(*piece));
	piece->inner = inner;
	piece->len = min_u32(room, budget) / key->repeat;
	if (!prng_one_in(gen->prng, 4))
		piece->len = (uint32_t)prng_log(gen->prng, piece->len);
	if (key->is_interleaved)
		piece->skip = draw_skip(gen->prng, room, piece->len, key->repeat);
	extent = (key->repeat - 1) * (piece->len + piece->skip) + piece->len;
	if (!gen->is_disjoint)
		gap = (uint32_t)prng_between(gen->prng, 0, left - extent);
	else if (prng_one_in(gen->prng, 2))
		gap = (uint32_t)prng_between(gen->prng, 0, min_u32(left - extent, MAX_GAP));
	piece->offset = source->cursor + gap;
	if (gen->is_disjoint)
		source->cursor += gap + extent;
	if (inner == NESTED_MEMORY)
		piece->offset += gen->conf->guard;
	return true;
}

/* Choose a key below a level, or memory. */
static uint32_t
draw_inner(struct gen *gen, uint32_t level)
{
	uint32_t nb = gen->nested->nb_keys;
	uint32_t inner;

	if (nb == 0 || prng_one_in(gen->prng, 4))
		return NESTED_MEMORY;
	inner = (uint32_t)prng_between(gen->prng, 0, nb - 1);
	return gen->nested->keys[inner].level < level ? inner : NESTED_MEMORY;
}

static void
shuffle(struct prng *prng, struct nested_key *key)
{
	for (uint32_t i = key->nb_pieces - 1; i > 0; i--) {
		uint32_t j = (uint32_t)prng_between(prng, 0, i);
		struct nested_piece tmp = key->pieces[i];

		key->pieces[i] = key->pieces[j];
		key->pieces[j] = tmp;
	}
}

/*
 * Add a key of a level. Its first piece refers to key main_inner, which has bytes left if it is a
 * key; the others refer to any keys that fit.
 */
static void
key_draw(struct gen *gen, uint32_t level, uint32_t main_inner)
{
	const struct nested_gen_conf *conf = gen->conf;
	struct nested_key *key = &gen->nested->keys[gen->nested->nb_keys];
	uint32_t max, nb, budget = NESTED_MAX_LEN;

	memset(key, 0, sizeof(*key));
	key->level = level;
	key->repeat = 1;
	key->is_interleaved = conf->max_interleaved != 0 && prng_one_in(gen->prng, 2);
	max = key->is_interleaved ? conf->max_interleaved : conf->max_list;
	nb = (uint32_t)prng_between(gen->prng, 1,
				    prng_one_in(gen->prng, 8) ? max : min_u32(max, 8));
	if (key->is_interleaved)
		key->repeat = (uint32_t)prng_log(gen->prng, min_u32(MAX_REPEAT,
				source_left(source_of(gen, main_inner))));
	for (uint32_t i = 0; i < nb; i++) {
		struct nested_piece *piece = &key->pieces[key->nb_pieces];
		uint32_t inner = i == 0 ? main_inner : draw_inner(gen, level);

		if (!piece_draw(gen, key, inner, budget, piece))
			continue;
		budget -= piece->len * key->repeat;
		key->nb_pieces++;
	}
	key->len = NESTED_MAX_LEN - budget;
	shuffle(gen->prng, key);
	gen->keys[gen->nested->nb_keys++] = (struct source){ .len = key->len };
}

void
nested_gen(struct prng *prng, const struct nested_gen_conf *conf, uint32_t nb_levels,
	   bool is_disjoint, struct nested *nested)
{
	struct gen gen = {
		.prng = prng, .conf = conf, .nested = nested, .is_disjoint = is_disjoint,
		.memory.len = conf->arena_size - 2 * conf->guard,
	};
	uint32_t below = NESTED_MEMORY;

	nested->nb_keys = 0;
	for (uint32_t level = 1; level <= nb_levels; level++) {
		uint32_t main_key = nested->nb_keys;
		uint32_t nb_spare = NESTED_MAX_KEYS - nested->nb_keys - (nb_levels - level) - 1;

		/* The first key of a level is on the longest path, the second uses the rest. */
		key_draw(&gen, level, below);
		if (level < nb_levels && nb_spare > 0 && prng_one_in(prng, 2))
			key_draw(&gen, level, NESTED_MEMORY);
		below = main_key;
	}
	nested_resolve(nested);
}
