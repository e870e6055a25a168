/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_CALLS_H
#define RTE_UMR_CALLS_H

/**
 * @file
 * Calls of every function that enqueues, for queues that reject them all. Inline, because
 * RTE_UMR_DEBUG of the caller applies.
 */

#include <rte_umr.h>

/** Report the name of a function and what it returned. */
typedef void (*calls_report_t)(const char *name, int ret, void *arg);

static inline void
calls_enqueue(int16_t id, uint16_t queue, struct rte_umr_mkey *mkey, struct rte_umr_mw *mw,
	      calls_report_t report, void *arg)
{
	const struct rte_umr_mkey_op op = { .mkey = mkey };
	const struct rte_umr_interleaved entry = { 0 };
	const struct rte_umr_mw_range range = { 0 };
	const struct rte_umr_dc_addr addr = { 0 };
	const struct rte_umr_rdma_op rdma = { 0 };
	const struct rte_umr_seg seg = { 0 };

#define CALL(name, ...) report(#name, rte_umr_##name(id, queue, __VA_ARGS__), arg)
	CALL(mkey_list, mkey, 0, &seg, 1, 0);
	CALL(mkey_interleaved, mkey, 0, 1, &entry, 1, 0);
	CALL(mkey_invalidate, mkey, 0);
	CALL(mkey_invalidate_burst, &mkey, 1, 0);
	CALL(mkey_configure, &op, 0);
	CALL(mkey_configure_burst, &op, 1, 0);
	CALL(mkey_update, mkey, 0, &seg, 1, 0);
	CALL(mkey_write, &op, &rdma, 0);
	CALL(mkey_read, &op, &rdma, 0);
	CALL(mw_bind, mw, &range, 0);
	CALL(mw_invalidate, mw, 0);
	CALL(write, &seg, 0, 0, 0);
	CALL(write_imm, &seg, 0, 0, 0, 0);
	CALL(read, &seg, 0, 0, 0);
	CALL(send, &seg, 0);
	CALL(send_imm, &seg, 0, 0);
	CALL(send_inv, &seg, 0, 0);
	CALL(fetch_add, &seg, 0, 0, 1, 0);
	CALL(cmp_swap, &seg, 0, 0, 1, 2, 0);
	CALL(recv, &seg, 1, 0);
	CALL(write_burst, &rdma, 1, 0);
	CALL(read_burst, &rdma, 1, 0);
	CALL(send_burst, &seg, 1, 0);
	CALL(recv_burst, &seg, 1, 0);
	CALL(write_list, &seg, 1, 0, 0, 0);
	CALL(read_list, &seg, 1, 0, 0, 0);
	CALL(send_list, &seg, 1, 0);
	CALL(write_sg, &seg, 1, 0, 0, 0);
	CALL(read_sg, &seg, 1, 0, 0, 0);
	CALL(dc_addr_set, &addr);
#undef CALL
}

#endif /* RTE_UMR_CALLS_H */
