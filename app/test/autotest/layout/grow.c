/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Keys that grow in place, as the segments of an allocator do: the peer keeps the value that it was
 * told first, and reads while they grow.
 */

#include <string.h>
#include <sys/mman.h>

#include <rte_memory.h>

#include "autotest.h"
#include "env.h"

#define PIECE		64u
#define MAX_PIECES	1500u
#define GIB		(UINT64_C(1) << 30)
#define NB_GIB		9u
#define MARK		32u	/* bytes that are looked at */

static struct rte_umr_seg segs[MAX_PIECES];

static int
grow_build(struct at_env *env, uint32_t max_entries, uint32_t flags)
{
	AT_BUILD(env, .topology = AT_TWO_DEVICES, .max_entries = max_entries,
		 .mkey_flags = RTE_UMR_MKEY_POOL_F_UPDATE | flags);
	at_fill(env);
	return TEST_SUCCESS;
}

/* The owner's operation, which must end so. */
static int
owner_finish(struct at_env *env, enum rte_umr_status status)
{
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->rx->dev_id, env->rx_queue));
	return at_expect_rx(env, status, NULL);
}

static int
list_make(struct at_env *env, struct rte_umr_mkey *mkey, uint32_t nb)
{
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
				      RTE_UMR_ACCESS_REMOTE_READ, segs, nb, 0));
	return owner_finish(env, RTE_UMR_STATUS_SUCCESS);
}

/* The peer reads, by the value that it was told. */
static int
peer_read(struct at_env *env, uint32_t rkey, uint64_t offset, uint32_t len)
{
	const struct rte_umr_seg to = at_seg(env->tx, 0, len);

	memset(env->tx->buf, 0, len);
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &to, offset, rkey, 0));
	return TEST_SUCCESS;
}

/* Pieces that are as far from each other as the buffer has room for, in no order. */
static void
pieces_fill(const struct at_side *side)
{
	for (uint32_t i = 0; i < MAX_PIECES; i++)
		segs[i] = at_seg(side, i * 379 % MAX_PIECES * 80, PIECE);
}

static int
pieces_are_there(const struct at_env *env, uint32_t nb)
{
	for (uint32_t i = 0; i < nb; i++)
		TEST_ASSERT(memcmp(env->tx->buf + i * PIECE, (const void *)(uintptr_t)segs[i].addr,
				   PIECE) == 0);
	return TEST_SUCCESS;
}

AT_CASE(grow, a_key_grows_to_a_thousand_pieces_while_it_is_read)
{
	struct rte_umr_mkey_attr attr;
	uint32_t rkey, nb = 1, more, step;

	TEST_NEED(grow_build(env, MAX_PIECES, 0));
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	rkey = mkey->key;
	pieces_fill(env->rx);
	TEST_ASSERT_SUCCESS(list_make(env, mkey, 1));
	/* One by one through all places in a group, past 32, past what is inline, in leaps. */
	for (step = 0; nb < MAX_PIECES; step++) {
		more = RTE_MIN(step < 70 ? 1 : step * 7 % 97 + 1, MAX_PIECES - nb);
		TEST_ACCEPT(rte_umr_mkey_update(env->rx->dev_id, env->rx_queue, mkey, nb, &segs[nb],
						more, 0));
		/* What is there is read while more is coming. */
		TEST_ASSERT_SUCCESS(peer_read(env, rkey, 0, nb * PIECE));
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
		TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_SUCCESS));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SUCCESS(pieces_are_there(env, nb));
		nb += more;
		TEST_ASSERT_SUCCESS(peer_read(env, rkey, 0, nb * PIECE));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SUCCESS(pieces_are_there(env, nb));
	}
	TEST_ASSERT_EQUAL(mkey->key, rkey);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.key, rkey);
	TEST_ASSERT_EQUAL(attr.len, MAX_PIECES * PIECE);
	return TEST_SUCCESS;
}

/* 9 GiB of one of them: what tells where it was read is the offset in it. */
AT_CASE(grow, a_key_grows_past_four_gibibytes)
{
	const size_t len = GIB + NB_GIB * 4096;
	struct rte_umr_mkey_attr attr;

	TEST_NEED(grow_build(env, NB_GIB, 0));
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	const uint32_t rkey = mkey->key;
	uint8_t *const memory = AT_MAP(env, len);
	const struct rte_umr_mr *const mr = AT_OWN_MR(env->rx, memory, len, RTE_UMR_ACCESS_ALL, 0);
	for (uint32_t i = 0; i < NB_GIB; i++) {
		/* Each begins elsewhere, so that a wrong piece has other bytes. */
		segs[i] = (struct rte_umr_seg){
			.addr = (uintptr_t)memory + i * 4096, .length = (uint32_t)GIB,
			.lkey = mr->lkey,
		};
		memset(memory + i * 4096 + 5, (int)i + 1, MARK);
	}
	TEST_ASSERT_SUCCESS(list_make(env, mkey, 1));
	for (uint32_t i = 1; i < NB_GIB; i++) {
		TEST_ACCEPT(rte_umr_mkey_update(env->rx->dev_id, env->rx_queue, mkey, i, &segs[i],
						1, 0));
		TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_SUCCESS));
		TEST_ASSERT_SUCCESS(peer_read(env, rkey, i * GIB + 5, MARK));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SAME(env->tx->buf, memory + i * 4096 + 5, MARK);
		TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
		TEST_ASSERT_EQUAL(attr.len, (i + 1) * GIB);
	}
	/* Over a border, and not a byte behind the end. */
	TEST_ASSERT_SUCCESS(peer_read(env, rkey, 3 * GIB - 8, MARK));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->tx->buf + 13, memory + 3 * 4096 + 5, MARK - 13);
	TEST_ASSERT_SUCCESS(peer_read(env, rkey, NB_GIB * GIB - MARK + 1, MARK));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

#define NB_OLD	6u

static int
is_as_it_was(struct at_env *env, const struct rte_umr_mkey *mkey, uint32_t rkey)
{
	struct rte_umr_mkey_attr attr;

	TEST_ASSERT_EQUAL(mkey->key, rkey);
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.len, NB_OLD * PIECE);
	TEST_ASSERT_SUCCESS(peer_read(env, rkey, 0, NB_OLD * PIECE));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return pieces_are_there(env, NB_OLD);
}

AT_CASE(grow, growth_that_is_rejected_leaves_the_key)
{
	const uint32_t max = 10;
	struct rte_umr_seg bad[5];

	TEST_NEED(grow_build(env, max, 0));
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	const int16_t dev = env->rx->dev_id;
	const uint32_t rkey = mkey->key;
	pieces_fill(env->rx);
	TEST_ASSERT_SUCCESS(list_make(env, mkey, NB_OLD));
#define GROW(first, from, nb) rte_umr_mkey_update(dev, env->rx_queue, mkey, first, from, nb, 0)
	TEST_ASSERT_EQUAL(GROW(NB_OLD, segs, max - NB_OLD + 1), -E2BIG);
	TEST_ASSERT_EQUAL(GROW(0, segs, max + 1), -E2BIG);
	TEST_ASSERT_EQUAL(GROW(NB_OLD + 1, segs, 1), -ERANGE);
	memcpy(bad, segs, sizeof(bad));
	bad[3].length = 0;
	TEST_ASSERT_EQUAL(GROW(NB_OLD, bad, 4), -EINVAL);
	bad[3].length = UINT32_MAX;
	TEST_ASSERT_EQUAL(GROW(NB_OLD, bad, 4), -ERANGE);
	TEST_ASSERT_SUCCESS(is_as_it_was(env, mkey, rkey));
	/* Behind its end there is nothing, until it has grown. */
	TEST_ACCEPT(GROW(NB_OLD - 1, &segs[NB_OLD - 1], max - NB_OLD + 1));
	TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(peer_read(env, rkey, 0, max * PIECE));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(pieces_are_there(env, max));
	TEST_ASSERT_EQUAL(GROW(max, segs, 1), -E2BIG);
	TEST_ASSERT_SUCCESS(peer_read(env, rkey, 1, max * PIECE));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
#undef GROW
}

/* The device finds that the key is not in use: the queue fails, the key does not. */
AT_CASE(grow, growth_that_fails_leaves_the_key)
{
	struct rte_umr_mkey_attr attr;

	TEST_NEED(grow_build(env, 10, 0));
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	const int16_t dev = env->rx->dev_id;
	pieces_fill(env->rx);
	TEST_ASSERT_SUCCESS(list_make(env, mkey, NB_OLD));
	TEST_ACCEPT(rte_umr_mkey_invalidate(dev, env->rx_queue, mkey, 0));
	TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_SUCCESS));
	TEST_ACCEPT(rte_umr_mkey_update(dev, env->rx_queue, mkey, NB_OLD, segs, 2, 0));
	TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_MKEY_CONFIG));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.len, NB_OLD * PIECE);
	TEST_ASSERT(attr.is_free);
	return TEST_SUCCESS;
}

#define SIZE	4096u
#define NB_SIZED	7u

static int
sized_run(struct at_env *env, struct rte_umr_mkey *mkey)
{
	struct rte_umr_fixed fixed[2];
	const struct rte_umr_mkey_op op = {
		.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT, .access = RTE_UMR_ACCESS_REMOTE_READ,
		.layout = RTE_UMR_LAYOUT_FIXED, .fixed = fixed, .nb_entries = 2,
	};
	struct rte_umr_mkey_attr attr;

	for (uint32_t i = 0; i < NB_SIZED; i++)
		segs[i] = at_seg(env->rx, i * 3 % NB_SIZED * SIZE, SIZE);
	for (uint32_t i = 0; i < 2; i++)
		fixed[i] = (struct rte_umr_fixed){ .addr = segs[i].addr, .lkey = segs[i].lkey };
	TEST_ACCEPT(at_mkey_configure(env->rx->dev_id, env->rx_queue, mkey, &op, 0));
	TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_SUCCESS));
	/* One of the two again, and all others. */
	TEST_ACCEPT(rte_umr_mkey_update(env->rx->dev_id, env->rx_queue, mkey, 1, &segs[1],
					NB_SIZED - 1, 0));
	TEST_ASSERT_SUCCESS(owner_finish(env, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_query(mkey, &attr));
	TEST_ASSERT_EQUAL(attr.len, NB_SIZED * SIZE);
	TEST_ASSERT_SUCCESS(peer_read(env, mkey->key, 0, NB_SIZED * SIZE));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	for (uint32_t i = 0; i < NB_SIZED; i++)
		TEST_ASSERT(memcmp(env->tx->buf + i * SIZE, (const void *)(uintptr_t)segs[i].addr,
				   SIZE) == 0);
	return TEST_SUCCESS;
}

AT_CASE(grow, a_key_of_one_size_grows)
{
	TEST_NEED(grow_build(env, 4, 0));
	return sized_run(env, AT_OWN_KEY(env->rx, .max_entries = NB_SIZED + 1, .log_entry_size = 12,
					 .flags = RTE_UMR_MKEY_POOL_F_UPDATE |
						  RTE_UMR_MKEY_POOL_F_FIXED_SIZE));
}

/* Who takes a key finds no list in it, whatever its last owner did with it. */
AT_CASE(grow, a_key_that_was_put_has_no_list_to_grow)
{
	TEST_NEED(grow_build(env, 4, 0));
	pieces_fill(env->rx);
	struct rte_umr_mkey *const mkey = AT_OWN_KEY(env->rx, .max_entries = 4,
						     .flags = RTE_UMR_MKEY_POOL_F_UPDATE);
	TEST_ASSERT_SUCCESS(list_make(env, mkey, 2));
	TEST_ASSERT_SUCCESS(rte_umr_mkey_put(env->rx->own[0].pool, mkey));
	TEST_ASSERT(rte_umr_mkey_get(env->rx->own[0].pool) == mkey);
	TEST_ASSERT_EQUAL(rte_umr_mkey_update(env->rx->dev_id, env->rx_queue, mkey, 0, segs, 1, 0),
			  -ENOENT);
	return TEST_SUCCESS;
}

/* A list that was built and not submitted when its device was stopped is none. */
AT_CASE(grow, a_list_that_a_stop_has_forgotten_does_not_grow)
{
	TEST_NEED(grow_build(env, 4, 0));
	pieces_fill(env->rx);
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	TEST_ASSERT_SUCCESS(list_make(env, mkey, 1));
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
				      RTE_UMR_ACCESS_REMOTE_READ, segs, 3, 0));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->rx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->rx->dev_id));
	TEST_ASSERT_EQUAL(rte_umr_mkey_update(env->rx->dev_id, env->rx_queue, mkey, 1, segs, 1, 0),
			  -ENOENT);
	return TEST_SUCCESS;
}
