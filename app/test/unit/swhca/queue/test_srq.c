/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Shared receive queues: lists and rings, limits, XRC, what ends them, what is rejected. */

#include "types.h"

#define EVENT_INVAL_REQ	 0x10
#define EVENT_SRQ_CATAS	 0x12
#define EVENT_LAST_WQE	 0x13
#define EVENT_SRQ_LIMIT	 0x14

/* Device 0 sends to a QP of device 1 that receives from a shared queue. */
struct shared {
	struct world w;
	struct world_qp a;
	struct world_qp b;
	struct type_srq srq;
};

static void
shared_destroy(void *arg)
{
	struct shared *s = arg;

	world_qp_destroy(&s->a);
	world_qp_destroy(&s->b);
	type_srq_destroy(&s->srq);
	world_destroy(&s->w);
	free(s);
}

/* As next_case(). */
static struct shared *
shared_case(void **state, const char *name, bool is_list)
{
	struct type_opts opts = { .st = ST_RC, .rq_type = RQ_SHARED };
	struct shared *s = calloc(1, sizeof(*s));

	case_name(state, name);
	assert_non_null(s);
	world_create(&s->w);
	type_rmp_create(&s->w, 1, &s->srq, is_list);
	opts.srqn = s->srq.num;
	world_qp_create(&s->w, 0, &s->a);
	type_qp_create(&s->w, 1, &s->b, &opts);
	world_qp_connect(&s->w, &s->a, &s->b);
	return case_begin(state, s, shared_destroy);
}

static struct shared *
list_case(void **state, const char *name)
{
	return shared_case(state, name, true);
}

static void
send(struct shared *s, const void *addr, uint32_t len)
{
	post_send(&s->a, s->w.mem_key[0], addr, len);
	world_ring(&s->a);
	world_run(&s->w);
}

static void
expect_recv(struct shared *s, uint16_t index, uint32_t len)
{
	const struct mlx5_cqe64 *cqe = NOT_NULL(world_recv_cqe(&s->b));

	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be16toh(cqe->wqe_counter), index);
	assert_int_equal(be32toh(cqe->byte_cnt), len);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) & 0xffffff, s->b.qpn);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x123);
}

static uint32_t
query_rmp(struct shared *s, unsigned int dw)
{
	uint8_t out[0x110];

	assert_int_equal(world_query(s->srq.hca, 0x90f, 0, s->srq.num, out, sizeof(out)), 0);
	return world_get(out, 8 + dw);
}

static uint8_t
arm_rmp(struct shared *s, uint32_t from, uint32_t to, uint32_t limit)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 0, 16, 0x90d);
	world_put(in, 2, 28, from);
	world_put(in, 2, 0, s->srq.num);
	world_put(in, 5, 0, 1);			/* bitmask: lwm */
	world_put(in, 8, 20, to);
	world_put(in, 21, 0, limit);
	return world_exec(s->srq.hca, in, sizeof(in));
}

CASES(ring_is_taken_in_order)
{
	struct shared *s = shared_case(state, "ring", false);
	uint8_t *dst = s->w.mem + 8192;

	fill(s->w.mem, 64);
	for (unsigned int i = 0; i < 3 * SRQ_WQES; i++) {
		memset(dst, 0, 64);
		type_srq_post(&s->srq, s->w.mem_key[1], dst, 64);
		send(s, s->w.mem, 64);
		assert_memory_equal(dst, s->w.mem, 64);
		expect_recv(s, (uint16_t)i, 64);
		expect_done(world_send_cqe(&s->a), (uint16_t)i);
	}
}

CASES(messages_follow_the_list_and_wait_for_it)
{
	struct shared *s = list_case(state, "list");
	uint8_t *dst = s->w.mem + 8192;

	fill(s->w.mem, 256);
	type_srq_post_at(&s->srq, 0, 5, s->w.mem_key[1], dst, 64);
	type_srq_post_at(&s->srq, 5, 2, s->w.mem_key[1], dst + 64, 64);
	type_srq_post_at(&s->srq, 2, 7, s->w.mem_key[1], dst + 128, 64);
	send(s, s->w.mem, 64);
	send(s, s->w.mem + 64, 64);
	send(s, s->w.mem + 128, 10);
	expect_recv(s, 0, 64);
	expect_recv(s, 5, 64);
	expect_recv(s, 2, 10);
	assert_memory_equal(dst, s->w.mem, 138);
	assert_int_equal(query_rmp(s, 12 + 6), 3);	/* hw_counter */

	s = list_case(state, "empty");
	send(s, s->w.mem, 64);
	assert_null(world_send_cqe(&s->a));
	expect_error(world_wait_cqe(&s->w, &s->a, world_send_cqe), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	assert_int_equal(world_qp_state(&s->b), 3);
}

CASES(limits_and_last_wqes_are_told_once)
{
	struct shared *s = list_case(state, "limit");

	for (unsigned int i = 0; i < 3; i++)
		type_srq_post(&s->srq, s->w.mem_key[1], s->w.mem, 64);
	assert_int_equal(arm_rmp(s, 1, 1, 2), 0);
	assert_int_equal(query_rmp(s, 13) & 0xffff, 2);
	send(s, s->w.mem, 1);
	assert_null(world_eqe(&s->w, 1));
	send(s, s->w.mem, 1);
	expect_event(&s->w, 1, EVENT_SRQ_LIMIT, s->srq.num);
	assert_int_equal(query_rmp(s, 13) & 0xffff, 0);
	send(s, s->w.mem, 1);
	assert_null(world_eqe(&s->w, 1));
	/* Above what is posted it is told at once. */
	assert_int_equal(arm_rmp(s, 1, 1, 1), 0);
	expect_event(&s->w, 1, EVENT_SRQ_LIMIT, s->srq.num);
	assert_int_equal(arm_rmp(s, 1, 1, SRQ_WQES + 1), 0x03);
	assert_int_equal(arm_rmp(s, 3, 1, 1), 0x09);	/* it is not in ERR */
	assert_int_equal(arm_rmp(s, 1, 0, 1), 0x03);	/* back to RST */
	assert_int_equal(arm_rmp(s, 1, 3, 0), 0);
	assert_int_equal(query_rmp(s, 0) >> 20 & 0xf, 3);
	assert_int_equal(arm_rmp(s, 3, 1, 1), 0x03);

	s = list_case(state, "last WQE");
	world_qp_modify(&s->b, 0x507, 0, 0, 0);
	world_run(&s->w);
	expect_event(&s->w, 1, EVENT_LAST_WQE, s->b.qpn);
	world_run(&s->w);
	assert_null(world_eqe(&s->w, 1));
	/* What is posted is for others. */
	type_srq_post(&s->srq, s->w.mem_key[1], s->w.mem, 64);
	world_run(&s->w);
	assert_null(world_recv_cqe(&s->b));
	assert_int_equal(query_rmp(s, 12 + 6), 0);
}

static void
expect_srq_failed(struct shared *s)
{
	send(s, s->w.mem, 64);
	expect_error(world_send_cqe(&s->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	expect_event(&s->w, 1, EVENT_SRQ_CATAS, s->srq.num);
	assert_int_equal(query_rmp(s, 0) >> 20 & 0xf, 3);
	assert_int_equal(world_qp_state(&s->b), 6);
}

CASES(queues_fail_alone_or_with_their_srq)
{
	struct shared *s = list_case(state, "bad key");

	type_srq_post(&s->srq, 0xdead00, s->w.mem, 64);
	send(s, s->w.mem, 64);
	expect_error(world_recv_cqe(&s->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	expect_error(world_send_cqe(&s->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_int_equal(query_rmp(s, 0) >> 20 & 0xf, 1);
	expect_event(&s->w, 1, EVENT_LAST_WQE, s->b.qpn);

	s = list_case(state, "list that leaves the queue");
	type_srq_post_at(&s->srq, 0, SRQ_WQES, s->w.mem_key[1], s->w.mem, 64);
	expect_srq_failed(s);

	s = list_case(state, "counter beyond the queue");
	type_srq_ring(&s->srq, SRQ_WQES + 1);
	expect_srq_failed(s);
}

CASES(srq_in_use_stays_and_boxes_are_checked)
{
	struct shared *s = list_case(state, "in use");
	static const struct {
		const char *name;
		uint16_t opcode;	/* 0: of an RMP */
		unsigned int dw, lsb;
		uint32_t value;
		uint8_t status;
	} rows[] = {
		{ "2^20 WQEs", 0, 28, 0, 16, 0x08 },
		{ "WQEs of 16 KiB", 0, 28, 16, 8, 0x03 },
		{ "no such PD", 0, 22, 0, 0xfff, 0x05 },
		{ "in ERR", 0, 8, 20, 3, 0x03 },
		{ "no such XRCD", 0x705, 5, 0, 0xfff, 0x05 },
		{ "WQE signatures", 0x700, 5, 31, 1, 0x03 },
	};
	const struct world_dev *dev;
	uint8_t in[SRQ_BOX];

	assert_int_equal(world_cmd(s->srq.hca, 0x90e, s->srq.num, NULL), 0x06);
	/* and is no SRQ of another kind */
	assert_int_equal(world_cmd(s->srq.hca, 0x701, s->srq.num, NULL), 0x05);
	assert_int_equal(world_cmd(s->srq.hca, 0x706, s->srq.num, NULL), 0x05);

	s = list_case(state, "boxes");
	dev = &s->w.dev[1];
	for (size_t i = 0; i < NB_OF(rows); i++) {
		if (rows[i].opcode == 0)
			type_rmp_box(dev, in, s->srq.page, true);
		else
			type_srq_box(dev, in, s->srq.page, rows[i].opcode, 0,
				     rows[i].opcode == 0x705 ? s->b.rcqn : 0);
		world_put(in, rows[i].dw, rows[i].lsb, rows[i].value);
		row_check(rows[i].name, world_exec(dev->hca, in, sizeof(in)), rows[i].status);
	}
	type_rmp_box(dev, in, s->srq.page, true);
	world_put(in, 28, 0, 3);			/* 2 KiB more than the page list has */
	world_put(in, 25, 0, 8);
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x40);
}

/* An XRC initiator on device 0, a target on device 1, and a queue of its domain. */
struct xrc {
	struct world w;
	struct world_qp ini;
	struct world_qp tgt;
	struct type_srq srq;
	uint32_t xrcdn;
};

static void
xrc_destroy(void *arg)
{
	struct xrc *x = arg;

	type_srq_destroy(&x->srq);
	world_qp_destroy(&x->ini);
	world_qp_destroy(&x->tgt);
	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80f, x->xrcdn, NULL), 0);
	world_destroy(&x->w);
	free(x);
}

/* As next_case(). */
static struct xrc *
xrc_case(void **state, const char *name)
{
	struct xrc *x = calloc(1, sizeof(*x));
	const struct type_opts ini = { .st = ST_XRC, .rq_type = RQ_NONE };
	struct type_opts tgt = { .st = ST_XRC, .rq_type = RQ_SHARED, .no_sq = true };
	struct type_path path = { .access = ALL_QP_ACCESS };

	case_name(state, name);
	assert_non_null(x);
	world_create(&x->w);
	x->xrcdn = world_alloc(x->w.dev[1].hca, 0x80e);
	tgt.xrcdn = x->xrcdn;
	type_qp_create(&x->w, 0, &x->ini, &ini);
	type_qp_create(&x->w, 1, &x->tgt, &tgt);
	type_xrc_srq_create(&x->w, 1, &x->srq, x->xrcdn, x->tgt.rcqn);
	path.remote_qpn = x->ini.qpn;
	path.lid = 1;
	type_to_rts(&x->tgt, &path);
	path.remote_qpn = x->tgt.qpn;
	path.lid = 2;
	type_to_rts(&x->ini, &path);
	return case_begin(state, x, xrc_destroy);
}

/* A send, or a write to that address. */
static void
xrc_post(struct xrc *x, uint32_t srqn, uint8_t *raddr)
{
	uint8_t body[48] = { 0 };

	world_put(body, 0, 0, srqn);
	world_rdma_body(body + 16, (uintptr_t)raddr, x->w.mem_key[1], x->w.mem, x->w.mem_key[0],
			64);
	if (raddr == NULL)
		memmove(body + 16, body + 32, 16);
	world_post(&x->ini, raddr == NULL ? OP_SEND : OP_WRITE, CE, 0, body,
		   raddr == NULL ? 2 : 3);
	world_ring(&x->ini);
	world_run(&x->w);
}

CASES(xrc_messages_name_their_queue)
{
	struct xrc *x = xrc_case(state, "message");
	uint8_t *dst = x->w.mem + 8192;
	const struct mlx5_cqe64 *cqe;
	struct type_srq other;
	uint32_t xrcdn;

	fill(x->w.mem, 64);
	type_srq_post(&x->srq, x->w.mem_key[1], dst, 64);
	xrc_post(x, x->srq.num, NULL);
	expect_done(world_send_cqe(&x->ini), 0);
	cqe = NOT_NULL(world_recv_cqe(&x->tgt));
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x456);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) & 0xffffff, x->tgt.qpn);
	assert_memory_equal(dst, x->w.mem, 64);

	x = xrc_case(state, "write");
	fill(x->w.mem, 64);
	xrc_post(x, x->srq.num, x->w.mem + 8192);
	expect_done(world_send_cqe(&x->ini), 0);
	assert_memory_equal(x->w.mem + 8192, x->w.mem, 64);

	x = xrc_case(state, "another domain");
	xrcdn = world_alloc(x->w.dev[1].hca, 0x80e);
	type_xrc_srq_create(&x->w, 1, &other, xrcdn, x->tgt.rcqn);
	type_srq_post(&other, x->w.mem_key[1], x->w.mem, 64);
	xrc_post(x, other.num, NULL);
	expect_last(&x->ini, MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	expect_event(&x->w, 1, EVENT_INVAL_REQ, x->tgt.qpn);
	expect_event(&x->w, 1, EVENT_LAST_WQE, x->tgt.qpn);
	assert_int_equal(world_qp_state(&x->tgt), 6);
	type_srq_destroy(&other);
	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80f, xrcdn, NULL), 0);
}

CASES(xrc_queue_is_armed_and_queried_and_its_domain_stays)
{
	struct xrc *x = xrc_case(state, "armed");
	uint8_t in[16] = { 0 }, out[0x110];

	/* Its domain is in use. */
	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80f, x->xrcdn, NULL), 0x06);
	type_srq_post(&x->srq, x->w.mem_key[1], x->w.mem, 64);
	world_put(in, 0, 16, 0x708);
	world_put(in, 1, 0, 1);
	world_put(in, 2, 0, x->srq.num);
	world_put(in, 3, 0, 1);
	assert_int_equal(world_exec(x->srq.hca, in, sizeof(in)), 0);
	assert_int_equal(world_query(x->srq.hca, 0x707, 0, x->srq.num, out, sizeof(out)), 0);
	assert_int_equal(out[0x10] & 0xf, 4);		/* log_xrc_srq_size */
	assert_int_equal(out[0x2c] << 8 | out[0x2d], 1);	/* lwm */
	assert_int_equal(out[0x2e] << 8 | out[0x2f], 1);	/* wqe_cnt */
	xrc_post(x, x->srq.num, NULL);
	expect_event(&x->w, 1, EVENT_SRQ_LIMIT, x->srq.num);
}
