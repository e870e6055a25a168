/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_OPS_H
#define VERIFY_OPS_H

/**
 * @file
 * Operations of a case on one queue: enqueued, submitted, and collected with a deadline. What comes
 * back is compared with what was asked for: ring index, type, status, length.
 *
 * Every function returns false on the first failure and describes it; later ones do nothing.
 */

#include "verify/bed/bed.h"

/** Operations of a case that may be outstanding together. */
#define VERIFY_OPS_MAX		64u
/** Longest wait for completions; a device of software may lose its CPU for some time. */
#define VERIFY_TIMEOUT_MS	20000u

/** What must come back. */
struct verify_op {
	uint16_t idx;
	enum rte_umr_op_type type;
	uint32_t length;
	enum rte_umr_status status;	/**< Success, unless verify_ops_expect() says otherwise. */
};

struct verify_ops {
	const struct bed_end *end;
	bool by_status;
	bool is_error_due;	/**< An operation that must fail is outstanding or was. */
	uint32_t nb_pending;
	struct verify_op pending[VERIFY_OPS_MAX];
	bool has_failed;
	bool has_timed_out;
	char why[256];
};

/** Start with nothing on the queue; by_status chooses the completion call. */
void verify_ops_init(struct verify_ops *ops, const struct bed_end *end, bool by_status);

/**
 * Remember what an enqueue function returned, which must be the next ring index of the queue.
 *
 * @param length
 *   What the completion must tell: bytes moved, 0 for operations on keys.
 */
bool verify_ops_add(struct verify_ops *ops, int ret, enum rte_umr_op_type type, uint32_t length);

/**
 * Check that an enqueue function rejected its arguments; the call must not have been counted as an
 * operation.
 *
 * @param expected
 *   Negative errno.
 */
bool verify_ops_rejected(struct verify_ops *ops, int ret, int expected, const char *what);

/** Fail with a text unless a condition holds. */
bool verify_ops_check(struct verify_ops *ops, bool is_good, const char *why);

/**
 * The last operation must fail with a status, and those that are added behind it are flushed.
 * verify_ops_wait() then succeeds when this is what happens; the queue is in error behind it,
 * see bed_path_recover().
 */
void verify_ops_expect(struct verify_ops *ops, enum rte_umr_status status);

/**
 * Wait for what is outstanding if the ring may have too little room for another operation, unless
 * an error is due. The functions below do it themselves.
 */
bool verify_ops_room(struct verify_ops *ops);

bool verify_ops_list(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
		     const struct rte_umr_seg *segs, uint32_t nb_segs);
bool verify_ops_interleaved(struct verify_ops *ops, struct rte_umr_mkey *mkey, uint32_t access,
			    uint32_t repeat, const struct rte_umr_interleaved *entries,
			    uint32_t nb_entries);
bool verify_ops_invalidate(struct verify_ops *ops, struct rte_umr_mkey *mkey);
bool verify_ops_move(struct verify_ops *ops, bool is_read, const struct rte_umr_seg *local,
		     uint64_t remote_addr, uint32_t rkey, uint64_t flags);

/**
 * Between two polls that find nothing, after so many of them: a software device needs a CPU, too.
 * On a busy machine a thread that yields waits for the slices of all others; one that sleeps gets a
 * CPU when it wakes.
 */
void verify_rest(uint32_t polls);

/** Collect nb receives of the queue. */
bool verify_ops_recv_wait(struct verify_ops *ops, struct rte_umr_completion *done, uint16_t nb);

/** Submit, and collect everything that is outstanding. */
bool verify_ops_wait(struct verify_ops *ops);

#endif /* VERIFY_OPS_H */
