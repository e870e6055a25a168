/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SPEED_H
#define SPEED_H

/**
 * @file
 * swhca-speed: execution speed of the software ConnectX. It says nothing about an adapter.
 */

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/mlx5dv.h>

/** Maximum number of work requests under one doorbell; the last one requests a completion. */
#define SPEED_MAX_BATCH		256u
/** Default number of work requests under one doorbell. */
#define SPEED_DEFAULT_BATCH	32u
/** Longest message. */
#define SPEED_MAX_LEN		(1u << 20)
/** Pieces of a configured key. */
#define SPEED_NB_ENTRIES	4u

/** Operations of a case. */
enum speed_op {
	SPEED_WRITE,		/**< RDMA WRITE. */
	SPEED_READ,		/**< RDMA READ. */
	SPEED_SEND,		/**< SEND into a posted receive. */
	SPEED_UMR,		/**< UMR of SPEED_NB_ENTRIES pieces. */
	SPEED_UMR_WRITE,	/**< The same, and an RDMA WRITE through the key. */
	SPEED_MEMCPY,		/**< memcpy(3) of the same bytes without a device. */
};

/** A line of the result. */
struct speed_case {
	enum speed_op op;
	uint32_t len;	/**< Bytes of a message. */
};

/** A queue pair connected to itself, with memory and keys; opaque. */
struct speed_bed;

/**
 * Open the first device.
 *
 * @param batch
 *   Requests under one doorbell, [1, SPEED_MAX_BATCH]; UMR and write count as one.
 * @return
 *   NULL after an error was printed.
 */
struct speed_bed *speed_bed_open(uint32_t batch);
/** Accepts NULL. */
void speed_bed_close(struct speed_bed *bed);

/** Name of the device. */
const char *speed_bed_device(const struct speed_bed *bed);

/**
 * Whether the device executes requests instead of only acknowledging them; determined by a write.
 */
bool speed_bed_is_executing(const struct speed_bed *bed);

/** Work requests of one batch. */
uint32_t speed_case_nb_wqes(const struct speed_bed *bed, const struct speed_case *c);

/**
 * Post one batch and wait for its completion.
 *
 * @return
 *   False after an error was printed: a failure, or no completion within 5 s.
 */
bool speed_run_batch(struct speed_bed *bed, const struct speed_case *c);

#endif /* SPEED_H */
