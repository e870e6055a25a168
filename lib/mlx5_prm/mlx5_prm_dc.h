/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_DC_H
#define MLX5_PRM_DC_H

/**
 * @file
 * Dynamically connected transport: targets (DCT), initiators (DCI) and their streams.
 *
 * Sources: Linux mlx5_ifc.h (dctc, DCI streams), rdma-core 44 mlx5_ifc.h.
 */

#include "mlx5_prm.h"

/* CREATE_DCT, QUERY_DCT: offset of the context. */
#define PRM_CREATE_DCT_IN_DCTC_BYTE	0x10
#define PRM_CREATE_DCT_IN_SIZE		0x50
#define PRM_QUERY_DCT_OUT_DCTC_BYTE	0x10
#define PRM_QUERY_DCT_OUT_SIZE		0x50
#define PRM_CREATE_DCT_OUT_DCTN				PRM_FIELD(2, 0, 24)

/* DC target context (dctc), 64 bytes. */
#define PRM_DCTC_STATE					PRM_FIELD(0, 24, 4)
#define PRM_DCTC_DP_ORDERING_FORCE			PRM_FIELD(1, 24, 1)
#define PRM_DCTC_USER_INDEX				PRM_FIELD(1, 0, 24)
#define PRM_DCTC_CQN					PRM_FIELD(2, 0, 24)
#define PRM_DCTC_COUNTER_SET_ID				PRM_FIELD(3, 24, 8)
#define PRM_DCTC_ATOMIC_MODE				PRM_FIELD(3, 20, 4)
#define PRM_DCTC_RRE					PRM_FIELD(3, 19, 1)
#define PRM_DCTC_RWE					PRM_FIELD(3, 18, 1)
#define PRM_DCTC_RAE					PRM_FIELD(3, 17, 1)
#define PRM_DCTC_DP_ORDERING_1				PRM_FIELD(3, 11, 1)
#define PRM_DCTC_CS_RES					PRM_FIELD(4, 16, 8)
#define PRM_DCTC_MIN_RNR_NAK				PRM_FIELD(4, 8, 5)
#define PRM_DCTC_SRQN_XRQN				PRM_FIELD(5, 0, 24)
#define PRM_DCTC_PD					PRM_FIELD(6, 0, 24)
#define PRM_DCTC_TCLASS					PRM_FIELD(7, 24, 8)
#define PRM_DCTC_FLOW_LABEL				PRM_FIELD(7, 0, 20)
#define PRM_DCTC_DC_ACCESS_KEY				PRM_FIELD(8, 0, 64)
#define PRM_DCTC_MTU					PRM_FIELD(10, 24, 3)
#define PRM_DCTC_PORT					PRM_FIELD(10, 16, 8)
#define PRM_DCTC_PKEY_INDEX				PRM_FIELD(10, 0, 16)
#define PRM_DCTC_MY_ADDR_INDEX				PRM_FIELD(11, 16, 8)
#define PRM_DCTC_HOP_LIMIT				PRM_FIELD(11, 0, 8)
#define PRM_DCTC_DC_ACCESS_KEY_VIOLATION_COUNT		PRM_FIELD(12, 0, 32)
#define PRM_DCTC_ETH_PRIO				PRM_FIELD(13, 8, 3)
#define PRM_DCTC_SIZE	64

/* dctc.state */
enum prm_dct_state {
	PRM_DCT_STATE_ACTIVE = 0x0,
	PRM_DCT_STATE_DRAINING = 0x1,
	PRM_DCT_STATE_DRAINED = 0x2,
};

/* dctc.cs_res: off, or 64 bytes before a CQE. */
#define PRM_DCTC_CS_RES_DISABLE	0x0
#define PRM_DCTC_CS_RES_64B	0x2

/*
 * qpc of a DCI: log2 of its streams, and of the number of failed streams that puts the DCI in
 * error.
 */
#define PRM_QPC_LOG_NUM_DCI_STREAM_CHANNELS		PRM_FIELD(31, 24, 5)
#define PRM_QPC_LOG_NUM_DCI_ERRORED_STREAMS		PRM_FIELD(32, 24, 5)

/* Stream of a WQE: two bytes of the control segment (mlx5dv: ctrl_seg.dci_stream_channel_id). */
#define PRM_CTRL_DCI_STREAM_CHANNEL_ID			PRM_FIELD(2, 8, 16)

/* RTS2RTS: stream to recover from an error. */
#define PRM_QP_OPT_32_DCI_STREAM_CHANNEL_ID	(1u << 0)
#define PRM_QPC_EXT_DCI_STREAM_CHANNEL_ID		PRM_FIELD(0, 0, 16)

/* Capabilities. */
#define PRM_CAP_LOG_MAX_RA_REQ_DC			PRM_FIELD(9, 16, 6)
#define PRM_CAP_LOG_MAX_RA_RES_DC			PRM_FIELD(9, 0, 6)
#define PRM_CAP_LOG_MAX_DCI_STREAM_CHANNELS		PRM_FIELD(44, 16, 5)
#define PRM_CAP_LOG_MAX_DCI_ERRORED_STREAMS		PRM_FIELD(44, 8, 5)

/* Mapping of an address to the congestion control of a QP: a general object. */
#define PRM_OBJ_TYPE_AV_QP_MAPPING	0x3a
#define PRM_AV_QP_MAPPING_QPN				PRM_FIELD(3, 0, 32)
#define PRM_AV_QP_MAPPING_SL				PRM_FIELD(7, 24, 4)
#define PRM_AV_QP_MAPPING_SRC_ADDR_INDEX		PRM_FIELD(11, 20, 8)
#define PRM_AV_QP_MAPPING_RGID_BYTE	48
#define PRM_AV_QP_MAPPING_SIZE		64

#endif /* MLX5_PRM_DC_H */
