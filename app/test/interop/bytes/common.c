/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "../world.h"
#include "bytes.h"

struct wb wb;

uint32_t
wb_random32(void)
{
	return (uint32_t)rand_r(&wb.seed) << 16 ^ (uint32_t)rand_r(&wb.seed);
}

uint64_t
wb_random64(void)
{
	return (uint64_t)wb_random32() << 32 | wb_random32();
}

struct ibv_sge
wb_random_sge(uint32_t max)
{
	return (struct ibv_sge){
		.addr = wb_random64(), .length = wb_random32() % max + 1, .lkey = wb_random32(),
	};
}

struct mlx5dv_mr_interleaved
wb_random_interleaved(void)
{
	uint32_t count = wb_random32() % UINT16_MAX + 1;

	return (struct mlx5dv_mr_interleaved){
		.addr = wb_random64(), .bytes_count = count,
		.bytes_skip = wb_random32() % (UINT16_MAX - count + 1), .lkey = wb_random32(),
	};
}

uint16_t
wb_wqe_copy(const uint8_t *ring, uint32_t nb_bb_ring, uint16_t pi, struct wb_wqe *wqe)
{
	const struct mlx5_wqe_ctrl_seg *ctrl =
		(const void *)(ring + (size_t)(pi % nb_bb_ring) * PRM_WQE_BB_SIZE);
	uint32_t nb_ds = be32toh(ctrl->qpn_ds) & PRM_WQE_MAX_DS, i;

	wqe->len = nb_ds * PRM_WQE_DS_SIZE;
	for (i = 0; i < prm_ds_to_wqebb(nb_ds); i++)
		memcpy(wqe->bytes + (size_t)i * PRM_WQE_BB_SIZE,
		       ring + (size_t)((pi + i) % nb_bb_ring) * PRM_WQE_BB_SIZE, PRM_WQE_BB_SIZE);
	return (uint16_t)(pi + i);
}

void
wb_libmlx5_wait(void)
{
	expect_success(wb.cq);
}

void
wb_libmlx5_end_multi(struct wb_wqe *wqes, unsigned int nb)
{
	unsigned int i;

	assert_int_equal(ibv_wr_complete(wb.qpx), 0);
	for (i = 0; i < nb; i++)
		wb.pi = wb_wqe_copy(wb.dv.sq.buf, wb.dv.sq.wqe_cnt, wb.pi, &wqes[i]);
	wb_libmlx5_wait();
}

void
wb_libmlx5_end(struct wb_wqe *wqe)
{
	wb_libmlx5_end_multi(wqe, 1);
}

void
wb_libmlx5_begin(bool is_umr)
{
	ibv_wr_start(wb.qpx);
	wb.qpx->wr_id = 1;
	wb.qpx->wr_flags = IBV_SEND_SIGNALED | (is_umr ? IBV_SEND_INLINE : 0);
}

void
wb_driver_wait(uint16_t nb)
{
	const uint64_t deadline = patience_end();
	uint16_t idx, nb_done = 0;
	bool has_error = false;

	while (nb_done < nb && !has_error && !patience_is_over(deadline))
		nb_done += rte_umr_completed(wb.dev_id, 0, nb, &idx, &has_error);
	assert_false(has_error);
	assert_int_equal(nb_done, nb);
}

void
wb_driver_end_multi(int ret, uint16_t pi, struct wb_wqe *wqes, unsigned int nb)
{
	unsigned int i;

	assert_true(ret >= 0);
	for (i = 0; i < nb; i++)
		pi = wb_wqe_copy(wb.queue->sq_ring, wb.queue->sq_mask + 1u, pi, &wqes[i]);
	assert_int_equal(pi, (uint16_t)wb.queue->sq_pi);
	assert_int_equal(rte_umr_submit(wb.dev_id, 0), 0);
	wb_driver_wait(1);
}

void
wb_driver_end(int ret, uint16_t pi, struct wb_wqe *wqe)
{
	wb_driver_end_multi(ret, pi, wqe, 1);
}

void
wb_mask_ctrl(struct wb_wqe *wqe, uint32_t qpn, uint16_t pi)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	assert_int_equal(be32toh(ctrl->opmod_idx_opcode) >> 8 & 0xffff, pi);
	assert_int_equal(be32toh(ctrl->qpn_ds) >> 8, qpn);
	ctrl->opmod_idx_opcode &= htobe32(0xff0000ff);
	ctrl->qpn_ds &= htobe32(0xff);
	ctrl->fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
}

void
wb_mask_imm(struct wb_wqe *wqe, uint32_t key)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	assert_int_equal(be32toh(ctrl->imm), key);
	ctrl->imm = 0;
}

void
wb_mask_key(struct wb_wqe *wqe, uint32_t key)
{
	struct mlx5_wqe_mkey_context_seg *mkc = (void *)(wqe->bytes + PRM_WQE_BB_SIZE);

	wb_mask_imm(wqe, key);
	assert_int_equal(be32toh(mkc->qpn_mkey) & 0xff, key & 0xff);
	mkc->qpn_mkey &= htobe32(0xffffff00);
}

void
wb_assert_same(const struct wb_wqe *theirs, const struct wb_wqe *ours)
{
	assert_int_equal(ours->len, theirs->len);
	assert_memory_equal(ours->bytes, theirs->bytes, theirs->len);
}

void
wb_pair_begin(struct wb_pair *pair)
{
	pair->their_pi = wb.pi;
	pair->our_pi = wb.queue->sq_pi;
}

void
wb_pair_mask_ctrls(struct wb_pair *pair)
{
	wb_mask_ctrl(&pair->theirs, wb.qp->qp_num, pair->their_pi);
	wb_mask_ctrl(&pair->ours, wb.queue->qpn, pair->our_pi);
}

void
wb_pair_mask_be32(struct wb_pair *pair, size_t offset, uint32_t theirs, uint32_t ours)
{
	uint32_t value;

	memcpy(&value, pair->theirs.bytes + offset, sizeof(value));
	assert_int_equal(be32toh(value), theirs);
	memcpy(&value, pair->ours.bytes + offset, sizeof(value));
	assert_int_equal(be32toh(value), ours);
	memcpy(pair->theirs.bytes + offset, &value, sizeof(value));
}

void
wb_compare_umr(struct wb_pair *pair)
{
	wb_pair_mask_ctrls(pair);
	wb_mask_key(&pair->theirs, wb.mkey->lkey);
	wb_mask_key(&pair->ours, wb.key->key);
	wb_assert_same(&pair->theirs, &pair->ours);
}

void
wb_compare_invalidation(void)
{
	struct mlx5_wqe_mkey_context_seg *mkc;
	struct wb_pair pair;

	wb_pair_begin(&pair);
	wb_libmlx5_begin(false);
	ibv_wr_local_inv(wb.qpx, wb.mkey->rkey);
	wb_libmlx5_end(&pair.theirs);
	wb_driver_end(rte_umr_mkey_invalidate(wb.dev_id, 0, wb.key, 0), pair.our_pi, &pair.ours);
	wb_pair_mask_ctrls(&pair);
	wb_mask_imm(&pair.theirs, wb.mkey->rkey);
	wb_mask_imm(&pair.ours, wb.key->key);
	mkc = (void *)(pair.theirs.bytes + PRM_WQE_BB_SIZE);
	*mkc = (struct mlx5_wqe_mkey_context_seg){
		.free = mkc->free, .qpn_mkey = mkc->qpn_mkey,
	};
	wb_assert_same(&pair.theirs, &pair.ours);
}

uint32_t
wb_random_access(unsigned int *verbs)
{
	static const struct {
		uint32_t umr;
		unsigned int verbs;
	} rights[] = {
		{ RTE_UMR_ACCESS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE },
		{ RTE_UMR_ACCESS_REMOTE_READ, IBV_ACCESS_REMOTE_READ },
		{ RTE_UMR_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_WRITE },
		{ RTE_UMR_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_ATOMIC },
	};
	uint32_t access = 0;
	unsigned int i;

	*verbs = 0;
	for (i = 0; i < RTE_DIM(rights); i++) {
		if ((wb_random32() & 1) == 0)
			continue;
		access |= rights[i].umr;
		*verbs |= rights[i].verbs;
	}
	return access;
}

static void
libmlx5_setup(const struct wb_conf *conf)
{
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED |
				  conf->dv_ops,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 1, .max_recv_sge = 1,
			 .max_send_sge = RTE_MAX(conf->max_sge, 1),
			 .max_inline_data = WB_MAX_INLINE },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_LOCAL_INV | conf->ibv_ops,
	};
	struct mlx5dv_mkey_init_attr mkey_attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT | conf->mkey_flags,
		.max_entries = WB_MAX_ENTRIES,
	};
	const struct rc_qp_conf rc_conf = {
		.access = ALL_ACCESS & ~IBV_ACCESS_LOCAL_WRITE, .mtu = IBV_MTU_1024,
		.rd_atomic = 1, .min_rnr_timer = 12, .timeout = 14, .retry_cnt = 7, .rnr_retry = 7,
	};
	struct mlx5dv_obj obj = { .qp = { .out = &wb.dv } };

	wb.ctx = device_open(WB_DEVICE);
	wb.pd = ibv_alloc_pd(wb.ctx);
	assert_non_null(wb.pd);
	wb.cq = ibv_create_cq(wb.ctx, 64, NULL, NULL, 0);
	assert_non_null(wb.cq);
	attr.pd = wb.pd;
	attr.send_cq = attr.recv_cq = wb.cq;
	wb.qp = mlx5dv_create_qp(wb.ctx, &attr, &dv_attr);
	assert_non_null(wb.qp);
	wb.qpx = ibv_qp_to_qp_ex(wb.qp);
	wb.dvqp = mlx5dv_qp_ex_from_ibv_qp_ex(wb.qpx);
	obj.qp.in = wb.qp;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	assert_int_equal(rc_qp_connect_itself(wb.qp, &rc_conf), 0);
	mkey_attr.pd = wb.pd;
	wb.mkey = mlx5dv_create_mkey(&mkey_attr);
	assert_non_null(wb.mkey);
	wb.mr = ibv_reg_mr(wb.pd, wb.mem, WB_MEM_SIZE, ALL_ACCESS);
	assert_non_null(wb.mr);
}

static void
driver_setup(const struct wb_conf *conf)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.nb_desc = WB_NB_DESC, .nb_recv_desc = conf->nb_recv_desc,
		.socket_id = SOCKET_ID_ANY,
		.nb_sig_mkeys = conf->pool_flags & RTE_UMR_MKEY_POOL_F_SIG ? 4 : 0,
	};
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 4, .max_entries = WB_MAX_ENTRIES, .socket_id = SOCKET_ID_ANY,
		.flags = conf->pool_flags,
	};

	assert_int_equal(rte_umr_dev_probe(WB_DEVICE, &wb.dev_id), 0);
	assert_int_equal(rte_umr_dev_configure(wb.dev_id, &dev_conf), 0);
	assert_int_equal(rte_umr_queue_setup(wb.dev_id, 0, &queue_conf), 0);
	assert_int_equal(rte_umr_dev_start(wb.dev_id), 0);
	wb.pool = rte_umr_mkey_pool_create(wb.dev_id, &pool_conf);
	assert_non_null(wb.pool);
	wb.key = rte_umr_mkey_get(wb.pool);
	assert_non_null(wb.key);
	/* Requests are compared in any order, also those that need a layout in front of them. */
	wb.key->is_laid = true;
	wb.umr_mr = rte_umr_mr_register(wb.dev_id, &(struct rte_umr_mr_conf){
		.addr = wb.mem, .len = WB_MEM_SIZE, .access = RTE_UMR_ACCESS_ALL });
	assert_non_null(wb.umr_mr);
	wb.queue = (void *)rte_umr_fp_entry(wb.dev_id, 0)->queue;
}

int
wb_setup(const struct wb_conf *conf)
{
	wb.mem = aligned_alloc(4096, WB_MEM_SIZE);
	assert_non_null(wb.mem);
	memset(wb.mem, 0x5a, WB_MEM_SIZE);
	wb.seed = test_seed();
	libmlx5_setup(conf);
	driver_setup(conf);
	return 0;
}

int
wb_teardown(void **state)
{
	rte_umr_mr_deregister(wb.umr_mr);
	rte_umr_mkey_put(wb.pool, wb.key);
	rte_umr_mkey_pool_destroy(wb.pool);
	rte_umr_dev_stop(wb.dev_id);
	rte_umr_dev_close(wb.dev_id);
	ibv_dereg_mr(wb.mr);
	mlx5dv_destroy_mkey(wb.mkey);
	ibv_destroy_qp(wb.qp);
	ibv_destroy_cq(wb.cq);
	ibv_dealloc_pd(wb.pd);
	ibv_close_device(wb.ctx);
	free(wb.mem);
	return 0;
}

int
wb_end_of(int nb_failed)
{
	rte_eal_cleanup();
	return nb_failed;
}

void
wb_receives_post(uint32_t len)
{
	const struct rte_umr_seg room = {
		.addr = (uintptr_t)wb.mem + WB_MEM_SIZE - len, .length = len,
		.lkey = wb.umr_mr->lkey,
	};
	struct ibv_sge sge = { .addr = room.addr, .length = len, .lkey = wb.mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_recv(wb.qp, &wr, &bad), 0);
	assert_true(rte_umr_recv(wb.dev_id, 0, &room, 1, 0) >= 0);
}

void
wb_receives_wait(void)
{
	const uint64_t deadline = patience_end();
	struct rte_umr_completion done;

	wb_libmlx5_wait();
	while (rte_umr_recv_completed(wb.dev_id, 0, 1, &done) == 0)
		assert_true(!patience_is_over(deadline));
	assert_int_equal(done.status, RTE_UMR_STATUS_SUCCESS);
}
