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
#include "rc_qp.h"

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

/*
 * 52 entries inline: WQEs of 1 KiB minus the segments that libmlx5 reserves (man mlx5dv_wr_post).
 */
#define MAX_INLINE	828u
/* Size of inline entries as inline data, minus the header that libmlx5 adds (qp.c). */
#define INLINE_OF(nb)	(RTE_ALIGN_CEIL(nb, 4u) * 16u - 4u)
#define MAX_SEND_WR	32768u
#define MAX_CQE		1024u

/*
 * A thread domain removes the locks of the queue pair; a flag removes those of the CQ. Not every
 * kernel supports it: then the path has no queue pair, and runs no row.
 */
static bool
domain_create(struct bench_dv *ctx)
{
	struct ibv_td_init_attr td_attr = { 0 };
	struct ibv_parent_domain_init_attr attr = { 0 };

	if (ctx->path != &bench_path_unlocked)
		return true;
	ctx->td = ibv_alloc_td(ctx->keys->ibv, &td_attr);
	if (ctx->td == NULL)
		return errno == EOPNOTSUPP || bench_dv_error("ibv_alloc_td");
	attr.pd = ctx->keys->pd;
	attr.td = ctx->td;
	ctx->parent = ibv_alloc_parent_domain(ctx->keys->ibv, &attr);
	return ctx->parent != NULL || bench_dv_error("ibv_alloc_parent_domain");
}

static bool
cq_create(struct bench_dv *ctx)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = MAX_CQE,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED,
	};
	struct ibv_context *ibv = ctx->keys->ibv;
	struct ibv_device_attr dev_attr;
	struct mlx5dv_obj obj;
	struct mlx5dv_cq cq;

	/* libmlx5 creates one more CQE than requested. */
	if (ibv_query_device(ibv, &dev_attr) == 0 && dev_attr.max_cqe < (int)MAX_CQE)
		attr.cqe = (uint32_t)dev_attr.max_cqe - 1;
	if (ctx->parent != NULL)
		ctx->cq = ibv_cq_ex_to_cq(ibv_create_cq_ex(ibv, &attr));
	else
		ctx->cq = ibv_create_cq(ibv, (int)attr.cqe, NULL, NULL, 0);
	if (ctx->cq == NULL)
		return bench_dv_error("ibv_create_cq");
	obj.cq.in = ctx->cq;
	obj.cq.out = &cq;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ) != 0)
		return bench_dv_error("mlx5dv_init_obj");
	if (cq.cqe_size != sizeof(struct mlx5_cqe64)) {
		tool_error("bench: libmlx5: CQEs have %u bytes, not %zu", cq.cqe_size,
			   sizeof(struct mlx5_cqe64));
		return false;
	}
	ctx->ring = (struct bench_cq){ .ring = cq.buf, .mask = cq.cqe_cnt - 1 };
	return true;
}

/* Inline size of the longest request of the rows; libmlx5 assumes this size for all requests. */
static uint32_t
max_inline(const struct bench_setup *setup)
{
	static_assert(INLINE_OF(BENCH_MAX_INLINE) == MAX_INLINE, "the longest list");
	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (setup->has_layout[i] && bench_kinds[i].setters != 0)
			return MAX_INLINE;
	if (setup->max_entries > BENCH_MAX_INLINE)
		return MAX_INLINE;
	return INLINE_OF(setup->max_entries);
}

static bool
qp_try(struct bench_dv *ctx, uint32_t nb_wr)
{
	const struct bench_setup *setup = ctx->worker->setup;
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = ctx->cq,
		.recv_cq = ctx->cq,
		.cap = { .max_send_wr = nb_wr, .max_send_sge = RTE_MAX(setup->max_sges, 1u),
			 .max_recv_wr = 1, .max_recv_sge = 1,
			 .max_inline_data = max_inline(setup) },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = ctx->parent != NULL ? ctx->parent : ctx->keys->pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_LOCAL_INV,
	};
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MR_LIST |
				  MLX5DV_QP_EX_WITH_MR_INTERLEAVED,
	};
	struct mlx5dv_obj obj;
	struct mlx5dv_qp qp = { 0 };

	ctx->qp = mlx5dv_create_qp(ctx->keys->ibv, &attr, &dv_attr);
	if (ctx->qp == NULL) {
		tool_error("bench: libmlx5: mlx5dv_create_qp for %u requests with %u bytes inline: "
			   "%s", nb_wr, attr.cap.max_inline_data, strerror(errno));
		return false;
	}
	obj.qp.in = ctx->qp;
	obj.qp.out = &qp;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP) != 0)
		return bench_dv_error("mlx5dv_init_obj");
	ctx->sq_desc = qp.sq.wqe_cnt;
	return true;
}

/* Requests of an operation: a mixed one has two, and each PSV of a signature is one. */
static uint32_t
nb_requests(const struct bench_setup *setup)
{
	uint32_t nb = setup->has_layout[BENCH_MIXED] ? 2 : 1;

	for (unsigned int i = 0; i < BENCH_NB_LAYOUTS; i++)
		if (setup->has_layout[i])
			nb = RTE_MAX(nb, 1 + bench_kinds[i].nb_domains);
	return nb;
}

/*
 * Create a send ring as deep as that of the driver. libmlx5 sizes the ring by requests of the
 * largest kind, so the number of requests must be found by trial.
 */
static bool
qp_create(struct bench_dv *ctx)
{
	const struct bench_setup *setup = ctx->worker->setup;
	uint32_t nb_wr = nb_requests(setup) * setup->max_batch;

	while (qp_try(ctx, nb_wr) && ctx->sq_desc < setup->depth && nb_wr < MAX_SEND_WR) {
		ibv_destroy_qp(ctx->qp);
		ctx->qp = NULL;
		nb_wr *= 2;
	}
	if (ctx->qp == NULL)
		return false;
	if (ctx->sq_desc != setup->depth && ctx->worker->index == 0 && ctx->parent == NULL)
		tool_error("bench: libmlx5 has a send ring of %u descriptors, not %u: it takes all "
			   "requests to be as long as the longest", ctx->sq_desc, setup->depth);
	ctx->qpx = ibv_qp_to_qp_ex(ctx->qp);
	ctx->mqpx = mlx5dv_qp_ex_from_ibv_qp_ex(ctx->qpx);
	return true;
}

static bool
qp_connect_to_itself(struct bench_dv *ctx)
{
	const struct rc_qp_conf conf = {
		.access = BENCH_DV_ACCESS,
		.rd_atomic = 1,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};

	errno = rc_qp_connect_itself(ctx->qp, &conf);
	return errno == 0 || bench_dv_error("connecting the queue pair");
}

void
bench_dv_close(struct bench_dv *ctx)
{
	if (ctx->qp != NULL)
		ibv_destroy_qp(ctx->qp);
	if (ctx->cq != NULL)
		ibv_destroy_cq(ctx->cq);
	if (ctx->parent != NULL)
		ibv_dealloc_pd(ctx->parent);
	if (ctx->td != NULL)
		ibv_dealloc_td(ctx->td);
}

bool
bench_dv_open(struct bench_dv *ctx, struct bench_worker *worker, const struct bench_path *path)
{
	ctx->worker = worker;
	ctx->path = path;
	if (!domain_create(ctx))
		return false;
	if (path == &bench_path_unlocked && ctx->td == NULL)
		return true;
	return cq_create(ctx) && qp_create(ctx) && qp_connect_to_itself(ctx);
}
