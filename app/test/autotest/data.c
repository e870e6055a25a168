/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Data arrives where the layout says: each way of moving it, between each pair of queues. */

#include <string.h>

#include "autotest.h"
#include "env.h"

/* Source bytes are in the first half of a buffer, targets in the second. */
#define TARGET (AT_BUF_LEN / 2)
#define NB_SEGS 5u

/* Segments of 1, 700, 1399... bytes at odd places, the later ones in front. */
static uint32_t
list_make(const struct at_side *side, uint32_t base, struct rte_umr_seg segs[NB_SEGS])
{
	uint32_t i, total = 0;

	for (i = 0; i < NB_SEGS; i++) {
		segs[i] = at_seg(side, base + 3 + (NB_SEGS - 1 - i) * 4001, 1 + i * 699);
		total += segs[i].length;
	}
	return total;
}

/* What a reader of the list sees. */
static void
list_gather(const struct rte_umr_seg segs[NB_SEGS], uint8_t *to)
{
	for (uint32_t i = 0; i < NB_SEGS; i++) {
		memcpy(to, (const void *)(uintptr_t)segs[i].addr, segs[i].length);
		to += segs[i].length;
	}
}

static int
write_from_list(struct at_env *env)
{
	uint8_t expected[AT_BUF_LEN / 4];
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	struct rte_umr_seg segs[NB_SEGS], local;

	const uint32_t len = list_make(env->tx, 0, segs);
	list_gather(segs, expected);
	TEST_ASSERT_EQUAL(at_list(env, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs, NB_SEGS, 0), 0);
	local = at_key_seg(mkey, 0, len);
	TEST_ASSERT_EQUAL(at_write(env, local, TARGET, 0), 1);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, len);
	return TEST_SUCCESS;
}

/* So many that the list is not in the WQE: every third byte, backwards. */
static int
write_from_long_list(struct at_env *env)
{
	enum { NB = 3000 };
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	static struct rte_umr_seg segs[NB];
	uint8_t expected[NB];

	for (uint32_t i = 0; i < NB; i++) {
		segs[i] = at_seg(env->tx, 3 * (NB - i), 1);
		expected[i] = env->tx->buf[3 * (NB - i)];
	}
	TEST_ASSERT_EQUAL(at_list(env, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs, NB, 0), 0);
	/* The array was copied. */
	memset(segs, 0, sizeof(segs));
	TEST_ASSERT_EQUAL(at_write(env, at_key_seg(mkey, 0, NB), TARGET, 0), 1);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, NB);
	return TEST_SUCCESS;
}

static int
read_into_list(struct at_env *env)
{
	uint8_t got[AT_BUF_LEN / 4];
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	struct rte_umr_seg segs[NB_SEGS], local;

	const uint32_t len = list_make(env->tx, TARGET, segs);
	TEST_ACCEPT(at_list(env, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs, NB_SEGS, 0));
	local = at_key_seg(mkey, 0, len);
	TEST_ACCEPT(at_read(env, local, 77, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	list_gather(segs, got);
	TEST_ASSERT_SAME(env->rx->buf + 77, got, len);
	return TEST_SUCCESS;
}

/* The peer's key is a list, too, and the transfer starts in the middle of it. */
static int
write_into_remote_list(struct at_env *env)
{
	const uint32_t skip = 701;
	uint8_t got[AT_BUF_LEN / 4];
	struct rte_umr_mkey *mkey = AT_KEY(env->rx);
	struct rte_umr_seg segs[NB_SEGS], local;

	const uint32_t len = list_make(env->rx, TARGET, segs);
	TEST_ACCEPT(rte_umr_mkey_list(env->rx->dev_id, env->rx_queue, mkey,
				      RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE,
				      segs, NB_SEGS, RTE_UMR_OP_F_SUBMIT));
	TEST_ASSERT_SUCCESS(at_expect_rx(env, RTE_UMR_STATUS_SUCCESS, NULL));
	local = at_seg(env->tx, 55, len - skip);
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &local, skip, mkey->key, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	list_gather(segs, got);
	TEST_ASSERT_SAME(env->tx->buf + 55, got + skip, len - skip);
	return TEST_SUCCESS;
}

static int
write_from_interleaved(struct at_env *env)
{
	enum { repeat = 9 };
	const struct rte_umr_interleaved entries[] = {
		{ .addr = at_addr(env->tx, 1), .bytes_count = 512, .bytes_skip = 8,
		  .lkey = env->tx->mr->lkey },
		{ .addr = at_addr(env->tx, 0x8003), .bytes_count = 3, .bytes_skip = 0,
		  .lkey = env->tx->mr->lkey },
		{ .addr = at_addr(env->tx, 0x9001), .bytes_count = 100, .bytes_skip = 1900,
		  .lkey = env->tx->mr->lkey },
	};
	uint8_t expected[repeat * (512 + 3 + 100)], *to = expected;
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);

	for (uint32_t r = 0; r < repeat; r++) {
		for (uint32_t e = 0; e < RTE_DIM(entries); e++) {
			const uint32_t stride = entries[e].bytes_count + entries[e].bytes_skip;

			memcpy(to, (const void *)(uintptr_t)(entries[e].addr + r * stride),
			       entries[e].bytes_count);
			to += entries[e].bytes_count;
		}
	}
	TEST_ACCEPT(rte_umr_mkey_interleaved(env->tx->dev_id, 0, mkey, RTE_UMR_ACCESS_LOCAL_WRITE,
					     repeat, entries, RTE_DIM(entries), 0));
	TEST_ACCEPT(at_write(env, at_key_seg(mkey, 0, sizeof(expected)), TARGET, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, sizeof(expected));
	return TEST_SUCCESS;
}

/* One message: out of a list at the sender, into a two-segment receive at the peer. */
static int
message(struct at_env *env, bool has_imm)
{
	const rte_be32_t imm = rte_cpu_to_be_32(0x01020304);
	uint8_t expected[AT_BUF_LEN / 4];
	struct rte_umr_mkey *mkey = AT_KEY(env->tx);
	struct rte_umr_seg segs[NB_SEGS], recv_segs[2], local;
	struct rte_umr_completion done;
	int idx;

	const uint32_t len = list_make(env->tx, 0, segs);
	list_gather(segs, expected);
	recv_segs[0] = at_seg(env->rx, TARGET, 1000);
	recv_segs[1] = at_seg(env->rx, TARGET + 1000, AT_BUF_LEN / 4);
	idx = rte_umr_recv(env->rx->dev_id, env->rx_queue, recv_segs, 2, 0);
	TEST_ASSERT_EQUAL(idx, 0);
	TEST_ACCEPT(at_list(env, mkey, RTE_UMR_ACCESS_LOCAL_WRITE, segs, NB_SEGS, 0));
	local = at_key_seg(mkey, 0, len);
	if (has_imm)
		idx = rte_umr_send_imm(env->tx->dev_id, 0, &local, imm, 0);
	else
		idx = at_send(env, local, 0);
	TEST_ASSERT_EQUAL(idx, 1);
	TEST_ASSERT_SUCCESS(at_finish(env, 2));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_RECV);
	TEST_ASSERT_EQUAL(done.idx, 0);
	TEST_ASSERT_EQUAL(done.length, len);
	TEST_ASSERT_EQUAL(done.flags & RTE_UMR_COMPLETION_F_IMM, has_imm ?
			  RTE_UMR_COMPLETION_F_IMM : 0);
	if (has_imm)
		TEST_ASSERT_EQUAL(done.imm, imm);
	TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, len);
	return TEST_SUCCESS;
}

AT_CALL(message_plain, message(env, false))
AT_CALL(message_imm, message(env, true))

static int
write_imm(struct at_env *env)
{
	const rte_be32_t imm = rte_cpu_to_be_32(0xfffefdfc);
	const struct rte_umr_seg local = at_seg(env->tx, 11, 3000);
	struct rte_umr_completion done;

	/* A write with immediate takes a receive but not its memory. */
	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, NULL, 0, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_write_imm(env->tx->dev_id, 0, &local, at_addr(env->rx, TARGET),
					    env->rx->mr->rkey, imm, 0), 0);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.op, RTE_UMR_OP_RECV_WRITE_IMM);
	TEST_ASSERT_EQUAL(done.flags & RTE_UMR_COMPLETION_F_IMM, RTE_UMR_COMPLETION_F_IMM);
	TEST_ASSERT_EQUAL(done.imm, imm);
	TEST_ASSERT_SAME(env->rx->buf + TARGET, env->tx->buf + 11, 3000);
	return TEST_SUCCESS;
}

static int
empty_transfers(struct at_env *env)
{
	const struct rte_umr_seg none = at_seg(env->tx, 0, 0);
	struct rte_umr_completion done;

	TEST_ASSERT_EQUAL(rte_umr_recv(env->rx->dev_id, env->rx_queue, NULL, 0, 0), 0);
	TEST_ACCEPT(at_write(env, none, 0, 0));
	TEST_ACCEPT(at_read(env, none, 0, 0));
	TEST_ACCEPT(at_send(env, none, 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, &done));
	TEST_ASSERT_EQUAL(done.length, 0);
	return TEST_SUCCESS;
}

/* A read that follows a write sees it; a fenced write that follows a read sends what it brought. */
static int
read_behind_write(struct at_env *env)
{
	const struct rte_umr_seg first = at_seg(env->tx, 0, 4096);
	const struct rte_umr_seg back = at_seg(env->tx, 0x4000, 4096);
	const uint64_t place = at_addr(env->rx, TARGET), copy = at_addr(env->rx, TARGET + 4096);
	const uint32_t rkey = env->rx->mr->rkey;

	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &first, place, rkey, 0));
	TEST_ACCEPT(rte_umr_read(env->tx->dev_id, 0, &back, place, rkey, 0));
	TEST_ACCEPT(rte_umr_write(env->tx->dev_id, 0, &back, copy, rkey, RTE_UMR_OP_F_FENCE));
	TEST_ASSERT_SUCCESS(at_finish(env, 3));
	TEST_ASSERT_SAME(env->tx->buf, env->tx->buf + 0x4000, 4096);
	TEST_ASSERT_SAME(env->tx->buf, env->rx->buf + TARGET + 4096, 4096);
	return TEST_SUCCESS;
}

AT_EVERYWHERE(data, write_gathers_a_list, write_from_list)
AT_EVERYWHERE(data, read_scatters_into_a_list, read_into_list)

AT_CASE_CALL(data, write_gathers_a_long_list, at_everywhere(env, 3000, write_from_long_list))

AT_EVERYWHERE(data, write_scatters_into_the_peers_list, write_into_remote_list)
AT_EVERYWHERE(data, write_gathers_an_interleaved_layout, write_from_interleaved)
AT_EVERYWHERE(data, send_gathers_a_list_into_a_receive, message_plain)
AT_EVERYWHERE(data, send_with_immediate_brings_it, message_imm)
AT_EVERYWHERE(data, write_with_immediate_takes_a_receive, write_imm)
AT_EVERYWHERE(data, empty_transfers_complete, empty_transfers)
AT_EVERYWHERE(data, read_behind_write_sees_it_and_fence_holds, read_behind_write)
