/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Barriers of submit, receive and poll. On x86 most of them are barriers of the compiler alone,
 * and no run would miss one: so here they call the test (barrier_hooks.h). At each the test notes
 * what a device could see, or does what a device could do at that moment.
 *
 * Writers: what is behind a barrier must not be there yet, what is in front of it must be there as
 * it stays. Readers: what the device writes in front of the owner bit is written when the owner bit
 * has been seen, and what it overwrites once it has been given an entry back, at once.
 */

#include "ring/bf.h"
#include "test_queue.h"

#define MAX_BARRIERS	8u
#define BF_SIZE		256u
#define GARBAGE		0x5a

/** What a device can see. */
struct view {
	uint8_t sq[TEST_NB_WQEBB * PRM_WQE_BB_SIZE];
	uint8_t rq[TEST_NB_RECV * PRM_WQE_BB_SIZE];
	rte_be32_t dbr[2], cq_dbr, rq_cq_dbr;
	uint64_t doorbell[2 * BF_SIZE / sizeof(uint64_t)];
};

/* What happened at the barriers of one call. */
static struct {
	struct test_queue *t;
	unsigned int nb;
	enum test_barrier kinds[MAX_BARRIERS];
	struct view views[MAX_BARRIERS];
	void (*device)(struct test_queue *t, unsigned int i);
} seen;

static uint64_t reg[2 * BF_SIZE / sizeof(uint64_t)];

static void
view_take(struct view *view)
{
	const struct test_queue *t = seen.t;

	memcpy(view->sq, t->sq, sizeof(view->sq));
	memcpy(view->rq, t->rq, sizeof(view->rq));
	memcpy(view->dbr, t->dbr, sizeof(view->dbr));
	view->cq_dbr = t->cq_dbr[0];
	view->rq_cq_dbr = t->rq_cq_dbr[0];
	memcpy(view->doorbell, reg, sizeof(view->doorbell));
}

void
test_barrier(enum test_barrier barrier)
{
	assert_true(seen.nb < MAX_BARRIERS);
	if (seen.t == NULL)
		return;
	seen.kinds[seen.nb] = barrier;
	view_take(&seen.views[seen.nb]);
	if (seen.device != NULL)
		seen.device(seen.t, seen.nb);
	seen.nb++;
}

/** From here on barriers are noted. */
static void
watch(struct test_queue *t, void (*device)(struct test_queue *t, unsigned int i))
{
	memset(&seen, 0, sizeof(seen));
	memset(reg, 0, sizeof(reg));
	t->queue.doorbell = reg;
	seen.t = t;
	seen.device = device;
}

/** Those were the barriers; what there is now. */
#define CHECK_BARRIERS(...)                                                                        \
	check_barriers((const enum test_barrier[]){ __VA_ARGS__ },                                 \
		       RTE_DIM(((const enum test_barrier[]){ __VA_ARGS__ })))

static struct view
check_barriers(const enum test_barrier *kinds, unsigned int nb)
{
	struct view end;

	assert_int_equal(seen.nb, nb);
	for (unsigned int i = 0; i < nb; i++)
		assert_int_equal(seen.kinds[i], kinds[i]);
	view_take(&end);
	seen.t = NULL;
	return end;
}

/** Work requests, record, doorbell. */
static void
check_submit(const struct view *end, uint16_t pi)
{
	const struct view *at_record = &seen.views[0], *at_db = &seen.views[1];

	assert_memory_equal(at_record->sq, end->sq, sizeof(end->sq));
	assert_int_equal(at_record->dbr[PRM_DBR_SQ], 0);
	test_filled(at_record->doorbell, 0, sizeof(at_record->doorbell));
	assert_int_equal(at_db->dbr[PRM_DBR_SQ], rte_cpu_to_be_32(pi));
	test_filled(at_db->doorbell, 0, sizeof(at_db->doorbell));
	assert_int_equal(end->dbr[PRM_DBR_SQ], rte_cpu_to_be_32(pi));
	assert_int_not_equal(end->doorbell[0], 0);
}

QUEUE_CASE(submit_is_requests_then_record_then_doorbell)
{
	struct view end;

	watch(t, NULL);
	test_write(t, 8, 0);
	test_write(t, 8, 0);
	assert_int_equal(seen.nb, 0);
	assert_int_equal(mlx5_umr_submit(&t->queue), 0);
	end = CHECK_BARRIERS(TEST_IO_WMB, TEST_IO_WMB);
	check_submit(&end, 2);
}

QUEUE_CASE(operation_with_submit_is_so_too)
{
	struct view end;

	watch(t, NULL);
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	end = CHECK_BARRIERS(TEST_IO_WMB, TEST_IO_WMB);
	check_submit(&end, 1);
}

/** A write-combined page: the record is out before the doorbell, and that does not stay inside. */
static void
check_write_combined(struct test_queue *t, uint8_t mode, size_t len)
{
	struct view end;

	t->queue.is_db_nc = false;
	t->queue.bf_size = BF_SIZE;
	t->queue.bf_mode = mode;
	watch(t, NULL);
	assert_int_equal(test_write(t, 8, RTE_UMR_OP_F_SUBMIT), 0);
	end = CHECK_BARRIERS(TEST_IO_WMB, TEST_WMB, TEST_WMB);
	check_submit(&end, 1);
	assert_memory_equal(seen.views[2].doorbell, end.doorbell, sizeof(end.doorbell));
	assert_memory_equal(end.doorbell, t->sq, len);
}

QUEUE_CASE(write_combined_doorbell_is_driven_out)
{
	check_write_combined(t, MLX5_UMR_BF_OFF, sizeof(uint64_t));
}

QUEUE_CASE(write_combined_request_is_driven_out)
{
	check_write_combined(t, MLX5_UMR_BF_SINGLE, PRM_WQE_BB_SIZE);
}

/* One receive, and a burst of two. */
QUEUE_CASE(receives_are_requests_then_record)
{
	const struct rte_umr_seg segs[2] = { { 0x1000, 64, 0x100 }, { 0x2000, 64, 0x100 } };
	struct view end;

	for (uint16_t nb = 1, pi = 1; nb <= 2; nb++, pi += nb) {
		watch(t, NULL);
		if (nb == 1)
			assert_int_equal(mlx5_umr_recv(&t->queue, segs, 1, 0), 0);
		else
			assert_int_equal(mlx5_umr_recv_burst(&t->queue, segs, 2, 0), 2);
		end = CHECK_BARRIERS(TEST_IO_WMB);
		assert_memory_equal(seen.views[0].rq, end.rq, sizeof(end.rq));
		assert_int_equal(seen.views[0].dbr[PRM_DBR_RQ], rte_cpu_to_be_32(pi - nb));
		assert_int_equal(end.dbr[PRM_DBR_RQ], rte_cpu_to_be_32(pi));
	}
}

/*
 * The device has written an owner bit; the rest of the CQE, which it wrote earlier, is seen from
 * the first barrier on. When the entry is given back, at the second one, nothing in it counts.
 */
static void
error_cqe_appears(struct test_queue *t, unsigned int i)
{
	struct mlx5_err_cqe *cqe = (struct mlx5_err_cqe *)&t->cqes[0];

	if (i == 0) {
		cqe->syndrome = MLX5_CQE_SYNDROME_REMOTE_ACCESS_ERR;
		cqe->vendor_err_synd = 0x88;
	} else {
		memset(cqe, GARBAGE, sizeof(*cqe));
	}
}

QUEUE_CASE(cqe_is_read_between_owner_bit_and_record)
{
	struct view end;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ_ERR, 0);
	watch(t, error_cqe_appears);
	TEST_SENT(t, 1, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
	end = CHECK_BARRIERS(TEST_IO_RMB, TEST_IO_RMB);
	assert_int_equal(t->done[0].vendor_syndrome, 0x88);
	assert_int_equal(seen.views[1].cq_dbr, 0);
	assert_int_equal(end.cq_dbr, RTE_BE32(1));
}

/* The usual way: only the last word of the CQE is read, at once. */
QUEUE_CASE(usual_cqe_is_read_before_record)
{
	struct view end;

	test_write(t, 8, RTE_UMR_OP_F_SUBMIT);
	test_cqe_write(t, 0, MLX5_CQE_REQ, 0);
	watch(t, NULL);
	TEST_COMPLETED(t, 1, 1, 0, false);
	end = CHECK_BARRIERS(TEST_IO_RMB);
	assert_int_equal(seen.views[0].cq_dbr, 0);
	assert_int_equal(end.cq_dbr, RTE_BE32(1));
}

static void
receive_cqe_appears(struct test_queue *t, unsigned int i)
{
	if (i == 0) {
		t->rq_cqes[0].byte_cnt = RTE_BE32(48);
		t->rq_cqes[0].imm_inval_pkey = RTE_BE32(0x1234);
	} else {
		memset(&t->rq_cqes[0], GARBAGE, sizeof(t->rq_cqes[0]));
	}
}

QUEUE_CASE(receive_cqe_is_read_between_owner_bit_and_record)
{
	const struct rte_umr_seg seg = { 0x1000, 64, 0x100 };
	struct view end;

	assert_int_equal(mlx5_umr_recv(&t->queue, &seg, 1, 0), 0);
	test_rq_cqe_write(t, MLX5_CQE_RESP_SEND_IMM, 0, 0, 0);
	watch(t, receive_cqe_appears);
	TEST_RECEIVED(t, 1, 0, OK);
	end = CHECK_BARRIERS(TEST_IO_RMB, TEST_IO_RMB);
	assert_int_equal(t->done[0].length, 48);
	assert_int_equal(t->done[0].imm, RTE_BE32(0x1234));
	assert_int_equal(seen.views[1].rq_cq_dbr, 0);
	assert_int_equal(end.rq_cq_dbr, RTE_BE32(1));
}

int
main(void)
{
	return test_run();
}
