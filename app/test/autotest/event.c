/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Completion events: descriptors of queues that were armed. */

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "../patience.h"
#include "autotest.h"
#include "env.h"

/* Events of a CQ count modulo 4, in the driver modulo 256. */
#define NB_ROUNDS 600

static bool
is_readable(int fd, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, timeout_ms) == 1 && (pollfd.revents & POLLIN) != 0;
}

/* As rte_umr_queue_event_fd() shows it: a completion at any time around arming wakes the thread. */
static int
sleep_until_done(int16_t dev_id, int fd)
{
	bool has_error = false;
	uint16_t last_idx;

	for (;;) {
		TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, 0));
		if (rte_umr_completed(dev_id, 0, 1, &last_idx, &has_error) == 1)
			return TEST_SUCCESS;
		TEST_ASSERT(!has_error);
		TEST_ASSERT(is_readable(fd, patience_ms()));
		TEST_ASSERT(rte_umr_queue_event_clear(dev_id, 0) > 0);
	}
}

static int
rounds_sleep(struct at_env *env)
{
	const int16_t dev_id = env->tx->dev_id;
	const int fd = rte_umr_queue_event_fd(dev_id, 0);
	struct rte_umr_seg local = at_seg(env->tx, 0, 64);

	TEST_ASSERT(fd >= 0);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_fd(dev_id, 0), fd);
	for (uint32_t i = 0; i < NB_ROUNDS; i++) {
		TEST_ACCEPT(at_write(env, local, 4096, RTE_UMR_OP_F_SUBMIT));
		/* Most are there before the queue is armed, or while it is. */
		rte_delay_us_block(i % 8 * 4);
		TEST_ASSERT_SUCCESS(sleep_until_done(dev_id, fd));
	}
	return TEST_SUCCESS;
}

AT_EVERYWHERE(event, a_thread_sleeps_until_operations_complete, rounds_sleep)

static int
event_of_a_receive(struct at_env *env)
{
	const int16_t dev_id = env->rx->dev_id;
	const int fd = rte_umr_queue_event_fd(dev_id, env->rx_queue);
	struct rte_umr_seg local = at_seg(env->tx, 0, 64), into = at_seg(env->rx, 4096, 64);

	TEST_ASSERT(fd >= 0);
	for (uint32_t i = 0; i < 6; i++) {
		TEST_ASSERT(rte_umr_recv(dev_id, env->rx_queue, &into, 1, 0) >= 0);
		TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, env->rx_queue));
		TEST_ASSERT(!is_readable(fd, 0));
		TEST_ACCEPT(at_send(env, local, RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, NULL));
		TEST_ASSERT(is_readable(fd, patience_ms()));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		/* A queue that also sends has a second event, which may come later. */
		TEST_ASSERT(rte_umr_queue_event_clear(dev_id, env->rx_queue) > 0);
		if (env->rx == env->tx && env->rx_queue == 0) {
			is_readable(fd, 50);
			rte_umr_queue_event_clear(dev_id, env->rx_queue);
		}
		TEST_ASSERT(!is_readable(fd, 0));
	}
	return TEST_SUCCESS;
}

AT_EVERYWHERE(event, a_receive_raises_an_event, event_of_a_receive)

/* One event for each time that a queue is armed, and none for a queue that is not. */
AT_CASE(event, events_are_raised_once)
{
	struct rte_umr_seg local;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	at_fill(env);
	local = at_seg(env->tx, 0, 64);
	const int16_t dev_id = env->tx->dev_id;
	const int fd = rte_umr_queue_event_fd(dev_id, 0);

	TEST_ASSERT(fd >= 0);
	TEST_ACCEPT(at_write(env, local, 4096, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT(!is_readable(fd, 20));
	TEST_ASSERT_EQUAL(rte_umr_queue_event_clear(dev_id, 0), 0);
	TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, 0));
	for (uint32_t i = 0; i < 3; i++) {
		TEST_ACCEPT(at_write(env, local, 4096, 0));
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
	}
	TEST_ASSERT(is_readable(fd, patience_ms()));
	TEST_ASSERT_EQUAL(rte_umr_queue_event_clear(dev_id, 0), 1);
	TEST_ASSERT(!is_readable(fd, 20));
	return TEST_SUCCESS;
}

AT_CASE(event, failures_raise_events_also_after_recovery)
{
	struct rte_umr_seg bad = { .length = 64 };

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev_id = env->tx->dev_id;
	const int fd = rte_umr_queue_event_fd(dev_id, 0);

	TEST_ASSERT(fd >= 0);
	for (uint32_t i = 0; i < 3; i++) {
		TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, 0));
		TEST_ACCEPT(at_write(env, bad, 0, RTE_UMR_OP_F_SUBMIT));
		TEST_ASSERT(is_readable(fd, patience_ms()));
		TEST_ASSERT_SUCCESS(at_expect_tx(env, RTE_UMR_STATUS_LOCAL_PROT, NULL));
		TEST_ASSERT_EQUAL(rte_umr_queue_event_clear(dev_id, 0), 1);
		TEST_ASSERT_SUCCESS(at_env_recover(env));
		TEST_ASSERT_EQUAL(rte_umr_queue_event_fd(dev_id, 0), fd);
	}
	return TEST_SUCCESS;
}

AT_CASE(event, a_descriptor_belongs_to_its_queue)
{
	const struct rte_umr_queue_conf conf = { .nb_desc = 64, .socket_id = -1 };
	int fd;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev_id = env->tx->dev_id;

	TEST_ASSERT((env->tx->info.dev_capa & RTE_UMR_CAPA_QUEUE_EVENT) != 0);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_arm(dev_id, 0), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_clear(dev_id, 0), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_fd(dev_id, 77), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_fd(-1, 0), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_arm(-1, 0), -ENODEV);
	TEST_ASSERT_EQUAL(rte_umr_queue_event_clear(RTE_UMR_MAX_DEVS, 0), -ENODEV);
	fd = rte_umr_queue_event_fd(dev_id, 0);
	TEST_ASSERT(fd >= 0 && (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_queue_event_arm(dev_id, 0));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_queue_event_fd(dev_id, 0), fd);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &conf));
	TEST_ASSERT_EQUAL(rte_umr_queue_event_arm(dev_id, 0), -EINVAL);
	TEST_ASSERT(fcntl(fd, F_GETFL) < 0);
	return TEST_SUCCESS;
}
