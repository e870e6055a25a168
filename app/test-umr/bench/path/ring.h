/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_RING_H
#define BENCH_RING_H

/**
 * @file
 * Check a completion ring without polling.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

/** A completion ring with CQEs of 64 bytes. */
struct bench_cq {
	volatile struct mlx5_cqe64 *ring;
	uint32_t mask;
};

/** Whether the CQE of index ci has arrived. */
bool bench_cq_has(const struct bench_cq *cq, uint32_t ci);

#endif /* BENCH_RING_H */
