/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A value of a key works from one configuration to the next, and the device can be asked. */

#include <string.h>

#include "autotest.h"
#include "env.h"

#define TARGET	(AT_BUF_LEN / 2)
#define LEN	256u
#define NB_TAGS 256u
#define FULL	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		 RTE_UMR_ACCESS_REMOTE_WRITE)

/* A peer writes through a value of a key; it must arrive at offset of the memory, or fail. */
static int
peer_writes(struct at_env *env, uint32_t rkey, enum rte_umr_status status, uint32_t offset)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);
	uint8_t *place = env->rx->buf + offset;
	uint8_t before[64];

	memset(place, 0x5a, sizeof(before));
	memcpy(before, place, sizeof(before));
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, 0, rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, status));
	if (status == RTE_UMR_STATUS_SUCCESS) {
		TEST_ASSERT_SAME(place, env->tx->buf, 64);
		return TEST_SUCCESS;
	}
	TEST_ASSERT_SAME(place, before, 64);
	return at_env_recover(env);
}

AT_CALL(op_done, at_expect_rx(env, RTE_UMR_STATUS_SUCCESS, NULL))

static int
configure(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t offset)
{
	const struct rte_umr_seg seg = at_seg(env->rx, offset, LEN);

	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey, FULL, &seg, 1,
				      RTE_UMR_OP_F_SUBMIT));
	return op_done(env);
}

static int
invalidate(struct at_env *env, struct rte_umr_mkey *mkey)
{
	TEST_ACCEPT(rte_umr_mkey_invalidate(env->rx->dev_id, env->rx_queue, mkey,
					    RTE_UMR_OP_F_SUBMIT));
	return op_done(env);
}

/* The only key of the pool, put and got again. */
static struct rte_umr_mkey *
again(struct at_env *env, struct rte_umr_mkey *mkey)
{
	rte_umr_mkey_put(env->rx->pool, mkey);
	return rte_umr_mkey_get(env->rx->pool);
}

static int
tag_build(struct at_env *env, struct rte_umr_mkey **mkey)
{
	AT_BUILD(env, .topology = AT_SAME_DEVICE, .nb_mkeys = 1);
	at_fill(env);
	*mkey = AT_KEY(env->rx);
	return TEST_SUCCESS;
}

/* The table at struct rte_umr_mkey, line by line. */
AT_CASE(tag, old_value_works_until_the_next_configuration)
{
	const uint32_t there = TARGET, elsewhere = TARGET + 4096;
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	TEST_ASSERT_SUCCESS(configure(env, mkey, there));
	const uint32_t old = mkey->key;
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_SUCCESS, there));
	rte_umr_mkey_put(env->rx->pool, mkey);
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_SUCCESS, there));
	mkey = TEST_NOT_NULL(rte_umr_mkey_get(env->rx->pool));
	TEST_ASSERT_EQUAL(mkey->key >> 8, old >> 8);
	TEST_ASSERT_EQUAL(mkey->key & 0xff, (old + 1) & 0xff);
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_SUCCESS, there));
	TEST_ASSERT_SUCCESS(peer_writes(env, mkey->key, RTE_UMR_STATUS_REMOTE_ACCESS, there));
	TEST_ASSERT_SUCCESS(configure(env, mkey, elsewhere));
	TEST_ASSERT_SUCCESS(peer_writes(env, mkey->key, RTE_UMR_STATUS_SUCCESS, elsewhere));
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_REMOTE_ACCESS, there));
	return peer_writes(env, old, RTE_UMR_STATUS_REMOTE_ACCESS, elsewhere);
}

AT_CASE(tag, invalidated_value_fails_at_once)
{
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	const uint32_t old = mkey->key;
	TEST_ASSERT_SUCCESS(invalidate(env, mkey));
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_REMOTE_ACCESS, TARGET));
	mkey = TEST_NOT_NULL(again(env, mkey));
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_REMOTE_ACCESS, TARGET));
	TEST_ASSERT_SUCCESS(peer_writes(env, mkey->key, RTE_UMR_STATUS_REMOTE_ACCESS, TARGET));
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	TEST_ASSERT_SUCCESS(peer_writes(env, old, RTE_UMR_STATUS_REMOTE_ACCESS, TARGET));
	return peer_writes(env, mkey->key, RTE_UMR_STATUS_SUCCESS, TARGET);
}

AT_CASE(tag, key_configured_without_put_keeps_its_value)
{
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	const uint32_t key = mkey->key;
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	TEST_ASSERT_SUCCESS(invalidate(env, mkey));
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET + 4096));
	TEST_ASSERT_EQUAL(mkey->key, key);
	return peer_writes(env, key, RTE_UMR_STATUS_SUCCESS, TARGET + 4096);
}

/* What a value reaches goes with its memory, too. */
AT_CASE(tag, old_value_fails_when_its_memory_is_gone)
{
	struct rte_umr_mkey *mkey;
	struct rte_umr_seg seg;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	struct rte_umr_mr *const mr = at_mr_register(env->rx->dev_id, env->rx->buf + TARGET, LEN,
						     FULL, 0);
	TEST_ASSERT(mr != NULL);
	seg = (struct rte_umr_seg){ .addr = mr->iova, .length = LEN, .lkey = mr->lkey };
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey, FULL, &seg, 1,
				      RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_SUCCESS(op_done(env));
	TEST_ASSERT_SUCCESS(peer_writes(env, mkey->key, RTE_UMR_STATUS_SUCCESS, TARGET));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return peer_writes(env, mkey->key, RTE_UMR_STATUS_REMOTE_ACCESS, TARGET);
}

/* 255 configurations reject the first value; the 256th makes it valid again. */
AT_CASE(tag, value_comes_back_after_all_tags)
{
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	const uint32_t first = mkey->key;
	for (uint32_t n = 1; n < NB_TAGS; n++) {
		mkey = TEST_NOT_NULL(again(env, mkey));
		TEST_ASSERT(mkey->key != first);
		TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET + (n % 16) * LEN));
		if (n == 1 || n % 51 == 0) {
			TEST_ASSERT_SUCCESS(peer_writes(env, first, RTE_UMR_STATUS_REMOTE_ACCESS,
							TARGET));
			TEST_ASSERT_SUCCESS(peer_writes(env, mkey->key, RTE_UMR_STATUS_SUCCESS,
							TARGET + (n % 16) * LEN));
		}
	}
	mkey = TEST_NOT_NULL(again(env, mkey));
	TEST_ASSERT_EQUAL(mkey->key, first);
	/* The device still has the tag before it. */
	TEST_ASSERT_SUCCESS(peer_writes(env, first, RTE_UMR_STATUS_REMOTE_ACCESS, TARGET));
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET + 32 * LEN));
	return peer_writes(env, first, RTE_UMR_STATUS_SUCCESS, TARGET + 32 * LEN);
}

/* Got 256 times without a configuration, the value is that of the old layout. */
AT_CASE(tag, value_of_an_unconfigured_key_may_be_old)
{
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	const uint32_t first = mkey->key;
	for (uint32_t n = 1; n <= NB_TAGS; n++) {
		mkey = TEST_NOT_NULL(again(env, mkey));
		TEST_ASSERT_EQUAL(mkey->key == first, n == NB_TAGS);
	}
	return peer_writes(env, mkey->key, RTE_UMR_STATUS_SUCCESS, TARGET);
}

/* Every step of a key's life, as the device tells it. */
AT_CASE(tag, device_tells_the_state_of_a_key)
{
	struct rte_umr_mkey_attr attr;
	struct rte_umr_dev_info info;
	struct rte_umr_mkey *mkey;

	TEST_ASSERT_SUCCESS(tag_build(env, &mkey));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->rx->dev_id, &info));
	if ((info.dev_capa & RTE_UMR_CAPA_MKEY_QUERY) == 0) {
		TEST_ASSERT_EQUAL(rte_umr_mkey_query(mkey, &attr), -ENOTSUP);
		return TEST_SUCCESS;
	}
	TEST_ASSERT_EQUAL(rte_umr_mkey_query(NULL, &attr), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mkey_query(mkey, NULL), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT(attr.is_free);
	TEST_ASSERT(attr.nb_entries >= mkey->max_entries);
	TEST_ASSERT(!attr.has_signature && !attr.has_crypto && !attr.is_fixed_size);
	const uint32_t pd = attr.pd;
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT(!attr.is_free);
	TEST_ASSERT_EQUAL(attr.key, mkey->key);
	TEST_ASSERT_EQUAL(attr.access, FULL);
	TEST_ASSERT_EQUAL(attr.addr, 0);
	TEST_ASSERT_EQUAL(attr.len, LEN);
	TEST_ASSERT_EQUAL(attr.pd, pd);
	/* A value that is not configured yet is not the device's. */
	const uint32_t old = mkey->key;
	mkey = TEST_NOT_NULL(again(env, mkey));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.key, old);
	TEST_ASSERT_SUCCESS(configure(env, mkey, TARGET));
	TEST_ASSERT_SUCCESS(invalidate(env, mkey));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT(attr.is_free);
	TEST_ASSERT_EQUAL(attr.key >> 8, mkey->key >> 8);
	return TEST_SUCCESS;
}
