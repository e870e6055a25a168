/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Devices that fail as a whole without completing what they have; swhca_hca_fail() does that. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "world.h"

#define ALLOC_PD 0x800
#define INT_ERR	 0x1
#define INTERNAL_ERROR_EVENT 0x08
#define LEN 64u

static int
setup(void **state)
{
	static struct world w;

	world_create(&w);
	*state = &w;
	return 0;
}

static int
teardown(void **state)
{
	world_destroy(*state);
	return 0;
}

static void
write_post(struct world *w, struct world_qp *qp, int peer, uint8_t *from, uint8_t *to)
{
	uint8_t body[32];

	world_rdma_body(body, (uintptr_t)to, w->mem_key[peer], from,
			w->mem_key[qp->hca == w->dev[0].hca ? 0 : 1], LEN);
	world_post(qp, MLX5_OPCODE_RDMA_WRITE, MLX5_WQE_CTRL_CQ_UPDATE, 0, body, 2);
	world_ring(qp);
}

static void
pair_create(struct world *w, struct world_qp *a, struct world_qp *b)
{
	world_qp_create(w, 0, a);
	world_qp_create(w, 1, b);
	world_qp_connect(w, a, b);
	memset(w->mem, 0x5a, LEN);
	memset(w->mem + 4096, 0, LEN);
}

static void
halted_device_goes_on_where_it_stopped(void **state)
{
	struct world *w = *state;
	struct world_qp a, b;
	uint32_t num;

	pair_create(w, &a, &b);
	swhca_hca_halt(w->dev[0].hca, true);
	write_post(w, &a, 1, w->mem, w->mem + 4096);
	world_run(w);
	assert_null(world_send_cqe(&a));
	assert_int_equal(w->mem[4096], 0);
	/* Nothing is told, and commands are executed. */
	assert_null(world_eqe(w, 0));
	assert_int_equal(world_cmd(w->dev[0].hca, ALLOC_PD, 0, &num), 0);
	swhca_hca_halt(w->dev[0].hca, false);
	world_run(w);
	assert_non_null(world_send_cqe(&a));
	assert_memory_equal(w->mem, w->mem + 4096, LEN);
	world_qp_destroy(&a);
	world_qp_destroy(&b);
}

/* A request that waits for its turn is not executed either, and not forgotten. */
static void
halted_device_keeps_what_waits(void **state)
{
	struct world *w = *state;
	struct world_qp a, b;
	const struct mlx5_cqe64 *cqe;

	pair_create(w, &a, &b);
	/* Nobody answers: it tries again later. */
	swhca_hca_halt(w->dev[1].hca, true);
	write_post(w, &a, 1, w->mem, w->mem + 4096);
	world_run(w);
	assert_null(world_send_cqe(&a));
	swhca_hca_halt(w->dev[0].hca, true);
	world_run(w);
	world_wait(UINT64_C(60000000000));
	world_run(w);
	assert_null(world_send_cqe(&a));
	swhca_hca_halt(w->dev[0].hca, false);
	cqe = world_wait_cqe(w, &a, world_send_cqe);
	assert_non_null(cqe);
	assert_int_equal(((const struct mlx5_err_cqe *)(const void *)cqe)->syndrome,
			 MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	assert_int_equal(w->mem[4096], 0);
	world_qp_destroy(&a);
	world_qp_destroy(&b);
}

static void
crashed_device_tells_and_completes_nothing(void **state)
{
	struct world *w = *state;
	struct world_qp a, b;
	const uint8_t *eqe;
	uint32_t num;

	pair_create(w, &a, &b);
	world_recv(&a, w->mem_key[0], w->mem, LEN);
	write_post(w, &a, 1, w->mem, w->mem + 4096);
	swhca_hca_crash(w->dev[0].hca);
	swhca_hca_crash(w->dev[0].hca);
	world_run(w);
	assert_null(world_send_cqe(&a));
	assert_null(world_recv_cqe(&a));
	assert_int_equal(w->mem[4096], 0);
	eqe = world_eqe(w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], INTERNAL_ERROR_EVENT);
	assert_null(world_eqe(w, 0));
	assert_int_equal(world_cmd(w->dev[0].hca, ALLOC_PD, 0, &num), INT_ERR);
	assert_int_equal(world_cmd(w->dev[1].hca, ALLOC_PD, 0, &num), 0);
	/* There is no way back for who has queues, */
	swhca_hca_halt(w->dev[0].hca, false);
	assert_int_equal(swhca_hca_revive(w->dev[0].hca), -EBUSY);
	world_run(w);
	assert_null(world_send_cqe(&a));
	/* but what software has can be given back. */
	world_qp_destroy(&a);
	world_qp_destroy(&b);
	assert_int_equal(swhca_hca_revive(w->dev[0].hca), 0);
}

static void
revived_device_works(void **state)
{
	struct world *w = *state;
	struct world_qp a, b;
	uint32_t num;

	assert_int_equal(swhca_hca_revive(w->dev[0].hca), -EALREADY);
	swhca_hca_crash(w->dev[0].hca);
	assert_int_equal(world_cmd(w->dev[0].hca, ALLOC_PD, 0, &num), INT_ERR);
	assert_int_equal(swhca_hca_revive(w->dev[0].hca), 0);
	assert_int_equal(world_cmd(w->dev[0].hca, ALLOC_PD, 0, &num), 0);
	pair_create(w, &a, &b);
	write_post(w, &a, 1, w->mem, w->mem + 4096);
	assert_non_null(world_wait_cqe(w, &a, world_send_cqe));
	assert_memory_equal(w->mem + 4096, w->mem, LEN);
	/* It fails again, and says so again. */
	assert_non_null(world_eqe(w, 0));
	swhca_hca_crash(w->dev[0].hca);
	assert_non_null(world_eqe(w, 0));
	world_qp_destroy(&a);
	world_qp_destroy(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(halted_device_goes_on_where_it_stopped, setup,
						teardown),
		cmocka_unit_test_setup_teardown(halted_device_keeps_what_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(crashed_device_tells_and_completes_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(revived_device_works, setup, teardown),
	};

	return cmocka_run_group_tests_name("swhca_fault", tests, NULL, NULL);
}
