/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* A memory key lets through what it was configured for, and nothing else. */

#include <stdlib.h>
#include <string.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)
#define ALL    (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ | \
		RTE_UMR_ACCESS_REMOTE_WRITE)

/* Lay [offset, offset + len) of rx's memory under a key of rx, and wait until it is done. */
static int
key_configure(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t access, uint32_t offset,
	      uint32_t len)
{
	const struct rte_umr_seg seg = at_seg(env->rx, offset, len);

	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey, access, &seg, 1,
				      RTE_UMR_OP_F_SUBMIT));
	return at_expect_rx(env, RTE_UMR_STATUS_SUCCESS, NULL);
}

/* Write 64 bytes through a remote key and expect this status; rejected ones change no byte. */
static int
write_through(struct at_env *env, uint32_t rkey, uint64_t offset, enum rte_umr_status status)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);
	uint8_t before[256];

	at_fill(env);
	memcpy(before, env->rx->buf + TARGET, sizeof(before));
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, offset, rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, status));
	if (status != RTE_UMR_STATUS_SUCCESS)
		TEST_ASSERT_SAME(env->rx->buf + TARGET, before, sizeof(before));
	return TEST_SUCCESS;
}

AT_CASE(key, tag_of_a_reused_key_advances)
{
	struct rte_umr_mkey *mkey;

	AT_BUILD(env, .topology = AT_SAME_DEVICE, .nb_mkeys = 1);
	mkey = AT_KEY(env->rx);
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, ALL, TARGET, 256));
	TEST_ASSERT_SUCCESS(write_through(env, mkey->key, 0, RTE_UMR_STATUS_SUCCESS));
	const uint32_t old_key = mkey->key;
	rte_umr_mkey_put(env->rx->pool, mkey);
	mkey = TEST_NOT_NULL(rte_umr_mkey_get(env->rx->pool));
	TEST_ASSERT_EQUAL(mkey->key >> 8, old_key >> 8);
	TEST_ASSERT(mkey->key != old_key);
	/* The old value works until the key is configured again. */
	TEST_ASSERT_SUCCESS(write_through(env, old_key, 0, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, ALL, TARGET, 256));
	TEST_ASSERT_SUCCESS(write_through(env, mkey->key, 0, RTE_UMR_STATUS_SUCCESS));
	return write_through(env, old_key, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(key, key_is_unusable_before_it_is_configured)
{
	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	return write_through(env, mkey->key, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(key, invalidated_key_is_rejected)
{
	struct rte_umr_completion done;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, ALL, TARGET, 256));
	TEST_ASSERT_SUCCESS(write_through(env, mkey->key, 0, RTE_UMR_STATUS_SUCCESS));
	TEST_ACCEPT(rte_umr_mkey_invalidate(env->rx->dev_id, env->rx_queue, mkey,
					    RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_SUCCESS(at_expect_rx(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_MKEY_INVALIDATE);
	return write_through(env, mkey->key, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(key, invalidated_key_can_be_configured_again)
{
	struct rte_umr_seg seg;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	/* All on one queue, without waiting: order is the device's duty. */
	for (unsigned int i = 0; i < 10; i++) {
		seg = at_seg(env->tx, i * 100, 100);
		TEST_ACCEPT(at_list(env, mkey, ALL, &seg, 1, 0));
		seg = at_key_seg(mkey, 0, 100);
		TEST_ACCEPT(at_write(env, seg, TARGET + i * 100, 0));
		TEST_ACCEPT(rte_umr_mkey_invalidate(env->tx->dev_id, 0, mkey, 0));
	}
	TEST_ASSERT_SUCCESS(at_finish(env, 30));
	TEST_ASSERT_SAME(env->tx->buf, env->rx->buf + TARGET, 1000);
	return TEST_SUCCESS;
}

AT_CASE(key, write_needs_the_remote_write_right)
{
	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, RTE_UMR_ACCESS_REMOTE_READ, TARGET, 256));
	return write_through(env, mkey->key, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(key, read_needs_the_remote_read_right)
{
	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, RTE_UMR_ACCESS_LOCAL_WRITE |
					  RTE_UMR_ACCESS_REMOTE_WRITE, TARGET, 256));
	TEST_ASSERT_SUCCESS(write_through(env, mkey->key, 192, RTE_UMR_STATUS_SUCCESS));
	const struct rte_umr_seg to = at_seg(env->tx, 0, 64);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &to, 0, mkey->key, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(key, read_result_needs_the_local_write_right)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, RTE_UMR_ACCESS_REMOTE_READ, TARGET, 256));
	TEST_ACCEPT(at_read(env, at_key_seg(mkey, 0, 64), 0, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT);
}

/* A key cannot give away what the memory under it does not allow. */
AT_CASE(key, segment_rights_bound_those_of_the_key)
{
	struct rte_umr_completion done;
	struct rte_umr_seg seg;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	const struct rte_umr_mr *const read_only =
		AT_OWN_MR(env->rx, env->rx->buf + TARGET, 256, RTE_UMR_ACCESS_REMOTE_READ, 0);
	seg = at_seg(env->rx, TARGET, 256);
	seg.lkey = read_only->lkey;
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey, ALL, &seg, 1,
				      RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	return write_through(env, mkey->key, 0, RTE_UMR_STATUS_REMOTE_ACCESS);
}

AT_CASE(key, remote_bounds_are_those_of_the_layout)
{
	/* Offsets of 64-byte writes into 256 bytes. */
	const uint64_t bad[] = { 193, 256, 1u << 20, UINT64_MAX - 63, UINT64_MAX };
	struct rte_umr_mkey *mkey;

	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		AT_BUILD(env, .topology = AT_SAME_DEVICE);
		mkey = AT_KEY(env->rx);
		TEST_ASSERT_SUCCESS(key_configure(env, mkey, ALL, TARGET, 256));
		TEST_ASSERT_SUCCESS(write_through(env, mkey->key, 192, RTE_UMR_STATUS_SUCCESS));
		if (write_through(env, mkey->key, bad[i], RTE_UMR_STATUS_REMOTE_ACCESS) != 0)
			TEST_FAIL_AT("at offset 0x%" PRIx64, bad[i]);
		TEST_ASSERT_SUCCESS(at_env_fini(env));
	}
	return TEST_SUCCESS;
}

AT_CASE(key, local_bounds_are_those_of_the_layout)
{
	struct rte_umr_seg seg;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, ALL, 0, 256));
	seg = at_key_seg(mkey, 255, 1);
	TEST_ACCEPT(at_write(env, seg, TARGET, 0));
	seg = at_key_seg(mkey, 255, 2);
	TEST_ACCEPT(at_write(env, seg, TARGET, 0));
	return at_finish_status(env, 2, RTE_UMR_STATUS_LOCAL_PROT);
}

AT_CASE(key, region_bounds_hold_below_a_layout)
{
	struct rte_umr_seg segs[2];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	segs[0] = at_seg(env->tx, 0, 64);
	segs[1] = at_seg(env->tx, AT_BUF_LEN - 10, 64);
	TEST_ACCEPT(at_list(env, mkey, ALL, segs, 2, 0));
	segs[0] = at_key_seg(mkey, 0, 64 + 10);
	TEST_ACCEPT(at_write(env, segs[0], TARGET, 0));
	segs[0] = at_key_seg(mkey, 0, 64 + 11);
	TEST_ACCEPT(at_write(env, segs[0], TARGET, 0));
	return at_finish_status(env, 3, RTE_UMR_STATUS_LOCAL_PROT);
}

AT_CASE(key, keys_nest)
{
	struct rte_umr_seg segs[3];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_MKEY_NESTED));
	struct rte_umr_mkey *const inner = AT_KEY(env->tx);
	struct rte_umr_mkey *const outer = AT_KEY(env->tx);
	at_fill(env);
	segs[0] = at_seg(env->tx, 1000, 10);
	segs[1] = at_seg(env->tx, 2000, 20);
	TEST_ACCEPT(at_list(env, inner, ALL, segs, 2, 0));
	/* The end of the inner list, a plain piece, the start of the inner list. */
	segs[0] = at_key_seg(inner, 25, 5);
	segs[1] = at_seg(env->tx, 3000, 30);
	segs[2] = at_key_seg(inner, 0, 11);
	TEST_ACCEPT(at_list(env, outer, ALL, segs, 3, 0));
	segs[0] = at_key_seg(outer, 0, 46);
	TEST_ACCEPT(at_write(env, segs[0], TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf + 2015, 5);
	TEST_ASSERT_SAME(env->rx->buf + TARGET + 5, env->tx->buf + 3000, 30);
	TEST_ASSERT_SAME(env->rx->buf + TARGET + 35, env->tx->buf + 1000, 10);
	TEST_ASSERT_EQUAL(env->rx->buf[TARGET + 45], env->tx->buf[2000]);
	return TEST_SUCCESS;
}

/* As many levels as the device has, and one more: that fails, and nothing is written. */
AT_CASE(key, keys_nest_to_the_depth_of_the_device)
{
	struct rte_umr_mkey *mkey;
	struct rte_umr_seg seg;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_MKEY_NESTED));
	at_fill(env);
	seg = at_seg(env->tx, 1000, 64);
	for (unsigned int level = 1; level <= env->tx->info.max_nesting; level++) {
		mkey = AT_KEY(env->tx);
		TEST_ACCEPT(at_list(env, mkey, ALL, &seg, 1, 0));
		seg = at_key_seg(mkey, 0, 64);
	}
	TEST_ACCEPT(at_write(env, seg, TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, (uint16_t)(env->tx->info.max_nesting + 1)));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf + 1000, 64);
	memset(env->rx->buf + TARGET, 0x5a, 64);
	mkey = AT_KEY(env->tx);
	TEST_ACCEPT(at_list(env, mkey, ALL, &seg, 1, 0));
	seg = at_key_seg(mkey, 0, 64);
	TEST_ACCEPT(at_write(env, seg, TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 2, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_EQUAL(env->rx->buf[TARGET], 0x5a);
	TEST_ASSERT_EQUAL(env->rx->buf[TARGET + 63], 0x5a);
	return TEST_SUCCESS;
}

/* A longer layout, then a shorter one: nothing of the longer one is left. */
AT_CASE(key, new_layout_replaces_all_of_the_old_one)
{
	struct rte_umr_completion done;
	struct rte_umr_seg segs[40];

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	TEST_ASSERT(mkey->max_entries >= RTE_DIM(segs));
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->rx, TARGET + i * 8, 8);
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey, ALL, segs,
				      RTE_DIM(segs), RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_SUCCESS(write_through(env, mkey->key, 256, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(key_configure(env, mkey, ALL, TARGET, 256));
	return write_through(env, mkey->key, 256, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* Longer than a WQE is, and one more than the key was made for. */
AT_CASE(key, list_is_bounded_by_its_key)
{
	struct at_conf conf = { 0 };
	struct rte_umr_seg *segs;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	conf.max_entries = env->sides[0].info.max_list_inline * 3u + 1u;
	if (conf.max_entries > env->sides[0].info.max_list)
		TEST_SKIP("needs lists of %u entries", conf.max_entries);
	TEST_ASSERT_SUCCESS(at_env_fini(env));
	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	segs = TEST_NOT_NULL(calloc(conf.max_entries + 1, sizeof(*segs)));
	for (uint32_t i = 0; i <= conf.max_entries; i++)
		segs[i] = at_seg(env->tx, i * 8, 8);
	const int over = rte_umr_mkey_list(dev, 0, mkey, 0, segs, conf.max_entries + 1, 0);
	const int max = rte_umr_mkey_list(dev, 0, mkey, 0, segs, conf.max_entries, 0);
	free(segs);
	TEST_ASSERT_EQUAL(over, -E2BIG);
	TEST_ASSERT_EQUAL(max, 0);
	return at_finish(env, 1);
}
