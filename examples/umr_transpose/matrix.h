/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MATRIX_H
#define MATRIX_H

/*
 * A matrix in tiles. Tiles are one behind the other, a row of tiles at a time, and so are elements
 * in a tile. One tile as large as the matrix is no tiles at all: rows behind each other.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

struct matrix {
	uint32_t rows, cols;
	uint32_t element; /* bytes of an element */
	uint32_t tile_rows, tile_cols; /* of a tile; rows and cols are multiples of them */
	size_t *row_offset; /* of the first element of each row, in bytes */
};

/* Offset of an element of the first row. With that of the first one of its row it is the place. */
static inline size_t
matrix_col_offset(const struct matrix *m, uint32_t col)
{
	const size_t tile = col / m->tile_cols;

	return (tile * m->tile_rows * m->tile_cols + col % m->tile_cols) * m->element;
}

static inline uint64_t
matrix_len(const struct matrix *m)
{
	return (uint64_t)m->rows * m->cols * m->element;
}

/*
 * Make ready what has numbers only, if the parts go together and a device can transpose it by keys;
 * if not, what is too much is told on stderr. Returns 0 or a negative errno.
 */
int matrix_init(struct matrix *m, const struct rte_umr_dev_info *info);

/* One that was not made ready is accepted. */
void matrix_fini(struct matrix *m);

/* Transpose, to rows behind each other. */
void matrix_transpose(const struct matrix *m, const uint8_t *from, uint8_t *to);

/* Whether that has been done; looks at each element by itself. */
bool matrix_is_transpose(const struct matrix *m, const uint8_t *from, const uint8_t *to);

#endif /* MATRIX_H */
