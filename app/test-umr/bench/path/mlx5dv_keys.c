/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Memory and keys of libmlx5. */

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_malloc.h>

#include "bench/path/mlx5dv.h"

/* The arrays are shared; applications rely on this layout to pass existing arrays. */
static_assert(sizeof(struct rte_umr_seg) == sizeof(struct ibv_sge), "same layout");
static_assert(sizeof(struct rte_umr_interleaved) == sizeof(struct mlx5dv_mr_interleaved),
	      "same layout");

bool
bench_dv_error(const char *what)
{
	tool_error("bench: libmlx5: %s: %s", what, strerror(errno));
	return false;
}

/* Allocate rings in the same kind of memory as the driver does. */
static void *
ring_alloc(size_t size, void *data)
{
	(void)data;
	return rte_malloc("bench libmlx5", size, (unsigned int)sysconf(_SC_PAGESIZE));
}

static void
ring_free(void *ptr, void *data)
{
	(void)data;
	rte_free(ptr);
}

static struct ibv_context *
device_open(const char *name)
{
	struct mlx5dv_ctx_allocators allocators = { .alloc = ring_alloc, .free = ring_free };
	struct ibv_context *ibv = NULL;
	struct ibv_device **list;
	int nb;

	list = ibv_get_device_list(&nb);
	for (int i = 0; list != NULL && i < nb; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ibv = ibv_open_device(list[i]);
	if (list != NULL)
		ibv_free_device_list(list);
	if (ibv != NULL)
		mlx5dv_set_context_attr(ibv, MLX5DV_CTX_ATTR_BUF_ALLOCATORS, &allocators);
	return ibv;
}

static struct mlx5dv_mkey *
mkey_create(const struct bench_dv_keys *keys, const struct bench_setup *setup)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = keys->pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = (uint16_t)RTE_MIN(BENCH_MAX_INLINE, setup->max_entries_dev),
	};
	struct mlx5dv_mkey *mkey = mlx5dv_create_mkey(&attr);

	if (mkey == NULL)
		bench_dv_error("mlx5dv_create_mkey");
	return mkey;
}

static bool
mkeys_create(struct bench_dv_keys *keys, const struct bench_setup *setup)
{
	const uint32_t nb = setup->max_keys_libmlx5;

	keys->order = calloc(nb, sizeof(*keys->order));
	keys->made = calloc(nb, sizeof(keys->made[0]));
	keys->mkeys = rte_calloc("bench keys", nb, sizeof(keys->mkeys[0]), RTE_CACHE_LINE_SIZE);
	if (keys->order == NULL || keys->made == NULL || keys->mkeys == NULL)
		return bench_dv_error("keys");
	keys->inner = mkey_create(keys, setup);
	if (keys->inner == NULL)
		return false;
	for (; keys->nb_mkeys < nb; keys->nb_mkeys++) {
		keys->made[keys->nb_mkeys] = mkey_create(keys, setup);
		if (keys->made[keys->nb_mkeys] == NULL)
			return false;
	}
	return true;
}

static void
mkeys_destroy(struct bench_dv_keys *keys)
{
	if (keys->inner != NULL)
		mlx5dv_destroy_mkey(keys->inner);
	while (keys->nb_mkeys > 0)
		mlx5dv_destroy_mkey(keys->made[--keys->nb_mkeys]);
	rte_free(keys->mkeys);
	free(keys->made);
	free(keys->order);
}

void
bench_dv_keys_close(struct bench_dv_keys *keys)
{
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		bench_kind_dv_close(&keys->kinds[i]);
	mkeys_destroy(keys);
	if (keys->mr != NULL)
		ibv_dereg_mr(keys->mr);
	if (keys->pd != NULL)
		ibv_dealloc_pd(keys->pd);
	if (keys->ibv != NULL)
		ibv_close_device(keys->ibv);
}

static bool
kinds_open(struct bench_dv_keys *keys, const struct bench_setup *setup)
{
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (setup->has_layout[i] && bench_kinds[i].setters != 0 &&
		    !bench_kinds[i].is_trans &&
		    !bench_kind_dv_open(&keys->kinds[i], keys->ibv, keys->pd, setup, i))
			return false;
	return true;
}

bool
bench_dv_keys_open(struct bench_dv_keys *keys, const struct bench_worker *worker)
{
	const struct bench_setup *setup = worker->setup;

	keys->ibv = device_open(setup->dev_name);
	if (keys->ibv == NULL)
		return bench_dv_error("ibv_open_device");
	keys->pd = ibv_alloc_pd(keys->ibv);
	if (keys->pd == NULL)
		return bench_dv_error("ibv_alloc_pd");
	keys->mr = ibv_reg_mr(keys->pd, worker->arrays.memory, BENCH_MEMORY_SIZE,
			      BENCH_DV_ACCESS);
	if (keys->mr == NULL)
		return bench_dv_error("ibv_reg_mr");
	return mkeys_create(keys, setup) && kinds_open(keys, setup);
}

struct bench_dv_keys *
bench_dv_keys_of(const struct bench_worker *worker)
{
	const struct bench_dv *dv = worker->ctx[BENCH_LIBMLX5];

	return dv->keys;
}

/* Arrange the first nb keys in the common order. */
static void
keys_order(struct bench_dv_keys *keys, const struct bench_setup *setup, uint32_t nb,
	   enum bench_layout layout)
{
	struct mlx5dv_mkey *const *made = keys->made;
	uint32_t nb_made = keys->nb_mkeys;

	if (keys->kinds[layout].nb_mkeys != 0) {
		made = keys->kinds[layout].mkeys;
		nb_made = keys->kinds[layout].nb_mkeys;
	}
	if (keys->nb_ordered == nb && keys->ordered == made)
		return;
	bench_order_fill(setup, keys->order, nb);
	for (uint32_t i = 0; i < nb; i++)
		keys->mkeys[i] = made[keys->order[i] % nb_made];
	keys->nb_ordered = nb;
	keys->ordered = made;
	keys->pos = 0;
}

void
bench_dv_begin(struct bench_dv_keys *keys, struct bench_worker *worker,
	       const struct bench_row *row, uint32_t offset)
{
	const bool is_nested = row->layout == BENCH_NESTED;

	keys_order(keys, worker->setup, row->nb_keys, row->layout);
	bench_arrays_fill(&worker->arrays, row, offset,
			  is_nested ? 0 : (uintptr_t)worker->arrays.memory,
			  is_nested ? keys->inner->lkey : keys->mr->lkey);
}
