/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MKEY_OP_H
#define MLX5_UMR_MKEY_OP_H

/**
 * @file
 * Kind of an operation on a key, with one load: setters, layout, and the adjacent reserved bytes.
 * reserved_2 and reserved_3 are not included.
 */

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

#include <rte_umr.h>

#define MLX5_UMR_WHAT(setters, layout)	((uint64_t)(layout) << 32 | (setters))
/* Access and a layout. */
#define MLX5_UMR_PLAIN_LIST	MLX5_UMR_WHAT(RTE_UMR_MKEY_SET_ACCESS_LAYOUT, RTE_UMR_LAYOUT_LIST)
#define MLX5_UMR_PLAIN_PATTERN                                                                     \
	MLX5_UMR_WHAT(RTE_UMR_MKEY_SET_ACCESS_LAYOUT, RTE_UMR_LAYOUT_INTERLEAVED)

/** Flags of keys that support BSFs. */
#define MLX5_UMR_BSF_FLAGS	(RTE_UMR_MKEY_POOL_F_SIG | RTE_UMR_MKEY_POOL_F_CRYPTO)

static_assert(offsetof(struct rte_umr_mkey_op, layout) ==
	      offsetof(struct rte_umr_mkey_op, setters) + sizeof(uint32_t) &&
	      offsetof(struct rte_umr_mkey_op, repeat) ==
	      offsetof(struct rte_umr_mkey_op, setters) + sizeof(uint64_t), "one load");

static __rte_always_inline uint64_t
mlx5_umr_op_what(const struct rte_umr_mkey_op *op)
{
	uint64_t what;

	memcpy(&what, &op->setters, sizeof(what));
	return what;
}

#endif /* MLX5_UMR_MKEY_OP_H */
