/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What can be seen of a device and its queues while they work, and when one fails. */

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_log.h>
#include <rte_pause.h>

#include "../patience.h"
#include "autotest.h"
#include "control.h"
#include "env.h"

#define BAD_KEY	     0xdead0042u
#define DRIVER_LOG   "pmd.common.mlx5_umr"
#define NB_DUMPS     30u
#define DUMP_NB_OPS  8u

/** A counter of queue 0, or of the device; -1: there is none. */
static int64_t
counter(const struct at_env *env, uint16_t queue, const char *name)
{
	uint64_t value;

	if (rte_umr_xstats_by_name_get(env->tx->dev_id, queue, name, &value) != 0)
		return -1;
	return (int64_t)value;
}

#define EXPECT(queue, name, value) TEST_ASSERT_EQUAL(counter(env, queue, name), value)

static int
write_one(const struct at_env *env, uint32_t lkey, uint32_t rkey)
{
	struct rte_umr_seg local = at_seg(env->tx, 0, 16);

	local.lkey = lkey;
	return rte_umr_write(env->tx->dev_id, 0, &local, at_addr(env->rx, 64), rkey, 0);
}

static int
good_one(const struct at_env *env)
{
	return write_one(env, env->tx->mr->lkey, env->rx->mr->rkey);
}

AT_CASE(observe, rings_count_polls_doorbells_and_what_was_full)
{
	struct rte_umr_completion done[64];
	bool has_error;
	uint16_t last;

	AT_BUILD(env, .nb_desc = 64);
	const int16_t *const dev = &env->tx->dev_id;
	TEST_ASSERT_EQUAL(rte_umr_completed(*dev, 0, 4, &last, &has_error), 0);
	TEST_ASSERT_EQUAL(rte_umr_completed_status(*dev, 0, 4, done), 0);
	EXPECT(0, "empty_polls", 2);
	TEST_ASSERT_EQUAL(rte_umr_recv_completed(*dev, 0, 4, done), 0);
	EXPECT(0, "recv_empty_polls", 1);
	for (uint32_t i = 0; i < 64; i++)
		TEST_ACCEPT(good_one(env));
	TEST_ASSERT_EQUAL(good_one(env), -ENOSPC);
	EXPECT(0, "rejected_ring_full", 1);
	EXPECT(0, "full", 1);
	EXPECT(0, "doorbells", 0);
	TEST_ASSERT_SUCCESS(rte_umr_submit(*dev, 0));
	EXPECT(0, "doorbells", 1);
	EXPECT(0, "submitted", 64);
	TEST_ASSERT_EQUAL(at_collect(*dev, 0, done, 64), 64);
	EXPECT(0, "completed", 64);
	EXPECT(0, "errors", 0);
	TEST_ASSERT_SUCCESS(rte_umr_xstats_reset(*dev, 0));
	EXPECT(0, "completed", 0);
	EXPECT(0, "empty_polls", 0);
	return TEST_SUCCESS;
}

AT_CASE(observe, errors_are_counted_by_their_class)
{
	struct rte_umr_completion done[4];

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ACCEPT(write_one(env, BAD_KEY, env->rx->mr->rkey));
	TEST_ACCEPT(good_one(env));
	TEST_ACCEPT(good_one(env));
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 3), 3);
	EXPECT(0, "errors_local_protection", 1);
	EXPECT(0, "errors_flushed", 2);
	EXPECT(0, "errors_remote_access", 0);
	TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	TEST_ACCEPT(write_one(env, env->tx->mr->lkey, BAD_KEY));
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, 1), 1);
	EXPECT(0, "errors_remote_access", 1);
	EXPECT(0, "errors", 4);
	return TEST_SUCCESS;
}

AT_CASE(observe, layouts_in_memory_are_counted)
{
	struct rte_umr_seg segs[256];

	AT_BUILD(env, .max_entries = 256);
	if (env->tx->info.max_list <= env->tx->info.max_list_inline ||
	    env->tx->info.max_list_inline >= RTE_DIM(segs))
		TEST_SKIP("needs lists in memory, from %zu entries at most", RTE_DIM(segs));
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 16, 16);
	TEST_ACCEPT(at_list(env, mkey, 0, segs, 4, 0));
	EXPECT(0, "layouts_in_memory", 0);
	TEST_ACCEPT(at_list(env, mkey, 0, segs, env->tx->info.max_list_inline + 1, 0));
	EXPECT(0, "layouts_in_memory", 1);
	return at_finish(env, 2);
}

AT_CASE(observe, devices_count_keys_and_what_failed)
{
	const struct rte_umr_mkey_pool_conf pool = { .nb_mkeys = 2, .max_entries = 4 };
	const uint16_t dev = RTE_UMR_XSTATS_DEV;
	struct rte_umr_mkey *mkeys[9];

	AT_BUILD(env, .nb_mkeys = 8);
	EXPECT(dev, "mrs", 1);
	EXPECT(dev, "mkey_pools", 1);
	EXPECT(dev, "mkeys", 8);
	EXPECT(dev, "mkeys_in_use", 0);
	TEST_ASSERT(at_key(env->tx) != NULL);
	EXPECT(dev, "mkeys_in_use", 1);
	EXPECT(dev, "mkey_pool_empty", 0);
	TEST_ASSERT_EQUAL(rte_umr_mkey_get_bulk(env->tx->pool, mkeys, 8), -ENOBUFS);
	EXPECT(dev, "mkey_pool_empty", 1);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_destroy(env->tx->pool), -EBUSY);
	EXPECT(dev, "mkeys_unreturned", 1);
	EXPECT(dev, "command_failures", 0);
	if (!at_has_control())
		return TEST_SUCCESS;
	TEST_ASSERT_SUCCESS(at_command_fail(1));
	TEST_ASSERT(rte_umr_mkey_pool_create(env->tx->dev_id, &pool) == NULL);
	EXPECT(dev, "command_failures", 1);
	EXPECT(dev, "mkey_pools", 1);
	return TEST_SUCCESS;
}

/** An operation fails between two good ones. What is logged by a driver of that level? */
static int
fail_one(struct at_env *env, uint32_t level, char **text)
{
	struct rte_umr_completion done[3];
	int ret = TEST_FAILED;
	size_t len;
	FILE *f;

	f = TEST_NOT_NULL(open_memstream(text, &len));
	rte_log_set_level_pattern(DRIVER_LOG, level);
	rte_openlog_stream(f);
	if (good_one(env) >= 0 && write_one(env, BAD_KEY, env->rx->mr->rkey) >= 0 &&
	    good_one(env) >= 0 && rte_umr_submit(env->tx->dev_id, 0) == 0 &&
	    at_collect(env->tx->dev_id, 0, done, 3) == 3 &&
	    done[1].status == RTE_UMR_STATUS_LOCAL_PROT)
		ret = TEST_SUCCESS;
	rte_openlog_stream(NULL);
	rte_log_set_level_pattern(DRIVER_LOG, RTE_LOG_NOTICE);
	fclose(f);
	return ret;
}

static unsigned int
count(const char *text, const char *what)
{
	unsigned int nb = 0;

	for (; (text = strstr(text, what)) != NULL; text++)
		nb++;
	return nb;
}

/* Once each time, at level INFO alone; the bad key is in what is shown. */
AT_CASE(observe, queue_that_fails_tells_why_once)
{
	static const uint32_t levels[] = {
		RTE_LOG_INFO, RTE_LOG_NOTICE, RTE_LOG_INFO, RTE_LOG_NOTICE,
	};
	char *text;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	for (uint32_t i = 0; i < RTE_DIM(levels); i++) {
		const unsigned int nb = levels[i] == RTE_LOG_INFO;
		unsigned int nb_found, nb_marks, nb_keys;
		int ret;

		ret = fail_one(env, levels[i], &text);
		nb_found = count(text, ": queue 0: has failed:");
		nb_marks = count(text, "write, done, local-protection");
		nb_keys = count(text, "lkey: 0xdead0042");
		if (ret != TEST_SUCCESS || nb_found != nb)
			printf("%s\n", text);
		free(text);
		TEST_ASSERT_SUCCESS(ret);
		TEST_ASSERT_EQUAL(nb_found, nb);
		TEST_ASSERT_EQUAL(nb_marks, nb);
		TEST_ASSERT_EQUAL(nb_keys, nb);
		TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	}
	return TEST_SUCCESS;
}

/* Whoever asks later sees it, too, until the queue is well again. */
AT_CASE(observe, dump_of_a_failed_queue_shows_why)
{
	unsigned int nb[2];
	char *text = NULL;
	size_t len;
	FILE *f;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_SUCCESS(fail_one(env, RTE_LOG_NOTICE, &text));
	for (uint32_t i = 0; i < RTE_DIM(nb); i++) {
		free(text);
		text = NULL;
		f = TEST_NOT_NULL(open_memstream(&text, &len));
		TEST_ASSERT_SUCCESS(rte_umr_dump(env->tx->dev_id, f));
		fclose(f);
		nb[i] = count(text, " <-- failed\n");
		if (i == 0)
			TEST_ASSERT_SUCCESS(rte_umr_queue_recover(env->tx->dev_id, 0));
	}
	free(text);
	TEST_ASSERT_EQUAL(nb[0], 1);
	TEST_ASSERT_EQUAL(nb[1], 0);
	return TEST_SUCCESS;
}

/** Somebody who looks, beside the lcore. */
struct looker {
	pthread_t thread;
	int16_t dev_id;
	uint32_t nb_dumps;	/* __atomic */
	bool is_bad;
	bool is_over;		/* __atomic */
};

/** What it sees is a dump from its first line to its last one. */
static bool
look(const struct looker *looker)
{
	struct rte_umr_xstat xstats[128];
	char *text = NULL;
	size_t len;
	bool is_good;
	FILE *f;

	f = open_memstream(&text, &len);
	if (f == NULL)
		return false;
	is_good = rte_umr_queue_dump(looker->dev_id, 0, DUMP_NB_OPS, f) == 0 &&
		  rte_umr_xstats_get(looker->dev_id, 0, xstats, RTE_DIM(xstats)) > 0 &&
		rte_umr_xstats_get(looker->dev_id, RTE_UMR_XSTATS_DEV, xstats, RTE_DIM(xstats)) > 0;
	fclose(f);
	is_good = is_good && strncmp(text, "  queue 0: active\n", 18) == 0 &&
		  count(text, "    operation ") <= DUMP_NB_OPS &&
		  count(text, "\n    meanwhile: ") == 1;
	if (!is_good)
		printf("%s\n", text);
	free(text);
	return is_good;
}

static void *
look_on(void *arg)
{
	struct looker *looker = arg;

	while (!looker->is_bad && !__atomic_load_n(&looker->is_over, __ATOMIC_ACQUIRE)) {
		looker->is_bad = !look(looker);
		__atomic_fetch_add(&looker->nb_dumps, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/** Keys and transfers, until the other thread has seen enough. */
static int
work_until_seen(struct at_env *env, const struct looker *looker)
{
	const uint64_t deadline = patience_end();
	struct rte_umr_completion done[16];
	struct rte_umr_seg segs[4];
	uint32_t i, nb;

	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 64, 16);
	while (__atomic_load_n(&looker->nb_dumps, __ATOMIC_ACQUIRE) < NB_DUMPS) {
		TEST_ASSERT(!patience_is_over(deadline));
		for (nb = 0; nb < RTE_DIM(done); nb += 2) {
			TEST_ACCEPT(at_list(env, mkey, 0, segs, RTE_DIM(segs), 0));
			TEST_ACCEPT(good_one(env));
		}
		TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
		TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, nb), nb);
		for (i = 0; i < nb; i++)
			TEST_ASSERT_EQUAL(done[i].status, RTE_UMR_STATUS_SUCCESS);
	}
	return TEST_SUCCESS;
}

AT_CASE(observe, dump_beside_an_lcore_that_works)
{
	struct looker looker = { 0 };

	AT_BUILD(env, .nb_desc = 64);
	looker.dev_id = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(pthread_create(&looker.thread, NULL, look_on, &looker));
	const int ret = work_until_seen(env, &looker);
	__atomic_store_n(&looker.is_over, true, __ATOMIC_RELEASE);
	TEST_ASSERT_SUCCESS(pthread_join(looker.thread, NULL));
	TEST_ASSERT(!looker.is_bad);
	return ret;
}
