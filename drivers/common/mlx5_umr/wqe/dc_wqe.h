/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_DC_WQE_H
#define MLX5_UMR_DC_WQE_H

/**
 * @file
 * WQE builder of DC initiators: bytes out of arguments. No I/O, no queue policy, no checks.
 *
 * A transfer has an address vector (AV) of 48 bytes behind its control segment:
 *
 *     write, read       block 0    control 16, AV 48
 *                       block 1    remote address 16, data 16 or { byte count 4, bytes }
 *     atomic            block 0    control 16, AV 48
 *                       block 1    remote address 16, operands 16, data 16
 *     send              block 0    control 16, AV 48
 *                       block 1    data 16 or { byte count 4, bytes }
 *
 * The bytes are those that libmlx5 writes for mlx5dv_wr_set_dc_addr() (rdma-core 44,
 * providers/mlx5/qp.c); the AV's are those of its address handles (verbs.c, mlx5_create_ah()).
 *
 * An UMR of an initiator has no AV: it goes nowhere. That is how rdma-core builds the UMRs that it
 * has for initiators, those that bind and invalidate memory windows (qp.c, _build_umr_wqe(), of
 * which MLX5_SUPPORTED_SEND_OPS_FLAGS_DCI has both). The UMRs of the older OFED libmlx5 had one
 * (1.0.2mlnx1, qp.c, __mlx5_post_send_one_rc_dc(): in front of everything but a NOP). Which of
 * them a device executes is not in any public document.
 */

#include "fast/inline.h"
#include "wqe/wqe.h"

/** Where a target is. */
struct mlx5_umr_av_attr {
	uint64_t dc_key;
	uint32_t dctn;
	uint16_t lid;		/* InfiniBand */
	uint16_t udp_sport;	/* RoCE v2; 0 for v1 */
	uint8_t gid_index;	/* RoCE, and all below */
	uint8_t hop_limit;
	uint8_t gid[16];
	uint8_t mac[6];
	bool is_eth;
};

/* Octowords in front of what is special to a transfer. */
#define MLX5_UMR_DCI_HDR_DS                                                                        \
	(MLX5_UMR_CTRL_DS + sizeof(struct mlx5_wqe_av) / PRM_WQE_DS_SIZE)
#define MLX5_UMR_RADDR_DS	(sizeof(struct mlx5_wqe_raddr_seg) / PRM_WQE_DS_SIZE)
/* Most blocks of a transfer whose bytes are in memory. */
#define MLX5_UMR_DCI_XFER_WQEBB	2u

static_assert(sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_av) == PRM_WQE_BB_SIZE,
	      "control segment and AV are block 0");

/** Address vector. */
static inline void
mlx5_umr_av_build(struct mlx5_wqe_av *av, const struct mlx5_umr_av_attr *attr)
{
	*av = (struct mlx5_wqe_av){
		.key.dc_key = rte_cpu_to_be_64(attr->dc_key),
		.dqp_dct = rte_cpu_to_be_32(attr->dctn | PRM_AV_EXT),
		.rlid = rte_cpu_to_be_16(attr->is_eth ? attr->udp_sport : attr->lid),
	};
	if (!attr->is_eth)
		return;
	av->hop_limit = attr->hop_limit;
	/* The bit that says that there is a GRH is reserved on RoCE, where there always is. */
	av->grh_gid_fl = rte_cpu_to_be_32((uint32_t)attr->gid_index << 20);
	memcpy(av->rmac, attr->mac, sizeof(av->rmac));
	memcpy(av->rgid, attr->gid, sizeof(av->rgid));
}

/** The AV behind the control segment; returns what is behind it. */
static inline uint64_t *
mlx5_umr_av_store(uint8_t *wqe, const uint64_t *av)
{
	uint64_t *dst = (uint64_t *)(wqe + sizeof(struct mlx5_wqe_ctrl_seg));

	memcpy(dst, av, sizeof(struct mlx5_wqe_av));
	return dst + sizeof(struct mlx5_wqe_av) / sizeof(*dst);
}

/** The same with a remote address behind it. */
static inline uint64_t *
mlx5_umr_dci_raddr_store(uint8_t *wqe, const uint64_t *av, uint64_t remote_addr, uint32_t rkey)
{
	uint64_t *dst = mlx5_umr_av_store(wqe, av);

	/* struct mlx5_wqe_raddr_seg: raddr, rkey. */
	dst[0] = rte_cpu_to_be_64(remote_addr);
	mlx5_umr_store_2dw(&dst[1], rkey, 0);
	return dst + sizeof(struct mlx5_wqe_raddr_seg) / sizeof(*dst);
}

/** DS of the bytes of a transfer, which are in the WQE or in memory; no bytes, no segment. */
static inline uint32_t
mlx5_umr_dci_data_nb_ds(const struct rte_umr_seg *local, bool is_inline)
{
	if (is_inline)
		return mlx5_umr_inline_nb_ds(local->length);
	return local->length == 0 ? 0 : MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_data_seg));
}

/** nb_ds is what mlx5_umr_dci_data_nb_ds() says. */
static inline void
mlx5_umr_dci_data_build(uint64_t *dst, const struct rte_umr_seg *local, uint32_t nb_ds,
			bool is_inline)
{
	if (is_inline)
		mlx5_umr_inline_build((uint8_t *)dst, (const void *)(uintptr_t)local->addr,
				      local->length, nb_ds);
	else
		mlx5_umr_data_build((struct mlx5_wqe_data_seg *)dst, local);
}

#endif /* MLX5_UMR_DC_WQE_H */
