/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/mlx5dv.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "bench.h"

/* 52 entries inline: WQEs of 1 KiB less the segments that libmlx5 reserves (man mlx5dv_wr_post). */
#define MAX_INLINE	828u
#define PORT		1
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/* libmlx5's own work request builders on a QP that is connected to itself. */
struct bench_dv {
	struct ibv_context *ibv;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *mqpx;
	uint32_t nb_mkeys;
	struct mlx5dv_mkey *mkeys[BENCH_MAX_BATCH];
	struct rte_umr_seg segs[BENCH_MAX_ENTRIES];
	struct rte_umr_interleaved entries[BENCH_MAX_ENTRIES];
};

/* The arrays are shared: this is what lets existing code pass its own. */
static_assert(sizeof(struct rte_umr_seg) == sizeof(struct ibv_sge), "same layout");
static_assert(sizeof(struct rte_umr_interleaved) == sizeof(struct mlx5dv_mr_interleaved),
	      "same layout");

static bool
dv_error(const char *what)
{
	tool_error("bench: libmlx5: %s: %s", what, strerror(errno));
	return false;
}

static struct ibv_context *
device_open(const char *name)
{
	struct ibv_context *ibv = NULL;
	struct ibv_device **list;
	int nb;

	list = ibv_get_device_list(&nb);
	for (int i = 0; list != NULL && i < nb; i++)
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ibv = ibv_open_device(list[i]);
	if (list != NULL)
		ibv_free_device_list(list);
	return ibv;
}

static bool
qp_create(struct bench_dv *ctx, uint32_t max_batch)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = ctx->cq,
		.recv_cq = ctx->cq,
		.cap = { .max_send_wr = max_batch, .max_send_sge = 1, .max_recv_wr = 1,
			 .max_recv_sge = 1, .max_inline_data = MAX_INLINE },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = ctx->pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE,
	};
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE | MLX5DV_QP_EX_WITH_MR_LIST,
	};

	ctx->qp = mlx5dv_create_qp(ctx->ibv, &attr, &dv_attr);
	if (ctx->qp == NULL)
		return dv_error("mlx5dv_create_qp");
	ctx->qpx = ibv_qp_to_qp_ex(ctx->qp);
	ctx->mqpx = mlx5dv_qp_ex_from_ibv_qp_ex(ctx->qpx);
	return true;
}

static bool
qp_modify(struct bench_dv *ctx, struct ibv_qp_attr *attr, int mask)
{
	errno = ibv_modify_qp(ctx->qp, attr, mask | IBV_QP_STATE);
	return errno == 0 || dv_error("ibv_modify_qp");
}

/* The address of this port; on Ethernet that takes a GID. */
static bool
own_address(struct bench_dv *ctx, struct ibv_port_attr *port, struct ibv_ah_attr *ah)
{
	errno = ibv_query_port(ctx->ibv, PORT, port);
	if (errno != 0)
		return dv_error("ibv_query_port");
	ah->port_num = PORT;
	ah->dlid = port->lid;
	if (port->link_layer != IBV_LINK_LAYER_ETHERNET)
		return true;
	ah->is_global = 1;
	ah->grh.hop_limit = 1;
	if (ibv_query_gid(ctx->ibv, PORT, 0, &ah->grh.dgid) != 0)
		return dv_error("ibv_query_gid");
	return true;
}

static bool
qp_connect_to_itself(struct bench_dv *ctx)
{
	struct ibv_qp_attr attr = { 0 };
	struct ibv_port_attr port;

	if (!own_address(ctx, &port, &attr.ah_attr))
		return false;
	attr.qp_state = IBV_QPS_INIT;
	attr.port_num = PORT;
	attr.qp_access_flags = ACCESS;
	if (!qp_modify(ctx, &attr, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		return false;
	attr.qp_state = IBV_QPS_RTR;
	attr.path_mtu = port.active_mtu;
	attr.dest_qp_num = ctx->qp->qp_num;
	attr.max_dest_rd_atomic = 1;
	attr.min_rnr_timer = 12;
	if (!qp_modify(ctx, &attr, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		return false;
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	return qp_modify(ctx, &attr, IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static bool
mkeys_create(struct bench_dv *ctx, uint32_t max_batch)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = ctx->pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = BENCH_MAX_ENTRIES,
	};

	while (ctx->nb_mkeys < max_batch) {
		ctx->mkeys[ctx->nb_mkeys] = mlx5dv_create_mkey(&attr);
		if (ctx->mkeys[ctx->nb_mkeys] == NULL)
			return dv_error("mlx5dv_create_mkey");
		ctx->nb_mkeys++;
	}
	return true;
}

static void
dv_close(void *arg)
{
	struct bench_dv *ctx = arg;

	if (ctx == NULL)
		return;
	if (ctx->qp != NULL)
		ibv_destroy_qp(ctx->qp);
	while (ctx->nb_mkeys > 0)
		mlx5dv_destroy_mkey(ctx->mkeys[--ctx->nb_mkeys]);
	if (ctx->cq != NULL)
		ibv_destroy_cq(ctx->cq);
	if (ctx->mr != NULL)
		ibv_dereg_mr(ctx->mr);
	if (ctx->pd != NULL)
		ibv_dealloc_pd(ctx->pd);
	if (ctx->ibv != NULL)
		ibv_close_device(ctx->ibv);
	free(ctx);
}

static bool
dv_setup(struct bench_dv *ctx, const char *name, uint8_t *memory, uint32_t max_batch)
{
	ctx->ibv = device_open(name);
	if (ctx->ibv == NULL)
		return dv_error("ibv_open_device");
	ctx->pd = ibv_alloc_pd(ctx->ibv);
	if (ctx->pd == NULL)
		return dv_error("ibv_alloc_pd");
	ctx->mr = ibv_reg_mr(ctx->pd, memory, BENCH_MEMORY_SIZE, ACCESS);
	if (ctx->mr == NULL)
		return dv_error("ibv_reg_mr");
	ctx->cq = ibv_create_cq(ctx->ibv, 64, NULL, NULL, 0);
	if (ctx->cq == NULL)
		return dv_error("ibv_create_cq");
	return qp_create(ctx, max_batch) && qp_connect_to_itself(ctx) &&
	       mkeys_create(ctx, max_batch);
}

static void *
dv_open(int16_t dev_id, uint8_t *memory, uint32_t max_batch)
{
	struct bench_dv *ctx = calloc(1, sizeof(*ctx));
	struct rte_umr_dev_info info;

	if (ctx == NULL) {
		tool_error("bench: out of memory");
		return NULL;
	}
	rte_umr_dev_info_get(dev_id, &info);
	if (!dv_setup(ctx, info.dev_name, memory, max_batch)) {
		dv_close(ctx);
		return NULL;
	}
	bench_list_fill(ctx->segs, memory, ctx->mr->lkey);
	bench_interleaved_fill(ctx->entries, memory, ctx->mr->lkey);
	return ctx;
}

/* Only the last request of a batch asks for a completion, as the rte path does. */
static void
request_start(struct bench_dv *ctx, const struct bench_row *row, uint32_t i)
{
	struct mlx5dv_mkey_conf_attr attr = { 0 };

	ctx->qpx->wr_id = i;
	ctx->qpx->wr_flags = i == row->batch - 1 ? IBV_SEND_INLINE | IBV_SEND_SIGNALED :
						   IBV_SEND_INLINE;
	mlx5dv_wr_mkey_configure(ctx->mqpx, ctx->mkeys[i], 2, &attr);
	mlx5dv_wr_set_mkey_access_flags(ctx->mqpx, ACCESS);
}

static int
post_list(struct bench_dv *ctx, const struct bench_row *row)
{
	const struct ibv_sge *sges = (const struct ibv_sge *)ctx->segs;

	ibv_wr_start(ctx->qpx);
	for (uint32_t i = 0; i < row->batch; i++) {
		request_start(ctx, row, i);
		mlx5dv_wr_set_mkey_layout_list(ctx->mqpx, (uint16_t)row->nb_entries, sges);
	}
	return ibv_wr_complete(ctx->qpx);
}

static int
post_interleaved(struct bench_dv *ctx, const struct bench_row *row)
{
	const struct mlx5dv_mr_interleaved *data =
		(const struct mlx5dv_mr_interleaved *)ctx->entries;

	ibv_wr_start(ctx->qpx);
	for (uint32_t i = 0; i < row->batch; i++) {
		request_start(ctx, row, i);
		mlx5dv_wr_set_mkey_layout_interleaved(ctx->mqpx, BENCH_REPEAT,
						      (uint16_t)row->nb_entries, data);
	}
	return ibv_wr_complete(ctx->qpx);
}

/* Time each call; only the one that finds the completion counts. */
static bool
poll_batch(struct bench_dv *ctx, struct bench_sample *sample)
{
	uint64_t deadline = rte_rdtsc() + rte_get_tsc_hz() * BENCH_TIMEOUT_MS / 1000;
	uint64_t start, end;
	struct ibv_wc wc;
	int nb;

	do {
		start = rte_rdtsc();
		nb = ibv_poll_cq(ctx->cq, 1, &wc);
		end = rte_rdtsc();
		if (nb == 0)
			rte_pause();
	} while (nb == 0 && end < deadline);
	sample->poll = end - start;
	if (nb == 1 && wc.status == IBV_WC_SUCCESS)
		return true;
	tool_error("bench: libmlx5: %s", nb == 1 ? ibv_wc_status_str(wc.status) :
					 nb == 0 ? "no completion in time" : "ibv_poll_cq failed");
	return false;
}

static bool
dv_run(void *arg, const struct bench_row *row, struct bench_sample *sample)
{
	struct bench_dv *ctx = arg;
	uint64_t start, end;
	int ret;

	start = rte_rdtsc();
	ret = row->is_interleaved ? post_interleaved(ctx, row) : post_list(ctx, row);
	end = rte_rdtsc();
	if (ret != 0) {
		tool_error("bench: libmlx5: ibv_wr_complete: %s", strerror(ret));
		return false;
	}
	sample->post = end - start;
	return poll_batch(ctx, sample);
}

const struct bench_path bench_path_libmlx5 = {
	.name = "libmlx5",
	.what = "mlx5dv_wr_mkey_configure(), two setters, ibv_wr_complete(), ibv_poll_cq()",
	.open = dv_open,
	.run = dv_run,
	.close = dv_close,
};
