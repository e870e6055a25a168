/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Room that an operation takes in the ring and in the memory of long lists, computed like the code
 * that builds it.
 */

#include <errno.h>
#include <inttypes.h>

#include "ctrl/dev.h"
#include "plan/configure.h"
#include "ring/log.h"
#include "wqe/mw.h"
#include "wqe/xfer.h"

static uint64_t
layout_nb_klm(uint8_t layout, uint32_t nb_entries)
{
	/* The repeat block header takes one entry. */
	const uint64_t nb = (uint64_t)nb_entries + (layout == RTE_UMR_LAYOUT_INTERLEAVED);

	return RTE_ALIGN_CEIL(nb, (uint64_t)PRM_KLM_ALIGN);
}

/** Size of an UMR with that many KLM slots and BSFs, like plan_place(). */
static int
umr_size(const struct mlx5_umr_queue *queue, uint64_t nb_klm, uint32_t nb_bsf, bool is_up_to,
	 struct rte_umr_op_size *size)
{
	const uint32_t bsf_ds = nb_bsf * MLX5_UMR_BSF_DS;
	const uint64_t max_tail_klm = RTE_ALIGN_FLOOR(MLX5_UMR_MAX_TAIL_DS - bsf_ds, PRM_KLM_ALIGN);
	const uint64_t nb_chunks = (nb_klm + MLX5_UMR_KLM_CHUNK_NB - 1) / MLX5_UMR_KLM_CHUNK_NB;
	const uint16_t tail_desc = (uint16_t)(MLX5_UMR_HDR_WQEBB +
		(RTE_MIN(nb_klm, max_tail_klm) + bsf_ds) / PRM_WQE_DS_PER_BB);

	if (nb_klm <= max_tail_klm) {
		size->nb_desc = tail_desc;
		return 0;
	}
	if (nb_chunks > queue->klm_mem.nb_chunks) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "%" PRIu64 " entries, the memory of lists holds %u",
				   nb_klm, queue->klm_mem.nb_chunks * MLX5_UMR_KLM_CHUNK_NB);
		return -E2BIG;
	}
	size->nb_list_entries = (uint32_t)nb_chunks * MLX5_UMR_KLM_CHUNK_NB;
	size->nb_desc = (uint16_t)(MLX5_UMR_LIST_WQEBB + (bsf_ds == 0 ? 0 :
				   MLX5_UMR_HDR_WQEBB + bsf_ds / PRM_WQE_DS_PER_BB));
	/* The longest list in a work request takes more than any in memory. */
	if (is_up_to)
		size->nb_desc = tail_desc;
	return 0;
}

static int
configure_size(const struct mlx5_umr_queue *queue, const struct rte_umr_op_shape *shape,
	       struct rte_umr_op_size *size)
{
	const bool has_sig = (shape->pool_flags & RTE_UMR_MKEY_POOL_F_SIG) != 0;
	const bool sets_sig = (shape->setters & RTE_UMR_MKEY_SET_SIG) != 0;
	const bool sets_crypto = (shape->setters & RTE_UMR_MKEY_SET_CRYPTO) != 0;
	const uint64_t nb_klm = (shape->setters & RTE_UMR_MKEY_SET_LAYOUT) == 0 ? 0 :
				layout_nb_klm(shape->layout, shape->nb_entries);
	uint32_t nb_bsf = sets_sig ? 1 : 0;
	int ret;

	/* A key that can have a signature never gets the BSF of an encryption alone. */
	if (sets_crypto)
		nb_bsf = sets_sig || has_sig ? 2 : 1;
	ret = umr_size(queue, nb_klm, nb_bsf, shape->is_up_to, size);
	if (ret == 0 && sets_sig)
		size->nb_desc = (uint16_t)(size->nb_desc +
					   shape->nb_sig_domains * MLX5_UMR_SET_PSV_WQEBB);
	return ret;
}

static int
xfer_size(const struct mlx5_umr_queue *queue, const struct rte_umr_op_shape *shape,
	  struct rte_umr_op_size *size)
{
	const bool is_atomic = shape->op == RTE_UMR_OP_FETCH_ADD ||
			       shape->op == RTE_UMR_OP_CMP_SWAP;
	const bool is_inline = !is_atomic && (shape->flags & RTE_UMR_OP_F_INLINE) != 0;
	const struct rte_umr_seg local = {
		.length = is_atomic ? RTE_UMR_ATOMIC_LEN : shape->length,
	};
	const struct rte_umr_swap swap = { 0 };
	const struct mlx5_umr_xfer xfer = {
		.local = &local,
		.has_remote = shape->op != RTE_UMR_OP_SEND,
		.swap = is_atomic ? &swap : NULL,
	};
	const uint32_t max_segs = shape->op == RTE_UMR_OP_READ ? queue->max_read_segs :
								 queue->max_segs;
	/* Segments beyond the one of each transfer. */
	const uint32_t nb_more = is_atomic || is_inline || shape->length == 0 ||
				 shape->nb_entries == 0 ? 0 : shape->nb_entries - 1;

	if (is_inline && shape->length > queue->max_inline) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "%u bytes inline, at most %u", shape->length,
				   queue->max_inline);
		return -ERANGE;
	}
	if (nb_more >= max_segs) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "%u segments, at most %u", shape->nb_entries,
				   max_segs);
		return -E2BIG;
	}
	size->nb_desc = (uint16_t)prm_ds_to_wqebb(
		mlx5_umr_xfer_nb_ds(&xfer, queue->is_dci, is_inline) + nb_more);
	return 0;
}

int
mlx5_umr_op_desc(const void *q, const struct rte_umr_op_shape *shape, struct rte_umr_op_size *size)
{
	const struct mlx5_umr_queue *queue = q;
	const uint32_t first = RTE_ALIGN_FLOOR(shape->first, PRM_KLM_ALIGN);

	switch (shape->op) {
	case RTE_UMR_OP_MKEY_LIST:
		return umr_size(queue, layout_nb_klm(RTE_UMR_LAYOUT_LIST, shape->nb_entries), 0,
				shape->is_up_to, size);
	case RTE_UMR_OP_MKEY_INTERLEAVED:
		return umr_size(queue, layout_nb_klm(RTE_UMR_LAYOUT_INTERLEAVED,
						     shape->nb_entries), 0, shape->is_up_to, size);
	case RTE_UMR_OP_MKEY_CONFIGURE:
		return configure_size(queue, shape, size);
	case RTE_UMR_OP_MKEY_UPDATE:
		return umr_size(queue, RTE_ALIGN_CEIL((uint64_t)shape->first + shape->nb_entries,
						      (uint64_t)PRM_KLM_ALIGN) - first, 0,
				shape->is_up_to, size);
	case RTE_UMR_OP_WRITE:
	case RTE_UMR_OP_READ:
	case RTE_UMR_OP_SEND:
	case RTE_UMR_OP_FETCH_ADD:
	case RTE_UMR_OP_CMP_SWAP:
		return xfer_size(queue, shape, size);
	case RTE_UMR_OP_MW_BIND:
		size->nb_desc = MLX5_UMR_MW_BIND_WQEBB;
		return 0;
	default: /* MKEY_INVALIDATE, MW_INVALIDATE */
		size->nb_desc = MLX5_UMR_HDR_WQEBB;
		return 0;
	}
}
