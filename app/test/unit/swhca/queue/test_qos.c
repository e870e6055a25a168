/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Rates: entries of the rate table, and queue pairs that send at one.
 */

#include "pair.h"

#define SET_PP_RATE_LIMIT 0x780
#define MAX_KBPS 400000000u

static uint8_t
set_rate(struct swhca_hca *hca, uint32_t index, uint32_t kbps, uint32_t burst, uint32_t mode)
{
	uint8_t in[0x40] = { 0 };

	world_put(in, 0, 16, SET_PP_RATE_LIMIT);
	world_put(in, 2, 0, index);
	world_put(in, 4, 0, kbps);
	world_put(in, 5, 0, burst);
	world_put(in, 6, 0, mode);	/* rate_mode from bit 16 on, typical_packet_size below */
	return world_exec(hca, in, sizeof(in));
}

/* Replace the QP on device 0 by one with a rate, or without if that is rejected. */
static uint8_t
qp_replace(struct pair *p, uint32_t rate)
{
	uint8_t in[WORLD_BOX], out[16], status;

	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 6 + 29, 0, rate);
	status = world_qp_replace(&p->a, in);
	if (status != 0) {
		memset(in + (6 + 29) * 4, 0, 4);
		assert_int_equal(swhca_hca_cmd_exec(p->a.hca, in, sizeof(in), out, sizeof(out)), 0);
		p->a.qpn = world_get(out, 2);
	}
	world_qp_modify(&p->b, 0x50a, 0, 0, 0);
	world_qp_connect(&p->w, &p->a, &p->b);
	return status;
}

static void
writes_1k(struct pair *p, unsigned int nb)
{
	for (; nb > 0; nb--)
		post_mem(p, &p->a, OP_WRITE, 4096, 0, 1024);
	world_ring(&p->a);
}

CASES(qp_with_a_rate_sends_no_faster_but_its_burst)
{
	struct pair *p = next_case(state, "rate");
	uint64_t begin;

	/* 8192 kbit/s: 1024 bytes take a millisecond. */
	assert_int_equal(set_rate(p->a.hca, 5, 8192, 0, 0), 0);
	assert_int_equal(qp_replace(p, 5), 0);
	begin = world_now_ns();
	writes_1k(p, 6);
	for (unsigned int i = 0; i < 6; i++)
		expect_done(wait_send_cqe(p, &p->a), (uint16_t)i);
	/* The first goes at once; what waits may look once a step of the clock too late. */
	assert_uint_in_range(world_now_ns() - begin, 5000000, 5000000 + 6000);

	p = next_case(state, "burst");
	/* 8 kbit/s: 1024 bytes take a second, and three of them may be ahead. */
	assert_int_equal(set_rate(p->a.hca, 1, 8, 2048, 0), 0);
	assert_int_equal(qp_replace(p, 1), 0);
	writes_1k(p, 4);
	world_run(&p->w);
	expect_dones(&p->a, 0, 3);
	run_after(p, UINT64_C(1023000000));
	assert_null(world_send_cqe(&p->a));
	run_after(p, 1000000);
	expect_done(world_send_cqe(&p->a), 3);
}

CASES(queue_that_waits_is_let_go_by_reset_and_error)
{
	struct pair *p = next_case(state, "entry that is cleared");

	assert_int_equal(set_rate(p->a.hca, 127, 1, 0, 0), 0);
	assert_int_equal(qp_replace(p, 127), 0);
	writes_1k(p, 2);
	world_run(&p->w);
	expect_dones(&p->a, 0, 1);
	assert_int_equal(set_rate(p->a.hca, 127, 0, 0, 0), 0);
	writes_1k(p, 1);
	/* What waits already waits on; a queue that is reset does not. */
	world_qp_modify(&p->a, 0x50a, 0, 0, 0);
	world_qp_modify(&p->b, 0x50a, 0, 0, 0);
	memset(p->a.page + WORLD_DBR_OFF, 0, 8);
	p->a.pi = 0;
	world_qp_connect(&p->w, &p->a, &p->b);
	writes_1k(p, 3);
	world_run(&p->w);
	expect_dones(&p->a, 0, 3);

	p = next_case(state, "error");
	assert_int_equal(set_rate(p->a.hca, 2, 1, 0, 0), 0);
	assert_int_equal(qp_replace(p, 2), 0);
	writes_1k(p, 2);
	world_run(&p->w);
	expect_done(world_send_cqe(&p->a), 0);
	assert_int_equal(world_cmd(p->a.hca, 0x507, p->a.qpn, NULL), 0);
	world_run(&p->w);
	expect_last(&p->a, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
}

PAIR_CASE(rates_that_cannot_be_are_rejected)
{
	assert_int_equal(set_rate(p->a.hca, 0, 100, 0, 0), 0x0a);
	assert_int_equal(set_rate(p->a.hca, 128, 100, 0, 0), 0x0a);
	assert_int_equal(set_rate(p->a.hca, 1, MAX_KBPS + 1, 0, 0), 0x03);
	assert_int_equal(set_rate(p->a.hca, 1, MAX_KBPS, 0, 0), 0);
	/* A rate in WQEs, a typical packet size: no such capability. */
	assert_int_equal(set_rate(p->a.hca, 1, 100, 0, 1u << 16), 0x03);
	assert_int_equal(set_rate(p->a.hca, 1, 100, 0, 64), 0x03);
	/* Of entries that are not set. */
	assert_int_equal(qp_replace(p, 3), 0x0a);
	assert_int_equal(qp_replace(p, 128), 0x0a);
}
