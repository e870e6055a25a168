/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_TRACE_FP_H
#define RTE_UMR_TRACE_FP_H

/**
 * @file
 *
 * Trace points of the data path, lib.umr.*: included by rte_umr.h. The calls are inline, so the
 * application enables them: compile it with -DRTE_UMR_TRACE_FP, or with a DPDK that was built with
 * enable_trace_fp. Otherwise they cost nothing.
 */

#include <stdint.h>

#include <rte_trace_point.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond TRACE */
/* A DPDK without enable_trace_fp undefines RTE_ENABLE_TRACE_FP in rte_build_config.h. */
#ifdef RTE_UMR_TRACE_FP
#define RTE_UMR_TRACE_POINT_FP RTE_TRACE_POINT
#else
#define RTE_UMR_TRACE_POINT_FP RTE_TRACE_POINT_FP
#endif

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_list,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t key, uint32_t access,
			     uint32_t nb_segs, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(key);
	rte_trace_point_emit_u32(access);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_interleaved,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t key, uint32_t access,
			     uint32_t repeat, uint32_t nb_entries, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(key);
	rte_trace_point_emit_u32(access);
	rte_trace_point_emit_u32(repeat);
	rte_trace_point_emit_u32(nb_entries);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_invalidate,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t key, uint64_t flags,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(key);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_configure_burst,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *ops, uint16_t nb_ops,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(ops);
	rte_trace_point_emit_u16(nb_ops);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_invalidate_burst,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *mkeys,
			     uint16_t nb_mkeys, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(mkeys);
	rte_trace_point_emit_u16(nb_mkeys);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_configure,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t key, uint64_t flags,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(key);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mkey_update,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t key, uint64_t flags,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(key);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_write,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t remote_addr, uint32_t rkey, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_write_burst,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *ops, uint16_t nb_ops,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(ops);
	rte_trace_point_emit_u16(nb_ops);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_read_burst,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *ops, uint16_t nb_ops,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(ops);
	rte_trace_point_emit_u16(nb_ops);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_send_burst,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *ops, uint16_t nb_ops,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(ops);
	rte_trace_point_emit_u16(nb_ops);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_recv_burst,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *ops, uint16_t nb_ops,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(ops);
	rte_trace_point_emit_u16(nb_ops);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_write_imm,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t remote_addr, uint32_t rkey, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_read,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t remote_addr, uint32_t rkey, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_send,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_send_imm,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_send_inv,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local, uint32_t rkey,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_write_list,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *segs,
			     uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(segs);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_read_list,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *segs,
			     uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(segs);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_send_list,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *segs,
			     uint32_t nb_segs, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(segs);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_write_sg,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *segs,
			     uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(segs);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_read_sg,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *segs,
			     uint32_t nb_segs, uint64_t remote_addr, uint32_t rkey,
			     uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(segs);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_fetch_add,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t remote_addr, uint32_t rkey, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_cmp_swap,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *local,
			     uint64_t remote_addr, uint32_t rkey, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(local);
	rte_trace_point_emit_u64(remote_addr);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mw_bind,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t rkey, uint64_t flags,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_mw_invalidate,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t rkey, uint64_t flags,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(rkey);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_recv,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *segs,
			     uint32_t nb_segs, uint64_t flags, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(segs);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u64(flags);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_dc_addr_set,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, const void *addr, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_ptr(addr);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_submit,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_int(ret);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_completed,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
			     uint16_t last_idx, uint8_t has_error, uint16_t nb),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u16(nb_max);
	rte_trace_point_emit_u16(last_idx);
	rte_trace_point_emit_u8(has_error);
	rte_trace_point_emit_u16(nb);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_completed_status,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
			     const void *done, uint16_t nb),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u16(nb_max);
	rte_trace_point_emit_ptr(done);
	rte_trace_point_emit_u16(nb);
)

RTE_UMR_TRACE_POINT_FP(rte_umr_trace_recv_completed,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint16_t nb_max,
			     const void *done, uint16_t nb),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u16(nb_max);
	rte_trace_point_emit_ptr(done);
	rte_trace_point_emit_u16(nb);
)
/** @endcond */

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_TRACE_FP_H */
