/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Service types: what UC loses, what datagrams carry, what reliable ones insist on. */

#include "types.h"

#define OP_READ_  0x10
#define OP_SEND_INVAL 0x01

#define EVENT_COMM_EST	0x02
#define EVENT_ACCESS	0x11

#define QKEY 0x11111111u

static struct pair bed, *const p = &bed;

static int
world_setup(void **state)
{
	memset(p, 0, sizeof(*p));
	world_create(&p->w);
	return 0;
}

static int
world_teardown(void **state)
{
	if (p->a.page != NULL)
		world_qp_destroy(&p->a);
	if (p->b.page != NULL)
		world_qp_destroy(&p->b);
	world_destroy(&p->w);
	return 0;
}

#define TYPE_CASE(f) CASE_WITH(f, world_setup, world_teardown)

/* A connected pair of a type, b's path as given. */
static void
connect_as(uint32_t st, struct type_path path_a, struct type_path path_b)
{
	const struct type_opts opts = { .st = st };

	type_qp_create(&p->w, 0, &p->a, &opts);
	type_qp_create(&p->w, 1, &p->b, &opts);
	path_a.remote_qpn = p->b.qpn;
	path_a.lid = 2;
	path_b.remote_qpn = p->a.qpn;
	path_b.lid = 1;
	type_to_rts(&p->b, &path_b);
	type_to_rts(&p->a, &path_a);
}

static const struct type_path plain = { .access = ALL_QP_ACCESS };

static void
send_from_a(uint32_t len)
{
	post_send(&p->a, p->w.mem_key[0], p->w.mem, len);
	ring_run(p, &p->a);
}

TYPE_CASE(uc_message_arrives)
{
	const struct mlx5_cqe64 *cqe;

	connect_as(ST_UC, plain, plain);
	fill(p->w.mem, 100);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 100);
	send_from_a(100);
	expect_done(world_send_cqe(&p->a), 0);
	cqe = NOT_NULL(world_recv_cqe(&p->b));
	assert_int_equal(be32toh(cqe->byte_cnt), 100);
	assert_memory_equal(p->w.mem + 8192, p->w.mem, 100);
}

TYPE_CASE(uc_message_without_a_receive_is_lost)
{
	connect_as(ST_UC, plain, plain);
	send_from_a(100);
	expect_done(world_send_cqe(&p->a), 0);
	assert_null(world_recv_cqe(&p->b));
	assert_int_equal(world_qp_state(&p->b), 3);
}

TYPE_CASE(uc_write_with_a_bad_key_is_lost)
{
	uint8_t *dst = p->w.mem + 8192;

	connect_as(ST_UC, plain, plain);
	fill(p->w.mem, 64);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)dst, 0xdead00, p->w.mem, p->w.mem_key[0], 64);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)dst + 64, p->w.mem_key[1], p->w.mem,
		      p->w.mem_key[0], 64);
	ring_run(p, &p->a);
	expect_done(world_send_cqe(&p->a), 0);
	expect_done(world_send_cqe(&p->a), 1);
	assert_int_equal(dst[1], 0);
	assert_memory_equal(dst + 64, p->w.mem, 64);
	assert_int_equal(world_qp_state(&p->b), 3);
	assert_null(world_eqe(&p->w, 1));
}

TYPE_CASE(uc_does_not_read_and_recovers)
{
	connect_as(ST_UC, plain, plain);
	post_transfer(&p->a, OP_READ_, CE, (uintptr_t)p->w.mem, p->w.mem_key[1], p->w.mem,
		      p->w.mem_key[0], 8);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
	expect_last(&p->a, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(world_qp_state(&p->a), 4);	/* SQER: it still receives */
	assert_int_equal(type_modify(&p->a, 0x506, &plain), 0);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 8);
	send_from_a(8);
	expect_done(world_send_cqe(&p->a), 2);
}

/* Datagrams: a sends, b receives; 48 bytes of address vector and a data segment. */
struct dgram {
	uint32_t qpn, qkey;
	uint16_t lid;
	bool has_grh;
	uint8_t gid[16];
};

/* @return A datagram from a to b. */
static struct dgram
ud_pair(bool block_lb_mc)
{
	const struct type_opts opts = { .st = ST_UD, .block_lb_mc = block_lb_mc };
	const struct type_path path = { .qkey = QKEY };

	type_qp_create(&p->w, 0, &p->a, &opts);
	type_qp_create(&p->w, 1, &p->b, &opts);
	type_to_rts(&p->a, &path);
	type_to_rts(&p->b, &path);
	/* To fe80::1001, as the world names device 1. */
	return (struct dgram){ .qpn = p->b.qpn, .qkey = QKEY, .lid = 2,
			       .gid = { 0xfe, 0x80, [14] = 0x10, 0x01 } };
}

static void
ud_post(const struct dgram *d, uint32_t len)
{
	uint8_t body[64] = { 0 }, seg[32];

	world_put(body, 0, 0, d->qkey);
	world_put(body, 2, 0, 0x80000000 | d->qpn);
	world_put(body, 3, 24, 5);			/* SL */
	world_put(body, 3, 0, d->lid);
	body[26] = 7;					/* traffic class */
	body[27] = 9;					/* hop limit */
	world_put(body, 7, 0, (uint32_t)d->has_grh << 30 | 0x12345);
	memcpy(body + 32, d->gid, 16);
	world_rdma_body(seg, 0, 0, p->w.mem, p->w.mem_key[0], len);
	memcpy(body + 48, seg + 16, 16);
	world_post(&p->a, OP_SEND, CE, 0, body, 4);
	world_ring(&p->a);
}

static void
ud_send(const struct dgram *d, uint32_t len)
{
	ud_post(d, len);
	world_run(&p->w);
}

static void
ud_recv(struct world_qp *qp, uint8_t *dst, uint32_t len)
{
	memset(dst, 0xee, len);
	world_recv(qp, p->w.mem_key[qp == &p->a ? 0 : 1], dst, len);
}

FABRIC_CASE(datagram_leaves_room_for_a_grh, world_setup, world_teardown)
{
	const struct dgram d = ud_pair(false);
	uint8_t *dst = p->w.mem + 8192;
	const struct mlx5_cqe64 *cqe;

	fill(p->w.mem, 100);
	ud_recv(&p->b, dst, 140);
	ud_send(&d, 100);
	expect_done(world_send_cqe(&p->a), 0);
	cqe = NOT_NULL(world_recv_cqe(&p->b));
	assert_int_equal(be32toh(cqe->byte_cnt), 140);
	assert_int_equal(be32toh(cqe->flags_rqpn), 5u << 24 | p->a.qpn);
	assert_int_equal(be16toh(cqe->slid), 1);
	assert_int_equal(dst[0], 0xee);
	assert_int_equal(dst[39], 0xee);
	assert_memory_equal(dst + 40, p->w.mem, 100);
}

FABRIC_CASE(datagram_brings_its_grh, world_setup, world_teardown)
{
	static const uint8_t grh[] = {
		0x60, 0x71, 0x23, 0x45, 0x00, 124, 0x1b, 9, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0x10, 0x00, 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x01,
	};
	struct dgram d = ud_pair(false);
	uint8_t *dst = p->w.mem + 8192;
	const struct mlx5_cqe64 *cqe;

	d.has_grh = true;
	fill(p->w.mem, 100);
	ud_recv(&p->b, dst, 140);
	ud_send(&d, 99);		/* padded to 100: 12 + 8 + 100 + 4 */
	cqe = NOT_NULL(world_recv_cqe(&p->b));
	assert_int_equal(be32toh(cqe->flags_rqpn) >> 28, 1);
	assert_memory_equal(dst, grh, sizeof(grh));
	assert_memory_equal(dst + 40, p->w.mem, 99);
}

static void
expect_lost(const char *why, const struct dgram *d)
{
	ud_send(d, 64);
	row_check(why, next_syndrome(&p->a), 0);
	row_check(why, world_recv_cqe(&p->b) != NULL, false);
}

FABRIC_CASE(datagram_that_nobody_accepts_is_lost, world_setup, world_teardown)
{
	struct dgram d = ud_pair(false);
	const struct {
		const char *why;
		struct dgram d;
	} bad[] = {
		{ "Q_Key", { .qpn = d.qpn, .qkey = QKEY + 1, .lid = 2 } },
		{ "queue pair", { .qpn = 0xfffff, .qkey = QKEY, .lid = 2 } },
		{ "LID", { .qpn = d.qpn, .qkey = QKEY, .lid = 77 } },
		{ "GID", { .qpn = d.qpn, .qkey = QKEY, .lid = 2, .has_grh = true,
			   .gid = { 0xfe, 0x80, [14] = 0x10, 0x77 } } },
	};

	expect_lost("no receive", &d);
	ud_recv(&p->b, p->w.mem + 8192, 140);
	for (size_t i = 0; i < NB_OF(bad); i++)
		expect_lost(bad[i].why, &bad[i].d);
	/* The high bit stands for the Q_Key of the sender's QP. */
	d.qkey = 0x80000000;
	ud_send(&d, 64);
	assert_non_null(world_recv_cqe(&p->b));
}

TYPE_CASE(datagram_beyond_the_mtu_is_rejected)
{
	const struct dgram d = ud_pair(false);

	ud_recv(&p->b, p->w.mem + 8192, 4140);
	ud_send(&d, 4096);
	assert_non_null(world_recv_cqe(&p->b));
	expect_done(world_send_cqe(&p->a), 0);
	ud_send(&d, 4097);
	expect_last(&p->a, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(world_qp_state(&p->a), 4);
}

TYPE_CASE(datagram_longer_than_the_receive_ends_the_receiver)
{
	const struct dgram d = ud_pair(false);

	ud_recv(&p->b, p->w.mem + 8192, 139);
	ud_send(&d, 100);
	expect_done(world_send_cqe(&p->a), 0);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(world_qp_state(&p->b), 6);
}

TYPE_CASE(datagram_without_an_address_is_rejected)
{
	ud_pair(false);
	world_post(&p->a, OP_SEND, CE, 0, NULL, 0);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_LOCAL_QP_OP_ERR);
}

/* Who waits for no completion has rung before the command: an adapter is faster than that. */
TYPE_CASE(datagrams_leave_before_their_queue_goes)
{
	const struct dgram d = ud_pair(false);

	ud_recv(&p->b, p->w.mem + 8192, 140);
	ud_post(&d, 100);
	world_qp_destroy(&p->a);
	world_run(&p->w);
	assert_non_null(world_recv_cqe(&p->b));
	type_qp_create(&p->w, 0, &p->a, &(struct type_opts){ .st = ST_UD });
}

static const uint8_t group[16] = { 0xff, 0x12, [15] = 0x5 };

static void
group_send(void)
{
	struct dgram d = { .qpn = 0xffffff, .qkey = QKEY, .lid = 0xc001, .has_grh = true };

	memcpy(d.gid, group, sizeof(group));
	ud_recv(&p->a, p->w.mem + 8192, 140);
	ud_recv(&p->b, p->w.mem + 12288, 140);
	ud_send(&d, 100);
}

TYPE_CASE(group_message_reaches_all_members)
{
	ud_pair(false);
	fill(p->w.mem, 100);
	assert_int_equal(type_mcg(&p->a, 0x806, group), 0);
	assert_int_equal(type_mcg(&p->b, 0x806, group), 0);
	group_send();
	assert_non_null(world_recv_cqe(&p->a));
	assert_non_null(world_recv_cqe(&p->b));
	assert_memory_equal(p->w.mem + 8192 + 40, p->w.mem, 100);
	assert_memory_equal(p->w.mem + 12288 + 40, p->w.mem, 100);
	assert_int_equal(type_mcg(&p->b, 0x807, group), 0);
	group_send();
	assert_non_null(world_recv_cqe(&p->a));
	assert_null(world_recv_cqe(&p->b));
	assert_int_equal(type_mcg(&p->a, 0x807, group), 0);
}

TYPE_CASE(sender_may_block_its_own_copy)
{
	ud_pair(true);
	assert_int_equal(type_mcg(&p->a, 0x806, group), 0);
	assert_int_equal(type_mcg(&p->b, 0x806, group), 0);
	group_send();
	assert_null(world_recv_cqe(&p->a));
	assert_non_null(world_recv_cqe(&p->b));
	assert_int_equal(type_mcg(&p->a, 0x807, group), 0);
	assert_int_equal(type_mcg(&p->b, 0x807, group), 0);
}

TYPE_CASE(group_that_cannot_be_is_rejected)
{
	static const uint8_t unicast[16] = { 0xfe, 0x80 };
	struct world_qp rc;

	ud_pair(false);
	world_qp_create(&p->w, 0, &rc);
	assert_int_equal(type_mcg(&rc, 0x806, group), 0x03);
	assert_int_equal(type_mcg(&p->a, 0x806, unicast), 0x03);
	assert_int_equal(type_mcg(&p->a, 0x807, group), 0x03);
	assert_int_equal(type_mcg(&p->a, 0x806, group), 0);
	assert_int_equal(type_mcg(&p->a, 0x806, group), 0x03);
	assert_int_equal(world_cmd(p->a.hca, 0x501, p->a.qpn, NULL), 0x06);
	assert_int_equal(type_mcg(&p->a, 0x807, group), 0);
	world_qp_destroy(&rc);
}

TYPE_CASE(packets_are_counted)
{
	const uint8_t raddr[16] = { 0 };

	connect_as(ST_RC, (struct type_path){ .access = ALL_QP_ACCESS, .send_psn = 0xfffffe,
						 .recv_psn = 77 },
		   (struct type_path){ .access = ALL_QP_ACCESS, .recv_psn = 0xfffffe,
				       .send_psn = 77 });
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 65536, 16384);
	send_from_a(3 * 4096 + 1);
	expect_done(world_send_cqe(&p->a), 0);
	world_post(&p->a, OP_WRITE, CE, 0, raddr, 1);	/* nothing, without a key */
	ring_run(p, &p->a);
	expect_done(world_send_cqe(&p->a), 1);
	assert_int_equal(type_query_qp(&p->a, 30) & 0xffffff, 3);	/* next_send_psn */
	assert_int_equal(type_query_qp(&p->b, 37) & 0xffffff, 3);	/* next_rcv_psn */
	assert_int_equal(type_query_qp(&p->b, 30) & 0xffffff, 77);
}

static void
expect_no_answer(struct type_path path)
{
	connect_as(ST_RC, path, plain);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 64);
	send_from_a(8);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_null(world_recv_cqe(&p->b));
}

TYPE_CASE(packet_with_another_psn_has_no_answer)
{
	expect_no_answer((struct type_path){ .access = ALL_QP_ACCESS, .send_psn = 5 });
}

TYPE_CASE(packet_of_another_partition_has_no_answer)
{
	expect_no_answer((struct type_path){ .access = ALL_QP_ACCESS, .pkey_index = 1 });
}

TYPE_CASE(first_packet_in_rtr_is_told)
{
	const struct type_opts opts = { .st = ST_RC };
	struct type_path path = plain;

	type_qp_create(&p->w, 0, &p->a, &opts);
	type_qp_create(&p->w, 1, &p->b, &opts);
	path.remote_qpn = p->a.qpn;
	path.lid = 1;
	assert_int_equal(type_modify(&p->b, 0x502, &path), 0);
	assert_int_equal(type_modify(&p->b, 0x503, &path), 0);
	path.remote_qpn = p->b.qpn;
	path.lid = 2;
	type_to_rts(&p->a, &path);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 64);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 64);
	send_from_a(8);
	send_from_a(8);
	expect_event(&p->w, 1, EVENT_COMM_EST, p->b.qpn);
	assert_null(world_eqe(&p->w, 1));
}

TYPE_CASE(message_beyond_the_context_is_rejected)
{
	connect_as(ST_RC, (struct type_path){ .access = ALL_QP_ACCESS, .log_msg_max = 6 },
		   plain);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 128);
	send_from_a(65);
	expect_last(&p->a, MLX5_CQE_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(world_qp_state(&p->a), 6);
}

TYPE_CASE(responder_tells_of_a_bad_access)
{
	connect_as(ST_RC, plain, plain);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem, 0xdead00, p->w.mem,
		      p->w.mem_key[0], 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	expect_event(&p->w, 1, EVENT_ACCESS, p->b.qpn);
}

/* A key of mem on device 1 that a message may invalidate. */
static uint32_t
inval_key(struct world *w, bool en_rinval)
{
	uint8_t in[WORLD_BOX + 16] = { 0 };

	world_mkey_box(w, 1, in, WORLD_UMR_EN | WORLD_ALL | WORLD_MTT);
	world_put(in, 7, 24, en_rinval);
	world_mkey_pages(in, w->mem, 4096);
	return world_exec_create(w->dev[1].hca, in, sizeof(in)) << 8;
}

static void
send_inval(uint32_t key)
{
	uint8_t body[32];

	world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], 8);
	world_post(&p->a, OP_SEND_INVAL, CE, key, body + 16, 1);
	ring_run(p, &p->a);
}

TYPE_CASE(send_frees_the_key_that_it_names)
{
	const struct mlx5_cqe64 *cqe;
	uint32_t key;

	connect_as(ST_RC, plain, plain);
	key = inval_key(&p->w, true);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 64);
	send_inval(key);
	expect_done(world_send_cqe(&p->a), 0);
	cqe = NOT_NULL(world_recv_cqe(&p->b));
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_RESP_SEND_INV);
	assert_int_equal(be32toh(cqe->imm_inval_pkey), key);
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem, key, p->w.mem, p->w.mem_key[0], 8);
	expect_run(p, &p->a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
}

TYPE_CASE(key_that_may_not_be_invalidated_stays)
{
	connect_as(ST_RC, plain, plain);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, 64);
	send_inval(inval_key(&p->w, false));
	expect_last(&p->a, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	expect_event(&p->w, 1, EVENT_ACCESS, p->b.qpn);
	/* Nothing was received. */
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

TYPE_CASE(qps_that_cannot_be_are_rejected)
{
	static const struct {
		const char *name;
		uint32_t st, no_sq, rq_type, srqn, xrcdn;
		uint8_t status;
	} rows[] = {
		{ "no such service type", .st = 0x3f, .status = 0x03 },
		{ "XRC with a receive queue", .st = ST_XRC, .status = 0x03 },
		{ "no such SRQ", .rq_type = RQ_SHARED, .srqn = 0xfff, .status = 0x05 },
		{ "no such XRCD", .st = ST_XRC, .no_sq = 1, .rq_type = RQ_SHARED, .xrcdn = 0xfff,
		  .status = 0x05 },
	};
	struct type_path path = plain;
	uint8_t in[WORLD_BOX];

	world_qp_create(&p->w, 0, &p->a);
	for (size_t i = 0; i < NB_OF(rows); i++) {
		world_qp_box(&p->w, 0, in, &p->a);
		world_put(in, 6, 16, rows[i].st);
		world_put(in, 8, 15, rows[i].no_sq);
		world_put(in, 49, 24, rows[i].rq_type);
		world_put(in, 49, 0, rows[i].srqn);
		world_put(in, 44, 0, rows[i].xrcdn);
		row_check(rows[i].name, world_exec(p->a.hca, in, sizeof(in)), rows[i].status);
	}
	path.log_msg_max = 31;
	assert_int_equal(type_modify(&p->a, 0x502, &path), 0);
	assert_int_equal(type_modify(&p->a, 0x503, &path), 0x03);
	assert_int_equal(type_modify(&p->a, 0x506, &path), 0x10);
}
