/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_malloc.h>

#include <mlx5_prm.h>

#include "ring/log.h"
#include "ring/mem.h"

/* Part of a slab, used or free. */
struct extent {
	TAILQ_ENTRY(extent) next;
	size_t offset;
	size_t size;
	bool is_used;
};

struct mlx5_umr_slab {
	TAILQ_ENTRY(mlx5_umr_slab) next;
	TAILQ_HEAD(extents, extent) extents;
	uint8_t *base;
	size_t size;
	int socket;
	struct ibv_pd *pd;		/* NULL: a umem */
	struct mlx5dv_devx_umem *umem;
	struct ibv_mr *mr;
};

void
mlx5_umr_mem_init(struct mlx5_umr_mem_pool *pool, struct ibv_context *ctx, const char *name)
{
	pool->ctx = ctx;
	pool->name = name;
	TAILQ_INIT(&pool->slabs);
}

/**
 * Register a umem with pages of 4 KiB, because objects begin at such pages: by default, the kernel
 * uses the largest pages that fit (Linux, devx.c, devx_umem_reg_cmd_alloc()), and then not every
 * offset can be passed to the device. Before Linux 5.11 the page size could not be set.
 */
static struct mlx5dv_devx_umem *
umem_register(struct ibv_context *ctx, void *addr, size_t size)
{
	struct mlx5dv_devx_umem_in in = {
		.addr = addr,
		.size = size,
		.access = IBV_ACCESS_LOCAL_WRITE,
		.pgsz_bitmap = PRM_ADAPTER_PAGE_SIZE,
	};
	struct mlx5dv_devx_umem *umem = mlx5dv_devx_umem_reg_ex(ctx, &in);

	if (umem == NULL && errno == EPROTONOSUPPORT)
		umem = mlx5dv_devx_umem_reg(ctx, addr, size, IBV_ACCESS_LOCAL_WRITE);
	return umem;
}

static int
slab_register(struct mlx5_umr_mem_pool *pool, struct mlx5_umr_slab *slab)
{
	/* A variable, because ibv_reg_mr() is a macro that treats constants differently. */
	unsigned int access = 0;
	char why[MLX5_UMR_PIN_ERROR_SIZE];
	int error;

	errno = 0;
	if (slab->pd == NULL)
		slab->umem = umem_register(pool->ctx, slab->base, slab->size);
	else
		slab->mr = ibv_reg_mr(slab->pd, slab->base, slab->size, access);
	if (slab->umem != NULL || slab->mr != NULL)
		return 0;
	error = errno != 0 ? errno : EIO;
	MLX5_UMR_DEV_LOG(ERR, pool->name, "cannot register %zu bytes for queues: %s", slab->size,
			 mlx5_umr_pin_error(error, why));
	return -error;
}

static int
slab_deregister(const struct mlx5_umr_mem_pool *pool, struct mlx5_umr_slab *slab)
{
	int ret = slab->umem != NULL ? mlx5dv_devx_umem_dereg(slab->umem) :
				       ibv_dereg_mr(slab->mr);

	if (ret != 0)
		MLX5_UMR_DEV_LOG(ERR, pool->name,
				 "cannot deregister %zu bytes of queues, which stay: %s",
				 slab->size, strerror(ret));
	return ret;
}

static struct extent *
extent_insert(struct mlx5_umr_slab *slab, struct extent *behind, size_t offset, size_t size)
{
	struct extent *extent = calloc(1, sizeof(*extent));

	if (extent == NULL)
		return NULL;
	extent->offset = offset;
	extent->size = size;
	if (behind == NULL)
		TAILQ_INSERT_HEAD(&slab->extents, extent, next);
	else
		TAILQ_INSERT_AFTER(&slab->extents, behind, extent, next);
	return extent;
}

/** Free a slab without its registration. */
static void
slab_free(struct mlx5_umr_mem_pool *pool, struct mlx5_umr_slab *slab)
{
	struct extent *extent;

	while ((extent = TAILQ_FIRST(&slab->extents)) != NULL) {
		TAILQ_REMOVE(&slab->extents, extent, next);
		free(extent);
	}
	TAILQ_REMOVE(&pool->slabs, slab, next);
	rte_free(slab->base);
	free(slab);
}

static bool
is_of_kind(const struct mlx5_umr_slab *slab, const struct ibv_pd *pd, int socket)
{
	return slab->pd == pd && slab->socket == socket;
}

/**
 * Allocate as much as all slabs of the kind have together, or the requested size if out of memory.
 */
static uint8_t *
slab_memory(const struct mlx5_umr_mem_pool *pool, const struct ibv_pd *pd, int socket,
	    size_t *size)
{
	const struct mlx5_umr_slab *slab;
	size_t grown = 0, least = *size;
	uint8_t *base;

	TAILQ_FOREACH(slab, &pool->slabs, next)
		grown += is_of_kind(slab, pd, socket) ? slab->size : 0;
	*size = RTE_MAX(least, RTE_MIN(grown, MLX5_UMR_SLAB_MAX));
	base = rte_malloc_socket("mlx5_umr_slab", *size, PRM_ADAPTER_PAGE_SIZE, socket);
	if (base != NULL || *size == least)
		return base;
	*size = least;
	return rte_malloc_socket("mlx5_umr_slab", least, PRM_ADAPTER_PAGE_SIZE, socket);
}

static int
slab_create(struct mlx5_umr_mem_pool *pool, struct ibv_pd *pd, size_t size, int socket)
{
	struct mlx5_umr_slab *slab = calloc(1, sizeof(*slab));
	int ret = -ENOMEM;

	if (slab == NULL)
		return -ENOMEM;
	TAILQ_INIT(&slab->extents);
	TAILQ_INSERT_TAIL(&pool->slabs, slab, next);
	slab->pd = pd;
	slab->socket = socket;
	slab->base = slab_memory(pool, pd, socket, &size);
	slab->size = size;
	if (slab->base != NULL && extent_insert(slab, NULL, 0, size) != NULL)
		ret = slab_register(pool, slab);
	if (ret != 0)
		slab_free(pool, slab);
	return ret;
}

static void
slab_destroy_if_free(struct mlx5_umr_mem_pool *pool, struct mlx5_umr_slab *slab)
{
	const struct extent *first = TAILQ_FIRST(&slab->extents);

	if (first->is_used || first->size != slab->size)
		return;
	if (slab_deregister(pool, slab) == 0)
		slab_free(pool, slab);
}

/** Take the first free extent that is large enough. */
static int
slab_take(struct mlx5_umr_slab *slab, size_t size, struct mlx5_umr_mem *mem)
{
	struct extent *extent;

	TAILQ_FOREACH(extent, &slab->extents, next)
		if (!extent->is_used && extent->size >= size)
			break;
	if (extent == NULL)
		return -ENOSPC;
	if (extent->size != size &&
	    extent_insert(slab, extent, extent->offset + size, extent->size - size) == NULL)
		return -ENOMEM;
	extent->size = size;
	extent->is_used = true;
	*mem = (struct mlx5_umr_mem){
		.slab = slab,
		.va = slab->base + extent->offset,
		.offset = extent->offset,
		.size = size,
	};
	return 0;
}

int
mlx5_umr_mem_alloc(struct mlx5_umr_mem_pool *pool, struct ibv_pd *pd, size_t size, int socket,
		   struct mlx5_umr_mem *mem)
{
	struct mlx5_umr_slab *slab;
	int ret = -ENOSPC;

	size = RTE_ALIGN_CEIL(size, (size_t)PRM_ADAPTER_PAGE_SIZE);
	TAILQ_FOREACH(slab, &pool->slabs, next) {
		if (is_of_kind(slab, pd, socket))
			ret = slab_take(slab, size, mem);
		if (ret != -ENOSPC)
			return ret;
	}
	ret = slab_create(pool, pd, size, socket);
	if (ret != 0)
		return ret;
	slab = TAILQ_LAST(&pool->slabs, mlx5_umr_slabs);
	ret = slab_take(slab, size, mem);
	if (ret != 0)
		slab_destroy_if_free(pool, slab);
	return ret;
}

/** Merge an extent with the next one, if both are free. */
static void
extent_join(struct mlx5_umr_slab *slab, struct extent *extent)
{
	struct extent *behind = extent != NULL ? TAILQ_NEXT(extent, next) : NULL;

	if (behind == NULL || extent->is_used || behind->is_used)
		return;
	extent->size += behind->size;
	TAILQ_REMOVE(&slab->extents, behind, next);
	free(behind);
}

void
mlx5_umr_mem_free(struct mlx5_umr_mem_pool *pool, struct mlx5_umr_mem *mem)
{
	struct mlx5_umr_slab *slab = mem->slab;
	struct extent *extent;

	if (slab == NULL)
		return;
	TAILQ_FOREACH(extent, &slab->extents, next)
		if (extent->offset == mem->offset)
			break;
	RTE_ASSERT(extent != NULL && extent->is_used && extent->size == mem->size);
	extent->is_used = false;
	extent_join(slab, extent);
	extent_join(slab, TAILQ_PREV(extent, extents, next));
	*mem = (struct mlx5_umr_mem){ 0 };
	slab_destroy_if_free(pool, slab);
}

void
mlx5_umr_mem_trim(struct mlx5_umr_mem_pool *pool)
{
	struct mlx5_umr_slab *slab, *next;

	for (slab = TAILQ_FIRST(&pool->slabs); slab != NULL; slab = next) {
		next = TAILQ_NEXT(slab, next);
		slab_destroy_if_free(pool, slab);
	}
}

void
mlx5_umr_mem_fini(struct mlx5_umr_mem_pool *pool)
{
	while (!TAILQ_EMPTY(&pool->slabs))
		slab_free(pool, TAILQ_FIRST(&pool->slabs));
}

uint32_t
mlx5_umr_mem_umem_id(const struct mlx5_umr_mem *mem)
{
	return mem->slab->umem->umem_id;
}

uint32_t
mlx5_umr_mem_lkey(const struct mlx5_umr_mem *mem)
{
	return mem->slab->mr->lkey;
}
