/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queries of the device (mlx5_ib: main.c), from the capabilities of the HCA.
 */

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "mlx5_prm_dc.h"
#include "include/model.h"
#include "base/array.h"
#include "host/conf.h"
#include "host/ident.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/obj/query.h"

/* enum ib_device_cap_flags, IB_DEVICE_* in the kernel, IBV_DEVICE_* in verbs.h. */
#define DEVICE_CHANGE_PHY_PORT		(1u << 5)
#define DEVICE_PORT_ACTIVE_EVENT	(1u << 10)
#define DEVICE_SYS_IMAGE_GUID		(1u << 11)
#define DEVICE_RC_RNR_NAK_GEN		(1u << 12)
#define DEVICE_MEM_WINDOW		(1u << 17)
#define DEVICE_MEM_WINDOW_TYPE_2B	(1u << 24)
#define DEVICE_XRC			(1u << 20)
#define DEVICE_MEM_MGT_EXTENSIONS	(1u << 21)

/* enum ib_odp_general_cap_bits and ib_odp_transport_cap_bits, IBV_ODP_SUPPORT_* in verbs.h. */
#define IB_ODP_SUPPORT		(1u << 0)
#define IB_ODP_SUPPORT_IMPLICIT	(1u << 1)
#define IB_ODP_SUPPORT_SEND	(1u << 0)
#define IB_ODP_SUPPORT_RECV	(1u << 1)
#define IB_ODP_SUPPORT_WRITE	(1u << 2)
#define IB_ODP_SUPPORT_READ	(1u << 3)
#define IB_ODP_SUPPORT_ATOMIC	(1u << 4)
#define IB_ODP_SUPPORT_SRQ_RECV	(1u << 5)

/* Maximum bytes of a send WQE from which the kernel computes the number of its SGEs. */
#define MAX_SQ_DESC_BYTES 512u
#define CTRL_SEG_BYTES 16u
#define RADDR_SEG_BYTES 16u
#define DATA_SEG_BYTES 16u
/* mlx5_ib: MLX5_MAX_SGE_RD */
#define MAX_SGE_RD 30u

static void
device_fill_queues(const struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp)
{
	uint32_t sq_bytes = swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_SQ);
	uint32_t nb_rq_sge = swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_RQ) / DATA_SEG_BYTES;
	uint32_t nb_sq_sge;

	if (sq_bytes > MAX_SQ_DESC_BYTES)
		sq_bytes = MAX_SQ_DESC_BYTES;
	nb_sq_sge = (sq_bytes - CTRL_SEG_BYTES - RADDR_SEG_BYTES) / DATA_SEG_BYTES;
	resp->max_qp = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP);
	resp->max_qp_wr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP_SZ);
	resp->max_sge = nb_rq_sge < nb_sq_sge ? nb_rq_sge : nb_sq_sge;
	resp->max_sge_rd = MAX_SGE_RD;
	resp->max_cq = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_CQ);
	resp->max_cqe = (1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_CQ_SZ)) - 1;
	resp->max_qp_rd_atom = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_RA_REQ_QP);
	resp->max_qp_init_rd_atom = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_RA_RES_QP);
	resp->max_res_rd_atom = resp->max_qp_rd_atom * resp->max_qp;
	resp->max_srq = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_SRQ);
	resp->max_srq_wr = (1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_SRQ_SZ)) - 1;
	resp->max_srq_sge = nb_rq_sge - 1;	/* one segment links to the next WQE */
}

static void
device_fill_datagrams(const struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp)
{
	resp->max_ah = INT_MAX;	/* they only use memory of the kernel */
	resp->max_mcast_grp = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MCG);
	resp->max_mcast_qp_attach = swhca_udev_cap(dev, PRM_CAP_MAX_QP_MCG);
	resp->max_total_mcast_qp_attach = resp->max_mcast_grp * resp->max_mcast_qp_attach;
}

int
swhca_uquery_device(struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp)
{
	const struct swhca_model_info *info = swhca_model_info_get(swhca_conf_get()->model);
	uint64_t guid = htobe64(swhca_ident_guid(dev->index));

	/* Counts of unsupported features stay 0. */
	*resp = (struct ib_uverbs_query_device_resp){
		.fw_ver = (uint64_t)info->fw.major << 32 | (uint32_t)info->fw.minor << 16 |
			  info->fw.subminor,
		.node_guid = guid,
		.sys_image_guid = guid,
		.max_mr_size = UINT64_MAX,
		.page_size_cap = ~((UINT64_C(1) << swhca_udev_cap(dev, PRM_CAP_LOG_PG_SZ)) - 1),
		.vendor_id = SWHCA_VENDOR_OUI,
		.vendor_part_id = info->pci_device,
		.device_cap_flags = DEVICE_CHANGE_PHY_PORT | DEVICE_PORT_ACTIVE_EVENT |
				    DEVICE_SYS_IMAGE_GUID | DEVICE_RC_RNR_NAK_GEN |
				    DEVICE_MEM_MGT_EXTENSIONS,
		.max_mr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MKEY),
		.max_pd = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_PD),
		.max_pkeys = swhca_ident_nb_pkeys(swhca_conf_get()),
		.local_ca_ack_delay =
			(uint8_t)swhca_udev_cap(dev, PRM_CAP_LOCAL_CA_ACK_DELAY),
		.phys_port_cnt = (uint8_t)swhca_udev_cap(dev, PRM_CAP_NUM_PORTS),
		/* IBV_ATOMIC_HCA or none */
		.atomic_cap = swhca_udev_cap(dev, PRM_CAP_ATOMIC),
	};
	/* Message-driven invalidation of keys is reported with windows (mlx5_ib_query_device()). */
	if (swhca_udev_cap(dev, PRM_CAP_IMAICL) != 0) {
		resp->device_cap_flags |= DEVICE_MEM_WINDOW | DEVICE_MEM_WINDOW_TYPE_2B;
		resp->max_mw = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MKEY);
	}
	if (swhca_udev_cap(dev, PRM_CAP_XRC) != 0)
		resp->device_cap_flags |= DEVICE_XRC;
	device_fill_queues(dev, resp);
	device_fill_datagrams(dev, resp);
	return 0;
}

/* Check whether any QP type supports out-of-order data placement. */
static bool
has_unordered(const struct swhca_udev *dev)
{
	return prm_get(dev->caps_2, PRM_CAP_2_DP_ORDERING_FORCE) != 0 &&
	       (swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_RC) != 0 ||
		swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_UC) != 0 ||
		swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_UD) != 0 ||
		swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_XRC) != 0 ||
		swhca_udev_cap(dev, PRM_CAP_DP_ORDERING_OOO_ALL_DC) != 0);
}

/* mlx5_ib: mlx5_ib_query_device() */
static void
uhw_fill(const struct swhca_udev *dev, struct mlx5_ib_query_device_resp *drv)
{
	if (swhca_udev_cap(dev, PRM_CAP_CQE_COMPRESSION) != 0) {
		drv->cqe_comp_caps.max_num = swhca_udev_cap(dev, PRM_CAP_CQE_COMPRESSION_MAX_NUM);
		drv->cqe_comp_caps.supported_format = MLX5_IB_CQE_RES_FORMAT_HASH |
						      MLX5_IB_CQE_RES_FORMAT_CSUM;
		if (swhca_udev_cap(dev, PRM_CAP_MINI_CQE_RESP_STRIDE_INDEX) != 0)
			drv->cqe_comp_caps.supported_format |= MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX;
	}
	if (swhca_udev_cap(dev, PRM_CAP_CQE_COMPRESSION_128B) != 0)
		drv->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_COMP;
	if (swhca_udev_cap(dev, PRM_CAP_CQE_128_ALWAYS) != 0)
		drv->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD;
	if (swhca_udev_cap(dev, PRM_CAP_SCTR_DATA_CQE) != 0)
		drv->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_SCAT2CQE_DCT;
	if (has_unordered(dev))
		drv->flags |= UABI_MLX5_QUERY_DEV_RESP_FLAGS_OOO_DP;
	drv->dci_streams_caps = (struct mlx5_ib_dci_streams_caps){
		.max_log_num_concurent =
			(uint8_t)swhca_udev_cap(dev, PRM_CAP_LOG_MAX_DCI_STREAM_CHANNELS),
		.max_log_num_errored =
			(uint8_t)swhca_udev_cap(dev, PRM_CAP_LOG_MAX_DCI_ERRORED_STREAMS),
	};
	/* Linux reports this for every adapter with rates, whether it supports the type or not. */
	drv->packet_pacing_caps = (struct mlx5_packet_pacing_caps){
		.qp_rate_limit_min =
			(uint32_t)prm_get(dev->qos_caps, PRM_CAP_QOS_PACKET_PACING_MIN_RATE),
		.qp_rate_limit_max =
			(uint32_t)prm_get(dev->qos_caps, PRM_CAP_QOS_PACKET_PACING_MAX_RATE),
		.supported_qpts = 1u << IB_UVERBS_QPT_RAW_PACKET,
	};
}

/*
 * internal_fill_odp_caps() of mlx5_ib does not report UC. The memory scheme is used if there is one
 * (MLX5_CAP_ODP_SCHEME()).
 */
static uint32_t
odp_caps_of(const struct swhca_udev *dev, unsigned int type_dw)
{
	unsigned int dw = type_dw + (prm_get(dev->odp_caps, PRM_CAP_ODP_MEM_PAGE_FAULT) != 0 ?
					     PRM_CAP_ODP_MEM_DW : 0);
	const struct {
		struct prm_field field;
		uint32_t bit;
	} caps[] = {
		{ PRM_CAP_ODP_SEND(dw), IB_ODP_SUPPORT_SEND },
		{ PRM_CAP_ODP_RECEIVE(dw), IB_ODP_SUPPORT_RECV },
		{ PRM_CAP_ODP_WRITE(dw), IB_ODP_SUPPORT_WRITE },
		{ PRM_CAP_ODP_READ(dw), IB_ODP_SUPPORT_READ },
		{ PRM_CAP_ODP_ATOMIC(dw), IB_ODP_SUPPORT_ATOMIC },
		{ PRM_CAP_ODP_SRQ_RECEIVE(dw), IB_ODP_SUPPORT_SRQ_RECV },
	};
	uint32_t bits = 0;
	size_t i;

	for (i = 0; i < SWHCA_ARRAY_SIZE(caps); i++) {
		if (prm_get(dev->odp_caps, caps[i].field) != 0)
			bits |= caps[i].bit;
	}
	return bits;
}

static void
odp_caps_fill(const struct swhca_udev *dev, struct ib_uverbs_ex_query_device_resp *resp)
{
	if (swhca_udev_cap(dev, PRM_CAP_PG) == 0)
		return;
	resp->odp_caps.general_caps = IB_ODP_SUPPORT;
	if (swhca_udev_cap(dev, PRM_CAP_FIXED_BUFFER_SIZE) != 0 &&
	    swhca_udev_cap(dev, PRM_CAP_NULL_MKEY) != 0)
		resp->odp_caps.general_caps |= IB_ODP_SUPPORT_IMPLICIT;
	resp->odp_caps.per_transport_caps.rc_odp_caps = odp_caps_of(dev, PRM_CAP_ODP_RC_DW);
	resp->odp_caps.per_transport_caps.ud_odp_caps =
		odp_caps_of(dev, PRM_CAP_ODP_UD_DW) &
		(IB_ODP_SUPPORT_SEND | IB_ODP_SUPPORT_SRQ_RECV);
	resp->xrc_odp_caps = odp_caps_of(dev, PRM_CAP_ODP_XRC_DW);
}

int
swhca_uquery_device_ex(struct swhca_ureq *req, struct ib_uverbs_ex_query_device_resp *resp)
{
	struct mlx5_ib_query_device_resp drv = { 0 };
	size_t len;

	memset(resp, 0, sizeof(*resp));
	swhca_uquery_device(req->file->dev, &resp->base);
	resp->response_length = sizeof(*resp);
	/* mlx5_ib: clock bits in a completion. */
	resp->timestamp_mask = INT64_MAX;
	resp->hca_core_clock = swhca_udev_cap(req->file->dev, PRM_CAP_DEVICE_FREQUENCY_KHZ);
	if (swhca_udev_cap(req->file->dev, PRM_CAP_CQ_MODERATION) != 0)
		resp->cq_moderation_caps = (struct ib_uverbs_cq_moderation_caps){
			.max_cq_moderation_count = SWHCA_MAX_CQ_COUNT,
			.max_cq_moderation_period = SWHCA_MAX_CQ_PERIOD_US,
		};
	resp->device_cap_flags_ex = resp->base.device_cap_flags;
	odp_caps_fill(req->file->dev, resp);
	resp->max_dm_size = prm_get(req->file->dev->dm_caps, PRM_CAP_DEVICE_MEM_MAX_MEMIC_SIZE);
	/* The driver part lists offloads; unsupported ones stay 0. */
	uhw_fill(req->file->dev, &drv);
	len = swhca_uattr_len(req, UVERBS_ATTR_UHW_OUT);
	drv.response_length = (uint32_t)(len < sizeof(drv) ? len : sizeof(drv));
	return swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &drv, sizeof(drv));
}
