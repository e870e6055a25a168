/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Operations of a device that lib/umr calls. Probing is in probe.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include <mlx5_prm_cmd.h>

#include "ctrl/devx.h"
#include "ctrl/health.h"
#include "ctrl/dev.h"
#include "ctrl/queue.h"
#include "plan/configure.h"
#include "ctrl/conn.h"
#include "ctrl/dek.h"
#include "fast/isa.h"
#include "fast/ops.h"
#include "ring/dct.h"
#include "ring/key_table.h"
#include "ring/log.h"
#include "ring/mkey.h"
#include "ctrl/mr.h"
#include "ctrl/mw.h"
#include "ctrl/recover.h"
#include "ring/peek.h"
#include "ring/queue.h"
#include "ring/recv_inline.h"
#include "ring/stats.h"
#include "wqe/wqe.h"
#include "wqe/xfer.h"

/* The smallest ring has room for the longest operation. */
#define MLX5_UMR_MIN_DESC	32u
/* Ring indices have 16 bits, and a full ring must differ from an empty one. */
#define MLX5_UMR_MAX_DESC	32768u
/* Segments of a receive: a power of two that fits qpc.log_rq_stride. */
#define MLX5_UMR_MAX_RECV_SEGS	32u

static_assert(MLX5_UMR_MIN_DESC >= MLX5_UMR_OP_MAX_WQEBB,
	      "the smallest ring holds the longest operation");
static_assert(MLX5_UMR_OP_MAX_WQEBB >= MLX5_UMR_HDR_WQEBB +
	      PRM_UMR_INLINE_KLM_MAX / PRM_KLM_ALIGN + MLX5_UMR_SIG_NB_DOMAINS,
	      "entries in the WQE");
static_assert(MLX5_UMR_OP_MAX_WQEBB >= MLX5_UMR_LIST_WQEBB + MLX5_UMR_MAX_BSF_WQEBB +
	      MLX5_UMR_SIG_NB_DOMAINS, "entries in memory");
/* A fixed-size entry is at least a page; an update has 32 bits for its length. */
#define MLX5_UMR_MIN_LOG_ENTRY_SIZE	PRM_ADAPTER_PAGE_SHIFT
#define MLX5_UMR_MAX_LOG_ENTRY_SIZE	31u

static uint32_t
pow2_min(uint8_t log, uint32_t max)
{
	return log >= 31 ? max : RTE_MIN(UINT32_C(1) << log, max);
}

/** Number of pairs that two limits allow, up to a maximum. */
static uint16_t
pairs_min(uint8_t log_a, uint8_t log_b, uint16_t max)
{
	return (uint16_t)pow2_min(log_a, pow2_min(log_b, max));
}

/** Whether an initiator has room for the longest layout, like any queue. */
static bool
has_dc(const struct mlx5_umr_caps *caps)
{
	const unsigned int max_wqe =
		mlx5_umr_layout_nb_wqebb(PRM_UMR_INLINE_KLM_MAX) * PRM_WQE_BB_SIZE;

	return caps->has_dc && caps->max_wqe_sz_sq_dc >= max_wqe;
}

uint16_t
mlx5_umr_max_inline(const struct mlx5_umr_device *dev)
{
	uint32_t max_ds = dev->caps.max_wqe_sz_sq / PRM_WQE_DS_SIZE;

	return (uint16_t)mlx5_umr_inline_max(RTE_MIN(max_ds, PRM_WQE_MAX_DS));
}

uint16_t
mlx5_umr_max_segs(const struct mlx5_umr_device *dev, bool is_dci)
{
	const uint32_t max_dci = dev->caps.max_wqe_sz_sq_dc, max_rc = dev->caps.max_wqe_sz_sq;
	const uint32_t max_bytes = is_dci ? RTE_MIN(max_dci, max_rc) : max_rc;
	const uint32_t max_ds = RTE_MIN(max_bytes / PRM_WQE_DS_SIZE, PRM_WQE_MAX_DS);

	return (uint16_t)(max_ds - mlx5_umr_xfer_head_ds(is_dci, true));
}

/** Reads have shorter work requests, which the kernel reports (Linux, MLX5_MAX_SGE_RD). */
uint16_t
mlx5_umr_max_read_segs(const struct mlx5_umr_device *dev, bool is_dci)
{
	const int max_rd = dev->attr.max_sge_rd - (is_dci ? (int)MLX5_UMR_AV_DS : 0);

	return (uint16_t)RTE_MIN(RTE_MAX(max_rd, 1), (int)mlx5_umr_max_segs(dev, is_dci));
}

static uint64_t
capa_of(const struct mlx5_umr_device *dev)
{
	const struct mlx5_umr_caps *caps = &dev->caps;
	uint64_t capa = RTE_UMR_CAPA_MKEY_LIST | RTE_UMR_CAPA_MKEY_INVALIDATE |
			RTE_UMR_CAPA_MKEY_TAG | RTE_UMR_CAPA_WRITE | RTE_UMR_CAPA_READ |
			RTE_UMR_CAPA_SEND | RTE_UMR_CAPA_LOOPBACK | RTE_UMR_CAPA_RC |
			RTE_UMR_CAPA_QUEUE_RECOVER | RTE_UMR_CAPA_QUEUE_EVENT |
			RTE_UMR_CAPA_INLINE | RTE_UMR_CAPA_MKEY_CONFIGURE |
			RTE_UMR_CAPA_MKEY_UPDATE | RTE_UMR_CAPA_MKEY_BASE;

	if (caps->has_umr_strided)
		capa |= RTE_UMR_CAPA_MKEY_INTERLEAVED;
	if (caps->has_fixed_size)
		capa |= RTE_UMR_CAPA_MKEY_FIXED;
	if (caps->max_indirection > 1)
		capa |= RTE_UMR_CAPA_MKEY_NESTED;
	if (mlx5_umr_has_recv_inline(dev))
		capa |= RTE_UMR_CAPA_RECV_INLINE;
	if (caps->bf_size != 0)
		capa |= RTE_UMR_CAPA_BF;
	if (caps->has_send_inv)
		capa |= RTE_UMR_CAPA_SEND_INV;
	if ((dev->attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW) != 0)
		capa |= RTE_UMR_CAPA_MW_TYPE_1;
	if ((dev->attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B) != 0)
		capa |= RTE_UMR_CAPA_MW_TYPE_2B;
	if (mlx5_umr_has_atomic(dev))
		capa |= RTE_UMR_CAPA_ATOMIC;
	if (caps->has_sig)
		capa |= RTE_UMR_CAPA_MKEY_SIG;
	if (has_dc(caps))
		capa |= RTE_UMR_CAPA_DC;
	return capa;
}

static void
info_get_limits(const struct mlx5_umr_device *dev, struct rte_umr_dev_info *info)
{
	const struct mlx5_umr_caps *caps = &dev->caps;

	/*
	 * Each queue has one completion ring, and another one if it has receives. The driver uses
	 * one queue.
	 */
	info->max_queues = pairs_min(caps->log_max_qp, caps->log_max_cq, RTE_UMR_MAX_QUEUES + 1);
	info->max_queues = (uint16_t)RTE_MIN(info->max_queues - (dev->args.silence_ms != 0),
					     RTE_UMR_MAX_QUEUES);
	info->min_desc = MLX5_UMR_MIN_DESC;
	/* The completion ring has one entry for each descriptor. */
	info->max_desc = pairs_min(caps->log_max_qp_sz, caps->log_max_cq_sz, MLX5_UMR_MAX_DESC);
	info->max_recv_desc = info->max_desc;
	info->max_recv_segs = (uint16_t)RTE_MIN(caps->max_wqe_sz_rq / PRM_WQE_DS_SIZE,
						MLX5_UMR_MAX_RECV_SEGS);
	info->max_list = RTE_MIN(pow2_min(caps->log_max_klm, UINT32_MAX), MLX5_UMR_LIST_MAX);
	info->max_list_inline = (uint16_t)RTE_MIN(info->max_list, PRM_UMR_INLINE_KLM_MAX);
	info->max_interleaved = caps->has_umr_strided ? info->max_list - 1 : 0;
	info->max_interleaved_inline = (uint16_t)RTE_MIN(info->max_interleaved,
							 PRM_UMR_INLINE_STRIDED_MAX);
	if (caps->has_fixed_size) {
		info->min_log_entry_size = MLX5_UMR_MIN_LOG_ENTRY_SIZE;
		info->max_log_entry_size = MLX5_UMR_MAX_LOG_ENTRY_SIZE;
	}
	info->max_nesting = caps->max_indirection;
	info->max_inline = mlx5_umr_max_inline(dev);
	info->max_segs = mlx5_umr_max_segs(dev, false);
	info->max_read_segs = mlx5_umr_max_read_segs(dev, false);
	info->max_bf_desc = caps->bf_size / PRM_WQE_BB_SIZE;
	info->max_recv_inline = mlx5_umr_has_recv_inline(dev) ? MLX5_UMR_RECV_INLINE_MAX : 0;
	info->max_entries = pow2_min(caps->log_max_klm, UINT32_MAX);
	info->max_mkeys = pow2_min(caps->log_max_mkey, UINT32_MAX);
	info->max_mws = (uint32_t)dev->attr.max_mw;
	info->max_mw_len = dev->attr.max_mw != 0 ? RTE_UMR_MAX_MW_LEN : 0;
	info->max_entry_len = UINT32_C(1) << 31;	/* KLM, mlx5dv.h */
	info->max_interleaved_stride = UINT16_MAX;
	info->max_msg_len = UINT64_C(1) << caps->log_max_msg;
	info->sig_types = dev->sig_caps.types;
	info->sig_trans_types = dev->sig_caps.trans_types;
	info->sig_block_sizes = dev->sig_caps.block_sizes;
	/* A completion ring has an entry for each of these keys, and for each descriptor. */
	if (caps->has_sig) {
		info->max_sig_mkeys = RTE_MIN(info->max_mkeys,
					      pow2_min(caps->log_max_cq_sz, UINT32_MAX) / 2);
	}
	info->max_mr_len = dev->attr.max_mr_size;
}

static void
info_get_dc_limits(const struct mlx5_umr_device *dev, struct rte_umr_dev_info *info)
{
	const struct mlx5_umr_caps *caps = &dev->caps;

	if (!has_dc(caps))
		return;
	info->max_dci_inline = (uint16_t)(info->max_inline - sizeof(struct mlx5_wqe_av));
	info->max_dci_segs = mlx5_umr_max_segs(dev, true);
	info->max_dci_read_segs = mlx5_umr_max_read_segs(dev, true);
	/* One WQE of the list stays free, and each begins with the index of the next. */
	info->max_dct_recv_desc = (uint16_t)(pairs_min(caps->log_max_srq_sz, caps->log_max_cq_sz,
						       MLX5_UMR_MAX_DESC) - 1);
	info->max_dct_recv_segs = info->max_recv_segs - 1;
}

static void
info_get(struct rte_umr_dev *umr_dev, struct rte_umr_dev_info *info)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;

	strlcpy(info->dev_name, umr_dev->name, sizeof(info->dev_name));
	strlcpy(info->fw_version, dev->attr.fw_ver, sizeof(info->fw_version));
	info->vendor_id = dev->attr.vendor_id;
	info->vendor_part_id = dev->attr.vendor_part_id;
	info->numa_node = dev->numa_node;
	info->port = dev->args.port;
	info->link_layer = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET ?
				   RTE_UMR_LINK_ETHERNET : RTE_UMR_LINK_INFINIBAND;
	info->lid = dev->port_attr.lid;
	info->dev_capa = capa_of(dev) | mlx5_umr_mr_capa(dev);
	if (dev->args.is_uar_bf)
		info->dev_capa |= RTE_UMR_CAPA_DOORBELL_BF;
	info->access_capa = MLX5_UMR_ACCESS_MKC;
	if (dev->caps.relaxed_mkey_mask != 0)
		info->access_capa |= RTE_UMR_ACCESS_RELAXED_ORDERING;
	info->mr_access_capa = mlx5_umr_mr_access_capa(dev);
	info->odp_capa = mlx5_umr_odp_capa(dev);
	info_get_limits(dev, info);
	mlx5_umr_crypto_info_get(&dev->caps.crypto, info);
	info_get_dc_limits(dev, info);
}

/** A port may get its LID after probing, and lose its link at any time. */
static void
port_info_get(struct rte_umr_dev *umr_dev, struct rte_umr_dev_info *info)
{
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct ibv_port_attr port;

	if (ibv_query_port(dev->ctx, dev->args.port, &port) != 0)
		return;
	info->is_port_active = port.state == IBV_PORT_ACTIVE;
	info->lid = port.lid;
}

static inline struct mlx5_umr_queue *
queue_of(struct rte_umr_fp_queue *queue)
{
	return container_of(queue, struct mlx5_umr_queue, fp);
}

static int
stop(struct rte_umr_dev *umr_dev)
{
	struct mlx5_umr_queue *queue;
	int error = mlx5_umr_health_stop(umr_dev->dev_private), ret;
	uint16_t i;

	for (i = 0; i < umr_dev->nb_queues; i++) {
		queue = queue_of(umr_dev->queues[i]);
		ret = mlx5_umr_conn_close(queue);
		if (ret != 0)
			error = ret;
		/* Outstanding operations are flushed, whatever the device still does. */
		queue->error = -EIO;
		queue->is_sq_failed = true;
	}
	return error;
}

static int
start(struct rte_umr_dev *umr_dev)
{
	struct mlx5_umr_queue *queue;
	uint16_t i;
	int ret;

	for (i = 0; i < umr_dev->nb_queues; i++) {
		queue = queue_of(umr_dev->queues[i]);
		/* The last stop may have failed. */
		ret = mlx5_umr_conn_close(queue);
		if (ret == 0) {
			mlx5_umr_queue_restart(queue);
			ret = mlx5_umr_conn_open(queue);
		}
		if (ret != 0) {
			stop(umr_dev);
			return ret;
		}
	}
	ret = mlx5_umr_health_start(umr_dev->dev_private);
	if (ret != 0)
		stop(umr_dev);
	return ret;
}

static void
dump(struct rte_umr_dev *umr_dev, FILE *f)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	const struct mlx5_umr_caps *caps = &dev->caps;

	fprintf(f, "  pd 0x%x eqn %u port %u lid %u gid_index %u\n", dev->pdn, dev->eqn,
		dev->args.port, dev->port_attr.lid, dev->args.gid_index);
	fprintf(f, "  caps: log_max_qp_sz %u log_max_cq_sz %u log_max_mkey %u log_max_klm %u\n",
		caps->log_max_qp_sz, caps->log_max_cq_sz, caps->log_max_mkey, caps->log_max_klm);
	fprintf(f, "  caps: log_max_msg %u max_indirection %u umr_fence %u strided %u\n",
		caps->log_max_msg, caps->max_indirection, caps->umr_fence,
		caps->has_umr_strided);
	fprintf(f, "  caps: xts %u multi_block %u wrapped %u login %u log_max_dek %u\n",
		caps->crypto.has_xts, caps->crypto.has_multi_block, caps->crypto.is_wrapped,
		caps->crypto.can_login, caps->crypto.log_max_dek);
	fprintf(f, "  deks %u crypto_logins %u\n", umr_dev->nb_deks, umr_dev->nb_crypto_logins);
}

static void
device_close(struct rte_umr_dev *umr_dev)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;

	mlx5_umr_health_fini(dev);
	mlx5_umr_sig_keys_fini(&dev->sig_keys);
	mlx5_umr_context_close(dev);
	mlx5_umr_key_table_free(dev->keys);
	free(dev);
	umr_dev->dev_private = NULL;
}

static int
queue_setup(struct rte_umr_dev *umr_dev, uint16_t queue_id, const struct rte_umr_queue_conf *conf,
	    struct rte_umr_fp_queue **queue)
{
	struct mlx5_umr_queue *q;
	int ret;

	ret = mlx5_umr_queue_create(umr_dev->dev_private, queue_id, conf, &q);
	if (ret != 0)
		return ret;
	mlx5_umr_health_add(umr_dev->dev_private, q);
	*queue = &q->fp;
	return 0;
}

static void
queue_release(void *queue)
{
	struct mlx5_umr_queue *q = queue;

	mlx5_umr_health_remove(q->dev, q);
	mlx5_umr_queue_destroy(q);
}

static void
queue_endpoint_get(void *queue, struct rte_umr_endpoint *local)
{
	mlx5_umr_conn_local(queue, local);
}

static int
queue_connect(void *q, const struct rte_umr_endpoint *remote)
{
	struct mlx5_umr_queue *queue = q;

	if (queue->error == -EIO)
		return -EIO;
	if (queue->is_connected)
		return -EISCONN;
	return mlx5_umr_conn_connect(queue, remote);
}

/* Another thread may write it: returns the old or the new value. */
static enum rte_umr_queue_status
queue_status(const void *q)
{
	const struct mlx5_umr_queue *queue = q;

	switch (MLX5_UMR_PEEK(queue->error)) {
	case 0:
		return RTE_UMR_QUEUE_STATUS_ACTIVE;
	case -ENOTCONN:
		return RTE_UMR_QUEUE_STATUS_NOT_CONNECTED;
	default:
		return RTE_UMR_QUEUE_STATUS_ERROR;
	}
}

static void
queue_stats_get(void *queue, struct rte_umr_queue_stats *stats)
{
	mlx5_umr_queue_stats_get(queue, stats);
}

static void
queue_stats_reset(void *queue)
{
	mlx5_umr_queue_stats_reset(queue);
}

const struct rte_umr_dev_ops mlx5_umr_dev_ops = {
	.info_get = info_get,
	.port_info_get = port_info_get,
	.start = start,
	.stop = stop,
	.close = device_close,
	.dump = dump,
	.queue_setup = queue_setup,
	.queue_release = queue_release,
	.queue_endpoint_get = queue_endpoint_get,
	.queue_connect = queue_connect,
	.queue_recover = mlx5_umr_queue_recover,
	.queue_event_fd = mlx5_umr_queue_event_fd,
	.queue_event_arm = mlx5_umr_queue_event_arm,
	.queue_event_clear = mlx5_umr_queue_event_clear,
	.queue_status = queue_status,
	.queue_stats_get = queue_stats_get,
	.queue_stats_reset = queue_stats_reset,
	.queue_xstats_get = mlx5_umr_queue_xstats_get,
	.op_desc = mlx5_umr_op_desc,
	.queue_dump = mlx5_umr_queue_dump,
	.pd_alloc = mlx5_umr_pd_alloc,
	.pd_free = mlx5_umr_pd_free,
	.dc_addr_fill = mlx5_umr_dc_addr_fill,
	.mr_register = mlx5_umr_mr_register,
	.mr_reregister = mlx5_umr_mr_reregister,
	.mr_deregister = mlx5_umr_mr_deregister,
	.mr_advise = mlx5_umr_mr_advise,
	.odp_stats_get = mlx5_umr_odp_stats_get,
	.mkey_priv_size = mlx5_umr_mkey_priv_size,
	.mkey_create = mlx5_umr_mkey_create,
	.mkey_destroy = mlx5_umr_mkey_destroy,
	.mkey_recycle = mlx5_umr_mkey_recycle,
	.mkey_query = mlx5_umr_mkey_query,
	.mkey_check = mlx5_umr_mkey_check,
	.mw_create = mlx5_umr_mw_create,
	.mw_destroy = mlx5_umr_mw_destroy,
	.crypto_login_create = mlx5_umr_crypto_login_create,
	.crypto_login_query = mlx5_umr_crypto_login_query,
	.crypto_login_destroy = mlx5_umr_crypto_login_destroy,
	.dek_create = mlx5_umr_dek_create,
	.dek_query = mlx5_umr_dek_query,
	.dek_destroy = mlx5_umr_dek_destroy,
};

#define OP_MEMBER(name) .name = mlx5_umr_##name,
#define ISA_OP_ASSIGN(name, isa) fp_ops.name = (isa)->name;

/* Functions that configure keys are selected when the first device is found. */
static struct rte_umr_fp_ops fp_ops = {
	MLX5_UMR_OPS(OP_MEMBER)
};

/* The same for DC targets. */
static struct rte_umr_fp_ops fp_ops_dct;

void
mlx5_umr_fp_ops_init(void)
{
	const struct mlx5_umr_isa *isa;

	if (fp_ops.mkey_list != NULL)
		return;
	isa = mlx5_umr_isa_select();
	MLX5_UMR_LOG(DEBUG, "keys are configured by the %s functions", isa->name);
	MLX5_UMR_ISA_OPS(ISA_OP_ASSIGN, isa)
	rte_umr_driver_fp_ops_complete(&fp_ops);
	fp_ops_dct = fp_ops;
	fp_ops_dct.recv = mlx5_umr_dct_recv;
	fp_ops_dct.recv_burst = mlx5_umr_dct_recv_burst;
	fp_ops_dct.recv_completed = mlx5_umr_dct_recv_completed;
}

const struct rte_umr_fp_ops *
mlx5_umr_fp_ops_of(enum rte_umr_transport transport)
{
	return transport == RTE_UMR_TRANSPORT_DCT ? &fp_ops_dct : &fp_ops;
}
