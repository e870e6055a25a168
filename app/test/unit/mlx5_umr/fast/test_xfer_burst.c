/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Bursts of transfers and receives: what they do is what as many single calls do. */

#include "budget.h"
#include "test_queue.h"

#define NB_OPS	8u

enum kind {
	WRITES,
	READS,
	SENDS,
	NB_KINDS,
};

static struct rte_umr_rdma_op ops[NB_OPS];
static struct rte_umr_seg segs[NB_OPS];
static uint8_t memory[NB_OPS * 128];

static void
ops_fill(unsigned int seed)
{
	for (uint32_t i = 0; i < NB_OPS; i++) {
		ops[i] = (struct rte_umr_rdma_op){
			.local = {
				.addr = (uintptr_t)&memory[i * 128],
				.length = rand_r(&seed) % 100,
				.lkey = (uint32_t)rand_r(&seed),
			},
			.remote_addr = (uint64_t)rand_r(&seed) << 20,
			.rkey = (uint32_t)rand_r(&seed),
		};
		if (rand_r(&seed) % 16 == 0)
			ops[i].local.length = UINT32_MAX;
		segs[i] = ops[i].local;
	}
}

static int
single_enqueue(enum kind kind, struct mlx5_umr_queue *q, uint32_t i, uint64_t flags)
{
	const struct rte_umr_rdma_op *op = &ops[i];

	if (kind == SENDS)
		return mlx5_umr_send(q, &op->local, flags);
	return (kind == WRITES ? mlx5_umr_write : mlx5_umr_read)(q, &op->local, op->remote_addr,
								 op->rkey, flags);
}

static int
burst_enqueue(enum kind kind, struct mlx5_umr_queue *q, uint16_t nb, uint64_t flags)
{
	if (kind == SENDS)
		return mlx5_umr_send_burst(q, segs, nb, flags);
	return (kind == WRITES ? mlx5_umr_write_burst : mlx5_umr_read_burst)(q, ops, nb, flags);
}

static void
queue_move_to(struct test_queue *t, uint32_t pi, uint32_t op_pi, uint32_t nb_free, bool is_dci)
{
	t->queue.sq_pi = pi;
	t->queue.sq_end = pi + nb_free;
	t->queue.op_pi = op_pi;
	t->queue.op_submitted = op_pi;
	t->queue.fm_next = t->queue.fm_umr;
	t->queue.max_inline = 64;
	t->queue.is_dci = is_dci;
	t->queue.has_av = true;
	memset(t->queue.av, 0x5a, sizeof(t->queue.av));
	memset(t->sq, TEST_POISON, sizeof(t->sq));
	memset(t->ops, TEST_POISON, sizeof(t->ops));
}

/* At every place of both rings, also when there is room for a part only. */
QUEUE_CASE(burst_does_what_single_calls_do)
{
	static const uint64_t all_flags[] = {
		0, RTE_UMR_OP_F_FENCE, RTE_UMR_OP_F_INLINE,
		RTE_UMR_OP_F_FENCE | RTE_UMR_OP_F_INLINE, RTE_BIT64(40),
	};
	struct test_queue *ref = test_queue_new();
	const uint32_t first = test_seed(), nb = 2 * test_nb_cases();
	unsigned int seed = first;

	for (uint32_t n = 0; n < nb; n++) {
		uint64_t flags = all_flags[rand_r(&seed) % RTE_DIM(all_flags)];
		uint32_t pi = (uint32_t)rand_r(&seed), op_pi = (uint32_t)rand_r(&seed), i = 0;
		uint32_t nb_free = rand_r(&seed) % (TEST_NB_WQEBB + 1);
		enum kind kind = rand_r(&seed) % NB_KINDS;
		bool is_dci = rand_r(&seed) % 2 != 0;
		int ret, expected = 0;

		ops_fill(first + n);
		queue_move_to(t, pi, op_pi, nb_free, is_dci);
		queue_move_to(ref, pi, op_pi, nb_free, is_dci);
		for (; i < NB_OPS; i++) {
			expected = single_enqueue(kind, &ref->queue, i, i == 0 ? flags :
						  flags & ~RTE_UMR_OP_F_FENCE);
			if (expected < 0)
				break;
		}
		ret = burst_enqueue(kind, &t->queue, NB_OPS, flags);
		assert_int_equal(ret, i == 0 ? expected : (int)i);
		assert_int_equal(t->queue.sq_pi, ref->queue.sq_pi);
		assert_int_equal(t->queue.op_pi, ref->queue.op_pi);
		assert_int_equal(t->queue.fm_next, ref->queue.fm_next);
		assert_memory_equal(t->sq, ref->sq, TEST_NB_WQEBB * PRM_WQE_BB_SIZE);
		assert_memory_equal(t->ops, ref->ops, sizeof(t->ops));
	}
	free(ref);
}

/* All of them good, and the ring empty. */
static void
good_fill(struct test_queue *t)
{
	ops_fill(3);
	for (uint32_t i = 0; i < NB_OPS; i++)
		ops[i].local.length = 16;
	queue_move_to(t, 0, 0, TEST_NB_WQEBB, false);
}

QUEUE_CASE(burst_has_one_doorbell)
{
	good_fill(t);
	assert_int_equal(burst_enqueue(WRITES, &t->queue, NB_OPS, RTE_UMR_OP_F_SUBMIT), NB_OPS);
	assert_int_equal(t->queue.nb_doorbells, 1);
	assert_int_equal(t->queue.op_submitted, NB_OPS);
}

QUEUE_CASE(bad_bursts_are_rejected)
{
	for (enum kind kind = 0; kind < NB_KINDS; kind++) {
		good_fill(t);
		assert_int_equal(burst_enqueue(kind, &t->queue, 0, 0), -EINVAL);
		if (kind == SENDS)
			continue;
		ops[2].reserved = 1;
		assert_int_equal(burst_enqueue(kind, &t->queue, NB_OPS, 0), 2);
		ops[0].reserved = 1;
		assert_int_equal(burst_enqueue(kind, &t->queue, NB_OPS, 0), -EINVAL);
		assert_int_equal(t->queue.op_pi, 2);
	}
}

QUEUE_CASE(receives_are_posted_at_once)
{
	struct mlx5_umr_queue *q = &t->queue;

	for (uint32_t i = 0; i < NB_OPS; i++)
		segs[i] = (struct rte_umr_seg){ 0x1000 + i * 0x100, 64, 0x77 };
	assert_int_equal(mlx5_umr_recv_burst(q, segs, 0, 0), -EINVAL);
	assert_int_equal(mlx5_umr_recv_burst(q, segs, 3, 1), -EINVAL);
	assert_int_equal(t->dbr[PRM_DBR_RQ], 0);
	assert_int_equal(mlx5_umr_recv_burst(q, segs, 3, 0), 3);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), 3);
	segs[0].length = 0;
	assert_int_equal(mlx5_umr_recv_burst(q, segs, 3, 0), -EINVAL);
	assert_int_equal(mlx5_umr_recv_burst(q, &segs[1], 5, 0), TEST_NB_RECV - 3);
	assert_int_equal(mlx5_umr_recv_burst(q, &segs[1], 5, 0), -ENOSPC);
	assert_int_equal(rte_be_to_cpu_32(t->dbr[PRM_DBR_RQ]), TEST_NB_RECV);
	assert_int_equal(q->rq.nb_posted, TEST_NB_RECV);
}

int
main(void)
{
	return test_run();
}
