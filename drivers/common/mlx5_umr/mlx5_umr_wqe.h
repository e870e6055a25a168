/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_WQE_H
#define MLX5_UMR_WQE_H

/**
 * @file
 * WQE builder: bytes out of arguments. No I/O, no queue policy, no checks.
 *
 * A WQE is a run of 64-byte basic blocks (WQEBB). Every segment that is built here lies within
 * one block, so the ring can end only between two blocks, and the cursor that hands out blocks is
 * the only place that knows it. The bytes are those that libmlx5 writes for the same request
 * (rdma-core 44, providers/mlx5/qp.c); layouts are in mlx5dv.h.
 *
 *     inline UMR        block 0    control 16, UMR control 48
 *                       block 1    memory key context 64
 *                       block 2..  KLMs, 4 a block, the last block filled up with zeros
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

/** Where the next block of a WQE goes. */
struct mlx5_umr_cursor {
	uint8_t *ring;	/* first block */
	uint32_t mask;	/* blocks in the ring - 1 */
	uint32_t pi;	/* next block, runs free */
};

/** What the control segment of a WQE needs beside its opcode and size. */
struct mlx5_umr_ctrl {
	uint32_t qpn;
	uint32_t imm_be;
	uint8_t fm_ce_se;
};

/* Access rights in the mkey context segment are those of the API, in the same order. */
#define MLX5_UMR_ACCESS_SHIFT 3

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
#define MLX5_UMR_CTRL_DS	(sizeof(struct mlx5_wqe_ctrl_seg) / PRM_WQE_DS_SIZE)
#define MLX5_UMR_HDR_DS                                                                            \
	((sizeof(struct mlx5_wqe_ctrl_seg) + sizeof(struct mlx5_wqe_umr_ctrl_seg) +                \
	  sizeof(struct mlx5_wqe_mkey_context_seg)) / PRM_WQE_DS_SIZE)
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

/** Next block of the WQE. */
static inline void *
mlx5_umr_cursor_next(struct mlx5_umr_cursor *cursor)
{
	return cursor->ring + (size_t)(cursor->pi++ & cursor->mask) * PRM_WQE_BB_SIZE;
}

/** Control segment. The index is that of the first block, so build this one first. */
static inline void
mlx5_umr_ctrl_build(struct mlx5_wqe_ctrl_seg *seg, uint32_t pi, uint8_t opcode, uint32_t nb_ds,
		    const struct mlx5_umr_ctrl *ctrl)
{
	*seg = (struct mlx5_wqe_ctrl_seg){
		.opmod_idx_opcode = rte_cpu_to_be_32((pi & UINT16_MAX) << 8 | opcode),
		.qpn_ds = rte_cpu_to_be_32(ctrl->qpn << 8 | nb_ds),
		.fm_ce_se = ctrl->fm_ce_se,
		.imm = ctrl->imm_be,
	};
}

/** Blocks 0 and 1 of an UMR that gives a key a layout of nb_klm slots and that length. */
static inline void *
mlx5_umr_layout_hdr_build(struct mlx5_umr_cursor *cursor, const struct mlx5_umr_ctrl *ctrl,
			  uint32_t key, uint32_t access, uint32_t nb_klm, uint64_t len)
{
	struct mlx5_wqe_mkey_context_seg *mkc;
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_wqe_ctrl_seg *seg;
	uint32_t pi = cursor->pi;

	nb_klm = mlx5_umr_klm_align(nb_klm);
	seg = mlx5_umr_cursor_next(cursor);
	mlx5_umr_ctrl_build(seg, pi, MLX5_OPCODE_UMR, MLX5_UMR_HDR_DS + nb_klm, ctrl);
	umr = (struct mlx5_wqe_umr_ctrl_seg *)(seg + 1);
	*umr = (struct mlx5_wqe_umr_ctrl_seg){
		.flags = MLX5_WQE_UMR_CTRL_FLAG_INLINE,
		.klm_octowords = rte_cpu_to_be_16(nb_klm),
		.mkey_mask = RTE_BE64(MLX5_UMR_LAYOUT_MKEY_MASK),
	};
	mkc = mlx5_umr_cursor_next(cursor);
	*mkc = (struct mlx5_wqe_mkey_context_seg){
		.access_flags = access << MLX5_UMR_ACCESS_SHIFT,
		.qpn_mkey = rte_cpu_to_be_32(PRM_MKC_QPN_ANY << 8 | (key & UINT8_MAX)),
		.len = rte_cpu_to_be_64(len),
	};
	return seg;
}

static inline void
mlx5_umr_klm_build(struct mlx5_wqe_data_seg *klm, const struct rte_umr_seg *seg)
{
	klm->byte_count = rte_cpu_to_be_32(seg->length);
	klm->lkey = rte_cpu_to_be_32(seg->lkey);
	klm->addr = rte_cpu_to_be_64(seg->addr);
}

/**
 * UMR that lays segments under a key; [1, PRM_UMR_INLINE_KLM_MAX] of them, len bytes together.
 * Returns the control segment.
 */
static inline void *
mlx5_umr_list_build(struct mlx5_umr_cursor *cursor, const struct mlx5_umr_ctrl *ctrl, uint32_t key,
		    uint32_t access, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t len)
{
	struct mlx5_wqe_data_seg *klm;
	uint32_t nb, i;
	void *seg;

	seg = mlx5_umr_layout_hdr_build(cursor, ctrl, key, access, nb_segs, len);
	for (; nb_segs != 0; nb_segs -= nb, segs += nb) {
		nb = RTE_MIN(nb_segs, PRM_KLM_ALIGN);
		klm = mlx5_umr_cursor_next(cursor);
		for (i = 0; i < nb; i++)
			mlx5_umr_klm_build(&klm[i], &segs[i]);
		for (; i < PRM_KLM_ALIGN; i++)
			klm[i] = (struct mlx5_wqe_data_seg){ 0 };
	}
	return seg;
}

static inline void
mlx5_umr_repeat_ent_build(struct mlx5_wqe_umr_repeat_ent_seg *ent,
			  const struct rte_umr_interleaved *entry)
{
	ent->stride = rte_cpu_to_be_16(entry->bytes_count + entry->bytes_skip);
	ent->byte_count = rte_cpu_to_be_16(entry->bytes_count);
	ent->memkey = rte_cpu_to_be_32(entry->lkey);
	ent->va = rte_cpu_to_be_64(entry->addr);
}

/**
 * UMR that lays an interleaved pattern under a key; [1, PRM_UMR_INLINE_STRIDED_MAX] entries that
 * take block_len bytes together each time. The repeat block header is the first KLM slot.
 * Returns the control segment.
 */
static inline void *
mlx5_umr_interleaved_build(struct mlx5_umr_cursor *cursor, const struct mlx5_umr_ctrl *ctrl,
			   uint32_t key, uint32_t access, uint32_t repeat,
			   const struct rte_umr_interleaved *entries, uint32_t nb_entries,
			   uint32_t block_len)
{
	struct mlx5_wqe_umr_repeat_block_seg *rb;
	struct mlx5_wqe_umr_repeat_ent_seg *ent;
	uint32_t slot;
	void *seg;

	seg = mlx5_umr_layout_hdr_build(cursor, ctrl, key, access, nb_entries + 1,
					(uint64_t)block_len * repeat);
	rb = mlx5_umr_cursor_next(cursor);
	rb->byte_count = rte_cpu_to_be_32(block_len);
	rb->op = RTE_BE32(PRM_UMR_REPEAT_BLOCK_OP);
	rb->repeat_count = rte_cpu_to_be_32(repeat);
	rb->reserved = 0;
	rb->num_ent = rte_cpu_to_be_16(nb_entries);

	ent = (struct mlx5_wqe_umr_repeat_ent_seg *)(rb + 1);
	for (slot = 1; slot <= nb_entries; slot++, ent++) {
		if (slot % PRM_KLM_ALIGN == 0)
			ent = mlx5_umr_cursor_next(cursor);
		mlx5_umr_repeat_ent_build(ent, &entries[slot - 1]);
	}
	for (; slot % PRM_KLM_ALIGN != 0; slot++, ent++)
		*ent = (struct mlx5_wqe_umr_repeat_ent_seg){ 0 };
	return seg;
}

/** Local invalidate: the key becomes free. Returns the control segment. */
static inline void *
mlx5_umr_invalidate_build(struct mlx5_umr_cursor *cursor, const struct mlx5_umr_ctrl *ctrl)
{
	struct mlx5_wqe_mkey_context_seg *mkc;
	struct mlx5_wqe_umr_ctrl_seg *umr;
	struct mlx5_wqe_ctrl_seg *seg;
	uint32_t pi = cursor->pi;

	seg = mlx5_umr_cursor_next(cursor);
	mlx5_umr_ctrl_build(seg, pi, MLX5_OPCODE_UMR, MLX5_UMR_HDR_DS, ctrl);
	umr = (struct mlx5_wqe_umr_ctrl_seg *)(seg + 1);
	*umr = (struct mlx5_wqe_umr_ctrl_seg){
		.flags = MLX5_WQE_UMR_CTRL_FLAG_INLINE | MLX5_WQE_UMR_CTRL_FLAG_TRNSLATION_OFFSET |
			 MLX5_WQE_UMR_CTRL_FLAG_CHECK_QPN,
		.mkey_mask = RTE_BE64(MLX5_UMR_INVAL_MKEY_MASK),
	};
	mkc = mlx5_umr_cursor_next(cursor);
	*mkc = (struct mlx5_wqe_mkey_context_seg){
		.free = MLX5_WQE_MKEY_CONTEXT_FREE,
		.qpn_mkey = RTE_BE32(PRM_MKC_QPN_ANY << 8),
	};
	return seg;
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
	mlx5_umr_klm_build(data, local);
	return sizeof(*data) / PRM_WQE_DS_SIZE;
}

/** RDMA write, write with immediate or read. Returns the control segment. */
static inline void *
mlx5_umr_rdma_build(struct mlx5_umr_cursor *cursor, const struct mlx5_umr_ctrl *ctrl,
		    uint8_t opcode, const struct rte_umr_seg *local, uint64_t remote_addr,
		    uint32_t rkey)
{
	struct mlx5_wqe_raddr_seg *raddr;
	struct mlx5_wqe_ctrl_seg *seg;
	uint32_t pi = cursor->pi;
	uint32_t nb_ds;

	seg = mlx5_umr_cursor_next(cursor);
	raddr = (struct mlx5_wqe_raddr_seg *)(seg + 1);
	raddr->raddr = rte_cpu_to_be_64(remote_addr);
	raddr->rkey = rte_cpu_to_be_32(rkey);
	raddr->reserved = 0;
	nb_ds = MLX5_UMR_CTRL_DS + sizeof(*raddr) / PRM_WQE_DS_SIZE;
	nb_ds += mlx5_umr_data_build((struct mlx5_wqe_data_seg *)(raddr + 1), local);
	mlx5_umr_ctrl_build(seg, pi, opcode, nb_ds, ctrl);
	return seg;
}

/** Send, or send with immediate. Returns the control segment. */
static inline void *
mlx5_umr_send_build(struct mlx5_umr_cursor *cursor, const struct mlx5_umr_ctrl *ctrl,
		    uint8_t opcode, const struct rte_umr_seg *local)
{
	struct mlx5_wqe_ctrl_seg *seg;
	uint32_t pi = cursor->pi;
	uint32_t nb_ds;

	seg = mlx5_umr_cursor_next(cursor);
	nb_ds = MLX5_UMR_CTRL_DS;
	nb_ds += mlx5_umr_data_build((struct mlx5_wqe_data_seg *)(seg + 1), local);
	mlx5_umr_ctrl_build(seg, pi, opcode, nb_ds, ctrl);
	return seg;
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
		mlx5_umr_klm_build(&wqe[i], &segs[i]);
	if (nb_segs < stride_ds)
		wqe[nb_segs] = (struct mlx5_wqe_data_seg){ .lkey = RTE_BE32(MLX5_INVALID_LKEY) };
}

#endif /* MLX5_UMR_WQE_H */
