/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_TABLE_H
#define MLX5_UMR_KEY_TABLE_H

/**
 * @file
 * Table of the keys of a device, by their index of 24 bits. An entry is a memory region, a key of a
 * pool, or something else whose addresses the CPU cannot resolve (buffers of other devices). It is
 * used for receives whose bytes are in the completion, which the CPU copies, and for failed
 * operations on keys.
 *
 * Two levels, so a lookup is two loads. The control path writes the table; users of a key must
 * ensure that it exists.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

/** A key value is its index and a tag of 8 bits. */
#define MLX5_UMR_KEY_INDEX_SHIFT 8

#define MLX5_UMR_KEY_TABLE_LOG	12u
#define MLX5_UMR_KEY_TABLE_NB	(1u << MLX5_UMR_KEY_TABLE_LOG)

struct mlx5_umr_key_table {
	const void **chunks[MLX5_UMR_KEY_TABLE_NB];
};

/** A key whose addresses the CPU cannot resolve. Only such values are odd. */
#define MLX5_UMR_KEY_OPAQUE	((const void *)(uintptr_t)1)

/** Entry for a key of a pool. */
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

/** Key of a pool of an entry; NULL if it is not one. */
static inline struct rte_umr_mkey *
mlx5_umr_key_mkey(const void *what)
{
	return mlx5_umr_key_is_opaque(what) ?
		       (struct rte_umr_mkey *)((uintptr_t)what & ~(uintptr_t)1) : NULL;
}

/** Look up a key: a struct rte_umr_mr, an odd value or NULL. The tag is ignored. */
static inline const void *
mlx5_umr_key_table_get(const struct mlx5_umr_key_table *table, uint32_t key)
{
	const uint32_t index = key >> MLX5_UMR_KEY_INDEX_SHIFT;
	const void **chunk = __atomic_load_n(&table->chunks[index >> MLX5_UMR_KEY_TABLE_LOG],
					     __ATOMIC_ACQUIRE);

	return chunk == NULL ? NULL : chunk[index & (MLX5_UMR_KEY_TABLE_NB - 1)];
}

/** Set an entry. @return 0 or -ENOMEM. */
int mlx5_umr_key_table_set(struct mlx5_umr_key_table *table, uint32_t key, const void *what);
/** Clear an entry. */
void mlx5_umr_key_table_clear(struct mlx5_umr_key_table *table, uint32_t key);

/** Allocate an empty table, or return NULL. */
struct mlx5_umr_key_table *mlx5_umr_key_table_alloc(void);
/** Free a table; NULL is accepted. */
void mlx5_umr_key_table_free(struct mlx5_umr_key_table *table);

#endif /* MLX5_UMR_KEY_TABLE_H */
