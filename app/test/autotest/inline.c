/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Bytes that go in the WQE. */

#include <errno.h>
#include <string.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)
#define MAX_INLINE_TEST 1024u

static uint16_t
max_inline(const struct at_env *env)
{
	struct rte_umr_dev_info info;

	return rte_umr_dev_info_get(env->tx->dev_id, &info) == 0 ? info.max_inline : 0;
}

static uint32_t
next_length(uint32_t len, uint32_t max)
{
	return len < 80 ? len + 1 : len < max ? RTE_MIN(len + 97, max) : max + 1;
}

/* Every length around the sizes of a WQE; the source changes before the device sees anything. */
static int
inline_write(struct at_env *env)
{
	const uint32_t max = max_inline(env);
	uint8_t expected[MAX_INLINE_TEST];

	TEST_ASSERT(max >= 64 && max <= sizeof(expected));
	for (uint32_t len = 0; len <= max; len = next_length(len, max)) {
		const struct rte_umr_seg local = {
			.addr = at_addr(env->tx, 7), .length = len, .lkey = 0xbad,
		};

		at_fill(env);
		memcpy(expected, env->tx->buf + 7, max);
		TEST_ACCEPT(at_write(env, local, TARGET + 1, RTE_UMR_OP_F_INLINE));
		memset(env->tx->buf + 7, 0xee, max);
		memcpy(expected + len, env->rx->buf + TARGET + 1 + len, sizeof(expected) - len);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SAME(env->rx->buf + TARGET + 1, expected, sizeof(expected));
	}
	return TEST_SUCCESS;
}

static int
inline_send(struct at_env *env)
{
	const uint32_t max = max_inline(env);
	uint8_t expected[MAX_INLINE_TEST];
	struct rte_umr_completion done;

	TEST_ASSERT(max >= 64 && max <= sizeof(expected));
	for (uint32_t len = 0; len <= max; len = next_length(len, max)) {
		const struct rte_umr_seg to = at_seg(env->rx, TARGET, sizeof(expected));
		const struct rte_umr_seg local = {
			.addr = at_addr(env->tx, 7), .length = len, .lkey = 0xbad,
		};
		const rte_be32_t imm = rte_cpu_to_be_32(len * 77);

		at_fill(env);
		memcpy(expected, env->tx->buf + 7, max);
		memcpy(expected + len, env->rx->buf + TARGET + len, sizeof(expected) - len);
		TEST_ACCEPT(rte_umr_recv(env->rx->dev_id, env->rx_queue, &to, 1, 0));
		TEST_ACCEPT(rte_umr_send_imm(env->tx->dev_id, 0, &local, imm, RTE_UMR_OP_F_INLINE));
		memset(env->tx->buf + 7, 0xee, max);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SUCCESS(at_expect_recv(env, RTE_UMR_STATUS_SUCCESS, &done));
		TEST_ASSERT_EQUAL(done.length, len);
		TEST_ASSERT_EQUAL(done.imm, imm);
		TEST_ASSERT_SAME(env->rx->buf + TARGET, expected, sizeof(expected));
	}
	return TEST_SUCCESS;
}

AT_CASE(inline, inline_limits)
{
	const struct rte_umr_queue_conf queue_conf = {
		.nb_desc = 64, .socket_id = -1, .max_inline = 100,
	};
	struct rte_umr_queue_conf bad_conf = queue_conf;
	struct rte_umr_seg local;

	AT_BUILD(env, .topology = AT_LOOPBACK);
	const int16_t dev = env->tx->dev_id;
	const uint32_t max = max_inline(env);
	const uint64_t addr = at_addr(env->rx, TARGET);
	const uint32_t rkey = env->rx->mr->rkey;
	local = at_seg(env->tx, 0, max + 1);
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_write_imm(dev, 0, &local, addr, rkey, 0, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send(dev, 0, &local, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send_imm(dev, 0, &local, 0, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	TEST_ASSERT_EQUAL(rte_umr_send_inv(dev, 0, &local, 5, RTE_UMR_OP_F_INLINE), -EMSGSIZE);
	local.length = 8;
	TEST_ASSERT_EQUAL(rte_umr_read(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE), -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE |
					RTE_BIT64(40)), -EINVAL);
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
	bad_conf.max_inline = (uint16_t)(max + 1);
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev, 0, &bad_conf), -ERANGE);
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev));
	local.length = 101;
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EMSGSIZE);
	local.length = 100;
	TEST_ASSERT_EQUAL(rte_umr_write(dev, 0, &local, addr, rkey, RTE_UMR_OP_F_INLINE), 0);
	return at_finish(env, 1);
}

/* The longest inline WQEs, over the end of the smallest ring, again and again. */
AT_CASE(inline, inline_wqes_go_round_the_ring)
{
	AT_BUILD(env, .nb_desc = 32);
	at_fill(env);
	const uint32_t max = max_inline(env);
	for (uint32_t i = 0; i < 200; i++) {
		const struct rte_umr_seg local = at_seg(env->tx, i * 3, max - i % 300);

		TEST_ASSERT_EQUAL(at_write(env, local, TARGET + i, RTE_UMR_OP_F_INLINE), i);
		TEST_ASSERT_SUCCESS(at_finish(env, 1));
		TEST_ASSERT_SAME(env->rx->buf + TARGET + i, env->tx->buf + i * 3, local.length);
	}
	return TEST_SUCCESS;
}

AT_EVERYWHERE(inline, inline_write_takes_the_bytes_at_once, inline_write)
AT_EVERYWHERE(inline, inline_send_takes_the_bytes_at_once, inline_send)
