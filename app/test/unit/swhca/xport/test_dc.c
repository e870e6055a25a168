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
	uint32_t srqn, cqn, mtu, port, access, cs_res;
};

/* Of the case; numbers are 0 until there is an object. */
static struct pair *p;
static uint32_t srqn, dctn;

/* A list or ring of 16 WQEs of 64 bytes in the place of the receive queue of QP b. */
static uint32_t
pool_create(bool is_ring)
{
	uint8_t in[WORLD_BOX] = { 0 };

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
	return world_exec_create(p->b.hca, in, sizeof(in));
}

static void
srq_post(uint32_t len)
{
	uint8_t *wqe = p->b.page + WORLD_RQ_OFF + (size_t)(p->b.rq_pi % WORLD_RQ_WQES) * 64;

	memset(wqe, 0, 64);
	wqe[3] = (uint8_t)((p->b.rq_pi + 1) % WORLD_RQ_WQES);
	world_put(wqe, 4, 0, len);
	world_put(wqe, 5, 0, p->w.mem_key[1]);
	world_put64(wqe, 6, (uintptr_t)p->w.mem + 4096);
	world_put(wqe, 9, 0, 0x100);
	memset(p->b.page + WORLD_DBR_OFF, 0, 4);
	world_put(p->b.page + WORLD_DBR_OFF, 0, 0, ++p->b.rq_pi);
}

static uint8_t
dct_create(const struct dct_attr *attr, uint32_t *num)
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
	world_put64(in, 12, KEY);
	world_put(in, 14, 24, attr->mtu);
	world_put(in, 14, 16, attr->port);
	return world_exec_num(p->b.hca, in, sizeof(in), num);
}

static uint8_t
dci_create(uint32_t log_streams, uint32_t log_errored)
{
	uint8_t in[WORLD_BOX];

	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6, 16, 5);
	world_put(in, 6 + 31, 24, log_streams);
	world_put(in, 6 + 32, 24, log_errored);
	return world_exec_num(p->a.hca, in, sizeof(in), &p->a.qpn);
}

static void
dc_create(bool is_ring, uint32_t access, uint32_t log_streams, uint32_t log_errored)
{
	struct dct_attr attr = { .cqn = p->b.rcqn, .mtu = 5, .port = 1, .access = access };

	srqn = attr.srqn = pool_create(is_ring);
	assert_int_equal(dct_create(&attr, &dctn), 0);
	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0);
	assert_int_equal(dci_create(log_streams, log_errored), 0);
	world_qp_to_rts(&p->a, 0, 0, 0);
	fill(p->w.mem, 4096);
}

static int
pair_setup(void **state)
{
	srqn = dctn = 0;
	setup(state);
	p = *state;
	return 0;
}

static int
dc_setup(void **state)
{
	pair_setup(state);
	dc_create(false, ACCESS_ALL, 0, 0);
	return 0;
}

static int
dc_teardown(void **state)
{
	if (dctn != 0) {
		world_cmd(p->b.hca, 0x712, dctn, NULL);
		assert_int_equal(world_cmd(p->b.hca, 0x711, dctn, NULL), 0);
	}
	if (srqn != 0)
		assert_int_equal(world_cmd(p->b.hca, 0x90e, srqn, NULL), 0);
	return teardown(state);
}

/* Cases with pair_setup() create the target and the initiator themselves. */
#define DC_CASE(f) CASE_WITH(f, dc_setup, dc_teardown)

/* The address of a target on device 1. */
static void
av_put(uint8_t *av, uint64_t key)
{
	world_put64(av, 0, key);
	world_put(av, 2, 0, 0x80000000u | dctn);
	av[15] = 2;			/* LID */
}

/* A transfer of len bytes by stream; op OP_SEND has no remote address. */
static void
dc_post(uint8_t op, uint64_t key, uint32_t lkey, uint32_t len, uint16_t stream)
{
	uint8_t body[48 + 32] = { 0 };
	uint32_t skip = op == OP_SEND ? 16 : 0;
	uint8_t *ctrl;

	av_put(body, key);
	world_rdma_body(body + 48, (uintptr_t)p->w.mem + 4096, p->w.mem_key[1], p->w.mem, lkey,
			len);
	memmove(body + 48, body + 48 + skip, 32 - skip);
	world_post(&p->a, op, CE, 0, body, (sizeof(body) - skip) / 16);
	ctrl = p->a.page + WORLD_SQ_OFF + (size_t)(p->a.last % WORLD_SQ_BB) * 64;
	ctrl[9] = (uint8_t)(stream >> 8);
	ctrl[10] = (uint8_t)stream;
	ring_run(p, &p->a);
}

static void
dc_send(uint16_t stream, uint32_t lkey)
{
	dc_post(OP_SEND, KEY, lkey, 64, stream);
}

static uint8_t
stream_reset(uint32_t stream)
{
	uint8_t in[0x1d0] = { 0 };

	world_put(in, 0, 16, 0x505);
	world_put(in, 2, 0, p->a.qpn);
	world_put(in, 2, 31, 1);
	world_put(in, 67, 0, 1);
	world_put(in, 68, 0, stream);
	return world_exec(p->a.hca, in, sizeof(in));
}

static uint32_t
dct_get(unsigned int dw)
{
	uint8_t out[0x50];

	assert_int_equal(world_query(p->b.hca, 0x713, 0, dctn, out, sizeof(out)), 0);
	return world_get(out, 4 + dw);
}

static void
expect_no_answer(uint8_t syndrome)
{
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, syndrome);
}

DC_CASE(message_arrives_at_the_target)
{
	const struct mlx5_cqe64 *cqe;

	srq_post(64);
	dc_send(0, p->w.mem_key[0]);
	expect_done(world_send_cqe(&p->a), 0);
	cqe = NOT_NULL(world_recv_cqe(&p->b));
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be32toh(cqe->srqn_uidx), USER_INDEX);
	assert_int_equal(be32toh(cqe->sop_drop_qpn), dctn);
	assert_int_equal(be32toh(cqe->flags_rqpn), p->a.qpn);
	assert_int_equal(be32toh(cqe->byte_cnt), 64);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 64);
}

/* mlx5_ib names an SRQ of its own in the context of every initiator, whoever's that is. */
CASE_WITH(initiator_has_no_receive_queue, pair_setup, teardown)
{
	uint8_t in[WORLD_BOX];

	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0);
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6, 16, 5);
	world_put(in, 49, 24, 1);	/* rq_type: shared */
	world_put(in, 49, 0, 0x123456);
	assert_int_equal(world_exec_num(p->a.hca, in, sizeof(in), &p->a.qpn), 0);
}

/* As UCX creates it: WQEs begin with a segment of a list, but follow each other. */
CASE_WITH(target_takes_receives_of_a_ring, pair_setup, dc_teardown)
{
	dc_create(true, 0, 0, 0);
	for (unsigned int i = 0; i < 3; i++) {
		const struct mlx5_cqe64 *cqe;

		srq_post(64);
		/* What a list says comes next. */
		memset(p->b.page + WORLD_RQ_OFF + (size_t)i * 64, 0xff, 16);
		memset(p->w.mem + 4096, 0, 64);
		dc_send(0, p->w.mem_key[0]);
		expect_last(&p->a, 0);
		cqe = NOT_NULL(world_recv_cqe(&p->b));
		assert_int_equal(be16toh(cqe->wqe_counter), i);
		assert_memory_equal(p->w.mem + 4096, p->w.mem, 64);
	}
}

DC_CASE(target_answers_one_sided_requests)
{
	dc_post(OP_WRITE, KEY, p->w.mem_key[0], 1000, 0);
	expect_done(world_send_cqe(&p->a), 0);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 1000);
	memset(p->w.mem, 0, 1000);
	dc_post(OP_READ, KEY, p->w.mem_key[0], 1000, 0);
	expect_last(&p->a, 0);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 1000);
}

CASE_WITH(right_that_a_target_lacks_is_a_nak, pair_setup, dc_teardown)
{
	dc_create(false, ACCESS_WRITE, 0, 0);
	dc_post(OP_READ, KEY, p->w.mem_key[0], 8, 0);
	expect_last(&p->a, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	assert_int_equal(world_qp_state(&p->a), 6);
	/* The target goes on with others. */
	assert_int_equal(dct_get(0) >> 24 & 0xf, 0);
}

DC_CASE(wrong_key_is_not_answered)
{
	const struct mlx5_cqe64 *cqe;

	srq_post(64);
	dc_post(OP_SEND, KEY + 1, p->w.mem_key[0], 64, 0);
	cqe = wait_send_cqe(p, &p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, 0x81);
	assert_null(world_recv_cqe(&p->b));
	/* First try and retry, as retry_count 1 allows. */
	assert_uint_in_range(dct_get(12), 2, 3);
}

/* The next event of device 1, which must be of that type and about the target. */
static void
expect_event(uint8_t type)
{
	const uint8_t *eqe = NOT_NULL(world_eqe(&p->w, 1));

	assert_int_equal(eqe[1], type);
	assert_int_equal(world_get(eqe, 14), dctn);
}

DC_CASE(armed_target_tells_of_a_wrong_key_once)
{
	assert_int_equal(world_cmd(p->b.hca, 0x714, dctn, NULL), 0);
	dc_post(OP_SEND, KEY + 1, p->w.mem_key[0], 64, 0);
	assert_non_null(wait_send_cqe(p, &p->a));
	expect_event(0x1d);
	assert_null(world_eqe(&p->w, 1));
	assert_int_equal(world_cmd(p->b.hca, 0x712, dctn, NULL), 0);
	expect_event(0x1c);
}

DC_CASE(target_tells_of_what_it_must_not_answer)
{
	p->w.mem_key[1] ^= 1;
	dc_post(OP_WRITE, KEY, p->w.mem_key[0], 64, 0);
	p->w.mem_key[1] ^= 1;
	expect_last(&p->a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	expect_event(0x11);
}

/* A region of pages with access bits of their own, none of which is there. */
static uint32_t
absent_key(void)
{
	uint8_t in[WORLD_BOX + 16] = { 0 };

	world_mkey_box(&p->w, 1, in, WORLD_ALL | WORLD_MTT);
	world_put(in, 3, 31, 1);	/* pg_access */
	world_put64(in, 8, (uintptr_t)p->w.mem);
	world_put(in, 11, 0, 8192);
	world_put(in, 17, 0, 1);
	world_put(in, 18, 0, 12);
	return world_exec_create(p->b.hca, in, sizeof(in)) << 8;
}

DC_CASE(target_waits_for_a_page)
{
	uint32_t key = p->w.mem_key[1], token;
	const uint8_t *eqe;
	uint8_t in[16] = { 0 };

	p->b.hca->conf.has_page_fault_events = true;
	p->w.mem_key[1] = absent_key();
	dc_post(OP_WRITE, KEY, p->w.mem_key[0], 64, 0);
	p->w.mem_key[1] = key;
	assert_null(world_send_cqe(&p->a));
	eqe = NOT_NULL(world_eqe(&p->w, 1));
	assert_int_equal(eqe[1], 0x0c);
	assert_int_equal(eqe[3], 1);		/* remote request */
	assert_int_equal(eqe[56], 6);		/* that writes */
	token = world_get(eqe, 14) & 0xffffff;
	world_wait(1000000);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	world_put(in, 0, 16, 0x204);
	world_put(in, 2, 31, 1);		/* in vain */
	world_put(in, 3, 0, token);
	assert_int_equal(world_exec(p->b.hca, in, sizeof(in)), 0);
	expect_no_answer(MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

DC_CASE(target_that_is_drained_or_none_is_silent)
{
	srq_post(64);
	assert_int_equal(world_cmd(p->b.hca, 0x712, dctn, NULL), 0);
	assert_int_equal(dct_get(0) >> 24 & 0xf, 2);
	dc_send(0, p->w.mem_key[0]);
	expect_no_answer(MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(world_cmd(p->b.hca, 0x712, dctn, NULL), 0x09);
	assert_int_equal(world_cmd(p->b.hca, 0x711, dctn + 1, NULL), 0x05);
}

CASE_WITH(target_of_a_device_that_is_gone_can_be_destroyed, dc_setup, teardown)
{
	assert_int_equal(world_cmd(p->b.hca, 0x711, dctn, NULL), 0x09);	/* not drained */
	swhca_hca_fail(p->b.hca);
	assert_int_equal(world_cmd(p->b.hca, 0x711, dctn, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, 0x90e, srqn, NULL), 0);
}

DC_CASE(target_without_a_receive_is_not_ready)
{
	dc_send(0, p->w.mem_key[0]);
	expect_no_answer(MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
}

CASE_WITH(target_without_what_it_needs_is_rejected, pair_setup, teardown)
{
	const uint32_t srq = pool_create(false), cq = p->b.rcqn;
	const struct {
		const char *name;
		struct dct_attr attr;
		uint8_t status;
	} rows[] = {
		{ "no such SRQ", { srq + 1, cq, .mtu = 5, .port = 1 }, 0x05 },
		{ "no such CQ", { srq, 0xffff, .mtu = 5, .port = 1 }, 0x05 },
		{ "no MTU", { srq, cq, .mtu = 0, .port = 1 }, 0x03 },
		{ "no such port", { srq, cq, .mtu = 5, .port = 2 }, 0x03 },
		{ "64 bytes in 64", { srq, cq, .mtu = 5, .port = 1, .cs_res = 2 }, 0x03 },
		{ "all is there", { srq, cq, .mtu = 5, .port = 1 }, 0 },
	};
	uint32_t num;

	for (size_t i = 0; i < NB_OF(rows); i++)
		row_check(rows[i].name, dct_create(&rows[i].attr, &num), rows[i].status);
	/* In use, and not drained. */
	assert_int_equal(world_cmd(p->b.hca, 0x90e, srq, NULL), 0x06);
	assert_int_equal(world_cmd(p->b.hca, 0x711, num, NULL), 0x09);
	assert_int_equal(world_cmd(p->b.hca, 0x712, num, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, 0x711, num, NULL), 0);
	assert_int_equal(world_cmd(p->b.hca, 0x90e, srq, NULL), 0);
}

/* A list over bytes 0 and 1000 of the memory, with an address vector in front if asked for. */
static void
dc_post_umr(uint32_t key, bool has_av)
{
	const struct world_klm klms[2] = {
		{ 100, p->w.mem_key[0], (uintptr_t)p->w.mem },
		{ 100, p->w.mem_key[0], (uintptr_t)p->w.mem + 1000 },
	};
	uint8_t body[48 + 1024] = { 0 };
	uint32_t skip = has_av ? 48 : 0;
	uint32_t nb_ds = world_umr_list(body + skip, key, ALL_ACCESS, 200, klms, 2);

	if (has_av)
		av_put(body, KEY);
	world_post(&p->a, OP_UMR, CE, key, body, nb_ds + skip / 16);
	ring_run(p, &p->a);
}

/* As rdma-core builds what it has of UMR for initiators: it goes nowhere. */
DC_CASE(umr_of_an_initiator_has_no_address)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);
	uint8_t body[48 + 32] = { 0 };

	dc_post_umr(key, false);
	expect_done(world_send_cqe(&p->a), 0);
	/* All that the key shows goes to the target. */
	av_put(body, KEY);
	world_rdma_body(body + 48, (uintptr_t)p->w.mem + 4096, p->w.mem_key[1], NULL, key, 200);
	world_post(&p->a, OP_WRITE, CE | FENCE, 0, body, sizeof(body) / 16);
	expect_run(p, &p->a, 0);
	assert_memory_equal(p->w.mem + 4096, p->w.mem, 100);
	assert_memory_equal(p->w.mem + 4196, p->w.mem + 1000, 100);
}

DC_CASE(umr_behind_an_address_is_rejected)
{
	uint32_t key = world_klm_key(&p->w, 0, 4);
	const struct mlx5_cqe64 *cqe;

	dc_post_umr(key, true);
	cqe = NOT_NULL(world_send_cqe(&p->a));
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	assert_int_equal(world_qp_state(&p->a), 6);
}

CASE_WITH(error_of_a_stream_leaves_the_others, pair_setup, dc_teardown)
{
	dc_create(false, ACCESS_ALL, 3, 1);
	srq_post(64);
	srq_post(64);
	dc_send(5, BAD_LKEY);
	expect_last(&p->a, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(world_qp_state(&p->a), 3);
	dc_send(5, p->w.mem_key[0]);
	expect_last(&p->a, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	dc_send(6, p->w.mem_key[0]);
	expect_last(&p->a, 0);
	/* Only what is in error can be taken out of it. */
	assert_int_equal(stream_reset(6), 0x03);
	assert_int_equal(stream_reset(5), 0);
	assert_int_equal(stream_reset(5), 0x03);
	dc_send(5, p->w.mem_key[0]);
	expect_last(&p->a, 0);
}

CASE_WITH(streams_in_error_put_the_initiator_there, pair_setup, dc_teardown)
{
	dc_create(false, ACCESS_ALL, 3, 1);
	dc_send(1, BAD_LKEY);
	assert_int_equal(world_qp_state(&p->a), 3);
	dc_send(2, BAD_LKEY);
	assert_int_equal(world_qp_state(&p->a), 6);
	/* A reset forgets them. */
	world_qp_modify(&p->a, 0x50a, 0, 0, 0);
	memset(p->a.page + WORLD_DBR_OFF, 0, 8);
	p->a.pi = 0;
	world_qp_to_rts(&p->a, 0, 0, 0);
	dc_send(1, BAD_LKEY);
	assert_int_equal(world_qp_state(&p->a), 3);
}

CASE_WITH(streams_out_of_range_are_rejected, pair_setup, teardown)
{
	uint8_t in[WORLD_BOX];
	uint32_t num;

	assert_int_equal(dci_create(8, 0), 0x08);
	assert_int_equal(dci_create(0, 7), 0x08);
	/* Streams of a connected QP. */
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6 + 31, 24, 1);
	assert_int_equal(world_exec_num(p->a.hca, in, sizeof(in), &num), 0x03);
}

static uint8_t
map_create(uint32_t qpn, uint32_t index, uint32_t *num)
{
	uint8_t in[0x50] = { 0 };

	world_put(in, 0, 16, 0xa00);
	world_put(in, 1, 0, 0x3a);
	world_put(in, 7, 0, qpn);
	world_put(in, 15, 20, index);
	return world_exec_num(p->a.hca, in, sizeof(in), num);
}

CASE_WITH(address_is_mapped_to_a_qp_that_exists, pair_setup, teardown)
{
	uint32_t num, none;
	uint8_t out[0x50];

	assert_int_equal(map_create(p->a.qpn, 0, &num), 0);
	assert_int_equal(map_create(0xffffff, 0, &none), 0x05);
	assert_int_equal(map_create(p->a.qpn, 200, &none), 0x0a);
	assert_int_equal(world_query(p->a.hca, 0xa02, 0x3a, num, out, sizeof(out)), 0);
	assert_int_equal(out[31], p->a.qpn & 0xff);
}
