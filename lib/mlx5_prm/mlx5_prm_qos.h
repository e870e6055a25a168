/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_QOS_H
#define MLX5_PRM_QOS_H

/**
 * @file
 * Rates, scheduling elements, link aggregation and doorbell areas.
 *
 * Sources: DPDK 22.11 mlx5_prm.h, rdma-core 44 mlx5_ifc.h, Linux mlx5_ifc.h (rate limits).
 */

#include "mlx5_prm.h"

/* QoS capabilities (page 0x0c). */
#define PRM_CAP_QOS_PACKET_PACING			PRM_FIELD(0, 31, 1)
#define PRM_CAP_QOS_PACKET_PACING_BURST_BOUND		PRM_FIELD(0, 26, 1)
#define PRM_CAP_QOS_NIC_SQ_SCHEDULING			PRM_FIELD(0, 23, 1)
#define PRM_CAP_QOS_NIC_BW_SHARE			PRM_FIELD(0, 22, 1)
#define PRM_CAP_QOS_NIC_RATE_LIMIT			PRM_FIELD(0, 21, 1)
#define PRM_CAP_QOS_PACKET_PACING_UID			PRM_FIELD(0, 20, 1)
#define PRM_CAP_QOS_NIC_QP_SCHEDULING			PRM_FIELD(1, 30, 1)
#define PRM_CAP_QOS_PACKET_PACING_MAX_RATE		PRM_FIELD(2, 0, 32)	/* kbit/s */
#define PRM_CAP_QOS_PACKET_PACING_MIN_RATE		PRM_FIELD(3, 0, 32)
#define PRM_CAP_QOS_PACKET_PACING_RATE_TABLE_SIZE	PRM_FIELD(4, 0, 16)
#define PRM_CAP_QOS_MAX_TSAR_BW_SHARE			PRM_FIELD(7, 0, 32)
#define PRM_CAP_QOS_NIC_ELEMENT_TYPE			PRM_FIELD(8, 16, 16)	/* 1 << type */
#define PRM_CAP_QOS_NIC_TSAR_TYPE			PRM_FIELD(8, 0, 16)	/* 1 << type */

/* Virtio emulation capabilities (page 0x13): doorbell pages, in units of 4 KiB as a log2. */
#define PRM_HCA_CAP_PAGE_VDPA		0x13
#define PRM_CAP_VDPA_LOG_DOORBELL_STRIDE		PRM_FIELD(1, 8, 5)
#define PRM_CAP_VDPA_LOG_DOORBELL_BAR_SIZE		PRM_FIELD(1, 0, 5)
#define PRM_CAP_VDPA_DOORBELL_BAR_OFFSET		PRM_FIELD(2, 0, 64)

/* SET_PP_RATE_LIMIT: entry 0 is no limit and cannot be set. */
#define PRM_SET_PP_RATE_LIMIT_IN_INDEX			PRM_FIELD(2, 0, 16)
#define PRM_SET_PP_RATE_LIMIT_IN_CTX_BYTE	0x10
#define PRM_SET_PP_RATE_LIMIT_IN_SIZE		0x40

/* Rate limit context, 48 bytes. */
#define PRM_PP_RATE_LIMIT				PRM_FIELD(0, 0, 32)	/* kbit/s */
#define PRM_PP_BURST_UPPER_BOUND			PRM_FIELD(1, 0, 32)	/* bytes */
#define PRM_PP_RATE_MODE				PRM_FIELD(2, 16, 4)
#define PRM_PP_TYPICAL_PACKET_SIZE			PRM_FIELD(2, 0, 16)
#define PRM_PP_SIZE	48

/* uid of a resource that all user contexts share (Linux: MLX5_SHARED_RESOURCE_UID). */
#define PRM_UID_SHARED	0xffffu

/* qpc: entry of the rate table. */
#define PRM_QPC_PACKET_PACING_RATE_LIMIT_INDEX		PRM_FIELD(29, 0, 16)

#endif /* MLX5_PRM_QOS_H */
