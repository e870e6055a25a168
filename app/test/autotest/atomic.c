/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Atomics: what they do, where they work, what they are rejected for. */

#include <errno.h>
#include <string.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)

static uint64_t
u64_get(const struct at_side *side, uint32_t offset)
{
	uint64_t value;

	memcpy(&value, side->buf + offset, sizeof(value));
	return value;
}

static void
u64_put(struct at_side *side, uint32_t offset, uint64_t value)
{
	memcpy(side->buf + offset, &value, sizeof(value));
}

static int
fetch_add(struct at_env *env)
{
	const struct rte_umr_seg local = at_seg(env->tx, 40, RTE_UMR_ATOMIC_LEN);
	const uint64_t first = UINT64_MAX - 5, add = UINT64_C(0x0102030405060708);
	struct rte_umr_completion done;

	u64_put(env->rx, TARGET, first);
	TEST_ASSERT_EQUAL(rte_umr_fetch_add(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET),
					    env->rx->mr->rkey, add, RTE_UMR_OP_F_SUBMIT), 0);
	TEST_ASSERT_SUCCESS(at_expect_tx(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_FETCH_ADD);
	TEST_ASSERT_EQUAL(done.length, 0);
	TEST_ASSERT_EQUAL(u64_get(env->tx, 40), first);
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), first + add);
	return TEST_SUCCESS;
}

static int
cmp_swap(struct at_env *env)
{
	const struct rte_umr_seg local = at_seg(env->tx, 8, RTE_UMR_ATOMIC_LEN);
	const uint64_t addr = at_addr(env->rx, TARGET), was = UINT64_C(0xfedcba9876543210);
	const uint32_t rkey = env->rx->mr->rkey;

	u64_put(env->rx, TARGET, was);
	/* Not equal: nothing changes, the old value comes all the same. */
	TEST_ASSERT_EQUAL(rte_umr_cmp_swap(env->tx->dev_id, 0, &local, addr, rkey, was + 1, 7, 0),
			  0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(u64_get(env->tx, 8), was);
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), was);
	u64_put(env->tx, 8, 0);
	TEST_ASSERT_EQUAL(rte_umr_cmp_swap(env->tx->dev_id, 0, &local, addr, rkey, was, 7, 0), 1);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(u64_get(env->tx, 8), was);
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), 7);
	return TEST_SUCCESS;
}

/* The peer's number is the second piece of a list, the result goes into a list, too. */
static int
atomic_on_lists(struct at_env *env)
{
	struct rte_umr_mkey *here = AT_KEY(env->tx), *there = AT_KEY(env->rx);
	const struct rte_umr_seg from[] = {
		at_seg(env->rx, TARGET + 999, 8), at_seg(env->rx, TARGET + 64, 8),
	};
	const struct rte_umr_seg to[] = {
		at_seg(env->tx, 3, 1), at_seg(env->tx, 100, 5), at_seg(env->tx, 201, 2),
	};
	struct rte_umr_completion done;
	uint64_t got = 0;

	TEST_ASSERT(here != NULL && there != NULL);
	u64_put(env->rx, TARGET + 64, 1000);
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, there,
				      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC,
				      from, RTE_DIM(from), RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ACCEPT(at_list(env, here, RTE_UMR_ACCESS_LOCAL_WRITE, to, RTE_DIM(to), 0));
	const struct rte_umr_seg local = at_key_seg(here, 0, RTE_UMR_ATOMIC_LEN);
	TEST_ACCEPT(rte_umr_fetch_add(env->tx->dev_id, 0, &local, 8, there->key, 24, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	memcpy(&got, env->tx->buf + 3, 1);
	memcpy((uint8_t *)&got + 1, env->tx->buf + 100, 5);
	memcpy((uint8_t *)&got + 6, env->tx->buf + 201, 2);
	TEST_ASSERT_EQUAL(got, 1000);
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET + 64), 1024);
	return TEST_SUCCESS;
}

static int
misaligned_atomic(struct at_env *env)
{
	const struct rte_umr_seg local = at_seg(env->tx, 8, RTE_UMR_ATOMIC_LEN);

	TEST_ACCEPT(rte_umr_fetch_add(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET + 4),
				      env->rx->mr->rkey, 1, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_INVALID);
}

AT_CASE(atomic, atomic_without_the_access_fails)
{
	AT_BUILD(env, .topology = AT_SAME_DEVICE, .access = RTE_UMR_ACCESS_LOCAL_WRITE |
		 RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_READ);
	at_fill(env);
	const uint64_t was = u64_get(env->rx, TARGET);
	const struct rte_umr_seg local = at_seg(env->tx, 8, RTE_UMR_ATOMIC_LEN);
	TEST_ACCEPT(rte_umr_cmp_swap(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET),
				     env->rx->mr->rkey, was, ~was, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), was);
	return TEST_SUCCESS;
}

AT_CASE(atomic, bad_atomics_are_rejected)
{
	struct rte_umr_queue_stats stats;
	struct rte_umr_seg local;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev = env->tx->dev_id;
	const uint64_t addr = at_addr(env->rx, TARGET);
	const uint32_t rkey = env->rx->mr->rkey;
	local = at_seg(env->tx, 0, 4);
	TEST_ASSERT_EQUAL(rte_umr_fetch_add(dev, 0, &local, addr, rkey, 1, 0), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_cmp_swap(dev, 0, &local, addr, rkey, 1, 2, 0), -EINVAL);
	local.length = 0;
	TEST_ASSERT_EQUAL(rte_umr_fetch_add(dev, 0, &local, addr, rkey, 1, 0), -EINVAL);
	local.length = 16;
	TEST_ASSERT_EQUAL(rte_umr_cmp_swap(dev, 0, &local, addr, rkey, 1, 2, 0), -EINVAL);
	local.length = RTE_UMR_ATOMIC_LEN;
	TEST_ASSERT_EQUAL(rte_umr_fetch_add(dev, 0, &local, addr, rkey, 1, RTE_UMR_OP_F_INLINE),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_cmp_swap(dev, 0, &local, addr, rkey, 1, 2, RTE_BIT64(63)),
			  -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(dev, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_rejected, 6);
	TEST_ASSERT_EQUAL(rte_umr_fetch_add(dev, 0, &local, addr, rkey, 1, 0), 0);
	return at_finish(env, 1);
}

/* Two queues add to one number at the same time; nothing is lost. */
AT_CASE(atomic, atomics_of_two_queues_add_up)
{
	enum { NB = 60 };
	struct rte_umr_completion done[NB];
	struct rte_umr_seg local;

	AT_BUILD(env, .nb_queues = 2);
	u64_put(env->rx, TARGET, 0);
	for (uint16_t i = 0; i < NB; i++) {
		for (uint16_t q = 0; q < 2; q++) {
			local = at_seg(env->tx, (q * NB + i) * 8, RTE_UMR_ATOMIC_LEN);
			TEST_ASSERT_EQUAL(rte_umr_fetch_add(env->tx->dev_id, q, &local,
							    at_addr(env->rx, TARGET),
							    env->rx->mr->rkey, 1 + q * 1000, 0), i);
		}
	}
	for (uint16_t q = 0; q < 2; q++)
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, q));
	for (uint16_t q = 0; q < 2; q++) {
		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, q, done, NB), NB);
		TEST_ASSERT_EQUAL(done[NB - 1].status, RTE_UMR_STATUS_SUCCESS);
		/* What a queue sees of its own only grows. */
		for (uint16_t i = 1; i < NB; i++)
			TEST_ASSERT(u64_get(env->tx, (q * NB + i) * 8) > u64_get(env->tx,
										 (q * NB +
										  i - 1) * 8));
	}
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), NB * 1 + NB * 1001);
	return TEST_SUCCESS;
}

AT_EVERYWHERE(atomic, fetch_add_returns_what_was_there, fetch_add)
AT_EVERYWHERE(atomic, cmp_swap_swaps_what_is_equal, cmp_swap)
AT_EVERYWHERE(atomic, atomics_work_through_lists, atomic_on_lists)
AT_EVERYWHERE(atomic, misaligned_atomic_fails, misaligned_atomic)
