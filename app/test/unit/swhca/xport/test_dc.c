/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Dynamically connected transport: a target on device 1, an initiator on device 0 and its streams.
 */

#include "object/hca_state.h"
#include "pair.h"

#define KEY UINT64_C(0x1122334455667788)
#define USER_INDEX 0x77u
#define ACCESS_ALL 7u	/* rre, rwe, rae */
#define ACCESS_WRITE 2u
#define BAD_LKEY 0xdead00u

struct dct_attr {
	uint32_t srqn;
	uint32_t cqn;
	uint32_t mtu;
	uint32_t port;
	uint32_t access;
	uint32_t cs_res;
};

struct dc {
	struct pair *p;
	uint32_t srqn;
	uint32_t dctn;
};

static uint8_t
exec_num(struct swhca_hca *hca, const uint8_t *in, size_t len, uint32_t *num)
{
	uint8_t out[16];
	uint8_t status = swhca_hca_cmd_exec(hca, in, len, out, sizeof(out));

	*num = (uint32_t)out[9] << 16 | (uint32_t)out[10] << 8 | out[11];
	return status;
}

/* A list or ring of 16 WQEs of 64 bytes in the place of the receive queue of QP b. */
static uint32_t
pool_create(struct pair *p, bool is_ring)
{
	uint8_t in[0x110] = { 0 };
	uint32_t num;

	world_put(in, 0, 16, 0x90c);
	world_put(in, 8, 20, 1);	/* ready */
	world_put(in, 20, 28, is_ring);
	world_put(in, 22, 0, p->w.dev[1].pdn);
	world_put(in, 25, 0, WORLD_DBR_OFF);
	world_put(in, 28, 16, 6);
	world_put(in, 28, 0, 4);
	world_put(in, 29, 30, 3);	/* ring and record are in umems */
	world_put(in, 30, 0, p->b.umem);
	world_put(in, 31, 0, p->b.umem);
	assert_int_equal(exec_num(p->b.hca, in, sizeof(in), &num), 0);
	return num;
}

static uint32_t
srq_create(struct pair *p)
{
	return pool_create(p, false);
}

static void
srq_post(struct pair *p, uint32_t len)
{
	uint8_t *wqe = p->b.page + WORLD_RQ_OFF + (size_t)(p->b.rq_pi % WORLD_RQ_WQES) * 64;
	uint64_t addr = htobe64((uintptr_t)p->w.mem + 4096);
	uint32_t be;

	memset(wqe, 0, 64);
	wqe[3] = (uint8_t)((p->b.rq_pi + 1) % WORLD_RQ_WQES);
	world_put(wqe, 4, 0, len);
	world_put(wqe, 5, 0, p->w.mem_key[1]);
	memcpy(wqe + 24, &addr, 8);
	world_put(wqe, 9, 0, 0x100);
	be = htobe32(++p->b.rq_pi);
	memcpy(p->b.page + WORLD_DBR_OFF, &be, 4);
}

static uint8_t
dct_create(struct pair *p, const struct dct_attr *attr, uint32_t *num)
{
	uint8_t in[0x50] = { 0 };

	world_put(in, 0, 16, 0x710);
	world_put(in, 5, 0, USER_INDEX);
	world_put(in, 6, 0, attr->cqn);
	world_put(in, 7, 17, attr->access);
	world_put(in, 7, 20, 1);	/* 8 byte atomics */
	world_put(in, 8, 16, attr->cs_res);
	world_put(in, 8, 8, 1);
	world_put(in, 9, 0, attr->srqn);
	world_put(in, 10, 0, p->w.dev[1].pdn);
	world_put(in, 12, 0, (uint32_t)(KEY >> 32));
	world_put(in, 13, 0, (uint32_t)KEY);
	world_put(in, 14, 24, attr->mtu);
	world_put(in, 14, 16, attr->port);
	return exec_num(p->b.hca, in, sizeof(in), num);
}

static uint8_t
dci_create(struct pair *p, uint32_t log_streams, uint32_t log_errored)
{
	uint8_t in[WORLD_BOX];

	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6, 16, 5);
	world_put(in, 6 + 31, 24, log_streams);
	world_put(in, 6 + 32, 24, log_errored);
	return exec_num(p->a.hca, in, sizeof(in), &p->a.qpn);
}

static void
dci_connect(struct pair *p)
{
	world_qp_modify(&p->a, 0x502, 0, 0, 0);
	world_qp_modify(&p->a, 0x503, 0, 0, 0);
	world_qp_modify(&p->a, 0x504, 0, 0, 0);
}

static void
dc_create(struct dc *dc, struct pair *p, uint32_t access, uint32_t log_streams,
	  uint32_t log_errored)
{
	struct dct_attr attr = { .cqn = p->b.rcqn, .mtu = 5, .port = 1, .access = access };

	dc->p = p;
	dc->srqn = attr.srqn = srq_create(p);
	assert_int_equal(dct_create(p, &attr, &dc->dctn), 0);
	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0);
	assert_int_equal(dci_create(p, log_streams, log_errored), 0);
	dci_connect(p);
	fill(p->w.mem, 4096);
}

static void
dc_destroy(struct dc *dc)
{
	world_cmd(dc->p->b.hca, 0x712, dc->dctn, NULL);
	assert_int_equal(world_cmd(dc->p->b.hca, 0x711, dc->dctn, NULL), 0);
	assert_int_equal(world_cmd(dc->p->b.hca, 0x90e, dc->srqn, NULL), 0);
}

/* A transfer of len bytes by stream; op OP_SEND has no remote address. */
static void
dc_post(const struct dc *dc, uint8_t op, uint64_t key, uint32_t dctn, uint32_t lkey, uint32_t len,
	uint16_t stream)
{
	struct world_qp *qp = &dc->p->a;
	uint8_t body[48 + 32] = { 0 };
	uint64_t be_key = htobe64(key);
	uint32_t skip = op == OP_SEND ? 16 : 0;
	uint8_t *ctrl;

	memcpy(body, &be_key, 8);
	world_put(body, 2, 0, 0x80000000u | dctn);
	body[15] = 2;			/* LID of device 1 */
	world_rdma_body(body + 48, (uintptr_t)dc->p->w.mem + 4096, dc->p->w.mem_key[1],
			dc->p->w.mem, lkey, len);
	memmove(body + 48, body + 48 + skip, 32 - skip);
	world_post(qp, op, CE, 0, body, (sizeof(body) - skip) / 16);
	ctrl = qp->page + WORLD_SQ_OFF + (size_t)(qp->last % WORLD_SQ_BB) * 64;
	ctrl[9] = (uint8_t)(stream >> 8);
	ctrl[10] = (uint8_t)stream;
	world_ring(qp);
	world_run(&dc->p->w);
}

static void
dc_send(const struct dc *dc, uint16_t stream, uint32_t lkey)
{
	dc_post(dc, OP_SEND, KEY, dc->dctn, lkey, 64, stream);
}

static uint8_t
stream_reset(const struct dc *dc, uint32_t stream)
{
	uint8_t in[0x1d0] = { 0 };

	world_put(in, 0, 16, 0x505);
	world_put(in, 2, 0, dc->p->a.qpn);
	world_put(in, 2, 31, 1);
	world_put(in, 67, 0, 1);
	world_put(in, 68, 0, stream);
	return world_exec(dc->p->a.hca, in, sizeof(in));
}

static uint32_t
dct_get(const struct dc *dc, unsigned int dw)
{
	uint8_t in[16] = { 0 }, out[0x50];
	uint32_t be;

	world_put(in, 0, 16, 0x713);
	world_put(in, 2, 0, dc->dctn);
	assert_int_equal(swhca_hca_cmd_exec(dc->p->b.hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 16 + dw * 4, 4);
	return be32toh(be);
}

static void
message_arrives_at_the_target(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	srq_post(p, 64);
	dc_send(&dc, 0, p->w.mem_key[0]);
	expect_done(world_send_cqe(&p->a), 0);
	cqe = world_recv_cqe(&p->b);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be32toh(cqe->srqn_uidx), USER_INDEX);
	assert_int_equal(be32toh(cqe->sop_drop_qpn), dc.dctn);
	assert_int_equal(be32toh(cqe->flags_rqpn), p->a.qpn);
	assert_int_equal(be32toh(cqe->byte_cnt), 64);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 64);
	dc_destroy(&dc);
}

/* mlx5_ib names an SRQ of its own in the context of every initiator, whoever's that is. */
static void
initiator_has_no_receive_queue(void **state)
{
	struct pair *p = *state;
	uint8_t in[WORLD_BOX];

	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0);
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6, 16, 5);
	world_put(in, 49, 24, 1);	/* rq_type: shared */
	world_put(in, 49, 0, 0x123456);
	assert_int_equal(exec_num(p->a.hca, in, sizeof(in), &p->a.qpn), 0);
}

/* As UCX creates it: WQEs begin with a segment of a list, but follow each other. */
static void
target_takes_receives_of_a_ring(void **state)
{
	struct pair *p = *state;
	struct dct_attr attr = { .cqn = p->b.rcqn, .mtu = 5, .port = 1 };
	struct dc dc = { .p = p };

	attr.srqn = dc.srqn = pool_create(p, true);
	assert_int_equal(dct_create(p, &attr, &dc.dctn), 0);
	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0);
	assert_int_equal(dci_create(p, 0, 0), 0);
	dci_connect(p);
	fill(p->w.mem, 4096);
	for (unsigned int i = 0; i < 3; i++) {
		const struct mlx5_cqe64 *cqe;

		srq_post(p, 64);
		/* What a list says comes next. */
		memset(p->b.page + WORLD_RQ_OFF + (size_t)i * 64, 0xff, 16);
		memset(p->w.mem + 4096, 0, 64);
		dc_send(&dc, 0, p->w.mem_key[0]);
		expect_done(world_send_cqe(&p->a), p->a.last);
		cqe = world_recv_cqe(&p->b);
		assert_non_null(cqe);
		assert_int_equal(be16toh(cqe->wqe_counter), i);
		assert_memory_equal(p->w.mem + 4096, p->w.mem, 64);
	}
	dc_destroy(&dc);
}

static void
target_answers_one_sided_requests(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	dc_post(&dc, OP_WRITE, KEY, dc.dctn, p->w.mem_key[0], 1000, 0);
	expect_done(world_send_cqe(&p->a), 0);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 1000);
	memset(p->w.mem, 0, 1000);
	dc_post(&dc, OP_READ, KEY, dc.dctn, p->w.mem_key[0], 1000, 0);
	expect_done(world_send_cqe(&p->a), p->a.last);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 1000);
	dc_destroy(&dc);
}

static void
right_that_a_target_lacks_is_a_nak(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_WRITE, 0, 0);
	dc_post(&dc, OP_READ, KEY, dc.dctn, p->w.mem_key[0], 8, 0);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	assert_int_equal(world_qp_state(&p->a), 6);
	/* The target goes on with others. */
	assert_int_equal(dct_get(&dc, 0) >> 24 & 0xf, 0);
	dc_destroy(&dc);
}

static void
wrong_key_is_not_answered(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	srq_post(p, 64);
	dc_post(&dc, OP_SEND, KEY + 1, dc.dctn, p->w.mem_key[0], 64, 0);
	cqe = wait_send_cqe(p, &p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, 0x81);
	assert_null(world_recv_cqe(&p->b));
	/* First try and retry, as retry_count 1 allows. */
	assert_uint_in_range(dct_get(&dc, 12), 2, 3);
	dc_destroy(&dc);
}

/* The next event of device 1, which must be of that type and about the target. */
static void
expect_event(struct pair *p, uint8_t type, uint32_t dctn)
{
	const uint8_t *eqe = world_eqe(&p->w, 1);
	uint32_t be;

	assert_non_null(eqe);
	assert_int_equal(eqe[1], type);
	memcpy(&be, eqe + 56, 4);
	assert_int_equal(be32toh(be), dctn);
}

static void
armed_target_tells_of_a_wrong_key_once(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	assert_int_equal(world_cmd(p->b.hca, 0x714, dc.dctn, NULL), 0);
	dc_post(&dc, OP_SEND, KEY + 1, dc.dctn, p->w.mem_key[0], 64, 0);
	assert_non_null(wait_send_cqe(p, &p->a));
	expect_event(p, 0x1d, dc.dctn);
	assert_null(world_eqe(&p->w, 1));
	assert_int_equal(world_cmd(p->b.hca, 0x712, dc.dctn, NULL), 0);
	expect_event(p, 0x1c, dc.dctn);
	dc_destroy(&dc);
}

static void
target_tells_of_what_it_must_not_answer(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	p->w.mem_key[1] ^= 1;
	dc_post(&dc, OP_WRITE, KEY, dc.dctn, p->w.mem_key[0], 64, 0);
	p->w.mem_key[1] ^= 1;
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	expect_event(p, 0x11, dc.dctn);
	dc_destroy(&dc);
}

/* A region of pages with access bits of their own, none of which is there. */
static uint32_t
absent_key(struct pair *p)
{
	uint8_t in[0x110 + 16] = { 0 };
	uint32_t num;

	world_put(in, 0, 16, 0x200);
	world_put(in, 3, 31, 1);	/* pg_access */
	world_put(in, 4, 8, ALL_ACCESS | WORLD_LR | 0x1);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, p->w.dev[1].pdn);
	world_put(in, 8, 0, (uint32_t)((uintptr_t)p->w.mem >> 32));
	world_put(in, 9, 0, (uint32_t)(uintptr_t)p->w.mem);
	world_put(in, 11, 0, 8192);
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, 12);
	assert_int_equal(exec_num(p->b.hca, in, sizeof(in), &num), 0);
	return num << 8;
}

static void
target_waits_for_a_page(void **state)
{
	struct pair *p = *state;
	uint32_t key = p->w.mem_key[1], token;
	uint8_t in[16] = { 0 };
	const uint8_t *eqe;
	struct dc dc;

	p->b.hca->conf.has_page_fault_events = true;
	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	p->w.mem_key[1] = absent_key(p);
	dc_post(&dc, OP_WRITE, KEY, dc.dctn, p->w.mem_key[0], 64, 0);
	p->w.mem_key[1] = key;
	assert_null(world_send_cqe(&p->a));
	eqe = world_eqe(&p->w, 1);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], 0x0c);
	assert_int_equal(eqe[3], 1);		/* remote request */
	assert_int_equal(eqe[56], 6);		/* that writes */
	token = (uint32_t)eqe[57] << 16 | (uint32_t)eqe[58] << 8 | eqe[59];
	world_wait(1000000);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	world_put(in, 0, 16, 0x204);
	world_put(in, 2, 31, 1);		/* in vain */
	world_put(in, 3, 0, token);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	dc_destroy(&dc);
}

static void
target_that_is_drained_or_none_is_silent(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	srq_post(p, 64);
	assert_int_equal(world_cmd(p->b.hca, 0x712, dc.dctn, NULL), 0);
	assert_int_equal(dct_get(&dc, 0) >> 24 & 0xf, 2);
	dc_send(&dc, 0, p->w.mem_key[0]);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(world_cmd(p->b.hca, 0x712, dc.dctn, NULL), 0x09);
	assert_int_equal(world_cmd(p->b.hca, 0x711, dc.dctn + 1, NULL), 0x05);
	dc_destroy(&dc);
}

static void
target_of_a_device_that_is_gone_can_be_destroyed(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	assert_int_equal(world_cmd(p->b.hca, 0x711, dc.dctn, NULL), 0x09);	/* not drained */
	swhca_hca_fail(p->b.hca);
	assert_int_equal(world_cmd(p->b.hca, 0x711, dc.dctn, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, 0x90e, dc.srqn, NULL), 0);
}

static void
target_without_a_receive_is_not_ready(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	dc_send(&dc, 0, p->w.mem_key[0]);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	dc_destroy(&dc);
}

static void
target_without_what_it_needs_is_rejected(void **state)
{
	struct pair *p = *state;
	const struct dct_attr good = {
		.srqn = srq_create(p), .cqn = p->b.rcqn, .mtu = 5, .port = 1,
	};
	struct dct_attr attr;
	uint32_t num;

	attr = good;
	attr.srqn += 1;
	assert_int_equal(dct_create(p, &attr, &num), 0x05);
	attr = good;
	attr.cqn = 0xffff;
	assert_int_equal(dct_create(p, &attr, &num), 0x05);
	attr = good;
	attr.mtu = 0;
	assert_int_equal(dct_create(p, &attr, &num), 0x03);
	attr = good;
	attr.port = 2;
	assert_int_equal(dct_create(p, &attr, &num), 0x03);
	/* 64 bytes in CQEs of 64 bytes. */
	attr = good;
	attr.cs_res = 2;
	assert_int_equal(dct_create(p, &attr, &num), 0x03);
	assert_int_equal(dct_create(p, &good, &num), 0);
	/* In use, and not drained. */
	assert_int_equal(world_cmd(p->b.hca, 0x90e, good.srqn, NULL), 0x06);
	assert_int_equal(world_cmd(p->b.hca, 0x711, num, NULL), 0x09);
	assert_int_equal(world_cmd(p->b.hca, 0x712, num, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, 0x711, num, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, 0x90e, good.srqn, NULL), 0);
}

/* A list over bytes 0 and 1000 of the memory, with an address vector in front if asked for. */
static void
dc_post_umr(const struct dc *dc, uint32_t key, bool has_av)
{
	struct pair *p = dc->p;
	const struct world_klm klms[2] = {
		{ 100, p->w.mem_key[0], (uintptr_t)p->w.mem },
		{ 100, p->w.mem_key[0], (uintptr_t)p->w.mem + 1000 },
	};
	uint8_t body[48 + 1024] = { 0 };
	uint64_t be_key = htobe64(KEY);
	uint32_t skip = has_av ? 48 : 0;
	uint32_t nb_ds = world_umr_list(body + skip, key, ALL_ACCESS, 200, klms, 2);

	if (has_av) {
		memcpy(body, &be_key, 8);
		world_put(body, 2, 0, 0x80000000u | dc->dctn);
		body[15] = 2;
	}
	world_post(&p->a, OP_UMR, CE, key, body, nb_ds + skip / 16);
	world_ring(&p->a);
	world_run(&p->w);
}

/* As rdma-core builds what it has of UMR for initiators: it goes nowhere. */
static void
umr_of_an_initiator_has_no_address(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	uint8_t body[48 + 32] = { 0 };
	uint64_t be_key = htobe64(KEY);
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	dc_post_umr(&dc, key, false);
	expect_done(world_send_cqe(&p->a), 0);
	/* All that the key shows goes to the target. */
	memcpy(body, &be_key, 8);
	world_put(body, 2, 0, 0x80000000u | dc.dctn);
	body[15] = 2;
	world_rdma_body(body + 48, (uintptr_t)p->w.mem + 4096, p->w.mem_key[1], NULL, key, 200);
	world_post(&p->a, OP_WRITE, CE | FENCE, 0, body, sizeof(body) / 16);
	world_ring(&p->a);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), p->a.last);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 100);
	assert_memory_equal(p->w.mem + 4196, p->w.mem + 1000, 100);
	dc_destroy(&dc);
}

static void
umr_behind_an_address_is_rejected(void **state)
{
	struct pair *p = *state;
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct mlx5_cqe64 *cqe;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 0, 0);
	dc_post_umr(&dc, key, true);
	cqe = world_send_cqe(&p->a);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	assert_int_equal(world_qp_state(&p->a), 6);
	dc_destroy(&dc);
}

static void
error_of_a_stream_leaves_the_others(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 3, 1);
	srq_post(p, 64);
	srq_post(p, 64);
	dc_send(&dc, 5, BAD_LKEY);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(world_qp_state(&p->a), 3);
	dc_send(&dc, 5, p->w.mem_key[0]);
	expect_error(world_send_cqe(&p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	dc_send(&dc, 6, p->w.mem_key[0]);
	expect_done(world_send_cqe(&p->a), p->a.last);
	/* Only what is in error can be taken out of it. */
	assert_int_equal(stream_reset(&dc, 6), 0x03);
	assert_int_equal(stream_reset(&dc, 5), 0);
	assert_int_equal(stream_reset(&dc, 5), 0x03);
	dc_send(&dc, 5, p->w.mem_key[0]);
	expect_done(world_send_cqe(&p->a), p->a.last);
	dc_destroy(&dc);
}

static void
streams_in_error_put_the_initiator_there(void **state)
{
	struct pair *p = *state;
	struct dc dc;

	dc_create(&dc, p, ACCESS_ALL, 3, 1);
	dc_send(&dc, 1, BAD_LKEY);
	assert_int_equal(world_qp_state(&p->a), 3);
	dc_send(&dc, 2, BAD_LKEY);
	assert_int_equal(world_qp_state(&p->a), 6);
	/* A reset forgets them. */
	world_qp_modify(&p->a, 0x50a, 0, 0, 0);
	memset(p->a.page + WORLD_DBR_OFF, 0, 8);
	p->a.pi = 0;
	dci_connect(p);
	dc_send(&dc, 1, BAD_LKEY);
	assert_int_equal(world_qp_state(&p->a), 3);
	dc_destroy(&dc);
}

static void
streams_out_of_range_are_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t in[WORLD_BOX];
	uint32_t num, qpn = p->a.qpn;

	assert_int_equal(dci_create(p, 8, 0), 0x08);
	assert_int_equal(dci_create(p, 0, 7), 0x08);
	/* Streams of a connected QP. */
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6 + 31, 24, 1);
	assert_int_equal(exec_num(p->a.hca, in, sizeof(in), &num), 0x03);
	p->a.qpn = qpn;
}

static uint8_t
map_create(struct pair *p, uint32_t qpn, uint32_t index, uint32_t *num)
{
	uint8_t in[0x50] = { 0 };

	world_put(in, 0, 16, 0xa00);
	world_put(in, 1, 0, 0x3a);
	world_put(in, 7, 0, qpn);
	world_put(in, 15, 20, index);
	return exec_num(p->a.hca, in, sizeof(in), num);
}

static void
address_is_mapped_to_a_qp_that_exists(void **state)
{
	uint8_t in[16] = { 0 }, out[0x50];
	struct pair *p = *state;
	uint32_t num, none;

	assert_int_equal(map_create(p, p->a.qpn, 0, &num), 0);
	assert_int_equal(map_create(p, 0xffffff, 0, &none), 0x05);
	assert_int_equal(map_create(p, p->a.qpn, 200, &none), 0x0a);
	world_put(in, 0, 16, 0xa02);
	world_put(in, 1, 0, 0x3a);
	world_put(in, 2, 0, num);
	assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(out[31], p->a.qpn & 0xff);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(message_arrives_at_the_target),
		CASE(initiator_has_no_receive_queue),
		CASE(target_takes_receives_of_a_ring),
		CASE(target_answers_one_sided_requests),
		CASE(right_that_a_target_lacks_is_a_nak),
		CASE(wrong_key_is_not_answered),
		CASE(armed_target_tells_of_a_wrong_key_once),
		CASE(target_tells_of_what_it_must_not_answer),
		CASE(target_waits_for_a_page),
		CASE(target_that_is_drained_or_none_is_silent),
		CASE(target_of_a_device_that_is_gone_can_be_destroyed),
		CASE(target_without_a_receive_is_not_ready),
		CASE(target_without_what_it_needs_is_rejected),
		CASE(umr_of_an_initiator_has_no_address),
		CASE(umr_behind_an_address_is_rejected),
		CASE(error_of_a_stream_leaves_the_others),
		CASE(streams_in_error_put_the_initiator_there),
		CASE(streams_out_of_range_are_rejected),
		CASE(address_is_mapped_to_a_qp_that_exists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
