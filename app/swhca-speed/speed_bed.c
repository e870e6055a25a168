/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rc_qp.h"
#include "speed.h"

#define TIMEOUT_S	60
#define MAX_INLINE	512
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

struct speed_bed {
	struct ibv_context *ibv;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *mqpx;
	uint32_t batch;
	bool is_executing;
	struct mlx5dv_mkey *mkeys[SPEED_MAX_BATCH];
	struct ibv_mr *mr;
	uint8_t *memory;	/* source, followed by destination */
};

static bool
bed_error(const char *what)
{
	fprintf(stderr, "swhca-speed: %s: %s\n", what, strerror(errno));
	return false;
}

static bool
device_open(struct speed_bed *bed)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	errno = ENODEV;
	if (list != NULL && list[0] != NULL)
		bed->ibv = ibv_open_device(list[0]);
	if (list != NULL)
		ibv_free_device_list(list);
	if (bed->ibv == NULL)
		return bed_error("no device can be opened (start it as 'swhca-run swhca-speed')");
	return true;
}

static bool
qp_create(struct speed_bed *bed)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = bed->cq,
		.recv_cq = bed->cq,
		.cap = { .max_send_wr = 4 * bed->batch, .max_send_sge = 1,
			 .max_recv_wr = 2 * bed->batch, .max_recv_sge = 1,
			 .max_inline_data = MAX_INLINE },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = bed->pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_SEND,
	};
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MKEY_CONFIGURE,
	};

	bed->qp = mlx5dv_create_qp(bed->ibv, &attr, &dv_attr);
	if (bed->qp == NULL)
		return bed_error("mlx5dv_create_qp");
	bed->qpx = ibv_qp_to_qp_ex(bed->qp);
	bed->mqpx = mlx5dv_qp_ex_from_ibv_qp_ex(bed->qpx);
	return true;
}

static bool
qp_connect_to_itself(struct speed_bed *bed)
{
	const struct rc_qp_conf conf = {
		.access = ACCESS,
		.rd_atomic = 16,
		.min_rnr_timer = 12,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
	};

	errno = rc_qp_connect_itself(bed->qp, &conf);
	return errno == 0 || bed_error("connecting the queue pair");
}

static bool
keys_create(struct speed_bed *bed)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = bed->pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = SPEED_NB_ENTRIES,
	};

	for (uint32_t i = 0; i < bed->batch; i++) {
		bed->mkeys[i] = mlx5dv_create_mkey(&attr);
		if (bed->mkeys[i] == NULL)
			return bed_error("mlx5dv_create_mkey");
	}
	return true;
}

static bool
bed_setup(struct speed_bed *bed)
{
	if (!device_open(bed))
		return false;
	bed->pd = ibv_alloc_pd(bed->ibv);
	if (bed->pd == NULL)
		return bed_error("ibv_alloc_pd");
	bed->memory = aligned_alloc(4096, 2 * SPEED_MAX_LEN);
	if (bed->memory == NULL)
		return bed_error("aligned_alloc");
	memset(bed->memory, 0x5a, 2 * SPEED_MAX_LEN);
	bed->mr = ibv_reg_mr(bed->pd, bed->memory, 2 * SPEED_MAX_LEN, ACCESS);
	if (bed->mr == NULL)
		return bed_error("ibv_reg_mr");
	bed->cq = ibv_create_cq(bed->ibv, 4 * (int)bed->batch, NULL, NULL, 0);
	if (bed->cq == NULL)
		return bed_error("ibv_create_cq");
	return qp_create(bed) && qp_connect_to_itself(bed) && keys_create(bed);
}

/* An acknowledge-only device completes a write without moving data. */
static bool
execution_probe(struct speed_bed *bed)
{
	const struct speed_case c = { SPEED_WRITE, 1 };
	volatile uint8_t *memory = bed->memory;

	memory[0] = 1;
	memory[SPEED_MAX_LEN] = 0;
	if (!speed_run_batch(bed, &c))
		return false;
	bed->is_executing = memory[SPEED_MAX_LEN] == 1;
	return true;
}

struct speed_bed *
speed_bed_open(uint32_t batch)
{
	struct speed_bed *bed = calloc(1, sizeof(*bed));

	if (bed == NULL) {
		bed_error("calloc");
		return NULL;
	}
	bed->batch = batch;
	if (!bed_setup(bed) || !execution_probe(bed)) {
		speed_bed_close(bed);
		return NULL;
	}
	return bed;
}

bool
speed_bed_is_executing(const struct speed_bed *bed)
{
	return bed->is_executing;
}

void
speed_bed_close(struct speed_bed *bed)
{
	if (bed == NULL)
		return;
	if (bed->qp != NULL)
		ibv_destroy_qp(bed->qp);
	for (uint32_t i = 0; i < bed->batch && bed->mkeys[i] != NULL; i++)
		mlx5dv_destroy_mkey(bed->mkeys[i]);
	if (bed->cq != NULL)
		ibv_destroy_cq(bed->cq);
	if (bed->mr != NULL)
		ibv_dereg_mr(bed->mr);
	if (bed->pd != NULL)
		ibv_dealloc_pd(bed->pd);
	if (bed->ibv != NULL)
		ibv_close_device(bed->ibv);
	free(bed->memory);
	free(bed);
}

const char *
speed_bed_device(const struct speed_bed *bed)
{
	return ibv_get_device_name(bed->ibv->device);
}

uint32_t
speed_case_nb_wqes(const struct speed_bed *bed, const struct speed_case *c)
{
	return c->op == SPEED_UMR_WRITE ? 2 * bed->batch : bed->batch;
}

static void
post_umr(struct speed_bed *bed, uint32_t i, unsigned int flags)
{
	const struct mlx5dv_mkey_conf_attr attr = { 0 };
	struct ibv_sge sges[SPEED_NB_ENTRIES];

	for (uint32_t j = 0; j < SPEED_NB_ENTRIES; j++)
		sges[j] = (struct ibv_sge){
			.addr = (uintptr_t)bed->memory + (uint64_t)j * 4096,
			.length = 1024,
			.lkey = bed->mr->lkey,
		};
	bed->qpx->wr_flags = IBV_SEND_INLINE | flags;
	mlx5dv_wr_mkey_configure(bed->mqpx, bed->mkeys[i], 2,
				 (struct mlx5dv_mkey_conf_attr *)&attr);
	mlx5dv_wr_set_mkey_access_flags(bed->mqpx, ACCESS);
	mlx5dv_wr_set_mkey_layout_list(bed->mqpx, SPEED_NB_ENTRIES, sges);
}

static void
post_one(struct speed_bed *bed, const struct speed_case *c, uint32_t i, unsigned int flags)
{
	uint64_t src = (uintptr_t)bed->memory, dst = src + SPEED_MAX_LEN;
	uint32_t key = bed->mr->lkey;

	bed->qpx->wr_id = i;
	bed->qpx->wr_flags = flags;
	switch (c->op) {
	case SPEED_UMR:
		post_umr(bed, i, flags);
		return;
	case SPEED_UMR_WRITE:
		post_umr(bed, i, 0);
		bed->qpx->wr_flags = IBV_SEND_FENCE | flags;
		key = bed->mkeys[i]->lkey;
		src = 0;
		ibv_wr_rdma_write(bed->qpx, bed->mr->rkey, dst);
		break;
	case SPEED_READ:
		ibv_wr_rdma_read(bed->qpx, bed->mr->rkey, src);
		src = dst;
		break;
	case SPEED_SEND:
		ibv_wr_send(bed->qpx);
		break;
	default:
		ibv_wr_rdma_write(bed->qpx, bed->mr->rkey, dst);
		break;
	}
	if (c->len > 0)
		ibv_wr_set_sge(bed->qpx, key, src, c->len);
	else
		ibv_wr_set_sge_list(bed->qpx, 0, NULL);
}

static bool
post_receives(struct speed_bed *bed, const struct speed_case *c)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)bed->memory + SPEED_MAX_LEN,
		.length = c->len,
		.lkey = bed->mr->lkey,
	};
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	for (uint32_t i = 0; i < bed->batch; i++) {
		errno = ibv_post_recv(bed->qp, &wr, &bad);
		if (errno != 0)
			return bed_error("ibv_post_recv");
	}
	return true;
}

static uint64_t
now_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
	return (uint64_t)ts.tv_sec;
}

static bool
wait_for(struct speed_bed *bed, uint32_t nb)
{
	uint64_t end = now_s() + TIMEOUT_S;
	struct ibv_wc wc[SPEED_DEFAULT_BATCH];
	int ret;

	while (nb > 0) {
		ret = ibv_poll_cq(bed->cq, SPEED_DEFAULT_BATCH, wc);
		for (int i = 0; i < ret; i++) {
			if (wc[i].status == IBV_WC_SUCCESS)
				continue;
			fprintf(stderr, "swhca-speed: completion: %s\n",
				ibv_wc_status_str(wc[i].status));
			return false;
		}
		if (ret < 0)
			return bed_error("ibv_poll_cq");
		nb -= (uint32_t)ret;
		if (ret == 0 && now_s() > end) {
			errno = ETIMEDOUT;
			return bed_error("no completion");
		}
	}
	return true;
}

bool
speed_run_batch(struct speed_bed *bed, const struct speed_case *c)
{
	if (c->op == SPEED_MEMCPY) {
		for (uint32_t i = 0; i < bed->batch; i++) {
			memcpy(bed->memory + SPEED_MAX_LEN, bed->memory, c->len);
			__asm__ volatile("" : : "r"(bed->memory) : "memory");
		}
		return true;
	}
	if (c->op == SPEED_SEND && !post_receives(bed, c))
		return false;
	ibv_wr_start(bed->qpx);
	for (uint32_t i = 0; i < bed->batch; i++)
		post_one(bed, c, i, i == bed->batch - 1 ? IBV_SEND_SIGNALED : 0);
	errno = ibv_wr_complete(bed->qpx);
	if (errno != 0)
		return bed_error("ibv_wr_complete");
	return wait_for(bed, c->op == SPEED_SEND ? bed->batch + 1 : 1);
}
