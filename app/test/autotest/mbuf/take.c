/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A pipeline on a device with faults: what was not sent is taken back and sent again, and no packet
 * is lost, sent twice, or overtaken.
 */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "swhca_control.h"

#include "control.h"
#include "mbuf/bed.h"

#define NB_PACKETS	625u
#define NB_FAULTS	30u
#define WINDOW		16u
#define LEN		32u	/* of a packet: its number, again and again */
#define NB_ATTEMPTS	((AT_BUF_LEN - BED_TARGET) / LEN)

/* Packets are numbered from 1. Each attempt to send one writes to a place of its own. */
struct pipeline {
	struct mbuf_bed *bed;
	struct rte_umr_mkey_pool *pool;
	struct rte_mbuf *mbufs[WINDOW];	/* to be sent, in order */
	struct rte_umr_mkey *mkeys[WINDOW];
	uint32_t nb_waiting;
	uint32_t nb_made;
	uint32_t nb_attempts;
	uint32_t nb_sent;
	uint32_t nb_taken;
};

/* Packets that come from somewhere, behind those that are to be sent again. */
static int
packets_make(struct pipeline *p)
{
	struct rte_mbuf *mbuf;

	for (; p->nb_waiting < WINDOW && p->nb_made < NB_PACKETS; p->nb_waiting++) {
		mbuf = TEST_NOT_NULL(rte_pktmbuf_alloc(p->bed->direct));
		p->nb_made++;
		for (uint32_t i = 0; i < LEN / sizeof(uint32_t); i++)
			*(uint32_t *)rte_pktmbuf_append(mbuf, sizeof(uint32_t)) = p->nb_made;
		p->mbufs[p->nb_waiting] = mbuf;
		TEST_ASSERT_SUCCESS(rte_umr_mkey_get_bulk(p->pool, &p->mkeys[p->nb_waiting], 1));
	}
	return TEST_SUCCESS;
}

/* A key over each packet, and a write through it. */
static int
packets_post(struct pipeline *p)
{
	const struct at_env *env = p->bed->env;
	int idx;

	for (uint32_t i = 0; i < p->nb_waiting; i++) {
		const struct rte_umr_mbuf_op op = {
			.mkey = p->mkeys[i], .mbuf = p->mbufs[i], .len = RTE_UMR_MBUF_REST,
		};
		const struct rte_umr_seg local = at_key_seg(p->mkeys[i], 0, LEN);

		TEST_ASSERT(p->nb_attempts < NB_ATTEMPTS);
		TEST_ACCEPT(rte_umr_mbuf_mkey_list(env->tx->dev_id, 0, 0, &op, 0));
		idx = at_write(env, local, BED_TARGET + p->nb_attempts++ * LEN, 0);
		TEST_ASSERT(idx >= 0);
		TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold_mkeys(p->bed->fifo, (uint16_t)idx,
								 p->pool, &p->mbufs[i],
								 &p->mkeys[i], 1));
	}
	TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
	return TEST_SUCCESS;
}

/* What was sent is freed; what was not waits again. @return TEST_SUCCESS */
static int
packets_collect(struct pipeline *p, bool *has_failed)
{
	const int16_t dev_id = p->bed->env->tx->dev_id;
	struct rte_umr_completion done;
	uint32_t i, nb_ops = 2 * p->nb_waiting;

	p->nb_waiting = 0;
	*has_failed = false;
	for (i = 0; i < nb_ops; i++) {
		TEST_ASSERT_EQUAL(at_collect(dev_id, 0, &done, 1), 1);
		if (done.status == RTE_UMR_STATUS_SUCCESS) {
			p->nb_sent += rte_umr_mbuf_fifo_release(p->bed->fifo, done.idx);
			continue;
		}
		*has_failed = true;
		p->nb_waiting += rte_umr_mbuf_fifo_take(p->bed->fifo, done.idx,
							&p->mbufs[p->nb_waiting],
							&p->mkeys[p->nb_waiting],
							WINDOW - p->nb_waiting);
	}
	p->nb_taken += p->nb_waiting;
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_avail(p->bed->fifo), BED_NB_DESC);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(p->pool), WINDOW - p->nb_waiting);
	return TEST_SUCCESS;
}

/* In the order of the attempts, those that arrived have all numbers, each once. */
static int
arrivals_check(const struct pipeline *p)
{
	const uint8_t *target = p->bed->env->rx->buf + BED_TARGET;
	uint32_t i, j, number, words[LEN / sizeof(uint32_t)], nb = 0;

	for (i = 0; i < NB_ATTEMPTS; i++) {
		memcpy(words, target + i * LEN, LEN);
		number = words[0] == 0 ? 0 : ++nb;
		for (j = 0; j < RTE_DIM(words); j++)
			TEST_ASSERT_EQUAL(words[j], number);
	}
	TEST_ASSERT_EQUAL(nb, NB_PACKETS);
	return TEST_SUCCESS;
}

static int
pipeline_run(struct pipeline *p)
{
	struct at_env *env = p->bed->env;
	uint64_t nb_before, nb_fired;
	bool has_failed;
	char line[128];

	memset(env->rx->buf + BED_TARGET, 0, AT_BUF_LEN - BED_TARGET);
	TEST_ASSERT_EQUAL(swhca_control_fault_fired(getpid(), 0, "error-cqe", &nb_before), 0);
	snprintf(line, sizeof(line), "fault 0 error-cqe,one-of=20,count=%u,seed=%u", NB_FAULTS,
		 test_seed());
	TEST_ASSERT_SUCCESS(at_device_do(line));
	while (p->nb_sent < NB_PACKETS) {
		TEST_ASSERT_SUCCESS(packets_make(p));
		TEST_ASSERT(p->nb_waiting != 0);
		TEST_ASSERT_SUCCESS(packets_post(p));
		TEST_ASSERT_SUCCESS(packets_collect(p, &has_failed));
		if (has_failed)
			TEST_ASSERT_SUCCESS(at_env_recover(env));
	}
	TEST_ASSERT_EQUAL(swhca_control_fault_fired(getpid(), 0, "error-cqe", &nb_fired), 0);
	TEST_ASSERT_SUCCESS(at_device_do("fault 0 off"));
	printf("    %u packets, %u faults, %u sent again\n", p->nb_sent,
	       (uint32_t)(nb_fired - nb_before), p->nb_taken);
	TEST_ASSERT(nb_fired - nb_before > NB_FAULTS / 2);
	TEST_ASSERT(p->nb_taken > NB_FAULTS / 2);
	return arrivals_check(p);
}

static int
nothing_is_lost(struct mbuf_bed *bed)
{
	const struct rte_umr_mkey_pool_conf conf = {
		.nb_mkeys = WINDOW, .max_entries = 1, .socket_id = -1,
	};
	struct pipeline p = { .bed = bed };

	TEST_NEED(at_need_control());
	p.pool = rte_umr_mkey_pool_create(bed->env->tx->dev_id, &conf);
	TEST_ASSERT(p.pool != NULL);
	const int ret = pipeline_run(&p);
	return ret == TEST_SUCCESS ? rte_umr_mkey_pool_destroy(p.pool) : ret;
}

AT_CASE_CALL(take, pipeline_with_faults_loses_no_packet, mbuf_everywhere(env, nothing_is_lost))

/* Writes that share a key, which the last one has. */
static int
writes_post(struct mbuf_bed *bed, struct rte_mbuf **mbufs, uint16_t nb)
{
	const struct at_env *env = bed->env;
	struct rte_umr_mkey *mkeys[WINDOW] = { NULL };

	mkeys[nb - 1] = rte_umr_mkey_get(env->tx->pool);
	TEST_ASSERT(mkeys[nb - 1] != NULL);
	TEST_ASSERT_SUCCESS(rte_pktmbuf_alloc_bulk(bed->direct, mbufs, nb));
	for (uint16_t i = 0; i < nb; i++) {
		TEST_ASSERT_EQUAL(at_write(env, at_seg(env->tx, 0, LEN), BED_TARGET, 0), i);
		TEST_ASSERT_SUCCESS(rte_umr_mbuf_fifo_hold_mkeys(bed->fifo, i, env->tx->pool,
								 &mbufs[i], &mkeys[i], 1));
	}
	return TEST_SUCCESS;
}

/* Nothing was submitted: all of it is taken, some by some, and its keys are in their pool. */
static int
taken_when_stopped(struct mbuf_bed *bed)
{
	struct rte_mbuf *mbufs[WINDOW], *taken[WINDOW];
	struct at_side *tx = bed->env->tx;
	const uint32_t nb_free = rte_umr_mkey_pool_avail(tx->pool);
	uint32_t i, nb = 0;

	TEST_ASSERT_SUCCESS(writes_post(bed, mbufs, WINDOW));
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(tx->dev_id));
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(tx->pool), nb_free - 1);
	for (i = 0; i < WINDOW; i += 5)
		nb += rte_umr_mbuf_fifo_take(bed->fifo, WINDOW - 1, &taken[nb], NULL, 5);
	TEST_ASSERT_EQUAL(nb, WINDOW);
	TEST_ASSERT_EQUAL(memcmp(mbufs, taken, sizeof(mbufs)), 0);
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(tx->pool), nb_free);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_take(bed->fifo, WINDOW - 1, taken, NULL, 5), 0);
	rte_pktmbuf_free_bulk(mbufs, WINDOW);
	return TEST_SUCCESS;
}

AT_CASE_CALL(take, stopped_device_gives_back_what_was_held,
	mbuf_bed_run(env, AT_LOOPBACK, taken_when_stopped))

/* A success puts keys back by itself, by each way to collect. */
static int
keys_return(struct mbuf_bed *bed)
{
	struct at_side *tx = bed->env->tx;
	const uint32_t nb_free = rte_umr_mkey_pool_avail(tx->pool);
	struct rte_mbuf *mbufs[WINDOW];

	TEST_ASSERT_SUCCESS(writes_post(bed, mbufs, WINDOW));
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(tx->pool), nb_free - 1);
	TEST_ASSERT_SUCCESS(rte_umr_submit(tx->dev_id, 0));
	TEST_ASSERT_SUCCESS(mbuf_collect(bed, WINDOW, RTE_UMR_STATUS_SUCCESS));
	TEST_ASSERT_EQUAL(rte_umr_mkey_pool_avail(tx->pool), nb_free);
	return TEST_SUCCESS;
}

AT_CASE_CALL(take, keys_return_to_their_pool, mbuf_bed_run(env, AT_LOOPBACK, keys_return))
