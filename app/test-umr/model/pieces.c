/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "model/oracle.h"
#include "model/pieces.h"

/* Maximum number of repetitions; the arena has room for that many wide strides. */
#define MAX_REPEAT	7u
/* Longest piece that may overlap others. */
#define MAX_OVERLAPPING	32768u

static uint32_t
draw_nb(struct prng *prng, const struct pieces_conf *conf)
{
	switch (prng_between(prng, 0, 7)) {
	case 0:
		return conf->min_nb;
	case 1:
		return conf->max_nb;
	default:
		return conf->min_nb - 1 +
		       (uint32_t)prng_log(prng, conf->max_nb - conf->min_nb + 1);
	}
}

/* Choose lengths of at least 1 with a sum of at most budget >= nb. */
static void
draw_lens(struct prng *prng, struct pieces *out, uint32_t budget)
{
	for (uint32_t i = 0; i < out->nb; i++) {
		uint32_t nb_left = out->nb - i;
		uint32_t fair = 2 * (budget / nb_left);
		uint32_t max = min_u32(fair, budget - (nb_left - 1));

		out->pieces[i].len = (uint32_t)prng_between(prng, 1, max < 1 ? 1 : max);
		budget -= out->pieces[i].len;
	}
}

static uint32_t
gcd(uint32_t a, uint32_t b)
{
	return b == 0 ? a : gcd(b, a % b);
}

/*
 * Place pieces side by side in [first, first + room); gaps use the remaining space. The order
 * visits the pieces cyclically with a step that is coprime to their number.
 */
static void
place_side_by_side(struct prng *prng, struct pieces *out, uint32_t first, uint32_t room)
{
	uint32_t step = (uint32_t)prng_between(prng, 1, out->nb);
	uint32_t at = (uint32_t)prng_between(prng, 0, out->nb - 1);
	uint32_t spare = room;

	while (gcd(step, out->nb) != 1)
		step--;
	for (uint32_t i = 0; i < out->nb; i++)
		spare -= out->pieces[i].len;
	for (uint32_t i = 0; i < out->nb; i++) {
		struct layout_piece *piece = &out->pieces[at];
		uint32_t max_gap = min_u32(spare, 2 * (spare / (out->nb - i)));
		uint32_t gap = prng_one_in(prng, 3) ? 0 :
						      (uint32_t)prng_between(prng, 0, max_gap);

		piece->offset = first + gap;
		piece->skip = 0;
		first += gap + piece->len;
		spare -= gap;
		at = (at + step) % out->nb;
	}
}

void
pieces_gen_other(struct prng *prng, const struct pieces_conf *conf, struct layout_piece *pieces,
		 uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++) {
		uint32_t len = (uint32_t)prng_log(prng, MAX_OVERLAPPING);

		pieces[i] = (struct layout_piece){
			.offset = (uint32_t)prng_between(prng, conf->guard,
							 conf->arena_size - conf->guard - len),
			.len = len,
		};
	}
}

void
pieces_gen_list(struct prng *prng, const struct pieces_conf *conf, struct pieces *out)
{
	out->is_pattern = false;
	out->repeat = 1;
	out->nb = draw_nb(prng, conf);
	if (!conf->is_disjoint) {
		pieces_gen_other(prng, conf, out->pieces, out->nb);
		return;
	}
	draw_lens(prng, out, (uint32_t)prng_between(prng, out->nb, conf->max_total));
	place_side_by_side(prng, out, conf->guard, conf->arena_size - 2 * conf->guard);
}

/* Place the pieces as fields of a record: all in one stride. */
static void
pattern_of_records(struct prng *prng, const struct pieces_conf *conf, bool is_wide,
		   struct pieces *out)
{
	uint32_t room = conf->arena_size - 2 * conf->guard;
	uint32_t max_stride = room / out->repeat, min_stride = PIECES_MAX_STRIDE + 1, stride;

	if (!is_wide) {
		min_stride = out->nb;
		max_stride = min_u32(max_stride, PIECES_MAX_STRIDE);
	}
	stride = (uint32_t)prng_between(prng, min_stride, max_stride);
	draw_lens(prng, out, min_u32(stride, conf->max_total / out->repeat));
	place_side_by_side(prng, out, conf->guard, stride);
	for (uint32_t i = 0; i < out->nb; i++)
		out->pieces[i].skip = stride - out->pieces[i].len;
}

/* Each piece has its own stride and any place. */
static void
pattern_anywhere(struct prng *prng, const struct pieces_conf *conf, bool is_wide,
		 struct pieces *out)
{
	uint32_t room = conf->arena_size - 2 * conf->guard;
	uint32_t wide = is_wide ? (uint32_t)prng_between(prng, 0, out->nb - 1) : out->nb;

	for (uint32_t i = 0; i < out->nb; i++) {
		uint32_t len = (uint32_t)prng_log(prng, MAX_OVERLAPPING);
		uint32_t max = (room - len) / (out->repeat - 1), min = len;
		bool is_any = is_wide && prng_one_in(prng, 2);

		if (i == wide)
			min = PIECES_MAX_STRIDE + 1;
		else if (!is_any)
			max = min_u32(max, PIECES_MAX_STRIDE);
		max = (uint32_t)prng_between(prng, min, max);
		out->pieces[i] = (struct layout_piece){
			.offset = conf->guard +
				  (uint32_t)prng_between(prng, 0,
							 room - len - max * (out->repeat - 1)),
			.len = len, .skip = max - len,
		};
	}
}

void
pieces_gen_pattern(struct prng *prng, const struct pieces_conf *conf, bool is_wide,
		   struct pieces *out)
{
	struct pieces_conf limits = *conf;

	out->is_pattern = true;
	out->repeat = (uint32_t)prng_between(prng, 2, MAX_REPEAT);
	/* It must also fit as a list; each repetition has its share of the bytes. */
	if (is_wide)
		limits.max_nb /= out->repeat;
	if (conf->is_disjoint)
		limits.max_nb = min_u32(limits.max_nb, conf->max_total / out->repeat);
	limits.min_nb = min_u32(limits.min_nb, limits.max_nb);
	out->nb = draw_nb(prng, &limits);
	if (conf->is_disjoint)
		pattern_of_records(prng, conf, is_wide, out);
	else
		pattern_anywhere(prng, conf, is_wide, out);
}

uint64_t
pieces_len(const struct pieces *pieces)
{
	return oracle_len_of(pieces->pieces, pieces->nb, pieces->repeat);
}

/* Iterator over the bytes [from, from + len); returns false at the end. */
struct walk {
	const struct pieces *pieces;
	uint64_t passed;	/* bytes before the piece */
	uint32_t round;
	uint32_t i;
};

static bool
walk_to(struct walk *walk, uint64_t position, uint64_t *arena_offset)
{
	const struct pieces *pieces = walk->pieces;

	for (; walk->round < pieces->repeat; walk->round++, walk->i = 0) {
		for (; walk->i < pieces->nb; walk->i++) {
			const struct layout_piece *piece = &pieces->pieces[walk->i];

			if (position - walk->passed < piece->len) {
				*arena_offset = piece->offset + position - walk->passed +
						(uint64_t)walk->round * (piece->len + piece->skip);
				return true;
			}
			walk->passed += piece->len;
		}
	}
	return false;
}

void
pieces_gather(const void *pieces, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	struct walk walk = { .pieces = pieces };
	uint64_t offset;

	for (uint64_t n = 0; n < len && walk_to(&walk, from + n, &offset); n++)
		out[n] = arena[offset];
}

void
pieces_scatter(const void *pieces, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	struct walk walk = { .pieces = pieces };
	uint64_t offset;

	for (uint64_t n = 0; n < len && walk_to(&walk, from + n, &offset); n++)
		arena[offset] = in[n];
}

bool
pieces_find(const void *what, uint64_t arena_offset, uint64_t *position)
{
	const struct pieces *pieces = what;

	return oracle_find_in(pieces->pieces, pieces->nb, pieces->repeat, arena_offset, position);
}
