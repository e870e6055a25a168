/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Rings of CQs: resize, MODIFY_CQ, entries of 128 bytes and their padding, compressed sessions, and
 * the timer register.
 */

#include "object/fabric.h"
#include "pair.h"

#define CMD_MODIFY_CQ 0x403
#define CQE_RESIZE 0x5
#define CQE_RESP_SEND 0x2
#define FORMAT_COMPRESSED 3
/* Fields of the first dword of a CQ context. */
#define CQC_128		(1u << 21)
#define CQC_128_PAD	(2u << 21)
#define CQC_COMP	(1u << 14)
#define CQC_FORMAT(f)	((uint32_t)(f) << 12)
#define FORMAT_HASH	0
#define FORMAT_CSUM_STRIDX 3

static uint32_t
be32_at(const uint8_t *at)
{
	uint32_t be;

	memcpy(&be, at, 4);
	return be32toh(be);
}

/* A mailbox that gives the send CQ of a another ring in the memory of the pair. */
static void
resize_box(struct pair *p, uint8_t *in, const void *ring, uint32_t log_size)
{
	memset(in, 0, 0x118);
	world_put(in, 0, 16, CMD_MODIFY_CQ);
	world_put(in, 1, 0, 1);			/* op_mod: resize */
	world_put(in, 2, 0, p->a.scqn);
	world_put(in, 3, 0, 7);			/* log_size, page_offset, page_size */
	world_put(in, 7, 24, log_size);
	world_put_bus(in, 68, ring);
}

static uint8_t
resize(struct pair *p, const void *ring, uint32_t log_size)
{
	uint8_t in[0x118];

	resize_box(p, in, ring, log_size);
	return world_exec(p->a.hca, in, sizeof(in));
}

static void
post_nops(struct pair *p, unsigned int nb)
{
	while (nb-- > 0)
		world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
}

static void
resized_ring_goes_on_behind_the_resize_cqe(void **state)
{
	struct pair *p = *state;
	const struct mlx5_cqe64 *cqe;
	uint8_t *ring = p->w.mem + 8192;

	memset(ring, 0xf1, 4096);
	post_nops(p, 3);
	assert_int_equal(resize(p, ring, 3), 0);
	expect_done(world_send_cqe(&p->a), 0);
	expect_done(world_send_cqe(&p->a), 1);
	expect_done(world_send_cqe(&p->a), 2);
	cqe = world_send_cqe(&p->a);
	assert_non_null(cqe);
	assert_int_equal(cqe->op_own >> 4, CQE_RESIZE);
	assert_null(world_send_cqe(&p->a));
	post_nops(p, 5);
	assert_null(world_send_cqe(&p->a));
	/* The resize CQE took index 3, so the ring of 8 goes on at 4 and wraps behind 7. */
	cqe = (const struct mlx5_cqe64 *)(ring + 4 * 64);
	assert_int_equal(cqe->op_own & 1, 0);
	expect_done(cqe, 3);
	cqe = (const struct mlx5_cqe64 *)ring;
	assert_int_equal(cqe->op_own & 1, 1);
	expect_done(cqe, 7);
}

/* Software consumes the resize CQE, but tells so with its next poll. */
static void
resizing_often_does_not_fill_the_ring(void **state)
{
	struct pair *p = *state;
	uint8_t *rings[2] = { p->w.mem + 8192, p->w.mem + 12288 };
	unsigned int i;

	for (i = 0; i < 20; i++)
		assert_int_equal(resize(p, rings[i % 2], 2), 0);
	post_nops(p, 4);
	assert_int_equal(resize(p, rings[0], 3), 0x40);	/* now it is full */
	assert_null(world_eqe(&p->w, 0));
	post_nops(p, 1);
	assert_non_null(world_eqe(&p->w, 0));		/* and this is lost */
}

static void
doorbell_of_before_the_command_is_older_than_it(void **state)
{
	struct pair *p = *state;

	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	assert_int_equal(resize(p, p->w.mem + 8192, 6), 0);
	expect_done(world_send_cqe(&p->a), 0);
}

static void
ring_too_small_for_what_is_outstanding_is_rejected(void **state)
{
	struct pair *p = *state;

	post_nops(p, 5);
	assert_int_equal(resize(p, p->w.mem + 8192, 2), 0x40);
	assert_int_equal(resize(p, p->w.mem + 8192, 3), 0);
}

static void
rings_that_cannot_work_are_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t in[0x118];

	assert_int_equal(resize(p, p->w.mem, 7), 0x40);		/* 8 KiB in one page */
	assert_int_equal(resize(p, p->w.mem, 23), 0x08);
	resize_box(p, in, p->w.mem, 4);
	world_put(in, 4, 21, 1);				/* another CQE size */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	resize_box(p, in, p->w.mem, 4);
	in[15] = 1;						/* only log_size */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	resize_box(p, in, p->w.mem, 4);
	in[7] = 2;						/* unknown op_mod */
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	post_nops(p, 1);
	expect_done(world_send_cqe(&p->a), 0);
}

static void
modify_cq(struct pair *p, uint32_t select, uint32_t mode, uint32_t period_us, uint32_t max_count,
	  uint8_t status)
{
	uint8_t in[0x110] = { 0 };

	world_put(in, 0, 16, CMD_MODIFY_CQ);
	world_put(in, 2, 0, p->a.scqn);
	world_put(in, 3, 0, select);
	world_put(in, 4, 15, mode);
	world_put(in, 8, 16, period_us);
	world_put(in, 8, 0, max_count);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), status);
}

static void
arm(struct world_qp *qp, uint32_t sn, uint32_t ci)
{
	uint32_t value = htobe32(sn << 28 | ci);
	uint64_t be = htobe64((uint64_t)(sn << 28 | ci) << 32 | qp->scqn);

	memcpy(qp->page + WORLD_DBR_OFF + 64 + 4, &value, 4);
	memcpy(qp->uar + 0x20, &be, 8);
}

static void
moderated_event_waits_for_count_or_time(void **state)
{
	struct pair *p = *state;

	modify_cq(p, 0x13, 1, 4000, 3, 0);	/* the time runs from the last completion */
	arm(&p->a, 0, 0);
	post_nops(p, 3);
	assert_non_null(world_eqe(&p->w, 0));	/* the count */
	arm(&p->a, 1, 3);
	world_run(&p->w);
	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	world_run(&p->w);
	world_wait(3999999);
	world_run(&p->w);
	assert_null(world_eqe(&p->w, 0));
	world_wait(1);
	world_run(&p->w);
	assert_non_null(world_eqe(&p->w, 0));	/* the time */
	modify_cq(p, 1u << 9, 0, 0, 0, 0x03);	/* unknown field */
	modify_cq(p, 0x10, 2, 0, 0, 0x03);	/* unknown mode */
}

static void
moderation_counts_from_the_last_event(void **state)
{
	struct pair *p = *state;

	modify_cq(p, 3, 0, 4095, 100, 0);
	arm(&p->a, 0, 0);
	world_run(&p->w);
	/* Long after the last event, so at once. */
	post_nops(p, 1);
	assert_non_null(world_eqe(&p->w, 0));
	/* Soon after it, and when its time has come. */
	world_wait(3000000);
	arm(&p->a, 1, 1);
	world_run(&p->w);
	post_nops(p, 1);
	assert_null(world_eqe(&p->w, 0));
	world_wait(1094999);
	world_run(&p->w);
	assert_null(world_eqe(&p->w, 0));
	world_wait(1);
	world_run(&p->w);
	assert_non_null(world_eqe(&p->w, 0));
}

static void
cq_that_ignores_overrun_goes_on(void **state)
{
	struct pair *p = *state;
	unsigned int i;
	uint8_t in[0x110] = { 0 };

	world_put(in, 0, 16, CMD_MODIFY_CQ);
	world_put(in, 2, 0, p->a.scqn);
	world_put(in, 3, 0, 1u << 2);
	world_put(in, 4, 17, 1);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0);
	for (i = 0; i < 5; i++)
		post_nops(p, 32);
	assert_int_equal(world_qp_state(&p->a), 3);
	assert_null(world_eqe(&p->w, 0));
}

/* A loopback QP on device 0 whose CQs have these bits set. */
static void
qp_create(struct pair *p, struct world_qp *qp, uint32_t cqc_dw0)
{
	p->w.cqc_dw0 = cqc_dw0;
	world_qp_create(&p->w, 0, qp);
	world_qp_connect(&p->w, qp, qp);
}

static void
sends(struct pair *p, struct world_qp *qp, const uint32_t *lens, unsigned int nb)
{
	uint8_t body[32];
	unsigned int i;

	for (i = 0; i < nb; i++) {
		world_recv(qp, p->w.mem_key[0], p->w.mem + 4096 * (i + 1), 4096);
		world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], lens[i]);
		world_post(qp, OP_SEND, 0, 0, body + 16, 1);
	}
	world_ring(qp);
	world_run(&p->w);
}

static void
entry_of_128_bytes_is_padded_if_asked(void **state)
{
	static const uint32_t lens[] = { 5 };
	static const uint32_t flags[] = { CQC_128, CQC_128_PAD };
	struct pair *p = *state;
	struct world_qp qp;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		qp_create(p, &qp, flags[i]);
		memset(qp.page + WORLD_RCQ_OFF, 0xee, 64);
		sends(p, &qp, lens, 1);
		assert_int_equal(qp.page[WORLD_RCQ_OFF + 127] >> 4, CQE_RESP_SEND);
		assert_int_equal(be32_at(qp.page + WORLD_RCQ_OFF + 64 + 44), 5);
		assert_int_equal(qp.page[WORLD_RCQ_OFF], i == 0 ? 0xee : 0);
		assert_int_equal(qp.page[WORLD_RCQ_OFF + 63], i == 0 ? 0xee : 0);
		world_qp_destroy(&qp);
	}
}

static void
completions_that_differ_in_length_are_one_session(void **state)
{
	static const uint32_t lens[] = { 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
	struct pair *p = *state;
	struct world_qp qp;
	const uint8_t *cq;
	unsigned int i;

	qp_create(p, &qp, CQC_COMP | CQC_FORMAT(FORMAT_HASH));
	sends(p, &qp, lens, 10);
	cq = qp.page + WORLD_RCQ_OFF;
	/* The title: its byte count is the number of completions. */
	assert_int_equal(cq[63], CQE_RESP_SEND << 4 | FORMAT_COMPRESSED << 2);
	assert_int_equal(be32_at(cq + 44), 10);
	assert_int_equal(cq[60] << 8 | cq[61], 0);
	for (i = 0; i < 10; i++)
		assert_int_equal(be32_at(cq + 64 + i * 8 + 4), lens[i]);
	/* Arrays of 8: two slots; the rest of the session is not written. */
	assert_int_equal(cq[3 * 64 + 63], 0xf1);
	/* The next is behind the session, alone, and so as usual. */
	sends(p, &qp, lens, 1);
	assert_int_equal(cq[10 * 64 + 63], CQE_RESP_SEND << 4);
	assert_int_equal(be32_at(cq + 10 * 64 + 44), 10);
	world_qp_destroy(&qp);
}

static void
stride_index_format_holds_the_counter(void **state)
{
	static const uint32_t lens[] = { 1, 2, 3 };
	struct pair *p = *state;
	struct world_qp qp;
	const uint8_t *cq;

	qp_create(p, &qp, CQC_COMP | CQC_FORMAT(FORMAT_CSUM_STRIDX));
	sends(p, &qp, lens, 3);
	cq = qp.page + WORLD_RCQ_OFF;
	assert_int_equal(be32_at(cq + 44), 3);
	assert_int_equal(be32_at(cq + 64), 0);
	assert_int_equal(be32_at(cq + 64 + 8), 1);
	assert_int_equal(be32_at(cq + 64 + 16), 2);
	world_qp_destroy(&qp);
}

static void
what_differs_in_more_ends_the_session(void **state)
{
	static const uint32_t len = 8;
	struct pair *p = *state;
	struct world_qp qp;
	uint8_t body[32];
	const uint8_t *cq;
	int i;

	qp_create(p, &qp, CQC_COMP);
	for (i = 0; i < 3; i++)
		world_recv(&qp, p->w.mem_key[0], p->w.mem + 4096, 64);
	world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], len);
	world_post(&qp, OP_SEND, 0, 0, body + 16, 1);
	world_post(&qp, OP_SEND_IMM, 0, 7, body + 16, 1);
	world_post(&qp, OP_SEND_IMM, 0, 8, body + 16, 1);
	world_ring(&qp);
	world_run(&p->w);
	cq = qp.page + WORLD_RCQ_OFF;
	for (i = 0; i < 3; i++) {
		assert_int_equal(cq[i * 64 + 63] >> 2 & 3, 0);
		assert_int_equal(be32_at(cq + i * 64 + 44), len);
	}
	assert_int_equal(be32_at(cq + 64 + 36), 7);
	assert_int_equal(be32_at(cq + 2 * 64 + 36), 8);
	world_qp_destroy(&qp);
}

static void
unknown_mini_format_is_rejected(void **state)
{
	struct pair *p = *state;
	uint8_t in[WORLD_BOX];

	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF);
	world_put(in, 4, 0, CQC_COMP | CQC_FORMAT(2));
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
}

static void
real_time_stamps_are_rejected_on_infiniband(void **state)
{
	struct pair *p = *state;
	uint8_t in[WORLD_BOX];

	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 8, 6, 2);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
}

static void
timer_register_goes_forward(void **state)
{
	struct pair *p = *state;
	const uint8_t *timer = p->w.dev[0].bar + swhca_hca_timer_offset(p->a.hca);
	const struct mlx5_cqe64 *cqe;
	uint64_t first = (uint64_t)be32_at(timer) << 32 | be32_at(timer + 4);
	uint64_t second;

	assert_int_equal(first, world_now_ns());
	world_wait(7);
	post_nops(p, 1);
	cqe = world_send_cqe(&p->a);
	expect_done(cqe, 0);
	assert_int_equal(be64toh(cqe->timestamp), first + 7);
	world_wait(7);
	swhca_fabric_poll(p->w.fabric);
	second = (uint64_t)be32_at(timer) << 32 | be32_at(timer + 4);
	assert_int_equal(second, first + 14);
}

/* Host memory, and how the byte of it that tells the owner of a CQE was written. */
static struct {
	struct swhca_dma dma;
	const struct swhca_dma *real;
	uint64_t owner;		/* its bus address */
	unsigned int nb_last;
	unsigned int nb_plain;
} watch;

static int
watch_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	(void)dma;
	watch.nb_plain += watch.owner - addr < len;
	return watch.real->write(watch.real, addr, src, len);
}

static int
watch_write_last(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	(void)dma;
	watch.nb_last += watch.owner - addr == len - 1;
	return watch.real->write_last(watch.real, addr, src, len);
}

/* Else software could read a CQE of which only the end is there. */
static void
owner_is_written_last(void **state)
{
	struct pair *p = *state;
	uint64_t be;

	watch.real = p->w.fabric->dma;
	watch.dma = *watch.real;
	watch.dma.write = watch_write;
	watch.dma.write_last = watch_write_last;
	world_put_bus(memset(&be, 0, sizeof(be)), 0, p->a.page + WORLD_SCQ_OFF + 63);
	watch.owner = be64toh(be);
	p->w.fabric->dma = &watch.dma;
	post_nops(p, 3);
	p->w.fabric->dma = watch.real;
	expect_done(world_send_cqe(&p->a), 0);
	assert_int_equal(watch.nb_last, 1);
	assert_int_equal(watch.nb_plain, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(resized_ring_goes_on_behind_the_resize_cqe),
		CASE(resizing_often_does_not_fill_the_ring),
		CASE(doorbell_of_before_the_command_is_older_than_it),
		CASE(ring_too_small_for_what_is_outstanding_is_rejected),
		CASE(rings_that_cannot_work_are_rejected),
		CASE(moderated_event_waits_for_count_or_time),
		CASE(moderation_counts_from_the_last_event),
		CASE(cq_that_ignores_overrun_goes_on),
		CASE(entry_of_128_bytes_is_padded_if_asked),
		CASE(completions_that_differ_in_length_are_one_session),
		CASE(stride_index_format_holds_the_counter),
		CASE(what_differs_in_more_ends_the_session),
		CASE(unknown_mini_format_is_rejected),
		CASE(real_time_stamps_are_rejected_on_infiniband),
		CASE(timer_register_goes_forward),
		CASE(owner_is_written_last),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
