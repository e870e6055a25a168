/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>

#include "ring/key_table.h"

struct mlx5_umr_key_table *
mlx5_umr_key_table_alloc(void)
{
	return calloc(1, sizeof(struct mlx5_umr_key_table));
}

void
mlx5_umr_key_table_free(struct mlx5_umr_key_table *table)
{
	uint32_t i;

	if (table == NULL)
		return;
	for (i = 0; i < MLX5_UMR_KEY_TABLE_NB; i++)
		free(table->chunks[i]);
	free(table);
}

static const void **
chunk_get(struct mlx5_umr_key_table *table, uint32_t i)
{
	const void **chunk = table->chunks[i];

	if (chunk != NULL)
		return chunk;
	chunk = calloc(MLX5_UMR_KEY_TABLE_NB, sizeof(*chunk));
	if (chunk != NULL)
		__atomic_store_n(&table->chunks[i], chunk, __ATOMIC_RELEASE);	/* it is zero */
	return chunk;
}

int
mlx5_umr_key_table_set(struct mlx5_umr_key_table *table, uint32_t key, const void *what)
{
	const uint32_t index = key >> MLX5_UMR_KEY_INDEX_SHIFT;
	const void **chunk = chunk_get(table, index >> MLX5_UMR_KEY_TABLE_LOG);

	if (chunk == NULL)
		return -ENOMEM;
	chunk[index & (MLX5_UMR_KEY_TABLE_NB - 1)] = what;
	return 0;
}

void
mlx5_umr_key_table_clear(struct mlx5_umr_key_table *table, uint32_t key)
{
	const uint32_t index = key >> MLX5_UMR_KEY_INDEX_SHIFT;
	const void **chunk = table->chunks[index >> MLX5_UMR_KEY_TABLE_LOG];

	if (chunk != NULL)
		chunk[index & (MLX5_UMR_KEY_TABLE_NB - 1)] = NULL;
}
