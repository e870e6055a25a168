/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_RTE_H
#define BENCH_RTE_H

/**
 * @file
 * The rte path: its queue and keys (rte.c), and the calls of each row (rte_post.c).
 */

#include <mlx5_umr_rings.h>

#include "bench/measure/clock.h"
#include "bench/path/kind.h"
#include "bench/path/collect.h"

/** Distance of prefetches, as of those in a burst. */
#define BENCH_RTE_AHEAD	12u

/** rte_umr on a loopback queue. */
struct bench_rte {
	struct bench_worker *worker;
	int16_t dev_id;
	uint16_t queue_id;
	struct mlx5_umr_rings ring;
	struct bench_cq cq;
	struct rte_umr_mr *mr;
	struct rte_umr_mkey_pool *pool;
	struct rte_umr_mkey *inner;	/* key that nested layouts refer to */
	uint32_t nb_mkeys;
	uint32_t pos;			/* next key */
	uint64_t submit;		/* flag of the last operation of a batch */
	bool is_single;			/* one call per operation of a batch */
	uint32_t nb_ahead;		/* calls by which keys are prefetched; 0: never */
	uint32_t nb_used;		/* keys used by batches, free running */
	uint32_t nb_laid;		/* entries of the keys that are updated */
	struct rte_umr_dev_info info;
	uint64_t nb_prepared;		/* batches that were not measured */
	struct rte_umr_mkey **taken;	/* in the order of the pool */
	struct rte_umr_mkey **mkeys;	/* keys of the row, in the order of use */
	uint32_t *order;
	uint32_t nb_ordered;
	struct rte_umr_mkey *const *ordered; /* source of mkeys */
	struct bench_kind_rte kinds[BENCH_NB_LAYOUTS];
	struct rte_umr_mkey *burst[BENCH_MAX_BATCH];
	struct rte_umr_mkey_op ops[BENCH_MAX_BATCH];
};

/** Collect nb operations by checking the CQE; not measured. */
bool bench_rte_collect(struct bench_rte *ctx, uint32_t nb);
/** Take the keys of a batch from their pool, and put them back. */
bool bench_rte_keyget_post(struct bench_rte *ctx, const struct bench_row *row,
			   struct bench_sample *sample);

#endif /* BENCH_RTE_H */
