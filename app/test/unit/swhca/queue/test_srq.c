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

static int
shared_setup(void **state, bool is_list)
{
	struct shared *s = calloc(1, sizeof(*s));
	struct type_opts opts = { .st = ST_RC, .rq_type = RQ_SHARED };

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(s);
	world_create(&s->w);
	type_rmp_create(&s->w, 1, &s->srq, is_list);
	opts.srqn = s->srq.num;
	world_qp_create(&s->w, 0, &s->a);
	type_qp_create(&s->w, 1, &s->b, &opts);
	world_qp_connect(&s->w, &s->a, &s->b);
	*state = s;
	return 0;
}

static int
list_setup(void **state)
{
	return shared_setup(state, true);
}

static int
ring_setup(void **state)
{
	return shared_setup(state, false);
}

static int
shared_teardown(void **state)
{
	struct shared *s = *state;

	world_qp_destroy(&s->a);
	world_qp_destroy(&s->b);
	type_srq_destroy(&s->srq);
	world_destroy(&s->w);
	free(s);
	return 0;
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
	const struct mlx5_cqe64 *cqe = world_recv_cqe(&s->b);

	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be16toh(cqe->wqe_counter), index);
	assert_int_equal(be32toh(cqe->byte_cnt), len);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) & 0xffffff, s->b.qpn);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x123);
}

static uint32_t
query_rmp(struct shared *s, unsigned int dw)
{
	uint8_t in[16] = { 0 }, out[0x110];
	uint32_t be;

	world_put(in, 0, 16, 0x90f);
	world_put(in, 2, 0, s->srq.num);
	assert_int_equal(swhca_hca_cmd_exec(s->srq.hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 0x20 + (size_t)dw * 4, 4);
	return be32toh(be);
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

static void
messages_follow_the_list(void **state)
{
	struct shared *s = *state;
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
}

static void
ring_is_taken_in_order(void **state)
{
	struct shared *s = *state;
	uint8_t *dst = s->w.mem + 8192;
	unsigned int i;

	fill(s->w.mem, 64);
	for (i = 0; i < 3 * SRQ_WQES; i++) {
		memset(dst, 0, 64);
		type_srq_post(&s->srq, s->w.mem_key[1], dst, 64);
		send(s, s->w.mem, 64);
		assert_memory_equal(dst, s->w.mem, 64);
		expect_recv(s, (uint16_t)i, 64);
		expect_done(world_send_cqe(&s->a), (uint16_t)i);
	}
}

static void
empty_queue_makes_the_sender_wait(void **state)
{
	struct shared *s = *state;

	send(s, s->w.mem, 64);
	assert_null(world_send_cqe(&s->a));
	expect_error(world_wait_cqe(&s->w, &s->a, world_send_cqe), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_RNR_RETRY_EXC_ERR);
	assert_int_equal(world_qp_state(&s->b), 3);
}

static void
limit_is_told_once(void **state)
{
	struct shared *s = *state;
	unsigned int i;

	for (i = 0; i < 3; i++)
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
}

static void
limit_above_what_is_posted_is_told_at_once(void **state)
{
	struct shared *s = *state;

	assert_int_equal(arm_rmp(s, 1, 1, 1), 0);
	expect_event(&s->w, 1, EVENT_SRQ_LIMIT, s->srq.num);
}

static void
limits_and_states_that_cannot_be_are_rejected(void **state)
{
	struct shared *s = *state;

	assert_int_equal(arm_rmp(s, 1, 1, SRQ_WQES + 1), 0x03);
	assert_int_equal(arm_rmp(s, 3, 1, 1), 0x09);	/* it is not in ERR */
	assert_int_equal(arm_rmp(s, 1, 0, 1), 0x03);	/* back to RST */
	assert_int_equal(arm_rmp(s, 1, 3, 0), 0);
	assert_int_equal(query_rmp(s, 0) >> 20 & 0xf, 3);
	assert_int_equal(arm_rmp(s, 3, 1, 1), 0x03);
}

static void
last_wqe_is_told_once(void **state)
{
	struct shared *s = *state;

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
wqe_with_a_bad_key_ends_its_qp_alone(void **state)
{
	struct shared *s = *state;

	type_srq_post(&s->srq, 0xdead00, s->w.mem, 64);
	send(s, s->w.mem, 64);
	expect_error(world_recv_cqe(&s->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	expect_error(world_send_cqe(&s->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_int_equal(query_rmp(s, 0) >> 20 & 0xf, 1);
	expect_event(&s->w, 1, EVENT_LAST_WQE, s->b.qpn);
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

static void
list_that_leaves_the_queue_is_an_error(void **state)
{
	struct shared *s = *state;

	type_srq_post_at(&s->srq, 0, SRQ_WQES, s->w.mem_key[1], s->w.mem, 64);
	expect_srq_failed(s);
}

static void
counter_beyond_the_queue_is_an_error(void **state)
{
	struct shared *s = *state;

	type_srq_ring(&s->srq, SRQ_WQES + 1);
	expect_srq_failed(s);
}

static void
queue_in_use_stays(void **state)
{
	struct shared *s = *state;

	assert_int_equal(world_cmd(s->srq.hca, 0x90e, s->srq.num, NULL), 0x06);
	/* and is no SRQ of another kind */
	assert_int_equal(world_cmd(s->srq.hca, 0x701, s->srq.num, NULL), 0x05);
	assert_int_equal(world_cmd(s->srq.hca, 0x706, s->srq.num, NULL), 0x05);
}

static void
boxes_that_cannot_work_are_rejected(void **state)
{
	struct shared *s = *state;
	const struct world_dev *dev = &s->w.dev[1];
	uint8_t in[SRQ_BOX];

	type_rmp_box(dev, in, s->srq.page, true);
	world_put(in, 28, 0, 16);			/* 2^20 WQEs */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x08);
	type_rmp_box(dev, in, s->srq.page, true);
	world_put(in, 28, 16, 8);			/* of 16 KiB */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x03);
	type_rmp_box(dev, in, s->srq.page, true);
	world_put(in, 28, 0, 3);			/* 2 KiB more than the page list has */
	world_put(in, 25, 0, 8);
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x40);
	type_rmp_box(dev, in, s->srq.page, true);
	world_put(in, 22, 0, 0xfff);			/* no such PD */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x05);
	type_rmp_box(dev, in, s->srq.page, true);
	world_put(in, 8, 20, 3);			/* in ERR */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x03);
	type_srq_box(dev, in, s->srq.page, 0x705, 0xfff, s->b.rcqn);	/* no such XRCD */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x05);
	type_srq_box(dev, in, s->srq.page, 0x700, 0, 0);
	world_put(in, 5, 31, 1);			/* WQE signatures */
	assert_int_equal(world_exec(dev->hca, in, sizeof(in)), 0x03);
}

/* An XRC initiator on device 0, a target on device 1, and a queue of its domain. */
struct xrc {
	struct world w;
	struct world_qp ini;
	struct world_qp tgt;
	struct type_srq srq;
	uint32_t xrcdn;
};

static int
xrc_setup(void **state)
{
	struct xrc *x = calloc(1, sizeof(*x));
	const struct type_opts ini = { .st = ST_XRC, .rq_type = RQ_NONE };
	struct type_opts tgt = { .st = ST_XRC, .rq_type = RQ_SHARED, .no_sq = true };
	struct type_path path = { .access = ALL_QP_ACCESS };

	swhca_log_level = SWHCA_LOG_NONE;
	assert_non_null(x);
	world_create(&x->w);
	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80e, 0, &x->xrcdn), 0);
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
	*state = x;
	return 0;
}

static int
xrc_teardown(void **state)
{
	struct xrc *x = *state;

	type_srq_destroy(&x->srq);
	world_qp_destroy(&x->ini);
	world_qp_destroy(&x->tgt);
	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80f, x->xrcdn, NULL), 0);
	world_destroy(&x->w);
	free(x);
	return 0;
}

static void
xrc_send(struct xrc *x, uint32_t srqn, uint32_t len)
{
	uint8_t body[48] = { 0 };

	world_put(body, 0, 0, srqn);
	world_rdma_body(body + 16, 0, 0, x->w.mem, x->w.mem_key[0], len);
	memmove(body + 16, body + 32, 16);
	world_post(&x->ini, OP_SEND, CE, 0, body, 2);
	world_ring(&x->ini);
	world_run(&x->w);
}

static void
xrc_message_names_its_queue(void **state)
{
	struct xrc *x = *state;
	uint8_t *dst = x->w.mem + 8192;
	const struct mlx5_cqe64 *cqe;

	fill(x->w.mem, 64);
	type_srq_post(&x->srq, x->w.mem_key[1], dst, 64);
	xrc_send(x, x->srq.num, 64);
	expect_done(world_send_cqe(&x->ini), 0);
	cqe = world_recv_cqe(&x->tgt);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND);
	assert_int_equal(be32toh(cqe->srqn_uidx), 0x456);
	assert_int_equal(be32toh(cqe->sop_drop_qpn) & 0xffffff, x->tgt.qpn);
	assert_memory_equal(dst, x->w.mem, 64);
}

static void
xrc_write_is_checked_against_the_queues_pd(void **state)
{
	struct xrc *x = *state;
	uint8_t body[48] = { 0 };

	fill(x->w.mem, 64);
	world_put(body, 0, 0, x->srq.num);
	world_rdma_body(body + 16, (uintptr_t)x->w.mem + 8192, x->w.mem_key[1], x->w.mem,
			x->w.mem_key[0], 64);
	world_post(&x->ini, OP_WRITE, CE, 0, body, 3);
	world_ring(&x->ini);
	world_run(&x->w);
	expect_done(world_send_cqe(&x->ini), 0);
	assert_memory_equal(x->w.mem + 8192, x->w.mem, 64);
}

static void
xrc_queue_of_another_domain_is_rejected(void **state)
{
	struct xrc *x = *state;
	struct type_srq other;
	uint32_t xrcdn;

	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80e, 0, &xrcdn), 0);
	type_xrc_srq_create(&x->w, 1, &other, xrcdn, x->tgt.rcqn);
	type_srq_post(&other, x->w.mem_key[1], x->w.mem, 64);
	xrc_send(x, other.num, 64);
	expect_error(world_send_cqe(&x->ini), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_REMOTE_INVAL_REQ_ERR);
	expect_event(&x->w, 1, EVENT_INVAL_REQ, x->tgt.qpn);
	expect_event(&x->w, 1, EVENT_LAST_WQE, x->tgt.qpn);
	assert_int_equal(world_qp_state(&x->tgt), 6);
	type_srq_destroy(&other);
	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80f, xrcdn, NULL), 0);
}

static void
xrc_queue_is_armed_and_queried(void **state)
{
	struct xrc *x = *state;
	uint8_t in[16] = { 0 }, out[0x110];

	type_srq_post(&x->srq, x->w.mem_key[1], x->w.mem, 64);
	world_put(in, 0, 16, 0x708);
	world_put(in, 1, 0, 1);
	world_put(in, 2, 0, x->srq.num);
	world_put(in, 3, 0, 1);
	assert_int_equal(world_exec(x->srq.hca, in, sizeof(in)), 0);
	memset(in, 0, sizeof(in));
	world_put(in, 0, 16, 0x707);
	world_put(in, 2, 0, x->srq.num);
	assert_int_equal(swhca_hca_cmd_exec(x->srq.hca, in, sizeof(in), out, sizeof(out)), 0);
	assert_int_equal(out[0x10] & 0xf, 4);		/* log_xrc_srq_size */
	assert_int_equal(out[0x2c] << 8 | out[0x2d], 1);	/* lwm */
	assert_int_equal(out[0x2e] << 8 | out[0x2f], 1);	/* wqe_cnt */
	xrc_send(x, x->srq.num, 64);
	expect_event(&x->w, 1, EVENT_SRQ_LIMIT, x->srq.num);
}

static void
domain_in_use_stays(void **state)
{
	struct xrc *x = *state;

	assert_int_equal(world_cmd(x->w.dev[1].hca, 0x80f, x->xrcdn, NULL), 0x06);
}

#define LIST_CASE(f) cmocka_unit_test_setup_teardown(f, list_setup, shared_teardown)
#define RING_CASE(f) cmocka_unit_test_setup_teardown(f, ring_setup, shared_teardown)
#define XRC_CASE(f) cmocka_unit_test_setup_teardown(f, xrc_setup, xrc_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		LIST_CASE(messages_follow_the_list),
		RING_CASE(ring_is_taken_in_order),
		LIST_CASE(empty_queue_makes_the_sender_wait),
		LIST_CASE(limit_is_told_once),
		LIST_CASE(limit_above_what_is_posted_is_told_at_once),
		LIST_CASE(limits_and_states_that_cannot_be_are_rejected),
		LIST_CASE(last_wqe_is_told_once),
		LIST_CASE(wqe_with_a_bad_key_ends_its_qp_alone),
		LIST_CASE(list_that_leaves_the_queue_is_an_error),
		LIST_CASE(counter_beyond_the_queue_is_an_error),
		LIST_CASE(queue_in_use_stays),
		LIST_CASE(boxes_that_cannot_work_are_rejected),
		XRC_CASE(xrc_message_names_its_queue),
		XRC_CASE(xrc_write_is_checked_against_the_queues_pd),
		XRC_CASE(xrc_queue_of_another_domain_is_rejected),
		XRC_CASE(xrc_queue_is_armed_and_queried),
		XRC_CASE(domain_in_use_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
