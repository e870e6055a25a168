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

#include "rte_umr_ops.h"

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

/* Parameters of a trace point, by the column trace of rte_umr_ops.h. */
#define RTE_UMR_TRACE_PARAM_none(name)
#define RTE_UMR_TRACE_PARAM_key(name) , uint32_t key
#define RTE_UMR_TRACE_PARAM_rkey(name) , uint32_t rkey
#define RTE_UMR_TRACE_PARAM_ptr(name) , const void *name
#define RTE_UMR_TRACE_PARAM_u8(name) , uint8_t name
#define RTE_UMR_TRACE_PARAM_u16(name) , uint16_t name
#define RTE_UMR_TRACE_PARAM_u32(name) , uint32_t name
#define RTE_UMR_TRACE_PARAM_u64(name) , uint64_t name
#define RTE_UMR_TRACE_PARAM(type, name, check, trace) RTE_UMR_TRACE_PARAM_##trace(name)

/* What is recorded of them. */
#define RTE_UMR_TRACE_EMIT_none(name)
#define RTE_UMR_TRACE_EMIT_key(name) rte_trace_point_emit_u32(key);
#define RTE_UMR_TRACE_EMIT_rkey(name) rte_trace_point_emit_u32(rkey);
#define RTE_UMR_TRACE_EMIT_ptr(name) rte_trace_point_emit_ptr(name);
#define RTE_UMR_TRACE_EMIT_u8(name) rte_trace_point_emit_u8(name);
#define RTE_UMR_TRACE_EMIT_u16(name) rte_trace_point_emit_u16(name);
#define RTE_UMR_TRACE_EMIT_u32(name) rte_trace_point_emit_u32(name);
#define RTE_UMR_TRACE_EMIT_u64(name) rte_trace_point_emit_u64(name);
#define RTE_UMR_TRACE_EMIT(type, name, check, trace) RTE_UMR_TRACE_EMIT_##trace(name)

/* The queue, the parameters of the call, what it returned. */
#define RTE_UMR_TRACE_OP(name, type, point)                                                        \
	RTE_UMR_TRACE_POINT_FP(rte_umr_trace_##name,                                               \
		RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id                             \
				     RTE_UMR_FP_PARAMS_##type(RTE_UMR_TRACE_PARAM), int ret),      \
		rte_trace_point_emit_i16(dev_id);                                                  \
		rte_trace_point_emit_u16(queue_id);                                                \
		RTE_UMR_FP_PARAMS_##type(RTE_UMR_TRACE_EMIT)                                       \
		rte_trace_point_emit_int(ret);                                                     \
	)
#define RTE_UMR_TRACE_POLL(name, type, point)                                                      \
	RTE_UMR_TRACE_POINT_FP(rte_umr_trace_##name,                                               \
		RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id                             \
				     RTE_UMR_FP_PARAMS_##type(RTE_UMR_TRACE_PARAM), uint16_t nb),  \
		rte_trace_point_emit_i16(dev_id);                                                  \
		rte_trace_point_emit_u16(queue_id);                                                \
		RTE_UMR_FP_PARAMS_##type(RTE_UMR_TRACE_EMIT)                                       \
		rte_trace_point_emit_u16(nb);                                                      \
	)
#define RTE_UMR_TRACE_NONE(name, type, point)

RTE_UMR_FP_OPS(RTE_UMR_TRACE_OP, RTE_UMR_TRACE_POLL, RTE_UMR_TRACE_NONE)
/** @endcond */

#ifdef __cplusplus
}
#endif

#endif /* RTE_UMR_TRACE_FP_H */
