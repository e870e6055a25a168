/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_OPS_H
#define RTE_UMR_OPS_H

/**
 * @file
 *
 * The one list of the data-path operations of a queue. These come from it:
 *   - types and members of struct rte_umr_fp_ops: rte_umr_core.h
 *   - trace points: rte_umr_trace_fp.h, rte_umr_trace_points.c
 *   - functions for devices that are not started: rte_umr_fp.c
 *   - checks of RTE_UMR_DEBUG: rte_umr_debug.c
 *   - names of operations: rte_umr_name.c
 *   - exported symbols: version_map.py
 *
 * A new operation needs a row here, and its inline function in rte_umr_data.h or rte_umr_sg.h; the
 * guide for contributors has all files.
 *
 * Included by rte_umr.h. Applications must not use these macros directly.
 */

/** @cond OPS */
/*
 * Operations: name, type of function, trace point lib.umr.* or none. The order is that of the
 * members of struct rte_umr_fp_ops, and thereby ABI: a new operation is last. Kinds of rows:
 *
 * OP: returns int: what was enqueued or a negative errno.
 * POLL: returns the number of completions that were collected.
 * QUERY: returns a number of descriptors or an index, and has no trace point.
 *
 * The first eight are in the first cache line of the table, which has what every transfer needs.
 */
#define RTE_UMR_FP_OPS(OP, POLL, QUERY)                                                            \
	OP(mkey_list, mkey_list, mkey.list)                                                        \
	OP(mkey_configure_burst, mkey_configure_burst, mkey.configure_burst)                       \
	OP(write, rdma, write)                                                                     \
	OP(read, rdma, read)                                                                       \
	OP(submit, submit, submit)                                                                 \
	POLL(completed, completed, completed)                                                      \
	OP(mkey_interleaved, mkey_interleaved, mkey.interleaved)                                   \
	OP(mkey_invalidate, mkey_invalidate, mkey.invalidate)                                      \
	OP(write_imm, rdma_imm, write_imm)                                                         \
	OP(send, send, send)                                                                       \
	OP(send_imm, send_imm, send_imm)                                                           \
	OP(recv, recv, recv)                                                                       \
	POLL(completed_status, completed_status, completed_status)                                 \
	POLL(recv_completed, completed_status, recv_completed)                                     \
	QUERY(desc_avail, desc_avail, none)                                                        \
	OP(send_inv, send_inv, send_inv)                                                           \
	OP(fetch_add, fetch_add, fetch_add)                                                        \
	OP(cmp_swap, cmp_swap, cmp_swap)                                                           \
	OP(mkey_configure, mkey_configure, mkey.configure)                                         \
	OP(mkey_update, mkey_update, mkey.update)                                                  \
	OP(mw_bind, mw_bind, mw.bind)                                                              \
	OP(mw_invalidate, mw_invalidate, mw.invalidate)                                            \
	OP(mkey_invalidate_burst, mkey_invalidate_burst, mkey.invalidate_burst)                    \
	OP(dc_addr_set, dc_addr_set, dc.addr_set)                                                  \
	OP(write_burst, rdma_burst, write_burst)                                                   \
	OP(read_burst, rdma_burst, read_burst)                                                     \
	OP(send_burst, seg_burst, send_burst)                                                      \
	OP(recv_burst, seg_burst, recv_burst)                                                      \
	OP(write_list, rdma_list, write_list)                                                      \
	OP(read_list, rdma_list, read_list)                                                        \
	OP(send_list, send_list, send_list)                                                        \
	OP(write_sg, rdma_list, write_sg)                                                          \
	OP(read_sg, rdma_list, read_sg)                                                            \
	OP(mkey_write, mkey_rdma, mkey.write)                                                      \
	OP(mkey_read, mkey_rdma, mkey.read)                                                        \
	QUERY(next_idx, desc_avail, none)                                                          \
	QUERY(recv_next_idx, desc_avail, none)

/* Types of functions: one for all operations with the same parameters. */
#define RTE_UMR_FP_TYPES(OP, POLL, QUERY)                                                          \
	OP(mkey_list)                                                                              \
	OP(mkey_interleaved)                                                                       \
	OP(mkey_invalidate)                                                                        \
	OP(mkey_invalidate_burst)                                                                  \
	OP(mkey_configure)                                                                         \
	OP(mkey_configure_burst)                                                                   \
	OP(mkey_update)                                                                            \
	OP(mkey_rdma)                                                                              \
	OP(rdma)                                                                                   \
	OP(rdma_imm)                                                                               \
	OP(rdma_list)                                                                              \
	OP(rdma_burst)                                                                             \
	OP(seg_burst)                                                                              \
	OP(send)                                                                                   \
	OP(send_imm)                                                                               \
	OP(send_inv)                                                                               \
	OP(send_list)                                                                              \
	OP(recv)                                                                                   \
	OP(fetch_add)                                                                              \
	OP(cmp_swap)                                                                               \
	OP(mw_bind)                                                                                \
	OP(mw_invalidate)                                                                          \
	OP(dc_addr_set)                                                                            \
	OP(submit)                                                                                 \
	POLL(completed)                                                                            \
	POLL(completed_status)                                                                     \
	QUERY(desc_avail)

/*
 * Parameters of each type, after the queue: P(type, name, check, trace).
 *
 * check, by RTE_UMR_DEBUG:
 *   value       none
 *   one         not NULL
 *   array       not NULL, unless nb_NAME, another parameter, is 0
 *   key         a key that is valid
 *   key_op      a description of an operation on a valid key, with its entries
 *   keys        an array of nb_NAME keys; nb_NAME becomes the number of valid ones
 *   key_ops     an array of nb_NAME descriptions; the same
 *   window      a memory window that exists
 *   range       a range of a region that exists
 *
 * trace, in the trace point:
 *   none        not recorded
 *   key         the value of the key; the caller passes it as key
 *   rkey        the value of the key of a window; the caller passes it as rkey
 *   ptr, u8...  recorded under its name with this type; the caller passes what a pointer refers to
 */
#define RTE_UMR_FP_PARAMS_mkey_list(P)                                                             \
	P(struct rte_umr_mkey *, mkey, key, key)                                                   \
	P(uint32_t, access, value, u32)                                                            \
	P(const struct rte_umr_seg *, segs, array, none)                                           \
	P(uint32_t, nb_segs, value, u32)                                                           \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_interleaved(P)                                                      \
	P(struct rte_umr_mkey *, mkey, key, key)                                                   \
	P(uint32_t, access, value, u32)                                                            \
	P(uint32_t, repeat, value, u32)                                                            \
	P(const struct rte_umr_interleaved *, entries, array, none)                                \
	P(uint32_t, nb_entries, value, u32)                                                        \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_invalidate(P)                                                       \
	P(struct rte_umr_mkey *, mkey, key, key)                                                   \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_invalidate_burst(P)                                                 \
	P(struct rte_umr_mkey *const *, mkeys, keys, ptr)                                          \
	P(uint16_t, nb_mkeys, value, u16)                                                          \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_configure(P)                                                        \
	P(const struct rte_umr_mkey_op *, op, key_op, key)                                         \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_configure_burst(P)                                                  \
	P(const struct rte_umr_mkey_op *, ops, key_ops, ptr)                                       \
	P(uint16_t, nb_ops, value, u16)                                                            \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_update(P)                                                           \
	P(struct rte_umr_mkey *, mkey, key, key)                                                   \
	P(uint32_t, first, value, none)                                                            \
	P(const struct rte_umr_seg *, segs, array, none)                                           \
	P(uint32_t, nb_segs, value, none)                                                          \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mkey_rdma(P)                                                             \
	P(const struct rte_umr_mkey_op *, op, key_op, key)                                         \
	P(const struct rte_umr_rdma_op *, rdma, one, ptr)                                          \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_rdma(P)                                                                  \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(uint64_t, remote_addr, value, u64)                                                       \
	P(uint32_t, rkey, value, u32)                                                              \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_rdma_imm(P)                                                              \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(uint64_t, remote_addr, value, u64)                                                       \
	P(uint32_t, rkey, value, u32)                                                              \
	P(rte_be32_t, imm, value, none)                                                            \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_rdma_list(P)                                                             \
	P(const struct rte_umr_seg *, segs, array, ptr)                                            \
	P(uint32_t, nb_segs, value, u32)                                                           \
	P(uint64_t, remote_addr, value, u64)                                                       \
	P(uint32_t, rkey, value, u32)                                                              \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_rdma_burst(P)                                                            \
	P(const struct rte_umr_rdma_op *, ops, array, ptr)                                         \
	P(uint16_t, nb_ops, value, u16)                                                            \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_seg_burst(P)                                                             \
	P(const struct rte_umr_seg *, ops, array, ptr)                                             \
	P(uint16_t, nb_ops, value, u16)                                                            \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_send(P)                                                                  \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_send_imm(P)                                                              \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(rte_be32_t, imm, value, none)                                                            \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_send_inv(P)                                                              \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(uint32_t, rkey, value, u32)                                                              \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_send_list(P)                                                             \
	P(const struct rte_umr_seg *, segs, array, ptr)                                            \
	P(uint32_t, nb_segs, value, u32)                                                           \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_recv(P) RTE_UMR_FP_PARAMS_send_list(P)
#define RTE_UMR_FP_PARAMS_fetch_add(P)                                                             \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(uint64_t, remote_addr, value, u64)                                                       \
	P(uint32_t, rkey, value, u32)                                                              \
	P(uint64_t, add, value, none)                                                              \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_cmp_swap(P)                                                              \
	P(const struct rte_umr_seg *, local, one, ptr)                                             \
	P(uint64_t, remote_addr, value, u64)                                                       \
	P(uint32_t, rkey, value, u32)                                                              \
	P(const struct rte_umr_swap *, operands, value, none)                                      \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mw_bind(P)                                                               \
	P(struct rte_umr_mw *, mw, window, rkey)                                                   \
	P(const struct rte_umr_mw_range *, range, range, none)                                     \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_mw_invalidate(P)                                                         \
	P(struct rte_umr_mw *, mw, window, rkey)                                                   \
	P(uint64_t, flags, value, u64)
#define RTE_UMR_FP_PARAMS_dc_addr_set(P)                                                           \
	P(const struct rte_umr_dc_addr *, addr, one, ptr)
#define RTE_UMR_FP_PARAMS_submit(P)
#define RTE_UMR_FP_PARAMS_completed(P)                                                             \
	P(uint16_t, nb_max, value, u16)                                                            \
	P(uint16_t *, last_idx, value, u16)                                                        \
	P(bool *, has_error, value, u8)
#define RTE_UMR_FP_PARAMS_completed_status(P)                                                      \
	P(uint16_t, nb_max, value, u16)                                                            \
	P(struct rte_umr_completion *, done, value, ptr)
#define RTE_UMR_FP_PARAMS_desc_avail(P)

/* What the functions that come from the list consist of. */
#define RTE_UMR_FP_PARAM(type, name, check, trace) , type name
#define RTE_UMR_FP_ARG(type, name, check, trace) , name
/** Number of operations. */
#define RTE_UMR_FP_NB_OPS (0 RTE_UMR_FP_OPS(RTE_UMR_FP_ONE, RTE_UMR_FP_ONE, RTE_UMR_FP_ONE))
#define RTE_UMR_FP_ONE(name, type, point) + 1
/** @endcond */

#endif /* RTE_UMR_OPS_H */
