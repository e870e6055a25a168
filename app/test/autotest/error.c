/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Whatever goes wrong, every accepted operation comes back exactly once. */

#include <sys/mman.h>

#include <rte_cycles.h>

#include "../patience.h"
#include "autotest.h"
#include "env.h"

#define TARGET	 (AT_BUF_LEN / 2)
#define BAD_LKEY 0xdead0042u

/* Enqueue a 16-byte write; through a key that does not exist if it is to fail. */
static int
write_one(struct at_env *env, bool is_bad)
{
	struct rte_umr_seg local = at_seg(env->tx, 0, 16);

	if (is_bad)
		local.lkey = BAD_LKEY;
	return at_write(env, local, TARGET, 0);
}

/* No operation comes back more than once. */
static int
expect_failure_at(struct at_env *env, uint16_t first_idx, uint16_t nb, uint16_t bad,
		  enum rte_umr_status status)
{
	struct rte_umr_completion done;

	TEST_ASSERT_SUCCESS(at_expect_failure(env, first_idx, nb, bad, status));
	for (uint16_t i = 0; i < 1000; i++)
		TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	return TEST_SUCCESS;
}

/* The bad operation stands at each place of a burst; a few more are enqueued, not submitted. */
AT_CASE(error, every_operation_comes_back_once)
{
	const uint16_t nb = 12, nb_late = 3;
	struct rte_umr_queue_stats stats;
	uint16_t bad, i, first_idx = 0;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (bad = 0; bad < nb; bad++) {
		TEST_ASSERT_SUCCESS(rte_umr_queue_stats_reset(env->tx->dev_id, 0));
		for (i = 0; i < nb; i++)
			TEST_ASSERT_EQUAL(write_one(env, i == bad), (uint16_t)(first_idx + i));
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
		for (i = 0; i < nb_late; i++)
			TEST_ASSERT_EQUAL(write_one(env, false), (uint16_t)(first_idx + nb + i));
		TEST_ASSERT_SUCCESS(expect_failure_at(env, first_idx, nb + nb_late, bad,
						      RTE_UMR_STATUS_LOCAL_PROT));
		TEST_ASSERT_EQUAL(write_one(env, false), -EIO);
		TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
		TEST_ASSERT_EQUAL(stats.nb_completed, nb + nb_late);
		TEST_ASSERT_EQUAL(stats.nb_errors, nb + nb_late - bad);
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
		first_idx = (uint16_t)(first_idx + nb + nb_late);
	}
	TEST_ASSERT_EQUAL(write_one(env, false), first_idx);
	return at_finish(env, 1);
}

/* The same with operations of every kind and size behind the bad one, in several submits. */
AT_CASE(error, flushed_operations_keep_their_type)
{
	static const enum rte_umr_op_type types[] = {
		RTE_UMR_OP_WRITE, RTE_UMR_OP_MKEY_LIST, RTE_UMR_OP_MKEY_INTERLEAVED,
		RTE_UMR_OP_MKEY_INVALIDATE, RTE_UMR_OP_READ, RTE_UMR_OP_SEND,
	};
	struct rte_umr_completion done[RTE_DIM(types)];
	struct rte_umr_interleaved entry;
	struct rte_umr_seg segs[7];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 16, 16);
	entry = (struct rte_umr_interleaved){ .addr = segs[0].addr, .bytes_count = 16,
					      .lkey = segs[0].lkey };
	TEST_ASSERT_EQUAL(write_one(env, true), 0);
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(dev, 0, mkey, 0, segs, RTE_DIM(segs), 0), 1);
	TEST_ASSERT_EQUAL(rte_umr_mkey_interleaved(dev, 0, mkey, 0, 3, &entry, 1, 0), 2);
	TEST_ASSERT_EQUAL(rte_umr_mkey_invalidate(dev, 0, mkey, 0), 3);
	TEST_ASSERT_EQUAL(rte_umr_read(dev, 0, &segs[0], at_addr(env->rx, TARGET),
				       env->rx->mr->rkey, 0), 4);
	TEST_ASSERT_EQUAL(rte_umr_send(dev, 0, &segs[0], 0), 5);
	TEST_ASSERT_SUCCESS(rte_umr_submit(dev, 0));
	TEST_ASSERT_EQUAL(at_collect(dev, 0, done, RTE_DIM(types)), RTE_DIM(types));
	for (uint32_t i = 0; i < RTE_DIM(types); i++) {
		TEST_ASSERT_EQUAL(done[i].op, types[i]);
		TEST_ASSERT_EQUAL(done[i].status, i == 0 ? RTE_UMR_STATUS_LOCAL_PROT :
				  RTE_UMR_STATUS_FLUSHED);
	}
	TEST_ASSERT(done[0].syndrome != 0);
	return TEST_SUCCESS;
}

AT_CASE(error, cheap_completion_call_stops_at_the_error)
{
	const uint64_t deadline = patience_end();
	bool has_error = false;
	uint16_t last = 0, nb = 0, i;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (i = 0; i < 6; i++)
		TEST_ASSERT_EQUAL(write_one(env, i == 4), i);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	while (!has_error) {
		TEST_ASSERT(!patience_is_over(deadline));
		nb = (uint16_t)(nb + rte_umr_completed(env->tx->dev_id, 0, 64, &last, &has_error));
	}
	TEST_ASSERT_EQUAL(nb, 4);
	TEST_ASSERT_EQUAL(last, 3);
	/* It stays there. */
	TEST_ASSERT_EQUAL(rte_umr_completed(env->tx->dev_id, 0, 64, &last, &has_error), 0);
	TEST_ASSERT(has_error);
	return expect_failure_at(env, 4, 2, 0, RTE_UMR_STATUS_LOCAL_PROT);
}

AT_CASE(error, recover_waits_for_the_collector)
{
	struct rte_umr_completion done;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EALREADY);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 1), -EINVAL);
	for (uint16_t i = 0; i < 3; i++)
		TEST_ASSERT_EQUAL(write_one(env, i == 0), i);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EBUSY);
	TEST_ASSERT_SUCCESS(expect_failure_at(env, 1, 2, 0, RTE_UMR_STATUS_FLUSHED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EALREADY);
	TEST_ASSERT_EQUAL(write_one(env, false), 3);
	return at_finish(env, 1);
}

AT_CASE(error, receives_are_flushed_too)
{
	struct rte_umr_completion done[4];
	struct rte_umr_seg to;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (uint16_t i = 0; i < RTE_DIM(done); i++) {
		to = at_seg(env->tx, TARGET + i * 64u, 64);
		TEST_ASSERT_EQUAL(rte_umr_recv(env->tx->dev_id, 0, &to, 1, 0), i);
	}
	TEST_ASSERT_EQUAL(write_one(env, true), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 0, done, RTE_DIM(done)), RTE_DIM(done));
	for (uint16_t i = 0; i < RTE_DIM(done); i++) {
		TEST_ASSERT_EQUAL(done[i].idx, i);
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_FLUSHED);
	}
	TEST_ASSERT_EQUAL(rte_umr_recv_completed(env->tx->dev_id, 0, 1, done), 0);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->tx->dev_id, 0, &to, 1, 0), -EIO);
	return TEST_SUCCESS;
}

AT_CASE(error, message_longer_than_the_receive_fails_on_both_sides)
{
	struct rte_umr_completion done;

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	const struct rte_umr_seg to = at_seg(env->rx, TARGET, 64);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, 0, &to, 1, 0), 0);
	TEST_ASSERT_EQUAL(at_send(env, at_seg(env->tx, 0, 65), 0), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_INVALID));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_LENGTH);
	return TEST_SUCCESS;
}

/* Memory that the process has unmapped: an error, not a crash, whoever looks at it. */
AT_CASE(error, unmapped_memory_gives_an_error)
{
	struct rte_umr_completion done = { 0 };
	struct rte_umr_seg local;
	void *page;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT(page != MAP_FAILED);
	struct rte_umr_mr *const mr = AT_OWN_MR(env->tx, page, 4096, RTE_UMR_ACCESS_LOCAL_WRITE, 0);
	munmap(page, 4096);
	local = (struct rte_umr_seg){ .addr = (uintptr_t)page, .length = 64, .lkey = mr->lkey };
	TEST_ACCEPT(at_write(env, local, TARGET, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT(done.status != RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT(done.status != RTE_UMR_STATUS_FLUSHED);
	return TEST_SUCCESS;
}

AT_CASE(error, key_of_a_deregistered_region_is_rejected)
{
	struct rte_umr_seg local;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	struct rte_umr_mr *const mr = TEST_NOT_NULL(at_mr_register(env->tx->dev_id, env->tx->buf,
								   4096, 0, 0));
	local = at_seg(env->tx, 0, 64);
	local.lkey = mr->lkey;
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_EQUAL(at_write(env, local, TARGET, 0), 0);
	return at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT);
}

/* A failed queue does not disturb its neighbor. */
AT_CASE(error, other_queues_go_on)
{
	struct rte_umr_completion done;

	AT_BUILD(env, .nb_queues = 2);
	TEST_ASSERT_EQUAL(write_one(env, true), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	const struct rte_umr_seg local = at_seg(env->tx, 0, 16);
	for (int i = 0; i < 10; i++) {
		TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, 1, &local,
						at_addr(env->tx, TARGET), env->tx->mr->rkey,
						RTE_UMR_OP_F_SUBMIT), i);
		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 1, &done, 1), 1);
		TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	}
	return TEST_SUCCESS;
}

/* Stop and start bring a failed queue back, too. */
AT_CASE(error, restart_ends_the_error_state)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_EQUAL(write_one(env, true), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_EQUAL(write_one(env, false), -EIO);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
	TEST_ASSERT_EQUAL(write_one(env, false), 0);
	return at_finish(env, 1);
}

/* Bring queue 0 and its peer out of whatever state, with nothing left to collect. */
static int
rc_reconnect(struct at_env *env)
{
	struct rte_umr_endpoint tx, rx, old;
	const int16_t dev_id = env->tx->dev_id;

	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 0, &old));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev_id, 0));
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(dev_id, 0), -EALREADY);
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 0, &tx));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(dev_id, 1, &rx));
	TEST_ASSERT(tx.psn != old.psn);
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(dev_id, 0, &rx));
	return rte_umr_queue_connect(dev_id, 1, &tx);
}

/* The peer of a failed queue is well, with a receive posted; both can be connected again. */
AT_CASE(error, healthy_peer_is_reconnected)
{
	struct rte_umr_completion done;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	const struct rte_umr_seg to = at_seg(env->rx, TARGET, 64);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, 1, &to, 1, 0), 0);
	TEST_ASSERT_EQUAL(write_one(env, true), 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->rx->dev_id, 1), -EBUSY);
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, 1, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_FLUSHED);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->rx->dev_id, 1));
	TEST_ASSERT_SUCCESS(rc_reconnect(env));
	TEST_ASSERT_EQUAL(write_one(env, false), 1);
	return at_finish(env, 1);
}

/* What one queue has outstanding survives a new set-up of another one. */
AT_CASE(error, setup_of_a_queue_leaves_the_others)
{
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	struct rte_umr_completion done;

	AT_BUILD(env, .nb_queues = 2);
	TEST_ASSERT_EQUAL(write_one(env, false), 0);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(env->tx->dev_id, 1, &queue_conf));
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 1, 1, &done), 0);
	return at_expect_tx(env, RTE_UMR_STATUS_FLUSHED, &done);
}
