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
	uint32_t total;

	at_fill(env);
	total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_write_list(env->tx->dev_id, 0, segs, nb,
							    at_addr(env->rx, TARGET + 3),
							    env->rx->mr->rkey, 0),
				    RTE_UMR_OP_WRITE, total));
	return segs_are(segs, nb, env->rx->buf + TARGET + 3);
}

static int
read_moves(struct at_env *env, uint32_t nb)
{
	struct rte_umr_seg segs[MAX_SEGS];
	uint32_t total;

	at_fill(env);
	total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_read_list(env->tx->dev_id, 0, segs, nb,
							   at_addr(env->rx, TARGET + 5),
							   env->rx->mr->rkey, 0),
				    RTE_UMR_OP_READ, total));
	return segs_are(segs, nb, env->rx->buf + TARGET + 5);
}

static int
send_moves(struct at_env *env, uint32_t nb)
{
	const struct rte_umr_seg to = at_seg(env->rx, TARGET, TARGET);
	struct rte_umr_seg segs[MAX_SEGS];
	struct rte_umr_completion done;
	uint32_t total;

	at_fill(env);
	total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
	TEST_ASSERT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0) >= 0);
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_send_list(env->tx->dev_id, 0, segs, nb, 0),
				    RTE_UMR_OP_SEND, total));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, &done, 1), 1);
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
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
	TEST_ASSERT(rte_umr_write_list(env->tx->dev_id, 0, segs, nb, at_addr(env->rx, TARGET),
				       env->rx->mr->rkey, RTE_UMR_OP_F_INLINE) >= 0);
	memset(env->tx->buf, 0xee, MAX_SEGS * PLACE);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_first_difference(env->rx->buf + TARGET, expected, total), -1);
	return TEST_SUCCESS;
}

static int
lists(struct at_env *env)
{
	struct rte_umr_dev_info info;
	uint32_t nb;

	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	TEST_ASSERT(info.max_segs > 1 && info.max_segs <= MAX_SEGS);
	TEST_ASSERT(info.max_read_segs > 1 && info.max_read_segs <= info.max_segs);
	for (nb = 0; nb <= info.max_segs; nb++) {
		TEST_ASSERT_SUCCESS(write_moves(env, nb));
		TEST_ASSERT_SUCCESS(inline_write_moves(env, nb, info.max_inline));
		TEST_ASSERT_SUCCESS(send_moves(env, nb));
		if (nb <= info.max_read_segs)
			TEST_ASSERT_SUCCESS(read_moves(env, nb));
	}
	return TEST_SUCCESS;
}

static int
lists_beyond_a_limit_leave_no_trace(struct at_env *env)
{
	const struct at_conf conf = { .topology = AT_TWO_DEVICES };
	struct rte_umr_seg segs[MAX_SEGS + 1];
	const uint32_t nb = RTE_DIM(segs);
	struct rte_umr_dev_info info;
	uint16_t avail;
	uint64_t addr;
	uint32_t rkey;
	int16_t dev;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	dev = env->tx->dev_id;
	addr = at_addr(env->rx, TARGET);
	rkey = env->rx->mr->rkey;
	avail = rte_umr_desc_avail(dev, 0);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev, &info));
	for (uint32_t i = 0; i < nb; i++)
		segs[i] = at_seg(env->tx, 0, info.max_inline / 2 + 1);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, info.max_segs + 1, addr, rkey, 0),
			  -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_send_list(dev, 0, segs, info.max_segs + 1, 0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_read_list(dev, 0, segs, info.max_read_segs + 1, addr, rkey, 0),
			  -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 2, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send_list(dev, 0, segs, 2, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_read_list(dev, 0, segs, 1, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 1, addr, rkey, RTE_BIT64(40)), -EINVAL);
	segs[1].length = (uint32_t)info.max_msg_len;
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 2, addr, rkey, 0), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), avail);
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, 1, addr, rkey, 0), 0);
	return at_finish(env, 1);
}

/* In the middle of a list; before and after it the queue works. */
static int
bad_key_in_a_list_fails_its_operation(struct at_env *env)
{
	const struct at_conf conf = { .topology = AT_TWO_DEVICES };
	struct rte_umr_seg segs[8];

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	TEST_ASSERT_SUCCESS(write_moves(env, 8));
	segs_make(env->tx, segs, RTE_DIM(segs), 1, MAX_SEGS, PLACE, MAX_LEN);
	segs[5].lkey = 0xbad00;
	TEST_ASSERT(rte_umr_write_list(env->tx->dev_id, 0, segs, RTE_DIM(segs),
				       at_addr(env->rx, TARGET), env->rx->mr->rkey, 0) >= 0);
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(at_env_recover(env));
	return write_moves(env, 8);
}

/* The longest lists, over the end of the smallest ring, again and again. */
static int
lists_go_round_the_ring(struct at_env *env)
{
	const struct at_conf conf = { .nb_desc = 32 };
	struct rte_umr_dev_info info;
	uint32_t i;

	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->tx->dev_id, &info));
	for (i = 0; i < 200; i++)
		TEST_ASSERT_SUCCESS(write_moves(env, info.max_segs - i % 30));
	return TEST_SUCCESS;
}

static int
lists_of_initiators(struct at_env *env)
{
	struct rte_umr_seg segs[MAX_SEGS];
	struct rte_umr_dev_info info;
	uint32_t total, rkey, nb;
	struct at_side *side;
	struct dc dc;
	int16_t dev;

	TEST_NEED(dc_create(env, &dc, 1));
	dev = env->tx->dev_id;
	side = dc.targets[0].side;
	rkey = side->mr->rkey;
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(dev, &info));
	TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, 0, segs, info.max_dci_segs + 1, 0, rkey, 0),
			  -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_read_list(dev, 0, segs, info.max_dci_read_segs + 1, 0, rkey, 0),
			  -E2BIG);
	/* A target only receives. */
	TEST_ASSERT_EQUAL(rte_umr_write_list(dev, dc.targets[0].queue_id, segs, 0, 0, rkey, 0),
			  -ENOTSUP);
	for (nb = 1; nb <= info.max_dci_segs; nb++) {
		total = segs_make(env->tx, segs, nb, nb, MAX_SEGS, PLACE, MAX_LEN);
		TEST_ASSERT_SUCCESS(done_is(env, rte_umr_write_list(dev, 0, segs, nb,
								    at_addr(side, DC_HALF), rkey,
								    0), RTE_UMR_OP_WRITE, total));
		TEST_ASSERT_SUCCESS(segs_are(segs, nb, side->buf + DC_HALF));
		if (nb > info.max_dci_read_segs)
			continue;
		total = segs_make(env->tx, segs, nb, nb + 1, MAX_SEGS, PLACE, MAX_LEN);
		TEST_ASSERT_SUCCESS(done_is(env, rte_umr_read_list(dev, 0, segs, nb,
								   at_addr(side, DC_HALF + 7),
								   rkey, 0), RTE_UMR_OP_READ,
					    total));
		TEST_ASSERT_SUCCESS(segs_are(segs, nb, side->buf + DC_HALF + 7));
	}
	return TEST_SUCCESS;
}

AT_EVERYWHERE(lists_move_all_of_it, lists)

static const struct autotest_case cases[] = {
	AUTOTEST_CASE(lists_move_all_of_it),
	AUTOTEST_CASE(lists_beyond_a_limit_leave_no_trace),
	AUTOTEST_CASE(bad_key_in_a_list_fails_its_operation),
	AUTOTEST_CASE(lists_go_round_the_ring),
	AUTOTEST_CASE(lists_of_initiators),
};

AUTOTEST_SUITE(list, cases);
