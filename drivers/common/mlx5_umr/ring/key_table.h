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

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#define MLX5_UMR_KEY_TABLE_LOG	12u
#define MLX5_UMR_KEY_TABLE_NB	(1u << MLX5_UMR_KEY_TABLE_LOG)

struct mlx5_umr_key_table {
	const void **chunks[MLX5_UMR_KEY_TABLE_NB];
};

/** A key whose addresses the CPU cannot follow. Such values, and no others, are odd. */
#define MLX5_UMR_KEY_OPAQUE	((const void *)(uintptr_t)1)

/** The same, of a key of which the driver keeps the list: how many entries that has. */
static inline const void *
mlx5_umr_key_of_list(const uint32_t *nb_entries)
{
	return (const void *)((uintptr_t)nb_entries | 1);
}

static inline bool
mlx5_umr_key_is_opaque(const void *what)
{
	return ((uintptr_t)what & 1) != 0;
}

/** Where the number of entries of such a key is; NULL if it is none. */
static inline uint32_t *
mlx5_umr_key_list(const void *what)
{
	return mlx5_umr_key_is_opaque(what) ? (uint32_t *)((uintptr_t)what & ~(uintptr_t)1) : NULL;
}

/** What a key stands for: a struct rte_umr_mr, something odd or NULL. Its tag is ignored. */
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
