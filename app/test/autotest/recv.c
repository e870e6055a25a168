/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Short messages come in the completion of their receive, or do not: both must look the same. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "autotest.h"
#include "env.h"

#define TARGET	 (AT_BUF_LEN / 2)
#define GUARD	 64u
#define MAX_LEN	 80u	/* of messages: beyond what a completion can carry */
#define BAD_LKEY 0xdead0042u

static const uint16_t both[] = { 0, RTE_UMR_QUEUE_F_NO_RECV_INLINE };

/* Most bytes that come in a completion of the receiving side. */
static uint32_t
recv_inline(const struct at_env *env)
{
	struct rte_umr_dev_info info;

	return rte_umr_dev_info_get(env->rx->dev_id, &info) == 0 ? info.max_recv_inline : 0;
}

/* Send len bytes into a receive of these segments; how does the receive end? */
static int
send_into(struct at_env *env, const struct rte_umr_seg *segs, uint32_t nb_segs, uint32_t len,
	  struct rte_umr_completion *done)
{
	TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, segs, nb_segs, 0));
	TEST_ACCEPT(at_send(env, at_seg(env->tx, 5, len), 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(at_collect_recv(env->rx->dev_id, env->rx_queue, done, 1), 1);
	return TEST_SUCCESS;
}

/* The message is in [at, at + len), and nothing else has changed. */
static int
message_arrives(struct at_env *env, uint32_t len, uint32_t split)
{
	struct rte_umr_seg segs[2] = {
		at_seg(env->rx, TARGET, split), at_seg(env->rx, TARGET + 2 * MAX_LEN, MAX_LEN),
	};
	uint8_t expected[4 * MAX_LEN];
	struct rte_umr_completion done;
	uint32_t head = RTE_MIN(len, split);

	at_fill(env);
	memcpy(expected, env->rx->buf + TARGET, sizeof(expected));
	memcpy(expected, env->tx->buf + 5, head);
	memcpy(expected + 2 * MAX_LEN, env->tx->buf + 5 + head, len - head);
	TEST_ASSERT_SUCCESS(send_into(env, segs, 2, len, &done));
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_EQUAL(done.length, len);
	TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, sizeof(expected));
	return TEST_SUCCESS;
}

AT_CASE(recv, messages_of_all_lengths_arrive)
{
	static const uint32_t splits[] = { 1, 7, 31, 32, 33, MAX_LEN };
	struct at_conf conf = { 0 };
	int ret;

	for (uint32_t i = 0; i < RTE_DIM(both); i++) {
		for (conf.topology = 0; conf.topology < AT_NB_TOPOLOGIES; conf.topology++) {
			conf.queue_flags = both[i];
			ret = at_env_build(env, &conf);
			TEST_ASSERT(ret == TEST_SUCCESS || ret == TEST_SKIPPED);
			for (uint32_t len = 0; ret == TEST_SUCCESS && len <= MAX_LEN; len++)
				for (uint32_t s = 0; s < RTE_DIM(splits); s++)
					TEST_ASSERT_SUCCESS(message_arrives(env, len, splits[s]));
			TEST_ASSERT_SUCCESS(at_env_fini(env));
		}
	}
	return TEST_SUCCESS;
}

/*
 * What has a bad key tells where a message came: the device rejects it, or this side does, which
 * leaves the queue as it is.
 */
AT_CASE(recv, bad_key_of_a_receive_fails_either_way)
{
	struct rte_umr_completion done;
	struct rte_umr_seg to, local;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	const uint32_t max = recv_inline(env);
	TEST_ASSERT(max > 0);
	to = at_seg(env->rx, TARGET, 4096);
	to.lkey = BAD_LKEY;
	for (uint32_t len = 1; len <= max; len++) {
		TEST_ASSERT_SUCCESS(send_into(env, &to, 1, len, &done));
		TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_PROT);
		TEST_ASSERT_EQUAL(done.syndrome, 0);
		TEST_ASSERT_EQUAL(done.length, 0);
		TEST_ASSERT_SUCCESS(message_arrives(env, len, 9));
	}
	/* One more byte, and it is the device's business. */
	local = at_seg(env->tx, 0, max + 1);
	TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0));
	TEST_ACCEPT(at_send(env, local, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_OP));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_LOCAL_PROT, &done));
	TEST_ASSERT(done.syndrome != 0);
	return TEST_SUCCESS;
}

/* Nobody knows what is behind its keys, and its memory may be gone. */
AT_CASE(recv, lost_region_takes_no_message)
{
	struct rte_umr_mr_conf change = { .len = 4096 };
	struct rte_umr_completion done;
	struct rte_umr_seg to;
	void *hole, *ro;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	hole = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ro = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_ASSERT(hole != MAP_FAILED && ro != MAP_FAILED);
	struct rte_umr_mr *const mr = AT_OWN_MR(env->rx, hole, 4096, RTE_UMR_ACCESS_LOCAL_WRITE, 0);
	to = (struct rte_umr_seg){ (uintptr_t)hole, 64, mr->lkey };
	TEST_ASSERT_SUCCESS(send_into(env, &to, 1, 8, &done));
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
	TEST_ASSERT_SUCCESS(munmap(hole, 4096));
	change.addr = ro;
	TEST_ASSERT_EQUAL(rte_umr_mr_reregister(mr, RTE_UMR_MR_CHANGE_TRANSLATION, &change),
			  -EFAULT);
	TEST_ASSERT(mr->is_lost);
	TEST_ASSERT_SUCCESS(send_into(env, &to, 1, 8, &done));
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_PROT);
	return TEST_SUCCESS;
}

AT_CASE(recv, receives_of_a_queue_without_are_the_devices)
{
	struct rte_umr_seg to, local;

	AT_BUILD(env, .topology = AT_SAME_DEVICE, .queue_flags = RTE_UMR_QUEUE_F_NO_RECV_INLINE);
	to = at_seg(env->rx, TARGET, 4096);
	to.lkey = BAD_LKEY;
	local = at_seg(env->tx, 0, 1);
	TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0));
	TEST_ACCEPT(at_send(env, local, 0));
	TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_OP));
	return at_expect_recv(env, RTE_UMR_STATUS_LOCAL_PROT, NULL);
}

AT_CASE(recv, message_that_is_too_long_fails_its_receive)
{
	struct rte_umr_queue_stats stats;
	struct rte_umr_completion done;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	const struct rte_umr_seg to = at_seg(env->rx, TARGET, 8);
	TEST_ASSERT_SUCCESS(send_into(env, &to, 1, 9, &done));
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_LENGTH);
	TEST_ASSERT_SUCCESS(send_into(env, NULL, 0, 1, &done));
	TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_LOCAL_LENGTH);
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->rx->dev_id, env->rx_queue, &stats));
	TEST_ASSERT_EQUAL(stats.nb_recv_completed, 2);
	TEST_ASSERT_EQUAL(stats.nb_recv_errors, 2);
	return message_arrives(env, 8, 8);
}

/* A list that a message is scattered through; only where completions carry nothing. */
AT_CASE(recv, configured_key_takes_a_message_of_the_device_only)
{
	struct at_conf conf = { .topology = AT_SAME_DEVICE };
	struct rte_umr_queue_stats stats;
	struct rte_umr_completion done;
	struct rte_umr_mkey *mkey;
	struct rte_umr_seg segs[2], to[2];

	for (uint32_t i = 0; i < RTE_DIM(both); i++) {
		conf.queue_flags = both[i];
		TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
		at_fill(env);
		mkey = AT_KEY(env->rx);
		segs[0] = at_seg(env->rx, TARGET + 100, 3);
		segs[1] = at_seg(env->rx, TARGET, 17);
		TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
					      RTE_UMR_ACCESS_LOCAL_WRITE, segs, 2,
					      RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT_EQUAL(at_collect(env->rx->dev_id, env->rx_queue, &done, 1), 1);
		to[0] = at_seg(env->rx, TARGET + 200, 2);
		to[1] = at_key_seg(mkey, 0, 20);
		if (both[i] == 0) {
			TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, to, 2, 0),
					  -ENOTSUP);
			TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->rx->dev_id, env->rx_queue,
								    &stats));
			TEST_ASSERT_EQUAL(stats.nb_rejected, 1);
			TEST_ASSERT_EQUAL(stats.nb_recv_posted, 0);
			TEST_ASSERT_SUCCESS(message_arrives(env, 20, 7));
		} else {
			TEST_ASSERT_SUCCESS(send_into(env, to, 2, 22, &done));
			TEST_ASSERT_EQUAL(done.status, RTE_UMR_STATUS_SUCCESS);
			TEST_ASSERT_SAME(env->rx->buf + TARGET + 200, env->tx->buf + 5, 2);
			TEST_ASSERT_SAME(env->rx->buf + TARGET + 100, env->tx->buf + 7, 3);
			TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf + 10, 17);
		}
		TEST_ASSERT_SUCCESS(at_env_fini(env));
	}
	return TEST_SUCCESS;
}

/* Send 16 bytes into a region of another kind; the receive ends so. */
static int
send_into_region(struct at_env *env, const struct rte_umr_mr_conf *mr_conf, uint64_t addr,
		 enum rte_umr_status status)
{
	struct rte_umr_mr *mr = rte_umr_mr_register(env->rx->dev_id, mr_conf);
	struct rte_umr_completion done = { 0 };
	struct rte_umr_seg to = { .addr = addr, .length = 16 };

	TEST_ASSERT(mr != NULL);
	to.lkey = mr->lkey;
	const int ret = send_into(env, &to, 1, 16, &done);
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	TEST_ASSERT_SUCCESS(ret);
	TEST_ASSERT_EQUAL(done.status, status);
	return TEST_SUCCESS;
}

AT_CASE(recv, regions_of_all_kinds_take_messages)
{
	struct rte_umr_mr_conf mr_conf = { .len = 4096 };
	struct rte_umr_dev_info info;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	TEST_ASSERT_SUCCESS(rte_umr_dev_info_get(env->rx->dev_id, &info));
	at_fill(env);
	mr_conf.addr = env->rx->buf + TARGET;
	TEST_ASSERT_SUCCESS(send_into_region(env, &mr_conf, at_addr(env->rx, TARGET),
					     RTE_UMR_STATUS_LOCAL_PROT));
	mr_conf.access = RTE_UMR_ACCESS_LOCAL_WRITE;
	/* The first byte that is not in it. */
	TEST_ASSERT_SUCCESS(send_into_region(env, &mr_conf, at_addr(env->rx, TARGET + 4081),
					     RTE_UMR_STATUS_LOCAL_PROT));
	TEST_ASSERT_SUCCESS(send_into_region(env, &mr_conf, at_addr(env->rx, TARGET + 4080),
					     RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(env->rx->buf + TARGET + 4080, env->tx->buf + 5, 16);
	mr_conf.flags = RTE_UMR_MR_F_ZERO_BASED;
	TEST_ASSERT_SUCCESS(send_into_region(env, &mr_conf, 50, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(env->rx->buf + TARGET + 50, env->tx->buf + 5, 16);
	if ((info.dev_capa & RTE_UMR_CAPA_MR_ODP_IMPLICIT) == 0)
		return TEST_SUCCESS;
	/* All of the address space: what is mapped takes a message, page 0 fails. */
	mr_conf = (struct rte_umr_mr_conf){
		.len = SIZE_MAX, .access = RTE_UMR_ACCESS_LOCAL_WRITE,
		.flags = RTE_UMR_MR_F_ON_DEMAND,
	};
	TEST_ASSERT_SUCCESS(send_into_region(env, &mr_conf, at_addr(env->rx, TARGET + 300),
					     RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_SAME(env->rx->buf + TARGET + 300, env->tx->buf + 5, 16);
	return send_into_region(env, &mr_conf, 16, RTE_UMR_STATUS_LOCAL_PROT);
}

/* A receive names a region that goes before the message comes: its memory may be anybody's. */
AT_CASE(recv, deregistered_region_takes_no_message)
{
	struct rte_umr_mr_conf mr_conf = { .len = 4096, .access = RTE_UMR_ACCESS_LOCAL_WRITE };
	struct rte_umr_seg from, to = { .length = 16 };
	uint8_t before[16];

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	at_fill(env);
	memcpy(before, env->rx->buf + TARGET, sizeof(before));
	mr_conf.addr = env->rx->buf + TARGET;
	struct rte_umr_mr *const mr = TEST_NOT_NULL(rte_umr_mr_register(env->rx->dev_id, &mr_conf));
	to.addr = at_addr(env->rx, TARGET);
	to.lkey = mr->lkey;
	TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0));
	TEST_ASSERT_SUCCESS(rte_umr_mr_deregister(mr));
	from = at_seg(env->tx, 5, sizeof(before));
	TEST_ACCEPT(at_send(env, from, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_LOCAL_PROT, NULL));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, before, sizeof(before));
	return TEST_SUCCESS;
}

/* What takes a receive of the peer when it has none, on a device that does not wait for ever. */
AT_CASE(recv, sends_without_a_receive_fail)
{
	const struct rte_umr_queue_conf queue_conf = {
		.nb_desc = 64, .nb_recv_desc = 4, .max_recv_segs = 2, .socket_id = -1,
	};
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct at_conf conf = { 0 };
	uint64_t flags;

	env->options = ",rnr_retry=1";
	TEST_NEED(at_side_probe(env, 0));
	env->tx = env->rx = &env->sides[0];
	const int16_t dev = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(at_side_memory(env->tx, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev));
	const struct rte_umr_seg local = at_seg(env->tx, 5, 20);
	for (uint32_t i = 0; i < 6; i++) {
		flags = i % 2 != 0 ? RTE_UMR_OP_F_INLINE : 0;
		if (i / 2 == 0)
			TEST_ACCEPT(rte_umr_send(dev, 0, &local, flags));
		else if (i / 2 == 1)
			TEST_ACCEPT(rte_umr_send_imm(dev, 0, &local, 7, flags));
		else
			TEST_ACCEPT(rte_umr_write_imm(dev, 0, &local, at_addr(env->rx, TARGET),
						      env->rx->mr->rkey, 7, flags));
		TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_RNR_RETRY_EXCEEDED));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev, 0));
		TEST_ASSERT_SUCCESS(message_arrives(env, 20, 7));
	}
	return TEST_SUCCESS;
}

/* What a device that was opened so says of inline receives. */
static int
max_recv_inline(struct at_env *env, const char *options, uint16_t *max)
{
	const struct rte_umr_dev_info *info = &env->sides[0].info;

	env->options = options;
	TEST_NEED(at_side_probe(env, 0));
	*max = info->max_recv_inline;
	TEST_ASSERT_EQUAL((info->dev_capa & RTE_UMR_CAPA_RECV_INLINE) != 0, *max != 0);
	return at_env_fini(env);
}

AT_CASE(recv, inline_receives_can_be_turned_off)
{
	static const struct {
		const char *env;
		const char *options;
		uint16_t max;
	} cases[] = {
		{ NULL, "", 32 }, { NULL, ",recv_inline=0", 0 }, { NULL, ",recv_inline=1", 32 },
		{ "1", "", 32 }, { "0", "", 0 }, { "0", ",recv_inline=1", 32 },
		{ "00", "", 32 },	/* only this very word, as in libmlx5 */
	};
	uint16_t max = 77;
	int ret;

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		if (cases[i].env != NULL)
			setenv("MLX5_SCATTER_TO_CQE", cases[i].env, 1);
		ret = max_recv_inline(env, cases[i].options, &max);
		unsetenv("MLX5_SCATTER_TO_CQE");
		TEST_ASSERT_SUCCESS(ret);
		TEST_ASSERT_EQUAL(max, cases[i].max);
	}
	return at_option_rejected("recv_inline=2");
}
