/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Sends that invalidate a key, and bursts of transfers. */

#include <errno.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)

/* Lay one piece under a key of the receiving side. */
static int
remote_key_lay(struct at_env *env, struct rte_umr_mkey *mkey)
{
	const struct rte_umr_seg seg = at_seg(env->rx, TARGET, 64);

	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
				      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE,
				      &seg, 1, RTE_UMR_OP_F_SUBMIT));
	return at_expect_rx(env, RTE_UMR_STATUS_SUCCESS, NULL);
}

static int
send_inv(struct at_env *env)
{
	struct rte_umr_mkey *mkey = AT_OWN_KEY(env->rx, .max_entries = 4,
					       .flags = RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE);
	const struct rte_umr_seg to = at_seg(env->rx, TARGET + 4096, 512);
	const struct rte_umr_seg data = at_seg(env->tx, 1000, 300), small = at_seg(env->tx, 0, 64);
	const uint32_t old_key = mkey->key;
	struct rte_umr_completion done;

	TEST_ASSERT((mkey->flags & RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE) != 0);
	TEST_ASSERT_SUCCESS(remote_key_lay(env, mkey));
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0), 0);
	/* It works up to the send. */
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &small, 0, mkey->key, 0));
	TEST_ACCEPT(rte_umr_send_inv(env->tx->dev_id, 0, &data, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_RECV);
	TEST_ASSERT_EQUAL(done.length, 300);
	TEST_ASSERT_EQUAL(done.flags, RTE_UMR_COMPLETION_F_INVALIDATED);
	TEST_ASSERT_EQUAL(done.invalidated, old_key);
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf, 64);
	TEST_ASSERT_SAME(env->rx->buf + TARGET + 4096, env->tx->buf + 1000, 300);
	/* It can be configured again, and then it works. */
	rte_umr_mkey_put(env->rx->own[0].pool, mkey);
	TEST_ASSERT(rte_umr_mkey_get(env->rx->own[0].pool) == mkey);
	TEST_ASSERT_SUCCESS(remote_key_lay(env, mkey));
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &small, 0, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	/* Its old value does not. */
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &small, 0, old_key, 0));
	return at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS);
}

/* The key of a pool without the flag: the message must not arrive, the key must stay. */
static int
send_inv_of_other_keys(struct at_env *env)
{
	struct rte_umr_mkey *mkey = AT_OWN_KEY(env->rx, .max_entries = 4);
	const struct rte_umr_seg to = at_seg(env->rx, TARGET + 4096, 512);
	const struct rte_umr_seg data = at_seg(env->tx, 1000, 300);
	struct rte_umr_completion done;

	TEST_ASSERT_SUCCESS(remote_key_lay(env, mkey));
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0), 0);
	TEST_ACCEPT(rte_umr_send_inv(env->tx->dev_id, 0, &data, mkey->key, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT(done.status == RTE_UMR_STATUS_REMOTE_INVALID ||
		    done.status == RTE_UMR_STATUS_REMOTE_ACCESS);
	TEST_ASSERT_EQUAL(done.length, 0);
	return TEST_SUCCESS;
}

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
		TEST_ASSERT_SAME(env->rx->buf + TARGET + i * 256, env->tx->buf + 77 + i * 256, 200);
	}
	return TEST_SUCCESS;
}

AT_CASE(xfer, bursts_move_all_of_it)
{
	struct rte_umr_rdma_op ops[NB_BURST];

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	at_fill(env);
	const int16_t dev = env->tx->dev_id;
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
		TEST_ASSERT_SAME(env->rx->buf + TARGET + i * 256, env->tx->buf + i * 256, 200);
		ops[i].local = at_seg(env->tx, TARGET + i * 512, 200);
		ops[i].remote_addr += 40;
	}
	TEST_ASSERT_SUCCESS(burst_check(env, rte_umr_read_burst(dev, 0, ops, NB_BURST,
								RTE_UMR_OP_F_SUBMIT),
					RTE_UMR_OP_READ));
	for (uint32_t i = 0; i < NB_BURST; i++)
		TEST_ASSERT_SAME(env->tx->buf + TARGET + i * 512, env->rx->buf + TARGET + i * 256 +
				 40, 200);
	TEST_ASSERT_EQUAL(rte_umr_write_burst(dev, 0, ops, 0, 0), -EINVAL);
	return burst_of_messages(env);
}

AT_EVERYWHERE(xfer, send_inv_invalidates_and_tells_the_key, send_inv)
AT_EVERYWHERE(xfer, send_inv_of_a_key_that_forbids_it_fails, send_inv_of_other_keys)
