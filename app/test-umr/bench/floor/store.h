/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_FLOOR_STORE_H
#define BENCH_FLOOR_STORE_H

/**
 * @file
 * Functions that store.c defines for each instruction set.
 *
 * copy     loads every vector from the image
 * held     keeps the image in registers, if they suffice for an operation of one WQE
 * *_fetch  prefetches lines of a ring that exceeds L1, several operations ahead
 */

#include "bench/floor/floor.h"

#define BENCH_FLOOR_DECLARE(isa)                                                                   \
	uint64_t bench_floor_copy_##isa(const struct bench_floor_op *op,                           \
					struct bench_floor_ring *ring, uint32_t batch);            \
	uint64_t bench_floor_copy_fetch_##isa(const struct bench_floor_op *op,                     \
					      struct bench_floor_ring *ring, uint32_t batch);      \
	uint64_t bench_floor_held_##isa(const struct bench_floor_op *op,                           \
					struct bench_floor_ring *ring, uint32_t batch);            \
	uint64_t bench_floor_held_fetch_##isa(const struct bench_floor_op *op,                     \
					      struct bench_floor_ring *ring, uint32_t batch)

BENCH_FLOOR_DECLARE(base);
BENCH_FLOOR_DECLARE(avx2);

#endif /* BENCH_FLOOR_STORE_H */
