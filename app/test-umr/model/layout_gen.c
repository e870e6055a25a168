/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "model/layout_gen.h"
#include "model/oracle.h"

/* Distance between the first and the last byte of a piece over all repetitions. */
static uint32_t
piece_extent(const struct layout *layout, const struct layout_piece *piece)
{
	return (layout->repeat - 1) * (piece->len + piece->skip) + piece->len;
}

/* Prefer the limits, where bugs are likely. */
static uint32_t
draw_nb_pieces(struct prng *prng, uint32_t max)
{
	switch (prng_between(prng, 0, 7)) {
	case 0:
		return 1;
	case 1:
		return max;
	default:
		return (uint32_t)prng_between(prng, 1, max);
	}
}

/* Maximum size of a layout: often small, so that pieces have all sizes; one in four unlimited. */
static uint32_t
draw_total(struct prng *prng, uint32_t max)
{
	return prng_one_in(prng, 4) ? max : (uint32_t)prng_log(prng, max);
}

/* Assign each piece a length in [1, max_len]; their sum is at most budget >= nb_pieces. */
static void
draw_lens(struct prng *prng, struct layout *layout, uint32_t budget, uint32_t max_len)
{
	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		uint32_t nb_behind = layout->nb_pieces - 1 - i;
		uint32_t len = (uint32_t)prng_log(prng, min_u32(max_len, budget - nb_behind));

		layout->pieces[i].len = len;
		budget -= len;
	}
}

/* Half of the places are arbitrary; the others are at the start of a cache line if possible. */
static uint32_t
draw_place(struct prng *prng, uint32_t first, uint32_t last)
{
	uint32_t place = (uint32_t)prng_between(prng, first, last);
	uint32_t aligned = place & ~63u;

	if (prng_one_in(prng, 2) && aligned >= first)
		return aligned;
	return place;
}

/* Place pieces anywhere; one in four is next to the previous piece or overlaps it. */
static void
place_anywhere(struct prng *prng, const struct layout_gen_conf *conf, struct layout *layout)
{
	uint32_t previous = conf->guard;

	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		struct layout_piece *piece = &layout->pieces[i];
		uint32_t last = conf->arena_size - conf->guard - piece_extent(layout, piece);
		uint32_t place = draw_place(prng, conf->guard, last);

		if (i > 0 && prng_one_in(prng, 4))
			place = min_u32(last,
					previous + (uint32_t)prng_between(prng, 0, piece->len));
		piece->offset = place;
		previous = place;
	}
}

static void
draw_order(struct prng *prng, uint32_t *order, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		order[i] = i;
	for (uint32_t i = nb - 1; i > 0; i--) {
		uint32_t j = (uint32_t)prng_between(prng, 0, i);
		uint32_t tmp = order[i];

		order[i] = order[j];
		order[j] = tmp;
	}
}

/*
 * Place pieces side by side in random order in [first, first + room); gaps share the remaining
 * space. Without a gap, neighbors touch.
 */
static void
place_side_by_side(struct prng *prng, struct layout *layout, const uint32_t *extents,
		   uint32_t first, uint32_t room)
{
	uint32_t order[LAYOUT_MAX_PIECES];
	uint32_t spare = room;

	for (uint32_t i = 0; i < layout->nb_pieces; i++)
		spare -= extents[i];
	draw_order(prng, order, layout->nb_pieces);
	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		uint32_t gap = 0;

		if (spare > 0 && !prng_one_in(prng, 3))
			gap = (uint32_t)prng_between(prng, 0,
						     spare / (layout->nb_pieces - i));
		first += gap;
		spare -= gap;
		layout->pieces[order[i]].offset = first;
		first += extents[order[i]];
	}
}

static void
gen_list(struct prng *prng, const struct layout_gen_conf *conf, bool is_disjoint,
	 struct layout *layout)
{
	uint32_t extents[LAYOUT_MAX_PIECES];
	uint32_t budget = draw_total(prng, conf->max_total);

	layout->repeat = 1;
	layout->nb_pieces = min_u32(draw_nb_pieces(prng, conf->max_list), budget);
	draw_lens(prng, layout, budget, LAYOUT_GEN_MAX_PIECE);
	if (!is_disjoint) {
		place_anywhere(prng, conf, layout);
		return;
	}
	for (uint32_t i = 0; i < layout->nb_pieces; i++)
		extents[i] = layout->pieces[i].len;
	place_side_by_side(prng, layout, extents, conf->guard,
			   conf->arena_size - 2 * conf->guard);
}

/* Choose a skip that keeps all repetitions within room bytes and the stride within 16 bits. */
static void
draw_skip(struct prng *prng, const struct layout *layout, struct layout_piece *piece, uint32_t room)
{
	uint32_t max = LAYOUT_GEN_MAX_STRIDE - piece->len;

	if (layout->repeat > 1)
		max = min_u32(max, (room - piece->len) / (layout->repeat - 1) - piece->len);
	piece->skip = max == 0 || prng_one_in(prng, 8) ? 0 : (uint32_t)prng_log(prng, max);
}

/* Place the repetitions of each piece in a separate part of the arena. */
static void
place_apart(struct prng *prng, const struct layout_gen_conf *conf, struct layout *layout)
{
	uint32_t extents[LAYOUT_MAX_PIECES];
	uint32_t room = conf->arena_size - 2 * conf->guard;
	uint32_t left = room;

	for (uint32_t i = 0; i < layout->nb_pieces; i++)
		left -= layout->pieces[i].len * layout->repeat;
	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		struct layout_piece *piece = &layout->pieces[i];
		uint32_t least = piece->len * layout->repeat;

		draw_skip(prng, layout, piece, least + left / (layout->nb_pieces - i));
		extents[i] = piece_extent(layout, piece);
		left -= extents[i] - least;
	}
	place_side_by_side(prng, layout, extents, conf->guard, room);
}

/* Place the pieces as fields of a record: all within one repeated stride. */
static void
place_in_records(struct prng *prng, const struct layout_gen_conf *conf, struct layout *layout)
{
	uint32_t extents[LAYOUT_MAX_PIECES];
	uint32_t room = conf->arena_size - 2 * conf->guard;
	uint32_t max_stride = min_u32(LAYOUT_GEN_MAX_STRIDE, room / layout->repeat);
	uint32_t sum = 0, stride, base;

	for (uint32_t i = 0; i < layout->nb_pieces; i++) {
		extents[i] = layout->pieces[i].len;
		sum += extents[i];
	}
	stride = (uint32_t)prng_between(prng, sum, max_stride);
	base = (uint32_t)prng_between(prng, 0, room - stride * layout->repeat);
	place_side_by_side(prng, layout, extents, conf->guard + base, stride);
	for (uint32_t i = 0; i < layout->nb_pieces; i++)
		layout->pieces[i].skip = stride - layout->pieces[i].len;
}

static void
gen_interleaved(struct prng *prng, const struct layout_gen_conf *conf, bool is_disjoint,
		struct layout *layout)
{
	uint32_t total = draw_total(prng, conf->max_total);
	uint32_t budget;
	bool in_records;

	layout->is_interleaved = true;
	layout->repeat = (uint32_t)prng_log(prng, min_u32(total, LAYOUT_GEN_MAX_REPEAT));
	in_records = prng_one_in(prng, 2);
	/* The pieces of a record share a 16-bit stride. */
	budget = min_u32(total / layout->repeat, in_records ? LAYOUT_GEN_MAX_STRIDE : total);
	layout->nb_pieces = min_u32(draw_nb_pieces(prng, conf->max_interleaved), budget);
	draw_lens(prng, layout, budget, LAYOUT_GEN_MAX_STRIDE);
	if (in_records) {
		place_in_records(prng, conf, layout);
	} else if (is_disjoint) {
		place_apart(prng, conf, layout);
	} else {
		for (uint32_t i = 0; i < layout->nb_pieces; i++)
			draw_skip(prng, layout, &layout->pieces[i],
				  conf->arena_size - 2 * conf->guard);
		place_anywhere(prng, conf, layout);
	}
}

void
layout_gen(struct prng *prng, const struct layout_gen_conf *conf, bool is_disjoint,
	   struct layout *layout)
{
	memset(layout, 0, sizeof(*layout));
	if (conf->max_interleaved != 0 && (conf->max_list == 0 || prng_one_in(prng, 2)))
		gen_interleaved(prng, conf, is_disjoint, layout);
	else
		gen_list(prng, conf, is_disjoint, layout);
}

void
layout_print_pieces(FILE *f, const char *prefix, bool is_interleaved, uint32_t repeat,
		    const struct layout_piece *pieces, uint32_t nb, uint32_t nb_ends)
{
	fprintf(f, "%s%s of %u pieces", prefix, is_interleaved ? "interleaved" : "list", nb);
	if (is_interleaved)
		fprintf(f, ", repeated %u times", repeat);
	fprintf(f, ", %llu bytes\n", (unsigned long long)oracle_len_of(pieces, nb, repeat));
	for (uint32_t i = 0; i < nb; i++) {
		if (i == nb_ends && nb > 2 * nb_ends) {
			fprintf(f, "%s  ...\n", prefix);
			i = nb - nb_ends;
		}
		fprintf(f, "%s  [%u] offset 0x%05x length %u", prefix, i, pieces[i].offset,
			pieces[i].len);
		if (is_interleaved)
			fprintf(f, " skip %u", pieces[i].skip);
		fputc('\n', f);
	}
}

void
layout_print(FILE *f, const char *prefix, const struct layout *layout)
{
	layout_print_pieces(f, prefix, layout->is_interleaved, layout->repeat, layout->pieces,
			    layout->nb_pieces, LAYOUT_MAX_PIECES);
}
