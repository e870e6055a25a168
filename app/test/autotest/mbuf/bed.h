/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_MBUF_BED_H
#define AUTOTEST_MBUF_BED_H

/**
 * @file
 * Mempools, keys and a FIFO beside an environment: what the suites of mbufs work on. Functions
 * return TEST_SUCCESS, TEST_FAILED (printed) or TEST_SKIPPED (printed) unless they say otherwise.
 */

#include <rte_mbuf.h>

#include "autotest.h"
#include "env.h"

#define BED_NB_MBUFS	2047u
#define BED_ROOM	512u	/**< Bytes of a buffer, with its headroom. */
#define BED_MAX_SEGS	64u	/**< Entries of a key. */
#define BED_NB_KEYS	12u
#define BED_NB_DESC	256u	/**< As the environment has it. */
#define BED_TARGET	(AT_BUF_LEN / 2)
#define BED_ACCESS	(RTE_UMR_ACCESS_LOCAL_WRITE | RTE_UMR_ACCESS_REMOTE_WRITE)

/** Chains of mbufs, and where their data are. */
struct mbuf_bed {
	struct at_env *env;
	struct rte_mempool *direct;
	struct rte_mempool *indirect; /**< mbufs without buffers */
	struct rte_umr_mbuf_fifo *fifo;
	struct rte_mbuf_ext_shared_info ext;
	uint8_t *ext_buf; /**< an external buffer, of the environment's region */
	uint32_t nb_ext_freed;
	struct rte_umr_mkey *mkeys[BED_NB_KEYS];
	uint64_t nb_ops; /**< that were enqueued */
};

/**
 * Mbufs in a pool, at most BED_NB_MBUFS, by taking them all: DPDK's own count hides those that
 * were freed twice.
 */
unsigned int mbuf_nb_free(struct rte_mempool *mp);

/** All mbufs are back, and those of the external buffer have told. */
int mbuf_bed_check(const struct mbuf_bed *bed);

/** A case, behind which no mbuf is missing. */
int mbuf_bed_run(struct at_env *env, enum at_topology topology, int (*run)(struct mbuf_bed *bed));

/** The same with RTE_UMR_QUEUE_F_*. */
int mbuf_bed_run_flags(struct at_env *env, enum at_topology topology, uint16_t queue_flags,
		       int (*run)(struct mbuf_bed *bed));

/** The same between each pair of queues; skipped only if it was for all of them. */
int mbuf_everywhere(struct at_env *env, int (*run)(struct mbuf_bed *bed));

/** All that was enqueued comes back, the last one with a status. */
int mbuf_collect(struct mbuf_bed *bed, uint16_t nb, enum rte_umr_status status);

#endif /* AUTOTEST_MBUF_BED_H */
