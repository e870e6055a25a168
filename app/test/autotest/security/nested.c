/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A key of keys gives nothing that the keys in it do not give, at the time of the transfer: neither
 * rights, nor memory of another protection domain, nor bytes behind their ends, nor what they were
 * before. Whatever is refused changes no byte.
 */

#include <string.h>

#include "autotest.h"
#include "env.h"

#define VICTIM     0x10000u
#define VICTIM_LEN 256u
#define PIECE	   64u
#define ALL        (RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_READ |                     \
		    RTE_UMR_ACCESS_REMOTE_WRITE)

/* A loopback whose device nests keys; skips without. */
static int
nest_build(struct at_env *env)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_NEED(at_need_capa(&env->tx->info, RTE_UMR_CAPA_MKEY_NESTED));
	at_fill(env);
	return TEST_SUCCESS;
}

static int
key_lay(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t access,
	const struct rte_umr_seg *seg)
{
	TEST_ACCEPT(at_list(env, mkey, access, seg, 1, 0));
	return at_finish(env, 1);
}

/* A key with all rights over VICTIM_LEN bytes of another key, from its start on. */
static int
parent_lay(struct at_env *env, struct rte_umr_mkey *parent, uint64_t addr, uint32_t lkey)
{
	const struct rte_umr_seg seg = { .addr = addr, .length = VICTIM_LEN, .lkey = lkey };

	return key_lay(env, parent, ALL, &seg);
}

static int
piece_post(struct at_env *env, bool is_write, const struct rte_umr_mkey *key, uint64_t offset)
{
	const struct rte_umr_seg local = at_seg(env->tx, 0, PIECE);

	if (is_write)
		return rte_umr_write(env->tx->dev_id, 0, &local, offset, key->key, 0);
	return rte_umr_read(env->tx->dev_id, 0, &local, offset, key->key, 0);
}

static int
piece_is_closed(struct at_env *env, bool is_write, const struct rte_umr_mkey *key, uint64_t offset)
{
	static uint8_t before[AT_BUF_LEN];

	memcpy(before, env->tx->buf, AT_BUF_LEN);
	TEST_ACCEPT(piece_post(env, is_write, key, offset));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
	TEST_ASSERT_SAME(env->tx->buf, before, AT_BUF_LEN);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	return TEST_SUCCESS;
}

static int
piece_is_open(struct at_env *env, bool is_write, const struct rte_umr_mkey *key, uint64_t offset)
{
	TEST_ACCEPT(piece_post(env, is_write, key, offset));
	return at_finish(env, 1);
}

static int
both_are_closed(struct at_env *env, const struct rte_umr_mkey *key)
{
	TEST_ASSERT_SUCCESS(piece_is_closed(env, true, key, 0));
	return piece_is_closed(env, false, key, 0);
}

AT_CASE(nested, rights_are_those_of_both)
{
	struct rte_umr_seg seg;

	TEST_NEED(nest_build(env));
	struct rte_umr_mkey *const child = AT_KEY(env->tx);
	struct rte_umr_mkey *const parent = AT_KEY(env->tx);
	seg = at_seg(env->tx, VICTIM, VICTIM_LEN);
	TEST_ASSERT_SUCCESS(key_lay(env, child, RTE_UMR_ACCESS_REMOTE_READ, &seg));
	TEST_ASSERT_SUCCESS(parent_lay(env, parent, 0, child->key));
	TEST_ASSERT_SUCCESS(piece_is_closed(env, true, parent, 0));
	TEST_ASSERT_SUCCESS(piece_is_open(env, false, parent, 0));
	/* The other way round. */
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	seg = at_key_seg(child, 0, VICTIM_LEN);
	TEST_ASSERT_SUCCESS(key_lay(env, parent, RTE_UMR_ACCESS_REMOTE_READ, &seg));
	TEST_ASSERT_SUCCESS(piece_is_closed(env, true, parent, 0));
	return piece_is_open(env, false, parent, 0);
}

/* The parent says that there are as many bytes as it likes. */
AT_CASE(nested, ends_are_those_of_the_child)
{
	TEST_NEED(nest_build(env));
	struct rte_umr_mkey *const child = AT_KEY(env->tx);
	struct rte_umr_mkey *const parent = AT_KEY(env->tx);
	const struct rte_umr_seg seg = at_seg(env->tx, VICTIM, VICTIM_LEN / 2);
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	TEST_ASSERT_SUCCESS(parent_lay(env, parent, 0, child->key));
	TEST_ASSERT_SUCCESS(piece_is_open(env, true, parent, VICTIM_LEN / 2 - PIECE));
	TEST_ASSERT_SUCCESS(piece_is_closed(env, true, parent, VICTIM_LEN / 2 - PIECE + 1));
	TEST_ASSERT_SUCCESS(piece_is_closed(env, false, parent, VICTIM_LEN / 2));
	/* From in front of its start, around the end of all addresses. */
	TEST_ASSERT_SUCCESS(parent_lay(env, parent, UINT64_MAX - 31, child->key));
	TEST_ASSERT_SUCCESS(both_are_closed(env, parent));
	return piece_is_closed(env, true, parent, VICTIM_LEN - PIECE);
}

AT_CASE(nested, memory_of_another_domain_stays_there)
{
	struct rte_umr_mr_conf conf = { .len = VICTIM_LEN, .access = ALL };
	struct rte_umr_seg seg;

	TEST_NEED(nest_build(env));
	struct rte_umr_mkey *const child = AT_KEY(env->tx);
	struct rte_umr_mkey *const parent = AT_KEY(env->tx);
	conf.addr = env->tx->buf + VICTIM;
	conf.pd = rte_umr_pd_alloc(env->tx->dev_id);
	TEST_ASSERT(conf.pd != NULL);
	struct rte_umr_mr *const mr = TEST_NOT_NULL(rte_umr_mr_register(env->tx->dev_id, &conf));
	/* At one level, and at two. */
	seg = (struct rte_umr_seg){ .addr = mr->iova, .length = VICTIM_LEN, .lkey = mr->lkey };
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	TEST_ASSERT_SUCCESS(both_are_closed(env, child));
	TEST_ASSERT_SUCCESS(parent_lay(env, parent, 0, child->key));
	TEST_ASSERT_SUCCESS(both_are_closed(env, parent));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_SUCCESS(rte_umr_pd_free(conf.pd));
	return TEST_SUCCESS;
}

/* What happens to the child afterwards counts, and its old value is over. */
AT_CASE(nested, child_that_is_over_closes_its_parent)
{
	struct rte_umr_seg seg;

	TEST_NEED(nest_build(env));
	struct rte_umr_mkey *const child = AT_KEY(env->tx);
	struct rte_umr_mkey *const parent = AT_KEY(env->tx);
	struct rte_umr_mr *const mr = at_mr_register(env->tx->dev_id, env->tx->buf + VICTIM,
						     VICTIM_LEN, ALL, 0);
	TEST_ASSERT(mr != NULL);
	seg = (struct rte_umr_seg){ .addr = mr->iova, .length = VICTIM_LEN, .lkey = mr->lkey };
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	TEST_ASSERT_SUCCESS(parent_lay(env, parent, 0, child->key));
	TEST_ASSERT_SUCCESS(piece_is_open(env, true, parent, 0));
	/* Invalidated, and laid again under the same value. */
	TEST_ACCEPT(rte_umr_mkey_invalidate(env->tx->dev_id, 0, child, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(both_are_closed(env, parent));
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	TEST_ASSERT_SUCCESS(piece_is_open(env, true, parent, 0));
	/* Its rights are taken back. */
	TEST_ASSERT_SUCCESS(key_lay(env, child, RTE_UMR_ACCESS_REMOTE_READ, &seg));
	TEST_ASSERT_SUCCESS(piece_is_closed(env, true, parent, 0));
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	/* Its region is gone. */
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	return both_are_closed(env, parent);
}

/* Put back and taken by somebody else: under another value. */
AT_CASE(nested, child_of_a_new_owner_closes_its_parent)
{
	struct rte_umr_mkey *child, *parent;

	TEST_NEED(nest_build(env));
	parent = AT_KEY(env->tx);
	child = TEST_NOT_NULL(rte_umr_mkey_get(env->tx->pool));
	const struct rte_umr_seg seg = at_seg(env->tx, VICTIM, VICTIM_LEN);
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	TEST_ASSERT_SUCCESS(parent_lay(env, parent, 0, child->key));
	TEST_ASSERT_SUCCESS(piece_is_open(env, true, parent, 0));
	const uint32_t old = child->key;
	rte_umr_mkey_put(env->tx->pool, child);
	do {
		child = AT_KEY(env->tx);
	} while (child->key >> 8 != old >> 8);
	TEST_ASSERT_SUCCESS(key_lay(env, child, ALL, &seg));
	return both_are_closed(env, parent);
}

/* Keys that are in each other, and one that is in itself: an end, and an error. */
AT_CASE(nested, circles_end)
{
	TEST_NEED(nest_build(env));
	struct rte_umr_mkey *const a = AT_KEY(env->tx);
	struct rte_umr_mkey *const b = AT_KEY(env->tx);
	TEST_ASSERT_SUCCESS(parent_lay(env, a, 0, b->key));
	TEST_ASSERT_SUCCESS(parent_lay(env, b, 0, a->key));
	TEST_ASSERT_SUCCESS(both_are_closed(env, a));
	TEST_ASSERT_SUCCESS(both_are_closed(env, b));
	TEST_ASSERT_SUCCESS(parent_lay(env, a, 0, a->key));
	return both_are_closed(env, a);
}
