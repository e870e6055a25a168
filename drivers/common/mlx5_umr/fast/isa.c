/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_cpuflags.h>
#include <rte_vect.h>

#include "fast/isa.h"
#include "ring/queue.h"

#define VARIANT(isa, bits, supported)                                                              \
	{                                                                                          \
		.name = #isa, .simd_bits = bits, .is_supported = supported,                        \
		.mkey_list = mlx5_umr_mkey_list_##isa,                                             \
		.mkey_interleaved = mlx5_umr_mkey_interleaved_##isa,                               \
		.mkey_invalidate = mlx5_umr_mkey_invalidate_##isa,                                 \
		.mkey_configure = mlx5_umr_mkey_configure_##isa,                                   \
		.mkey_list_burst = mlx5_umr_mkey_list_burst_##isa,                                 \
		.mkey_interleaved_burst = mlx5_umr_mkey_interleaved_burst_##isa,                   \
		.mkey_invalidate_burst = mlx5_umr_mkey_invalidate_burst_##isa                      \
	}

/* What the library itself was compiled for. */
static bool
is_always(void)
{
	return true;
}

MLX5_UMR_ISA_DECLARE(scalar);
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

#if defined(MLX5_UMR_HAS_VBMI) || defined(MLX5_UMR_HAS_AVX512)
static bool
has_avx512(void)
{
	return has_avx2() && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512BW) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512DQ) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) > 0;
}
#endif

#if defined(MLX5_UMR_HAS_VBMI)
MLX5_UMR_ISA_DECLARE(vbmi);

static bool
has_vbmi(void)
{
	return has_avx512() && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VBMI) > 0;
}
#endif

#if defined(MLX5_UMR_HAS_AVX512)
MLX5_UMR_ISA_DECLARE(avx512);
#endif

const struct mlx5_umr_isa mlx5_umr_isas[] = {
	VARIANT(scalar, 0, is_always),
	VARIANT(base, RTE_VECT_SIMD_128, is_always),
#if defined(MLX5_UMR_HAS_AVX2)
	VARIANT(avx2, RTE_VECT_SIMD_256, has_avx2),
#endif
#if defined(MLX5_UMR_HAS_VBMI)
	VARIANT(vbmi, RTE_VECT_SIMD_256, has_vbmi),
#endif
#if defined(MLX5_UMR_HAS_AVX512)
	VARIANT(avx512, RTE_VECT_SIMD_512, has_avx512),
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
