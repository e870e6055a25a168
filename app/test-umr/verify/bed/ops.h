/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_OPS_H
#define VERIFY_OPS_H

/**
 * @file
 * Operations of a case on one queue: enqueue, submit, and collect with a deadline. Results are
 * compared with the request: ring index, type, status, length.
 *
 * Every function returns false on the first failure and describes it; later calls do nothing.
 */

#include "verify/bed/mode.h"

/** Maximum number of outstanding operations of a case. */
#define VERIFY_OPS_MAX		64u
/** Longest wait for completions; a software device may lose its CPU for some time. */
#define VERIFY_TIMEOUT_MS	20000u

/** Expected completion. */
struct verify_op {
	uint16_t idx;
	enum rte_umr_op_type type;
	uint32_t length;
	enum rte_umr_status status;	/**< Success, unless changed by verify_ops_expect(). */
};

struct verify_ops {
	const struct bed_side *side;
	int16_t dev_id;
	uint16_t queue_id;
	bool by_status;
	bool is_error_due;	/**< An operation that must fail is or was outstanding. */
	uint32_t nb_pending;
	struct verify_op pending[VERIFY_OPS_MAX];
	bool has_failed;
	bool has_timed_out;
	char why[256];
};

/** Start with an idle queue; by_status selects the completion call. */
void verify_ops_init(struct verify_ops *ops, const struct bed_end *end, bool by_status);

/**
 * Record the result of an enqueue function, which must be the next ring index of the queue.
 *
 * @param length
 *   Expected length of the completion: bytes moved, 0 for operations on keys.
 */
bool verify_ops_add(struct verify_ops *ops, int ret, enum rte_umr_op_type type, uint32_t length);

/**
 * Check that an enqueue function rejected its arguments and did not count as an operation.
 *
 * @param expected
 *   Negative errno.
 */
bool verify_ops_rejected(struct verify_ops *ops, int ret, int expected, const char *what);

/** Invalid arguments of a mode: their description and the errno. */
struct verify_rejection {
	const char *name;
	int error;	/**< Negative. */
};

/** Describe a rejection before the case; name NULL: none. */
void verify_rejection_print(FILE *f, const char *prefix, const char *name);

/** Make the failure of operations the result of the case. */
void verify_ops_report(const struct verify_ops *ops, struct case_result *result);

/** Recover the queues of a path; a failure becomes the result of the case. */
void verify_path_recover(const struct bed_path *path, struct case_result *result);

/** The result of a case: bytes of an area differ, the first one at an offset. */
void verify_mismatch_set(struct case_result *result, const struct bed_side *side,
			 const struct bed_area *area, uint32_t nb, uint32_t first,
			 const char *where);
/** Compare an area of a side with its twin; a difference becomes the result of the case. */
void verify_area_compare(const struct bed_side *side, const struct bed_area *area,
			 struct case_result *result);

/** Fail with a text if a condition is false. */
bool verify_ops_check(struct verify_ops *ops, bool is_good, const char *why);

/**
 * Expect the last operation to fail with a status and the following ones to be flushed.
 * verify_ops_wait() succeeds in this case and leaves the queue in the error state, see
 * bed_path_recover().
 */
void verify_ops_expect(struct verify_ops *ops, enum rte_umr_status status);

/**
 * Wait for outstanding operations if the ring may lack room for another one, unless an error is
 * due. The functions below call this function.
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
 * Rest between polls that find nothing, after some number of polls: a software device needs a CPU,
 * too. On a busy machine, a thread that yields waits for the time slices of all others; a thread
 * that sleeps gets a CPU when it wakes up.
 */
void verify_rest(uint32_t polls);

/** Collect nb receives of the queue. */
bool verify_ops_recv_wait(struct verify_ops *ops, struct rte_umr_completion *done, uint16_t nb);

/** Submit and collect all outstanding operations. */
bool verify_ops_wait(struct verify_ops *ops);

#endif /* VERIFY_OPS_H */
