/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_KLM_MEM_H
#define MLX5_UMR_KLM_MEM_H

/**
 * @file
 * Registered memory of a queue for lists that a WQE points to.
 *
 * A ring of chunks. A list uses contiguous chunks after the previous list, or starts again at the
 * beginning; operations complete in order, so chunks are freed in order, too.
 */

#include <stdint.h>

#include <infiniband/verbs.h>

#include <rte_branch_prediction.h>

#include <mlx5_prm_wqe.h>

#include "wqe/index.h"
#include "ring/mem.h"

/** A list begins at a multiple of this (DPDK, mlx5_prm.h: MLX5_UMR_KLM_PTR_ALIGN). */
#define MLX5_UMR_KLM_CHUNK_SIZE	2048u
#define MLX5_UMR_KLM_CHUNK_NB	(MLX5_UMR_KLM_CHUNK_SIZE / PRM_KLM_SIZE)
/** Longest list: klm_octowords of a WQE has 16 bits. */
#define MLX5_UMR_LIST_MAX	(UINT16_MAX / PRM_KLM_ALIGN * PRM_KLM_ALIGN)

/** A list in use. */
struct mlx5_umr_klm_use {
	mlx5_umr_idx_t op;	/* its operation */
	uint32_t end;		/* chunk after it, like head */
};

struct mlx5_umr_klm_mem {
	uint8_t *base;		/* NULL: not allocated yet; there are no keys with long lists */
	uint32_t lkey;
	uint32_t nb_chunks;
	/*
	 * Both count modulo MLX5_UMR_KLM_ROUNDS times nb_chunks, which need not be a power of two.
	 */
	uint32_t head;		/* next free chunk */
	uint32_t tail;		/* oldest chunk in use */
	uint32_t use_mask;
	mlx5_umr_idx_t use_pi;
	mlx5_umr_idx_t use_ci;
	uint64_t nb_lists;	/* counter of lists */
	struct mlx5_umr_klm_use *uses;
	struct mlx5_umr_mem mem;
};

/**
 * Allocate memory that is registered in a PD.
 *
 * @param nb_entries
 *   Total entries, rounded up to whole chunks.
 * @param nb_uses
 *   Operations that may be outstanding, a power of two.
 * @return
 *   0, or an errno of mlx5_umr_mem_alloc() (logged).
 */
int mlx5_umr_klm_mem_create(struct mlx5_umr_klm_mem *mem, struct mlx5_umr_mem_pool *pool,
			    struct ibv_pd *pd, uint32_t nb_entries, uint32_t nb_uses, int socket);
/** Free memory that the device no longer uses. Zeroed memory is accepted. */
void mlx5_umr_klm_mem_destroy(struct mlx5_umr_klm_mem *mem, struct mlx5_umr_mem_pool *pool);

/** Whether lists are in use. */
static inline bool
mlx5_umr_klm_mem_is_used(const struct mlx5_umr_klm_mem *mem)
{
	return !mlx5_umr_idx_is(mem->use_ci, mem->use_pi);
}

/** All lists have completed. */
static inline void
mlx5_umr_klm_mem_reset(struct mlx5_umr_klm_mem *mem)
{
	mem->head = 0;
	mem->tail = 0;
	mem->use_ci = mem->use_pi;
}

/**
 * Rounds before the chunk indices wrap. One round is in use; the longest list that does not fit
 * after it skips less than a second one and takes a third.
 */
#define MLX5_UMR_KLM_ROUNDS	4u

/** Number of chunks from the oldest one in use up to an index. */
static inline uint32_t
mlx5_umr_klm_mem_used(const struct mlx5_umr_klm_mem *mem, uint32_t end)
{
	/* The head has wrapped, the tail has not. */
	if (unlikely(mem->head < mem->tail))
		end += MLX5_UMR_KLM_ROUNDS * mem->nb_chunks;
	return end - mem->tail;
}

static inline uint32_t
mlx5_umr_klm_nb_chunks(uint32_t nb_klm)
{
	return (nb_klm + MLX5_UMR_KLM_CHUNK_NB - 1) / MLX5_UMR_KLM_CHUNK_NB;
}

/**
 * Find room for a list without taking it. @return Its address, and in *end the chunk after it; NULL
 * if lists in use occupy it, or there is no memory.
 */
static inline uint8_t *
mlx5_umr_klm_mem_peek(const struct mlx5_umr_klm_mem *mem, uint32_t nb_chunks, uint32_t *end)
{
	uint32_t first = mem->head % mem->nb_chunks;

	*end = mem->head + nb_chunks;
	if (unlikely(first + nb_chunks > mem->nb_chunks)) {
		*end += mem->nb_chunks - first;
		first = 0;
	}
	if (unlikely(mlx5_umr_klm_mem_used(mem, *end) > mem->nb_chunks || mem->base == NULL))
		return NULL;
	return mem->base + (size_t)first * MLX5_UMR_KLM_CHUNK_SIZE;
}

/** Take the room that was peeked at, for an operation. */
static inline void
mlx5_umr_klm_mem_take(struct mlx5_umr_klm_mem *mem, mlx5_umr_idx_t op, uint32_t end)
{
	if (unlikely(end >= MLX5_UMR_KLM_ROUNDS * mem->nb_chunks))
		end -= MLX5_UMR_KLM_ROUNDS * mem->nb_chunks;
	mem->uses[mem->use_pi++ & mem->use_mask] = (struct mlx5_umr_klm_use){ op, end };
	mem->head = end;
	mem->nb_lists++;
}

/** Free the lists of operations before op_ci. */
static inline void
mlx5_umr_klm_mem_collect(struct mlx5_umr_klm_mem *mem, mlx5_umr_idx_t op_ci)
{
	const struct mlx5_umr_klm_use *use;

	while (mlx5_umr_klm_mem_is_used(mem)) {
		use = &mem->uses[mem->use_ci & mem->use_mask];
		if (!mlx5_umr_idx_is_before(use->op, op_ci))
			break;
		mem->tail = use->end;
		mem->use_ci++;
	}
	/* Restart at the beginning: the longest list needs all memory, without wrapping. */
	if (!mlx5_umr_klm_mem_is_used(mem)) {
		mem->head = 0;
		mem->tail = 0;
	}
}

#endif /* MLX5_UMR_KLM_MEM_H */
