/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KEY_KIND_H
#define MLX5_UMR_KEY_KIND_H

/**
 * @file
 * Kind of an operation on a key: its setters and its layout.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_umr.h>

#define MLX5_UMR_WHAT(setters, layout)	((uint64_t)(layout) << 32 | (setters))
/* Access and a layout. */
#define MLX5_UMR_PLAIN_LIST	MLX5_UMR_WHAT(RTE_UMR_MKEY_SET_ACCESS_LAYOUT, RTE_UMR_LAYOUT_LIST)
#define MLX5_UMR_PLAIN_PATTERN                                                                     \
	MLX5_UMR_WHAT(RTE_UMR_MKEY_SET_ACCESS_LAYOUT, RTE_UMR_LAYOUT_INTERLEAVED)

/** Flags of keys that support BSFs. */
#define MLX5_UMR_BSF_FLAGS	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO)

/**
 * Compare the kind, which is constant. Loads have the size of the fields: a wider one would wait
 * until the stores of a caller that has just filled the operation are in the cache.
 */
static __rte_always_inline bool
mlx5_umr_op_is(const struct rte_umr_mkey_op *op, const uint64_t what)
{
	return ((op->setters ^ (uint32_t)what) | (op->layout ^ (uint32_t)(what >> 32))) == 0;
}

#endif /* MLX5_UMR_KEY_KIND_H */
