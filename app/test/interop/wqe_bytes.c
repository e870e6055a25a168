/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The reference encoder: what an unmodified libmlx5 writes into its send ring for a request, and
 * what the driver writes into its own for the same one, byte for byte.
 *
 * These fields differ and are compared by value or by rule, not byte by byte:
 *   - WQE index and QP number: each ring has its own;
 *   - completion mode: libmlx5 is asked for one each time, the driver asks once a submit;
 *   - key in ctrl.imm and its tag in the key context: each side configures a key of its own;
 *   - what the device ignores and libmlx5 leaves as an older WQE had it: ctrl.imm of a transfer
 *     without immediate, and the key context of an invalidation apart from free and the tag.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <rte_eal.h>
#include <rte_memory.h>
#include <rte_umr.h>

#include "mlx5_umr_queue.h"
#include "mlx5_umr_wqe.h"

#define DEVICE		"mlx5_0"
#define NB_DESC		256u
#define MAX_WQE		1024u
#define NB_RANDOM	2500u
#define MEM_SIZE	65536u
#define MAX_ENTRIES	PRM_UMR_INLINE_KLM_MAX
/* 828 bytes inline are what 52 KLMs need by libmlx5's count. */
#define MAX_INLINE	828u
#define DEADLINE_S	10

static struct {
	/* libmlx5 */
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct mlx5dv_qp_ex *dvqp;
	struct mlx5dv_qp dv;
	struct mlx5dv_mkey *mkey;
	struct ibv_mr *mr;
	uint16_t pi;
	/* the driver */
	int16_t dev_id;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *key;
	struct rte_umr_mr *umr_mr;
	struct mlx5_umr_queue *queue;
	void *mem;
	unsigned int seed;
} t;

struct wqe {
	uint8_t bytes[MAX_WQE];
	uint32_t len;
};

static uint32_t
random32(void)
{
	return (uint32_t)rand_r(&t.seed) << 16 ^ (uint32_t)rand_r(&t.seed);
}

/* Copy a WQE out of a ring and return where the next one begins. */
static uint16_t
wqe_copy(const uint8_t *ring, uint32_t nb_bb_ring, uint16_t pi, struct wqe *wqe)
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

static void
libmlx5_wait(void)
{
	time_t deadline = time(NULL) + DEADLINE_S;
	struct ibv_wc wc;
	int nb = 0;

	while (nb == 0 && time(NULL) < deadline)
		nb = ibv_poll_cq(t.cq, 1, &wc);
	assert_int_equal(nb, 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
}

static void
libmlx5_end(struct wqe *wqe)
{
	assert_int_equal(ibv_wr_complete(t.qpx), 0);
	t.pi = wqe_copy(t.dv.sq.buf, t.dv.sq.wqe_cnt, t.pi, wqe);
	libmlx5_wait();
}

static void
libmlx5_begin(bool is_umr)
{
	ibv_wr_start(t.qpx);
	t.qpx->wr_id = 1;
	t.qpx->wr_flags = IBV_SEND_SIGNALED | (is_umr ? IBV_SEND_INLINE : 0);
}

static void
driver_wait(uint16_t nb)
{
	time_t deadline = time(NULL) + DEADLINE_S;
	uint16_t idx, nb_done = 0;
	bool has_error = false;

	while (nb_done < nb && !has_error && time(NULL) < deadline)
		nb_done += rte_umr_completed(t.dev_id, 0, nb, &idx, &has_error);
	assert_false(has_error);
	assert_int_equal(nb_done, nb);
}

/* The operation that was just enqueued at pi. */
static void
driver_end(int ret, uint16_t pi, struct wqe *wqe)
{
	assert_true(ret >= 0);
	assert_int_equal(wqe_copy(t.queue->sq_ring, t.queue->sq_mask + 1u, pi, wqe),
			 t.queue->sq_pi);
	assert_int_equal(rte_umr_submit(t.dev_id, 0), 0);
	driver_wait(1);
}

/* Take out the fields that the head of this file names, after checking them. */
static void
mask_ctrl(struct wqe *wqe, uint32_t qpn, uint16_t pi)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	assert_int_equal(be32toh(ctrl->opmod_idx_opcode) >> 8 & 0xffff, pi);
	assert_int_equal(be32toh(ctrl->qpn_ds) >> 8, qpn);
	ctrl->opmod_idx_opcode &= htobe32(0xff0000ff);
	ctrl->qpn_ds &= htobe32(0xff);
	ctrl->fm_ce_se &= (uint8_t)~PRM_CTRL_CE_MASK;
}

static void
mask_imm(struct wqe *wqe, uint32_t key)
{
	struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe->bytes;

	assert_int_equal(be32toh(ctrl->imm), key);
	ctrl->imm = 0;
}

static void
mask_key(struct wqe *wqe, uint32_t key)
{
	struct mlx5_wqe_mkey_context_seg *mkc = (void *)(wqe->bytes + PRM_WQE_BB_SIZE);

	mask_imm(wqe, key);
	assert_int_equal(be32toh(mkc->qpn_mkey) & 0xff, key & 0xff);
	mkc->qpn_mkey &= htobe32(0xffffff00);
}

static void
assert_same(const struct wqe *theirs, const struct wqe *ours)
{
	assert_int_equal(ours->len, theirs->len);
	assert_memory_equal(ours->bytes, theirs->bytes, theirs->len);
}

static void
compare_umr(struct wqe *theirs, uint16_t their_pi, struct wqe *ours, uint16_t our_pi)
{
	mask_ctrl(theirs, t.qp->qp_num, their_pi);
	mask_ctrl(ours, t.queue->qpn, our_pi);
	mask_key(theirs, t.mkey->lkey);
	mask_key(ours, t.key->key);
	assert_same(theirs, ours);
}

static uint32_t
random_access(unsigned int *verbs)
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
		if ((random32() & 1) == 0)
			continue;
		access |= rights[i].umr;
		*verbs |= rights[i].verbs;
	}
	return access;
}

static void
random_lists_have_the_same_bytes(void **state)
{
	struct ibv_sge sges[MAX_ENTRIES];
	uint16_t their_pi, our_pi;
	struct wqe theirs, ours;
	unsigned int verbs;
	uint32_t i, j, nb, access;

	(void)state;
	for (i = 0; i < NB_RANDOM; i++) {
		nb = i < MAX_ENTRIES ? i + 1 : random32() % MAX_ENTRIES + 1;
		/* 2 GiB together at most: libmlx5 44 counts in an int (fixed in rdma-core 61). */
		for (j = 0; j < nb; j++)
			sges[j] = (struct ibv_sge){
				.addr = (uint64_t)random32() << 32 | random32(),
				.length = random32() % (INT32_MAX / MAX_ENTRIES) + 1,
				.lkey = random32(),
			};
		access = random_access(&verbs);
		their_pi = t.pi;
		libmlx5_begin(true);
		mlx5dv_wr_mr_list(t.dvqp, t.mkey, verbs, (uint16_t)nb, sges);
		libmlx5_end(&theirs);
		our_pi = t.queue->sq_pi;
		driver_end(rte_umr_mkey_list(t.dev_id, 0, t.key, access,
					     (const struct rte_umr_seg *)sges, nb, 0),
			   our_pi, &ours);
		compare_umr(&theirs, their_pi, &ours, our_pi);
	}
}

static void
random_interleavings_have_the_same_bytes(void **state)
{
	struct mlx5dv_mr_interleaved entries[MAX_ENTRIES];
	uint16_t their_pi, our_pi;
	struct wqe theirs, ours;
	uint32_t i, j, nb, access, repeat;
	unsigned int verbs;

	(void)state;
	for (i = 0; i < NB_RANDOM; i++) {
		nb = i < MAX_ENTRIES - 1 ? i + 1 : random32() % (MAX_ENTRIES - 1) + 1;
		for (j = 0; j < nb; j++) {
			uint32_t count = random32() % UINT16_MAX + 1;

			entries[j] = (struct mlx5dv_mr_interleaved){
				.addr = (uint64_t)random32() << 32 | random32(),
				.bytes_count = count,
				.bytes_skip = random32() % (UINT16_MAX - count + 1),
				.lkey = random32(),
			};
		}
		access = random_access(&verbs);
		repeat = random32() | 1;
		their_pi = t.pi;
		libmlx5_begin(true);
		mlx5dv_wr_mr_interleaved(t.dvqp, t.mkey, verbs, repeat, (uint16_t)nb, entries);
		libmlx5_end(&theirs);
		our_pi = t.queue->sq_pi;
		driver_end(rte_umr_mkey_interleaved(t.dev_id, 0, t.key, access, repeat,
						    (const struct rte_umr_interleaved *)entries,
						    nb, 0),
			   our_pi, &ours);
		compare_umr(&theirs, their_pi, &ours, our_pi);
	}
}

static void
invalidations_have_the_same_bytes(void **state)
{
	struct mlx5_wqe_mkey_context_seg *mkc;
	uint16_t their_pi, our_pi;
	struct wqe theirs, ours;
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		their_pi = t.pi;
		libmlx5_begin(false);
		ibv_wr_local_inv(t.qpx, t.mkey->rkey);
		libmlx5_end(&theirs);
		our_pi = t.queue->sq_pi;
		driver_end(rte_umr_mkey_invalidate(t.dev_id, 0, t.key, 0), our_pi, &ours);
		mask_ctrl(&theirs, t.qp->qp_num, their_pi);
		mask_ctrl(&ours, t.queue->qpn, our_pi);
		mask_imm(&theirs, t.mkey->rkey);
		mask_imm(&ours, t.key->key);
		mkc = (void *)(theirs.bytes + PRM_WQE_BB_SIZE);
		*mkc = (struct mlx5_wqe_mkey_context_seg){
			.free = mkc->free,
			.qpn_mkey = mkc->qpn_mkey,
		};
		assert_same(&theirs, &ours);
	}
}

/* A transfer of the same memory by both sides. */
static void
compare_rdma(bool is_read)
{
	uint64_t addr = (uintptr_t)t.mem + random32() % (MEM_SIZE / 2);
	uint64_t raddr = (uintptr_t)t.mem + MEM_SIZE / 2 + random32() % 1024;
	uint32_t len = random32() % 1024 + 1;
	struct rte_umr_seg seg = { .addr = addr, .length = len, .lkey = t.umr_mr->lkey };
	uint16_t their_pi = t.pi, our_pi = t.queue->sq_pi;
	struct wqe theirs, ours;
	struct mlx5_wqe_raddr_seg *their_raddr = (void *)(theirs.bytes + 16);
	struct mlx5_wqe_raddr_seg *our_raddr = (void *)(ours.bytes + 16);
	struct mlx5_wqe_data_seg *their_data = (void *)(theirs.bytes + 32);
	struct mlx5_wqe_data_seg *our_data = (void *)(ours.bytes + 32);
	int ret;

	libmlx5_begin(false);
	if (is_read)
		ibv_wr_rdma_read(t.qpx, t.mr->rkey, raddr);
	else
		ibv_wr_rdma_write(t.qpx, t.mr->rkey, raddr);
	ibv_wr_set_sge(t.qpx, t.mr->lkey, addr, len);
	libmlx5_end(&theirs);
	if (is_read)
		ret = rte_umr_read(t.dev_id, 0, &seg, raddr, t.umr_mr->rkey, 0);
	else
		ret = rte_umr_write(t.dev_id, 0, &seg, raddr, t.umr_mr->rkey, 0);
	driver_end(ret, our_pi, &ours);
	mask_ctrl(&theirs, t.qp->qp_num, their_pi);
	mask_ctrl(&ours, t.queue->qpn, our_pi);
	/* The region is registered once by each side. */
	assert_int_equal(be32toh(their_raddr->rkey), t.mr->rkey);
	assert_int_equal(be32toh(our_raddr->rkey), t.umr_mr->rkey);
	assert_int_equal(be32toh(their_data->lkey), t.mr->lkey);
	assert_int_equal(be32toh(our_data->lkey), t.umr_mr->lkey);
	((struct mlx5_wqe_ctrl_seg *)theirs.bytes)->imm = 0;
	their_raddr->rkey = our_raddr->rkey;
	their_data->lkey = our_data->lkey;
	assert_same(&theirs, &ours);
}

static void
transfers_have_the_same_bytes(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 400; i++)
		compare_rdma(i % 2 != 0);
}

static void
transfer_behind_an_umr_has_the_same_fence(void **state)
{
	struct ibv_sge sge = { .addr = 0, .length = 8, .lkey = 1 };

	(void)state;
	libmlx5_begin(true);
	mlx5dv_wr_mr_list(t.dvqp, t.mkey, 0, 1, &sge);
	libmlx5_end(&(struct wqe){ 0 });
	assert_true(rte_umr_mkey_list(t.dev_id, 0, t.key, 0, (struct rte_umr_seg *)&sge, 1,
				      RTE_UMR_OP_F_SUBMIT) >= 0);
	driver_wait(1);
	compare_rdma(false);	/* compares the fence bits; both must have set one */
	compare_rdma(false);	/* and none behind it */
}

static void
completion_is_requested_on_the_last_wqe_of_a_submit_only(void **state)
{
	struct rte_umr_seg seg = { .addr = 0, .length = 8, .lkey = 1 };
	uint16_t pi, first;
	struct wqe wqe;
	int i, batch;

	(void)state;
	for (batch = 1; batch <= 32; batch++) {
		first = pi = t.queue->sq_pi;
		for (i = 0; i < batch; i++)
			assert_true(rte_umr_mkey_list(t.dev_id, 0, t.key, 0, &seg, 1, 0) >= 0);
		assert_int_equal(rte_umr_submit(t.dev_id, 0), 0);
		for (i = 0; i < batch; i++) {
			const struct mlx5_wqe_ctrl_seg *ctrl = (void *)wqe.bytes;

			pi = wqe_copy(t.queue->sq_ring, t.queue->sq_mask + 1u, pi, &wqe);
			assert_int_equal(ctrl->fm_ce_se & PRM_CTRL_CE_MASK,
					 i == batch - 1 ? PRM_CTRL_CE_ALWAYS : 0);
		}
		assert_int_equal((uint16_t)(pi - first), batch * 3);
		driver_wait((uint16_t)batch);
	}
}

static void
libmlx5_connect(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_port_attr port;

	assert_int_equal(ibv_query_port(t.ctx, 1, &port), 0);
	assert_int_equal(ibv_modify_qp(t.qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				       IBV_QP_ACCESS_FLAGS), 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = t.qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .dlid = port.lid, .port_num = 1 },
	};
	assert_int_equal(ibv_modify_qp(t.qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				       IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				       IBV_QP_MIN_RNR_TIMER), 0);
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	assert_int_equal(ibv_modify_qp(t.qp, &attr, IBV_QP_STATE | IBV_QP_TIMEOUT |
				       IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				       IBV_QP_MAX_QP_RD_ATOMIC), 0);
}

static struct ibv_context *
device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	assert_non_null(list);
	for (i = 0; list[i] != NULL && ctx == NULL; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	return ctx;
}

static int
libmlx5_setup(void)
{
	struct mlx5dv_qp_init_attr dv_attr = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED,
	};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = 16,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
			.max_inline_data = MAX_INLINE,
		},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_LOCAL_INV,
	};
	struct mlx5dv_mkey_init_attr mkey_attr = {
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = MAX_ENTRIES,
	};
	struct mlx5dv_obj obj = { .qp = { .out = &t.dv } };

	t.ctx = device_open(DEVICE);
	assert_non_null(t.ctx);
	t.pd = ibv_alloc_pd(t.ctx);
	assert_non_null(t.pd);
	t.cq = ibv_create_cq(t.ctx, 64, NULL, NULL, 0);
	assert_non_null(t.cq);
	attr.pd = t.pd;
	attr.send_cq = attr.recv_cq = t.cq;
	t.qp = mlx5dv_create_qp(t.ctx, &attr, &dv_attr);
	assert_non_null(t.qp);
	t.qpx = ibv_qp_to_qp_ex(t.qp);
	t.dvqp = mlx5dv_qp_ex_from_ibv_qp_ex(t.qpx);
	obj.qp.in = t.qp;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	libmlx5_connect();
	mkey_attr.pd = t.pd;
	t.mkey = mlx5dv_create_mkey(&mkey_attr);
	assert_non_null(t.mkey);
	t.mr = ibv_reg_mr(t.pd, t.mem, MEM_SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ);
	assert_non_null(t.mr);
	return 0;
}

static int
driver_setup(void)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = RTE_UMR_TRANSPORT_LOOPBACK,
		.nb_desc = NB_DESC,
		.socket_id = SOCKET_ID_ANY,
	};
	const struct rte_umr_mkey_pool_conf pool_conf = {
		.nb_mkeys = 4,
		.max_entries = MAX_ENTRIES,
		.socket_id = SOCKET_ID_ANY,
	};

	assert_int_equal(rte_umr_dev_probe(DEVICE, &t.dev_id), 0);
	assert_int_equal(rte_umr_dev_configure(t.dev_id, &dev_conf), 0);
	assert_int_equal(rte_umr_queue_setup(t.dev_id, 0, &queue_conf), 0);
	assert_int_equal(rte_umr_dev_start(t.dev_id), 0);
	t.pool = rte_umr_mkey_pool_create(t.dev_id, &pool_conf);
	assert_non_null(t.pool);
	t.key = rte_umr_mkey_get(t.pool);
	assert_non_null(t.key);
	t.umr_mr = rte_umr_mr_register(t.dev_id, t.mem, MEM_SIZE,
				       RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE |
				       RTE_UMR_ACCESS_REMOTE_READ, 0);
	assert_non_null(t.umr_mr);
	t.queue = rte_umr_fp_objs[t.dev_id].queues[0];
	return 0;
}

static int
setup(void **state)
{
	(void)state;
	t.mem = aligned_alloc(4096, MEM_SIZE);
	assert_non_null(t.mem);
	memset(t.mem, 0x5a, MEM_SIZE);
	t.seed = (unsigned int)time(NULL);
	print_message("seed %u\n", t.seed);
	return libmlx5_setup() + driver_setup();
}

static int
teardown(void **state)
{
	(void)state;
	rte_umr_mr_deregister(t.umr_mr);
	rte_umr_mkey_put(t.pool, t.key);
	rte_umr_mkey_pool_destroy(t.pool);
	rte_umr_dev_stop(t.dev_id);
	rte_umr_dev_close(t.dev_id);
	ibv_dereg_mr(t.mr);
	mlx5dv_destroy_mkey(t.mkey);
	ibv_destroy_qp(t.qp);
	ibv_destroy_cq(t.cq);
	ibv_dealloc_pd(t.pd);
	ibv_close_device(t.ctx);
	free(t.mem);
	return 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_lists_have_the_same_bytes),
		cmocka_unit_test(random_interleavings_have_the_same_bytes),
		cmocka_unit_test(invalidations_have_the_same_bytes),
		cmocka_unit_test(transfers_have_the_same_bytes),
		cmocka_unit_test(transfer_behind_an_umr_has_the_same_fence),
		cmocka_unit_test(completion_is_requested_on_the_last_wqe_of_a_submit_only),
	};
	int ret;

	if (rte_eal_init(argc, argv) < 0)
		return EXIT_FAILURE;
	ret = cmocka_run_group_tests(tests, setup, teardown);
	rte_eal_cleanup();
	return ret;
}
