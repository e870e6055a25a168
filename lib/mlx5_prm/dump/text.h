/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_DUMP_TEXT_H
#define MLX5_PRM_DUMP_TEXT_H

/**
 * @file
 * Lines, sections and bounded reads; only for the decoders in mlx5_prm_dump*.c.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "mlx5_prm.h"

/** An entry that is being printed. */
struct prm_dump {
	FILE *f;
	const uint8_t *bytes;	/**< First byte of the entry. */
	size_t len;		/**< Bytes that may be read. */
	size_t pos;		/**< Bytes taken so far, [0, len]. */
	unsigned int indent;	/**< Depth of the section. */
};

/** Name of a value or a bit. */
struct prm_name {
	uint64_t value;
	const char *name;
};

#define PRM_NAME_OF(table, value) prm_name_of(table, sizeof(table) / sizeof((table)[0]), value)
#define PRM_PUT_FLAGS(d, name, digits, value, table)                                               \
	prm_put_flags(d, name, digits, value, table, sizeof(table) / sizeof((table)[0]))

/** Name of a value, "unknown" if it is not in the table. */
const char *prm_name_of(const struct prm_name *table, size_t nb, uint64_t value);

/** Print one line at the current depth. */
void prm_put(const struct prm_dump *d, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Print "name: 0x... (A|B|0x80)"; bits without a name are shown as a number. */
void prm_put_flags(const struct prm_dump *d, const char *name, int digits, uint64_t value,
		   const struct prm_name *table, size_t nb);

/** Print bytes, 16 to a line, each line with its offset. */
void prm_put_hex(const struct prm_dump *d, const uint8_t *bytes, size_t len);

/** Print the remaining bytes as hex in a section, if any. */
void prm_put_rest(struct prm_dump *d, const char *name);

/** Take the next len bytes; if there are fewer, print and take the rest, and return NULL. */
const uint8_t *prm_take(struct prm_dump *d, size_t len);

void prm_section_open(struct prm_dump *d, const char *name);
void prm_section_close(struct prm_dump *d);

static inline size_t
prm_left(const struct prm_dump *d)
{
	return d->len - d->pos;
}

static inline uint16_t
prm_get16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t
prm_get32(const uint8_t *bytes)
{
	return prm_dword_get(bytes, 0);
}

static inline uint64_t
prm_get64(const uint8_t *bytes)
{
	return prm_get(bytes, PRM_FIELD(0, 0, 64));
}

#endif /* MLX5_PRM_DUMP_TEXT_H */
