/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* The queue as a ring: full, wrapped, in bursts, stopped and started, next to another one. */

#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "../patience.h"
#include "autotest.h"
#include "env.h"

#define MAX_OPS 1024u

static const struct rte_umr_op_shape a_write = { .op = RTE_UMR_OP_WRITE };

/* Enqueue 16-byte writes, number n + i, until one is rejected; its errno is returned. */
static int
fill_with_writes(struct at_env *env, uint16_t *nb)
{
	int ret;

	for (*nb = 0; *nb < MAX_OPS; (*nb)++) {
		const struct rte_umr_seg local = at_seg(env->tx, *nb % 64 * 16, 16);

		ret = at_write(env, local, AT_BUF_LEN / 2 + *nb % 64 * 16, 0);
		if (ret < 0)
			return ret;
	}
	return 0;
}

AT_CASE(ring, full_ring_gives_enospc_and_recovers)
{
	static struct rte_umr_completion done[MAX_OPS];
	struct rte_umr_queue_stats stats;
	struct rte_umr_op_size size;
	uint16_t nb, again, i, before;

	AT_BUILD(env, .nb_desc = 128);
	TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, &a_write, &size));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	before = rte_umr_desc_avail(env->tx->dev_id, 0);
	TEST_ASSERT_EQUAL(fill_with_writes(env, &nb), -ENOSPC);
	TEST_ASSERT(nb > 0);
	TEST_ASSERT_EQUAL(nb, before / size.nb_desc);
	TEST_ASSERT(rte_umr_desc_avail(env->tx->dev_id, 0) < size.nb_desc);
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 16);
	TEST_ASSERT_EQUAL(at_list(env, mkey, 0, &seg, 1, 0), -ENOSPC);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	/* Nothing is free before it was collected. */
	TEST_ASSERT(rte_umr_desc_avail(env->tx->dev_id, 0) < size.nb_desc);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, nb), nb);
	for (i = 0; i < nb; i++) {
		TEST_ASSERT_EQUAL(done[i].idx, i);
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
		TEST_ASSERT_EQUAL(done[i].op, RTE_UMR_OP_WRITE);
	}
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(env->tx->dev_id, 0), before);
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_full, 2);
	TEST_ASSERT_EQUAL(stats.nb_submitted, nb);
	TEST_ASSERT_EQUAL(stats.nb_completed, nb);
	TEST_ASSERT_EQUAL(stats.nb_doorbells, 1);
	TEST_ASSERT_EQUAL(fill_with_writes(env, &again), -ENOSPC);
	TEST_ASSERT_EQUAL(again, nb);
	return at_finish(env, nb);
}

/* A key operation that does not fit is rejected although a write still would. */
AT_CASE(ring, room_is_counted_in_descriptors)
{
	struct rte_umr_op_size size;
	struct rte_umr_seg segs[48], local;
	uint16_t nb = 0;
	int ret;

	AT_BUILD(env, .nb_desc = 128);
	TEST_ASSERT_SUCCESS(rte_umr_op_desc(env->tx->dev_id, 0, &a_write, &size));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT(mkey->max_entries >= RTE_DIM(segs));
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 16, 16);
	do {
		ret = at_list(env, mkey, 0, segs, RTE_DIM(segs), 0);
		nb += ret >= 0;
	} while (ret >= 0 && nb < MAX_OPS);
	TEST_ASSERT_EQUAL(ret, -ENOSPC);
	local = segs[0];
	while (rte_umr_desc_avail(env->tx->dev_id, 0) >= size.nb_desc) {
		TEST_ASSERT_EQUAL(at_write(env, local, 4096, 0), nb);
		nb++;
	}
	return at_finish(env, nb);
}

/*
 * Indices wrap at 65536, descriptors many times before: bursts of 1, 2, 3... operations of
 * different sizes start at every place of the ring.
 */
AT_CASE(ring, indices_and_ring_wrap)
{
	struct rte_umr_seg segs[9], local;
	uint16_t idx = 0, burst = 0, last = 0, nb, i;
	uint32_t total = 0, s;
	uint64_t deadline;
	bool has_error;

	AT_BUILD(env, .nb_desc = 128);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (s = 0; s < RTE_DIM(segs); s++)
		segs[s] = at_seg(env->tx, s * 16, 16);
	while (total < 70000) {
		const uint16_t nb_segs = (uint16_t)(1 + total % RTE_DIM(segs));

		burst = (uint16_t)(burst % 40 + 1);
		TEST_ASSERT_EQUAL(rte_umr_next_idx(env->tx->dev_id, 0), idx);
		TEST_ASSERT_EQUAL(at_list(env, mkey, 0, segs, nb_segs, 0), idx++);
		local = at_key_seg(mkey, 0, 16u * nb_segs);
		for (i = 1; i <= burst; i++)
			TEST_ASSERT_EQUAL(at_write(env, local, AT_BUF_LEN / 2, i == burst ?
						   RTE_UMR_OP_F_SUBMIT : 0), idx++);
		deadline = patience_end();
		for (nb = 0; nb < burst + 1;) {
			nb = (uint16_t)(nb + rte_umr_completed(env->tx->dev_id, 0, MAX_OPS, &last,
							       &has_error));
			TEST_ASSERT(!has_error);
			TEST_ASSERT(!patience_is_over(deadline));
			}
		TEST_ASSERT_EQUAL(nb, burst + 1);
		TEST_ASSERT_EQUAL(last, (uint16_t)(idx - 1));
		total += nb;
	}
	return TEST_SUCCESS;
}

AT_CASE(ring, completions_come_in_the_pieces_asked_for)
{
	const uint64_t deadline = patience_end();
	struct rte_umr_completion done[3];
	uint16_t nb = 0, got, last = 0, i;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (i = 0; i < 20; i++) {
		const struct rte_umr_seg local = at_seg(env->tx, i, 1);

		TEST_ASSERT_EQUAL(at_write(env, local, 4096u + i, 0), i);
	}
	/* Not submitted: not done, however long one waits; look a few times. */
	for (i = 0; i < 1000; i++)
		TEST_ASSERT_EQUAL(rte_umr_completed(env->tx->dev_id, 0, 20, NULL, NULL), 0);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	/* A submit with nothing to hand over does nothing. */
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(rte_umr_completed(env->tx->dev_id, 0, 0, NULL, NULL), 0);
	while (nb < 20) {
		TEST_ASSERT(!patience_is_over(deadline));
		/* Both functions, in turns, three at a time. */
		if (nb % 2 == 0) {
			got = rte_umr_completed(env->tx->dev_id, 0, 3, &last, NULL);
			if (got != 0)
				TEST_ASSERT_EQUAL(last, nb + got - 1);
		} else {
			got = rte_umr_completed_status(env->tx->dev_id, 0, 3, done);
			for (i = 0; i < got; i++)
				TEST_ASSERT_EQUAL(done[i].idx, nb + i);
		}
		TEST_ASSERT(got <= 3);
		nb = (uint16_t)(nb + got);
	}
	TEST_ASSERT_EQUAL(rte_umr_completed(env->tx->dev_id, 0, 20, NULL, NULL), 0);
	return TEST_SUCCESS;
}

AT_CASE(ring, full_receive_ring_gives_enospc_and_recovers)
{
	static struct rte_umr_completion done[64];
	const uint32_t rounds = 7;
	struct rte_umr_seg seg, to;
	uint16_t nb, i;
	int ret;

	AT_BUILD(env, .topology = AT_SAME_DEVICE, .nb_recv_desc = 16);
	for (uint32_t r = 0; r < rounds; r++) {
		for (nb = 0; nb < RTE_DIM(done); nb++) {
			to = at_seg(env->rx, AT_BUF_LEN / 2 + nb * 32u, 32);
			ret = rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0);
			if (ret < 0)
				break;
			TEST_ASSERT_EQUAL(ret, (uint16_t)(r * 16 + nb));
		}
		TEST_ASSERT_EQUAL(ret, -ENOSPC);
		TEST_ASSERT_EQUAL(nb, 16);
		for (i = 0; i < nb; i++) {
			seg = at_seg(env->tx, r * 997 + i * 32u, i + 1u);
			TEST_ACCEPT(at_send(env, seg, 0));
		}
		TEST_ASSERT_SUCCESS(at_finish(env, nb));
		TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, done, nb), nb);
		for (i = 0; i < nb; i++) {
			TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
			TEST_ASSERT_EQUAL(done[i].length, i + 1);
			TEST_ASSERT_EQUAL(done[i].idx, (uint16_t)(r * 16 + i));
		}
	}
	return TEST_SUCCESS;
}

AT_CASE(ring, stop_and_start_begin_afresh)
{
	static struct rte_umr_completion done[MAX_OPS];
	struct rte_umr_queue_stats stats;
	struct rte_umr_seg to;
	uint16_t nb, i, r;

	AT_BUILD(env, .nb_desc = 128);
	for (r = 0; r < 5; r++) {
		to = at_seg(env->rx, 0, 32);
		TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, 0, &to, 1, 0), 0);
		TEST_ASSERT_EQUAL(fill_with_writes(env, &nb), -ENOSPC);
		/* In odd rounds the device may have begun; in even ones nothing was handed over. */
		if (r % 2 != 0)
			TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
		TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
		if (r < 3) {
			TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, nb), nb);
			for (i = 0; i < nb; i++) {
				TEST_ASSERT_EQUAL(done[i].idx, i);
				if (r % 2 == 0)
					TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_FLUSHED);
			}
			TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, done), 0);
			TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 0, done, 1), 1);
			TEST_ASSERT_EQUAL(done[0].status, RTE_UMR_STATUS_FLUSHED);
		}
		TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
		TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, done), 0);
		TEST_ASSERT_EQUAL(rte_umr_recv_completed(env->tx->dev_id, 0, 1, done), 0);
		TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
		TEST_ASSERT_EQUAL(stats.nb_submitted, 0);
	}
	TEST_ASSERT_EQUAL(fill_with_writes(env, &nb), -ENOSPC);
	return at_finish(env, nb);
}

/* What each lcore does on its own queue. */
struct worker {
	struct at_side *side;
	uint16_t queue;
	struct rte_umr_mkey *mkey;
	uint32_t nb_rounds;
};

static int
worker_run(void *arg)
{
	const struct worker *w = arg;
	const uint32_t base = w->queue * (AT_BUF_LEN / 4), to = AT_BUF_LEN / 2 + base;
	struct rte_umr_completion done[2];
	struct rte_umr_seg segs[4], local;

	for (uint32_t r = 0; r < w->nb_rounds; r++) {
		for (uint32_t s = 0; s < RTE_DIM(segs); s++) {
			segs[s] = at_seg(w->side, base + s * 512, 100);
			w->side->buf[base + s * 512] = (uint8_t)(r + s + w->queue);
		}
		TEST_ACCEPT(rte_umr_mkey_list(w->side->dev_id, w->queue, w->mkey, 0, segs,
					      RTE_DIM(segs), 0));
		local = at_key_seg(w->mkey, 0, 400);
		TEST_ACCEPT(rte_umr_write(w->side->dev_id, w->queue, &local, at_addr(w->side, to),
					  w->side->mr->rkey, RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT_EQUAL(at_collect(w->side->dev_id, w->queue, done, 2), 2);
		TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_SUCCESS);
		for (uint32_t s = 0; s < RTE_DIM(segs); s++)
			TEST_ASSERT_SAME(w->side->buf + to + s * 100, w->side->buf + base + s * 512,
					 100);
	}
	return TEST_SUCCESS;
}

AT_CASE(ring, two_lcores_use_two_queues)
{
	const unsigned int lcore = rte_get_next_lcore(-1, 1, 0);
	struct worker workers[2];

	if (lcore == RTE_MAX_LCORE)
		TEST_SKIP("needs two lcores");
	AT_BUILD(env, .nb_queues = 2);
	for (unsigned int i = 0; i < RTE_DIM(workers); i++) {
		workers[i] = (struct worker){ .side = env->tx, .queue = (uint16_t)i,
					      .mkey = AT_KEY(env->tx), .nb_rounds = 2000 };
	}
	TEST_ASSERT_SUCCESS(rte_eal_remote_launch(worker_run, &workers[1], lcore));
	const int ret = worker_run(&workers[0]);
	const int ret_other = rte_eal_wait_lcore(lcore);
	TEST_ASSERT_EQUAL(ret, TEST_SUCCESS);
	TEST_ASSERT_EQUAL(ret_other, TEST_SUCCESS);
	return TEST_SUCCESS;
}
