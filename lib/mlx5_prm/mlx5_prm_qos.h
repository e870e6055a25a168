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

/* Virtio emulation capabilities (page 0x13): doorbell pages, log2 in units of 4 KiB. */
#define PRM_HCA_CAP_PAGE_VDPA		0x13
#define PRM_CAP_VDPA_LOG_DOORBELL_STRIDE		PRM_FIELD(1, 8, 5)
#define PRM_CAP_VDPA_LOG_DOORBELL_BAR_SIZE		PRM_FIELD(1, 0, 5)
#define PRM_CAP_VDPA_DOORBELL_BAR_OFFSET		PRM_FIELD(2, 0, 64)

/* SET_PP_RATE_LIMIT: entry 0 means no limit and cannot be set. */
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

/* Transitions: bits 95..32 of opt_param_mask, and the extension of the context, 192 bytes. */
#define PRM_MODIFY_QP_IN_QPC_EXT			PRM_FIELD(2, 31, 1)
#define PRM_MODIFY_QP_IN_OPT_PARAM_MASK_95_32		PRM_FIELD(66, 0, 64)
#define PRM_MODIFY_QP_IN_EXT_BYTE	0x110
#define PRM_MODIFY_QP_IN_EXT_SIZE	0x1d0
#define PRM_QPC_EXT_MMO					PRM_FIELD(0, 29, 1)
#define PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_REQUESTER	PRM_FIELD(1, 0, 32)
#define PRM_QPC_EXT_QOS_QUEUE_GROUP_ID_RESPONDER	PRM_FIELD(2, 0, 32)
#define PRM_QP_OPT_32_QOS_QUEUE_GROUP_ID	(1u << 1)
#define PRM_QP_OPT_32_UDP_SPORT			(1u << 2)
#define PRM_QP_OPT_32_MMO			(1u << 3)

/* ads.udp_sport of the primary path, counted from the QP context. */
#define PRM_QPC_PRIMARY_PATH_UDP_SPORT	PRM_FIELD(PRM_QPC_PRIMARY_PATH_BYTE / 4 + 8, 0, 16)

/* General capabilities for the features of this file. */
#define PRM_CAP_QPC_EXTENSION				PRM_FIELD(9, 29, 1)
#define PRM_CAP_RTS2RTS_QP_UDP_SPORT			PRM_FIELD(10, 14, 1)
#define PRM_CAP_RTS2RTS_LAG_TX_PORT_AFFINITY		PRM_FIELD(10, 13, 1)
#define PRM_CAP_LAG_TX_PORT_AFFINITY			PRM_FIELD(19, 7, 1)

/* Optional parameter of RTS2RTS. */
#define PRM_QP_OPT_LAG_TX_PORT_AFFINITY	(1u << 15)

/* QUERY_LAG */
#define PRM_QUERY_LAG_OUT_LAG_STATE			PRM_FIELD(2, 0, 3)
#define PRM_QUERY_LAG_OUT_TX_REMAP_AFFINITY_2		PRM_FIELD(3, 8, 4)
#define PRM_QUERY_LAG_OUT_TX_REMAP_AFFINITY_1		PRM_FIELD(3, 0, 4)

/* Scheduling element, 128 bytes: a general object. */
#define PRM_SCHED_ELEM_MODIFY_FIELD_SELECT		PRM_FIELD(0, 0, 64)
#define PRM_SCHED_ELEM_HIERARCHY			PRM_FIELD(2, 24, 8)
#define PRM_SCHED_ELEM_CTX_BYTE		32
#define PRM_SCHED_ELEM_SIZE		128

/* Scheduling context, inside the element. */
#define PRM_SCHED_ELEMENT_TYPE				PRM_FIELD(0, 24, 8)
#define PRM_SCHED_TSAR_TYPE				PRM_FIELD(1, 16, 8)
#define PRM_SCHED_PARENT_ELEMENT_ID			PRM_FIELD(2, 0, 32)
#define PRM_SCHED_BW_SHARE				PRM_FIELD(5, 0, 32)
#define PRM_SCHED_MAX_AVERAGE_BW			PRM_FIELD(6, 0, 32)	/* Mbit/s */

/* sched_elem.modify_field_select, .scheduling_hierarchy, .element_type, .tsar_type */
#define PRM_SCHED_SELECT_BW_SHARE	(1u << 0)
#define PRM_SCHED_SELECT_MAX_AVERAGE_BW	(1u << 1)
#define PRM_SCHED_HIERARCHY_NIC		0x3
#define PRM_SCHED_ELEM_TSAR		0x0
#define PRM_SCHED_ELEM_QUEUE_GROUP	0x4
#define PRM_SCHED_TSAR_DWRR		0x0

#endif /* MLX5_PRM_QOS_H */
