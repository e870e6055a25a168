/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Operations that are written to the device itself (BlueField). */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "autotest.h"
#include "env.h"

#define TARGET (AT_BUF_LEN / 2)

/* nb_bf of such a queue after a write, two under one doorbell, an inline one, a long list. */
static int
bf_count(struct at_env *env, uint16_t flags, uint64_t *nb_bf)
{
	struct rte_umr_queue_stats stats;
	struct rte_umr_seg local, segs[20];

	AT_BUILD(env, .queue_flags = flags);
	at_fill(env);
	local = at_seg(env->tx, 3, 60);
	for (uint32_t i = 0; i < 4; i++) {
		TEST_ACCEPT(at_write(env, local, TARGET + i * 100, i == 3 ? RTE_UMR_OP_F_INLINE :
				     0));
		if (i != 1)
			TEST_ASSERT_SUCCESS(at_finish(env, i == 2 ? 2 : 1));
		TEST_ASSERT(i == 1 || at_first_difference(env->rx->buf + TARGET + i * 100,
							  env->tx->buf + 3, 60) < 0);
	}
	struct rte_umr_mkey *const mkey = AT_KEY(env->tx);
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i * 16, 16);
	TEST_ACCEPT(at_list(env, mkey, 0, segs, RTE_DIM(segs), 0));
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(env->tx->dev_id, 0, &stats));
	TEST_ASSERT_EQUAL(stats.nb_doorbells, 4);
	*nb_bf = stats.nb_bf;
	return at_env_fini(env);
}

AT_CASE(bf, queues_write_to_the_device_as_they_were_told)
{
	static const struct {
		uint16_t flags;
		uint64_t nb_bf;
	} bf_cases[] = {
		{ 0, 0 }, { RTE_UMR_QUEUE_F_NO_BF, 0 }, { RTE_UMR_QUEUE_F_BF_INLINE, 1 },
		{ RTE_UMR_QUEUE_F_BF, 2 },
	};
	const struct rte_umr_queue_conf bad = {
		.nb_desc = 64, .socket_id = -1, .flags = RTE_UMR_QUEUE_F_BF | RTE_UMR_QUEUE_F_NO_BF,
	};
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	uint64_t nb_bf = 0;

	for (size_t i = 0; i < RTE_DIM(bf_cases); i++) {
		TEST_ASSERT_SUCCESS(bf_count(env, bf_cases[i].flags, &nb_bf));
		TEST_ASSERT_EQUAL(nb_bf, bf_cases[i].nb_bf);
	}
	TEST_ASSERT_SUCCESS(at_side_probe(env, 0));
	TEST_ASSERT((env->sides[0].info.dev_capa & RTE_UMR_CAPA_BF) != 0);
	TEST_ASSERT_EQUAL(env->sides[0].info.max_bf_desc, 4);
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(env->sides[0].dev_id, &dev_conf));
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(env->sides[0].dev_id, 0, &bad), -EINVAL);
	return TEST_SUCCESS;
}

/* A write alone, on a queue without flags of a device that was opened so. */
static int
bf_count_of_device(struct at_env *env, const char *options, uint64_t *nb_bf)
{
	const struct rte_umr_queue_conf queue_conf = { .nb_desc = 64, .socket_id = -1 };
	const struct rte_umr_dev_conf dev_conf = { .nb_queues = 1 };
	const struct rte_umr_seg none = { 0 };
	struct rte_umr_queue_stats stats;

	env->options = options;
	TEST_NEED(at_side_probe(env, 0));
	env->tx = &env->sides[0];
	const int16_t dev_id = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_configure(dev_id, &dev_conf));
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev_id, 0, &queue_conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev_id));
	TEST_ASSERT_EQUAL(rte_umr_write(dev_id, 0, &none, 0, 0, RTE_UMR_OP_F_SUBMIT), 0);
	TEST_ASSERT_SUCCESS(at_expect_tx(env, RTE_UMR_STATUS_SUCCESS, NULL));
	TEST_ASSERT_SUCCESS(rte_umr_queue_stats_get(dev_id, 0, &stats));
	*nb_bf = stats.nb_bf;
	return at_env_fini(env);
}

AT_CASE(bf, options_and_environment_choose_bluefield)
{
	static const struct {
		const char *prefer;	/* MLX5_POST_SEND_PREFER_BF */
		const char *shut_up;	/* MLX5_SHUT_UP_BF */
		const char *options;
		uint64_t nb_bf;
	} bf_cases[] = {
		{ NULL, NULL, "", 0 },		{ NULL, NULL, ",bf=single", 1 },
		{ NULL, NULL, ",uar=bf", 1 },	{ "0", NULL, ",uar=bf", 0 },
		{ "1", NULL, ",uar=bf", 1 },	{ "1", "1", ",uar=bf", 0 },
		{ "1", "0", ",uar=bf", 1 },	{ "0", NULL, ",uar=bf,bf=single", 1 },
		{ NULL, NULL, ",uar=bf,bf=off", 0 }, { "1", NULL, "", 0 },
		{ NULL, NULL, ",bf=inline", 0 },
	};
	uint64_t nb_bf = 77;
	int ret;

	TEST_ASSERT_SUCCESS(at_option_rejected("bf=often"));
	for (size_t i = 0; i < RTE_DIM(bf_cases); i++) {
		if (bf_cases[i].prefer != NULL)
			setenv("MLX5_POST_SEND_PREFER_BF", bf_cases[i].prefer, 1);
		if (bf_cases[i].shut_up != NULL)
			setenv("MLX5_SHUT_UP_BF", bf_cases[i].shut_up, 1);
		ret = bf_count_of_device(env, bf_cases[i].options, &nb_bf);
		unsetenv("MLX5_POST_SEND_PREFER_BF");
		unsetenv("MLX5_SHUT_UP_BF");
		TEST_ASSERT_SUCCESS(ret);
		if (nb_bf != bf_cases[i].nb_bf)
			TEST_FAIL_AT("case %zu: %" PRIu64 " WQEs were written, not %" PRIu64, i,
				     nb_bf, bf_cases[i].nb_bf);
	}
	return TEST_SUCCESS;
}
