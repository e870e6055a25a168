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

static struct swhca_inject
inject_of(enum swhca_inject_class cls)
{
	return (struct swhca_inject){
		.cls = cls,
		.sides = SWHCA_INJECT_LOCAL,
		.syndrome = MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR,
		.vendor = VENDOR,
		.nth = 1,
		.count = 1,
		.one_of = 1,
		.seed = 1,
		.time_us = TIME_US,
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

static void
post_nops(struct world_qp *qp, unsigned int nb)
{
	for (; nb > 0; nb--)
		world_post(qp, OP_NOP, CE, 0, NULL, 0);
	world_ring(qp);
}

/* Write LEN bytes of mem to a place of its own: 4096 * (n + 1). */
static void
post_write(struct pair *p, unsigned int n)
{
	post_transfer(&p->a, OP_WRITE, CE, (uintptr_t)p->w.mem + 4096u * (n + 1), p->w.mem_key[1],
		      p->w.mem, p->w.mem_key[0], LEN);
}

static bool
is_written(const struct pair *p, unsigned int n)
{
	return memcmp(p->w.mem, p->w.mem + 4096u * (n + 1), LEN) == 0;
}

static void
expect_dones(struct world_qp *qp, uint16_t first, unsigned int nb)
{
	unsigned int i;

	for (i = 0; i < nb; i++)
		expect_done(world_send_cqe(qp), (uint16_t)(first + i));
	assert_null(world_send_cqe(qp));
}

static void
wait_over(struct pair *p)
{
	world_wait(TIME_US * UINT64_C(1000));
	world_run(&p->w);
}

/* One more of the first device. A queue that becomes ready has a turn without a doorbell. */
static void
queue_create(struct pair *p, struct world_qp *qp)
{
	world_qp_create(&p->w, 0, qp);
	world_qp_connect(&p->w, qp, qp);
	world_run(&p->w);
}

static int
quiet_setup(void **state)
{
	struct pair *p;
	int ret = setup(state);

	p = *state;
	world_run(&p->w);
	return ret;
}

static void
nth_wqe_ends_in_error_and_the_rest_is_flushed(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ERROR_CQE);
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;
	unsigned int i;

	fill(p->w.mem, LEN);
	inject.nth = 3;
	arm_queue(p, &p->a, inject);
	for (i = 0; i < 4; i++)
		post_write(p, i);
	world_ring(&p->a);
	for (i = 0; i < 2; i++)
		expect_done(wait_send_cqe(p, &p->a), i);
	cqe = wait_send_cqe(p, &p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, VENDOR);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(world_qp_state(&p->a), STATE_ERR);
	assert_true(is_written(p, 0) && is_written(p, 1));
	assert_false(is_written(p, 2) || is_written(p, 3));
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_ERROR_CQE), 1);
}

static void
error_names_its_queue(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ERROR_CQE);
	struct pair *p = *state;
	struct world_qp c;

	queue_create(p, &c);
	inject.nth = 2;
	arm_queue(p, &c, inject);
	post_nops(&p->a, 3);
	world_run(&p->w);
	expect_dones(&p->a, 0, 3);
	post_nops(&c, 2);
	world_run(&p->w);
	expect_done(world_send_cqe(&c), 0);
	expect_error(world_send_cqe(&c), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR);
	world_qp_destroy(&c);
}

static void
receive_ends_in_error_at_both_sides(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ERROR_CQE);
	struct pair *p = *state;

	inject.sides = SWHCA_INJECT_REMOTE;
	inject.syndrome = MLX5_CQE_SYNDROME_LOCAL_PROT_ERR;
	arm_queue(p, &p->b, inject);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, LEN);
	world_recv(&p->b, p->w.mem_key[1], p->w.mem + 8192, LEN);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, LEN);
	world_ring(&p->a);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	expect_error(world_recv_cqe(&p->b), MLX5_CQE_RESP_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	expect_error(world_wait_cqe(&p->w, &p->b, world_recv_cqe), MLX5_CQE_RESP_ERR,
		     MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	assert_null(world_recv_cqe(&p->b));
	assert_int_equal(world_qp_state(&p->b), STATE_ERR);
}

static void
dropped_doorbell_is_made_up_for_by_the_next(void **state)
{
	struct pair *p = *state;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_DOORBELL_DROP));
	post_nops(&p->a, 2);
	world_run(&p->w);
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
	post_nops(&p->a, 1);
	world_run(&p->w);
	expect_dones(&p->a, 0, 3);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_DOORBELL_DROP), 1);
}

static void
dropped_doorbell_is_of_one_queue(void **state)
{
	struct pair *p = *state;
	struct world_qp c;

	queue_create(p, &c);
	assert_ptr_equal(c.uar, p->a.uar);
	/* That of c is overwritten, and c has its turn all the same. */
	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_DOORBELL_DROP));
	post_nops(&c, 1);
	post_nops(&p->a, 1);
	world_run(&p->w);
	expect_dones(&c, 0, 1);
	assert_null(world_send_cqe(&p->a));
	post_nops(&c, 1);
	world_run(&p->w);
	expect_dones(&c, 1, 1);
	expect_dones(&p->a, 0, 1);
	world_qp_destroy(&c);
}

static void
delayed_doorbell_is_heard_in_time(void **state)
{
	struct pair *p = *state;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_DOORBELL_DELAY));
	post_nops(&p->a, 2);
	world_run(&p->w);
	world_wait(TIME_US * UINT64_C(1000) - 1);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, 2);
}

static void
queue_ends_while_its_doorbell_is_late(void **state)
{
	struct pair *p = *state;
	struct world_qp c;

	queue_create(p, &c);
	arm_queue(p, &c, inject_of(SWHCA_INJECT_DOORBELL_DELAY));
	post_nops(&c, 1);
	world_run(&p->w);
	world_qp_destroy(&c);
	wait_over(p);
	post_nops(&p->a, 1);
	world_run(&p->w);
	expect_dones(&p->a, 0, 1);
}

static void
delayed_cqe_holds_those_behind_it(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_CQE_DELAY);
	struct pair *p = *state;

	inject.nth = 2;
	arm_queue(p, &p->a, inject);
	post_nops(&p->a, 4);
	world_run(&p->w);
	expect_dones(&p->a, 0, 1);
	wait_over(p);
	expect_dones(&p->a, 1, 3);
	/* Later ones are not late. */
	post_nops(&p->a, 1);
	world_run(&p->w);
	expect_dones(&p->a, 4, 1);
}

/* A full ring is no reason to overrun: those that are held count as written. */
static void
delayed_cqes_take_their_room(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_CQE_DELAY);
	struct pair *p = *state;

	inject.count = 0;
	arm_queue(p, &p->a, inject);
	post_nops(&p->a, WORLD_CQ_CQES);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, WORLD_CQ_CQES);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_CQE_DELAY), WORLD_CQ_CQES);
}

/* One that ignores overruns holds back no more than it has entries. */
static void
delayed_cqes_have_a_limit(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_CQE_DELAY);
	struct swhca_hca_stats stats;
	struct pair *p = *state;
	struct world_qp other;

	p->w.cqc_dw0 = 1u << 17;	/* oi */
	queue_create(p, &other);
	inject.count = 0;
	arm_queue(p, &other, inject);
	post_nops(&other, WORLD_CQ_CQES);
	world_run(&p->w);
	swhca_hca_stats_get(p->w.dev[0].hca, &stats);
	assert_int_equal(stats.nb_cqes, 0);
	post_nops(&other, 1);
	world_run(&p->w);
	swhca_hca_stats_get(p->w.dev[0].hca, &stats);
	assert_int_equal(stats.nb_cqes, WORLD_CQ_CQES + 1);
	world_qp_destroy(&other);
}

static void
reset_comes_behind_the_cqes_of_its_queue(void **state)
{
	struct pair *p = *state;

	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_CQE_DELAY));
	post_nops(&p->a, 2);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(world_cmd(p->w.dev[0].hca, CMD_2RST_QP, p->a.qpn, NULL), 0);
	expect_dones(&p->a, 0, 2);
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
}

/* Two CQEs of the first queue are late, and there is another one. */
static void
late_cqes_make(struct pair *p, struct world_qp *other)
{
	queue_create(p, other);
	arm_queue(p, &p->a, inject_of(SWHCA_INJECT_CQE_DELAY));
	post_nops(&p->a, 2);
	world_run(&p->w);
}

static void
reset_of_another_queue_leaves_cqes_late(void **state)
{
	struct pair *p = *state;
	struct world_qp other;

	late_cqes_make(p, &other);
	assert_int_equal(world_cmd(p->w.dev[0].hca, CMD_2RST_QP, other.qpn, NULL), 0);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, 2);
	world_qp_destroy(&other);
}

/* A device that is halted goes on: only the queue that went has lost something. */
static void
halted_device_keeps_the_late_cqes_of_other_queues(void **state)
{
	struct pair *p = *state;
	struct world_qp other;

	late_cqes_make(p, &other);
	swhca_hca_halt(p->w.dev[0].hca, true);
	world_qp_destroy(&other);
	swhca_hca_halt(p->w.dev[0].hca, false);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, 2);
}

static void
failed_device_writes_no_cqe_that_was_late(void **state)
{
	struct pair *p = *state;
	struct world_qp other;

	late_cqes_make(p, &other);
	swhca_hca_crash(p->w.dev[0].hca);
	world_qp_destroy(&other);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
}

static void
stalled_device_goes_on_by_itself(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ENGINE_STALL);
	struct pair *p = *state;
	uint32_t num;

	inject.nth = 2;
	arm_queue(p, &p->a, inject);
	post_nops(&p->a, 3);
	world_run(&p->w);
	expect_dones(&p->a, 0, 1);
	/* What is rung meanwhile waits, too; commands are executed, and nothing is told. */
	post_nops(&p->a, 1);
	world_run(&p->w);
	assert_null(world_send_cqe(&p->a));
	assert_int_equal(world_cmd(p->w.dev[0].hca, CMD_ALLOC_PD, 0, &num), 0);
	assert_null(world_eqe(&p->w, 0));
	wait_over(p);
	expect_dones(&p->a, 1, 3);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_ENGINE_STALL), 1);
}

static void
peer_of_a_stalled_device_waits(void **state)
{
	struct pair *p = *state;

	fill(p->w.mem, LEN);
	arm_queue(p, &p->b, inject_of(SWHCA_INJECT_ENGINE_STALL));
	post_nops(&p->b, 1);
	world_run(&p->w);
	post_write(p, 0);
	world_ring(&p->a);
	world_run(&p->w);
	world_wait(TIME_US * 500);
	world_run(&p->w);
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

static void
delayed_queue_is_the_only_one(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_QP_DELAY);
	struct pair *p = *state;
	struct world_qp c;

	queue_create(p, &c);
	inject.count = 2;
	arm_queue(p, &p->a, inject);
	post_nops(&p->a, 3);
	post_nops(&c, 3);
	world_run(&p->w);
	expect_dones(&c, 0, 3);
	assert_null(world_send_cqe(&p->a));
	wait_over(p);
	expect_dones(&p->a, 0, 1);
	wait_over(p);
	expect_dones(&p->a, 1, 2);
	world_qp_destroy(&c);
}

static void
device_fails_behind_some_wqes(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_FATAL);
	struct pair *p = *state;
	const uint8_t *eqe;

	inject.nth = 3;
	arm(p, 0, &inject);
	post_nops(&p->a, 4);
	world_run(&p->w);
	expect_dones(&p->a, 0, 2);
	eqe = world_eqe(&p->w, 0);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], INTERNAL_ERROR_EVENT);
	wait_over(p);
	assert_null(world_send_cqe(&p->a));
}

static void
unmap_arm(struct pair *p, int dev, uint8_t sides, const void *addr)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_UNMAP);

	inject.sides = sides;
	inject.addr = world_bus(addr);
	inject.len = LEN;
	arm(p, dev, &inject);
}

static void
unmapped_memory_is_an_error_of_its_reader(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;

	fill(p->w.mem, LEN);
	unmap_arm(p, 0, SWHCA_INJECT_LOCAL, p->w.mem);
	/* It is not what others ask for, and this is not that memory. */
	post_transfer(&p->b, OP_WRITE, CE, (uintptr_t)p->w.mem + 4096, p->w.mem_key[0],
		      p->w.mem, p->w.mem_key[1], LEN);
	world_ring(&p->b);
	expect_done(wait_send_cqe(p, &p->b), p->b.last);
	post_write(p, 1);
	world_ring(&p->a);
	cqe = wait_send_cqe(p, &p->a);
	expect_error(cqe, MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(((const struct mlx5_err_cqe *)cqe)->vendor_err_synd, VENDOR_UNMAPPED);
	assert_false(is_written(p, 1));
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_UNMAP), 1);
}

/*
 * Without a receive at the peer nothing was sent: the fault waits for the try that counts. A packet
 * is made of memory before anybody knows of the receive, and that is the one.
 */
static void
unmapped_memory_waits_for_a_receive(void **state)
{
	struct pair *p = *state;
	unsigned int i;

	fill(p->w.mem, LEN);
	unmap_arm(p, 0, SWHCA_INJECT_LOCAL, p->w.mem);
	post_send(&p->a, p->w.mem_key[0], p->w.mem, LEN);
	world_ring(&p->a);
	for (i = 0; i < 5 && !world_is_packet(); i++) {
		world_run(&p->w);
		assert_null(world_send_cqe(&p->a));
		assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_UNMAP), 0);
	}
	if (!world_is_packet())
		world_recv(&p->b, p->w.mem_key[1], p->w.mem + 4096, LEN);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(nb_fired(p, 0, SWHCA_INJECT_UNMAP), 1);
}

static void
unmapped_memory_is_an_error_of_its_peer(void **state)
{
	struct pair *p = *state;

	fill(p->w.mem, LEN);
	unmap_arm(p, 1, SWHCA_INJECT_REMOTE, p->w.mem + 8192);
	post_write(p, 0);
	post_write(p, 1);
	world_ring(&p->a);
	expect_done(wait_send_cqe(p, &p->a), 0);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_true(is_written(p, 0));
	assert_false(is_written(p, 1));
}

/* A key of device 1 whose pages come on demand. */
static uint32_t
paged_key(struct pair *p, const uint8_t *addr)
{
	uint8_t in[WORLD_BOX + (LONG_PAGES + 1) * 8] = { 0 };
	uint32_t i, be;
	uint8_t out[16];

	world_put(in, 0, 16, 0x200);
	world_put(in, 3, 31, 1);		/* pg_access */
	world_put(in, 4, 8, 0x1 | ALL_ACCESS);
	world_put(in, 5, 0, 0xffffff00);
	world_put(in, 7, 0, p->w.dev[1].pdn);
	world_put(in, 8, 0, (uint32_t)((uintptr_t)addr >> 32));
	world_put(in, 9, 0, (uint32_t)(uintptr_t)addr);
	world_put(in, 11, 0, LONG_PAGES * 4096);
	world_put(in, 17, 0, LONG_PAGES / 2 + 1);
	world_put(in, 18, 0, 12);
	world_put(in, 24, 0, LONG_PAGES / 2 + 1);
	for (i = 0; i < LONG_PAGES; i++)
		world_put_bus(in, 68 + i * 2, addr + (size_t)i * 4096);
	assert_int_equal(swhca_hca_cmd_exec(p->w.dev[1].hca, in, sizeof(in), out, sizeof(out)), 0);
	memcpy(&be, out + 8, 4);
	return be32toh(be) << 8;
}

/* The second one fails: neither packets nor tries count. */
static void
expect_messages_to_count(struct pair *p, uint8_t op, const uint8_t *place, uint32_t rkey)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_UNMAP);

	inject.sides = SWHCA_INJECT_REMOTE;
	inject.addr = world_bus(place);
	inject.len = LONG_LEN;
	inject.nth = 2;
	arm(p, 1, &inject);
	post_transfer(&p->a, op, CE, (uintptr_t)place, rkey, p->w.mem, p->w.mem_key[0], LONG_LEN);
	world_ring(&p->a);
	expect_done(wait_send_cqe(p, &p->a), p->a.last);
	assert_int_equal(nb_fired(p, 1, SWHCA_INJECT_UNMAP), 0);
	post_transfer(&p->a, op, CE, (uintptr_t)place, rkey, p->w.mem, p->w.mem_key[0], LONG_LEN);
	world_ring(&p->a);
	expect_error(wait_send_cqe(p, &p->a), MLX5_CQE_REQ_ERR, MLX5_CQE_SYNDROME_REMOTE_OP_ERR);
	assert_int_equal(nb_fired(p, 1, SWHCA_INJECT_UNMAP), 1);
}

static void
unmapped_memory_counts_writes(void **state)
{
	struct pair *p = *state;

	expect_messages_to_count(p, OP_WRITE, p->w.mem + (WORLD_MEM / 2), p->w.mem_key[1]);
}

static void
unmapped_memory_counts_reads(void **state)
{
	struct pair *p = *state;

	expect_messages_to_count(p, OP_READ, p->w.mem + (WORLD_MEM / 2), p->w.mem_key[1]);
}

/* The first message comes again for its pages, which are absent. */
static void
unmapped_memory_of_a_peer_waits_for_the_try_that_counts(void **state)
{
	struct pair *p = *state;
	const uint8_t *place = p->w.mem + (WORLD_MEM / 2);

	expect_messages_to_count(p, OP_WRITE, place, paged_key(p, place));
}

/* Bit n: the n-th NOP of a queue was late. */
static uint64_t
pattern_of(struct pair *p, uint64_t seed)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_QP_DELAY);
	uint64_t pattern = 0, nb = nb_fired(p, 0, SWHCA_INJECT_QP_DELAY);
	unsigned int i;

	swhca_hca_inject_off(p->w.dev[0].hca, SWHCA_NB_INJECT_CLASSES);
	inject.one_of = 4;
	inject.count = 0;
	inject.seed = seed;
	arm(p, 0, &inject);
	for (i = 0; i < 64; i++) {
		post_nops(&p->a, 1);
		world_run(&p->w);
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

static void
chance_is_repeated_by_its_seed(void **state)
{
	struct pair *p = *state;
	uint64_t pattern = pattern_of(p, 7);
	int nb = __builtin_popcountll(pattern);

	/* 16 are expected; the seed is fixed, so that this cannot differ between runs. */
	assert_in_range(nb, 8, 24);
	assert_int_equal(pattern_of(p, 7), pattern);
	assert_int_not_equal(pattern_of(p, 8), pattern);
}

static void
time_ends_what_is_armed(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_ERROR_CQE);
	struct swhca_inject_state states[SWHCA_MAX_INJECTS];
	struct pair *p = *state;

	inject.for_us = TIME_US;
	arm(p, 0, &inject);
	wait_over(p);
	post_nops(&p->a, 1);
	world_run(&p->w);
	expect_dones(&p->a, 0, 1);
	assert_int_equal(swhca_hca_inject_list(p->w.dev[0].hca, states), 1);
	assert_true(states[0].is_over);
	assert_int_equal(states[0].nb_fired, 0);
}

/* Nothing needs to happen: whoever arms or asks comes behind the end. */
static void
time_ends_what_no_event_comes_to(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_FATAL);
	struct swhca_inject_state states[SWHCA_MAX_INJECTS];
	struct pair *p = *state;
	struct swhca_hca *hca = p->w.dev[0].hca;
	unsigned int i;

	inject.for_us = TIME_US;
	for (i = 0; i < SWHCA_MAX_INJECTS; i++)
		arm(p, 0, &inject);
	assert_int_equal(swhca_hca_inject(hca, &inject, 1), -ENOSPC);
	wait_over(p);
	assert_int_equal(swhca_hca_inject_list(hca, states), SWHCA_MAX_INJECTS);
	for (i = 0; i < SWHCA_MAX_INJECTS; i++)
		assert_true(states[i].is_over);
	assert_int_equal(swhca_hca_inject(hca, &inject, 1), 0);
}

static void
list_tells_what_is_armed_in_its_order(void **state)
{
	struct swhca_inject inject = inject_of(SWHCA_INJECT_QP_DELAY);
	struct swhca_inject_state states[SWHCA_MAX_INJECTS];
	struct pair *p = *state;
	struct swhca_hca *hca = p->w.dev[0].hca;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
		inject.cls = i % 2 == 0 ? SWHCA_INJECT_QP_DELAY : SWHCA_INJECT_CQE_DELAY;
		inject.nth = i + 1;
		arm(p, 0, &inject);
	}
	assert_int_equal(swhca_hca_inject(hca, &inject, 1), -ENOSPC);
	assert_int_equal(swhca_hca_inject_list(hca, states), SWHCA_MAX_INJECTS);
	for (i = 0; i < SWHCA_MAX_INJECTS; i++)
		assert_int_equal(states[i].inject.nth, i + 1);
	swhca_hca_inject_off(hca, SWHCA_INJECT_CQE_DELAY);
	assert_int_equal(swhca_hca_inject_list(hca, states), SWHCA_MAX_INJECTS / 2);
	assert_int_equal(states[1].inject.nth, 3);
	/* One that is over makes room. */
	post_nops(&p->a, 1);
	world_run(&p->w);
	for (i = 0; i < SWHCA_MAX_INJECTS / 2 + 1; i++) {
		inject.nth = 100 + i;
		arm(p, 0, &inject);
	}
	assert_int_equal(swhca_hca_inject(hca, &inject, 1), -ENOSPC);
	swhca_hca_inject_off(hca, SWHCA_NB_INJECT_CLASSES);
	assert_int_equal(swhca_hca_inject_list(hca, states), 0);
}

#define QUIET_CASE(f) cmocka_unit_test_setup_teardown(f, quiet_setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		QUIET_CASE(nth_wqe_ends_in_error_and_the_rest_is_flushed),
		QUIET_CASE(error_names_its_queue),
		QUIET_CASE(receive_ends_in_error_at_both_sides),
		QUIET_CASE(dropped_doorbell_is_made_up_for_by_the_next),
		QUIET_CASE(dropped_doorbell_is_of_one_queue),
		QUIET_CASE(delayed_doorbell_is_heard_in_time),
		QUIET_CASE(queue_ends_while_its_doorbell_is_late),
		QUIET_CASE(delayed_cqe_holds_those_behind_it),
		QUIET_CASE(delayed_cqes_take_their_room),
		QUIET_CASE(reset_comes_behind_the_cqes_of_its_queue),
		QUIET_CASE(reset_of_another_queue_leaves_cqes_late),
		QUIET_CASE(delayed_cqes_have_a_limit),
		QUIET_CASE(halted_device_keeps_the_late_cqes_of_other_queues),
		QUIET_CASE(failed_device_writes_no_cqe_that_was_late),
		QUIET_CASE(stalled_device_goes_on_by_itself),
		QUIET_CASE(peer_of_a_stalled_device_waits),
		QUIET_CASE(delayed_queue_is_the_only_one),
		QUIET_CASE(device_fails_behind_some_wqes),
		QUIET_CASE(unmapped_memory_is_an_error_of_its_reader),
		QUIET_CASE(unmapped_memory_waits_for_a_receive),
		QUIET_CASE(unmapped_memory_is_an_error_of_its_peer),
		QUIET_CASE(unmapped_memory_counts_writes),
		QUIET_CASE(unmapped_memory_counts_reads),
		QUIET_CASE(unmapped_memory_of_a_peer_waits_for_the_try_that_counts),
		QUIET_CASE(chance_is_repeated_by_its_seed),
		QUIET_CASE(time_ends_what_is_armed),
		QUIET_CASE(time_ends_what_no_event_comes_to),
		QUIET_CASE(list_tells_what_is_armed_in_its_order),
	};

	return cmocka_run_group_tests_name("swhca_inject", tests, NULL, NULL);
}
