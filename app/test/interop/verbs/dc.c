/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The dynamically connected transport and scatter to CQE through an unmodified libmlx5: every kind
 * of operation of an initiator, and payload that the library finds in completions.
 */

#include "../world.h"

#define BUF_SIZE 8192u
#define REMOTE 4096u	/* offset of what targets serve */
#define MAX_WR 16u
#define GID_INDEX 0
#define DC_KEY UINT64_C(0x1234567890abcdef)

struct dc {
	struct end end;		/* its CQ: of the initiator */
	struct ibv_cq *rcq;	/* of the target */
	struct ibv_srq *srq;
	struct ibv_qp *dct;
	struct ibv_qp *dci;
	struct ibv_qp_ex *dci_ex;
	struct mlx5dv_qp_ex *dci_dv;
	struct ibv_ah *ah;
};

static struct ibv_ah_attr
own_address(const struct dc *dc)
{
	struct ibv_ah_attr attr = { .port_num = 1, .is_global = 1 };
	struct ibv_port_attr port;

	assert_int_equal(ibv_query_port(dc->end.ctx, 1, &port), 0);
	attr.dlid = port.lid;
	attr.grh.sgid_index = GID_INDEX;
	attr.grh.hop_limit = 64;
	assert_int_equal(ibv_query_gid(dc->end.ctx, 1, GID_INDEX, &attr.grh.dgid), 0);
	return attr;
}

static struct ibv_qp *
dc_qp_create(struct dc *dc, enum mlx5dv_dc_type type)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .send_cq = dc->end.cq, .recv_cq = dc->rcq,
		.pd = dc->end.pd, .comp_mask = IBV_QP_INIT_ATTR_PD,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC, .dc_init_attr = { .dc_type = type },
	};
	struct ibv_qp *qp;

	if (type == MLX5DV_DCTYPE_DCT) {
		attr.srq = dc->srq;
		dv.dc_init_attr.dct_access_key = DC_KEY;
	} else {
		attr.cap.max_send_wr = MAX_WR;
		attr.cap.max_send_sge = 1;
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
				      IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_RDMA_WRITE |
				      IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
	}
	qp = mlx5dv_create_qp(dc->end.ctx, &attr, &dv);
	assert_non_null(qp);
	return qp;
}

static int
setup(void **state)
{
	const struct rc_qp_conf conf = {
		.access = ALL_ACCESS & ~IBV_ACCESS_LOCAL_WRITE, .rd_atomic = 4, .min_rnr_timer = 1,
		.timeout = 8, .retry_cnt = 2, .rnr_retry = 2,
	};
	struct ibv_srq_init_attr srq_attr = { .attr = { .max_wr = MAX_WR, .max_sge = 1 } };
	struct ibv_ah_attr ah_attr;
	struct dc *dc = calloc(1, sizeof(*dc));

	assert_non_null(dc);
	end_open(&dc->end, device_open("mlx5_0"), BUF_SIZE);
	dc->rcq = ibv_create_cq(dc->end.ctx, 64, NULL, NULL, 0);
	assert_non_null(dc->rcq);
	dc->srq = ibv_create_srq(dc->end.pd, &srq_attr);
	assert_non_null(dc->srq);
	dc->dct = dc_qp_create(dc, MLX5DV_DCTYPE_DCT);
	ah_attr = own_address(dc);
	dc_connect(dc->dct, true, &ah_attr, &conf);
	dc->dci = dc_qp_create(dc, MLX5DV_DCTYPE_DCI);
	dc_connect(dc->dci, false, &ah_attr, &conf);
	dc->dci_ex = ibv_qp_to_qp_ex(dc->dci);
	dc->dci_dv = mlx5dv_qp_ex_from_ibv_qp_ex(dc->dci_ex);
	dc->ah = ibv_create_ah(dc->end.pd, &ah_attr);
	assert_non_null(dc->ah);
	*state = dc;
	return 0;
}

static int
teardown(void **state)
{
	struct dc *dc = *state;

	assert_int_equal(ibv_destroy_ah(dc->ah), 0);
	assert_int_equal(ibv_destroy_qp(dc->dci), 0);
	assert_int_equal(ibv_destroy_qp(dc->dct), 0);
	assert_int_equal(ibv_destroy_srq(dc->srq), 0);
	assert_int_equal(ibv_destroy_cq(dc->rcq), 0);
	end_close(&dc->end);
	free(dc);
	return 0;
}

static void
post_recv(struct dc *dc, uint64_t wr_id, uint32_t len)
{
	struct ibv_sge sge = sge_of(&dc->end, REMOTE, len);
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	assert_int_equal(ibv_post_srq_recv(dc->srq, &wr, &bad), 0);
}

/* The end of a work request that begins with an operation: where to, from where. */
static enum ibv_wc_status
finish(struct dc *dc, uint64_t key, uint32_t len)
{
	ibv_wr_set_sge(dc->dci_ex, dc->end.mr->lkey, (uintptr_t)dc->end.buf, len);
	mlx5dv_wr_set_dc_addr(dc->dci_dv, dc->ah, dc->dct->qp_num, key);
	assert_int_equal(ibv_wr_complete(dc->dci_ex), 0);
	return wc_wait(dc->end.cq).status;
}

static void
start(struct dc *dc)
{
	ibv_wr_start(dc->dci_ex);
	dc->dci_ex->wr_flags = IBV_SEND_SIGNALED;
}

static void
fill(uint8_t *mem, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		mem[i] = (uint8_t)rand_r(&seed);
}

CASE_OF(struct dc, dc, message_arrives, setup, teardown)
{
	struct ibv_wc wc;

	fill(dc->end.buf, 1000, 1);
	post_recv(dc, 7, 1000);
	start(dc);
	ibv_wr_send(dc->dci_ex);
	assert_int_equal(finish(dc, DC_KEY, 1000), IBV_WC_SUCCESS);
	wc = wc_wait(dc->rcq);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, 7);
	assert_int_equal(wc.byte_len, 1000);
	assert_int_equal(wc.qp_num, dc->dct->qp_num);
	assert_memory_equal(dc->end.buf + REMOTE, dc->end.buf, 1000);
}

CASE_OF(struct dc, dc, immediate_arrives_with_a_write, setup, teardown)
{
	struct ibv_wc wc;

	fill(dc->end.buf, 100, 2);
	post_recv(dc, 8, 0);
	start(dc);
	ibv_wr_rdma_write_imm(dc->dci_ex, dc->end.mr->rkey, (uintptr_t)dc->end.buf + REMOTE,
			      htobe32(0x1234));
	assert_int_equal(finish(dc, DC_KEY, 100), IBV_WC_SUCCESS);
	wc = wc_wait(dc->rcq);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(be32toh(wc.imm_data), 0x1234);
	assert_memory_equal(dc->end.buf + REMOTE, dc->end.buf, 100);
}

CASE_OF(struct dc, dc, read_and_atomic_return_what_was_there, setup, teardown)
{
	uint64_t value;

	fill(dc->end.buf + REMOTE, 64, 3);
	start(dc);
	ibv_wr_rdma_read(dc->dci_ex, dc->end.mr->rkey, (uintptr_t)dc->end.buf + REMOTE);
	assert_int_equal(finish(dc, DC_KEY, 64), IBV_WC_SUCCESS);
	assert_memory_equal(dc->end.buf, dc->end.buf + REMOTE, 64);
	value = 41;
	memcpy(dc->end.buf + REMOTE, &value, sizeof(value));
	start(dc);
	ibv_wr_atomic_fetch_add(dc->dci_ex, dc->end.mr->rkey, (uintptr_t)dc->end.buf + REMOTE, 1);
	assert_int_equal(finish(dc, DC_KEY, 8), IBV_WC_SUCCESS);
	memcpy(&value, dc->end.buf + REMOTE, sizeof(value));
	assert_int_equal(value, 42);
}

CASE_OF(struct dc, dc, wrong_key_ends_in_a_time_out, setup, teardown)
{
	start(dc);
	ibv_wr_send(dc->dci_ex);
	assert_int_equal(finish(dc, DC_KEY + 1, 8), IBV_WC_RETRY_EXC_ERR);
}

CASE_OF(struct dc, dc, target_tells_what_it_was_given, setup, teardown)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	assert_int_equal(ibv_query_qp(dc->dct, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTR);
	assert_int_equal(attr.port_num, 0);
	assert_int_equal(ibv_query_qp(dc->dct, &attr, IBV_QP_CAP, &init), EINVAL);
	assert_int_equal(ibv_query_qp(dc->dct, &attr, IBV_QP_STATE | IBV_QP_PORT |
				      IBV_QP_PATH_MTU | IBV_QP_MIN_RNR_TIMER, &init), 0);
	assert_int_equal(attr.port_num, 1);
	assert_int_equal(attr.path_mtu, IBV_MTU_1024);
	assert_int_equal(attr.min_rnr_timer, 1);
	/* There is no way on, nor back. */
	attr.qp_state = IBV_QPS_RTS;
	assert_int_not_equal(ibv_modify_qp(dc->dct, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_not_equal(ibv_modify_qp(dc->dct, &attr, IBV_QP_STATE), 0);
}

/* A QP of which every request has a completion, connected to itself. */
static struct ibv_qp *
loop_create(struct dc *dc, struct ibv_cq *cq)
{
	const struct rc_qp_conf conf = {
		.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC,
		.rd_atomic = 4, .min_rnr_timer = 1, .timeout = 8, .retry_cnt = 2, .rnr_retry = 2,
	};
	struct ibv_qp *qp = qp_create(dc->end.pd, (struct ibv_qp_init_attr){
		.sq_sig_all = 1, .send_cq = cq, .cap = { MAX_WR, MAX_WR, 2, 2, 0 } });

	assert_int_equal(rc_qp_connect_itself(qp, &conf), 0);
	return qp;
}

/* Format bits of the last CQE that was written: mlx5_cqe64.op_own, bits 3..2. */
static unsigned int
last_format(struct ibv_cq *cq, uint32_t index)
{
	struct mlx5dv_cq dv_cq;
	struct mlx5dv_obj obj = { .cq = { .in = cq, .out = &dv_cq } };
	const uint8_t *entry;

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_CQ), 0);
	entry = (const uint8_t *)dv_cq.buf + (size_t)index * dv_cq.cqe_size;
	return entry[dv_cq.cqe_size - 1] & 0x0c;
}

/* Post a read, or a message to itself: len bytes to two segments, whichever way they come. */
static void
post_payload(struct dc *dc, struct ibv_qp *qp, enum ibv_wr_opcode opcode, uint32_t len)
{
	struct ibv_sge to[2] = { sge_of(&dc->end, 0, 5), sge_of(&dc->end, 512, len - 5) };
	struct ibv_sge from = sge_of(&dc->end, REMOTE, len);
	struct ibv_send_wr wr = { .sg_list = to, .num_sge = 2, .opcode = opcode };

	memset(dc->end.buf, 0, REMOTE);
	fill(dc->end.buf + REMOTE, len, len);
	wr.wr.rdma.remote_addr = from.addr;
	wr.wr.rdma.rkey = dc->end.mr->rkey;
	if (opcode == IBV_WR_SEND) {
		wr.sg_list = &from;
		wr.num_sge = 1;
		recv_post(qp, 0, to, 2);
	}
	send_post(qp, &wr);
}

static void
expect_payload_around(struct dc *dc, struct ibv_cq *cq, enum ibv_wr_opcode opcode, uint32_t room,
		      unsigned int format)
{
	struct ibv_qp *qp = loop_create(dc, cq);
	uint32_t len, nb_cqe = 0;

	for (len = room - 1; len <= room + 1; len++) {
		post_payload(dc, qp, opcode, len);
		assert_int_equal(wc_wait(cq).status, IBV_WC_SUCCESS);
		assert_int_equal(last_format(cq, nb_cqe++), len > room ? 0 : format);
		if (opcode == IBV_WR_SEND) {
			assert_int_equal(wc_wait(cq).status, IBV_WC_SUCCESS);
			assert_int_equal(last_format(cq, nb_cqe++), 0);
		}
		assert_memory_equal(dc->end.buf, dc->end.buf + REMOTE, 5);
		assert_memory_equal(dc->end.buf + 512, dc->end.buf + REMOTE + 5, len - 5);
		assert_int_equal(dc->end.buf[512 + len - 5], 0);
	}
	assert_int_equal(ibv_destroy_qp(qp), 0);
}

CASE_OF(struct dc, dc, payload_comes_in_cqes_of_64_bytes, setup, teardown)
{
	expect_payload_around(dc, dc->end.cq, IBV_WR_RDMA_READ, 32, 0x04);
	expect_payload_around(dc, dc->rcq, IBV_WR_SEND, 32, 0x04);
}

/*
 * Messages only: until rdma-core pull request 1743 libmlx5 copied what a read had brought from one
 * byte in front of where it is in a CQE of 128 bytes.
 */
CASE_OF(struct dc, dc, message_comes_in_cqes_of_128_bytes, setup, teardown)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 64 };
	struct mlx5dv_cq_init_attr dv = {
		.comp_mask = MLX5DV_CQ_INIT_ATTR_MASK_CQE_SIZE, .cqe_size = 128,
	};
	struct ibv_cq_ex *cq = mlx5dv_create_cq(dc->end.ctx, &attr, &dv);

	assert_non_null(cq);
	expect_payload_around(dc, ibv_cq_ex_to_cq(cq), IBV_WR_SEND, 64, 0x08);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
}

int
main(void)
{
	/* Whoever runs this may have it off. */
	unsetenv("MLX5_SCATTER_TO_CQE");
	return cases_run(NULL, NULL);
}
