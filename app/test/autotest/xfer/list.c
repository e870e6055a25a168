/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Writes, reads and sends of several segments. */

#include <errno.h>
#include <string.h>

#include "autotest.h"
#include "dc/dc.h"
#include "env.h"
#include "xfer/segs.h"

#define TARGET		(AT_BUF_LEN / 2)
#define MAX_SEGS	64u
#define PLACE		512u	/* of a segment in its half */
#define MAX_LEN		300u

static int
write_moves(struct at_env *env, uint32_t nb)
{
	struct rte_umr_seg segs[MAX_SEGS];

	at_fill(env);
	const uint32_t total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_write_list(env->tx->dev_id, 0, segs, nb,
							    at_addr(env->rx, TARGET + 3),
							    env->rx->mr->rkey, 0), RTE_UMR_OP_WRITE,
				    total));
	return segs_are(segs, nb, env->rx->buf + TARGET + 3);
}

static int
read_moves(struct at_env *env, uint32_t nb)
{
	struct rte_umr_seg segs[MAX_SEGS];

	at_fill(env);
	const uint32_t total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_read_list(env->tx->dev_id, 0, segs, nb,
							   at_addr(env->rx, TARGET + 5),
							   env->rx->mr->rkey, 0), RTE_UMR_OP_READ,
				    total));
	return segs_are(segs, nb, env->rx->buf + TARGET + 5);
}

static int
send_moves(struct at_env *env, uint32_t nb)
{
	const struct rte_umr_seg to = at_seg(env->rx, TARGET, TARGET);
	struct rte_umr_seg segs[MAX_SEGS];
	struct rte_umr_completion done;

	at_fill(env);
	const uint32_t total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0));
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_send_list(env->tx->dev_id, 0, segs, nb, 0),
				    RTE_UMR_OP_SEND, total));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.length, total);
	return segs_are(segs, nb, env->rx->buf + TARGET);
}

/* The source changes before the device sees anything; its keys are not used. */
static int
inline_write_moves(struct at_env *env, uint32_t nb, uint32_t max)
{
	struct rte_umr_seg segs[MAX_SEGS];
	uint8_t expected[MAX_SEGS * 300], *at = expected;
	uint32_t i, total = 0;

	at_fill(env);
	segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	for (i = 0; i < nb; i++) {
		segs[i].length = RTE_MIN(segs[i].length, max - total);
		segs[i].lkey = 0xbad;
		memcpy(at, (const void *)(uintptr_t)segs[i].addr, segs[i].length);
		at += segs[i].length;
		total += segs[i].length;
	}
	TEST_ACCEPT(rte_umr_write_list(env->tx->dev_id, 0, segs, nb, at_addr(env->rx, TARGET),
				       env->rx->mr->rkey, RTE_UMR_OP_F_INLINE));
	memset(env->tx->buf, 0xee, MAX_SEGS * PLACE);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, total);
	return TEST_SUCCESS;
}

static int
lists(struct at_env *env)
{
	TEST_ASSERT(env->tx->info.max_segs > 1 && env->tx->info.max_segs <= MAX_SEGS);
	TEST_ASSERT(env->tx->info.max_read_segs > 1 &&
		    env->tx->info.max_read_segs <= env->tx->info.max_segs);
	for (uint32_t nb = 0; nb <= env->tx->info.max_segs; nb++) {
		TEST_ASSERT_SUCCESS(write_moves(env, nb));
		TEST_ASSERT_SUCCESS(inline_write_moves(env, nb, env->tx->info.max_inline));
		TEST_ASSERT_SUCCESS(send_moves(env, nb));
		if (nb <= env->tx->info.max_read_segs)
			TEST_ASSERT_SUCCESS(read_moves(env, nb));
	}
	return TEST_SUCCESS;
}

AT_CASE(list, lists_beyond_a_limit_leave_no_trace)
{
	struct rte_umr_seg segs[MAX_SEGS + 1];
	const uint32_t nb = RTE_DIM(segs);

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	const int16_t dev = env->tx->dev_id;
	const uint64_t addr = at_addr(env->rx, TARGET);
	const uint32_t rkey = env->rx->mr->rkey;
	const uint16_t avail = rte_umr_desc_avail(dev, 0);
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = at_seg(env->tx, 0, env->tx->info.max_inline / 2 + 1);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, env->tx->info.max_segs + 1, addr, rkey,
					     0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_send_list(dev, 0, segs, env->tx->info.max_segs + 1, 0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_read_list(dev, 0, segs, env->tx->info.max_read_segs + 1, addr,
					    rkey, 0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 2, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send_list(dev, 0, segs, 2, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_read_list(dev, 0, segs, 1, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 1, addr, rkey, RTE_BIT64(40)), -EINVAL);
	segs[1].length = (uint32_t)env->tx->info.max_msg_len;
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 2, addr, rkey, 0), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), avail);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 1, addr, rkey, 0), 0);
	return at_finish(env, 1);
}

/* In the middle of a list; before and after it the queue works. */
AT_CASE(list, bad_key_in_a_list_fails_its_operation)
{
	struct rte_umr_seg segs[8];

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	TEST_ASSERT_SUCCESS(write_moves(env, 8));
	segs_make(env->tx, segs, RTE_DIM(segs), 1, MAX_SEGS, PLACE, MAX_LEN);
	segs[5].lkey = 0xbad00;
	TEST_ACCEPT(rte_umr_write_list(env->tx->dev_id, 0, segs, RTE_DIM(segs),
				       at_addr(env->rx, TARGET), env->rx->mr->rkey, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(at_env_recover(env));
	return write_moves(env, 8);
}

/* The longest lists, over the end of the smallest ring, again and again. */
AT_CASE(list, lists_go_round_the_ring)
{
	AT_BUILD(env, .nb_desc = 32);
	for (uint32_t i = 0; i < 200; i++)
		TEST_ASSERT_SUCCESS(write_moves(env, env->tx->info.max_segs - i % 30));
	return TEST_SUCCESS;
}

AT_CASE(list, lists_of_initiators)
{
	struct rte_umr_seg segs[MAX_SEGS];
	uint32_t total, rkey, nb;
	struct dc dc;

	TEST_NEED(dc_create(env, &dc, 1));
	const int16_t dev = env->tx->dev_id;
	struct at_side *const side = dc.targets[0].side;
	rkey = side->mr->rkey;
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, env->tx->info.max_dci_segs + 1, 0, rkey,
					     0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_read_list(dev, 0, segs, env->tx->info.max_dci_read_segs + 1, 0,
					    rkey, 0), -E2BIG);
	/* A target only receives. */
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, dc.targets[0].queue_id, segs, 0, 0, rkey, 0),
			  -ENOTSUP);
	for (nb = 1; nb <= env->tx->info.max_dci_segs; nb++) {
		total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
		TEST_ASSERT_SUCCESS(done_is(env, rte_umr_write_list(dev, 0, segs, nb,
								    at_addr(side, DC_HALF), rkey,
								    0), RTE_UMR_OP_WRITE, total));
		TEST_ASSERT_SUCCESS(segs_are(segs, nb, side->buf + DC_HALF));
		if (nb > env->tx->info.max_dci_read_segs)
			continue;
		total = segs_make(env->tx, segs, nb, nb + 1, MAX_SEGS, PLACE, MAX_LEN);
		TEST_ASSERT_SUCCESS(done_is(env, rte_umr_read_list(dev, 0, segs, nb,
								   at_addr(side, DC_HALF + 7), rkey,
								   0), RTE_UMR_OP_READ, total));
		TEST_ASSERT_SUCCESS(segs_are(segs, nb, side->buf + DC_HALF + 7));
	}
	return TEST_SUCCESS;
}

AT_EVERYWHERE(list, lists_move_all_of_it, lists)
