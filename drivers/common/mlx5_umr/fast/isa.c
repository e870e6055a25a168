/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_cpuflags.h>
#include <rte_vect.h>

#include "fast/isa.h"
#include "ring/queue.h"

/* Instruction set that the library was compiled for. */
static bool
is_always(void)
{
	return true;
}

MLX5_UMR_ISA_DECLARE(base);

#if defined(MLX5_UMR_HAS_AVX2)
MLX5_UMR_ISA_DECLARE(avx2);

static bool
has_avx2(void)
{
	return rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI1) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI2) > 0;
}
#endif

const struct mlx5_umr_isa mlx5_umr_isas[] = {
	/*
	 * Independent of EAL's limit: one variant must exist, and the compiler uses vectors anyway.
	 */
	MLX5_UMR_ISA_VARIANT(base, 0, is_always),
#if defined(MLX5_UMR_HAS_AVX2)
	MLX5_UMR_ISA_VARIANT(avx2, RTE_VECT_SIMD_256, has_avx2),
#endif
};

const unsigned int mlx5_umr_nb_isas = RTE_DIM(mlx5_umr_isas);

const struct mlx5_umr_isa *
mlx5_umr_isa_select(void)
{
	uint16_t max_bits = rte_vect_get_max_simd_bitwidth();
	unsigned int i = mlx5_umr_nb_isas - 1;

	while (i > 0 && (mlx5_umr_isas[i].simd_bits > max_bits || !mlx5_umr_isas[i].is_supported()))
		i--;
	return &mlx5_umr_isas[i];
}
