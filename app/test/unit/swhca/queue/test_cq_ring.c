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

PAIR_CASE(resized_ring_goes_on_behind_the_resize_cqe)
{
	const struct mlx5_cqe64 *cqe;
	uint8_t *ring = p->w.mem + 8192;

	memset(ring, 0xf1, 4096);
	run_nops(p, &p->a, 3);
	assert_int_equal(resize(p, ring, 3), 0);
	for (uint16_t i = 0; i < 3; i++)
		expect_done(world_send_cqe(&p->a), i);
	cqe = NOT_NULL(world_send_cqe(&p->a));
	assert_int_equal(cqe->op_own >> 4, CQE_RESIZE);
	assert_null(world_send_cqe(&p->a));
	run_nops(p, &p->a, 5);
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
CASES(resizing_knows_what_is_outstanding)
{
	struct pair *p = next_case(state, "often");
	uint8_t *rings[2] = { p->w.mem + 8192, p->w.mem + 12288 };

	for (unsigned int i = 0; i < 20; i++)
		assert_int_equal(resize(p, rings[i % 2], 2), 0);
	run_nops(p, &p->a, 4);
	assert_int_equal(resize(p, rings[0], 3), 0x40);	/* now it is full */
	assert_null(world_eqe(&p->w, 0));
	run_nops(p, &p->a, 1);
	assert_non_null(world_eqe(&p->w, 0));		/* and this is lost */

	p = next_case(state, "doorbell before");
	world_post(&p->a, OP_NOP, CE, 0, NULL, 0);
	world_ring(&p->a);
	assert_int_equal(resize(p, p->w.mem + 8192, 6), 0);
	expect_done(world_send_cqe(&p->a), 0);

	p = next_case(state, "too small");
	run_nops(p, &p->a, 5);
	assert_int_equal(resize(p, p->w.mem + 8192, 2), 0x40);
	assert_int_equal(resize(p, p->w.mem + 8192, 3), 0);
}

PAIR_CASE(rings_that_cannot_work_are_rejected)
{
	static const struct {
		const char *name;
		uint32_t log_size;
		unsigned int byte;	/* what is set besides */
		uint8_t value, status;
	} rows[] = {
		{ "8 KiB in one page", 7, 0, 0, 0x40 },
		{ "2^23 entries", 23, 0, 0, 0x08 },
		{ "another CQE size", 4, 4 * 4 + 1, 1 << 5, 0x03 },
		{ "only log_size", 4, 15, 1, 0x03 },
		{ "unknown op_mod", 4, 7, 2, 0x03 },
	};
	uint8_t in[0x118];

	for (size_t i = 0; i < NB_OF(rows); i++) {
		resize_box(p, in, p->w.mem, rows[i].log_size);
		if (rows[i].byte != 0)
			in[rows[i].byte] = rows[i].value;
		row_check(rows[i].name, world_exec(p->a.hca, in, sizeof(in)), rows[i].status);
	}
	run_nops(p, &p->a, 1);
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

CASES(moderated_event_waits_for_count_or_time)
{
	struct pair *p = next_case(state, "from the last completion");

	modify_cq(p, 0x13, 1, 4000, 3, 0);	/* the time runs from the last completion */
	arm(&p->a, 0, 0);
	run_nops(p, &p->a, 3);
	assert_non_null(world_eqe(&p->w, 0));	/* the count */
	arm(&p->a, 1, 3);
	world_run(&p->w);
	run_nops(p, &p->a, 1);
	run_after(p, 3999999);
	assert_null(world_eqe(&p->w, 0));
	run_after(p, 1);
	assert_non_null(world_eqe(&p->w, 0));	/* the time */
	modify_cq(p, 1u << 9, 0, 0, 0, 0x03);	/* unknown field */
	modify_cq(p, 0x10, 2, 0, 0, 0x03);	/* unknown mode */

	p = next_case(state, "from the last event");
	modify_cq(p, 3, 0, 4095, 100, 0);
	arm(&p->a, 0, 0);
	world_run(&p->w);
	/* Long after the last event, so at once. */
	run_nops(p, &p->a, 1);
	assert_non_null(world_eqe(&p->w, 0));
	/* Soon after it, and when its time has come. */
	world_wait(3000000);
	arm(&p->a, 1, 1);
	world_run(&p->w);
	run_nops(p, &p->a, 1);
	assert_null(world_eqe(&p->w, 0));
	run_after(p, 1094999);
	assert_null(world_eqe(&p->w, 0));
	run_after(p, 1);
	assert_non_null(world_eqe(&p->w, 0));
}

PAIR_CASE(cq_that_ignores_overrun_goes_on)
{
	modify_cq(p, 1u << 2, 1u << 2, 0, 0, 0);	/* oi: bit 17 */
	for (unsigned int i = 0; i < 5; i++)
		run_nops(p, &p->a, 32);
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

	for (unsigned int i = 0; i < nb; i++) {
		world_recv(qp, p->w.mem_key[0], p->w.mem + 4096 * (i + 1), 4096);
		world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], lens[i]);
		world_post(qp, OP_SEND, 0, 0, body + 16, 1);
	}
	world_ring(qp);
	world_run(&p->w);
}

PAIR_CASE(entry_of_128_bytes_is_padded_if_asked)
{
	static const uint32_t lens[] = { 5 };
	static const uint32_t flags[] = { CQC_128, CQC_128_PAD };
	struct world_qp qp;

	for (unsigned int i = 0; i < 2; i++) {
		qp_create(p, &qp, flags[i]);
		memset(qp.page + WORLD_RCQ_OFF, 0xee, 64);
		sends(p, &qp, lens, 1);
		assert_int_equal(qp.page[WORLD_RCQ_OFF + 127] >> 4, CQE_RESP_SEND);
		assert_int_equal(world_get(qp.page + WORLD_RCQ_OFF, 27), 5);
		assert_int_equal(qp.page[WORLD_RCQ_OFF], i == 0 ? 0xee : 0);
		assert_int_equal(qp.page[WORLD_RCQ_OFF + 63], i == 0 ? 0xee : 0);
		world_qp_destroy(&qp);
	}
}

PAIR_CASE(completions_that_differ_in_length_are_one_session)
{
	static const uint32_t lens[] = { 10, 20, 30, 40, 50, 60, 70, 80, 90, 100 };
	struct world_qp qp;
	const uint8_t *cq;

	qp_create(p, &qp, CQC_COMP | CQC_FORMAT(FORMAT_HASH));
	sends(p, &qp, lens, 10);
	cq = qp.page + WORLD_RCQ_OFF;
	/* The title: its byte count is the number of completions. */
	assert_int_equal(cq[63], CQE_RESP_SEND << 4 | FORMAT_COMPRESSED << 2);
	assert_int_equal(world_get(cq, 11), 10);
	assert_int_equal(cq[60] << 8 | cq[61], 0);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(world_get(cq, 17 + i * 2), lens[i]);
	/* Arrays of 8: two slots; the rest of the session is not written. */
	assert_int_equal(cq[3 * 64 + 63], 0xf1);
	/* The next is behind the session, alone, and so as usual. */
	sends(p, &qp, lens, 1);
	assert_int_equal(cq[10 * 64 + 63], CQE_RESP_SEND << 4);
	assert_int_equal(world_get(cq, 10 * 16 + 11), 10);
	world_qp_destroy(&qp);
}

CASES(sessions_hold_what_may_differ)
{
	struct pair *p = next_case(state, "counter");
	static const uint32_t lens[] = { 1, 2, 3 };
	struct world_qp qp;
	const uint8_t *cq;
	uint32_t len;
	uint8_t body[32];

	qp_create(p, &qp, CQC_COMP | CQC_FORMAT(FORMAT_CSUM_STRIDX));
	sends(p, &qp, lens, 3);
	cq = qp.page + WORLD_RCQ_OFF;
	assert_int_equal(world_get(cq, 11), 3);
	assert_int_equal(world_get(cq, 16), 0);
	assert_int_equal(world_get(cq, 18), 1);
	assert_int_equal(world_get(cq, 20), 2);
	world_qp_destroy(&qp);

	p = next_case(state, "more");
	len = 8;
	qp_create(p, &qp, CQC_COMP);
	for (unsigned int i = 0; i < 3; i++)
		world_recv(&qp, p->w.mem_key[0], p->w.mem + 4096, 64);
	world_rdma_body(body, 0, 0, p->w.mem, p->w.mem_key[0], len);
	world_post(&qp, OP_SEND, 0, 0, body + 16, 1);
	world_post(&qp, OP_SEND_IMM, 0, 7, body + 16, 1);
	world_post(&qp, OP_SEND_IMM, 0, 8, body + 16, 1);
	world_ring(&qp);
	world_run(&p->w);
	cq = qp.page + WORLD_RCQ_OFF;
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(cq[i * 64 + 63] >> 2 & 3, 0);
		assert_int_equal(world_get(cq, i * 16 + 11), len);
	}
	assert_int_equal(world_get(cq, 16 + 9), 7);
	assert_int_equal(world_get(cq, 32 + 9), 8);
	world_qp_destroy(&qp);
}

PAIR_CASE(unknown_formats_are_rejected)
{
	uint8_t in[WORLD_BOX];

	world_cq_box(&p->w, 0, in, p->a.umem, WORLD_SCQ_OFF, WORLD_DBR_OFF);
	world_put(in, 4, 0, CQC_COMP | CQC_FORMAT(2));
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
	/* Real time stamps on InfiniBand. */
	world_qp_box(&p->w, 0, in, &p->a);
	world_put(in, 8, 6, 2);
	assert_int_equal(world_exec(p->a.hca, in, sizeof(in)), 0x03);
}

PAIR_CASE(timer_register_goes_forward)
{
	const uint8_t *timer = p->w.dev[0].bar + swhca_hca_timer_offset(p->a.hca);
	const struct mlx5_cqe64 *cqe;
	uint64_t first = world_get64(timer, 0);

	assert_int_equal(first, world_now_ns());
	world_wait(7);
	run_nops(p, &p->a, 1);
	cqe = world_send_cqe(&p->a);
	expect_done(cqe, 0);
	assert_int_equal(be64toh(cqe->timestamp), first + 7);
	world_wait(7);
	swhca_fabric_poll(p->w.fabric);
	assert_int_equal(world_get64(timer, 0), first + 14);
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
	watch.nb_plain += watch.owner - addr < len;
	return watch.real->write(watch.real, addr, src, len);
}

static int
watch_write_last(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	watch.nb_last += watch.owner - addr == len - 1;
	return watch.real->write_last(watch.real, addr, src, len);
}

/* Else software could read a CQE of which only the end is there. */
PAIR_CASE(owner_is_written_last)
{
	watch.real = p->w.fabric->dma;
	watch.dma = *watch.real;
	watch.dma.write = watch_write;
	watch.dma.write_last = watch_write_last;
	watch.owner = world_bus(p->a.page + WORLD_SCQ_OFF + 63);
	p->w.fabric->dma = &watch.dma;
	run_nops(p, &p->a, 3);
	p->w.fabric->dma = watch.real;
	expect_done(world_send_cqe(&p->a), 0);
	assert_int_equal(watch.nb_last, 1);
	assert_int_equal(watch.nb_plain, 0);
}
