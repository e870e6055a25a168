/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue pair made of DevX commands through an unmodified libmlx5, as SPDK, DPDK or pyverbs make
 * theirs, rung through UAR pages of both kinds. Mailboxes are filled by dword and bit.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>

#define DEADLINE_S	10
#define RING_BYTES	16384u
#define SQ_OFFSET	0u		/* 64 WQEBBs, no receive queue */
#define CQ_OFFSET	4096u		/* 64 CQEs */
#define DBR_OFFSET	8192u		/* queue pair at 0, CQ at 64 */
#define NB_BB		64u

struct queue {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *cq;
	struct mlx5dv_devx_obj *qp;
	uint32_t cqn;
	uint32_t qpn;
	uint32_t ci;
	uint16_t pi;
	uint16_t lid;
	uint8_t *mem;
};

static void
put(void *box, unsigned int dw, unsigned int lsb, uint32_t value)
{
	uint8_t *at = (uint8_t *)box + dw * 4;
	uint32_t be;

	memcpy(&be, at, sizeof(be));
	be = htobe32(be32toh(be) | value << lsb);
	memcpy(at, &be, sizeof(be));
}

static struct mlx5dv_devx_obj *
obj_create(struct queue *q, const void *in, size_t len, uint32_t *num)
{
	uint8_t out[16] = { 0 };
	struct mlx5dv_devx_obj *obj = mlx5dv_devx_obj_create(q->ctx, in, len, out, sizeof(out));
	uint32_t be;

	assert_non_null(obj);
	memcpy(&be, out + 8, sizeof(be));
	*num = be32toh(be);
	return obj;
}

static void
cq_create(struct queue *q)
{
	uint8_t in[0x110] = { 0 };
	uint32_t eqn, i;

	assert_int_equal(mlx5dv_devx_query_eqn(q->ctx, 0, &eqn), 0);
	for (i = 0; i < NB_BB; i++)
		q->mem[CQ_OFFSET + i * 64 + 63] = 0xf1;	/* invalid, owned by the device */
	put(in, 0, 16, 0x400);
	put(in, 4, 25, 1);			/* dbr_umem_valid */
	put(in, 5, 0, q->umem->umem_id);
	put(in, 7, 24, 6);			/* log_cq_size */
	put(in, 7, 0, q->uar->page_id);
	put(in, 9, 0, eqn);
	put(in, 19, 0, DBR_OFFSET + 64);
	put(in, 21, 0, CQ_OFFSET);
	put(in, 22, 0, q->umem->umem_id);
	put(in, 23, 31, 1);			/* cq_umem_valid */
	q->cq = obj_create(q, in, sizeof(in), &q->cqn);
}

static void
qp_create(struct queue *q)
{
	struct mlx5dv_pd dv_pd;
	struct mlx5dv_obj obj = { .pd = { .in = q->pd, .out = &dv_pd } };
	uint8_t in[0x110] = { 0 };

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), 0);
	put(in, 0, 16, 0x500);
	put(in, 6, 11, 3);			/* pm_state: migrated */
	put(in, 7, 0, dv_pd.pdn);
	put(in, 8, 11, 6);			/* log_sq_size */
	put(in, 9, 0, q->uar->page_id);
	put(in, 37, 0, q->cqn);
	put(in, 45, 0, q->cqn);
	put(in, 47, 0, DBR_OFFSET);
	put(in, 49, 24, 3);			/* rq_type: none */
	put(in, 58, 28, 1);			/* dbr_umem_valid */
	put(in, 63, 0, q->umem->umem_id);
	put(in, 65, 0, SQ_OFFSET);
	put(in, 66, 0, q->umem->umem_id);
	put(in, 67, 31, 1);			/* wq_umem_valid */
	q->qp = obj_create(q, in, sizeof(in), &q->qpn);
}

static void
qp_modify(struct queue *q, uint16_t opcode)
{
	uint8_t in[0x110] = { 0 }, out[16] = { 0 };

	put(in, 0, 16, opcode);
	put(in, 2, 0, q->qpn);
	put(in, 8, 29, 3);			/* mtu: 1024 */
	put(in, 11, 0, q->qpn);			/* its own peer */
	put(in, 12, 16, 1);			/* port, in the address path of RST2INIT */
	put(in, 13, 0, q->lid);
	put(in, 14, 27, 8);			/* ack_timeout */
	assert_int_equal(mlx5dv_devx_obj_modify(q->qp, in, sizeof(in), out, sizeof(out)), 0);
}

static void
context_open(struct queue *q)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr port;

	assert_non_null(list);
	assert_non_null(list[0]);
	q->ctx = mlx5dv_open_device(list[0], &attr);
	ibv_free_device_list(list);
	assert_non_null(q->ctx);
	assert_int_equal(ibv_query_port(q->ctx, 1, &port), 0);
	q->lid = port.lid;
	q->pd = ibv_alloc_pd(q->ctx);
	assert_non_null(q->pd);
}

static void
queue_create(struct queue *q, uint32_t uar_type)
{
	memset(q, 0, sizeof(*q));
	context_open(q);
	q->uar = mlx5dv_devx_alloc_uar(q->ctx, uar_type);
	assert_non_null(q->uar);
	q->mem = aligned_alloc(4096, RING_BYTES);
	assert_non_null(q->mem);
	memset(q->mem, 0, RING_BYTES);
	q->umem = mlx5dv_devx_umem_reg(q->ctx, q->mem, RING_BYTES, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(q->umem);
	cq_create(q);
	qp_create(q);
	qp_modify(q, 0x502);
	qp_modify(q, 0x503);
	qp_modify(q, 0x504);
}

static void
queue_destroy(struct queue *q)
{
	assert_int_equal(mlx5dv_devx_obj_destroy(q->qp), 0);
	assert_int_equal(mlx5dv_devx_obj_destroy(q->cq), 0);
	assert_int_equal(mlx5dv_devx_umem_dereg(q->umem), 0);
	mlx5dv_devx_free_uar(q->uar);
	assert_int_equal(ibv_dealloc_pd(q->pd), 0);
	assert_int_equal(ibv_close_device(q->ctx), 0);
	free(q->mem);
}

static struct mlx5_wqe_ctrl_seg *
post_nop(struct queue *q, uint8_t fm_ce_se)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)(q->mem + SQ_OFFSET + q->pi % NB_BB * 64);

	mlx5dv_set_ctrl_seg(ctrl, q->pi, MLX5_OPCODE_NOP, 0, q->qpn, fm_ce_se, 1, 0, 0);
	q->pi++;
	return ctrl;
}

/* nb_bytes 8: a doorbell; 64: the WQE itself, as a BlueField write. */
static void
ring(struct queue *q, const struct mlx5_wqe_ctrl_seg *ctrl, size_t offset, size_t nb_bytes)
{
	volatile uint64_t *to = (volatile uint64_t *)((uint8_t *)q->uar->reg_addr + offset);
	uint32_t be = htobe32(q->pi);
	size_t i;

	memcpy(q->mem + DBR_OFFSET + 4, &be, sizeof(be));
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < nb_bytes / sizeof(*to); i++)
		to[i] = ((const uint64_t *)(const void *)ctrl)[i];
}

static void
expect_nop_done(struct queue *q, uint16_t index)
{
	volatile struct mlx5_cqe64 *cqe = (void *)(q->mem + CQ_OFFSET + q->ci % NB_BB * 64);
	uint8_t owner = q->ci / NB_BB & 1;
	time_t deadline = time(NULL) + DEADLINE_S;
	uint32_t be;

	while ((cqe->op_own >> 4 == 0xf || (cqe->op_own & 1) != owner) && time(NULL) < deadline)
		;
	assert_int_equal(cqe->op_own, owner);		/* opcode 0: a request that is done */
	assert_int_equal(be16toh(cqe->wqe_counter), index);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) & 0xffffff, q->qpn);
	q->ci++;
	be = htobe32(q->ci);
	memcpy(q->mem + DBR_OFFSET + 64, &be, sizeof(be));
}

static void
ring_in_turn(uint32_t uar_type, size_t half, size_t nb_bytes)
{
	struct queue q;
	uint32_t i;

	queue_create(&q, uar_type);
	/* Rings wrap, and the two halves of a BlueField register are used in turn. */
	for (i = 0; i < 5 * NB_BB; i++) {
		ring(&q, post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE), i % 2 * half, nb_bytes);
		expect_nop_done(&q, (uint16_t)i);
	}
	queue_destroy(&q);
}

static void
non_cached_uar_rings(void **state)
{
	(void)state;
	ring_in_turn(MLX5DV_UAR_ALLOC_TYPE_NC, 0, 8);
}

static void
bluefield_uar_rings_by_doorbell(void **state)
{
	(void)state;
	ring_in_turn(MLX5DV_UAR_ALLOC_TYPE_BF, 256, 8);
}

static void
bluefield_uar_takes_whole_wqes(void **state)
{
	(void)state;
	ring_in_turn(MLX5DV_UAR_ALLOC_TYPE_BF, 256, 64);
}

static void
one_doorbell_serves_a_burst_with_one_completion(void **state)
{
	const struct mlx5_wqe_ctrl_seg *last = NULL;
	struct queue q;
	int i;

	(void)state;
	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	for (i = 0; i < 50; i++)
		last = post_nop(&q, i == 49 ? MLX5_WQE_CTRL_CQ_UPDATE : 0);
	ring(&q, last, 0, 8);
	expect_nop_done(&q, 49);
	assert_int_equal(q.mem[CQ_OFFSET + 64 + 63], 0xf1);
	queue_destroy(&q);
}

static void
bad_mailboxes_come_back_with_a_syndrome(void **state)
{
	uint8_t in[0x110] = { 0 }, out[16] = { 0 };
	struct queue q = { 0 };
	uint32_t syndrome;

	(void)state;
	context_open(&q);
	put(in, 0, 16, 0x500);	/* CREATE_QP without PD, CQ and memory */
	assert_null(mlx5dv_devx_obj_create(q.ctx, in, sizeof(in), out, sizeof(out)));
	memcpy(&syndrome, out + 4, sizeof(syndrome));
	assert_int_not_equal(out[0], 0);
	assert_int_not_equal(syndrome, 0);
	put(in, 0, 16, 0x0a0a);	/* an opcode that creates nothing */
	assert_null(mlx5dv_devx_obj_create(q.ctx, in, sizeof(in), out, sizeof(out)));
	assert_int_equal(ibv_dealloc_pd(q.pd), 0);
	assert_int_equal(ibv_close_device(q.ctx), 0);
}

static void
closing_the_context_frees_what_is_left(void **state)
{
	struct queue q;
	int i;

	(void)state;
	/* Far more than the device has UAR pages. */
	for (i = 0; i < 600; i++) {
		queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
		ring(&q, post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE), 0, 8);
		expect_nop_done(&q, 0);
		close(q.ctx->cmd_fd);	/* as the end of a process would */
		q.ctx->cmd_fd = -1;
		free(q.mem);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(non_cached_uar_rings),
		cmocka_unit_test(bluefield_uar_rings_by_doorbell),
		cmocka_unit_test(bluefield_uar_takes_whole_wqes),
		cmocka_unit_test(one_doorbell_serves_a_burst_with_one_completion),
		cmocka_unit_test(bad_mailboxes_come_back_with_a_syndrome),
		cmocka_unit_test(closing_the_context_frees_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
