/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_prm_crypto.h"
#include "mlx5_prm_qos.h"
#include "mlx5_prm_wqe.h"
#include "cmd/cmd_av_map.h"
#include "cmd/cmd.h"
#include "cmd/cmd_dek.h"
#include "cmd/eth/cmd_eth.h"
#include "cmd/function/cmd_function.h"
#include "cmd/cmd_general.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_memic.h"
#include "cmd/cmd_qos.h"
#include "cmd/cmd_reserved_qpn.h"
#include "object/limits.h"
#include "op/mmo.h"
#include "xport/dci.h"
#include "xport/dct.h"
#include "xport/mcg.h"

/*
 * A capability is only reported if it is supported: the commands reject features that are zero
 * here. The frequency is that of the CQE timestamp, nanoseconds.
 */
struct cap_value {
	struct prm_field field;
	uint32_t value;
};

/* Capabilities of all models. */
static const struct cap_value common_caps[] = {
	{ PRM_CAP_HCA_CAP_2, 1 },
	{ PRM_CAP_LOG_MAX_EQ, SWHCA_LOG_MAX_EQ },
	{ PRM_CAP_LOG_MAX_EQ_SZ, SWHCA_LOG_MAX_EQ_SZ },
	{ PRM_CAP_RELAXED_ORDERING_WRITE, 1 },
	{ PRM_CAP_RELAXED_ORDERING_WRITE_UMR, 1 },
	{ PRM_CAP_RELAXED_ORDERING_READ_UMR, 1 },
	{ PRM_CAP_LOG_MAX_MRW_SZ, 64 },
	{ PRM_CAP_UMR_EXTENDED_TRANSLATION_OFFSET, 1 },
	{ PRM_CAP_LOG_MAX_RA_REQ_QP, 4 },
	{ PRM_CAP_LOG_MAX_RA_RES_QP, 4 },
	{ PRM_CAP_GID_TABLE_SIZE, 0 },	/* code 0: 8 entries */
	{ PRM_CAP_PKEY_TABLE_SIZE, 0 },	/* code 0: 128 entries */
	{ PRM_CAP_LOCAL_CA_ACK_DELAY, 16 },
	{ PRM_CAP_DEVICE_MEMORY, 1 },
	{ PRM_CAP_PG, 1 },
	{ PRM_CAP_FIXED_BUFFER_SIZE, 1 },
	{ PRM_CAP_NULL_MKEY, 1 },
	{ PRM_CAP_DUMP_FILL_MKEY, 1 },
	{ PRM_CAP_TERMINATE_SCATTER_LIST_MKEY, 1 },
	{ PRM_CAP_NUM_PORTS, 1 },
	{ PRM_CAP_LOG_MAX_MSG, SWHCA_LOG_MAX_MSG },
	{ PRM_CAP_CQE_VERSION, 1 },
	{ PRM_CAP_DCT, 1 },
	{ PRM_CAP_LOG_MAX_RA_REQ_DC, 4 },
	{ PRM_CAP_LOG_MAX_RA_RES_DC, 4 },
	{ PRM_CAP_MAX_WQE_SZ_SQ_DC, SWHCA_MAX_WQE_SZ_SQ },
	{ PRM_CAP_QOS, 1 },
	{ PRM_CAP_QPC_EXTENSION, 1 },
	{ PRM_CAP_RTS2RTS_LAG_TX_PORT_AFFINITY, 1 },
	{ PRM_CAP_LAG_TX_PORT_AFFINITY, 1 },
	{ PRM_CAP_NUM_LAG_PORTS, SWHCA_NB_LAG_PORTS },
	{ PRM_CAP_COMPACT_ADDRESS_VECTOR, 1 },
	{ PRM_CAP_SCTR_DATA_CQE, 1 },
	{ PRM_CAP_DC_REQ_SCTR_DATA_CQE, 1 },
	{ PRM_CAP_CQ_OI, 1 },
	{ PRM_CAP_CQ_RESIZE, 1 },
	{ PRM_CAP_CQE_128_ALWAYS, 1 },
	{ PRM_CAP_CQE_COMPRESSION, 1 },
	{ PRM_CAP_CQE_COMPRESSION_128B, 1 },
	{ PRM_CAP_CQE_COMPRESSION_MAX_NUM, SWHCA_CQ_SESSION_MAX },
	{ PRM_CAP_MINI_CQE_RESP_STRIDE_INDEX, 1 },
	{ PRM_CAP_CQ_MODERATION, 1 },
	{ PRM_CAP_CQ_PERIOD_MODE_MODIFY, 1 },
	{ PRM_CAP_CQ_PERIOD_START_FROM_CQE, 1 },
	{ PRM_CAP_CQ_EQ_REMAP, 1 },
	{ PRM_CAP_SCQE_BREAK_MODERATION, 1 },
	{ PRM_CAP_UMR_PTR_RLKEY, 1 },
	{ PRM_CAP_IMAICL, 1 },
	{ PRM_CAP_RC, 1 },
	{ PRM_CAP_UC, 1 },
	{ PRM_CAP_UD, 1 },
	{ PRM_CAP_XRC, 1 },
	{ PRM_CAP_ATOMIC, 1 },
	{ PRM_CAP_LOG_MAX_SRQ, SWHCA_LOG_MAX_SRQ },
	{ PRM_CAP_LOG_MAX_SRQ_SZ, SWHCA_LOG_MAX_SRQ_SZ },
	{ PRM_CAP_LOG_MAX_RMP, SWHCA_LOG_MAX_SRQ },
	{ PRM_CAP_BASIC_CYCLIC_RCV_WQE, 1 },
	{ PRM_CAP_LOG_MAX_XRCD, SWHCA_LOG_MAX_XRCD },
	{ PRM_CAP_BLOCK_LB_MC, 1 },
	{ PRM_CAP_LOG_MAX_MCG, SWHCA_LOG_MAX_MCG },
	{ PRM_CAP_MAX_QP_MCG, SWHCA_MAX_QP_MCG },
	{ PRM_CAP_UAR_4K, 1 },
	{ PRM_CAP_LOG_PG_SZ, PRM_ADAPTER_PAGE_SHIFT },
	{ PRM_CAP_BF, 1 },
	{ PRM_CAP_LOG_BF_REG_SIZE, 9 },
	{ PRM_CAP_MAX_WQE_SZ_SQ, SWHCA_MAX_WQE_SZ_SQ },
	{ PRM_CAP_MAX_WQE_SZ_RQ, SWHCA_MAX_WQE_SZ_RQ },
	{ PRM_CAP_LOG_MAX_TRANSPORT_DOMAIN, 10 },
	{ PRM_CAP_MAX_FLOW_COUNTER_15_0, SWHCA_NB_FLOW_COUNTERS },
	{ PRM_CAP_LOG_MAX_BSF_LIST_SIZE, SWHCA_LOG_MAX_BSF_LIST },
	{ PRM_CAP_SHO, 1 },
	{ PRM_CAP_SIGERR_CQE, 1 },
	{ PRM_CAP_SIGERR_DOMAIN_AND_SIG_TYPE, 1 },
	{ PRM_CAP_DRAIN_SIGERR, 1 },
	{ PRM_CAP_LOG_MAX_PD, SWHCA_LOG_MAX_PD },
	{ PRM_CAP_LOG_UAR_PAGE_SZ, 0 },
	{ PRM_CAP_DEVICE_FREQUENCY_MHZ, 1000 },
	{ PRM_CAP_DEVICE_FREQUENCY_KHZ, 1000000 },
	{ PRM_CAP_NUM_OF_UARS_PER_PAGE, 1 },
};

/*
 * Capabilities for the driver of a function. ib_virt: it queries addresses and partitions by the
 * commands of a vport, not by MAD_IFC. umem_uid_0: users' umems in commands of the kernel.
 */
static const struct cap_value driver_caps[] = {
	{ PRM_CAP_IB_VIRT, 1 },
	{ PRM_CAP_LOG_MAX_UCTX, SWHCA_LOG_MAX_UCTX },
	{ PRM_CAP_UMEM_UID_0, 1 },
	{ PRM_CAP_MAX_QP_CNT, SWHCA_NB_Q_COUNTERS },
	{ PRM_CAP_OUT_OF_SEQ_CNT, 1 },
	{ PRM_CAP_RETRANSMISSION_Q_COUNTERS, 1 },
	{ PRM_CAP_ENHANCED_ERROR_Q_COUNTERS, 1 },
	{ PRM_CAP_VPORT_COUNTERS, 1 },
	{ PRM_CAP_RTS2RTS_QP_COUNTERS_SET_ID, 1 },
};

static void
values_set(uint8_t *cap, const struct cap_value *values, size_t nb)
{
	size_t i;

	for (i = 0; i < nb; i++)
		prm_set(cap, values[i].field, values[i].value);
}

static void
fill_general(const struct swhca_hca *hca, uint8_t *cap)
{
	bool has_streams = swhca_model_has(hca->conf.model, SWHCA_FEATURE_DCI_STREAMS);
	bool has_mmo = swhca_model_has(hca->conf.model, SWHCA_FEATURE_DMA_MMO);
	bool has_crypto = swhca_model_has(hca->conf.model, SWHCA_FEATURE_CRYPTO);
	bool has_multi_block = swhca_model_has(hca->conf.model, SWHCA_FEATURE_XTS_MULTI_BLOCK);
	bool has_sig_crc = swhca_model_has(hca->conf.model, SWHCA_FEATURE_SIG_CRC);
	bool has_ooo = swhca_model_has(hca->conf.model, SWHCA_FEATURE_OOO_DP);
	bool is_eth = hca->conf.link_layer == SWHCA_LINK_ETH;
	const struct cap_value own_caps[] = {
		{ PRM_CAP_VHCA_ID, hca->conf.vhca_id },
		{ PRM_CAP_LOG_MAX_QP_SZ, hca->conf.log_max_qp_sz },
		{ PRM_CAP_LOG_MAX_QP, hca->conf.log_max_qp },
		{ PRM_CAP_LOG_MAX_CQ_SZ, hca->conf.log_max_cq_sz },
		{ PRM_CAP_LOG_MAX_CQ, hca->conf.log_max_cq },
		{ PRM_CAP_LOG_MAX_MKEY, hca->conf.log_max_mkey },
		{ PRM_CAP_MAX_INDIRECTION, hca->conf.max_indirection },
		{ PRM_CAP_LOG_MAX_KLM_LIST_SIZE, hca->conf.log_max_klm },
		{ PRM_CAP_UMR_FENCE, hca->conf.needs_strong_fence ? PRM_CAP_UMR_FENCE_STRONG :
								    PRM_CAP_UMR_FENCE_SMALL },
		{ PRM_CAP_PORT_TYPE, is_eth ? PRM_CAP_PORT_TYPE_ETH : PRM_CAP_PORT_TYPE_IB },
		{ PRM_CAP_ROCE, is_eth },
		{ PRM_CAP_SQ_TS_FORMAT, swhca_cmd_has_real_time(hca) ? PRM_TS_FORMAT_CAP_BOTH : 0 },
		{ PRM_CAP_RQ_TS_FORMAT, swhca_cmd_has_real_time(hca) ? PRM_TS_FORMAT_CAP_BOTH : 0 },
		{ PRM_CAP_LOG_DMA_MMO_MAX_SIZE, has_mmo ? SWHCA_LOG_MAX_MMO_DMA : 0 },
		{ PRM_CAP_DMA_MMO_QP, has_mmo },
		{ PRM_CAP_LOG_MAX_DCI_STREAM_CHANNELS,
		  has_streams ? SWHCA_LOG_MAX_DCI_STREAMS : 0 },
		{ PRM_CAP_LOG_MAX_DCI_ERRORED_STREAMS,
		  has_streams ? SWHCA_LOG_MAX_DCI_ERRORED : 0 },
		{ PRM_CAP_RTS2RTS_QP_UDP_SPORT, is_eth },
		{ PRM_CAP_UAR_SZ, hca->conf.log_max_uar - 8u },	/* log2 of MiB */
		{ PRM_CAP_DP_ORDERING_OOO_ALL_RC, has_ooo },
		{ PRM_CAP_DP_ORDERING_OOO_ALL_UC, has_ooo },
		{ PRM_CAP_DP_ORDERING_OOO_ALL_UD, has_ooo },
		{ PRM_CAP_DP_ORDERING_OOO_ALL_XRC, has_ooo },
		{ PRM_CAP_DP_ORDERING_OOO_ALL_DC, has_ooo },
		{ PRM_CAP_MKEY_PCIE_TPH,
		  swhca_model_has(hca->conf.model, SWHCA_FEATURE_TPH) },
		{ PRM_CAP_CRYPTO, has_crypto },
		{ PRM_CAP_AES_XTS_SINGLE_BLOCK_LE_TWEAK, has_crypto && !has_multi_block },
		{ PRM_CAP_AES_XTS_MULTI_BLOCK_BE_TWEAK, has_crypto && has_multi_block },
		{ PRM_CAP_SIG_BLOCK_4048, has_sig_crc },
		{ PRM_CAP_SIG_CRC32C, has_sig_crc },
		{ PRM_CAP_SIG_CRC64_XP10, has_sig_crc },
	};

	values_set(cap, common_caps, sizeof(common_caps) / sizeof(common_caps[0]));
	values_set(cap, own_caps, sizeof(own_caps) / sizeof(own_caps[0]));
	if (hca->conf.has_driver)
		values_set(cap, driver_caps, sizeof(driver_caps) / sizeof(driver_caps[0]));
	swhca_eth_general_cap_fill(hca, cap);
	prm_set(cap, PRM_CAP_GENERAL_OBJ_TYPES, swhca_general_obj_types(hca));
}

/* Fill one scheme, whose service types start at dword dw. */
static void
fill_odp_scheme(uint8_t *cap, unsigned int dw)
{
	static const unsigned int types[] = { PRM_CAP_ODP_RC_DW, PRM_CAP_ODP_XRC_DW,
					      PRM_CAP_ODP_DC_DW };
	unsigned int type;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		type = dw + types[i];
		prm_set(cap, PRM_CAP_ODP_SEND(type), 1);
		prm_set(cap, PRM_CAP_ODP_RECEIVE(type), 1);
		prm_set(cap, PRM_CAP_ODP_WRITE(type), 1);
		prm_set(cap, PRM_CAP_ODP_READ(type), 1);
		prm_set(cap, PRM_CAP_ODP_ATOMIC(type), 1);
		prm_set(cap, PRM_CAP_ODP_SRQ_RECEIVE(type), 1);
	}
	prm_set(cap, PRM_CAP_ODP_SEND(dw + PRM_CAP_ODP_UC_DW), 1);
	prm_set(cap, PRM_CAP_ODP_RECEIVE(dw + PRM_CAP_ODP_UC_DW), 1);
	prm_set(cap, PRM_CAP_ODP_WRITE(dw + PRM_CAP_ODP_UC_DW), 1);
	prm_set(cap, PRM_CAP_ODP_SEND(dw + PRM_CAP_ODP_UD_DW), 1);
	prm_set(cap, PRM_CAP_ODP_RECEIVE(dw + PRM_CAP_ODP_UD_DW), 1);
	prm_set(cap, PRM_CAP_ODP_SRQ_RECEIVE(dw + PRM_CAP_ODP_UD_DW), 1);
}

/*
 * All accesses use the same translation, independent of the service type, the creator of the queue,
 * and the way of reporting faults.
 */
static void
fill_odp(const struct swhca_hca *hca, uint8_t *cap)
{
	fill_odp_scheme(cap, 0);
	if (!swhca_model_has(hca->conf.model, SWHCA_FEATURE_MEM_FAULT))
		return;
	fill_odp_scheme(cap, PRM_CAP_ODP_MEM_DW);
	prm_set(cap, PRM_CAP_ODP_MEM_PAGE_PREFETCH, 1);
	prm_set(cap, PRM_CAP_ODP_MEM_PAGE_FAULT, 1);
}

/* IPv4 and IPv6 addresses, RoCE 1 and 2. Queues without a peer may loop back without an address. */
static void
fill_roce(const struct swhca_hca *hca, uint8_t *cap)
{
	if (hca->conf.link_layer != SWHCA_LINK_ETH)
		return;
	if (swhca_cmd_has_real_time(hca))
		prm_set(cap, PRM_CAP_ROCE_QP_TS_FORMAT, PRM_TS_FORMAT_CAP_BOTH);
	prm_set(cap, PRM_CAP_ROCE_SW_R_ROCE_SRC_UDP_PORT, 1);
	prm_set(cap, PRM_CAP_ROCE_FL_RC_QP_WHEN_ROCE_DISABLED, 1);
	prm_set(cap, PRM_CAP_ROCE_FL_RC_QP_WHEN_ROCE_ENABLED, 1);
	prm_set(cap, PRM_CAP_ROCE_L3_TYPE,
		PRM_ROCE_L3_TYPE_CAP_IPV4 | PRM_ROCE_L3_TYPE_CAP_IPV6);
	prm_set(cap, PRM_CAP_ROCE_VERSION, 1u << PRM_ROCE_VERSION_1 | 1u << PRM_ROCE_VERSION_2);
	prm_set(cap, PRM_CAP_ROCE_R_ROCE_DEST_UDP_PORT, PRM_ROCE_UDP_PORT);
	prm_set(cap, PRM_CAP_ROCE_R_ROCE_MAX_SRC_UDP_PORT, 0xffff);
	prm_set(cap, PRM_CAP_ROCE_R_ROCE_MIN_SRC_UDP_PORT, SWHCA_MIN_ROCE_SPORT);
	prm_set(cap, PRM_CAP_ROCE_ROCE_ADDRESS_TABLE_SIZE, SWHCA_NB_ROCE_ADDRS);
}

/* 8 bytes, in the byte order of the host. No extended or masked atomics. */
static void
fill_atomic(uint8_t *cap)
{
	prm_set(cap, PRM_CAP_ATOMIC_ATOMIC_REQ_8B_ENDIANNESS_MODE, PRM_ATOMIC_ENDIANNESS_HOST);
	prm_set(cap, PRM_CAP_ATOMIC_SUPPORTED_ATOMIC_REQ_8B_ENDIANNESS_MODE_1, 1);
	prm_set(cap, PRM_CAP_ATOMIC_ATOMIC_OPERATIONS,
		PRM_ATOMIC_OP_CMP_SWAP | PRM_ATOMIC_OP_FETCH_ADD);
	prm_set(cap, PRM_CAP_ATOMIC_ATOMIC_SIZE_QP, PRM_ATOMIC_SIZE_8);
	prm_set(cap, PRM_CAP_ATOMIC_ATOMIC_SIZE_DC, PRM_ATOMIC_SIZE_8);
}

/* Reserved queue pair numbers are allocated one by one. */
static void
fill_general_2(const struct swhca_hca *hca, uint8_t *cap)
{
	prm_set(cap, PRM_CAP_2_DP_ORDERING_FORCE,
		swhca_model_has(hca->conf.model, SWHCA_FEATURE_OOO_DP));
	prm_set(cap, PRM_CAP_2_LOG_MAX_NUM_RESERVED_QPN, SWHCA_LOG_MAX_RESERVED_QPN);
	prm_set(cap, PRM_CAP_2_LOG_RESERVED_QPN_GRANULARITY, 0);
	prm_set(cap, PRM_CAP_2_LOG_RESERVED_QPN_MAX_ALLOC, 0);
}

bool
swhca_cap_max_fill(const struct swhca_hca *hca, unsigned int page, uint8_t *cap)
{
	switch (page) {
	case PRM_HCA_CAP_PAGE_GENERAL:
		fill_general(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_ATOMIC:
		fill_atomic(cap);
		return true;
	case PRM_HCA_CAP_PAGE_ROCE:
		fill_roce(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_QOS:
		swhca_qos_cap_fill(cap);
		return true;
	case PRM_HCA_CAP_PAGE_VDPA:
		swhca_vdpa_cap_fill(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_DEVICE_MEM:
		swhca_memic_cap_fill(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_ODP:
		fill_odp(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_CRYPTO:
		swhca_crypto_cap_fill(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_GENERAL_2:
		fill_general_2(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_ETH_OFFLOADS:
		swhca_eth_offload_cap_fill(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_NIC_FLOW_TABLE:
		swhca_eth_flow_cap_fill(hca, cap);
		return true;
	case PRM_HCA_CAP_PAGE_ESW_FLOW_TABLE:
	case PRM_HCA_CAP_PAGE_ESW:
		/* Pages of every adapter, for features that this one does not support: all zero. */
		return true;
	default:
		return false;
	}
}

uint8_t
swhca_cmd_query_hca_cap(struct swhca_cmd *cmd)
{
	uint8_t page[PRM_QUERY_HCA_CAP_OUT_SIZE - PRM_QUERY_HCA_CAP_OUT_CAP_BYTE] = { 0 };
	unsigned int op_mod = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD);
	size_t room = cmd->out_len - PRM_QUERY_HCA_CAP_OUT_CAP_BYTE;

	if (!swhca_cap_max_fill(cmd->hca, op_mod >> 1, page))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "no capability page 0x%x",
					op_mod >> 1);
	if (op_mod & PRM_HCA_CAP_OP_MOD_CUR)
		swhca_cap_choices_fill(cmd->hca, op_mod >> 1, page);
	memcpy(cmd->out + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE, page,
	       room < sizeof(page) ? room : sizeof(page));
	return PRM_CMD_OK;
}
