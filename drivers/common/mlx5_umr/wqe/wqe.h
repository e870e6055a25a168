/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_WQE_H
#define MLX5_UMR_WQE_H

/**
 * @file
 * WQE builder: bytes out of arguments. No I/O, no queue policy, no checks.
 *
 * A WQE is a run of 64-byte basic blocks (WQEBB). It is built in one piece, as if the ring went
 * on behind its end; bringing that part to its beginning is the caller's business. Stores are as
 * wide as they can be and in order. The bytes are those that libmlx5 writes for the same request
 * (rdma-core 44, providers/mlx5/qp.c); layouts are in mlx5dv.h.
 *
 *     inline UMR        block 0    control 16, UMR control 48
 *                       block 1    memory key context 64
 *                       block 2..  KLMs, 4 a block, the last block filled up with zeros
 *     UMR with pointer  block 0, 1 the same
 *                       block 2    data 16: where the KLMs are
 *     RDMA write, read  block 0    control 16, remote address 16, data 16
 *     send              block 0    control 16, data 16
 */

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include <mlx5_prm_wqe.h>
#include <rte_umr.h>

#include "wqe/simd/entry.h"
#include "wqe/simd/klm.h"
#include "ring/index.h"

/** What the control segment of a WQE needs beside its opcode and size. */
struct mlx5_umr_ctrl {
	mlx5_umr_idx_t pi; /* of its first block */
	uint32_t qpn_ds; /* QP number << 8 */
	uint32_t imm;	/* host byte order */
	uint8_t fm_ce_se;
};

/* Access rights in the mkey context segment are those of the API, in the same order. */
#define MLX5_UMR_ACCESS_SHIFT 3
#define MLX5_UMR_ACCESS_RIGHTS                                                                     \
	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | RTE_UMR_ACCESS_REMOTE_WRITE |   \
	 RTE_UMR_ACCESS_REMOTE_ATOMIC)

static_assert(RTE_UMR_ACCESS_LOCAL_WRITE << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_LOCAL_WRITE, "LW");
static_assert(RTE_UMR_ACCESS_REMOTE_READ << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_READ, "RR");
static_assert(RTE_UMR_ACCESS_REMOTE_WRITE << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_REMOTE_WRITE, "RW");
static_assert(RTE_UMR_ACCESS_REMOTE_ATOMIC << MLX5_UMR_ACCESS_SHIFT ==
	      MLX5_WQE_MKEY_CONTEXT_ACCESS_FLAGS_ATOMIC, "A");

/* What a layout changes of a key. */
#define MLX5_UMR_LAYOUT_MKEY_MASK                                                                  \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |           \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_LEN | MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_LOCAL_WRITE |        \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_READ |                                          \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_REMOTE_WRITE |                                         \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_ACCESS_ATOMIC)

/* What an invalidation changes. */
#define MLX5_UMR_INVAL_MKEY_MASK                                                                   \
	((uint64_t)MLX5_WQE_UMR_CTRL_MKEY_MASK_FREE | MLX5_WQE_UMR_CTRL_MKEY_MASK_MKEY |           \
	 MLX5_WQE_UMR_CTRL_MKEY_MASK_QPN)

#define MLX5_UMR_LOG_DS_SIZE	4u
static_assert(1u << MLX5_UMR_LOG_DS_SIZE == PRM_WQE_DS_SIZE, "DS");

/* Segments in DS. */
#define MLX5_UMR_SIZE_DS(size)	((uint32_t)(size) / PRM_WQE_DS_SIZE)
#define MLX5_UMR_CTRL_DS	MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_ctrl_seg))
#define MLX5_UMR_HDR_DS                                                                            \
	MLX5_UMR_SIZE_DS(sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_umr_ctrl_seg) + \
			 sizeof(struct mlx5_wqe_mkey_context_seg))
#define MLX5_UMR_HDR_WQEBB	(MLX5_UMR_HDR_DS / PRM_WQE_DS_PER_BB)

static_assert(MLX5_UMR_HDR_DS + PRM_UMR_INLINE_KLM_MAX <= PRM_WQE_MAX_DS,
	      "the longest inline layout fits ctrl.ds");
static_assert(sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_umr_ctrl_seg) ==
	      PRM_WQE_BB_SIZE, "control segments are block 0");
static_assert(sizeof(struct mlx5_wqe_mkey_context_seg) == PRM_WQE_BB_SIZE,
	      "the key context is block 1");

/* Applications pass their verbs arrays (house rule: same layout, field for field). */
static_assert(sizeof(struct rte_umr_seg) == sizeof(struct ibv_sge), "seg");
static_assert(offsetof(struct rte_umr_seg, addr) == offsetof(struct ibv_sge, addr), "seg");
static_assert(offsetof(struct rte_umr_seg, length) == offsetof(struct ibv_sge, length), "seg");
static_assert(offsetof(struct rte_umr_seg, lkey) == offsetof(struct ibv_sge, lkey), "seg");
static_assert(sizeof(struct rte_umr_interleaved) == sizeof(struct mlx5dv_mr_interleaved), "entry");
static_assert(offsetof(struct rte_umr_interleaved, addr) ==
	      offsetof(struct mlx5dv_mr_interleaved, addr), "entry");
static_assert(offsetof(struct rte_umr_interleaved, bytes_count) ==
	      offsetof(struct mlx5dv_mr_interleaved, bytes_count), "entry");
static_assert(offsetof(struct rte_umr_interleaved, bytes_skip) ==
	      offsetof(struct mlx5dv_mr_interleaved, bytes_skip), "entry");
static_assert(offsetof(struct rte_umr_interleaved, lkey) ==
	      offsetof(struct mlx5dv_mr_interleaved, lkey), "entry");

/** KLM slots that n entries take, with their padding. */
static inline uint32_t
mlx5_umr_klm_align(uint32_t nb_klm)
{
	return RTE_ALIGN_CEIL(nb_klm, PRM_KLM_ALIGN);
}

/** Blocks of an inline UMR of that many KLM slots, before padding. */
static inline uint32_t
mlx5_umr_layout_nb_wqebb(uint32_t nb_klm)
{
	return MLX5_UMR_HDR_WQEBB + mlx5_umr_klm_align(nb_klm) / PRM_WQE_DS_PER_BB;
}

/** Big endian, by what the compiler can move about: rte_cpu_to_be_32() is volatile on x86. */
static __rte_always_inline rte_be32_t
mlx5_umr_be32(uint32_t value)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return __builtin_bswap32(value);
#else
	return value;
#endif
}

static __rte_always_inline rte_be64_t
mlx5_umr_be64(uint64_t value)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return __builtin_bswap64(value);
#else
	return value;
#endif
}

/** A byte of a big-endian dword, as the dword is in memory. */
static __rte_always_inline rte_be32_t
mlx5_umr_be_byte(uint32_t value, unsigned int at)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return value << 8 * at;
#else
	return value << 8 * (3 - at);
#endif
}

/** Two dwords that are in memory order already. */
static __rte_always_inline uint64_t
mlx5_umr_be_2dw(rte_be32_t first, rte_be32_t second)
{
#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return (uint64_t)second << 32 | first;
#else
	return (uint64_t)first << 32 | second;
#endif
}

/** Two big-endian dwords in one store. */
static inline void
mlx5_umr_store_2dw(void *dst, uint32_t first, uint32_t second)
{
	*(uint64_t *)dst = mlx5_umr_be64((uint64_t)first << 32 | second);
}

/** First dword of a control segment: 0, index 2, opcode. */
static __rte_always_inline rte_be32_t
mlx5_umr_ctrl_first(uint8_t opcode, mlx5_umr_idx_t pi)
{
	const uint16_t low = mlx5_umr_idx_low(pi);

#if RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN
	return (uint32_t)opcode << 24 | (uint32_t)__builtin_bswap16(low) << 8;
#else
	return (uint32_t)low << 8 | opcode;
#endif
}

/**
 * Control segment. Each field is brought to its place by itself: in a burst most of them are the
 * same for all operations.
 */
static __rte_always_inline void
mlx5_umr_ctrl_build(uint64_t *dst, uint8_t opcode, uint32_t nb_ds,
		    const struct mlx5_umr_ctrl *ctrl)
{
	dst[0] = mlx5_umr_be_2dw(mlx5_umr_ctrl_first(opcode, ctrl->pi),
				 mlx5_umr_be32(ctrl->qpn_ds) | mlx5_umr_be_byte(nb_ds, 3));
	dst[1] = mlx5_umr_be_2dw(mlx5_umr_be_byte(ctrl->fm_ce_se, 3), mlx5_umr_be32(ctrl->imm));
}

/** Head of an UMR that sets any properties; host byte order. */
struct mlx5_umr_head {
	uint64_t mkey_mask;
	uint64_t len;		/* of the key, if mkey_mask has it */
	uint32_t mkc_dw0;	/* rights, ordering */
	uint32_t mkc_dw3;	/* formats, signature errors */
	uint32_t mkc_dw14;	/* ordering */
};

/**
 * Control segments and key context; nb_klm and bsf_ds are what the UMR tells of its octowords.
 * @return Where its tail begins.
 */
static __rte_always_inline uint8_t *
mlx5_umr_head_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl,
		    const struct mlx5_umr_head *head, uint64_t umr_flags, uint32_t nb_klm,
		    uint32_t bsf_ds, uint32_t tail_ds)
{
	const rte_be32_t key = mlx5_umr_be32(ctrl->imm);
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_ctrl_build(&dst[0], MLX5_OPCODE_UMR, MLX5_UMR_HDR_DS + tail_ds, ctrl);
	/* struct mlx5_wqe_umr_ctrl_seg: flags, klm_octowords, bsf_octowords; mkey_mask */
	dst[2] = mlx5_umr_be64(umr_flags << 56 | (uint64_t)nb_klm << 16 | bsf_ds);
	dst[3] = mlx5_umr_be64(head->mkey_mask);
	mlx5_umr_zero_32(&dst[4]);
	/* struct mlx5_wqe_mkey_context_seg */
	dst[8] = mlx5_umr_be_2dw(mlx5_umr_be32(head->mkc_dw0),
				 key | RTE_BE32(PRM_MKC_QPN_ANY << 8));
	dst[9] = mlx5_umr_be64(head->mkc_dw3);
	dst[10] = 0;
	dst[11] = mlx5_umr_be64(head->len);
	mlx5_umr_zero_32(&dst[12]);
	if (unlikely(head->mkc_dw14 != 0))
		dst[15] = mlx5_umr_be64((uint64_t)head->mkc_dw14 << 32);
	return wqe + MLX5_UMR_HDR_WQEBB * PRM_WQE_BB_SIZE;
}

/** Octowords and blocks of an UMR that points to its list. */
#define MLX5_UMR_LIST_DS	(MLX5_UMR_HDR_DS + 1u)
#define MLX5_UMR_LIST_WQEBB	(MLX5_UMR_HDR_WQEBB + 1u)

/**
 * UMR that lays nb_klm KLMs in memory, a multiple of PRM_KLM_ALIGN, under the key in ctrl->imm.
 * libmlx5 has no such request; this is the kernel's (Linux, mlx5r_umr_update_xlt()).
 */
static inline void
mlx5_umr_list_ptr_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl,
			const struct mlx5_umr_head *head, uint64_t addr, uint32_t lkey,
			uint32_t nb_klm)
{
	uint64_t *tail = (uint64_t *)mlx5_umr_head_build(wqe, ctrl, head, 0, nb_klm, 0,
							 MLX5_UMR_LIST_DS - MLX5_UMR_HDR_DS);

	mlx5_umr_store_2dw(&tail[0], nb_klm * PRM_KLM_SIZE, lkey);
	tail[1] = mlx5_umr_be64(addr);
}

/** Entry of one size: a KLM without a length (PRM, KSM). */
static inline void
mlx5_umr_ksm_store(void *dst, uint64_t addr, uint32_t lkey)
{
	uint64_t *ksm = dst;

	ksm[0] = rte_cpu_to_be_64(lkey);
	ksm[1] = rte_cpu_to_be_64(addr);
}

/** Local invalidate: the key becomes free. */
static inline void
mlx5_umr_invalidate_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl)
{
	uint64_t *dst = (uint64_t *)wqe;

	mlx5_umr_ctrl_build(&dst[0], MLX5_OPCODE_UMR, MLX5_UMR_HDR_DS, ctrl);
	*(mlx5_umr_2x64 *)&dst[2] = (mlx5_umr_2x64){
		RTE_BE64((uint64_t)(MLX5_WQE_UMR_CTRL_FLAG_INLINE |
				    MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
				    MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN) << 56),
		RTE_BE64(MLX5_UMR_INVAL_MKEY_MASK),
	};
	mlx5_umr_zero_32(&dst[4]);
	*(mlx5_umr_4x64 *)&dst[8] = (mlx5_umr_4x64){
		RTE_BE64((uint64_t)MLX5_WQE_MKEY_CONTEXT_FREE << 56 |
			 (uint64_t)PRM_MKC_QPN_ANY << 8),
	};
	mlx5_umr_zero_32(&dst[12]);
}

/**
 * Data segment, if there is data: to the device a length of 0 means 2 GiB.
 * Returns its size in DS.
 */
static inline uint32_t
mlx5_umr_data_build(struct mlx5_wqe_data_seg *data, const struct rte_umr_seg *local)
{
	if (unlikely(local->length == 0))
		return 0;
	mlx5_umr_klm_store(data, local);
	return sizeof(*data) / PRM_WQE_DS_SIZE;
}

/** RDMA write, write with immediate or read. */
static inline void
mlx5_umr_rdma_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint8_t opcode,
		    const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey)
{
	uint64_t *dst = (uint64_t *)wqe;
	uint32_t nb_ds = MLX5_UMR_CTRL_DS + sizeof(struct mlx5_wqe_raddr_seg) / PRM_WQE_DS_SIZE;

	/* struct mlx5_wqe_raddr_seg: raddr, rkey. */
	dst[2] = mlx5_umr_be64(remote_addr);
	mlx5_umr_store_2dw(&dst[3], rkey, 0);
	nb_ds += mlx5_umr_data_build((struct mlx5_wqe_data_seg *)&dst[4], local);
	mlx5_umr_ctrl_build(&dst[0], opcode, nb_ds, ctrl);
}

/** Send, or send with immediate. */
static inline void
mlx5_umr_send_build(uint8_t *wqe, const struct mlx5_umr_ctrl *ctrl, uint8_t opcode,
		    const struct rte_umr_seg *local)
{
	uint64_t *dst = (uint64_t *)wqe;
	uint32_t nb_ds = MLX5_UMR_CTRL_DS;

	nb_ds += mlx5_umr_data_build((struct mlx5_wqe_data_seg *)&dst[2], local);
	mlx5_umr_ctrl_build(&dst[0], opcode, nb_ds, ctrl);
}

/**
 * Receive WQE of a fixed stride: segments, ended by an invalid key when there is room left
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

#endif /* MLX5_UMR_WQE_H */
