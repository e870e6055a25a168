/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A queue pair of a strict device, made of DevX commands: one that rings before it writes its
 * doorbell record is caught each time, however soon the record follows; others never are, whatever
 * the load. Instructions that ring are the compiler's own.
 */

#include <pthread.h>

#include "budget.h"
#include "devx_queue.h"

#define NB_TRIES	50u
#define NB_THREADS	4
#define NB_ROUNDS	(test_nb_cases() / 2 + 1)
#define BF_HALF		256u
#define CQ_DOORBELL	0x20u
#define STATE_ERR	6u

/* Doorbells that the devices of this process have caught. */
static unsigned long long
nb_caught(void)
{
	return ctl_counter(" doorbell_errors ");
}

static unsigned int
qp_state(struct queue *q)
{
	uint8_t in[16] = { 0 }, out[0x110] = { 0 };

	put(in, 0, 16, 0x50b);
	put(in, 2, 0, q->qpn);
	assert_int_equal(mlx5dv_devx_obj_query(q->qp, in, sizeof(in), out, sizeof(out)), 0);
	return out[0x18] >> 4;
}

static void
record_write(struct queue *q)
{
	volatile uint32_t *record = (void *)(q->mem + DBR_OFFSET + 4);

	*record = htobe32(q->pi);
}

static void
doorbell_write(struct queue *q, const struct mlx5_wqe_ctrl_seg *ctrl)
{
	volatile uint64_t *doorbell = q->uar->reg_addr;

	*doorbell = *(const uint64_t *)(const void *)ctrl;
}

/* The next CQE, flushed in error. */
static void
expect_flushed(struct queue *q)
{
	volatile struct mlx5_cqe64 *cqe = (void *)(q->mem + CQ_OFFSET + q->ci % NB_BB * 64);
	const uint64_t deadline = patience_end();

	while (cqe->op_own >> 4 == 0xf && !patience_is_over(deadline))
		;
	assert_int_equal(cqe->op_own >> 4, MLX5_CQE_REQ_ERR);
	assert_int_equal(((volatile struct mlx5_err_cqe *)cqe)->syndrome,
			 MLX5_CQE_SYNDROME_WR_FLUSH_ERR);
	q->ci++;
}

CASE(doorbell_before_its_record_is_caught)
{
	unsigned long long before = 0;
	struct queue q;
	unsigned int i;

	for (i = 0; i < NB_TRIES; i++) {
		queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
		if (i == 0)
			before = nb_caught();
		doorbell_write(&q, post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE));
		record_write(&q);
		assert_int_equal(qp_state(&q), STATE_ERR);
		expect_flushed(&q);
		if (i == NB_TRIES - 1)
			assert_int_equal(nb_caught() - before, NB_TRIES);
		queue_destroy(&q);
	}
}

CASE(doorbell_ahead_of_its_record_is_caught)
{
	unsigned long long before;
	struct queue q;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	before = nb_caught();
	post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE);
	record_write(&q);
	doorbell_write(&q, post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE));
	assert_int_equal(qp_state(&q), STATE_ERR);
	assert_int_equal(nb_caught() - before, 1);
	expect_flushed(&q);
	record_write(&q);
	queue_destroy(&q);
}

CASE(arm_before_its_record_is_caught)
{
	volatile uint64_t *doorbell;
	unsigned long long before;
	struct queue q;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	before = nb_caught();
	doorbell = (volatile uint64_t *)((uint8_t *)q.uar->base_addr + CQ_DOORBELL);
	*doorbell = htobe64(q.cqn);
	memset(q.mem + DBR_OFFSET + 64 + 4, 0, 4);
	assert_int_equal(nb_caught() - before, 1);
	queue_destroy(&q);
}

/* Doorbells and whole WQEs, in bursts of changing lengths, all around the ring. */
static void *
well_behaved_main(void *arg)
{
	const unsigned int thread = (unsigned int)(uintptr_t)arg;
	const struct mlx5_wqe_ctrl_seg *ctrl = NULL;
	unsigned int i, j, nb;
	struct queue q;

	queue_create(&q, thread % 2 == 0 ? MLX5DV_UAR_ALLOC_TYPE_BF : MLX5DV_UAR_ALLOC_TYPE_NC);
	for (i = 0; i < NB_ROUNDS; i++) {
		nb = 1 + (i + thread) % 7;
		for (j = 0; j < nb; j++)
			ctrl = post_nop(&q, MLX5_WQE_CTRL_CQ_UPDATE);
		ring(&q, ctrl, thread % 2 == 0 ? i % 2 * BF_HALF : 0,
		     thread % 2 == 0 && nb == 1 ? 64 : 8);
		for (j = 0; j < nb; j++)
			expect_nop_done(&q, (uint16_t)(q.pi - nb + j));
	}
	queue_destroy(&q);
	return NULL;
}

CASE(records_before_doorbells_are_good_under_load)
{
	pthread_t threads[NB_THREADS];
	unsigned long long before;
	struct queue q;
	uintptr_t i;

	queue_create(&q, MLX5DV_UAR_ALLOC_TYPE_NC);
	before = nb_caught();
	for (i = 0; i < NB_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, well_behaved_main, (void *)i),
				 0);
	for (i = 0; i < NB_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(nb_caught(), before);
	queue_destroy(&q);
}
