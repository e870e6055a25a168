/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_SRQ_H
#define MLX5_PRM_SRQ_H

/**
 * @file
 * Shared receive queues: the contexts of SRQ, XRC SRQ and RMP, and the mailboxes of their
 * commands (Linux: include/linux/mlx5/mlx5_ifc.h; drivers/infiniband/hw/mlx5/srq_cmd.c).
 */

#include "mlx5_prm_cmd.h"

/* Context of SRQ (srqc) and XRC SRQ (xrc_srqc), 64 bytes; only the latter has user_index. */
#define PRM_SRQC_STATE					PRM_FIELD(0, 28, 4)
#define PRM_SRQC_LOG_SRQ_SIZE				PRM_FIELD(0, 24, 4)
#define PRM_SRQC_WQ_SIGNATURE				PRM_FIELD(1, 31, 1)
#define PRM_SRQC_CONT_SRQ				PRM_FIELD(1, 30, 1)
#define PRM_SRQC_BASIC_CYCLIC_RCV_WQE			PRM_FIELD(1, 27, 1)
#define PRM_SRQC_LOG_RQ_STRIDE				PRM_FIELD(1, 24, 3)
#define PRM_SRQC_XRCD					PRM_FIELD(1, 0, 24)
#define PRM_SRQC_PAGE_OFFSET				PRM_FIELD(2, 26, 6)
#define PRM_SRQC_DBR_UMEM_VALID				PRM_FIELD(2, 24, 1)
#define PRM_SRQC_CQN					PRM_FIELD(2, 0, 24)
#define PRM_SRQC_LOG_PAGE_SIZE				PRM_FIELD(4, 24, 6)
#define PRM_SRQC_USER_INDEX				PRM_FIELD(4, 0, 24)
#define PRM_SRQC_PD					PRM_FIELD(6, 0, 24)
#define PRM_SRQC_LWM					PRM_FIELD(7, 16, 16)
#define PRM_SRQC_WQE_CNT				PRM_FIELD(7, 0, 16)
#define PRM_SRQC_DBR_ADDR				PRM_FIELD(10, 0, 64)

/* Work queue (wq), 192 bytes, followed by page addresses. log_wq_stride is log2(bytes). */
#define PRM_WQ_TYPE					PRM_FIELD(0, 28, 4)
#define PRM_WQ_SIGNATURE				PRM_FIELD(0, 27, 1)
#define PRM_WQ_PAGE_OFFSET				PRM_FIELD(1, 16, 5)
#define PRM_WQ_LWM					PRM_FIELD(1, 0, 16)
#define PRM_WQ_PD					PRM_FIELD(2, 0, 24)
#define PRM_WQ_DBR_ADDR					PRM_FIELD(4, 0, 64)
#define PRM_WQ_HW_COUNTER				PRM_FIELD(6, 0, 32)
#define PRM_WQ_SW_COUNTER				PRM_FIELD(7, 0, 32)
#define PRM_WQ_LOG_WQ_STRIDE				PRM_FIELD(8, 16, 4)
#define PRM_WQ_LOG_WQ_PG_SZ				PRM_FIELD(8, 8, 5)
#define PRM_WQ_LOG_WQ_SZ				PRM_FIELD(8, 0, 5)
#define PRM_WQ_DBR_UMEM_VALID				PRM_FIELD(9, 31, 1)
#define PRM_WQ_WQ_UMEM_VALID				PRM_FIELD(9, 30, 1)
#define PRM_WQ_DBR_UMEM_ID				PRM_FIELD(10, 0, 32)
#define PRM_WQ_WQ_UMEM_ID				PRM_FIELD(11, 0, 32)
#define PRM_WQ_WQ_UMEM_OFFSET				PRM_FIELD(12, 0, 64)

/* Receive memory pool context (rmpc): a wq at byte 48. */
#define PRM_RMPC_STATE					PRM_FIELD(0, 20, 4)
#define PRM_RMPC_BASIC_CYCLIC_RCV_WQE			PRM_FIELD(1, 31, 1)
#define PRM_RMPC_WQ_BYTE				0x30

#define PRM_SRQC_SIZE	64
#define PRM_WQ_SIZE	192
#define PRM_RMPC_SIZE	(PRM_RMPC_WQ_BYTE + PRM_WQ_SIZE)

/* srqc.state */
#define PRM_SRQC_STATE_GOOD	0x0
#define PRM_SRQC_STATE_ERROR	0x1

/* wq.wq_type */
#define PRM_WQ_TYPE_LINKED_LIST	0x0
#define PRM_WQ_TYPE_CYCLIC	0x1

/* rmpc.state and modify_rmp.rmp_state */
#define PRM_RMPC_STATE_RST	0x0
#define PRM_RMPC_STATE_RDY	0x1
#define PRM_RMPC_STATE_ERR	0x3

/* CREATE_SRQ, CREATE_XRC_SRQ, and the commands that query and arm them */
#define PRM_CREATE_SRQ_IN_SRQC_BYTE	0x10
#define PRM_CREATE_SRQ_IN_PAS_BYTE	0x110
#define PRM_CREATE_XRC_SRQ_IN_UMEM_VALID		PRM_FIELD(23, 31, 1)
#define PRM_CREATE_SRQ_OUT_SRQN				PRM_FIELD(2, 0, 24)
#define PRM_QUERY_SRQ_OUT_SRQC_BYTE	0x10
#define PRM_QUERY_SRQ_OUT_SIZE		0x110
#define PRM_ARM_RQ_IN_SRQN				PRM_FIELD(2, 0, 24)
#define PRM_ARM_RQ_IN_LWM				PRM_FIELD(3, 0, 16)
/* ARM_RQ and ARM_XRC_SRQ: op_mod for an SRQ. */
#define PRM_ARM_RQ_OP_MOD_SRQ		0x1

/* CREATE_RMP, MODIFY_RMP, QUERY_RMP */
#define PRM_CREATE_RMP_IN_RMPC_BYTE	0x20
#define PRM_CREATE_RMP_IN_PAS_BYTE	0x110
#define PRM_MODIFY_RMP_IN_RMP_STATE			PRM_FIELD(2, 28, 4)
#define PRM_MODIFY_RMP_IN_RMPN				PRM_FIELD(2, 0, 24)
#define PRM_MODIFY_RMP_IN_BITMASK_LWM			PRM_FIELD(5, 0, 1)
#define PRM_MODIFY_RMP_IN_RMPC_BYTE	0x20
#define PRM_MODIFY_RMP_IN_SIZE		0x110
#define PRM_QUERY_RMP_OUT_RMPC_BYTE	0x20
#define PRM_QUERY_RMP_OUT_SIZE		0x110

#endif /* MLX5_PRM_SRQ_H */
