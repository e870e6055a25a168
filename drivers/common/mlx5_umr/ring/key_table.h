/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_TABLE_H
#define MLX5_UMR_KEY_TABLE_H

/**
 * @file
 * What the keys of a device stand for, by their index of 24 bits: a memory region, a key of a pool,
 * or something else whose addresses the CPU cannot follow (buffers of other devices). For receives
 * whose bytes come in the completion, so that the CPU puts them where they belong, and for
 * operations on keys that fail.
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

/** The same, of a key of a pool. */
static inline const void *
mlx5_umr_key_of_mkey(const struct rte_umr_mkey *mkey)
{
	return (const void *)((uintptr_t)mkey | 1);
}

static inline bool
mlx5_umr_key_is_opaque(const void *what)
{
	return ((uintptr_t)what & 1) != 0;
}

/** The key of a pool that it is; NULL if it is none. */
static inline struct rte_umr_mkey *
mlx5_umr_key_mkey(const void *what)
{
	return mlx5_umr_key_is_opaque(what) ?
		       (struct rte_umr_mkey *)((uintptr_t)what & ~(uintptr_t)1) : NULL;
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
