/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "model/oracle.h"

/* Start of repetition r of a piece. */
static uint64_t
piece_start(const struct layout_piece *piece, uint32_t r)
{
	return piece->offset + (uint64_t)r * (piece->len + piece->skip);
}

uint64_t
oracle_len_of(const struct layout_piece *pieces, uint32_t nb, uint32_t repeat)
{
	uint64_t len = 0;

	for (uint32_t i = 0; i < nb; i++)
		len += pieces[i].len;
	return len * repeat;
}

uint64_t
oracle_len(const struct layout *layout)
{
	return oracle_len_of(layout->pieces, layout->nb_pieces, layout->repeat);
}

void
oracle_gather(const void *what, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	const struct layout *layout = what;
	uint64_t position = 0;

	for (uint32_t r = 0; r < layout->repeat; r++)
		for (uint32_t i = 0; i < layout->nb_pieces; i++) {
			const uint8_t *start = arena + piece_start(&layout->pieces[i], r);

			for (uint32_t b = 0; b < layout->pieces[i].len; b++, position++)
				if (position >= from && position - from < len)
					out[position - from] = start[b];
		}
}

void
oracle_scatter(const void *what, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	const struct layout *layout = what;
	uint64_t position = 0;

	for (uint32_t r = 0; r < layout->repeat; r++)
		for (uint32_t i = 0; i < layout->nb_pieces; i++) {
			uint8_t *start = arena + piece_start(&layout->pieces[i], r);

			for (uint32_t b = 0; b < layout->pieces[i].len; b++, position++)
				if (position >= from && position - from < len)
					start[b] = in[position - from];
		}
}

bool
oracle_find_in(const struct layout_piece *pieces, uint32_t nb, uint32_t repeat,
	       uint64_t arena_offset, uint64_t *position)
{
	uint64_t passed = 0;

	for (uint32_t r = 0; r < repeat; r++)
		for (uint32_t i = 0; i < nb; i++) {
			uint64_t start = piece_start(&pieces[i], r);

			if (arena_offset >= start && arena_offset - start < pieces[i].len) {
				*position = passed + arena_offset - start;
				return true;
			}
			passed += pieces[i].len;
		}
	return false;
}

bool
oracle_find(const void *what, uint64_t arena_offset, uint64_t *position)
{
	const struct layout *layout = what;

	return oracle_find_in(layout->pieces, layout->nb_pieces, layout->repeat, arena_offset,
			      position);
}
