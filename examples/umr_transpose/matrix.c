/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"

static int
tiles_check(const char *what, uint32_t nb, uint32_t tile)
{
	if (nb % tile == 0)
		return 0;
	fprintf(stderr, "%" PRIu32 " %s: no multiple of the %" PRIu32 " of a tile\n", nb, what,
		tile);
	return -EINVAL;
}

/* Offset of an element. */
static size_t
element_offset(const struct matrix *m, uint32_t row, uint32_t col)
{
	const size_t tiles_before = (size_t)(row / m->tile_rows) * (m->cols / m->tile_cols) +
				    col / m->tile_cols;
	const size_t in_tile = (size_t)(row % m->tile_rows) * m->tile_cols + col % m->tile_cols;

	return (tiles_before * m->tile_rows * m->tile_cols + in_tile) * m->element;
}

static int
matrix_check(const struct matrix *m, const struct rte_umr_dev_info *info)
{
	const uint64_t len = matrix_len(m);
	int ret;

	ret = tiles_check("rows", m->rows, m->tile_rows);
	if (ret == 0)
		ret = tiles_check("cols", m->cols, m->tile_cols);
	if (ret != 0)
		return ret;
	if (len > info->max_msg_len) {
		fprintf(stderr, "%" PRIu64 " bytes: a write moves at most %" PRIu64 "\n", len,
			info->max_msg_len);
		return -EMSGSIZE;
	}
	if (m->rows > RTE_MIN(info->max_interleaved, info->max_entries - 1)) {
		fprintf(stderr, "%" PRIu32 " rows: a key has at most %" PRIu32 " entries\n",
			m->rows, RTE_MIN(info->max_interleaved, info->max_entries - 1));
		return -E2BIG;
	}
	if (m->cols > m->tile_cols && info->max_nesting < 2) {
		fprintf(stderr,
			"2 levels of keys for columns of tiles: the device has at most %u\n",
			info->max_nesting);
		return -E2BIG;
	}
	if (m->element > info->max_interleaved_stride) {
		fprintf(stderr, "%" PRIu32 " bytes of an element: a stride is at most %" PRIu32
			"\n", m->element, info->max_interleaved_stride);
		return -ERANGE;
	}
	return 0;
}

int
matrix_init(struct matrix *m, const struct rte_umr_dev_info *info)
{
	int ret = matrix_check(m, info);
	uint32_t row;

	if (ret != 0)
		return ret;
	m->row_offset = calloc(m->rows, sizeof(*m->row_offset));
	if (m->row_offset == NULL)
		return -ENOMEM;
	for (row = 0; row < m->rows; row++)
		m->row_offset[row] = element_offset(m, row, 0);
	return 0;
}

void
matrix_fini(struct matrix *m)
{
	free(m->row_offset);
	m->row_offset = NULL;
}

/* In the order of the source, tile by tile. */
void
matrix_transpose(const struct matrix *m, const uint8_t *from, uint8_t *to)
{
	const size_t step = (size_t)m->rows * m->element;
	uint32_t row, col, i, j;
	uint8_t *at;

	for (row = 0; row < m->rows; row += m->tile_rows)
		for (col = 0; col < m->cols; col += m->tile_cols)
			for (i = row; i < row + m->tile_rows; i++) {
				at = to + ((size_t)col * m->rows + i) * m->element;
				for (j = 0; j < m->tile_cols; j++, at += step, from += m->element)
					memcpy(at, from, m->element);
			}
}

bool
matrix_is_transpose(const struct matrix *m, const uint8_t *from, const uint8_t *to)
{
	uint32_t row, col;

	for (col = 0; col < m->cols; col++)
		for (row = 0; row < m->rows; row++, to += m->element)
			if (memcmp(to, from + element_offset(m, row, col), m->element) != 0)
				return false;
	return true;
}
