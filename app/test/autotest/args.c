/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Enqueue functions reject bad arguments with the documented errno and leave no trace. */

#include <stdlib.h>

#include "autotest.h"
#include "env.h"

/* What was there before a call that is to be rejected. */
struct trace {
	uint16_t nb_avail;
	struct rte_umr_queue_stats stats;
};

static int
trace_take(const struct at_env *env, struct trace *trace)
{
	trace->nb_avail = rte_umr_desc_avail(env->tx->dev_id, 0);
	return rte_umr_queue_stats_get(env->tx->dev_id, 0, &trace->stats);
}

/* Nothing was written, and the next good operation gets the index that is due. */
static int
trace_check(struct at_env *env, const struct trace *before, uint16_t due_idx)
{
	struct trace after;

	TEST_ASSERT_SUCCESS(trace_take(env, &after));
	TEST_ASSERT_EQUAL(after.nb_avail, before->nb_avail);
	TEST_ASSERT_EQUAL(after.stats.nb_submitted, before->stats.nb_submitted);
	TEST_ASSERT_EQUAL(after.stats.nb_rejected, before->stats.nb_rejected + 1);
	TEST_ASSERT_EQUAL(at_write(env, at_seg(env->tx, 0, 16), 64, 0), due_idx);
	return at_finish(env, 1);
}

/* One call, its errno, then the check. due_idx counts the good writes in between. */
#define REJECTED(call, expected)                                                                  \
	do {                                                                                       \
		struct trace trace_;                                                               \
												   \
		TEST_ASSERT_SUCCESS(trace_take(env, &trace_));                                     \
		TEST_ASSERT_EQUAL(call, expected);                                                 \
		TEST_ASSERT_SUCCESS(trace_check(env, &trace_, due_idx++));                         \
	} while (0)

AT_CASE(args, list_checks_its_arguments)
{
	const uint32_t lw = RTE_UMR_ACCESS_LOCAL_WRITE;
	struct rte_umr_seg segs[64], bad[2];
	uint16_t due_idx = 0;

	AT_BUILD(env, .max_entries = 8);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 64, 64);
	/* A key may be created with more room than was asked for. */
	const uint32_t max = mkey->max_entries;
	TEST_ASSERT(max >= 8 && max < RTE_DIM(segs));
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, lw, segs, 0, 0), -EINVAL);
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, lw, segs, max + 1, 0), -E2BIG);
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, lw, segs, UINT32_MAX, 0), -E2BIG);
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, RTE_BIT32(30), segs, 1, 0), -EINVAL);
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, lw, segs, 1, RTE_BIT64(63)), -EINVAL);
	bad[0] = segs[0];
	bad[1] = segs[1];
	bad[1].length = 0;
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, lw, bad, 2, 0), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(dev, 0, mkey, lw, segs, max, 0), due_idx);
	return at_finish(env, 1);
}

/* Longer than a WQE is, and one more than the key was made for. */
AT_CASE(args, list_is_bounded_by_its_key)
{
	struct at_conf conf = { 0 };
	struct rte_umr_seg *segs;
	uint16_t due_idx = 0;

	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	conf.max_entries = env->sides[0].info.max_list_inline * 3u + 1u;
	if (conf.max_entries > env->sides[0].info.max_list)
		TEST_SKIP("needs lists of %u entries", conf.max_entries);
	TEST_ASSERT_SUCCESS(at_env_fini(env));
	TEST_ASSERT_SUCCESS(at_env_build(env, &conf));
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	segs = calloc(conf.max_entries + 1, sizeof(*segs));
	TEST_ASSERT(segs != NULL);
	for (uint32_t i = 0; i <= conf.max_entries; i++)
		segs[i] = at_seg(env->tx, i * 8, 8);
	const int over = rte_umr_mkey_list(dev, 0, mkey, 0, segs, conf.max_entries + 1, 0);
	const int max = rte_umr_mkey_list(dev, 0, mkey, 0, segs, conf.max_entries, 0);
	free(segs);
	TEST_ASSERT_EQUAL(over, -E2BIG);
	TEST_ASSERT_EQUAL(max, due_idx);
	return at_finish(env, 1);
}

AT_CASE(args, interleaved_checks_its_arguments)
{
	const uint32_t lw = RTE_UMR_ACCESS_LOCAL_WRITE;
	struct rte_umr_interleaved entries[64], bad[2];
	uint16_t due_idx = 0;

	AT_BUILD(env, .max_entries = 8);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < RTE_DIM(entries); i++)
		entries[i] = (struct rte_umr_interleaved){
			.addr = at_addr(env->tx, i * 64), .bytes_count = 16, .bytes_skip = 16,
			.lkey = env->tx->mr->lkey,
		};
	/* The header of the pattern takes the place of an entry. */
	const uint32_t max = mkey->max_entries - 1;
	TEST_ASSERT(max >= 7 && max < RTE_DIM(entries));
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 1, entries, 0, 0), -EINVAL);
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 0, entries, 1, 0), -EINVAL);
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 1, entries, max + 1, 0), -E2BIG);
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, RTE_BIT32(30), 1, entries, 1, 0), -EINVAL);
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 1, entries, 1, RTE_BIT64(63)), -EINVAL);
	bad[0] = entries[0];
	bad[1] = entries[1];
	bad[1].bytes_count = 0;
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 1, bad, 2, 0), -EINVAL);
	/* The device cannot repeat them, and as lists they have more entries than the key. */
	bad[1].bytes_count = UINT16_MAX + 1;
	bad[1].bytes_skip = 0;
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, max, bad, 2, 0), -ERANGE);
	bad[1].bytes_count = 1;
	bad[1].bytes_skip = UINT16_MAX;
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, UINT32_MAX, bad, 2, 0), -ERANGE);
	bad[1].bytes_count = 2;
	bad[1].bytes_skip = UINT32_MAX;
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, lw, max, bad, 2, 0), -ERANGE);
	bad[1].bytes_count = UINT16_MAX;
	bad[1].bytes_skip = 0;
	TEST_ASSERT_EQUAL(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 1, bad, 2, 0), due_idx);
	due_idx++;
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_EQUAL(rte_umr_mkey_interleaved(dev, 0, mkey, lw, 1, entries, max, 0), due_idx);
	return at_finish(env, 1);
}

AT_CASE(args, transfers_check_their_arguments)
{
	const uint64_t bad_flag = RTE_BIT64(63);
	struct rte_umr_seg seg, big;
	uint16_t due_idx = 0;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	seg = at_seg(env->tx, 0, 8);
	const uint64_t addr = at_addr(env->rx, 64);
	const uint32_t rkey = env->rx->mr->rkey;
	REJECTED(rte_umr_write(dev, 0, &seg, addr, rkey, bad_flag), -EINVAL);
	REJECTED(rte_umr_write_imm(dev, 0, &seg, addr, rkey, 0, bad_flag), -EINVAL);
	REJECTED(rte_umr_read(dev, 0, &seg, addr, rkey, bad_flag), -EINVAL);
	REJECTED(rte_umr_send(dev, 0, &seg, bad_flag), -EINVAL);
	REJECTED(rte_umr_send_imm(dev, 0, &seg, 0, bad_flag), -EINVAL);
	REJECTED(rte_umr_mkey_invalidate(dev, 0, mkey, bad_flag), -EINVAL);
	if (env->tx->info.max_msg_len < UINT32_MAX) {
		big = seg;
		big.length = (uint32_t)(env->tx->info.max_msg_len + 1);
		REJECTED(rte_umr_write(dev, 0, &big, addr, rkey, 0), -EMSGSIZE);
		REJECTED(rte_umr_read(dev, 0, &big, addr, rkey, 0), -EMSGSIZE);
		REJECTED(rte_umr_send(dev, 0, &big, 0), -EMSGSIZE);
	}
	return TEST_SUCCESS;
}

AT_CASE(args, recv_checks_its_arguments)
{
	struct rte_umr_seg segs[4];
	struct rte_umr_queue_stats stats;

	AT_BUILD(env, .max_recv_segs = 2);
	const int16_t dev = env->tx->dev_id;
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 64, 64);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev, 0, segs, 3, 0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev, 0, segs, 1, RTE_BIT64(5)), -EINVAL);
	segs[1].length = 0;
	TEST_ASSERT_EQUAL(rte_umr_recv(dev, 0, segs, 2, 0), -EINVAL);
	if (env->tx->info.max_msg_len < UINT32_MAX) {
		segs[1].length = (uint32_t)(env->tx->info.max_msg_len + 1);
		TEST_ASSERT_EQUAL(rte_umr_recv(dev, 0, segs, 2, 0), -ERANGE);
	}
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(dev, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_recv_posted, 0);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev, 0, segs, 1, 0), 0);
	return TEST_SUCCESS;
}

AT_CASE(args, key_of_another_device_is_rejected)
{
	struct rte_umr_interleaved entry;
	uint16_t due_idx = 0;

	AT_BUILD(env, .topology = AT_TWO_DEVICES);
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_mkey *const mkey = AT_KEY(env->rx);
	const struct rte_umr_seg seg = at_seg(env->tx, 0, 8);
	entry = (struct rte_umr_interleaved){ .addr = seg.addr, .bytes_count = 8,
					      .lkey = seg.lkey };
	REJECTED(rte_umr_mkey_list(dev, 0, mkey, 0, &seg, 1, 0), -EXDEV);
	REJECTED(rte_umr_mkey_interleaved(dev, 0, mkey, 0, 1, &entry, 1, 0), -EXDEV);
	REJECTED(rte_umr_mkey_invalidate(dev, 0, mkey, 0), -EXDEV);
	return TEST_SUCCESS;
}

/* Every enqueue function of a device that is not running, and of one that was stopped. */
static int
rejected_as_not_started(struct at_env *env)
{
	const int16_t dev = env->tx->dev_id;
	struct rte_umr_completion done;
	struct rte_umr_interleaved entry;
	struct rte_umr_seg seg = at_seg(env->tx, 0, 8);
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	const uint64_t addr = at_addr(env->tx, 64);
	const uint32_t rkey = env->tx->mr->rkey;
	bool has_error = false;

	entry = (struct rte_umr_interleaved){ .addr = seg.addr, .bytes_count = 8,
					      .lkey = seg.lkey };
	TEST_ASSERT_EQUAL(rte_umr_mkey_list(dev, 0, mkey, 0, &seg, 1, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_mkey_interleaved(dev, 0, mkey, 0, 1, &entry, 1, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_mkey_invalidate(dev, 0, mkey, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &seg, addr, rkey, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_write_imm(dev, 0, &seg, addr, rkey, 0, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_read(dev, 0, &seg, addr, rkey, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_send(dev, 0, &seg, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_send_imm(dev, 0, &seg, 0, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_recv(dev, 0, &seg, 1, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_submit(dev, 0), -ESHUTDOWN);
	TEST_ASSERT_EQUAL(rte_umr_completed(dev, 0, 1, NULL, &has_error), 0);
	TEST_ASSERT_EQUAL(rte_umr_completed_status(dev, 0, 1, &done), 0);
	TEST_ASSERT_EQUAL(rte_umr_recv_completed(dev, 0, 1, &done), 0);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), 0);
	return TEST_SUCCESS;
}

AT_CASE(args, stopped_device_rejects_operations)
{
	AT_BUILD(env, .topology = AT_LOOPBACK);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rejected_as_not_started(env));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
	return rejected_as_not_started(env);
}
