/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include <rte_common.h>
#include <rte_cpuflags.h>
#include <rte_vect.h>

#include <mlx5_prm_wqe.h>

#include "bench/floor/store.h"

#define WAYS(isa, bits, supported)                                                                 \
	{ #isa ", held", bits, supported, bench_floor_held_##isa },                                \
	{ #isa ", held, fetched", bits, supported, bench_floor_held_fetch_##isa },                 \
	{ #isa ", copied", bits, supported, bench_floor_copy_##isa },                              \
	{ #isa ", copied, fetched", bits, supported, bench_floor_copy_fetch_##isa }

/* The baseline that the program itself is compiled for. */
static bool
is_always(void)
{
	return true;
}

/*
 * Instruction sets that the compiler enables for the variants, as in
 * drivers/common/mlx5_umr/meson.build.
 */
#if defined(BENCH_FLOOR_HAS_AVX2)
static bool
has_avx2(void)
{
	return rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI1) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI2) > 0;
}
#endif

const struct bench_floor_way bench_floor_ways[] = {
	WAYS(base, 0, is_always),	/* the compiler may use vectors, regardless of EAL */
#if defined(BENCH_FLOOR_HAS_AVX2)
	WAYS(avx2, RTE_VECT_SIMD_256, has_avx2),
#endif
};

const unsigned int bench_floor_nb_ways = RTE_DIM(bench_floor_ways);

bool
bench_floor_op_init(struct bench_floor_op *op, uint8_t *image, uint8_t *last, uint32_t qpn,
		    uint32_t list_lkey)
{
	struct mlx5_wqe_ctrl_seg *ctrl;
	struct mlx5_wqe_data_seg *data;
	uint32_t at = 0, nb_ds;

	for (op->nb_wqes = 0; at < op->nb_wqebb && op->nb_wqes < BENCH_FLOOR_MAX_WQES;
	     op->nb_wqes++) {
		ctrl = (struct mlx5_wqe_ctrl_seg *)(image + at * PRM_WQE_BB_SIZE);
		nb_ds = rte_be_to_cpu_32(ctrl->qpn_ds) & PRM_WQE_MAX_DS;
		if (nb_ds == 0)
			return false;
		ctrl->qpn_ds = rte_cpu_to_be_32(qpn << 8 | nb_ds);
		ctrl->fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
		op->wqes[op->nb_wqes].at = at;
		op->wqes[op->nb_wqes].nb_bytes = nb_ds * PRM_WQE_DS_SIZE;
		op->wqes[op->nb_wqes].word = rte_be_to_cpu_32(ctrl->opmod_idx_opcode) & 0xff0000ff;
		op->wqes[op->nb_wqes].qpn_ds = ctrl->qpn_ds;
		/* The index provides the complete word. */
		ctrl->opmod_idx_opcode = 0;
		at += prm_ds_to_wqebb(nb_ds);
	}
	if (at != op->nb_wqebb)
		return false;
	if (op->nb_list_bb != 0) {
		/* After the memory key context. */
		data = (struct mlx5_wqe_data_seg *)(image + 2 * PRM_WQE_BB_SIZE);
		data->lkey = rte_cpu_to_be_32(list_lkey);
	}
	memcpy(last, image, (size_t)op->nb_wqebb * PRM_WQE_BB_SIZE);
	ctrl = (struct mlx5_wqe_ctrl_seg *)(last + op->wqes[op->nb_wqes - 1].at * PRM_WQE_BB_SIZE);
	ctrl->fm_ce_se |= PRM_CTRL_CE_ALWAYS;
	op->image = image;
	op->last = last;
	return true;
}
