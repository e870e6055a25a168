/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef RTE_UMR_TRACE_H
#define RTE_UMR_TRACE_H

/**
 * @file
 *
 * Trace points of the control path, lib.umr.*: each records the arguments and the result, 0 or a
 * negative errno. Key material is not recorded.
 */

#include <rte_trace_point.h>

#include "rte_umr.h"

RTE_TRACE_POINT(rte_umr_trace_dev_probe,
	RTE_TRACE_POINT_ARGS(const char *devargs, int16_t dev_id, int ret),
	rte_trace_point_emit_string(devargs);
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_dev_close,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_dev_configure,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t nb_queues, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(nb_queues);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_dev_start,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_dev_stop,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_int(ret);
)

/* Detected by the driver, without a call. */
RTE_TRACE_POINT(rte_umr_trace_dev_lost,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, int status),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_int(status);
)

RTE_TRACE_POINT(rte_umr_trace_queue_setup,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id,
			     const struct rte_umr_queue_conf *conf, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(conf->transport);
	rte_trace_point_emit_u16(conf->nb_desc);
	rte_trace_point_emit_u16(conf->nb_recv_desc);
	rte_trace_point_emit_u16(conf->max_recv_segs);
	rte_trace_point_emit_u32(conf->nb_list_entries);
	rte_trace_point_emit_u16(conf->max_inline);
	rte_trace_point_emit_u16(conf->flags);
	rte_trace_point_emit_u32(conf->nb_sig_mkeys);
	rte_trace_point_emit_ptr(conf->pd);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_queue_connect,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, uint32_t qpn, uint16_t lid,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_u32(qpn);
	rte_trace_point_emit_u16(lid);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_queue_recover,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint16_t queue_id, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u16(queue_id);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_pd_alloc,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, const struct rte_umr_pd *pd, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_ptr(pd);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_pd_free,
	RTE_TRACE_POINT_ARGS(uintptr_t pd, int ret),
	rte_trace_point_emit_ptr(pd);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mr_register,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, const struct rte_umr_mr_conf *conf,
			     const struct rte_umr_mr *mr, uint32_t lkey, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_ptr(conf->addr);
	rte_trace_point_emit_size_t(conf->len);
	rte_trace_point_emit_u32(conf->access);
	rte_trace_point_emit_u32(conf->flags);
	rte_trace_point_emit_ptr(conf->pd);
	rte_trace_point_emit_ptr(mr);
	rte_trace_point_emit_u32(lkey);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mr_reregister,
	RTE_TRACE_POINT_ARGS(const struct rte_umr_mr *mr, uint32_t changes, uint32_t lkey,
			     int ret),
	rte_trace_point_emit_ptr(mr);
	rte_trace_point_emit_u32(changes);
	rte_trace_point_emit_u32(lkey);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mr_deregister,
	RTE_TRACE_POINT_ARGS(uintptr_t mr, int ret),
	rte_trace_point_emit_ptr(mr);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mr_advise,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, int advice, uint32_t nb_segs, uint32_t flags,
			     int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_int(advice);
	rte_trace_point_emit_u32(nb_segs);
	rte_trace_point_emit_u32(flags);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mkey_pool_create,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, const struct rte_umr_mkey_pool_conf *conf,
			     const void *pool, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u32(conf->nb_mkeys);
	rte_trace_point_emit_u32(conf->max_entries);
	rte_trace_point_emit_u32(conf->cache_size);
	rte_trace_point_emit_u32(conf->flags);
	rte_trace_point_emit_ptr(conf->pd);
	rte_trace_point_emit_ptr(pool);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mkey_pool_destroy,
	RTE_TRACE_POINT_ARGS(uintptr_t pool, int ret),
	rte_trace_point_emit_ptr(pool);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mkey_query,
	RTE_TRACE_POINT_ARGS(uint32_t key, int ret),
	rte_trace_point_emit_u32(key);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mw_create,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, const struct rte_umr_pd *pd, int type,
			     const void *mw, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_ptr(pd);
	rte_trace_point_emit_int(type);
	rte_trace_point_emit_ptr(mw);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_mw_destroy,
	RTE_TRACE_POINT_ARGS(uintptr_t mw, int ret),
	rte_trace_point_emit_ptr(mw);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_crypto_login_create,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, uint32_t credential_id, uint32_t import_kek_id,
			     const void *login, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u32(credential_id);
	rte_trace_point_emit_u32(import_kek_id);
	rte_trace_point_emit_ptr(login);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_crypto_login_destroy,
	RTE_TRACE_POINT_ARGS(uintptr_t login, int ret),
	rte_trace_point_emit_ptr(login);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_dek_create,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, const struct rte_umr_dek_conf *conf,
			     const void *dek, uint32_t id, int ret),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_u8(conf->size);
	rte_trace_point_emit_ptr(conf->login);
	rte_trace_point_emit_ptr(conf->pd);
	rte_trace_point_emit_ptr(dek);
	rte_trace_point_emit_u32(id);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT(rte_umr_trace_dek_destroy,
	RTE_TRACE_POINT_ARGS(uintptr_t dek, int ret),
	rte_trace_point_emit_ptr(dek);
	rte_trace_point_emit_int(ret);
)

#endif /* RTE_UMR_TRACE_H */
