/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_PRM_H
#define MLX5_PRM_H

/**
 * @file
 * Common definitions of the driver and the software device: PRM layouts that are not in mlx5dv.h.
 *
 * A bit field of a big-endian structure is a {dword, lowest bit, width} constant, read with
 * prm_get() and written with prm_set(). Offsets are from the ConnectX Programmer's Reference
 * Manual, as published in rdma-core (providers/mlx5/mlx5_ifc.h), DPDK (mlx5_prm.h) and Linux
 * (include/linux/mlx5/mlx5_ifc.h). Commands are in mlx5_prm_cmd.h, WQE and CQE additions in
 * mlx5_prm_wqe.h. This file implements no behavior.
 */

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** A field of a big-endian structure: dword index, lowest bit, width (1..32, or 64). */
struct prm_field {
	uint16_t dw;
	uint8_t lsb;
	uint8_t width;
};

#define PRM_FIELD(dw_, lsb_, width_)                                                               \
	((struct prm_field){ .dw = (dw_), .lsb = (lsb_), .width = (width_) })

/** Byte offset of the dword that a field starts in. */
#define PRM_FIELD_BYTE(f) ((size_t)(f).dw * 4)

static inline uint32_t
prm_dword_get(const void *base, unsigned int dw)
{
	uint32_t be;

	memcpy(&be, (const uint8_t *)base + (size_t)dw * 4, sizeof(be));
	return be32toh(be);
}

static inline void
prm_dword_set(void *base, unsigned int dw, uint32_t value)
{
	uint32_t be = htobe32(value);

	memcpy((uint8_t *)base + (size_t)dw * 4, &be, sizeof(be));
}

/** Read a field of up to 64 bits. */
static inline uint64_t
prm_get(const void *base, struct prm_field f)
{
	uint32_t mask;

	if (f.width == 64)
		return ((uint64_t)prm_dword_get(base, f.dw) << 32) |
		       prm_dword_get(base, f.dw + 1u);
	mask = f.width == 32 ? UINT32_MAX : (UINT32_C(1) << f.width) - 1;
	return (prm_dword_get(base, f.dw) >> f.lsb) & mask;
}

/* The same for a field that fits the type. */

static inline uint8_t
prm_get_u8(const void *base, struct prm_field f)
{
	assert(f.width <= 8);
	return (uint8_t)prm_get(base, f);
}

static inline uint16_t
prm_get_u16(const void *base, struct prm_field f)
{
	assert(f.width <= 16);
	return (uint16_t)prm_get(base, f);
}

static inline uint32_t
prm_get_u32(const void *base, struct prm_field f)
{
	assert(f.width <= 32);
	return (uint32_t)prm_get(base, f);
}

/** Whether a value fits a field. */
static inline bool
prm_fits(struct prm_field f, uint64_t value)
{
	return f.width == 64 || value >> f.width == 0;
}

/**
 * Write a field; neighbors do not change.
 *
 * The value must fit, which is asserted. Values from outside must be checked before, against a
 * limit or with prm_fits().
 */
static inline void
prm_set(void *base, struct prm_field f, uint64_t value)
{
	uint32_t mask, dword;

	if (f.width == 64) {
		prm_dword_set(base, f.dw, (uint32_t)(value >> 32));
		prm_dword_set(base, f.dw + 1u, (uint32_t)value);
		return;
	}
	mask = f.width == 32 ? UINT32_MAX : (UINT32_C(1) << f.width) - 1;
	assert(prm_fits(f, value));
	dword = prm_dword_get(base, f.dw) & ~(mask << f.lsb);
	/* Protect neighbors even without assertions. */
	prm_dword_set(base, f.dw, dword | ((uint32_t)value & mask) << f.lsb);
}

/* Memory key context (mkc), 64 bytes: CREATE_MKEY, QUERY_MKEY. */
#define PRM_MKC_FREE					PRM_FIELD(0, 30, 1)
#define PRM_MKC_ACCESS_MODE_4_2				PRM_FIELD(0, 26, 3)
#define PRM_MKC_RELAXED_ORDERING_WRITE			PRM_FIELD(0, 18, 1)
#define PRM_MKC_UMR_EN					PRM_FIELD(0, 15, 1)
#define PRM_MKC_A					PRM_FIELD(0, 14, 1)
#define PRM_MKC_RW					PRM_FIELD(0, 13, 1)
#define PRM_MKC_RR					PRM_FIELD(0, 12, 1)
#define PRM_MKC_LW					PRM_FIELD(0, 11, 1)
#define PRM_MKC_LR					PRM_FIELD(0, 10, 1)
#define PRM_MKC_ACCESS_MODE_1_0				PRM_FIELD(0, 8, 2)
#define PRM_MKC_QPN					PRM_FIELD(1, 8, 24)
#define PRM_MKC_MKEY_7_0				PRM_FIELD(1, 0, 8)
#define PRM_MKC_LENGTH64				PRM_FIELD(3, 31, 1)
#define PRM_MKC_BSF_EN					PRM_FIELD(3, 30, 1)
#define PRM_MKC_SYNC_UMR				PRM_FIELD(3, 29, 1)
#define PRM_MKC_EXPECTED_SIGERR_COUNT			PRM_FIELD(3, 26, 1)
#define PRM_MKC_EN_RINVAL				PRM_FIELD(3, 24, 1)
#define PRM_MKC_PD					PRM_FIELD(3, 0, 24)
#define PRM_MKC_START_ADDR				PRM_FIELD(4, 0, 64)
#define PRM_MKC_LEN					PRM_FIELD(6, 0, 64)
#define PRM_MKC_BSF_OCTWORD_SIZE			PRM_FIELD(8, 0, 32)
#define PRM_MKC_TRANSLATIONS_OCTWORD_SIZE		PRM_FIELD(13, 0, 32)
#define PRM_MKC_RELAXED_ORDERING_READ			PRM_FIELD(14, 6, 1)
#define PRM_MKC_LOG_PAGE_SIZE				PRM_FIELD(14, 0, 6)
#define PRM_MKC_CRYPTO_EN				PRM_FIELD(15, 27, 2)
/* Processing hints of PCI (Linux: mlx5_ifc.h, mkc). */
#define PRM_MKC_PCIE_TPH_EN				PRM_FIELD(15, 26, 1)
#define PRM_MKC_PCIE_TPH_PH				PRM_FIELD(15, 24, 2)
#define PRM_MKC_PCIE_TPH_STEERING_TAG_INDEX		PRM_FIELD(15, 16, 8)

/* Completion queue context (cqc), 64 bytes. */
#define PRM_CQC_STATUS					PRM_FIELD(0, 28, 4)
#define PRM_CQC_DBR_UMEM_VALID				PRM_FIELD(0, 25, 1)
#define PRM_CQC_CQE_SZ					PRM_FIELD(0, 21, 3)
#define PRM_CQC_CC					PRM_FIELD(0, 20, 1)
#define PRM_CQC_SCQE_BREAK_MODERATION_EN		PRM_FIELD(0, 18, 1)
#define PRM_CQC_OI					PRM_FIELD(0, 17, 1)
#define PRM_CQC_CQ_PERIOD_MODE				PRM_FIELD(0, 15, 2)
#define PRM_CQC_CQE_COMP_EN				PRM_FIELD(0, 14, 1)
#define PRM_CQC_MINI_CQE_RES_FORMAT			PRM_FIELD(0, 12, 2)
#define PRM_CQC_ST					PRM_FIELD(0, 8, 4)
#define PRM_CQC_CQE_COMP_LAYOUT				PRM_FIELD(0, 0, 7)
#define PRM_CQC_DBR_UMEM_ID				PRM_FIELD(1, 0, 32)
#define PRM_CQC_MINI_CQE_RES_FORMAT_EXT			PRM_FIELD(2, 2, 2)
#define PRM_CQC_PAGE_OFFSET				PRM_FIELD(2, 6, 6)
#define PRM_CQC_CQ_TIMESTAMP_FORMAT			PRM_FIELD(2, 0, 2)
#define PRM_CQC_LOG_CQ_SIZE				PRM_FIELD(3, 24, 5)
#define PRM_CQC_UAR_PAGE				PRM_FIELD(3, 0, 24)
#define PRM_CQC_CQ_PERIOD				PRM_FIELD(4, 16, 12)
#define PRM_CQC_CQ_MAX_COUNT				PRM_FIELD(4, 0, 16)
#define PRM_CQC_C_EQN					PRM_FIELD(5, 0, 8)
#define PRM_CQC_LOG_PAGE_SIZE				PRM_FIELD(6, 24, 5)
#define PRM_CQC_LAST_NOTIFIED_INDEX			PRM_FIELD(8, 0, 24)
#define PRM_CQC_LAST_SOLICIT_INDEX			PRM_FIELD(9, 0, 24)
#define PRM_CQC_CONSUMER_COUNTER			PRM_FIELD(10, 0, 24)
#define PRM_CQC_PRODUCER_COUNTER			PRM_FIELD(11, 0, 24)
#define PRM_CQC_DBR_ADDR				PRM_FIELD(14, 0, 64)

/* Queue pair context (qpc), 232 bytes. */
#define PRM_QPC_STATE					PRM_FIELD(0, 28, 4)
#define PRM_QPC_LAG_TX_PORT_AFFINITY			PRM_FIELD(0, 24, 4)
#define PRM_QPC_ST					PRM_FIELD(0, 16, 8)
#define PRM_QPC_PM_STATE				PRM_FIELD(0, 11, 2)
#define PRM_QPC_END_PADDING_MODE			PRM_FIELD(0, 2, 2)
#define PRM_QPC_WQ_SIGNATURE				PRM_FIELD(1, 31, 1)
#define PRM_QPC_BLOCK_LB_MC				PRM_FIELD(1, 30, 1)
#define PRM_QPC_DRAIN_SIGERR				PRM_FIELD(1, 26, 1)
/* Data may be placed out of order (Linux: mlx5_ifc.h, qpc). */
#define PRM_QPC_DP_ORDERING_FORCE			PRM_FIELD(1, 24, 1)
#define PRM_QPC_PD					PRM_FIELD(1, 0, 24)
#define PRM_QPC_MTU					PRM_FIELD(2, 29, 3)
#define PRM_QPC_LOG_MSG_MAX				PRM_FIELD(2, 24, 5)
#define PRM_QPC_LOG_RQ_SIZE				PRM_FIELD(2, 19, 4)
#define PRM_QPC_LOG_RQ_STRIDE				PRM_FIELD(2, 16, 3)
#define PRM_QPC_NO_SQ					PRM_FIELD(2, 15, 1)
#define PRM_QPC_LOG_SQ_SIZE				PRM_FIELD(2, 11, 4)
#define PRM_QPC_TS_FORMAT				PRM_FIELD(2, 6, 2)
#define PRM_QPC_RLKY					PRM_FIELD(2, 4, 1)
#define PRM_QPC_COUNTER_SET_ID				PRM_FIELD(3, 24, 8)
#define PRM_QPC_UAR_PAGE				PRM_FIELD(3, 0, 24)
#define PRM_QPC_USER_INDEX				PRM_FIELD(4, 0, 24)
#define PRM_QPC_LOG_PAGE_SIZE				PRM_FIELD(5, 24, 5)
#define PRM_QPC_REMOTE_QPN				PRM_FIELD(5, 0, 24)
#define PRM_QPC_LOG_ACK_REQ_FREQ			PRM_FIELD(28, 28, 4)
#define PRM_QPC_LOG_SRA_MAX				PRM_FIELD(28, 21, 3)
#define PRM_QPC_RETRY_COUNT				PRM_FIELD(28, 16, 3)
#define PRM_QPC_RNR_RETRY				PRM_FIELD(28, 13, 3)
#define PRM_QPC_FRE					PRM_FIELD(28, 11, 1)
#define PRM_QPC_CUR_RNR_RETRY				PRM_FIELD(28, 8, 3)
#define PRM_QPC_CUR_RETRY_COUNT				PRM_FIELD(28, 5, 3)
#define PRM_QPC_NEXT_SEND_PSN				PRM_FIELD(30, 0, 24)
#define PRM_QPC_CQN_SND					PRM_FIELD(31, 0, 24)
#define PRM_QPC_DETH_SQPN				PRM_FIELD(32, 0, 24)
#define PRM_QPC_LAST_ACKED_PSN				PRM_FIELD(34, 0, 24)
#define PRM_QPC_SSN					PRM_FIELD(35, 0, 24)
#define PRM_QPC_LOG_RRA_MAX				PRM_FIELD(36, 21, 3)
#define PRM_QPC_ATOMIC_MODE				PRM_FIELD(36, 16, 4)
#define PRM_QPC_RRE					PRM_FIELD(36, 15, 1)
#define PRM_QPC_RWE					PRM_FIELD(36, 14, 1)
#define PRM_QPC_RAE					PRM_FIELD(36, 13, 1)
#define PRM_QPC_PAGE_OFFSET				PRM_FIELD(36, 6, 6)
#define PRM_QPC_DP_ORDERING_1				PRM_FIELD(36, 3, 1)
#define PRM_QPC_MIN_RNR_NAK				PRM_FIELD(37, 24, 5)
#define PRM_QPC_NEXT_RCV_PSN				PRM_FIELD(37, 0, 24)
#define PRM_QPC_XRCD					PRM_FIELD(38, 0, 24)
#define PRM_QPC_CQN_RCV					PRM_FIELD(39, 0, 24)
#define PRM_QPC_DBR_ADDR				PRM_FIELD(40, 0, 64)
#define PRM_QPC_Q_KEY					PRM_FIELD(42, 0, 32)
#define PRM_QPC_RQ_TYPE					PRM_FIELD(43, 24, 3)
#define PRM_QPC_SRQN_RMPN_XRQN				PRM_FIELD(43, 0, 24)
#define PRM_QPC_HW_SQ_WQEBB_COUNTER			PRM_FIELD(45, 16, 16)
#define PRM_QPC_SW_SQ_WQEBB_COUNTER			PRM_FIELD(45, 0, 16)
#define PRM_QPC_HW_RQ_COUNTER				PRM_FIELD(46, 0, 32)
#define PRM_QPC_SW_RQ_COUNTER				PRM_FIELD(47, 0, 32)
#define PRM_QPC_CS_REQ					PRM_FIELD(49, 8, 8)
#define PRM_QPC_CS_RES					PRM_FIELD(49, 0, 8)
#define PRM_QPC_DC_ACCESS_KEY				PRM_FIELD(50, 0, 64)
#define PRM_QPC_DBR_UMEM_VALID				PRM_FIELD(52, 28, 1)
#define PRM_QPC_DBR_UMEM_ID				PRM_FIELD(57, 0, 32)

/* Address path (ads), 44 bytes, inside the QP context. */
#define PRM_ADS_FL					PRM_FIELD(0, 31, 1)
#define PRM_ADS_FREE_AR					PRM_FIELD(0, 30, 1)
#define PRM_ADS_PKEY_INDEX				PRM_FIELD(0, 0, 16)
#define PRM_ADS_GRH					PRM_FIELD(1, 23, 1)
#define PRM_ADS_MLID					PRM_FIELD(1, 16, 7)
#define PRM_ADS_RLID					PRM_FIELD(1, 0, 16)
#define PRM_ADS_ACK_TIMEOUT				PRM_FIELD(2, 27, 5)
#define PRM_ADS_SRC_ADDR_INDEX				PRM_FIELD(2, 16, 8)
#define PRM_ADS_STAT_RATE				PRM_FIELD(2, 8, 4)
#define PRM_ADS_HOP_LIMIT				PRM_FIELD(2, 0, 8)
#define PRM_ADS_TCLASS					PRM_FIELD(3, 20, 8)
#define PRM_ADS_FLOW_LABEL				PRM_FIELD(3, 0, 20)
#define PRM_ADS_DSCP					PRM_FIELD(8, 16, 6)
#define PRM_ADS_UDP_SPORT				PRM_FIELD(8, 0, 16)
#define PRM_ADS_ETH_PRIO				PRM_FIELD(9, 28, 3)
#define PRM_ADS_SL					PRM_FIELD(9, 24, 4)
#define PRM_ADS_VHCA_PORT_NUM				PRM_FIELD(9, 16, 8)
#define PRM_ADS_RMAC_47_32				PRM_FIELD(9, 0, 16)
#define PRM_ADS_RMAC_31_0				PRM_FIELD(10, 0, 32)

/* Event queue context (eqc), 64 bytes. */
#define PRM_EQC_STATUS					PRM_FIELD(0, 28, 4)
#define PRM_EQC_EC					PRM_FIELD(0, 18, 1)
#define PRM_EQC_OI					PRM_FIELD(0, 17, 1)
#define PRM_EQC_ST					PRM_FIELD(0, 8, 4)
#define PRM_EQC_PAGE_OFFSET				PRM_FIELD(2, 6, 6)
#define PRM_EQC_LOG_EQ_SIZE				PRM_FIELD(3, 24, 5)
#define PRM_EQC_UAR_PAGE				PRM_FIELD(3, 0, 24)
#define PRM_EQC_INTR					PRM_FIELD(5, 0, 8)
#define PRM_EQC_LOG_PAGE_SIZE				PRM_FIELD(6, 24, 5)
#define PRM_EQC_CONSUMER_COUNTER			PRM_FIELD(10, 0, 24)
#define PRM_EQC_PRODUCER_COUNTER			PRM_FIELD(11, 0, 24)

/* eqc.st and eqc.status */
#define PRM_EQC_ST_ARMED		0x9u
#define PRM_EQC_ST_FIRED		0xau
#define PRM_EQC_STATUS_WRITE_FAILURE	0xau

/* Event queue entry, 64 bytes (Linux: struct mlx5_eqe, union ev_data at byte 32). */
#define PRM_EQE_SIZE					64u
#define PRM_EQE_TYPE					PRM_FIELD(0, 16, 8)
#define PRM_EQE_SUB_TYPE				PRM_FIELD(0, 0, 8)
/* CQ of a completion; QP, SRQ or DCT of an affiliated event. */
#define PRM_EQE_QUEUE_TYPE				PRM_FIELD(13, 24, 8)
#define PRM_EQE_OBJ_NUM					PRM_FIELD(14, 0, 24)
#define PRM_EQE_CQ_ERROR_CQN				PRM_FIELD(8, 0, 24)
#define PRM_EQE_CQ_ERROR_SYNDROME			PRM_FIELD(10, 0, 8)
#define PRM_EQE_PORT_NUM				PRM_FIELD(10, 28, 4)
/* Slots of the command queue, one bit each (Linux: struct mlx5_eqe_cmd). */
#define PRM_EQE_CMD_VECTOR				PRM_FIELD(8, 0, 32)
#define PRM_EQE_OWNER					PRM_FIELD(15, 0, 1)

/*
 * Page faults (Linux: struct mlx5_eqe_page_fault, MLX5_PFAULT_*). An event reports a queue and its
 * WQE, or the memory of a remote request (transport scheme), or memory (memory scheme).
 */
#define PRM_PAGE_FAULT_WQE		0x0u
#define PRM_PAGE_FAULT_RDMA		0x1u
#define PRM_PAGE_FAULT_MEMORY		0x2u
/* Type of the first two, as bits; a WQE of a shared receive queue has none of them. */
#define PRM_PAGE_FAULT_TYPE_REQUESTOR	0x1u
#define PRM_PAGE_FAULT_TYPE_WRITE	0x2u
#define PRM_PAGE_FAULT_TYPE_RDMA	0x4u
/* Last event of this token. */
#define PRM_PAGE_FAULT_FLAG_LAST	0x80u
#define PRM_EQE_PF_BYTES_COMMITTED			PRM_FIELD(8, 0, 32)
#define PRM_EQE_PF_PACKET_LENGTH			PRM_FIELD(10, 0, 16)
#define PRM_EQE_PF_TYPE					PRM_FIELD(14, 24, 3)
#define PRM_EQE_PF_WQE_INDEX				PRM_FIELD(9, 0, 16)
#define PRM_EQE_PF_WQE_TOKEN				PRM_FIELD(11, 0, 32)
#define PRM_EQE_PF_WQE_WQ_NUM				PRM_FIELD(14, 0, 24)
#define PRM_EQE_PF_RDMA_R_KEY				PRM_FIELD(9, 0, 32)
#define PRM_EQE_PF_RDMA_OP_LEN				PRM_FIELD(11, 0, 32)
#define PRM_EQE_PF_RDMA_VA				PRM_FIELD(12, 0, 64)
#define PRM_EQE_PF_RDMA_TOKEN				PRM_FIELD(14, 0, 24)
#define PRM_EQE_PF_MEM_FLAGS				PRM_FIELD(8, 24, 8)
#define PRM_EQE_PF_MEM_TOKEN_47_32			PRM_FIELD(9, 0, 16)
#define PRM_EQE_PF_MEM_TOKEN_31_0			PRM_FIELD(10, 0, 32)
#define PRM_EQE_PF_MEM_DEMAND_PAGES			PRM_FIELD(11, 12, 20)	/* of 4096 bytes */
#define PRM_EQE_PF_MEM_MKEY				PRM_FIELD(12, 0, 32)
#define PRM_EQE_PF_MEM_VA				PRM_FIELD(13, 0, 64)

/* Number of masks of 64 event types in CREATE_EQ. */
#define PRM_EQ_NB_MASKS					4u

/* eqe.type, and bit of CREATE_EQ's event_bitmask. */
enum prm_event_type {
	PRM_EVENT_COMP = 0x00,
	PRM_EVENT_PATH_MIG = 0x01,
	PRM_EVENT_COMM_EST = 0x02,
	PRM_EVENT_SQ_DRAINED = 0x03,
	PRM_EVENT_CQ_ERROR = 0x04,
	PRM_EVENT_WQ_CATAS_ERROR = 0x05,
	PRM_EVENT_PATH_MIG_FAILED = 0x07,
	PRM_EVENT_INTERNAL_ERROR = 0x08,
	PRM_EVENT_PORT_CHANGE = 0x09,
	PRM_EVENT_CMD = 0x0a,
	PRM_EVENT_PAGE_REQUEST = 0x0b,
	PRM_EVENT_PAGE_FAULT = 0x0c,
	PRM_EVENT_WQ_INVAL_REQ_ERROR = 0x10,
	PRM_EVENT_WQ_ACCESS_ERROR = 0x11,
	PRM_EVENT_SRQ_CATAS_ERROR = 0x12,
	PRM_EVENT_SRQ_LAST_WQE = 0x13,
	PRM_EVENT_SRQ_RQ_LIMIT = 0x14,
	PRM_EVENT_DCT_DRAINED = 0x1c,
	PRM_EVENT_DCT_KEY_VIOLATION = 0x1d,
};

/* Syndrome of a CQ error event. */
#define PRM_CQ_ERROR_OVERRUN		0x1u
#define PRM_CQ_ERROR_ACCESS		0x2u

/* eqe.sub_type of a port change (Linux: MLX5_PORT_CHANGE_SUBTYPE_*). */
enum prm_port_change {
	PRM_PORT_CHANGE_DOWN = 0x1,
	PRM_PORT_CHANGE_ACTIVE = 0x4,
	PRM_PORT_CHANGE_INITIALIZED = 0x5,
	PRM_PORT_CHANGE_LID = 0x6,
	PRM_PORT_CHANGE_PKEY = 0x7,
	PRM_PORT_CHANGE_GUID = 0x8,
	PRM_PORT_CHANGE_CLIENT_REREG = 0x9,
};

/* User memory (umem), 32 bytes, followed by num_of_mtt entries of 8 bytes. */
#define PRM_UMEM_LOG_PAGE_SIZE				PRM_FIELD(4, 0, 5)
#define PRM_UMEM_PAGE_OFFSET				PRM_FIELD(5, 0, 32)
#define PRM_UMEM_NUM_OF_MTT				PRM_FIELD(6, 0, 64)

/* Doorbell record: two big-endian counters (PRM, "doorbell record"). */
#define PRM_DBR_SIZE	8u
#define PRM_DBR_RQ	0u	/* dword 0: receive counter; of a CQ: consumer counter */
#define PRM_DBR_SQ	1u	/* dword 1: send counter in WQEBBs */
#define PRM_DBR_CQ_ARM	1u	/* dword 1 of a CQ */

/* Fields of that dword: events seen, whether only solicited CQEs count, consumer counter. */
#define PRM_CQ_ARM_SN_SHIFT	28u
#define PRM_CQ_ARM_SN(value)	((value) >> PRM_CQ_ARM_SN_SHIFT & 3)
#define PRM_CQ_ARM_SOLICITED	(1u << 24)
#define PRM_CQ_ARM_CI_MASK	0xffffffu

/* UAR page, 4 KiB. */
#define PRM_UAR_CQ_DB_OFFSET	0x20u	/* arm a CQ */
#define PRM_UAR_EQ_DB_OFFSET	0x40u	/* EQ: consumer counter, and arm */
#define PRM_UAR_EQ_CI_OFFSET	0x48u	/* EQ: consumer counter */
/* first BlueField register; its first 8 bytes are the doorbell */
#define PRM_UAR_BF_OFFSET	0x800u
#define PRM_UAR_BF_REG_SIZE	0x200u	/* 1 << log_bf_reg_size: two halves, used alternately */
#define PRM_UAR_NB_BF		4u	/* two for the user fast path, two for the kernel */

/* Sizes of the contexts above, in bytes. */
#define PRM_MKC_SIZE	64
#define PRM_CQC_SIZE	64
#define PRM_QPC_SIZE	232
#define PRM_ADS_SIZE	44
#define PRM_EQC_SIZE	64
#define PRM_UMEM_SIZE	32

/* Byte offsets of the address paths in the QP context, and of the GID in an address path. */
#define PRM_QPC_PRIMARY_PATH_BYTE	0x18
#define PRM_QPC_SECONDARY_PATH_BYTE	0x44
#define PRM_ADS_RGID_BYTE		0x10

/* ads.ack_timeout and .pkey_index of the primary path, counted from the QP context. */
#define PRM_QPC_PRIMARY_PATH_PKEY_INDEX		PRM_FIELD(PRM_QPC_PRIMARY_PATH_BYTE / 4, 0, 16)
#define PRM_QPC_PRIMARY_PATH_ACK_TIMEOUT	PRM_FIELD(PRM_QPC_PRIMARY_PATH_BYTE / 4 + 2, 27, 5)

/* mkc.access_mode_4_2 << 2 | mkc.access_mode_1_0 */
enum prm_mkc_access_mode {
	PRM_MKC_ACCESS_MODE_PA = 0x0,
	PRM_MKC_ACCESS_MODE_MTT = 0x1,
	PRM_MKC_ACCESS_MODE_KLMS = 0x2,
	PRM_MKC_ACCESS_MODE_KSM = 0x3,
	PRM_MKC_ACCESS_MODE_SW_ICM = 0x4,
	PRM_MKC_ACCESS_MODE_MEMIC = 0x5,
};

/* mkc.qpn of a key that every queue may use. */
#define PRM_MKC_QPN_ANY	0xffffffu

/* qpc.state, as returned by QUERY_QP. */
enum prm_qp_state {
	PRM_QP_STATE_RST = 0x0,
	PRM_QP_STATE_INIT = 0x1,
	PRM_QP_STATE_RTR = 0x2,
	PRM_QP_STATE_RTS = 0x3,
	PRM_QP_STATE_SQER = 0x4,
	PRM_QP_STATE_SQD = 0x5,
	PRM_QP_STATE_ERR = 0x6,
	PRM_QP_STATE_SQDRAINING = 0x7,
};

/* qpc.st */
enum prm_qp_type {
	PRM_QP_ST_RC = 0x0,
	PRM_QP_ST_UC = 0x1,
	PRM_QP_ST_UD = 0x2,
	PRM_QP_ST_XRC = 0x3,
	PRM_QP_ST_DCI = 0x5,
	PRM_QP_ST_QP0 = 0x7,		/* subnet management, */
	PRM_QP_ST_QP1 = 0x8,		/* and general services: used by the kernel */
	PRM_QP_ST_REG_UMR = 0xc,	/* used by the kernel, only to rewrite keys of any PD */
};

/* qpc.rq_type */
enum prm_rq_type {
	PRM_RQ_TYPE_REGULAR = 0x0,
	PRM_RQ_TYPE_SRQ = 0x1,
	PRM_RQ_TYPE_ZERO_SIZE = 0x3,
};

#define PRM_QPC_PM_STATE_MIGRATED	0x3

/* qpc.atomic_mode (Linux: MLX5_ATOMIC_MODE_*): 8 byte operands only. */
#define PRM_QPC_ATOMIC_MODE_NONE	0x0
#define PRM_QPC_ATOMIC_MODE_IB_COMP	0x1

/* qpc.mtu, as IBTA encodes it: 256 to 4096 bytes. */
#define PRM_QPC_MTU_256		0x1
#define PRM_QPC_MTU_4096	0x5

/* qpc.user_index of software that supports only CQEs of version 0 (Linux: MLX5_IB_DEFAULT_UIDX). */
#define PRM_USER_INDEX_NONE	0xffffffu

/* qpc.cs_req, cs_res: payload size of a CQE, for requester or responder. */
#define PRM_QPC_CS_REQ_DISABLE		0x00
#define PRM_QPC_CS_REQ_32B		0x11
#define PRM_QPC_CS_REQ_64B		0x22
#define PRM_QPC_CS_RES_DISABLE		0x0
#define PRM_QPC_CS_RES_32B		0x1
#define PRM_QPC_CS_RES_64B		0x2

/* cqc.cqe_sz */
#define PRM_CQC_CQE_SZ_64	0x0
#define PRM_CQC_CQE_SZ_128	0x1
#define PRM_CQC_CQE_SZ_128_PAD	0x2

/* cqc.cq_period_mode: start of the moderation time. */
#define PRM_CQC_PERIOD_FROM_EQE		0x0
#define PRM_CQC_PERIOD_FROM_CQE		0x1

/* cqc.st */
#define PRM_CQC_ST_SOLICITED_ARMED	0x6
#define PRM_CQC_ST_ARMED		0x9
#define PRM_CQC_ST_FIRED		0xa

/* cqc.mini_cqe_res_format (Linux: mini_cqe_res_format_to_hw()) */
#define PRM_CQC_MINI_CQE_HASH		0x0
#define PRM_CQC_MINI_CQE_CSUM		0x1
#define PRM_CQC_MINI_CQE_CSUM_STRIDX	0x3

/* Mini CQE: hash, or checksum and stride index; byte count. */
#define PRM_MINI_CQE_SIZE		8u
#define PRM_MINI_CQES_PER_SLOT		8u

/* Clock of timestamps: requested by a queue (qpc.ts_format), and supported (capabilities). */
#define PRM_TS_FORMAT_FREE_RUNNING	0x0
#define PRM_TS_FORMAT_DEFAULT		0x1
#define PRM_TS_FORMAT_REAL_TIME		0x2
#define PRM_TS_FORMAT_CAP_BOTH		0x2

/* The PRM's page unit: log_page_size holds log2(bytes) - 12, but in an mkc log2(bytes). */
#define PRM_ADAPTER_PAGE_SHIFT	12
#define PRM_ADAPTER_PAGE_SIZE	(1u << PRM_ADAPTER_PAGE_SHIFT)

/* Translation entry (mtt, pas): page address, and write and read enable in bits 1 and 0. */
#define PRM_MTT_SIZE	8
#define PRM_MTT_WR_EN	UINT64_C(0x2)
#define PRM_MTT_RD_EN	UINT64_C(0x1)

#endif /* MLX5_PRM_H */
