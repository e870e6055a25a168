/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <rte_trace_point_register.h>

#include "rte_umr_trace.h"
#include "rte_umr_trace_fp.h"

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dev_probe,
	lib.umr.dev.probe)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dev_close,
	lib.umr.dev.close)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dev_configure,
	lib.umr.dev.configure)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dev_start,
	lib.umr.dev.start)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dev_stop,
	lib.umr.dev.stop)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dev_lost,
	lib.umr.dev.lost)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_queue_setup,
	lib.umr.queue.setup)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_queue_connect,
	lib.umr.queue.connect)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_queue_recover,
	lib.umr.queue.recover)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_pd_alloc,
	lib.umr.pd.alloc)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_pd_free,
	lib.umr.pd.free)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mr_register,
	lib.umr.mr.register)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mr_reregister,
	lib.umr.mr.reregister)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mr_deregister,
	lib.umr.mr.deregister)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mr_advise,
	lib.umr.mr.advise)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_pool_create,
	lib.umr.mkey.pool_create)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_pool_destroy,
	lib.umr.mkey.pool_destroy)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_query,
	lib.umr.mkey.query)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mw_create,
	lib.umr.mw.create)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mw_destroy,
	lib.umr.mw.destroy)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_crypto_login_create,
	lib.umr.crypto.login_create)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_crypto_login_destroy,
	lib.umr.crypto.login_destroy)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dek_create,
	lib.umr.dek.create)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dek_destroy,
	lib.umr.dek.destroy)

/* The data path: rte_umr_ops.h. */
#define REGISTER(name, type, point)                                                                \
	RTE_TRACE_POINT_REGISTER(rte_umr_trace_##name, lib.umr.point)
#define NO_TRACE_POINT(name, type, point)

RTE_UMR_FP_OPS(REGISTER, REGISTER, NO_TRACE_POINT)
