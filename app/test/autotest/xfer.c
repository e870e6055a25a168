/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Atomics, sends that invalidate a key, bytes that go in the WQE. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)
#define MAX_INLINE_TEST 1024u

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
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
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
	struct rte_umr_mkey *here = at_key(env->tx), *there = at_key(env->rx);
	const struct rte_umr_seg from[] = {
		at_seg(env->rx, TARGET + 999, 8), at_seg(env->rx, TARGET + 64, 8),
	};
	const struct rte_umr_seg to[] = {
		at_seg(env->tx, 3, 1), at_seg(env->tx, 100, 5), at_seg(env->tx, 201, 2),
	};
	struct rte_umr_completion done;
	struct rte_umr_seg local;
	uint64_t got = 0;

	TEST_ASSERT(here != NULL && there != NULL);
	u64_put(env->rx, TARGET + 64, 1000);
	TEST_ASSERT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, there,
				      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_ATOMIC,
				      from, RTE_DIM(from), RTE_UMR_OP_F_SUBMIT) >= 0);
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT(rte_umr_mkey_list(env->tx->dev_id, 0, here, RTE_UMR_ACCESS_LOCAL_WRITE, to,
				      RTE_DIM(to), 0) >= 0);
	local = at_key_seg(here, 0, RTE_UMR_ATOMIC_LEN);
	TEST_ASSERT(rte_umr_fetch_add(env->tx->dev_id, 0, &local, 8, there->key, 24, 0) >= 0);
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

	TEST_ASSERT(rte_umr_fetch_add(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET + 4),
				      env->rx->mr->rkey, 1, 0) >= 0);
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_INVALID);
}

static int
atomic_without_the_right_fails(struct at_env *env)
{
	const struct at_conf conf = {
		.topology = AT_SAME_DEVICE,
		.access = RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE |
			  RTE_UMR_ACCESS_REMOTE_READ,
	};
	struct rte_umr_seg local;
	uint64_t was;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	at_fill(env);
	was = u64_get(env->rx, TARGET);
	local = at_seg(env->tx, 8, RTE_UMR_ATOMIC_LEN);
	TEST_ASSERT(rte_umr_cmp_swap(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET),
				     env->rx->mr->rkey, was, ~was, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), was);
	return TEST_SUCCESS;
}

static int
bad_atomics_are_refused(struct at_env *env)
{
	const struct at_conf conf = { 0 };
	struct rte_umr_queue_stats stats;
	struct rte_umr_seg local;
	uint64_t addr;
	uint32_t rkey;
	int16_t dev;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	dev = env->tx->dev_id;
	addr = at_addr(env->rx, TARGET);
	rkey = env->rx->mr->rkey;
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
static int
atomics_of_two_queues_add_up(struct at_env *env)
{
	const struct at_conf conf = { .nb_queues = 2 };
	enum { NB = 60 };
	struct rte_umr_completion done[NB];
	struct rte_umr_seg local;
	uint16_t i, q;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	u64_put(env->rx, TARGET, 0);
	for (i = 0; i < NB; i++) {
		for (q = 0; q < 2; q++) {
			local = at_seg(env->tx, (q * NB + i) * 8, RTE_UMR_ATOMIC_LEN);
			TEST_ASSERT_EQUAL(rte_umr_fetch_add(env->tx->dev_id, q, &local,
							    at_addr(env->rx, TARGET),
							    env->rx->mr->rkey, 1 + q * 1000, 0), i);
		}
	}
	for (q = 0; q < 2; q++)
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, q));
	for (q = 0; q < 2; q++) {
		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, q, done, NB), NB);
		TEST_ASSERT_EQUAL(done[NB - 1].status, RTE_UMR_STATUS_SUCCESS);
		/* What a queue sees of its own only grows. */
		for (i = 1; i < NB; i++)
			TEST_ASSERT(u64_get(env->tx, (q * NB + i) * 8) >
				    u64_get(env->tx, (q * NB + i - 1) * 8));
	}
	TEST_ASSERT_EQUAL(u64_get(env->rx, TARGET), NB * 1 + NB * 1001);
	return TEST_SUCCESS;
}

/* A key of the receiving side that a send may invalidate, with one piece; NULL if that fails. */
static struct rte_umr_mkey *
remote_key_make(struct at_env *env, struct rte_umr_mkey_pool *pool)
{
	const struct rte_umr_seg seg = at_seg(env->rx, TARGET, 64);
	struct rte_umr_mkey *mkey = rte_umr_mkey_get(pool);
	struct rte_umr_completion done = { 0 };

	if (mkey == NULL)
		return NULL;
	if (rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
			      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE, &seg, 1,
			      RTE_UMR_OP_F_SUBMIT) < 0 ||
	    at_collect(env->rx->dev_id, env->rx_queue, &done, 1) != 1 ||
	    done.status != RTE_UMR_STATUS_SUCCESS) {
		rte_umr_mkey_put(pool, mkey);
		return NULL;
	}
	return mkey;
}

static int
remote_key_is_invalidated(struct at_env *env, struct rte_umr_mkey_pool *pool,
			  struct rte_umr_mkey *mkey)
{
	const struct rte_umr_seg piece = at_seg(env->rx, TARGET, 64);
	const struct rte_umr_seg to = at_seg(env->rx, TARGET + 4096, 512);
	const struct rte_umr_seg data = at_seg(env->tx, 1000, 300), small = at_seg(env->tx, 0, 64);
	const uint32_t old_key = mkey->key;
	struct rte_umr_completion done;

	TEST_ASSERT((mkey->flags & RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE) != 0);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0), 0);
	/* It works up to the send. */
	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &small, 0, mkey->key, 0) >= 0);
	TEST_ASSERT(rte_umr_send_inv(env->tx->dev_id, 0, &data, mkey->key, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_RECV);
	TEST_ASSERT_EQUAL(done.length, 300);
	TEST_ASSERT_EQUAL(done.flags, RTE_UMR_COMPLETION_F_INVALIDATED);
	TEST_ASSERT_EQUAL(done.invalidated, old_key);
	TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET, env->tx->buf, 64), -1);
	TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET + 4096, env->tx->buf + 1000,
					      300), -1);
	/* It can be configured again, and then it works. */
	rte_umr_mkey_put(pool, mkey);
	TEST_ASSERT(rte_umr_mkey_get(pool) == mkey);
	TEST_ASSERT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
				      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE,
				      &piece, 1, RTE_UMR_OP_F_SUBMIT) >= 0);
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &small, 0, mkey->key, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	/* Its old value does not. */
	TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &small, 0, old_key, 0) >= 0);
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* Run with a key of a pool of the receiving side. */
static int
with_remote_key(struct at_env *env, uint32_t flags,
		int (*run)(struct at_env *env, struct rte_umr_mkey_pool *pool,
			   struct rte_umr_mkey *mkey))
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = 1, .max_entries = 4, .socket_id = -1, .flags = flags,
	};
	struct rte_umr_mkey_pool *pool = rte_umr_mkey_pool_create(env->rx->dev_id, &conf);
	struct rte_umr_mkey *mkey;
	int ret = TEST_FAILED;

	TEST_ASSERT(pool != NULL);
	mkey = remote_key_make(env, pool);
	if (mkey != NULL) {
		ret = run(env, pool, mkey);
		rte_umr_mkey_put(pool, mkey);
	}
	if (rte_umr_mkey_pool_destroy(pool) != 0)
		ret = TEST_FAILED;
	return ret;
}

static int
send_inv(struct at_env *env)
{
	return with_remote_key(env, RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE,
			       remote_key_is_invalidated);
}

/* The key of a pool without the flag: the message must not arrive, the key must stay. */
static int
remote_key_stays(struct at_env *env, struct rte_umr_mkey_pool *pool, struct rte_umr_mkey *mkey)
{
	const struct rte_umr_seg to = at_seg(env->rx, TARGET + 4096, 512);
	const struct rte_umr_seg data = at_seg(env->tx, 1000, 300);
	struct rte_umr_completion done;

	RTE_SET_USED(pool);
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0), 0);
	TEST_ASSERT(rte_umr_send_inv(env->tx->dev_id, 0, &data, mkey->key,
				     RTE_UMR_OP_F_SUBMIT) >= 0);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT(done.status == RTE_UMR_STATUS_REMOTE_INVALID ||
		    done.status == RTE_UMR_STATUS_REMOTE_ACCESS);
	TEST_ASSERT_EQUAL(done.length, 0);
	return TEST_SUCCESS;
}

static int
send_inv_of_other_keys(struct at_env *env)
{
	return with_remote_key(env, 0, remote_key_stays);
}

static uint16_t
max_inline(const struct at_env *env)
{
	struct rte_umr_dev_info info;

	return rte_umr_dev_info_get(env->tx->dev_id, &info) == 0 ? info.max_inline : 0;
}

static uint32_t
next_length(uint32_t len, uint32_t max)
{
	return len < 80 ? len + 1 : len < max ? RTE_MIN(len + 97, max) : max + 1;
}

/* Every length around the sizes of a WQE; the source changes before the device sees anything. */
static int
inline_write(struct at_env *env)
{
	const uint32_t max = max_inline(env);
	uint8_t expected[MAX_INLINE_TEST];
	uint32_t len;

	TEST_ASSERT(max >= 64 && max <= sizeof(expected));
	for (len = 0; len <= max; len = next_length(len, max)) {
		const struct rte_umr_seg local = {
			.addr = at_addr(env->tx, 7), .length = len, .lkey = 0xbad,
		};

		at_fill(env);
		memcpy(expected, env->tx->buf + 7, max);
		TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET + 1),
					  env->rx->mr->rkey, RTE_UMR_OP_F_INLINE) >= 0);
		memset(env->tx->buf + 7, 0xee, max);
		memcpy(expected + len, env->rx->buf + TARGET + 1 + len, sizeof(expected) - len);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET + 1, expected,
						      sizeof(expected)), -1);
	}
	return TEST_SUCCESS;
}

static int
inline_send(struct at_env *env)
{
	const uint32_t max = max_inline(env);
	uint8_t expected[MAX_INLINE_TEST];
	struct rte_umr_completion done;
	uint32_t len;

	TEST_ASSERT(max >= 64 && max <= sizeof(expected));
	for (len = 0; len <= max; len = next_length(len, max)) {
		const struct rte_umr_seg to = at_seg(env->rx, TARGET, sizeof(expected));
		const struct rte_umr_seg local = {
			.addr = at_addr(env->tx, 7), .length = len, .lkey = 0xbad,
		};
		const rte_be32_t imm = rte_cpu_to_be_32(len * 77);

		at_fill(env);
		memcpy(expected, env->tx->buf + 7, max);
		memcpy(expected + len, env->rx->buf + TARGET + len, sizeof(expected) - len);
		TEST_ASSERT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0) >= 0);
		TEST_ASSERT(rte_umr_send_imm(env->tx->dev_id, 0, &local, imm,
					     RTE_UMR_OP_F_INLINE) >= 0);
		memset(env->tx->buf + 7, 0xee, max);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, &done, 1), 1);
		TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
		TEST_ASSERT_EQUAL(done.length, len);
		TEST_ASSERT_EQUAL(done.imm, imm);
		TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET, expected,
						      sizeof(expected)), -1);
	}
	return TEST_SUCCESS;
}

static int
inline_limits(struct at_env *env)
{
	const struct rte_umr_queue_conf queue_conf = {
		.nb_desc = 64, .socket_id = -1, .max_inline = 100,
	};
	const struct at_conf conf = { 0 };
	struct rte_umr_queue_conf bad_conf = queue_conf;
	struct rte_umr_seg local;
	int16_t dev;
	uint64_t addr;
	uint32_t rkey, max;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	dev = env->tx->dev_id;
	max = max_inline(env);
	addr = at_addr(env->rx, TARGET);
	rkey = env->rx->mr->rkey;
	local = at_seg(env->tx, 0, max + 1);
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_write_imm(dev, 0, &local, addr, rkey, 0, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send(dev, 0, &local, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send_imm(dev, 0, &local, 0, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send_inv(dev, 0, &local, 5, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	local.length = 8;
	TEST_ASSERT_EQUAL(rte_umr_read(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey,
					RTE_UMR_OP_F_INLINE | RTE_BIT64(40)), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
	bad_conf.max_inline = (uint16_t)(max + 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev, 0, &bad_conf), -ERANGE);
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev));
	local.length = 101;
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	local.length = 100;
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE), 0);
	return at_finish(env, 1);
}

/* The longest inline WQEs, over the end of the smallest ring, again and again. */
static int
inline_wqes_go_round_the_ring(struct at_env *env)
{
	const struct at_conf conf = { .nb_desc = 32 };
	uint32_t i, max;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	at_fill(env);
	max = max_inline(env);
	for (i = 0; i < 200; i++) {
		const struct rte_umr_seg local = at_seg(env->tx, i * 3, max - i % 300);

		TEST_ASSERT_EQUAL(rte_umr_write(env->tx->dev_id, 0, &local,
						at_addr(env->rx, TARGET + i),
						env->rx->mr->rkey, RTE_UMR_OP_F_INLINE), i);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET + i,
						      env->tx->buf + i * 3, local.length), -1);
	}
	return TEST_SUCCESS;
}

/* nb_bf of such a queue after a write, two under one doorbell, an inline one, a long list. */
static int
bf_count(struct at_env *env, uint16_t flags, uint64_t *nb_bf)
{
	const struct at_conf conf = { .queue_flags = flags };
	struct rte_umr_queue_stats stats;
	struct rte_umr_seg local, segs[20];
	struct rte_umr_mkey *mkey;
	uint32_t i;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	at_fill(env);
	local = at_seg(env->tx, 3, 60);
	for (i = 0; i < 4; i++) {
		TEST_ASSERT(rte_umr_write(env->tx->dev_id, 0, &local,
					  at_addr(env->rx, TARGET + i * 100), env->rx->mr->rkey,
					  i == 3 ? RTE_UMR_OP_F_INLINE : 0) >= 0);
		if (i != 1)
			TEST_ASSERT_SUCCESS(at_finish(env, i == 2 ? 2 : 1));
		TEST_ASSERT(i == 1 || at_first_difference(env->rx->buf + TARGET + i * 100,
							  env->tx->buf + 3, 60) < 0);
	}
	mkey = at_key(env->tx);
	TEST_ASSERT(mkey != NULL);
	for (i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 16, 16);
	TEST_ASSERT(rte_umr_mkey_list(env->tx->dev_id, 0, mkey, 0, segs, RTE_DIM(segs), 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_doorbells, 4);
	*nb_bf = stats.nb_bf;
	return at_env_fini(env);
}

static int
queues_write_to_the_device_as_they_were_told(struct at_env *env)
{
	static const struct {
		uint16_t flags;
		uint64_t nb_bf;
	} bf_cases[] = {
		{ 0, 0 }, { RTE_UMR_QUEUE_F_NO_BF, 0 }, { RTE_UMR_QUEUE_F_BF_INLINE, 1 },
		{ RTE_UMR_QUEUE_F_BF, 2 },
	};
	const struct rte_umr_queue_conf bad = {
		.nb_desc = 64, .socket_id = -1,
		.flags = RTE_UMR_QUEUE_F_BF | RTE_UMR_QUEUE_F_NO_BF,
	};
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	struct rte_umr_dev_info info;
	uint64_t nb_bf = 0;
	size_t i;

	for (i = 0; i < RTE_DIM(bf_cases); i++) {
		TEST_ASSERT_SUCCESS(bf_count(env, bf_cases[i].flags, &nb_bf));
		TEST_ASSERT_EQUAL(nb_bf, bf_cases[i].nb_bf);
	}
	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->sides[0].dev_id, &info));
	TEST_ASSERT((info.dev_capa & RTE_UMR_CAPA_BF) != 0);
	TEST_ASSERT_EQUAL(info.max_bf_desc, 4);
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(env->sides[0].dev_id, &dev_conf));
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(env->sides[0].dev_id, 0, &bad), -EINVAL);
	return TEST_SUCCESS;
}

/* A write alone, on a queue without flags of a device that was opened so. */
static int
bf_count_of_device(const char *options, uint64_t *nb_bf)
{
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	char names[1][RTE_UMR_DEV_NAME_LEN], devargs[RTE_UMR_DEV_NAME_LEN + 32];
	const struct rte_umr_seg none = { 0 };
	struct rte_umr_completion done;
	struct rte_umr_queue_stats stats;
	int16_t dev_id;

	TEST_ASSERT(rte_umr_dev_scan(names, 1) >= 1);
	snprintf(devargs, sizeof(devargs), "%s%s", names[0], options);
	TEST_ASSERT_SUCCESS(rte_umr_dev_probe(devargs, &dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, 0, &none, 0, 0, RTE_UMR_OP_F_SUBMIT), 0);
	TEST_ASSERT_EQUAL(at_collect(dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(dev_id, 0, &stats));
	*nb_bf = stats.nb_bf;
	return rte_umr_dev_close(dev_id);
}

static int
options_and_environment_choose_bluefield(struct at_env *env)
{
	static const struct {
		const char *prefer;	/* MLX5_POST_SEND_PREFER_BF */
		const char *shut_up;	/* MLX5_SHUT_UP_BF */
		const char *options;
		uint64_t nb_bf;
	} bf_cases[] = {
		{ NULL, NULL, "", 0 },		{ NULL, NULL, ",bf=single", 1 },
		{ NULL, NULL, ",uar=bf", 1 },	{ "0", NULL, ",uar=bf", 0 },
		{ "1", NULL, ",uar=bf", 1 },	{ "1", "1", ",uar=bf", 0 },
		{ "1", "0", ",uar=bf", 1 },	{ "0", NULL, ",uar=bf,bf=single", 1 },
		{ NULL, NULL, ",uar=bf,bf=off", 0 }, { "1", NULL, "", 0 },
		{ NULL, NULL, ",bf=inline", 0 },
	};
	char names[1][RTE_UMR_DEV_NAME_LEN], devargs[RTE_UMR_DEV_NAME_LEN + 32];
	uint64_t nb_bf = 77;
	size_t i;
	int ret;

	RTE_SET_USED(env);
	TEST_ASSERT(rte_umr_dev_scan(names, 1) >= 1);
	snprintf(devargs, sizeof(devargs), "%s,bf=often", names[0]);
	TEST_ASSERT_EQUAL(rte_umr_dev_probe(devargs, NULL), -EINVAL);
	for (i = 0; i < RTE_DIM(bf_cases); i++) {
		if (bf_cases[i].prefer != NULL)
			setenv("MLX5_POST_SEND_PREFER_BF", bf_cases[i].prefer, 1);
		if (bf_cases[i].shut_up != NULL)
			setenv("MLX5_SHUT_UP_BF", bf_cases[i].shut_up, 1);
		ret = bf_count_of_device(bf_cases[i].options, &nb_bf);
		unsetenv("MLX5_POST_SEND_PREFER_BF");
		unsetenv("MLX5_SHUT_UP_BF");
		TEST_ASSERT_SUCCESS(ret);
		if (nb_bf != bf_cases[i].nb_bf)
			TEST_FAIL_AT("case %zu: %" PRIu64 " WQEs were written, not %" PRIu64, i,
				     nb_bf, bf_cases[i].nb_bf);
	}
	return TEST_SUCCESS;
}

#define EVERYWHERE(name, function)                                                                 \
	static int name(struct at_env *env)                                                        \
	{                                                                                          \
		return at_everywhere(env, 0, function);                                            \
	}

EVERYWHERE(fetch_add_returns_what_was_there, fetch_add)
EVERYWHERE(cmp_swap_swaps_what_is_equal, cmp_swap)
EVERYWHERE(atomics_work_through_lists, atomic_on_lists)
EVERYWHERE(misaligned_atomic_fails, misaligned_atomic)
EVERYWHERE(send_inv_invalidates_and_tells_the_key, send_inv)
EVERYWHERE(send_inv_of_a_key_that_forbids_it_fails, send_inv_of_other_keys)
EVERYWHERE(inline_write_takes_the_bytes_at_once, inline_write)
EVERYWHERE(inline_send_takes_the_bytes_at_once, inline_send)

#define NB_BURST 8u

/* Each of them its own piece of the peer. */
static int
burst_check(struct at_env *env, int ret, enum rte_umr_op_type type)
{
	struct rte_umr_completion done[NB_BURST];

	TEST_ASSERT_EQUAL(ret, (int)NB_BURST);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, NB_BURST), NB_BURST);
	for (uint32_t i = 0; i < NB_BURST; i++) {
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
		TEST_ASSERT_EQUAL(done[i].op, type);
		TEST_ASSERT_EQUAL(done[i].length, 200);
	}
	return TEST_SUCCESS;
}

static int
burst_of_messages(struct at_env *env)
{
	struct rte_umr_completion done[NB_BURST];
	struct rte_umr_seg to[NB_BURST], from[NB_BURST];

	for (uint32_t i = 0; i < NB_BURST; i++) {
		from[i] = at_seg(env->tx, 77 + i * 256, 200);
		to[i] = at_seg(env->rx, TARGET + i * 256, 256);
	}
	TEST_ASSERT_EQUAL(rte_umr_recv_burst(env->rx->dev_id, env->rx_queue, to, NB_BURST, 0),
			  (int)NB_BURST);
	TEST_ASSERT_SUCCESS(burst_check(env, rte_umr_send_burst(env->tx->dev_id, 0, from, NB_BURST,
								RTE_UMR_OP_F_SUBMIT),
					RTE_UMR_OP_SEND));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, done, NB_BURST),
			  NB_BURST);
	for (uint32_t i = 0; i < NB_BURST; i++) {
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
		TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET + i * 256,
						      env->tx->buf + 77 + i * 256, 200), -1);
	}
	return TEST_SUCCESS;
}

static int
bursts_move_all_of_it(struct at_env *env)
{
	const struct at_conf conf = { .topology = AT_TWO_DEVICES };
	struct rte_umr_rdma_op ops[NB_BURST];
	int16_t dev;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	at_fill(env);
	dev = env->tx->dev_id;
	for (uint32_t i = 0; i < NB_BURST; i++)
		ops[i] = (struct rte_umr_rdma_op){
			.local = at_seg(env->tx, i * 256, 200),
			.remote_addr = at_addr(env->rx, TARGET + i * 256),
			.rkey = env->rx->mr->rkey,
		};
	TEST_ASSERT_SUCCESS(burst_check(env, rte_umr_write_burst(dev, 0, ops, NB_BURST,
								 RTE_UMR_OP_F_SUBMIT),
					RTE_UMR_OP_WRITE));
	for (uint32_t i = 0; i < NB_BURST; i++) {
		TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET + i * 256,
						      env->tx->buf + i * 256, 200), -1);
		ops[i].local = at_seg(env->tx, TARGET + i * 512, 200);
		ops[i].remote_addr += 40;
	}
	TEST_ASSERT_SUCCESS(burst_check(env, rte_umr_read_burst(dev, 0, ops, NB_BURST,
								RTE_UMR_OP_F_SUBMIT),
					RTE_UMR_OP_READ));
	for (uint32_t i = 0; i < NB_BURST; i++)
		TEST_ASSERT_EQUAL(at_first_difference(env->tx->buf + TARGET + i * 512,
						      env->rx->buf + TARGET + i * 256 + 40, 200),
				  -1);
	TEST_ASSERT_EQUAL(rte_umr_write_burst(dev, 0, ops, 0, 0), -EINVAL);
	return burst_of_messages(env);
}

static const struct autotest_case cases[] = {
	AUTOTEST_CASE(bursts_move_all_of_it),
	AUTOTEST_CASE(fetch_add_returns_what_was_there),
	AUTOTEST_CASE(cmp_swap_swaps_what_is_equal),
	AUTOTEST_CASE(atomics_work_through_lists),
	AUTOTEST_CASE(misaligned_atomic_fails),
	AUTOTEST_CASE(atomic_without_the_right_fails),
	AUTOTEST_CASE(bad_atomics_are_refused),
	AUTOTEST_CASE(atomics_of_two_queues_add_up),
	AUTOTEST_CASE(send_inv_invalidates_and_tells_the_key),
	AUTOTEST_CASE(send_inv_of_a_key_that_forbids_it_fails),
	AUTOTEST_CASE(inline_write_takes_the_bytes_at_once),
	AUTOTEST_CASE(inline_send_takes_the_bytes_at_once),
	AUTOTEST_CASE(inline_limits),
	AUTOTEST_CASE(inline_wqes_go_round_the_ring),
	AUTOTEST_CASE(queues_write_to_the_device_as_they_were_told),
	AUTOTEST_CASE(options_and_environment_choose_bluefield),
};

AUTOTEST_SUITE(xfer, cases);
