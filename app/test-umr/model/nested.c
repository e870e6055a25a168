/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "model/nested.h"

uint32_t
nested_len(const struct nested *nested)
{
	return nested->keys[nested->nb_keys - 1].len;
}

/* Bytes of all keys during resolution. */
struct tables {
	struct nested_byte of[NESTED_MAX_KEYS][NESTED_MAX_LEN];
};

static struct nested_byte
byte_below(const struct tables *tables, uint32_t inner, uint32_t offset)
{
	if (inner == NESTED_MEMORY)
		return (struct nested_byte){ .arena_offset = offset };
	return tables->of[inner][offset];
}

/* Resolve each byte of a key; the keys below it have been resolved. */
static void
key_resolve(const struct nested *nested, struct tables *tables, uint32_t k, uint32_t mark_key,
	    uint32_t mark_offset)
{
	const struct nested_key *key = &nested->keys[k];
	uint32_t position = 0;

	for (uint32_t r = 0; r < key->repeat; r++)
		for (uint32_t i = 0; i < key->nb_pieces; i++) {
			const struct nested_piece *piece = &key->pieces[i];
			uint32_t start = piece->offset + r * (piece->len + piece->skip);

			for (uint32_t b = 0; b < piece->len; b++, position++) {
				struct nested_byte byte =
					byte_below(tables, piece->inner, start + b);

				byte.nb_levels++;
				if (k == mark_key && position >= mark_offset)
					byte.is_marked = true;
				tables->of[k][position] = byte;
			}
		}
}

static void
resolve(struct nested *nested, uint32_t mark_key, uint32_t mark_offset)
{
	static struct tables tables;

	for (uint32_t k = 0; k < nested->nb_keys; k++)
		key_resolve(nested, &tables, k, mark_key, mark_offset);
	for (uint32_t i = 0; i < nested_len(nested); i++)
		nested->bytes[i] = tables.of[nested->nb_keys - 1][i];
}

void
nested_resolve(struct nested *nested)
{
	resolve(nested, UINT32_MAX, 0);
}

void
nested_mark(struct nested *nested, uint32_t key, uint32_t offset)
{
	resolve(nested, key, offset);
}

void
nested_gather(const void *layout, const uint8_t *arena, uint64_t from, uint64_t len, uint8_t *out)
{
	const struct nested *nested = layout;

	for (uint64_t i = 0; i < len; i++)
		out[i] = arena[nested->bytes[from + i].arena_offset];
}

void
nested_scatter(const void *layout, uint8_t *arena, uint64_t from, uint64_t len, const uint8_t *in)
{
	const struct nested *nested = layout;

	for (uint64_t i = 0; i < len; i++)
		arena[nested->bytes[from + i].arena_offset] = in[i];
}

bool
nested_find(const void *layout, uint64_t arena_offset, uint64_t *position)
{
	const struct nested *nested = layout;

	for (uint32_t i = 0; i < nested_len(nested); i++)
		if (nested->bytes[i].arena_offset == arena_offset) {
			*position = i;
			return true;
		}
	return false;
}

void
nested_print(FILE *f, const char *prefix, const struct nested *nested)
{
	for (uint32_t k = 0; k < nested->nb_keys; k++) {
		const struct nested_key *key = &nested->keys[k];

		fprintf(f, "%skey %u, level %u: %s of %u pieces", prefix, k, key->level,
			key->is_interleaved ? "interleaved" : "list", key->nb_pieces);
		if (key->is_interleaved)
			fprintf(f, ", repeated %u times", key->repeat);
		fprintf(f, ", %u bytes\n", key->len);
		for (uint32_t i = 0; i < key->nb_pieces; i++) {
			const struct nested_piece *piece = &key->pieces[i];

			fprintf(f, "%s  [%u] ", prefix, i);
			if (piece->inner == NESTED_MEMORY)
				fprintf(f, "memory offset 0x%05x", piece->offset);
			else
				fprintf(f, "key %u offset %u", piece->inner, piece->offset);
			fprintf(f, " length %u", piece->len);
			if (key->is_interleaved)
				fprintf(f, " skip %u", piece->skip);
			fputc('\n', f);
		}
	}
}
