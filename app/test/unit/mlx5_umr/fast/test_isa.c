/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Which of the instruction sets that configure keys is chosen. */

#include <rte_common.h>
#include <rte_vect.h>

#include "cases.h"
#include "../../../cmocka_compat.h"

#include <fast/isa.h>

/* Whether this CPU runs that one, as the compiler's library knows the CPU. */
static bool
runs_here(const struct mlx5_umr_isa *isa)
{
	RTE_SET_USED(isa);	/* Other CPUs have one set. */
#if defined(__x86_64__)
	if (strcmp(isa->name, "avx2") == 0)
		return __builtin_cpu_supports("avx2");
#endif
	return true;
}

CASE(widest_that_is_allowed_and_runs_is_chosen)
{
	const uint16_t bits[] = { RTE_VECT_SIMD_DISABLED, RTE_VECT_SIMD_128, RTE_VECT_SIMD_256,
				  RTE_VECT_SIMD_512 };
	const struct mlx5_umr_isa *isa;

	for (uint32_t i = 0; i < RTE_DIM(bits); i++) {
		assert_int_equal(rte_vect_set_max_simd_bitwidth(bits[i]), 0);
		isa = mlx5_umr_isa_select();
		assert_uint_in_range(isa->simd_bits, 0, bits[i]);
		assert_true(runs_here(isa));
		/* What is better is too wide, or this CPU does not have it. */
		for (isa++; isa != mlx5_umr_isas + mlx5_umr_nb_isas; isa++)
			assert_true(isa->simd_bits > bits[i] || !runs_here(isa));
	}
}

/* Those who test all of them rely on it. */
CASE(support_is_what_the_cpu_has)
{
	for (uint32_t i = 0; i < mlx5_umr_nb_isas; i++)
		assert_int_equal(mlx5_umr_isas[i].is_supported(), runs_here(&mlx5_umr_isas[i]));
}
