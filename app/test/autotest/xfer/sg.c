/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Lists of any length: each way moves the same bytes, and keys of the queue are never lost. */

#include <errno.h>
#include <string.h>

#include "autotest.h"
#include "dc/dc.h"
#include "env.h"
#include "xfer/segs.h"

#define TARGET		(AT_BUF_LEN / 2)
#define MAX_LIST	600u
#define PLACE		96u	/* of a segment in its half */
#define MAX_LEN		64u
#define NB_KEYS		4u

static const uint32_t counts[] = { 0, 1, 2, 3, 29, 30, 31, 52, 53, 61, 62, 122, 123, 300, 600 };

/* Options that force a way, and its counters for writes and reads. */
static const struct way {
	const char *options;
	const char *write_counter;
	const char *read_counter;
} ways[] = {
	{ ",sg_inline=900,sg_key=0,sg_read_key=0", "sg_inline", NULL },
	{ ",sg_inline=0,sg_key=0,sg_read_key=0", NULL, NULL },
	{ ",sg_inline=0,sg_key=1,sg_read_key=1", "sg_key", "sg_key" },
	/* What is measured. */
	{ NULL, NULL, NULL },
};

static uint64_t
counter(const struct at_env *env, const char *name)
{
	uint64_t value = UINT64_MAX;

	return rte_umr_xstats_by_name_get(env->tx->dev_id, 0, name, &value) == 0 ? value :
										    UINT64_MAX;
}

/* All operations that a way was chosen for. */
static uint64_t
nb_counted(const struct at_env *env)
{
	return counter(env, "sg_inline") + counter(env, "sg_wqe") + counter(env, "sg_wqes") +
	       counter(env, "sg_key");
}

static int
write_moves(struct at_env *env, const struct at_side *to, uint32_t offset, uint32_t nb)
{
	struct rte_umr_seg segs[MAX_LIST];
	const uint32_t total = segs_make(env->tx, segs, nb, nb, MAX_LIST, PLACE, MAX_LEN);

	memset(to->buf + offset, 0xee, total + 1);
	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_write_sg(env->tx->dev_id, 0, segs, nb,
							  at_addr(to, offset), to->mr->rkey, 0),
				    RTE_UMR_OP_WRITE, total));
	TEST_ASSERT_EQUAL(to->buf[offset + total], 0xee);
	return segs_are(segs, nb, to->buf + offset);
}

static int
read_moves(struct at_env *env, const struct at_side *from, uint32_t offset, uint32_t nb)
{
	struct rte_umr_seg segs[MAX_LIST];
	const uint32_t total = segs_make(env->tx, segs, nb, nb, MAX_LIST, PLACE, MAX_LEN);

	TEST_ASSERT_SUCCESS(done_is(env, rte_umr_read_sg(env->tx->dev_id, 0, segs, nb,
							 at_addr(from, offset), from->mr->rkey, 0),
				    RTE_UMR_OP_READ, total));
	return segs_are(segs, nb, from->buf + offset);
}

/* One list in both directions, and what was counted. */
static int
list_moves(struct at_env *env, const struct way *way, uint32_t nb)
{
	const uint64_t before = nb_counted(env);
	uint64_t nb_way;

	at_fill(env);
	nb_way = way->write_counter != NULL ? counter(env, way->write_counter) : 0;
	TEST_ASSERT_SUCCESS(write_moves(env, env->rx, TARGET + 3, nb));
	/* Longer ones are not copied, and nothing needs no key. */
	if (way->write_counter != NULL && nb != 0 && nb <= 3)
		TEST_ASSERT_EQUAL(counter(env, way->write_counter), nb_way + 1);
	at_fill(env);
	nb_way = way->read_counter != NULL ? counter(env, way->read_counter) : 0;
	TEST_ASSERT_SUCCESS(read_moves(env, env->rx, TARGET + 5, nb));
	if (way->read_counter != NULL && nb != 0)
		TEST_ASSERT_EQUAL(counter(env, way->read_counter), nb_way + 1);
	TEST_ASSERT_EQUAL(nb_counted(env), before + 2);
	return TEST_SUCCESS;
}

AT_CASE(sg, each_way_moves_all_of_it)
{
	int topology, ret;

	for (unsigned int w = 0; w < RTE_DIM(ways); w++) {
		for (topology = 0; topology < AT_NB_TOPOLOGIES; topology++) {
			const struct at_conf conf = {
				.topology = (enum at_topology)topology, .options = ways[w].options,
				.nb_sg_mkeys = NB_KEYS, .max_sg_entries = MAX_LIST,
			};

			ret = at_env_build(env, &conf);
			if (ret == TEST_SKIPPED) {
				TEST_ASSERT_SUCCESS(at_env_fini(env));
				continue;
			}
			TEST_ASSERT_SUCCESS(ret);
			for (unsigned int i = 0; i < RTE_DIM(counts); i++)
				if (list_moves(env, &ways[w], counts[i]) != TEST_SUCCESS)
					TEST_FAIL_AT("%u segments, %s, %s", counts[i],
						     at_topology_name(conf.topology),
						     ways[w].options);
			TEST_ASSERT_SUCCESS(at_env_fini(env));
		}
	}
	return TEST_SUCCESS;
}

/* When all keys are in use, lists go without; when they were collected, they are used again. */
AT_CASE(sg, keys_come_back)
{
	struct rte_umr_seg segs[8];

	AT_BUILD(env, .topology = AT_TWO_DEVICES, .options = ways[2].options,
		 .nb_sg_mkeys = NB_KEYS);
	at_fill(env);
	segs_make(env->tx, segs, RTE_DIM(segs), 1, MAX_LIST, PLACE, MAX_LEN);
	for (uint32_t round = 1; round <= 10; round++) {
		for (uint32_t i = 0; i < NB_KEYS + 3; i++)
			TEST_ACCEPT(rte_umr_write_sg(env->tx->dev_id, 0, segs, RTE_DIM(segs),
						     at_addr(env->rx, TARGET + i * 1024),
						     env->rx->mr->rkey, 0));
		TEST_ASSERT_EQUAL(counter(env, "sg_key"), round * NB_KEYS);
		TEST_ASSERT_EQUAL(counter(env, "sg_wqe"), round * 3);
		TEST_ASSERT_SUCCESS(at_finish(env, NB_KEYS + 3));
		for (uint32_t i = 0; i < NB_KEYS + 3; i++)
			TEST_ASSERT_SUCCESS(segs_are(segs, RTE_DIM(segs), env->rx->buf + TARGET +
						     i * 1024));
	}
	return TEST_SUCCESS;
}

/* Failed, flushed and discarded operations hold no key after recovery and restart. */
AT_CASE(sg, failures_lose_no_key)
{
	struct rte_umr_completion done[NB_KEYS];
	struct rte_umr_seg segs[100];
	uint32_t i, round, nb = 0;

	AT_BUILD(env, .topology = AT_TWO_DEVICES, .options = ways[2].options,
		 .nb_sg_mkeys = NB_KEYS, .max_sg_entries = MAX_LIST);
	for (round = 0; round < 12; round++) {
		segs_make(env->tx, segs, RTE_DIM(segs), 1, MAX_LIST, PLACE, MAX_LEN);
		segs[50].lkey = 0xbad00;
		for (i = 0; i < NB_KEYS; i++)
			TEST_ACCEPT(rte_umr_write_sg(env->tx->dev_id, 0, segs, round % 2 != 0 ? 51 :
						     RTE_DIM(segs), at_addr(env->rx, TARGET),
						     env->rx->mr->rkey, 0));
		if (round % 3 != 2) {
			TEST_ASSERT_SUCCESS(rte_umr_submit(env->tx->dev_id, 0));
			TEST_ASSERT_EQUAL(at_collect(env->tx->dev_id, 0, done, NB_KEYS), NB_KEYS);
			TEST_ASSERT(done[0].status == RTE_UMR_STATUS_LOCAL_PROT ||
				    done[0].status == RTE_UMR_STATUS_MKEY_CONFIG);
			TEST_ASSERT_EQUAL(done[0].op, RTE_UMR_OP_WRITE);
			TEST_ASSERT_EQUAL(done[1].status, RTE_UMR_STATUS_FLUSHED);
			TEST_ASSERT_SUCCESS(at_env_recover(env));
			nb += NB_KEYS;
		} else {
			/* Never submitted. */
			TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->tx->dev_id));
			TEST_ASSERT_SUCCESS(rte_umr_dev_stop(env->rx->dev_id));
			TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->tx->dev_id));
			TEST_ASSERT_SUCCESS(rte_umr_dev_start(env->rx->dev_id));
			TEST_ASSERT_SUCCESS(at_env_connect(env));
			nb = 0;
		}
		TEST_ASSERT_EQUAL(counter(env, "sg_key"), nb);
		for (i = 0; i < NB_KEYS; i++)
			TEST_ASSERT_SUCCESS(write_moves(env, env->rx, TARGET, 30 + round));
		nb += NB_KEYS;
		TEST_ASSERT_EQUAL(counter(env, "sg_key"), nb);
	}
	return TEST_SUCCESS;
}

/* Past the wrap of the index, with all ways and the smallest ring. */
AT_CASE(sg, lists_go_round_the_ring)
{
	struct rte_umr_seg segs[MAX_LIST];
	uint16_t nb_waiting = 0;
	uint32_t i, nb;

	AT_BUILD(env, .nb_desc = 32, .options = ",sg_inline=40,sg_key=40,sg_read_key=20",
		 .nb_sg_mkeys = 1);
	at_fill(env);
	for (i = 0; i < 66000; i++) {
		nb = i % 5000 < 120 ? i % 5000 + 1 : 2;
		segs_make(env->tx, segs, nb, i, MAX_LIST, PLACE, MAX_LEN);
		TEST_ASSERT_EQUAL(rte_umr_write_sg(env->tx->dev_id, 0, segs, nb,
						   at_addr(env->rx, TARGET), env->rx->mr->rkey, 0),
				  i % (UINT16_MAX + 1));
		nb_waiting++;
		/* Short ones wait for others. */
		if (nb == 2 && nb_waiting < 15 && i % 5000 != 4999)
			continue;
		TEST_ASSERT_SUCCESS(at_finish(env, nb_waiting));
		TEST_ASSERT_SUCCESS(segs_are(segs, nb, env->rx->buf + TARGET));
		nb_waiting = 0;
	}
	TEST_ASSERT(counter(env, "sg_key") != 0 && counter(env, "sg_inline") != 0);
	TEST_ASSERT(counter(env, "sg_wqe") != 0 && counter(env, "sg_wqes") != 0);
	return TEST_SUCCESS;
}

AT_CASE(sg, lists_beyond_a_limit_leave_no_trace)
{
	static struct rte_umr_seg segs[2000];

	AT_BUILD(env, .topology = AT_TWO_DEVICES, .nb_desc = 64);
	const int16_t dev = env->tx->dev_id;
	const uint64_t addr = at_addr(env->rx, TARGET);
	const uint32_t rkey = env->rx->mr->rkey;
	const uint16_t avail = rte_umr_desc_avail(dev, 0);
	for (uint32_t i = 0; i < RTE_DIM(segs); i++)
		segs[i] = at_seg(env->tx, i, 1);
	const uint32_t max = 64 / ((env->tx->info.max_segs + 2u + 3) / 4) * env->tx->info.max_segs;
	TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, 0, segs, max + 4, addr, rkey, 0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_read_sg(dev, 0, segs, RTE_DIM(segs), addr, rkey, 0), -E2BIG);
	TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, 0, segs, 2, addr, rkey, RTE_UMR_OP_F_INLINE),
			  -EINVAL);
	TEST_ASSERT_EQUAL(rte_umr_read_sg(dev, 0, segs, 2, addr, rkey, RTE_BIT64(40)), -EINVAL);
	segs[1].length = (uint32_t)env->tx->info.max_msg_len;
	TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, 0, segs, 2, addr, rkey, 0), -EMSGSIZE);
	segs[1].length = 1;
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), avail);
	/* The whole ring. */
	TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, 0, segs, max, addr, rkey, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_desc_avail(dev, 0), 0);
	TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, 0, segs, 1, addr, rkey, 0), -ENOSPC);
	TEST_ASSERT_SUCCESS(at_finish(env, 1));
	return segs_are(segs, max, env->rx->buf + TARGET);
}

/* With keys, which have no address, and without. */
AT_CASE(sg, lists_of_initiators)
{
	struct rte_umr_queue_conf conf = dc_initiator_conf;
	struct dc dc;

	TEST_NEED(dc_create_with(env, &dc, 1, ways[2].options));
	const int16_t dev = env->tx->dev_id;
	const struct at_side *const side = dc.targets[0].side;
	for (conf.nb_sg_mkeys = 0; conf.nb_sg_mkeys <= NB_KEYS; conf.nb_sg_mkeys += NB_KEYS) {
		TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
		TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, DCI, &conf));
		TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev));
		TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, DCI, NULL, 0, at_addr(side, DC_HALF),
						   side->mr->rkey, 0), -EDESTADDRREQ);
		TEST_ASSERT_EQUAL(rte_umr_write_sg(dev, dc.targets[0].queue_id, NULL, 0, 0, 0, 0),
				  -ENOTSUP);
		TEST_ASSERT_SUCCESS(dc_target_address(env, &dc.targets[0], DC_KEY_OF(0)));
		TEST_ASSERT_SUCCESS(dc_address_set(env, &dc.targets[0]));
		for (uint32_t nb = 1; nb < 150; nb++) {
			TEST_ASSERT_SUCCESS(write_moves(env, side, DC_HALF, nb));
			TEST_ASSERT_SUCCESS(read_moves(env, side, DC_HALF + 9, nb));
		}
		/* A key has 52 entries, and some segments are empty. */
		TEST_ASSERT(conf.nb_sg_mkeys == 0 ? counter(env, "sg_key") == 0 :
			    counter(env, "sg_key") >= 2 * 52);
	}
	return TEST_SUCCESS;
}

AT_CASE(sg, queues_with_bad_keys_are_rejected)
{
	struct rte_umr_queue_conf conf = { .nb_desc = 64, .socket_id = -1, .nb_sg_mkeys = 2 };
	const struct at_conf at_conf = { 0 };

	TEST_NEED(at_env_build(env, &at_conf));
	const int16_t dev = env->tx->dev_id;
	TEST_ASSERT_SUCCESS(rte_umr_dev_stop(dev));
	conf.max_sg_entries = env->tx->info.max_list + 1;
	TEST_ASSERT_EQUAL(rte_umr_queue_setup(dev, 0, &conf), -ERANGE);
	conf.max_sg_entries = env->tx->info.max_list;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, 0, &conf));
	conf.max_sg_entries = 0;
	TEST_ASSERT_SUCCESS(rte_umr_queue_setup(dev, 0, &conf));
	TEST_ASSERT_SUCCESS(rte_umr_dev_start(dev));
	return write_moves(env, env->rx, TARGET, 200);
}

AT_CASE(sg, options_beyond_their_range_are_rejected)
{
	static const char *const options[] = {
		"sg_inline=-1", "sg_inline=65536", "sg_key=x", "sg_key=", "sg_read_key=65536",
	};

	for (unsigned int i = 0; i < RTE_DIM(options); i++)
		TEST_ASSERT_SUCCESS(at_option_rejected(options[i]));
	return TEST_SUCCESS;
}
