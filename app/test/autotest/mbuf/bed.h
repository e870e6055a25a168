/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_MBUF_BED_H
#define AUTOTEST_MBUF_BED_H

/**
 * @file
 * Mempools, keys and a FIFO in addition to an environment, for the suites of mbufs. Functions
 * return TEST_SUCCESS, TEST_FAILED (printed) or TEST_SKIPPED (printed) unless noted otherwise.
 */

#include <rte_mbuf.h>

#include "autotest.h"
#include "env.h"

#define BED_NB_MBUFS	2047u
#define BED_ROOM	512u	/**< Bytes of a buffer including its headroom. */
#define BED_MAX_SEGS	64u	/**< Entries of a key. */
#define BED_NB_KEYS	12u
#define BED_NB_DESC	256u	/**< Default of the environment. */
#define BED_TARGET	(AT_BUF_LEN / 2)
#define BED_ACCESS	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE)

/** Chains of mbufs and their data. */
struct mbuf_bed {
	struct at_env *env;
	struct rte_mempool *direct;
	struct rte_mempool *indirect; /**< mbufs without buffers */
	struct rte_umr_mbuf_fifo *fifo;
	struct rte_mbuf_ext_shared_info ext;
	uint8_t *ext_buf; /**< external buffer in the region of the environment */
	uint32_t nb_ext_freed;
	struct rte_umr_mkey *mkeys[BED_NB_KEYS];
	uint64_t nb_ops; /**< enqueued operations */
};

/**
 * Count the mbufs in a pool, at most BED_NB_MBUFS, by taking all of them: the count of DPDK hides
 * double frees.
 */
unsigned int mbuf_nb_free(struct rte_mempool *mp);

/** Check that all mbufs were returned and those of the external buffer called their callback. */
int mbuf_bed_check(const struct mbuf_bed *bed);

/** Run a case and check that no mbuf is missing afterwards. */
int mbuf_bed_run(struct at_env *env, enum at_topology topology, int (*run)(struct mbuf_bed *bed));

/** The same with RTE_UMR_QUEUE_F_*. */
int mbuf_bed_run_flags(struct at_env *env, enum at_topology topology, uint16_t queue_flags,
		       int (*run)(struct mbuf_bed *bed));

/** The same between each pair of queues; counts as skipped only if it is skipped for all pairs. */
int mbuf_everywhere(struct at_env *env, int (*run)(struct mbuf_bed *bed));

/** Collect all enqueued operations; the last one must have a status. */
int mbuf_collect(struct mbuf_bed *bed, uint16_t nb, enum rte_umr_status status);

#endif /* AUTOTEST_MBUF_BED_H */
