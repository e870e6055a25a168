/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Faults that a device is armed with: each does what it says, to the queue that it names, and loses
 * nothing that an adapter would not lose.
 */

#include "include/inject.h"
#include "pair.h"

#define LEN 64u
/* Several packets, and pages. */
#define LONG_LEN 20000u
#define LONG_PAGES 5u
#define TIME_US 500u
#define VENDOR 0x77
#define STATE_ERR 6
#define CMD_2RST_QP 0x50a
#define CMD_ALLOC_PD 0x800
#define INTERNAL_ERROR_EVENT 0x08
#define VENDOR_UNMAPPED 0x05

/* For the n-th of its kind. */
static struct swhca_inject
inject_of(enum swhca_inject_class cls, uint64_t nth)
{
	return (struct swhca_inject){
		.cls = cls, .sides = SWHCA_INJECT_LOCAL,
		.syndrome = MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR, .vendor = VENDOR,
		.nth = nth, .count = 1, .one_of = 1, .seed = 1, .time_us = TIME_US,
	};
}

static void
arm(struct pair *p, int dev, const struct swhca_inject *inject)
{
	assert_int_equal(swhca_hca_inject(p->w.dev[dev].hca, inject, 1), 0);
}

static void
arm_queue(struct pair *p, const struct world_qp *qp, struct swhca_inject inject)
{
	inject.has_qpn = true;
	inject.qpn = qp->qpn;
	arm(p, qp->hca == p->w.dev[0].hca ? 0 : 1, &inject);
}

static uint64_t
nb_fired(struct pair *p, int dev, enum swhca_inject_class cls)
{
	struct swhca_hca_stats stats;

	swhca_hca_stats_get(p->w.dev[dev].hca, &stats);
	return stats.nb_injected[cls];
}

/* Write LEN bytes of mem to a place of its own: 4096 * (n + 1). */
static void
post_write(struct pair *p, size_t n)
{
	post_mem(p, &p->a, OP_WRITE, 4096 * (n + 1), 0, LEN);
}

static bool
is_written(const struct pair *p, size_t n)
{
	return memcmp(p->w.mem, p->w.mem + 4096 * (n + 1), LEN) == 0;
}

static void
wait_over(struct pair *p)
{
	run_after(p, TIME_US * UINT64_C(1000));
}

/* One more of the first device. A queue that becomes ready has a turn without a doorbell. */
static void
queue_create(struct pair *p, struct world_qp *qp)
{
	world_qp_create(&p->w, 0, qp);
	world_qp_connect(&p->w, qp, qp);
	world_run(&p->w);
}

/* A new pair that has nothing to do, with a pattern in memory. */
static struct pair *
quiet_case(void **state, const char *name)
{
	struct pair *p = next_case(state, name);

	world_run(&p->w);
	fill(p->w.mem, LEN);
	return p;
}

static int
quiet_setup(void **state)
{
	*state = NULL;
	quiet_case(state, NULL);
	return 0;
}

#define QUIET_CASE(f) CASE_OF(struct pair, p, f, quiet_setup, teardown)

CASES(nth_wqe_ends_in_error_and_the_rest_is_flushed)
{
	struct pair *p = quiet_case(state, "third of four");
	const struct mlx5_cqe64 *cqe;
	struct world_qp c;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_ERROR_CQE, 3));
	for (unsigned int i = 0; i < 4; i++)
		post_write(p, i);
	world_ring(&p->a);
	for (unsigned int i = 0; i < 2; i++)
		expect_done(wait_send_cqe(p, &p->a), i);
	cqe = wait_send_cqe(p, &p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, VENDOR);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(world_qp_state(&p->a), STATE_ERR);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(is_written(p, i), i < 2);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_ERROR_CQE), 1);

	p = quiet_case(state, "it names its queue");
	queue_create(p, &c);
	arm_queue(p, &c, inject_of(SWHCA_INJECT_ERROR_CQE, 2));
	run_nops(p, &p->a, 3);
	expect_dones(&p->a, 0, 3);
	run_nops(p, &c, 2);
	expect_done(world_send_cqe(&c), 0);
	expect_last(&c, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	world_qp_destroy(&c);
}

QUIET_CASE(receive_ends_in_error_at_both_sides)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ERROR_CQE, 1);

	inject.sides = SWHCA_INJECT_REMOTE;
	inject.syndrome = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	arm_queue(p, &p->b, inject);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, LEN);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, LEN);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, LEN);
	expect_later(p, &p->a, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	expect_error(world_wait_cqe(&p->w, &p->b, world_recv_cqe), MLX5_CQE_RESP_ERR,
		     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_recv_cqe(&p->b));
	assert_int_equal(world_qp_state(&p->b), STATE_ERR);
}

CASES(dropped_doorbell_is_made_up_for_by_the_next)
{
	struct pair *p = quiet_case(state, "one queue");
	struct world_qp c;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_DOORBELL_DROP, 1));
	run_nops(p, &p->a, 2);
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
	run_nops(p, &p->a, 1);
	expect_dones(&p->a, 0, 3);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_DOORBELL_DROP), 1);

	p = quiet_case(state, "one of two queues");
	queue_create(p, &c);
	assert_ptr_equal(c.uar, p->a.uar);
	/* That of c is overwritten, and c has its turn all the same. */
	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_DOORBELL_DROP, 1));
	post_nops(&c, 1);
	world_ring(&c);
	run_nops(p, &p->a, 1);
	expect_dones(&c, 0, 1);
	assert_null(world_send_cqe(&p->a));
	run_nops(p, &c, 1);
	expect_dones(&c, 1, 1);
	expect_dones(&p->a, 0, 1);
	world_qp_destroy(&c);
}

CASES(delayed_doorbell_is_heard_in_time)
{
	struct pair *p = quiet_case(state, "in time");
	struct world_qp c;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_DOORBELL_DELAY, 1));
	run_nops(p, &p->a, 2);
	run_after(p, TIME_US * UINT64_C(1000) - 1);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, 2);

	p = quiet_case(state, "of a queue that ends");
	queue_create(p, &c);
	arm_queue(p, &c, inject_of(SWHCA_INJECT_DOORBELL_DELAY, 1));
	run_nops(p, &c, 1);
	world_qp_destroy(&c);
	wait_over(p);
	run_nops(p, &p->a, 1);
	expect_dones(&p->a, 0, 1);
}

static uint64_t
nb_cqes(struct pair *p)
{
	struct swhca_hca_stats stats;

	swhca_hca_stats_get(p->a.hca, &stats);
	return stats.nb_cqes;
}

CASES(delayed_cqes_hold_those_behind_them_and_take_their_room)
{
	struct swhca_inject all = inject_of(SWHCA_INJECT_CQE_DELAY, 1);
	struct pair *p = quiet_case(state, "second of four");
	struct world_qp other;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_CQE_DELAY, 2));
	run_nops(p, &p->a, 4);
	expect_dones(&p->a, 0, 1);
	wait_over(p);
	expect_dones(&p->a, 1, 3);
	/* Later ones are not late. */
	run_nops(p, &p->a, 1);
	expect_dones(&p->a, 4, 1);

	/* A full ring is no reason to overrun: those that are held count as written. */
	p = quiet_case(state, "full ring");
	all.count = 0;
	arm_queue(p, &p->a, all);
	run_nops(p, &p->a, WORLD_CQ_CQES);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, WORLD_CQ_CQES);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_CQE_DELAY), WORLD_CQ_CQES);

	/* One that ignores overruns holds back no more than it has entries. */
	p = quiet_case(state, "limit");
	p->w.cqc_dw0 = 1u << 17;	/* oi */
	queue_create(p, &other);
	arm_queue(p, &other, all);
	run_nops(p, &other, WORLD_CQ_CQES);
	assert_int_equal(nb_cqes(p), 0);
	run_nops(p, &other, 1);
	assert_int_equal(nb_cqes(p), WORLD_CQ_CQES + 1);
	world_qp_destroy(&other);
}

/* Two CQEs of the first queue are late, and there is another one. */
static struct pair *
late_case(void **state, const char *name, struct world_qp *other)
{
	struct pair *p = quiet_case(state, name);

	queue_create(p, other);
	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_CQE_DELAY, 1));
	run_nops(p, &p->a, 2);
	assert_null(world_send_cqe(&p->a));
	return p;
}

static void
expect_late_cqes(struct pair *p, unsigned int nb)
{
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, nb);
}

CASES(late_cqes_are_lost_with_their_device_alone)
{
	struct world_qp other;
	struct pair *p = late_case(state, "reset of the queue", &other);

	assert_int_equal(world_cmd(p->a.hca, CMD_2RST_QP, p->a.qpn, NULL), 0);
	expect_dones(&p->a, 0, 2);
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
	world_qp_destroy(&other);

	p = late_case(state, "reset of another queue", &other);
	assert_int_equal(world_cmd(p->a.hca, CMD_2RST_QP, other.qpn, NULL), 0);
	expect_late_cqes(p, 2);
	world_qp_destroy(&other);

	/* A device that is halted goes on: only the queue that went has lost something. */
	p = late_case(state, "halted device", &other);
	swhca_hca_halt(p->a.hca, true);
	world_qp_destroy(&other);
	swhca_hca_halt(p->a.hca, false);
	expect_late_cqes(p, 2);

	p = late_case(state, "failed device", &other);
	swhca_hca_crash(p->a.hca);
	world_qp_destroy(&other);
	expect_late_cqes(p, 0);
}

CASES(stalled_device_goes_on_by_itself_and_its_peer_waits)
{
	struct pair *p = quiet_case(state, "device");

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_ENGINE_STALL, 2));
	run_nops(p, &p->a, 3);
	expect_dones(&p->a, 0, 1);
	/* What is rung meanwhile waits, too; commands are executed, and nothing is told. */
	run_nops(p, &p->a, 1);
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(world_cmd(p->a.hca, CMD_ALLOC_PD, 0, NULL), 0);
	assert_null(world_eqe(&p->w, 0));
	wait_over(p);
	expect_dones(&p->a, 1, 3);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_ENGINE_STALL), 1);

	p = quiet_case(state, "peer");
	arm_queue(p, &p->b, inject_of(SWHCA_INJECT_ENGINE_STALL, 1));
	run_nops(p, &p->b, 1);
	post_write(p, 0);
	ring_run(p, &p->a);
	run_after(p, TIME_US * 500);
	assert_null(world_send_cqe(&p->a));
	assert_false(is_written(p, 0));
	if (world_is_packet()) {
		/* Its timer is shorter than the pause, and there is nobody who could tell it. */
		expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
			     MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
		wait_over(p);
	} else {
		expect_done(wait_send_cqe(p, &p->a), p->a.last);
		assert_true(is_written(p, 0));
	}
	expect_dones(&p->b, 0, 1);
}

QUIET_CASE(delayed_queue_is_the_only_one)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_QP_DELAY, 1);
	struct world_qp c;

	queue_create(p, &c);
	inject.count = 2;
	arm_queue(p, &p->a, inject);
	post_nops(&p->a, 3);
	world_ring(&p->a);
	run_nops(p, &c, 3);
	expect_dones(&c, 0, 3);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, 1);
	wait_over(p);
	expect_dones(&p->a, 1, 2);
	world_qp_destroy(&c);
}

QUIET_CASE(device_fails_behind_some_wqes)
{
	const struct swhca_inject inject = inject_of(SWHCA_INJECT_FATAL, 3);
	const uint8_t *eqe;

	arm(p, 0, &inject);
	run_nops(p, &p->a, 4);
	expect_dones(&p->a, 0, 2);
	eqe = NOT_NULL(world_eqe(&p->w, 0));
	assert_int_equal(eqe[1], INTERNAL_ERROR_EVENT);
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
}

static void
unmap_arm(struct pair *p, int dev, uint8_t sides, const void *addr)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_UNMAP, 1);

	inject.sides = sides;
	inject.addr = world_bus(addr);
	inject.len = LEN;
	arm(p, dev, &inject);
}

CASES(unmapped_memory_is_an_error_of_its_reader_or_peer)
{
	struct pair *p = quiet_case(state, "reader");
	const struct mlx5_cqe64 *cqe;

	unmap_arm(p, 0, SWHCA_INJECT_LOCAL, p->w.mem);
	/* It is not what others ask for, and this is not that memory. */
	post_mem(p, &p->b, OP_WRITE, 4096, 0, LEN);
	expect_later(p, &p->b, 0);
	post_write(p, 1);
	world_ring(&p->a);
	cqe = wait_send_cqe(p, &p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, VENDOR_UNMAPPED);
	assert_false(is_written(p, 1));
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_UNMAP), 1);

	p = quiet_case(state, "peer");
	unmap_arm(p, 1, SWHCA_INJECT_REMOTE, p->w.mem + 8192);
	post_write(p, 0);
	post_write(p, 1);
	world_ring(&p->a);
	expect_done(wait_send_cqe(p, &p->a), 0);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_true(is_written(p, 0));
	assert_false(is_written(p, 1));
}

/*
 * Without a receive at the peer nothing was sent: the fault waits for the try that counts. A packet
 * is made of memory before anybody knows of the receive, and that is the one.
 */
QUIET_CASE(unmapped_memory_waits_for_a_receive)
{
	unmap_arm(p, 0, SWHCA_INJECT_LOCAL, p->w.mem);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, LEN);
	world_ring(&p->a);
	for (unsigned int i = 0; i < 5 && !world_is_packet(); i++) {
		world_run(&p->w);
		assert_null(world_send_cqe(&p->a));
		assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_UNMAP), 0);
	}
	if (!world_is_packet())
		world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, LEN);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_UNMAP), 1);
}

/* The second one fails: neither packets nor tries count. */
static void
expect_messages_to_count(struct pair *p, uint8_t op, const uint8_t *place, uint32_t rkey)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_UNMAP, 2);

	inject.sides = SWHCA_INJECT_REMOTE;
	inject.addr = world_bus(place);
	inject.len = LONG_LEN;
	arm(p, 1, &inject);
	for (int i = 0; i < 2; i++) {
		post_transfer(&p->a, op, CE, (uintptr_t)place, rkey, p->w.mem, p->w.mem_key[0],
			      LONG_LEN);
		world_ring(&p->a);
		if (i == 0)
			expect_done(wait_send_cqe(p, &p->a), p->a.last);
		else
			expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR,
				     MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
		assert_int_equal(nb_fired(p, 1, SWHCA_INJECT_UNMAP), i);
	}
}

CASES(unmapped_memory_counts_messages)
{
	uint8_t in[WORLD_BOX + (LONG_PAGES + 1) * 8] = { 0 };
	struct pair *p = quiet_case(state, "writes");
	const uint8_t *place = p->w.mem + WORLD_MEM / 2;

	expect_messages_to_count(p, OP_WRITE, place, p->w.mem_key[1]);

	p = quiet_case(state, "reads");
	place = p->w.mem + WORLD_MEM / 2;
	expect_messages_to_count(p, OP_READ, place, p->w.mem_key[1]);

	/* The first message comes again for its pages, which are absent. */
	p = quiet_case(state, "tries");
	place = p->w.mem + WORLD_MEM / 2;
	world_mkey_box(&p->w, 1, in, WORLD_MTT | ALL_ACCESS);
	world_put(in, 3, 31, 1);		/* pg_access */
	world_mkey_pages(in, place, LONG_PAGES * 4096);
	expect_messages_to_count(p, OP_WRITE, place,
				 world_exec_create(p->b.hca, in, sizeof(in)) << 8);
}

/* Bit n: the n-th NOP of a queue was late. */
static uint64_t
pattern_of(struct pair *p, uint64_t seed)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_QP_DELAY, 1);
	uint64_t pattern = 0, nb = nb_fired(p, 0, SWHCA_INJECT_QP_DELAY);

	swhca_hca_inject_off(p->a.hca, SWHCA_NB_INJECT_CLASSES);
	inject.one_of = 4;
	inject.count = 0;
	inject.seed = seed;
	arm(p, 0, &inject);
	for (unsigned int i = 0; i < 64; i++) {
		run_nops(p, &p->a, 1);
		if (nb_fired(p, 0, SWHCA_INJECT_QP_DELAY) != nb) {
			nb++;
			pattern |= UINT64_C(1) << i;
			assert_null(world_send_cqe(&p->a));
			wait_over(p);
		}
		assert_non_null(world_send_cqe(&p->a));
		assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_QP_DELAY), nb);
	}
	return pattern;
}

QUIET_CASE(chance_is_repeated_by_its_seed)
{
	uint64_t pattern = pattern_of(p, 7);

	/* 16 are expected; the seed is fixed, so that this cannot differ between runs. */
	assert_in_range(__builtin_popcountll(pattern), 8, 24);
	assert_int_equal(pattern_of(p, 7), pattern);
	assert_int_not_equal(pattern_of(p, 8), pattern);
}

CASES(time_ends_what_is_armed)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ERROR_CQE, 1);
	struct swhca_inject_state states[SWHCA_MAX_INJECTS];
	struct pair *p = quiet_case(state, "before an event");

	inject.for_us = TIME_US;
	arm(p, 0, &inject);
	wait_over(p);
	run_nops(p, &p->a, 1);
	expect_dones(&p->a, 0, 1);
	assert_int_equal(swhca_hca_inject_list(p->a.hca, states), 1);
	assert_true(states[0].is_over);
	assert_int_equal(states[0].nb_fired, 0);

	/* Nothing needs to happen: whoever arms or asks comes behind the end. */
	p = quiet_case(state, "without an event");
	inject.cls = SWHCA_INJECT_FATAL;
	for (unsigned int i = 0; i < SWHCA_MAX_INJECTS; i++)
		arm(p, 0, &inject);
	assert_int_equal(swhca_hca_inject(p->a.hca, &inject, 1), -ENOSPC);
	wait_over(p);
	assert_int_equal(swhca_hca_inject_list(p->a.hca, states), SWHCA_MAX_INJECTS);
	for (unsigned int i = 0; i < SWHCA_MAX_INJECTS; i++)
		assert_true(states[i].is_over);
	arm(p, 0, &inject);
}

QUIET_CASE(list_tells_what_is_armed_in_its_order)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_QP_DELAY, 1);
	struct swhca_inject_state states[SWHCA_MAX_INJECTS];
	struct swhca_hca *hca = p->a.hca;

	for (unsigned int i = 0; i < SWHCA_MAX_INJECTS; i++) {
		inject.cls = i % 2 == 0 ? SWHCA_INJECT_QP_DELAY : SWHCA_INJECT_CQE_DELAY;
		inject.nth = i + 1;
		arm(p, 0, &inject);
	}
	assert_int_equal(swhca_hca_inject(hca, &inject, 1), -ENOSPC);
	assert_int_equal(swhca_hca_inject_list(hca, states), SWHCA_MAX_INJECTS);
	for (unsigned int i = 0; i < SWHCA_MAX_INJECTS; i++)
		assert_int_equal(states[i].inject.nth, i + 1);
	swhca_hca_inject_off(hca, SWHCA_INJECT_CQE_DELAY);
	assert_int_equal(swhca_hca_inject_list(hca, states), SWHCA_MAX_INJECTS / 2);
	assert_int_equal(states[1].inject.nth, 3);
	/* One that is over makes room. */
	run_nops(p, &p->a, 1);
	for (unsigned int i = 0; i < SWHCA_MAX_INJECTS / 2 + 1; i++) {
		inject.nth = 100 + i;
		arm(p, 0, &inject);
	}
	assert_int_equal(swhca_hca_inject(hca, &inject, 1), -ENOSPC);
	swhca_hca_inject_off(hca, SWHCA_NB_INJECT_CLASSES);
	assert_int_equal(swhca_hca_inject_list(hca, states), 0);
}
