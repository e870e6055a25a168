/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MATRIX_H
#define MATRIX_H

/*
 * A matrix of contiguous tiles in row-major order, with elements in row-major order in each tile. A
 * single tile as large as the matrix means no tiles: contiguous rows.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_umr.h>

struct matrix {
	uint32_t rows, cols;
	uint32_t element; /* bytes of an element */
	uint32_t tile_rows, tile_cols; /* rows and cols are multiples of these */
	size_t *row_offset; /* of the first element of each row, in bytes */
};

/*
 * Offset of an element of the first row. Add that of the first element of the row to get its place.
 */
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
 * Initialize members derived from numbers, if the parameters are consistent and a device can
 * transpose the matrix by keys; otherwise print the exceeded limit on stderr. Returns 0 or a
 * negative errno.
 */
int matrix_init(struct matrix *m, const struct rte_umr_dev_info *info);

/* Accepts a matrix that was not initialized. */
void matrix_fini(struct matrix *m);

/* Transpose to contiguous rows. */
void matrix_transpose(const struct matrix *m, const uint8_t *from, uint8_t *to);

/* Whether the transpose is correct; checks each element separately. */
bool matrix_is_transpose(const struct matrix *m, const uint8_t *from, const uint8_t *to);

#endif /* MATRIX_H */
