/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queues that leave their error state, again and again, when the device does not answer, and by
 * themselves.
 */

#include <rte_cycles.h>

#include "../patience.h"
#include "autotest.h"
#include "control.h"
#include "env.h"

#define TARGET		(AT_BUF_LEN / 2)
#define BAD_LKEY	0xdead0042u
#define NB_DESC		64u
/* Operations behind the one that fails, and of them those that are not submitted. */
#define NB_BEHIND	5u
#define NB_BUILT	2u

/* Enqueue a write; through a key that does not exist if it is to fail. */
static int
write_one(struct at_env *env, bool is_bad, uint64_t flags)
{
	struct rte_umr_seg local = at_seg(env->tx, 0, 16);

	if (is_bad)
		local.lkey = BAD_LKEY;
	return at_write(env, local, TARGET, flags);
}

/* That many operations, one by one, so that the next one is at a place of the ring. */
static int
go_to_place(struct at_env *env, unsigned int place, uint16_t *idx)
{
	struct rte_umr_completion done[NB_DESC];

	for (unsigned int i = 0; i < place; i++)
		TEST_ASSERT_EQUAL(write_one(env, false, i + 1 == place ? RTE_UMR_OP_F_SUBMIT : 0),
				  (uint16_t)(*idx + i));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, (uint16_t)place), place);
	for (unsigned int i = 0; i < place; i++) {
		TEST_ASSERT_EQUAL(done[i].idx, (uint16_t)(*idx + i));
		TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
	}
	*idx = (uint16_t)(*idx + place);
	return TEST_SUCCESS;
}

/* One fails, with others behind it; then the queue is as good as new. */
static int
fail_and_recover(struct at_env *env, uint16_t *idx)
{
	TEST_ASSERT_EQUAL(write_one(env, true, 0), *idx);
	for (unsigned int i = 1; i <= NB_BEHIND; i++)
		TEST_ASSERT_EQUAL(write_one(env, false, i == NB_BEHIND - NB_BUILT ?
					    RTE_UMR_OP_F_SUBMIT : 0), (uint16_t)(*idx + i));
	TEST_ASSERT_SUCCESS(at_expect_failure(env, *idx, NB_BEHIND + 1, 0,
					      RTE_UMR_STATUS_LOCAL_PROT));
	*idx = (uint16_t)(*idx + NB_BEHIND + 1);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	return TEST_SUCCESS;
}

/* With failures at every place of the ring; with 1800 cases behind 65,536 operations. */
AT_CASE(recover, queue_recovers_again_and_again)
{
	const uint32_t nb = test_nb_cases();
	struct rte_umr_queue_stats stats;
	uint64_t nb_ops = 0;
	uint16_t idx = 0;

	AT_BUILD(env, .nb_desc = NB_DESC);
	for (uint32_t i = 0; i < nb; i++) {
		TEST_ASSERT_SUCCESS(go_to_place(env, i % NB_DESC, &idx));
		TEST_ASSERT_SUCCESS(fail_and_recover(env, &idx));
		nb_ops += i % NB_DESC + NB_BEHIND + 1;
	}
	TEST_ASSERT_EQUAL(idx, (uint16_t)nb_ops);
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_completed, nb_ops);
	TEST_ASSERT_EQUAL(stats.nb_recoveries, nb);
	TEST_ASSERT_EQUAL(stats.nb_auto_recoveries, 0);
	TEST_ASSERT(stats.last_recovery_ns != 0);
	TEST_ASSERT(stats.max_recovery_ns >= stats.last_recovery_ns);
	printf("    %u recoveries, %" PRIu64 " operations\n", nb, nb_ops);
	TEST_ASSERT_EQUAL(write_one(env, false, 0), idx);
	return at_finish(env, 1);
}

/*
 * A device that does not flush is waited for a bounded time; it is told to stop all the same, so
 * that the next call goes on. What it does when it wakes up is not seen any more.
 */
AT_CASE(recover, recovery_does_not_wait_for_ever)
{
	struct rte_umr_completion done;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	TEST_NEED(at_need_control());
	TEST_ASSERT_SUCCESS(at_device_do("halt 0"));
	for (unsigned int i = 0; i < 3; i++)
		TEST_ASSERT_EQUAL(write_one(env, false, RTE_UMR_OP_F_SUBMIT), i);
	const uint64_t end = patience_end();
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -ETIMEDOUT);
	/* No test of speed: what says that something hangs. */
	TEST_ASSERT(!patience_is_over(end));
	TEST_ASSERT_EQUAL(write_one(env, false, 0), -EIO);
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EBUSY);
	TEST_ASSERT_SUCCESS(at_expect_failure(env, 0, 3, 0, RTE_UMR_STATUS_FLUSHED));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ASSERT_SUCCESS(at_device_do("resume 0"));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->rx->dev_id, env->rx_queue));
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	TEST_ASSERT_SUCCESS(at_env_connect(env));
	TEST_ASSERT_EQUAL(write_one(env, false, 0), 3);
	return at_finish(env, 1);
}

/* Three writes that nobody has seen the end of when the queue is recovered. */
static int
recover_at_work(struct at_env *env, uint16_t first)
{
	struct rte_umr_completion done[3];
	bool is_flushed = false;

	for (uint16_t i = 0; i < RTE_DIM(done); i++)
		TEST_ASSERT_EQUAL(write_one(env, false, RTE_UMR_OP_F_SUBMIT),
				  (uint16_t)(first + i));
	TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EBUSY);
	/* What the device has done is told as it was, the rest is flushed. */
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, RTE_DIM(done)), RTE_DIM(done));
	for (uint16_t i = 0; i < RTE_DIM(done); i++) {
		TEST_ASSERT_EQUAL(done[i].idx, (uint16_t)(first + i));
		TEST_ASSERT(done[i].status == RTE_UMR_STATUS_FLUSHED ||
			    (done[i].status == RTE_UMR_STATUS_SUCCESS && !is_flushed));
		is_flushed = done[i].status == RTE_UMR_STATUS_FLUSHED;
	}
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->rx->dev_id, env->rx_queue));
	return at_env_connect(env);
}

/* Completions that the device holds back are waited for, and not met behind a reset. */
AT_CASE(recover, completions_that_come_late_are_waited_for)
{
	uint16_t idx = 0, i;

	AT_BUILD(env, .topology = AT_SAME_DEVICE);
	TEST_NEED(at_need_control());
	TEST_ASSERT_SUCCESS(at_device_do("fault 0 cqe-delay,count=0,time=5000"));
	for (i = 0; i < 20; i++) {
		TEST_ASSERT_SUCCESS(recover_at_work(env, idx));
		idx = (uint16_t)(idx + 3);
		TEST_ASSERT_EQUAL(write_one(env, false, 0), idx++);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
	}
	return at_device_do("fault 0 off");
}

/* Each command of a recovery fails once; the next call goes on. */
AT_CASE(recover, recovery_goes_on_behind_a_command_that_failed)
{
	struct rte_umr_queue_stats stats;
	unsigned int n, nb_failed = 0;
	uint16_t idx = 0;
	int ret;

	AT_BUILD(env, .nb_desc = NB_DESC);
	TEST_NEED(at_need_control());
	for (n = 1; n < 10; n++) {
		TEST_ASSERT_EQUAL(write_one(env, true, RTE_UMR_OP_F_SUBMIT), idx);
		TEST_ASSERT_SUCCESS(at_expect_failure(env, idx++, 1, 0, RTE_UMR_STATUS_LOCAL_PROT));
		TEST_ASSERT_SUCCESS(at_command_fail(n));
		ret = rte_umr_queue_recover(env->tx->dev_id, 0);
		TEST_ASSERT_SUCCESS(at_command_fail(0));
		TEST_ASSERT(ret <= 0);
		nb_failed += ret != 0;
		if (ret != 0) {
			TEST_ASSERT_EQUAL(write_one(env, false, 0), -EIO);
			TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
		}
		TEST_ASSERT_EQUAL(write_one(env, false, 0), idx++);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
	}
	/* RESET, INIT, RTR, RTS. */
	TEST_ASSERT_EQUAL(nb_failed, 4);
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_recoveries, 9);
	return TEST_SUCCESS;
}

/* Whichever command of it fails: what was posted before comes back, and another attempt is good. */
AT_CASE(recover, connection_that_failed_gives_receives_back)
{
	struct rte_umr_completion done[4];
	struct rte_umr_endpoint rx;

	AT_BUILD(env, .topology = AT_SAME_DEVICE, .is_unconnected = true);
	TEST_NEED(at_need_control());
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 16);
	/* To RTR, to RTS. */
	for (unsigned int n = 1; n <= 2; n++) {
		for (unsigned int i = 0; i < RTE_DIM(done); i++)
			TEST_ACCEPT(rte_umr_recv(env->tx->dev_id, 0, &seg, 1, 0));
		TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(env->rx->dev_id, env->rx_queue,
							       &rx));
		TEST_ASSERT_SUCCESS(at_command_fail(n));
		TEST_ASSERT(rte_umr_queue_connect(env->tx->dev_id, 0, &rx) < 0);
		TEST_ASSERT_SUCCESS(at_command_fail(0));
		TEST_ASSERT_EQUAL(at_collect_recv(env->tx->dev_id, 0, done, RTE_DIM(done)),
				  RTE_DIM(done));
		for (unsigned int i = 0; i < RTE_DIM(done); i++)
			TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_FLUSHED);
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	}
	TEST_ASSERT_SUCCESS(at_env_connect(env));
	TEST_ACCEPT(write_one(env, false, 0));
	return at_finish(env, 1);
}

/* The first device with queues that recover by themselves. */
static int
auto_build(struct at_env *env, enum rte_umr_transport transport)
{
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_queue_conf queue_conf = {
		.transport = transport, .nb_desc = NB_DESC, .socket_id = -1,
	};
	struct at_side *side = &env->sides[0];
	const struct at_conf conf = { 0 };

	env->options = ",recover=auto";
	TEST_NEED(at_side_probe(env, 0));
	env->tx = env->rx = side;
	TEST_ASSERT_SUCCESS(at_side_memory(side, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(side->dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(side->dev_id, 0, &queue_conf));
	return rte_umr_dev_start(side->dev_id) == 0 ? TEST_SUCCESS : TEST_FAILED;
}

/* The next submit, or the next poll. */
static int
recover_by(struct at_env *env, bool is_submit)
{
	struct rte_umr_completion done;

	if (is_submit)
		return rte_umr_submit(env->tx->dev_id, 0);
	return rte_umr_completed_status(env->tx->dev_id, 0, 1, &done);
}

AT_CASE(recover, queue_recovers_by_itself)
{
	struct rte_umr_queue_stats stats;
	uint16_t idx = 0;
	unsigned int i;

	TEST_NEED(auto_build(env, RTE_UMR_TRANSPORT_LOOPBACK));
	for (i = 0; i < 200; i++) {
		TEST_ASSERT_SUCCESS(go_to_place(env, i % NB_DESC, &idx));
		TEST_ASSERT_EQUAL(write_one(env, true, 0), idx);
		TEST_ASSERT_EQUAL(write_one(env, false, RTE_UMR_OP_F_SUBMIT), (uint16_t)(idx + 1));
		/* Its last call finds nothing, and the queue is well behind it. */
		TEST_ASSERT_SUCCESS(at_expect_failure(env, idx, 2, 0, RTE_UMR_STATUS_LOCAL_PROT));
		idx = (uint16_t)(idx + 2);
		TEST_ASSERT_SUCCESS(recover_by(env, i % 2));
		TEST_ASSERT_EQUAL(rte_umr_queue_recover(env->tx->dev_id, 0), -EALREADY);
		TEST_ASSERT_EQUAL(write_one(env, false, 0), idx++);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
	}
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_recoveries, i);
	TEST_ASSERT_EQUAL(stats.nb_auto_recoveries, i);
	return TEST_SUCCESS;
}

/* One that could not is left to the application. A stopped device stays as it is. */
static void
event_count(int16_t dev_id, enum rte_umr_dev_event event, void *arg)
{
	RTE_SET_USED(dev_id);
	if (event == RTE_UMR_DEV_EVENT_RECOVERY_FAILED)
		__atomic_fetch_add((unsigned int *)arg, 1, __ATOMIC_RELAXED);
}

/* The application is told of it, once. */
static int
failure_is_told(int16_t dev_id, unsigned int *nb_events)
{
	const uint64_t deadline = patience_end();
	int ret;

	while (__atomic_load_n(nb_events, __ATOMIC_RELAXED) == 0)
		TEST_ASSERT(!patience_is_over(deadline));
	do
		ret = rte_umr_dev_callback_unregister(dev_id, RTE_UMR_DEV_EVENT_RECOVERY_FAILED,
						      event_count, nb_events);
	while (ret == -EAGAIN && !patience_is_over(deadline));
	TEST_ASSERT_SUCCESS(ret);
	TEST_ASSERT_EQUAL(*nb_events, 1);
	return TEST_SUCCESS;
}

AT_CASE(recover, recovery_by_itself_is_tried_once)
{
	unsigned int nb_events = 0;
	struct rte_umr_completion done;
	struct rte_umr_queue_stats stats;

	TEST_NEED(auto_build(env, RTE_UMR_TRANSPORT_LOOPBACK));
	TEST_NEED(at_need_control());
	TEST_ASSERT_EQUAL(write_one(env, true, RTE_UMR_OP_F_SUBMIT), 0);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_SUCCESS(rte_umr_dev_callback_register(env->tx->dev_id,
							  RTE_UMR_DEV_EVENT_RECOVERY_FAILED,
							  event_count, &nb_events));
	TEST_ASSERT_SUCCESS(at_command_fail(2));
	TEST_ASSERT_EQUAL(rte_umr_submit(env->tx->dev_id, 0), -EIO);
	TEST_ASSERT_SUCCESS(at_command_fail(0));
	TEST_ASSERT_SUCCESS(failure_is_told(env->tx->dev_id, &nb_events));
	TEST_ASSERT_EQUAL(rte_umr_submit(env->tx->dev_id, 0), -EIO);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_recoveries, 1);
	TEST_ASSERT_EQUAL(stats.nb_auto_recoveries, 0);
	TEST_ASSERT_EQUAL(stats.nb_auto_recovery_failures, 1);
	/* It is ready to do it again. */
	TEST_ASSERT_EQUAL(write_one(env, true, RTE_UMR_OP_F_SUBMIT), 1);
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(write_one(env, false, 0), 2);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(write_one(env, true, RTE_UMR_OP_F_SUBMIT), 3);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(rte_umr_completed_status(env->tx->dev_id, 0, 1, &done), 0);
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
	TEST_ASSERT_EQUAL(write_one(env, false, 0), 0);
	return at_finish(env, 1);
}

/* Without a peer nobody can connect it again: it is left as it is. */
AT_CASE(recover, connected_queue_does_not_recover_by_itself)
{
	const int16_t *dev_id = &env->sides[0].dev_id;
	struct rte_umr_completion done;
	struct rte_umr_endpoint self;

	TEST_NEED(auto_build(env, RTE_UMR_TRANSPORT_RC));
	TEST_ASSERT_SUCCESS(rte_umr_queue_endpoint_get(*dev_id, 0, &self));
	TEST_ASSERT_SUCCESS(rte_umr_queue_connect(*dev_id, 0, &self));
	TEST_ASSERT_EQUAL(write_one(env, true, RTE_UMR_OP_F_SUBMIT), 0);
	TEST_ASSERT_EQUAL(at_collect(*dev_id, 0, &done, 1), 1);
	TEST_ASSERT_EQUAL(rte_umr_completed_status(*dev_id, 0, 1, &done), 0);
	TEST_ASSERT_EQUAL(rte_umr_submit(*dev_id, 0), -EIO);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(*dev_id, 0));
	return TEST_SUCCESS;
}

AT_CASE(recover, option_has_two_values)
{
	static const char *const bad[] = { "recover=", "recover=1", "recover=automatic" };

	for (unsigned int i = 0; i < RTE_DIM(bad); i++)
		TEST_ASSERT_SUCCESS(at_option_rejected(bad[i]));
	env->options = ",recover=manual";
	return at_side_probe(env, 0);
}

/* Lay three pieces under a key, and read through it. */
static int
list_is_laid(struct at_env *env, struct rte_umr_mkey *mkey)
{
	struct rte_umr_seg segs[3], through;

	for (uint16_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, 0x1000u * (i + 1), 64);
	TEST_ACCEPT(at_list(env, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs, RTE_DIM(segs), 0));
	TEST_ACCEPT(rte_umr_mkey_update(env->tx->dev_id, 0, mkey, 1, &segs[2], 1, 0));
	through = at_key_seg(mkey, 64, 64);
	TEST_ACCEPT(at_write(env, through, TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf + 0x3000, 64);
	return TEST_SUCCESS;
}

/*
 * What the driver remembers of a list, for updates, it forgets when the device may not have got it:
 * another layout, or another entry, of which nobody knows.
 */
AT_CASE(recover, list_of_a_failure_is_not_updated)
{
	struct rte_umr_completion done[2];
	struct rte_umr_seg segs[2];
	bool is_update;

	AT_BUILD(env, .mkey_flags = RTE_UMR_MKEY_POOL_F_UPDATE);
	at_fill(env);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	segs[0] = at_seg(env->tx, 0, 64);
	segs[1] = at_seg(env->tx, 0x4000, 64);
	for (is_update = false;; is_update = true) {
		TEST_ASSERT_SUCCESS(list_is_laid(env, mkey));
		TEST_ACCEPT(write_one(env, true, 0));
		if (is_update)
			TEST_ACCEPT(rte_umr_mkey_update(dev, 0, mkey, 3, segs, 1, 0));
		else
			TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE,
						      segs, 2, 0));
		TEST_ASSERT_SUCCESS(rte_umr_submit(dev, 0));
		TEST_ASSERT_EQUAL(at_collect(dev, 0, done, 2), 2);
		TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev, 0));
		TEST_ASSERT_EQUAL(rte_umr_mkey_update(dev, 0, mkey, 0, segs, 1, 0), -ENOENT);
		TEST_ASSERT_SUCCESS(list_is_laid(env, mkey));
		if (is_update)
			return TEST_SUCCESS;
	}
}

/* Neither the value that a flushed layout was to have, nor the one before, is ever open again. */
AT_CASE(recover, values_of_a_flushed_key_are_over)
{
	struct rte_umr_completion done[2];
	struct rte_umr_mkey *mkey;
	uint32_t old[2];

	AT_BUILD(env, .nb_mkeys = 1);
	const int16_t dev = env->tx->dev_id;
	const struct rte_umr_seg list = at_seg(env->tx, 0x1000, 64);
	const struct rte_umr_seg local = at_seg(env->tx, 0, 64);
	mkey = TEST_NOT_NULL(rte_umr_mkey_get(env->tx->pool));
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE |
				      RTE_UMR_ACCESS_REMOTE_WRITE, &list, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	old[0] = mkey->key;
	rte_umr_mkey_put(env->tx->pool, mkey);
	/* A peer is told the next value, and the layout for it is flushed. */
	mkey = TEST_NOT_NULL(rte_umr_mkey_get(env->tx->pool));
	old[1] = mkey->key;
	TEST_ACCEPT(write_one(env, true, 0));
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE |
				      RTE_UMR_ACCESS_REMOTE_WRITE, &list, 1, 0));
	TEST_ASSERT_SUCCESS(rte_umr_submit(dev, 0));
	TEST_ASSERT_EQUAL(at_collect(dev, 0, done, 2), 2);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev, 0));
	rte_umr_mkey_put(env->tx->pool, mkey);
	mkey = AT_KEY(env->tx);
	TEST_ACCEPT(rte_umr_mkey_list(dev, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE |
				      RTE_UMR_ACCESS_REMOTE_WRITE, &list, 1, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	for (unsigned int i = 0; i < RTE_DIM(old); i++) {
		TEST_ASSERT(old[i] != mkey->key);
		TEST_ACCEPT(rte_umr_write(dev, 0, &local, 0, old[i], 0));
		TEST_ASSERT_SUCCESS(at_finish_status(env, 1, RTE_UMR_STATUS_REMOTE_ACCESS));
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(dev, 0));
	}
	TEST_ACCEPT(rte_umr_write(dev, 0, &local, 0, mkey->key, 0));
	return at_finish(env, 1);
}
