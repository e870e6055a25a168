/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Somebody who has a queue, and tries to get at memory that no key was given to it for: by guessed
 * keys, by keys that are over, beyond the ends of a key, and around a nested one. Each attempt is a
 * write, a read and an atomic; each comes back with an error, and no byte changes, neither of the
 * victim nor where the answer would have gone.
 */

#include <string.h>

#include "autotest.h"
#include "env.h"

#define VICTIM      0x10000u
#define VICTIM_LEN  256u
#define ATTACKER    0u
#define ATTEMPT_LEN 64u
#define ALL         (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |                     \
		     RTE_UMR_ACCESS_REMOTE_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC)

/* Indices beside that of a key which are tried, on either side. */
#define NB_NEIGHBOURS 32u

enum attempt {
	ATTEMPT_WRITE,
	ATTEMPT_READ,
	ATTEMPT_ATOMIC,
	NB_ATTEMPTS,
};

/* A remote place that somebody tries to reach. */
struct target {
	uint64_t addr;
	uint32_t rkey;
};

static int
attempt_post(struct at_env *env, enum attempt attempt, const struct target *to)
{
	struct rte_umr_seg local = at_seg(env->tx, ATTACKER, ATTEMPT_LEN);

	switch (attempt) {
	case ATTEMPT_WRITE:
		return rte_umr_write(env->tx->dev_id, 0, &local, to->addr, to->rkey, 0);
	case ATTEMPT_READ:
		return rte_umr_read(env->tx->dev_id, 0, &local, to->addr, to->rkey, 0);
	default:
		local.length = 8;
		return rte_umr_fetch_add(env->tx->dev_id, 0, &local, to->addr, to->rkey, 1, 0);
	}
}

/* One attempt that must fail: nothing changes, and the queue recovers. */
static int
attempt_fails(struct at_env *env, enum attempt attempt, const struct target *to)
{
	static uint8_t before[AT_BUF_LEN];
	struct rte_umr_completion done;

	memcpy(before, env->tx->buf, AT_BUF_LEN);
	TEST_ACCEPT(attempt_post(env, attempt, to));
	TEST_ACCEPT(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	/* One that is not aligned to 8 bytes is no atomic, whatever it would reach. */
	if (attempt == ATTEMPT_ATOMIC && to->addr % 8 != 0)
		TEST_ASSERT(done.status != RTE_UMR_STATUS_SUCCESS);
	else
		TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_REMOTE_ACCESS);
	TEST_ASSERT_SAME(env->tx->buf, before, AT_BUF_LEN);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	return TEST_SUCCESS;
}

static int
place_is_closed(struct at_env *env, uint64_t addr, uint32_t rkey)
{
	const struct target to = { .addr = addr, .rkey = rkey };

	for (enum attempt attempt = ATTEMPT_WRITE; attempt < NB_ATTEMPTS; attempt++)
		if (attempt_fails(env, attempt, &to) != TEST_SUCCESS)
			TEST_FAIL_AT("attempt %u at 0x%" PRIx64 " under 0x%x",
				     (unsigned int)attempt, addr, rkey);
	return TEST_SUCCESS;
}

/* That the place is open to who has the right key: else what fails would prove nothing. */
static int
place_is_open(struct at_env *env, uint64_t addr, uint32_t rkey)
{
	const struct target to = { .addr = addr, .rkey = rkey };

	TEST_ACCEPT(attempt_post(env, ATTEMPT_WRITE, &to));
	TEST_ACCEPT(attempt_post(env, ATTEMPT_READ, &to));
	TEST_ACCEPT(attempt_post(env, ATTEMPT_ATOMIC, &to));
	return at_finish(env, NB_ATTEMPTS);
}

static int
key_lay(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t access,
	const struct rte_umr_seg *segs, uint16_t nb_segs)
{
	TEST_ACCEPT(at_list(env, mkey, access, segs, nb_segs, 0));
	return at_finish(env, 1);
}

/* A started loopback, and a key over the victim. */
static int
victim_build(struct at_env *env, struct rte_umr_mkey **mkey)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	*mkey = AT_KEY(env->tx);
	const struct rte_umr_seg seg = at_seg(env->tx, VICTIM, VICTIM_LEN);
	TEST_ASSERT_SUCCESS(key_lay(env, *mkey, ALL, &seg, 1));
	return place_is_open(env, 0, (*mkey)->key);
}

AT_CASE(intruder, no_tag_but_the_right_one_opens)
{
	struct rte_umr_mkey *mkey;

	TEST_NEED(victim_build(env, &mkey));
	for (uint32_t i = 1; i <= UINT8_MAX; i++)
		TEST_ASSERT_SUCCESS(place_is_closed(env, 0, mkey->key ^ i));
	return place_is_open(env, 0, mkey->key);
}

/* Others of the pool are not configured, a region does not begin at 0, the rest does not exist. */
AT_CASE(intruder, no_index_beside_the_right_one_opens)
{
	struct rte_umr_mkey *mkey;

	TEST_NEED(victim_build(env, &mkey));
	for (uint32_t i = 1; i <= NB_NEIGHBOURS; i++) {
		TEST_ASSERT_SUCCESS(place_is_closed(env, 0, mkey->key + (i << 8)));
		TEST_ASSERT_SUCCESS(place_is_closed(env, 0, mkey->key - (i << 8)));
	}
	for (uint32_t i = 8; i < 32; i++)
		TEST_ASSERT_SUCCESS(place_is_closed(env, 0, mkey->key ^ RTE_BIT32(i)));
	TEST_ASSERT_SUCCESS(place_is_closed(env, 0, 0));
	TEST_ASSERT_SUCCESS(place_is_closed(env, 0, UINT32_MAX));
	return place_is_open(env, 0, mkey->key);
}

/* What reaches one byte out of a key or a region, or around the end of all addresses. */
AT_CASE(intruder, no_place_outside_opens)
{
	struct rte_umr_mkey *mkey;

	TEST_NEED(victim_build(env, &mkey));
	struct rte_umr_mr *const mr = at_mr_register(env->tx->dev_id, env->tx->buf + VICTIM,
						     VICTIM_LEN, ALL, 0);
	TEST_ASSERT(mr != NULL);
	const uint64_t start = at_addr(env->tx, VICTIM);
	TEST_ASSERT_SUCCESS(place_is_open(env, start, mr->rkey));
	TEST_ASSERT_SUCCESS(place_is_closed(env, VICTIM_LEN, mkey->key));
	TEST_ASSERT_SUCCESS(place_is_closed(env, start - ATTEMPT_LEN, mr->rkey));
	TEST_ASSERT_SUCCESS(place_is_closed(env, start + VICTIM_LEN, mr->rkey));
	TEST_ASSERT_SUCCESS(place_is_closed(env, 0, mr->rkey));
	/* By a byte at either end; and, of atomics, where 8 bytes reach over it. */
	for (uint32_t i = 1; i < 8; i++) {
		TEST_ASSERT_SUCCESS(place_is_closed(env, start - i, mr->rkey));
		TEST_ASSERT_SUCCESS(place_is_closed(env, start + VICTIM_LEN - i, mr->rkey));
		TEST_ASSERT_SUCCESS(place_is_closed(env, VICTIM_LEN - i, mkey->key));
		TEST_ASSERT_SUCCESS(place_is_closed(env, UINT64_C(0) - i, mkey->key));
		TEST_ASSERT_SUCCESS(place_is_closed(env, UINT64_C(0) - i, mr->rkey));
	}
	/* The same place but for a bit of the address. */
	for (uint32_t i = 8; i < 64; i++) {
		TEST_ASSERT_SUCCESS(place_is_closed(env, RTE_BIT64(i), mkey->key));
		TEST_ASSERT_SUCCESS(place_is_closed(env, start ^ RTE_BIT64(i), mr->rkey));
	}
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return TEST_SUCCESS;
}

/* What was open is closed by every way to end it. */
AT_CASE(intruder, no_key_that_is_over_opens)
{
	const struct rte_umr_mkey_pool_conf pool_conf = { .nb_mkeys = 1, .max_entries = 4,
							  .socket_id = -1 };
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *mkey;
	uint32_t old, rkey;

	TEST_NEED(victim_build(env, &mkey));
	const struct rte_umr_seg seg = at_seg(env->tx, VICTIM, VICTIM_LEN);
	/* Taken again and configured: the tag has moved. */
	old = mkey->key;
	env->tx->nb_keys = 0;
	rte_umr_mkey_put(env->tx->pool, mkey);
	do {
		mkey = AT_KEY(env->tx);
	} while (mkey->key >> 8 != old >> 8);
	TEST_ASSERT_SUCCESS(key_lay(env, mkey, ALL, &seg, 1));
	TEST_ASSERT_SUCCESS(place_is_open(env, 0, mkey->key));
	TEST_ASSERT_SUCCESS(place_is_closed(env, 0, old));
	/* Invalidated. */
	TEST_ACCEPT(rte_umr_mkey_invalidate(env->tx->dev_id, 0, mkey, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(place_is_closed(env, 0, mkey->key));
	/* Its pool is gone. */
	pool = TEST_NOT_NULL(rte_umr_mkey_pool_create(env->tx->dev_id, &pool_conf));
	mkey = TEST_NOT_NULL(rte_umr_mkey_get(pool));
	TEST_ASSERT_SUCCESS(key_lay(env, mkey, ALL, &seg, 1));
	rkey = mkey->key;
	TEST_ASSERT_SUCCESS(place_is_open(env, 0, rkey));
	rte_umr_mkey_put(pool, mkey);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_pool_destroy(pool));
	TEST_ASSERT_SUCCESS(place_is_closed(env, 0, rkey));
	/* Its region is deregistered. */
	struct rte_umr_mr *const mr = at_mr_register(env->tx->dev_id, env->tx->buf + VICTIM,
						     VICTIM_LEN, ALL, 0);
	TEST_ASSERT(mr != NULL);
	rkey = mr->rkey;
	TEST_ASSERT_SUCCESS(place_is_open(env, at_addr(env->tx, VICTIM), rkey));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return place_is_closed(env, at_addr(env->tx, VICTIM), rkey);
}
