/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_XFER_H
#define MLX5_UMR_XFER_H

/**
 * @file
 * Transfers: bytes computed from arguments. No I/O, no queue policy, no checks. They are those of
 * libmlx5 (rdma-core 44, providers/mlx5/qp.c), except that the rest of the last octoword of inline
 * data is zero here.
 *
 *     control 16, [address vector 48,] and
 *
 *     write, read    remote address 16, data 16 or { byte count 4, bytes }
 *     atomic         remote address 16, operands 16, data 16
 *     send           data 16 or { byte count 4, bytes }
 *
 * Lists have several segments of data, or the bytes of all segments behind one byte count.
 *
 * DC initiators use the address vector (AV). The bytes are those that libmlx5 writes for
 * mlx5dv_wr_set_dc_addr() (rdma-core 44, providers/mlx5/qp.c); those of the AV are the same as in
 * its address handles (verbs.c, mlx5_create_ah()).
 *
 * An UMR of an initiator has no AV, because it has no destination. rdma-core builds the UMRs of
 * initiators, which bind and invalidate memory windows, the same way (qp.c, _build_umr_wqe();
 * MLX5_SUPPORTED_SEND_OPS_FLAGS_DCI has both). The UMRs of the older OFED libmlx5 had an AV
 * (1.0.2mlnx1, qp.c, __mlx5_post_send_one_rc_dc(): before everything except a NOP). No public
 * document states which of them a device executes.
 */

#include <string.h>

#include "wqe/ctrl.h"
#include "wqe/simd/klm.h"

/** Address of a target. */
struct mlx5_umr_av_attr {
	uint64_t dc_key;
	uint32_t dctn;
	uint16_t lid;		/* InfiniBand */
	uint16_t udp_sport;	/* RoCE v2; 0 for v1 */
	uint8_t gid_index;	/* RoCE, and all following members */
	uint8_t hop_limit;
	uint8_t gid[16];
	uint8_t mac[6];
	bool is_eth;
};

#define MLX5_UMR_AV_DS		MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_av))
#define MLX5_UMR_RADDR_DS	MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_raddr_seg))
#define MLX5_UMR_ATOMIC_DS	MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_atomic_seg))

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
	/* The bit for a GRH is reserved on RoCE, which always has one. */
	av->grh_gid_fl = rte_cpu_to_be_32((uint32_t)attr->gid_index << 20);
	memcpy(av->rmac, attr->mac, sizeof(av->rmac));
	memcpy(av->rgid, attr->gid, sizeof(av->rgid));
}

/* Octowords before the data. */
#define MLX5_UMR_RDMA_DS                                                                           \
	(MLX5_UMR_CTRL_DS + MLX5_UMR_RADDR_DS)
/* Header of the data in its segment. */
#define MLX5_UMR_INLINE_HDR	((uint32_t)sizeof(struct mlx5_wqe_inl_data_seg))

/** Maximum bytes in a WQE of that many octowords with a remote address. */
static inline uint32_t
mlx5_umr_inline_max(uint32_t nb_ds)
{
	return (nb_ds - MLX5_UMR_RDMA_DS) * PRM_WQE_DS_SIZE - MLX5_UMR_INLINE_HDR;
}

/** Octowords of inline data; no segment for 0 bytes. */
static inline uint32_t
mlx5_umr_inline_nb_ds(uint32_t len)
{
	if (len == 0)
		return 0;
	return (len + MLX5_UMR_INLINE_HDR + PRM_WQE_DS_SIZE - 1) / PRM_WQE_DS_SIZE;
}

/** Copy len bytes into a WQE; nb_ds is the result of mlx5_umr_inline_nb_ds(). */
static inline void
mlx5_umr_inline_build(uint8_t *dst, const void *src, uint32_t len, uint32_t nb_ds)
{
	struct mlx5_wqe_inl_data_seg *seg = (struct mlx5_wqe_inl_data_seg *)dst;

	if (nb_ds == 0)
		return;
	memset(dst + (size_t)(nb_ds - 1) * PRM_WQE_DS_SIZE, 0, PRM_WQE_DS_SIZE);
	seg->byte_count = rte_cpu_to_be_32(MLX5_INLINE_SEG | len);
	memcpy(seg + 1, src, len);
}

/** A transfer. */
struct mlx5_umr_xfer {
	const struct rte_umr_seg *local;
	uint8_t opcode;
	uint8_t type;		/* enum rte_umr_op_type of the opcode */
	bool has_remote;	/* remote_addr and rkey are valid */
	uint32_t rkey;
	uint64_t remote_addr;
	uint32_t imm;		/* in host byte order: immediate data, or the key to invalidate */
	/* Operands of an atomic, else NULL. Compare is 0 for a fetch and add, which ignores it. */
	const struct rte_umr_swap *swap;
};

/** Octowords of a transfer. */
static __rte_always_inline uint32_t
mlx5_umr_xfer_nb_ds(const struct mlx5_umr_xfer *xfer, bool has_av, bool is_inline)
{
	uint32_t nb_ds = MLX5_UMR_CTRL_DS;

	if (has_av)
		nb_ds += MLX5_UMR_AV_DS;
	if (xfer->has_remote)
		nb_ds += MLX5_UMR_RADDR_DS;
	if (xfer->swap != NULL)
		nb_ds += MLX5_UMR_ATOMIC_DS;
	if (is_inline)
		return nb_ds + mlx5_umr_inline_nb_ds(xfer->local->length);
	return nb_ds + (xfer->local->length != 0);
}

/** Build the segments between control and data. @return Where the data begins. */
static __rte_always_inline uint64_t *
mlx5_umr_xfer_head_build(uint8_t *wqe, const struct mlx5_umr_xfer *xfer, const uint64_t *av)
{
	uint64_t *dst = (uint64_t *)(wqe + sizeof(struct mlx5_wqe_ctrl_seg));

	if (av != NULL) {
		memcpy(dst, av, sizeof(struct mlx5_wqe_av));
		dst += sizeof(struct mlx5_wqe_av) / sizeof(*dst);
	}
	if (xfer->has_remote) {
		/* struct mlx5_wqe_raddr_seg: raddr, rkey. */
		dst[0] = mlx5_umr_be64(xfer->remote_addr);
		mlx5_umr_store_2dw(&dst[1], xfer->rkey, 0);
		dst += sizeof(struct mlx5_wqe_raddr_seg) / sizeof(*dst);
	}
	if (xfer->swap != NULL) {
		/* struct mlx5_wqe_atomic_seg: swap_add, compare. */
		dst[0] = mlx5_umr_be64(xfer->swap->swap);
		dst[1] = mlx5_umr_be64(xfer->swap->compare);
		dst += sizeof(struct mlx5_wqe_atomic_seg) / sizeof(*dst);
	}
	return dst;
}

/**
 * Build a transfer; nb_ds is the result of mlx5_umr_xfer_nb_ds(). av is NULL if there is none.
 * Operands of atomics are big endian in the WQE, even if memory is little endian
 * (set_atomic_seg()).
 */
static __rte_always_inline void
mlx5_umr_xfer_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl,
		    const struct mlx5_umr_xfer *xfer, const uint64_t *av, uint32_t nb_ds,
		    bool is_inline)
{
	uint64_t *dst = mlx5_umr_xfer_head_build(wqe, xfer, av);
	const struct rte_umr_seg *local = xfer->local;

	if (is_inline)
		mlx5_umr_inline_build((uint8_t *)dst, (const void *)(uintptr_t)local->addr,
				      local->length, mlx5_umr_inline_nb_ds(local->length));
	else if (likely(local->length != 0))	/* the device interprets a length of 0 as 2 GiB */
		mlx5_umr_klm_store(dst, local);
	mlx5_umr_ctrl_build((uint64_t *)wqe, xfer->opcode, nb_ds, ctrl);
}

/** Segments of a list. */
struct mlx5_umr_segs {
	const struct rte_umr_seg *segs;
	uint32_t nb;		/* all of them */
	uint32_t nb_ds;		/* octowords: those that are not empty, or their bytes inline */
	uint64_t len;		/* bytes */
};

/** Count a list of at most UINT32_MAX / 16 segments. */
static __rte_always_inline struct mlx5_umr_segs
mlx5_umr_segs_of(const struct rte_umr_seg *segs, uint32_t nb)
{
	struct mlx5_umr_segs list = { .segs = segs, .nb = nb };
	uint32_t i;

	for (i = 0; i < nb; i++) {
		list.len += segs[i].length;
		list.nb_ds += segs[i].length != 0;
	}
	return list;
}

/** Copy the bytes of a list into a WQE; list->nb_ds is the result of mlx5_umr_inline_nb_ds(). */
static inline void
mlx5_umr_segs_inline_build(uint8_t *dst, const struct mlx5_umr_segs *list)
{
	struct mlx5_wqe_inl_data_seg *seg = (struct mlx5_wqe_inl_data_seg *)dst;
	uint8_t *at = (uint8_t *)(seg + 1);
	uint32_t i;

	if (list->nb_ds == 0)
		return;
	memset(dst + (size_t)(list->nb_ds - 1) * PRM_WQE_DS_SIZE, 0, PRM_WQE_DS_SIZE);
	seg->byte_count = rte_cpu_to_be_32(MLX5_INLINE_SEG | (uint32_t)list->len);
	for (i = 0; i < list->nb; i++) {
		memcpy(at, (const void *)(uintptr_t)list->segs[i].addr, list->segs[i].length);
		at += list->segs[i].length;
	}
}

/** Octowords of a transfer before its data. */
static __rte_always_inline uint32_t
mlx5_umr_xfer_head_ds(bool has_av, bool has_remote)
{
	return MLX5_UMR_CTRL_DS + (has_av ? MLX5_UMR_AV_DS : 0) +
	       (has_remote ? MLX5_UMR_RADDR_DS : 0);
}

/** Build the transfer of a list instead of xfer->local; nb_ds counts all octowords. */
static __rte_always_inline void
mlx5_umr_xfer_list_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl,
			 const struct mlx5_umr_xfer *xfer, const uint64_t *av,
			 const struct mlx5_umr_segs *list, uint32_t nb_ds, bool is_inline)
{
	uint64_t *dst = mlx5_umr_xfer_head_build(wqe, xfer, av);

	if (is_inline)
		mlx5_umr_segs_inline_build((uint8_t *)dst, list);
	else
		mlx5_umr_segs_store(dst, list->segs, list->nb);
	mlx5_umr_ctrl_build((uint64_t *)wqe, xfer->opcode, nb_ds, ctrl);
}

/**
 * Receive WQE of a fixed stride: segments, terminated by an invalid key if there is room
 * (rdma-core: MLX5_INVALID_LKEY).
 */
static inline void
mlx5_umr_recv_build(struct mlx5_wqe_data_seg *wqe, uint32_t stride_ds,
		    const struct rte_umr_seg *segs, uint32_t nb_segs)
{
	uint32_t i;

	for (i = 0; i < nb_segs; i++)
		mlx5_umr_klm_store(&wqe[i], &segs[i]);
	if (nb_segs < stride_ds)
		wqe[nb_segs] = (struct mlx5_wqe_data_seg){ .lkey = RTE_BE32(MLX5_INVALID_LKEY) };
}

#endif /* MLX5_UMR_XFER_H */
