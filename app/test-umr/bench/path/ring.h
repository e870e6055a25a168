/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_RING_H
#define BENCH_RING_H

/**
 * @file
 * The rings of a queue, which the API does not show. Only measurements look at them: for a CQE
 * without polling, to copy the WQEs that were built, and to store WQEs with nothing around.
 */

#include <infiniband/mlx5dv.h>

#include <rte_byteorder.h>

#include "tool/tool.h"

/** A completion ring with CQEs of 64 bytes. */
struct bench_cq {
	volatile struct mlx5_cqe64 *ring;
	uint32_t mask;
};

/** A queue of rte_umr. */
struct bench_ring {
	uint8_t *sq;			/**< Send ring; what wraps may go beyond its end. */
	uint32_t sq_mask;		/**< WQEBBs - 1. */
	volatile rte_be32_t *sq_dbr;
	volatile uint64_t *doorbell;
	bool is_db_nc;			/**< The doorbell is not write combined. */
	uint8_t *list;			/**< Memory of lists that WQEs point to. */
	size_t list_size;
	uint32_t list_lkey;
	struct bench_cq cq;
	volatile rte_be32_t *cq_dbr;
	uint32_t qpn;
	const uint32_t *sq_pi;		/**< The driver's own indices. */
	const uint32_t *cq_ci;
};

/**
 * The rings of a queue.
 *
 * @return
 *   False if the driver of the device is not ours.
 */
bool bench_ring_get(int16_t dev_id, uint16_t queue_id, struct bench_ring *ring);

/** Whether the CQE of index ci is there. */
bool bench_cq_has(const struct bench_cq *cq, uint32_t ci);

#endif /* BENCH_RING_H */
