/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers of DC initiators: the same bytes as libmlx5, address vector included, to two targets
 * by turns. Layouts cannot be compared, because libmlx5 has none on initiators; the UMR that it
 * has there, the local invalidation, can.
 */

#include "../world.h"
#include "transfer.h"

#define NB_TARGETS	2u
#define MAX_LEN		1024u
#define MAX_INLINE_LEN	200u
#define AV_BYTE		sizeof(struct mlx5_wqe_ctrl_seg)
#define KEY_OF(target)	(UINT64_C(0xfedcba9876543210) + (target))
#define ROCE_MIN_SPORT	0xc000u

/* By turns. */
static const struct {
	enum wb_op op;
	bool is_inline;
} kinds[] = {
	{ WB_WRITE, false }, { WB_WRITE_IMM, false }, { WB_WRITE, true }, { WB_READ, false },
	{ WB_FETCH_ADD, false }, { WB_CMP_SWAP, false }, { WB_SEND, false },
	{ WB_SEND_IMM, false }, { WB_SEND, true },
};

static struct {
	struct ibv_ah *ah;
	bool is_eth;
	uint32_t dctn[NB_TARGETS];
	struct rte_umr_dc_addr addr[NB_TARGETS];
} dc;

/* A receive of the target takes a message of either side. */
static void
target_post(uint32_t target)
{
	struct rte_umr_seg seg = {
		.addr = (uintptr_t)wb.mem + WB_MEM_SIZE - MAX_LEN, .length = MAX_LEN,
		.lkey = wb.umr_mr->lkey,
	};

	assert_true(rte_umr_recv(wb.dev_id, (uint16_t)(1 + target), &seg, 1, 0) >= 0);
}

static void
target_take(uint32_t target)
{
	struct rte_umr_completion done;

	assert_int_equal(rte_umr_recv_completed(wb.dev_id, (uint16_t)(1 + target), 1, &done), 1);
	assert_int_equal(done.status, RTE_UMR_STATUS_SUCCESS);
}

/*
 * RoCE v2: libmlx5 draws the source port of each address handle, the driver derives it from the
 * target. v1 has none.
 */
static void
mask_av(struct wb_wqe *theirs, struct wb_wqe *ours)
{
	struct mlx5_wqe_av *their_av = (void *)(theirs->bytes + AV_BYTE);
	struct mlx5_wqe_av *our_av = (void *)(ours->bytes + AV_BYTE);

	if (!dc.is_eth || their_av->rlid == 0)
		return;
	assert_true(be16toh(their_av->rlid) >= ROCE_MIN_SPORT);
	assert_true(be16toh(our_av->rlid) >= ROCE_MIN_SPORT);
	their_av->rlid = our_av->rlid;
}

static void
compare(struct wb_xfer *x, uint32_t target)
{
	struct wb_pair pair;

	x->their_rkey = x->our_rkey = wb.umr_mr->rkey;
	wb_pair_begin(&pair);
	if (wb_takes_recv(x->op))
		target_post(target);
	wb_libmlx5_xfer(x);
	mlx5dv_wr_set_dc_addr(wb.dvqp, dc.ah, dc.dctn[target], KEY_OF(target));
	wb_libmlx5_end(&pair.theirs);
	if (wb_takes_recv(x->op)) {
		target_take(target);
		target_post(target);
	}
	assert_int_equal(rte_umr_dc_addr_set(wb.dev_id, 0, &dc.addr[target]), 0);
	wb_driver_end(wb_driver_xfer(x), pair.our_pi, &pair.ours);
	if (wb_takes_recv(x->op))
		target_take(target);
	mask_av(&pair.theirs, &pair.ours);
	wb_compare_xfer(x, &pair, sizeof(struct mlx5_wqe_av));
}

CASE(transfers_have_the_same_bytes)
{
	const uint32_t nb = test_nb_cases(), nb_kinds = RTE_DIM(kinds);
	uint32_t i, target;

	for (i = 0; i < nb; i++) {
		struct wb_xfer x = { .op = kinds[i % nb_kinds].op,
				     .is_inline = kinds[i % nb_kinds].is_inline };

		target = wb_random32() % NB_TARGETS;
		x.len = i / nb_kinds % 8 == 0 ? 0 : wb_random32() % MAX_LEN + 1;
		x.addr = (uintptr_t)wb.mem + wb_random32() % (WB_MEM_SIZE / 4);
		x.raddr = (uintptr_t)wb.mem + WB_MEM_SIZE / 2 + wb_random32() % 1024 * 8;
		x.imm = wb_random32();
		if (x.is_inline)
			x.len %= MAX_INLINE_LEN + 1;
		if (x.op == WB_FETCH_ADD || x.op == WB_CMP_SWAP)
			x.len = RTE_UMR_ATOMIC_LEN;
		x.compare = x.imm;
		x.operand = x.op == WB_FETCH_ADD ? x.imm : x.addr;
		compare(&x, target);
	}
}

/* A layout is followed by the same fence as on RC; here only libmlx5's invalidation can set one. */
CASE(invalidations_have_no_address)
{
	struct wb_xfer x = {
		.op = WB_WRITE, .len = 8, .addr = (uintptr_t)wb.mem,
		.raddr = (uintptr_t)wb.mem + WB_MEM_SIZE / 2,
	};
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	for (i = 0; i < nb; i++) {
		wb_compare_invalidation();
		compare(&x, 0);	/* fenced */
		compare(&x, 0);	/* not fenced */
	}
}

/* An initiator in the place of the queue pair that is connected to itself. */
static void
libmlx5_replace(void)
{
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCI },
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .send_cq = wb.cq, .recv_cq = wb.cq, .pd = wb.pd,
		.cap = { .max_send_wr = 16, .max_send_sge = 1, .max_inline_data = MAX_INLINE_LEN },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_LOCAL_INV |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
				  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	};
	struct mlx5dv_obj obj = { .qp = { .out = &wb.dv } };
	const struct rc_qp_conf conf = { .rd_atomic = 4, .timeout = 14, .retry_cnt = 7,
					 .rnr_retry = 7 };
	struct ibv_ah_attr ah_attr;

	assert_int_equal(ibv_destroy_qp(wb.qp), 0);
	wb.qp = mlx5dv_create_qp(wb.ctx, &attr, &dv_attr);
	assert_non_null(wb.qp);
	wb.qpx = ibv_qp_to_qp_ex(wb.qp);
	wb.dvqp = mlx5dv_qp_ex_from_ibv_qp_ex(wb.qpx);
	obj.qp.in = wb.qp;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	wb.pi = 0;
	assert_int_equal(rc_qp_own_address(wb.ctx, &ah_attr), 0);
	ah_attr.grh.hop_limit = 255;
	dc.is_eth = ah_attr.is_global != 0;
	dc_connect(wb.qp, false, &ah_attr, &conf);
	dc.ah = ibv_create_ah(wb.pd, &ah_attr);
	assert_non_null(dc.ah);
}

/* An initiator in the place of the loopback, and two targets. */
static void
driver_replace(void)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 + NB_TARGETS };
	const struct rte_umr_queue_conf dci_conf = {
		.transport = RTE_UMR_TRANSPORT_DCI, .nb_desc = WB_NB_DESC,
		.socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_queue_conf dct_conf = {
		.transport = RTE_UMR_TRANSPORT_DCT, .nb_recv_desc = 4, .socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_endpoint remote;
	uint32_t i;

	assert_int_equal(rte_umr_dev_stop(wb.dev_id), 0);
	assert_int_equal(rte_umr_dev_configure(wb.dev_id, &dev_conf), 0);
	assert_int_equal(rte_umr_queue_setup(wb.dev_id, 0, &dci_conf), 0);
	for (i = 0; i < NB_TARGETS; i++) {
		dct_conf.dc_key = KEY_OF(i);
		assert_int_equal(rte_umr_queue_setup(wb.dev_id, (uint16_t)(1 + i), &dct_conf), 0);
	}
	assert_int_equal(rte_umr_dev_start(wb.dev_id), 0);
	wb.queue = (void *)rte_umr_fp_entry(wb.dev_id, 0)->queue;
	for (i = 0; i < NB_TARGETS; i++) {
		assert_int_equal(rte_umr_queue_endpoint_get(wb.dev_id, (uint16_t)(1 + i), &remote),
				 0);
		dc.dctn[i] = rte_be_to_cpu_32(remote.qpn);
		assert_int_equal(rte_umr_dc_addr_fill(wb.dev_id, &remote, KEY_OF(i), &dc.addr[i]),
				 0);
	}
}

static int
setup(void **state)
{
	wb_setup(&(struct wb_conf){ 0 });
	libmlx5_replace();
	driver_replace();
	return 0;
}

static int
teardown(void **state)
{
	ibv_destroy_ah(dc.ah);
	return wb_teardown(state);
}

int
main(int argc, char **argv)
{
	return wb_run(argc, argv, setup, teardown);
}
