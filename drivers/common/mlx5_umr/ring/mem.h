/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_MEM_H
#define MLX5_UMR_MEM_H

/**
 * @file
 * Memory of queues that the device reads or writes.
 *
 * Registering memory may be slow (guide of the driver, "What fork(2) costs"), so queues share slabs
 * that are registered as a whole:
 *
 *     pool --- slab --- extent | extent | extent ...      in order of their addresses
 *              |           used    free     used
 *              umem, or a region of a PD
 *
 * The first slab of a kind has the requested size; the next ones double the total, up to
 * MLX5_UMR_SLAB_MAX, so the number of slabs grows with the logarithm of the number of queues. A
 * slab is freed when all of it is free.
 *
 * Memory that is not freed, because the device may still use it, stays until the context is closed
 * and mlx5_umr_mem_fini() is called. Control path only, one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <infiniband/mlx5dv.h>

/** Maximum slab size in bytes; larger requests get a slab of their size. */
#define MLX5_UMR_SLAB_MAX ((size_t)16 << 20)

struct mlx5_umr_slab;

/** Slabs of a device. */
struct mlx5_umr_mem_pool {
	struct ibv_context *ctx;
	const char *name;	/* of the device, for the log */
	TAILQ_HEAD(mlx5_umr_slabs, mlx5_umr_slab) slabs;
};

/** Part of a slab, in whole adapter pages. Zeroed: none. */
struct mlx5_umr_mem {
	struct mlx5_umr_slab *slab;
	uint8_t *va;
	size_t offset;		/* in the slab, and so in its umem */
	size_t size;
};

void mlx5_umr_mem_init(struct mlx5_umr_mem_pool *pool, struct ibv_context *ctx, const char *name);
/** Retry to free slabs that could not be deregistered. */
void mlx5_umr_mem_trim(struct mlx5_umr_mem_pool *pool);
/** Free all remaining memory: the context was closed, so the device no longer uses it. */
void mlx5_umr_mem_fini(struct mlx5_umr_mem_pool *pool);

/**
 * Allocate memory with undefined content.
 *
 * @param pd
 *   NULL: for objects of DevX, in a umem. Otherwise for work requests, in a region of that PD that
 *   they can read.
 * @param size
 *   Bytes, rounded up to pages.
 * @param socket
 *   NUMA socket, or SOCKET_ID_ANY.
 * @return
 *   0, -ENOMEM, or the errno of registering it (logged).
 */
int mlx5_umr_mem_alloc(struct mlx5_umr_mem_pool *pool, struct ibv_pd *pd, size_t size, int socket,
		       struct mlx5_umr_mem *mem);
/** Free memory that the device no longer uses, and zero *mem. Zeroed memory is accepted. */
void mlx5_umr_mem_free(struct mlx5_umr_mem_pool *pool, struct mlx5_umr_mem *mem);

/** Number of its umem. */
uint32_t mlx5_umr_mem_umem_id(const struct mlx5_umr_mem *mem);
/** Key of its region. */
uint32_t mlx5_umr_mem_lkey(const struct mlx5_umr_mem *mem);

#endif /* MLX5_UMR_MEM_H */
