/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Plain libibverbs on the software ConnectX: what ibv_rc_pingpong and friends do, and what they
 * leave out, between two queue pairs of one process. The device under test knows nothing of it.
 */

#include <pthread.h>

#include "../world.h"
#include "tap.h"

#define BUF_SIZE	(1u << 20)
#define MAX_WR		32u
#define MAX_SGE		4u
#define MAX_INLINE	128u

struct pair {
	struct end a;
	struct end b;
};

static const struct rc_qp_conf conf = {
	.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ, .mtu = IBV_MTU_1024,
	.psn = 0x111, .rd_atomic = 4, .min_rnr_timer = 1, .timeout = 8, .retry_cnt = 2,
	.rnr_retry = 2,
};

static void
side_create(struct end *e, const char *name)
{
	struct ibv_port_attr port;

	end_open(e, device_open(name), BUF_SIZE);
	assert_int_equal(ibv_query_port(e->ctx, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	e->qp = qp_create(e->pd, (struct ibv_qp_init_attr){
		.send_cq = e->cq, .cap = { MAX_WR, MAX_WR, MAX_SGE, MAX_SGE, MAX_INLINE } });
}

static void
pair_connect(struct pair *p)
{
	qp_connect(p->a.qp, p->b.ctx, p->b.qp->qp_num, &conf);
	qp_connect(p->b.qp, p->a.ctx, p->a.qp->qp_num, &conf);
}

/* Of the second end: each case runs on one device and between two. */
static const char *name_b;

static int
setup(void **state)
{
	struct pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	side_create(&p->a, "mlx5_0");
	side_create(&p->b, name_b);
	pair_connect(p);
	*state = p;
	return 0;
}

static int
teardown(void **state)
{
	struct pair *p = *state;

	end_close(&p->a);
	end_close(&p->b);
	free(p);
	return 0;
}

/* Posted to the first end. */
static void
post(struct pair *p, struct ibv_send_wr *wr, enum ibv_wr_opcode opcode, unsigned int flags)
{
	wr->opcode = opcode;
	wr->send_flags = flags;
	send_post(p->a.qp, wr);
}

static void
fill(struct end *s, unsigned int seed)
{
	size_t i;

	for (i = 0; i < BUF_SIZE; i++)
		s->buf[i] = (uint8_t)rand_r(&seed);
}

CASE_OF(struct pair, p, send_and_receive_wrap_their_rings, setup, teardown)
{
	uint32_t i;

	fill(&p->a, 1);
	for (i = 0; i < 10 * MAX_WR; i++) {
		struct ibv_sge from = sge_of(&p->a, i * 13, 1 + i * 3);
		struct ibv_sge to = sge_of(&p->b, i * 11, 1 + i * 3 + 7);
		struct ibv_send_wr wr = { .wr_id = i, .sg_list = &from, .num_sge = 1 };
		struct ibv_wc wc;

		recv_post(p->b.qp, 1000 + i, &to, 1);
		post(p, &wr, IBV_WR_SEND, IBV_SEND_SIGNALED);
		expect_wc(p->a.cq, i, IBV_WC_SUCCESS);
		wc = wc_wait(p->b.cq);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.wr_id, 1000 + i);
		assert_int_equal(wc.byte_len, from.length);
		assert_int_equal(wc.qp_num, p->b.qp->qp_num);
		assert_memory_equal(p->b.buf + i * 11, p->a.buf + i * 13, from.length);
	}
}

CASE_OF(struct pair, p, segments_gather_and_scatter, setup, teardown)
{
	struct ibv_sge from[3] = { sge_of(&p->a, 0, 5), sge_of(&p->a, 4090, 5000),
				   sge_of(&p->a, 100, 1) };
	struct ibv_sge to[2] = { sge_of(&p->b, 65536, 4), sge_of(&p->b, 0, 5002) };
	struct ibv_send_wr wr = { .sg_list = from, .num_sge = 3 };

	fill(&p->a, 2);
	recv_post(p->b.qp, 1, to, 2);
	post(p, &wr, IBV_WR_SEND, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	expect_wc(p->b.cq, 1, IBV_WC_SUCCESS);
	assert_memory_equal(p->b.buf + 65536, p->a.buf, 4);
	assert_int_equal(p->b.buf[0], p->a.buf[4]);
	assert_memory_equal(p->b.buf + 1, p->a.buf + 4090, 5000);
	assert_int_equal(p->b.buf[5001], p->a.buf[100]);
	assert_int_equal(p->b.buf[5002], 0);
}

CASE_OF(struct pair, p, inline_data_needs_no_key, setup, teardown)
{
	char text[] = "inline data of a stack";
	struct ibv_sge from = { .addr = (uintptr_t)text, .length = sizeof(text), .lkey = 0 };
	struct ibv_sge to = sge_of(&p->b, 0, 100);
	struct ibv_send_wr wr = { .sg_list = &from, .num_sge = 1 };

	recv_post(p->b.qp, 1, &to, 1);
	post(p, &wr, IBV_WR_SEND, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	expect_wc(p->b.cq, 1, IBV_WC_SUCCESS);
	assert_memory_equal(p->b.buf, text, sizeof(text));
}

CASE_OF(struct pair, p, immediate_arrives_with_a_send_and_with_a_write, setup, teardown)
{
	struct ibv_sge from = sge_of(&p->a, 0, 64), to = sge_of(&p->b, 0, 64);
	struct ibv_send_wr wr = { .sg_list = &from, .num_sge = 1, .imm_data = htobe32(0xabcd) };
	struct ibv_wc wc;

	fill(&p->a, 3);
	recv_post(p->b.qp, 1, &to, 1);
	recv_post(p->b.qp, 2, NULL, 0);
	post(p, &wr, IBV_WR_SEND_WITH_IMM, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	wc = wc_wait(p->b.cq);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_true(wc.wc_flags & IBV_WC_WITH_IMM);
	assert_int_equal(be32toh(wc.imm_data), 0xabcd);
	wr.imm_data = htobe32(0x1234);
	wr.wr.rdma.remote_addr = (uintptr_t)p->b.buf + 4096;
	wr.wr.rdma.rkey = p->b.mr->rkey;
	post(p, &wr, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	wc = wc_wait(p->b.cq);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
	assert_int_equal(be32toh(wc.imm_data), 0x1234);
	assert_int_equal(wc.byte_len, 64);
	assert_memory_equal(p->b.buf + 4096, p->a.buf, 64);
}

static void
megabyte_moves(struct pair *p)
{
	struct ibv_sge sge = sge_of(&p->a, 0, BUF_SIZE);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1,
				  .wr.rdma = { (uintptr_t)p->b.buf, p->b.mr->rkey } };

	fill(&p->a, 4);
	post(p, &wr, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	assert_memory_equal(p->a.buf, p->b.buf, BUF_SIZE);
	fill(&p->b, 5);
	post(p, &wr, IBV_WR_RDMA_READ, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	assert_memory_equal(p->a.buf, p->b.buf, BUF_SIZE);
}

CASE_WITH(write_and_read_move_a_megabyte, setup, teardown)
{
	megabyte_moves(*state);
}

CASE_OF(struct pair, p, unsignaled_requests_complete_with_the_signaled_one, setup, teardown)
{
	struct ibv_sge sge = sge_of(&p->a, 0, 8);
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1,
				  .wr.rdma = { (uintptr_t)p->b.buf, p->b.mr->rkey } };
	struct ibv_wc wc;
	unsigned int round, i;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < MAX_WR; i++) {
			wr.wr_id = i;
			post(p, &wr, IBV_WR_RDMA_WRITE,
			     i == MAX_WR - 1 ? IBV_SEND_SIGNALED : 0);
		}
		expect_wc(p->a.cq, MAX_WR - 1, IBV_WC_SUCCESS);
		assert_int_equal(ibv_poll_cq(p->a.cq, 1, &wc), 0);
	}
}

/* A write that must end with this status at the sender, and flush what is behind it. */
static void
expect_write_rejected(struct pair *p, uint32_t lkey, const uint8_t *raddr, uint32_t rkey,
		      enum ibv_wc_status status)
{
	struct ibv_sge sge = { (uintptr_t)p->a.buf, 8, lkey };
	struct ibv_send_wr wr = { .sg_list = &sge, .num_sge = 1,
				  .wr.rdma = { (uintptr_t)raddr, rkey } };
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int i;

	for (i = 0; i < 4; i++) {
		wr.wr_id = (uint64_t)i;
		post(p, &wr, IBV_WR_RDMA_WRITE, i == 3 ? IBV_SEND_SIGNALED : 0);
	}
	expect_wc(p->a.cq, 0, status);
	for (i = 1; i < 4; i++)
		expect_wc(p->a.cq, (uint64_t)i, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(ibv_query_qp(p->a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_ERR);
}

CASE_OF(struct pair, p, bad_local_key_is_a_protection_error, setup, teardown)
{
	expect_write_rejected(p, p->a.mr->lkey + 1, p->b.buf, p->b.mr->rkey, IBV_WC_LOC_PROT_ERR);
}

CASE_OF(struct pair, p, bad_remote_key_is_a_remote_access_error, setup, teardown)
{
	expect_write_rejected(p, p->a.mr->lkey, p->b.buf, p->b.mr->rkey + 0x100,
			      IBV_WC_REM_ACCESS_ERR);
}

CASE_OF(struct pair, p, remote_end_of_region_is_a_remote_access_error, setup, teardown)
{
	expect_write_rejected(p, p->a.mr->lkey, p->b.buf + BUF_SIZE - 7, p->b.mr->rkey,
			      IBV_WC_REM_ACCESS_ERR);
}

CASE_OF(struct pair, p, send_that_is_too_long_fails_both_ends, setup, teardown)
{
	struct ibv_sge from = sge_of(&p->a, 0, 65), to = sge_of(&p->b, 0, 64);
	struct ibv_send_wr wr = { .sg_list = &from, .num_sge = 1 };

	recv_post(p->b.qp, 1, &to, 1);
	recv_post(p->b.qp, 2, &to, 1);
	post(p, &wr, IBV_WR_SEND, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_REM_INV_REQ_ERR);
	expect_wc(p->b.cq, 1, IBV_WC_LOC_LEN_ERR);
	expect_wc(p->b.cq, 2, IBV_WC_WR_FLUSH_ERR);
}

CASE_OF(struct pair, p, send_waits_for_a_late_receive, setup, teardown)
{
	/* 164 ms, twice: time enough for a machine that is busy. */
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS, .min_rnr_timer = 28 };
	struct ibv_sge from = sge_of(&p->a, 0, 64), to = sge_of(&p->b, 0, 64);
	struct ibv_send_wr wr = { .sg_list = &from, .num_sge = 1 };
	struct ibv_wc wc;

	assert_int_equal(ibv_modify_qp(p->b.qp, &attr, IBV_QP_STATE | IBV_QP_MIN_RNR_TIMER), 0);
	post(p, &wr, IBV_WR_SEND, IBV_SEND_SIGNALED);
	assert_int_equal(ibv_poll_cq(p->a.cq, 1, &wc), 0);
	recv_post(p->b.qp, 1, &to, 1);
	expect_wc(p->a.cq, 0, IBV_WC_SUCCESS);
	expect_wc(p->b.cq, 1, IBV_WC_SUCCESS);
}

CASE_OF(struct pair, p, send_without_a_receive_exceeds_its_retries, setup, teardown)
{
	struct ibv_sge from = sge_of(&p->a, 0, 64);
	struct ibv_send_wr wr = { .sg_list = &from, .num_sge = 1 };

	post(p, &wr, IBV_WR_SEND, IBV_SEND_SIGNALED);
	expect_wc(p->a.cq, 0, IBV_WC_RNR_RETRY_EXC_ERR);
}

CASE_OF(struct pair, p, queue_pair_in_error_flushes_and_can_be_reset, setup, teardown)
{
	struct ibv_sge to = sge_of(&p->b, 0, 64);
	int i;

	for (i = 0; i < 3; i++)
		recv_post(p->b.qp, (uint64_t)i, &to, 1);
	qp_to(p->b.qp, IBV_QPS_ERR);
	for (i = 0; i < 3; i++)
		expect_wc(p->b.cq, (uint64_t)i, IBV_WC_WR_FLUSH_ERR);
	qp_to(p->b.qp, IBV_QPS_RESET);
	qp_to(p->a.qp, IBV_QPS_RESET);
	pair_connect(p);
	megabyte_moves(p);
}

CASE_OF(struct pair, p, registering_what_is_not_mapped_is_rejected, setup, teardown)
{
	assert_null(ibv_reg_mr(p->a.pd, (void *)0x1000, 4096, IBV_ACCESS_LOCAL_WRITE));
}

/* More queue pairs of one context than it has doorbell registers; each thread rings its own. */
#define NB_THREADS		4
#define NB_QPS_PER_THREAD	8
#define NB_ROUNDS		500

struct ringer {
	const struct end *s;
	struct ibv_cq *cqs[NB_QPS_PER_THREAD];
	struct ibv_qp *qps[NB_QPS_PER_THREAD];
	unsigned int nb_done;
};

static void
ringer_create(struct ringer *r, const struct end *s)
{
	int i;

	r->s = s;
	for (i = 0; i < NB_QPS_PER_THREAD; i++) {
		r->cqs[i] = ibv_create_cq(s->ctx, 8, NULL, NULL, 0);
		assert_non_null(r->cqs[i]);
		r->qps[i] = qp_create(s->pd, (struct ibv_qp_init_attr){
			.send_cq = r->cqs[i], .cap = { 4, 1, 1, 1, 32 } });
		qp_connect(r->qps[i], s->ctx, r->qps[i]->qp_num, &conf);
	}
}

/* In each round ring all queue pairs, then wait for all; a doorbell that is lost ends it. */
static void *
ringer_main(void *arg)
{
	struct ringer *r = arg;
	struct ibv_sge sge = sge_of(r->s, 4096, 8);
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { (uintptr_t)r->s->buf, r->s->mr->rkey },
	}, *bad;
	struct ibv_wc wc;
	int i, round, nb;
	uint64_t deadline;

	for (round = 0; round < NB_ROUNDS; round++) {
		/* For a round: all of them take long where threads and device share a CPU. */
		deadline = patience_end();
		for (i = 0; i < NB_QPS_PER_THREAD; i++) {
			if (ibv_post_send(r->qps[i], &wr, &bad) != 0)
				return NULL;
		}
		for (i = 0; i < NB_QPS_PER_THREAD; i++) {
			nb = 0;
			while (nb == 0 && !patience_is_over(deadline))
				nb = ibv_poll_cq(r->cqs[i], 1, &wc);
			if (nb != 1 || wc.status != IBV_WC_SUCCESS)
				return NULL;
			r->nb_done++;
		}
	}
	return NULL;
}

CASE_OF(struct pair, p, threads_that_share_doorbells_lose_none, setup, teardown)
{
	struct ringer ringers[NB_THREADS] = { 0 };
	pthread_t threads[NB_THREADS];
	int i, j;

	for (i = 0; i < NB_THREADS; i++)
		ringer_create(&ringers[i], &p->a);
	for (i = 0; i < NB_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, ringer_main, &ringers[i]), 0);
	for (i = 0; i < NB_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < NB_THREADS; i++) {
		assert_int_equal(ringers[i].nb_done, NB_ROUNDS * NB_QPS_PER_THREAD);
		for (j = 0; j < NB_QPS_PER_THREAD; j++) {
			assert_int_equal(ibv_destroy_qp(ringers[i].qps[j]), 0);
			assert_int_equal(ibv_destroy_cq(ringers[i].cqs[j]), 0);
		}
	}
}

int
main(void)
{
	static const char *const names[] = { "mlx5_0", "mlx5_1" };
	int nb_failed = 0;

	tap_groups(NB_OF(names));
	for (size_t i = 0; i < NB_OF(names); i++) {
		name_b = names[i];
		tap_group(name_b);
		nb_failed += cases_run(NULL, NULL);
	}
	return nb_failed;
}
