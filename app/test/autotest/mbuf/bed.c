/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdlib.h>

#include <rte_cycles.h>

#include "../../patience.h"
#include "mbuf/bed.h"

static void
ext_freed(void *addr, void *arg)
{
	struct mbuf_bed *bed = arg;

	RTE_SET_USED(addr);
	bed->nb_ext_freed++;
}

static int
bed_build(struct mbuf_bed *bed, struct at_env *env, const struct at_conf *conf)
{
	*bed = (struct mbuf_bed){ .env = env };
	TEST_NEED(at_env_build(env, conf));
	bed->direct = rte_pktmbuf_pool_create("at_direct", BED_NB_MBUFS, 32, 0, BED_ROOM,
					      SOCKET_ID_ANY);
	TEST_ASSERT(bed->direct != NULL);
	bed->indirect = rte_pktmbuf_pool_create("at_indirect", BED_NB_MBUFS, 32, 0, 0,
						SOCKET_ID_ANY);
	TEST_ASSERT(bed->indirect != NULL);
	TEST_ASSERT_SUCCESS(rte_umr_mempool_register(env->tx->dev_id, bed->direct, BED_ACCESS));
	bed->fifo = rte_umr_mbuf_fifo_create(env->tx->dev_id, 0, 0);
	TEST_ASSERT(bed->fifo != NULL);
	bed->ext_buf = env->tx->buf;
	bed->ext.free_cb = ext_freed;
	bed->ext.fcb_opaque = bed;
	for (unsigned int i = 0; i < BED_NB_KEYS; i++) {
		bed->mkeys[i] = AT_KEY(env->tx);
	}
	at_fill(env);
	srand(test_seed());
	return TEST_SUCCESS;
}

unsigned int
mbuf_nb_free(struct rte_mempool *mp)
{
	static struct rte_mbuf *mbufs[2 * BED_NB_MBUFS];
	unsigned int nb = 0;

	while (nb < RTE_DIM(mbufs) && (mbufs[nb] = rte_pktmbuf_alloc(mp)) != NULL)
		nb++;
	rte_pktmbuf_free_bulk(mbufs, nb);
	return nb;
}

int
mbuf_bed_check(const struct mbuf_bed *bed)
{
	TEST_ASSERT_EQUAL(mbuf_nb_free(bed->direct), BED_NB_MBUFS);
	TEST_ASSERT_EQUAL(mbuf_nb_free(bed->indirect), BED_NB_MBUFS);
	TEST_ASSERT_EQUAL(rte_mbuf_ext_refcnt_read(&bed->ext), 0);
	TEST_ASSERT_EQUAL(rte_umr_mbuf_fifo_avail(bed->fifo), BED_NB_DESC);
	return TEST_SUCCESS;
}

static void
bed_fini(struct mbuf_bed *bed)
{
	if (bed->direct != NULL) {
		rte_umr_dev_stop(bed->env->tx->dev_id);
		rte_umr_mbuf_fifo_destroy(bed->fifo);
		rte_umr_mempool_unregister(bed->env->tx->dev_id, bed->direct);
	}
	rte_mempool_free(bed->indirect);
	rte_mempool_free(bed->direct);
}

int
mbuf_bed_run_flags(struct at_env *env, enum at_topology topology, uint16_t queue_flags,
		   int (*run)(struct mbuf_bed *bed))
{
	const struct at_conf conf = {
		.topology = topology, .max_entries = BED_MAX_SEGS, .queue_flags = queue_flags,
	};
	struct mbuf_bed bed;
	int ret = bed_build(&bed, env, &conf);

	if (ret == TEST_SUCCESS)
		ret = run(&bed);
	if (ret == TEST_SUCCESS)
		ret = mbuf_bed_check(&bed);
	bed_fini(&bed);
	return ret;
}

int
mbuf_bed_run(struct at_env *env, enum at_topology topology, int (*run)(struct mbuf_bed *bed))
{
	return mbuf_bed_run_flags(env, topology, 0, run);
}

int
mbuf_everywhere(struct at_env *env, int (*run)(struct mbuf_bed *bed))
{
	unsigned int nb_run = 0;
	int ret;

	for (enum at_topology topology = 0; topology < AT_NB_TOPOLOGIES; topology++) {
		ret = mbuf_bed_run(env, topology, run);
		nb_run += ret == TEST_SUCCESS;
		if (ret != TEST_SUCCESS && ret != TEST_SKIPPED)
			TEST_FAIL_AT("between %s", at_topology_name(topology));
		TEST_ASSERT_SUCCESS(at_env_fini(env));
	}
	return nb_run != 0 ? TEST_SUCCESS : TEST_SKIPPED;
}

int
mbuf_collect(struct mbuf_bed *bed, uint16_t nb, enum rte_umr_status status)
{
	const uint64_t deadline = patience_end();
	struct rte_umr_completion done[BED_NB_DESC];
	bool has_error = false;
	uint16_t last = 0, n = 0;

	while (n < nb) {
		TEST_ASSERT(!patience_is_over(deadline));
		/* By either call; the cheap one does not go past a failure. */
		if (n % 2 == 0 && !has_error) {
			n = (uint16_t)(n + rte_umr_mbuf_fifo_completed(bed->fifo, 5, &last,
								       &has_error));
			done[nb - 1].status = RTE_UMR_STATUS_SUCCESS;
		} else {
			n = (uint16_t)(n + rte_umr_mbuf_fifo_completed_status(bed->fifo,
									      (uint16_t)(nb - n),
									      &done[n]));
		}
	}
	TEST_ASSERT_EQUAL(n, nb);
	TEST_ASSERT_EQUAL(done[nb - 1].status, status);
	return TEST_SUCCESS;
}
