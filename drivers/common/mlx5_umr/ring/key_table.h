/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_TABLE_H
#define MLX5_UMR_KEY_TABLE_H

/**
 * @file
 * What the keys of a device stand for, by their index of 24 bits: a memory region, or something
 * whose addresses the CPU cannot follow (configured keys, buffers of other devices). For receives
 * whose bytes come in the completion, so that the CPU puts them where they belong.
 *
 * Two levels, so that a lookup is two loads. Written by the control path; whoever uses a key has
 * made sure that it is there.
 */

#include <stdint.h>

#include <rte_umr.h>

#define MLX5_UMR_KEY_TABLE_LOG	12u
#define MLX5_UMR_KEY_TABLE_NB	(1u << MLX5_UMR_KEY_TABLE_LOG)

struct mlx5_umr_key_table {
	const void **chunks[MLX5_UMR_KEY_TABLE_NB];
};

/** What stands for a key whose addresses the CPU cannot follow. */
extern const char mlx5_umr_key_opaque;

/** What a key stands for: a struct rte_umr_mr, &mlx5_umr_key_opaque or NULL. Its tag is ignored. */
static inline const void *
mlx5_umr_key_table_get(const struct mlx5_umr_key_table *table, uint32_t key)
{
	const uint32_t index = key >> 8;
	const void **chunk = __atomic_load_n(&table->chunks[index >> MLX5_UMR_KEY_TABLE_LOG],
					     __ATOMIC_ACQUIRE);

	return chunk == NULL ? NULL : chunk[index & (MLX5_UMR_KEY_TABLE_NB - 1)];
}

/** Put something there. @return 0 or -ENOMEM (logged). */
int mlx5_umr_key_table_set(struct mlx5_umr_key_table *table, uint32_t key, const void *what);
/** The key stands for nothing any more. */
void mlx5_umr_key_table_clear(struct mlx5_umr_key_table *table, uint32_t key);

/** @return An empty table, or NULL (logged). */
struct mlx5_umr_key_table *mlx5_umr_key_table_alloc(void);
/** NULL is accepted. */
void mlx5_umr_key_table_free(struct mlx5_umr_key_table *table);

#endif /* MLX5_UMR_KEY_TABLE_H */
