/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Transfers of DC initiators: the same bytes as libmlx5, address vector included, to two targets
 * by turns. Layouts cannot be compared, because libmlx5 has none on initiators; the UMR that it
 * has there, the local invalidation, can.
 */

#include "bytes.h"

#define NB_TARGETS	2u
#define MAX_LEN		1024u
#define MAX_INLINE_LEN	200u
#define AV_BYTE		sizeof(struct mlx5_wqe_ctrl_seg)
#define BODY_BYTE	(AV_BYTE + sizeof(struct mlx5_wqe_av))
#define RADDR_SIZE	sizeof(struct mlx5_wqe_raddr_seg)
#define KEY_OF(target)	(UINT64_C(0xfedcba9876543210) + (target))
#define ROCE_MIN_SPORT	0xc000u

enum op {
	OP_WRITE,
	OP_WRITE_IMM,
	OP_WRITE_INLINE,
	OP_READ,
	OP_FETCH_ADD,
	OP_CMP_SWAP,
	OP_SEND,
	OP_SEND_IMM,
	OP_SEND_INLINE,
	NB_OPS,
};

/* A transfer, for both sides. */
struct xfer {
	enum op op;
	uint32_t target;
	uint32_t len;
	uint64_t addr;
	uint64_t raddr;
	rte_be32_t imm;
};

static struct {
	struct ibv_ah *ah;
	bool is_eth;
	uint32_t dctn[NB_TARGETS];
	struct rte_umr_dc_addr addr[NB_TARGETS];
} dc;

static bool
is_inline(enum op op)
{
	return op == OP_WRITE_INLINE || op == OP_SEND_INLINE;
}

static bool
is_atomic(enum op op)
{
	return op == OP_FETCH_ADD || op == OP_CMP_SWAP;
}

static bool
has_raddr(enum op op)
{
	return op < OP_SEND;
}

static bool
has_imm(enum op op)
{
	return op == OP_WRITE_IMM || op == OP_SEND_IMM;
}

static bool
takes_recv(enum op op)
{
	return op >= OP_SEND || op == OP_WRITE_IMM;
}

/* A receive of the target takes a message of either side. */
static void
recv_post(uint32_t target)
{
	struct rte_umr_seg seg = {
		.addr = (uintptr_t)wb.mem + WB_MEM_SIZE - MAX_LEN,
		.length = MAX_LEN,
		.lkey = wb.umr_mr->lkey,
	};

	assert_true(rte_umr_recv(wb.dev_id, (uint16_t)(1 + target), &seg, 1, 0) >= 0);
}

static void
recv_take(uint32_t target)
{
	struct rte_umr_completion done;

	assert_int_equal(rte_umr_recv_completed(wb.dev_id, (uint16_t)(1 + target), 1, &done), 1);
	assert_int_equal(done.status, RTE_UMR_STATUS_SUCCESS);
}

static void
libmlx5_post(const struct xfer *x, struct wb_wqe *wqe)
{
	uint32_t rkey = wb.umr_mr->rkey;

	wb_libmlx5_begin(false);
	switch (x->op) {
	case OP_WRITE:
	case OP_WRITE_INLINE:
		ibv_wr_rdma_write(wb.qpx, rkey, x->raddr);
		break;
	case OP_WRITE_IMM:
		ibv_wr_rdma_write_imm(wb.qpx, rkey, x->raddr, x->imm);
		break;
	case OP_READ:
		ibv_wr_rdma_read(wb.qpx, rkey, x->raddr);
		break;
	case OP_FETCH_ADD:
		ibv_wr_atomic_fetch_add(wb.qpx, rkey, x->raddr, x->imm);
		break;
	case OP_CMP_SWAP:
		ibv_wr_atomic_cmp_swp(wb.qpx, rkey, x->raddr, x->imm, x->addr);
		break;
	case OP_SEND_IMM:
		ibv_wr_send_imm(wb.qpx, x->imm);
		break;
	default:
		ibv_wr_send(wb.qpx);
	}
	if (is_inline(x->op))
		ibv_wr_set_inline_data(wb.qpx, (void *)(uintptr_t)x->addr, x->len);
	else
		ibv_wr_set_sge(wb.qpx, wb.mr->lkey, x->addr, x->len);
	mlx5dv_wr_set_dc_addr(wb.dvqp, dc.ah, dc.dctn[x->target], KEY_OF(x->target));
	wb_libmlx5_end(wqe);
}

static void
driver_post(const struct xfer *x, struct wb_wqe *wqe)
{
	struct rte_umr_seg seg = { .addr = x->addr, .length = x->len, .lkey = wb.umr_mr->lkey };
	uint64_t flags = is_inline(x->op) ? RTE_UMR_OP_F_INLINE : 0;
	uint32_t rkey = wb.umr_mr->rkey;
	uint16_t pi = wb.queue->sq_pi;
	int ret;

	assert_int_equal(rte_umr_dc_addr_set(wb.dev_id, 0, &dc.addr[x->target]), 0);
	switch (x->op) {
	case OP_WRITE:
	case OP_WRITE_INLINE:
		ret = rte_umr_write(wb.dev_id, 0, &seg, x->raddr, rkey, flags);
		break;
	case OP_WRITE_IMM:
		ret = rte_umr_write_imm(wb.dev_id, 0, &seg, x->raddr, rkey, x->imm, 0);
		break;
	case OP_READ:
		ret = rte_umr_read(wb.dev_id, 0, &seg, x->raddr, rkey, 0);
		break;
	case OP_FETCH_ADD:
		ret = rte_umr_fetch_add(wb.dev_id, 0, &seg, x->raddr, rkey, x->imm, 0);
		break;
	case OP_CMP_SWAP:
		ret = rte_umr_cmp_swap(wb.dev_id, 0, &seg, x->raddr, rkey, x->imm, x->addr, 0);
		break;
	case OP_SEND_IMM:
		ret = rte_umr_send_imm(wb.dev_id, 0, &seg, x->imm, 0);
		break;
	default:
		ret = rte_umr_send(wb.dev_id, 0, &seg, flags);
	}
	wb_driver_end(ret, pi, wqe);
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

/* The local key is that of each side; of bytes in the WQE, what follows them is not set by all. */
static void
mask_data(const struct xfer *x, struct wb_wqe *wqe, uint32_t lkey)
{
	uint8_t *seg = wqe->bytes + BODY_BYTE + (has_raddr(x->op) ? RADDR_SIZE : 0) +
		       (is_atomic(x->op) ? sizeof(struct mlx5_wqe_atomic_seg) : 0);
	struct mlx5_wqe_data_seg *data = (void *)seg;
	size_t used;

	if (x->len == 0)
		return;
	if (!is_inline(x->op)) {
		assert_int_equal(be32toh(data->lkey), lkey);
		data->lkey = 0;
		return;
	}
	used = (size_t)(seg - wqe->bytes) + sizeof(struct mlx5_wqe_inl_data_seg) + x->len;
	memset(wqe->bytes + used, 0, wqe->len - used);
}

static void
compare(const struct xfer *x)
{
	uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;
	struct wb_wqe theirs, ours;

	if (takes_recv(x->op))
		recv_post(x->target);
	libmlx5_post(x, &theirs);
	if (takes_recv(x->op)) {
		recv_take(x->target);
		recv_post(x->target);
	}
	driver_post(x, &ours);
	if (takes_recv(x->op))
		recv_take(x->target);
	wb_mask_ctrl(&theirs, wb.qp->qp_num, their_pi);
	wb_mask_ctrl(&ours, wb.queue->qpn, our_pi);
	if (!has_imm(x->op))
		((struct mlx5_wqe_ctrl_seg *)theirs.bytes)->imm = 0;
	mask_av(&theirs, &ours);
	mask_data(x, &theirs, wb.mr->lkey);
	mask_data(x, &ours, wb.umr_mr->lkey);
	/* A fetch and add has no second operand; libmlx5 leaves what an older WQE had there. */
	if (x->op == OP_FETCH_ADD)
		memset(theirs.bytes + BODY_BYTE + RADDR_SIZE + 8, 0, 8);
	wb_assert_same(&theirs, &ours);
}

static void
transfers_have_the_same_bytes(void **state)
{
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	(void)state;
	for (i = 0; i < nb; i++) {
		struct xfer x = {
			.op = (enum op)(i % NB_OPS),
			.target = wb_random32() % NB_TARGETS,
			.len = i / NB_OPS % 8 == 0 ? 0 : wb_random32() % MAX_LEN + 1,
			.addr = (uintptr_t)wb.mem + wb_random32() % (WB_MEM_SIZE / 4),
			.raddr = (uintptr_t)wb.mem + WB_MEM_SIZE / 2 + wb_random32() % 1024 * 8,
			.imm = wb_random32(),
		};

		if (is_inline(x.op))
			x.len %= MAX_INLINE_LEN + 1;
		if (is_atomic(x.op))
			x.len = RTE_UMR_ATOMIC_LEN;
		compare(&x);
	}
}

/* A layout is followed by the same fence as on RC; here only libmlx5's invalidation can set one. */
static void
invalidations_have_no_address(void **state)
{
	struct mlx5_wqe_mkey_context_seg *mkc;
	struct wb_wqe theirs, ours;
	struct xfer x = {
		.op = OP_WRITE,
		.len = 8,
		.addr = (uintptr_t)wb.mem,
		.raddr = (uintptr_t)wb.mem + WB_MEM_SIZE / 2,
	};
	const uint32_t nb = test_nb_cases();
	uint32_t i;

	(void)state;
	for (i = 0; i < nb; i++) {
		uint16_t their_pi = wb.pi, our_pi = wb.queue->sq_pi;

		wb_libmlx5_begin(false);
		ibv_wr_local_inv(wb.qpx, wb.mkey->rkey);
		wb_libmlx5_end(&theirs);
		wb_driver_end(rte_umr_mkey_invalidate(wb.dev_id, 0, wb.key, 0), our_pi, &ours);
		wb_mask_ctrl(&theirs, wb.qp->qp_num, their_pi);
		wb_mask_ctrl(&ours, wb.queue->qpn, our_pi);
		wb_mask_imm(&theirs, wb.mkey->rkey);
		wb_mask_imm(&ours, wb.key->key);
		mkc = (void *)(theirs.bytes + PRM_WQE_BB_SIZE);
		*mkc = (struct mlx5_wqe_mkey_context_seg){
			.free = mkc->free,
			.qpn_mkey = mkc->qpn_mkey,
		};
		wb_assert_same(&theirs, &ours);
		compare(&x);	/* fenced */
		compare(&x);	/* not fenced */
	}
}

static struct ibv_ah_attr
own_address(void)
{
	struct ibv_ah_attr attr = { .port_num = 1 };
	struct ibv_port_attr port;

	assert_int_equal(ibv_query_port(wb.ctx, 1, &port), 0);
	dc.is_eth = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	attr.dlid = port.lid;
	if (!dc.is_eth)
		return attr;
	attr.is_global = 1;
	attr.grh.hop_limit = 255;
	assert_int_equal(ibv_query_gid(wb.ctx, 1, 0, &attr.grh.dgid), 0);
	return attr;
}

static void
dci_connect(struct ibv_ah_attr *ah_attr)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };

	assert_int_equal(ibv_modify_qp(wb.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
				       IBV_QP_PORT), 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.ah_attr = *ah_attr,
	};
	assert_int_equal(ibv_modify_qp(wb.qp, &attr, IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_AV),
			 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	assert_int_equal(ibv_modify_qp(wb.qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
				       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				       IBV_QP_MAX_QP_RD_ATOMIC), 0);
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
		.qp_type = IBV_QPT_DRIVER,
		.send_cq = wb.cq,
		.recv_cq = wb.cq,
		.pd = wb.pd,
		.cap = { .max_send_wr = 16, .max_send_sge = 1, .max_inline_data = MAX_INLINE_LEN },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_LOCAL_INV |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD |
				  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP,
	};
	struct mlx5dv_obj obj = { .qp = { .out = &wb.dv } };
	struct ibv_ah_attr ah_attr = own_address();

	assert_int_equal(ibv_destroy_qp(wb.qp), 0);
	wb.qp = mlx5dv_create_qp(wb.ctx, &attr, &dv_attr);
	assert_non_null(wb.qp);
	wb.qpx = ibv_qp_to_qp_ex(wb.qp);
	wb.dvqp = mlx5dv_qp_ex_from_ibv_qp_ex(wb.qpx);
	obj.qp.in = wb.qp;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	wb.pi = 0;
	dci_connect(&ah_attr);
	dc.ah = ibv_create_ah(wb.pd, &ah_attr);
	assert_non_null(dc.ah);
}

/* An initiator in the place of the loopback, and two targets. */
static void
driver_replace(void)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 + NB_TARGETS };
	const struct rte_umr_queue_conf dci_conf = {
		.transport = RTE_UMR_TRANSPORT_DCI,
		.nb_desc = WB_NB_DESC,
		.socket_id = SOCKET_ID_ANY,
	};
	struct rte_umr_queue_conf dct_conf = {
		.transport = RTE_UMR_TRANSPORT_DCT,
		.nb_recv_desc = 4,
		.socket_id = SOCKET_ID_ANY,
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
	(void)state;
	wb_setup(&(struct wb_conf){ 0 });
	libmlx5_replace();
	driver_replace();
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	ibv_destroy_ah(dc.ah);
	return wb_teardown();
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transfers_have_the_same_bytes),
		cmocka_unit_test(invalidations_have_no_address),
	};

	return wb_run(argc, argv, tests, setup, teardown);
}
