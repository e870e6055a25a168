/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_ISA_H
#define MLX5_UMR_ISA_H

/**
 * @file
 * Variants of the functions that configure keys: the same source for several instruction sets.
 */

#include <stdbool.h>
#include <stdint.h>

#include "fast/ops.h"
#include "ring/sg.h"

#define MLX5_UMR_ISA_MEMBER(name, isa) MLX5_UMR_OP_TYPE(name) name;

/** Functions compiled for an instruction set. */
struct mlx5_umr_isa {
	const char *name;
	uint16_t simd_bits;	/**< Widest vectors (rte_vect_get_max_simd_bitwidth()), or 0. */
	bool (*is_supported)(void);	/**< Whether this CPU supports it. */
	MLX5_UMR_ISA_OPS(MLX5_UMR_ISA_MEMBER, isa)
	mlx5_umr_sg_by_key_t sg_by_key;
};

/** Declare the functions of an instruction set. */
#define MLX5_UMR_ISA_DECLARE(isa)                                                                  \
	MLX5_UMR_ISA_OPS(MLX5_UMR_ISA_OP_DECLARE, isa)                                             \
	int mlx5_umr_sg_by_key_##isa(struct mlx5_umr_queue *queue, const struct rte_umr_seg *segs, \
				     uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,        \
				     uint64_t how)

#if defined(MLX5_UMR_ISA)
/* In a file that is compiled for each set: the build appends the set's name to function names. */
#define MLX5_UMR_ISA_NAME_(name, isa)	name##_##isa
#define MLX5_UMR_ISA_NAME(name, isa)	MLX5_UMR_ISA_NAME_(name, isa)
#define ISA(name)			MLX5_UMR_ISA_NAME(name, MLX5_UMR_ISA)
#define MLX5_UMR_ISA_DECLARE_(isa)	MLX5_UMR_ISA_DECLARE(isa)

MLX5_UMR_ISA_DECLARE_(MLX5_UMR_ISA);
#endif

#define MLX5_UMR_ISA_OP_VARIANT(name, isa) .name = mlx5_umr_##name##_##isa,

/** Entry of an instruction set in a table of variants. */
#define MLX5_UMR_ISA_VARIANT(isa, bits, supported)                                                 \
	{                                                                                          \
		.name = #isa, .simd_bits = bits, .is_supported = supported,                        \
		MLX5_UMR_ISA_OPS(MLX5_UMR_ISA_OP_VARIANT, isa)                                     \
		.sg_by_key = mlx5_umr_sg_by_key_##isa                                              \
	}

/** All variants of this library, the best one last. */
extern const struct mlx5_umr_isa mlx5_umr_isas[];
extern const unsigned int mlx5_umr_nb_isas;

/** Select the best variant that the CPU supports and EAL allows (--force-max-simd-bitwidth). */
const struct mlx5_umr_isa *mlx5_umr_isa_select(void);

#endif /* MLX5_UMR_ISA_H */
