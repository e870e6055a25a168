/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_OBSERVE_H
#define RTE_UMR_OBSERVE_H

/**
 * @file
 * What dumps, extended statistics and telemetry share.
 */

#include <stdint.h>
#include <stdio.h>

#include "rte_umr_pmd.h"
#include "rte_umr_xstats.h"

/** Print a queue that is set up as text. */
void rte_umr_queue_dump_of(const struct rte_umr_dev *dev, uint16_t queue_id, uint32_t nb_ops,
			   FILE *f);

/** Convert a name for counters and telemetry dictionaries: replace '-'. */
void rte_umr_underscore(char *name);

/** An extended statistic. */
struct rte_umr_xstat_row {
	uint64_t value;
	uint32_t id;
	char name[RTE_UMR_XSTATS_NAME_LEN];
};

/**
 * Get the extended statistics of a queue or (RTE_UMR_XSTATS_DEV) a device, in an array that the
 * caller frees. @return Number, -EINVAL (no such queue) or -ENOMEM
 */
int rte_umr_xstats_rows(const struct rte_umr_dev *dev, uint16_t queue_id,
			struct rte_umr_xstat_row **rows);

#endif /* RTE_UMR_OBSERVE_H */
