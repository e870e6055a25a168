/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Devices that fail as a whole without completing what they have; swhca_hca_fail() does that. */

#include "pair.h"

#define ALLOC_PD 0x800
#define INT_ERR	 0x1
#define INTERNAL_ERROR_EVENT 0x08
#define LEN 64u

/* From mem to another place in it. */
static void
post_write(struct pair *p)
{
	memset(p->w.mem, 0x5a, LEN);
	memset(p->w.mem + 4096, 0, LEN);
	post_mem(p, &p->a, OP_WRITE, 4096, 0, LEN);
	world_ring(&p->a);
}

CASES(halted_device_goes_on_where_it_stopped)
{
	struct pair *p = next_case(state, "one device");

	swhca_hca_halt(p->a.hca, true);
	post_write(p);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(p->w.mem[4096], 0);
	/* Nothing is told, and commands are executed. */
	assert_null(world_eqe(&p->w, 0));
	assert_int_equal(world_cmd(p->a.hca, ALLOC_PD, 0, NULL), 0);
	swhca_hca_halt(p->a.hca, false);
	world_run(&p->w);
	assert_non_null(world_send_cqe(&p->a));
	assert_memory_equal(p->w.mem, p->w.mem + 4096, LEN);

	/* A request that waits for its turn is not executed either, and not forgotten. */
	p = next_case(state, "both devices");
	/* Nobody answers: it tries again later. */
	swhca_hca_halt(p->b.hca, true);
	post_write(p);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	swhca_hca_halt(p->a.hca, true);
	world_run(&p->w);
	run_after(p, UINT64_C(60000000000));
	assert_null(world_send_cqe(&p->a));
	swhca_hca_halt(p->a.hca, false);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
		     MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(p->w.mem[4096], 0);
}

PAIR_CASE(crashed_device_tells_and_completes_nothing)
{
	struct swhca_hca *hca = p->a.hca;
	const uint8_t *eqe;

	world_recv(&p->a, p->w.mem_key[0], p->w.mem, LEN);
	post_write(p);
	swhca_hca_crash(hca);
	swhca_hca_crash(hca);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	assert_null(world_recv_cqe(&p->a));
	assert_int_equal(p->w.mem[4096], 0);
	eqe = NOT_NULL(world_eqe(&p->w, 0));
	assert_int_equal(eqe[1], INTERNAL_ERROR_EVENT);
	assert_null(world_eqe(&p->w, 0));
	assert_int_equal(world_cmd(hca, ALLOC_PD, 0, NULL), INT_ERR);
	assert_int_equal(world_cmd(p->b.hca, ALLOC_PD, 0, NULL), 0);
	/* There is no way back for who has queues, */
	swhca_hca_halt(hca, false);
	assert_int_equal(swhca_hca_revive(hca), -EBUSY);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	/* but what software has can be given back. */
	world_qp_destroy(&p->a);
	assert_int_equal(swhca_hca_revive(hca), 0);
	world_qp_create(&p->w, 0, &p->a);
}

PAIR_CASE(revived_device_works)
{
	struct swhca_hca *hca = p->a.hca;

	assert_int_equal(swhca_hca_revive(hca), -EALREADY);
	world_qp_destroy(&p->a);
	swhca_hca_crash(hca);
	assert_int_equal(world_cmd(hca, ALLOC_PD, 0, NULL), INT_ERR);
	assert_int_equal(swhca_hca_revive(hca), 0);
	assert_int_equal(world_cmd(hca, ALLOC_PD, 0, NULL), 0);
	world_qp_create(&p->w, 0, &p->a);
	world_qp_modify(&p->b, 0x50a, 0, 0, 0);
	world_qp_connect(&p->w, &p->a, &p->b);
	post_write(p);
	assert_non_null(wait_send_cqe(p, &p->a));
	assert_memory_equal(p->w.mem + 4096, p->w.mem, LEN);
	/* It fails again, and says so again. */
	assert_non_null(world_eqe(&p->w, 0));
	swhca_hca_crash(hca);
	assert_non_null(world_eqe(&p->w, 0));
}
