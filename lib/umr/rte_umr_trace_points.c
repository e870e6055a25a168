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

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_list,
	lib.umr.mkey.list)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_interleaved,
	lib.umr.mkey.interleaved)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_invalidate,
	lib.umr.mkey.invalidate)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_configure_burst,
	lib.umr.mkey.configure_burst)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_invalidate_burst,
	lib.umr.mkey.invalidate_burst)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_configure,
	lib.umr.mkey.configure)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mkey_update,
	lib.umr.mkey.update)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_write,
	lib.umr.write)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_write_burst,
	lib.umr.write_burst)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_read_burst,
	lib.umr.read_burst)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_send_burst,
	lib.umr.send_burst)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_recv_burst,
	lib.umr.recv_burst)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_write_imm,
	lib.umr.write_imm)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_read,
	lib.umr.read)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_send,
	lib.umr.send)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_send_imm,
	lib.umr.send_imm)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_send_inv,
	lib.umr.send_inv)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_write_list,
	lib.umr.write_list)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_read_list,
	lib.umr.read_list)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_send_list,
	lib.umr.send_list)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_write_sg,
	lib.umr.write_sg)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_read_sg,
	lib.umr.read_sg)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_fetch_add,
	lib.umr.fetch_add)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_cmp_swap,
	lib.umr.cmp_swap)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mw_bind,
	lib.umr.mw.bind)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_mw_invalidate,
	lib.umr.mw.invalidate)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_recv,
	lib.umr.recv)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_dc_addr_set,
	lib.umr.dc.addr_set)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_submit,
	lib.umr.submit)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_completed,
	lib.umr.completed)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_completed_status,
	lib.umr.completed_status)

RTE_TRACE_POINT_REGISTER(rte_umr_trace_recv_completed,
	lib.umr.recv_completed)
