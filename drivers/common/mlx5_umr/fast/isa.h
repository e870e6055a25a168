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

#include <rte_umr_core.h>

#include "ring/sg.h"

/** Functions compiled for an instruction set. */
struct mlx5_umr_isa {
	const char *name;
	uint16_t simd_bits;	/**< Widest vectors (rte_vect_get_max_simd_bitwidth()), or 0. */
	bool (*is_supported)(void);	/**< Whether this CPU supports it. */
	rte_umr_mkey_list_t mkey_list;
	rte_umr_mkey_interleaved_t mkey_interleaved;
	rte_umr_mkey_invalidate_t mkey_invalidate;
	rte_umr_mkey_configure_t mkey_configure;
	rte_umr_mkey_configure_burst_t mkey_configure_burst;
	rte_umr_mkey_invalidate_burst_t mkey_invalidate_burst;
	mlx5_umr_sg_by_key_t sg_by_key;
};

/** Declare the functions of an instruction set. */
#define MLX5_UMR_ISA_DECLARE(isa)                                                                  \
	int mlx5_umr_mkey_list_##isa(void *queue, struct rte_umr_mkey *mkey, uint32_t access,      \
				     const struct rte_umr_seg *segs, uint32_t nb_segs,             \
				     uint64_t flags);                                              \
	int mlx5_umr_mkey_interleaved_##isa(void *queue, struct rte_umr_mkey *mkey,                \
					    uint32_t access, uint32_t repeat,                      \
					    const struct rte_umr_interleaved *entries,             \
					    uint32_t nb_entries, uint64_t flags);                  \
	int mlx5_umr_mkey_invalidate_##isa(void *queue, struct rte_umr_mkey *mkey,                 \
					   uint64_t flags);                                        \
	int mlx5_umr_mkey_configure_##isa(void *queue, const struct rte_umr_mkey_op *op,           \
					  uint64_t flags);                                         \
	int mlx5_umr_mkey_configure_burst_##isa(void *queue, const struct rte_umr_mkey_op *ops,    \
						uint16_t nb_ops, uint64_t flags);                  \
	int mlx5_umr_mkey_invalidate_burst_##isa(void *queue, struct rte_umr_mkey *const *mkeys,   \
						 uint16_t nb_mkeys, uint64_t flags);               \
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

/** Entry of an instruction set in a table of variants. */
#define MLX5_UMR_ISA_VARIANT(isa, bits, supported)                                                 \
	{                                                                                          \
		.name = #isa, .simd_bits = bits, .is_supported = supported,                        \
		.mkey_list = mlx5_umr_mkey_list_##isa,                                             \
		.mkey_interleaved = mlx5_umr_mkey_interleaved_##isa,                               \
		.mkey_invalidate = mlx5_umr_mkey_invalidate_##isa,                                 \
		.mkey_configure = mlx5_umr_mkey_configure_##isa,                                   \
		.mkey_configure_burst = mlx5_umr_mkey_configure_burst_##isa,                       \
		.mkey_invalidate_burst = mlx5_umr_mkey_invalidate_burst_##isa,                     \
		.sg_by_key = mlx5_umr_sg_by_key_##isa                                              \
	}

/** All variants of this library, the best one last. */
extern const struct mlx5_umr_isa mlx5_umr_isas[];
extern const unsigned int mlx5_umr_nb_isas;

/** Select the best variant that the CPU supports and EAL allows (--force-max-simd-bitwidth). */
const struct mlx5_umr_isa *mlx5_umr_isa_select(void);

#endif /* MLX5_UMR_ISA_H */
