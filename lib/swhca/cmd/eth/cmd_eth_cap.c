/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Capabilities of Ethernet queues. Zero means unsupported: striding receive queues, LRO, several
 * packets in a send WQE, software parsing, tunnels, flow tables for transmit.
 */

#include "cmd/eth/cmd_eth.h"
#include "eth/steer.h"

void
swhca_eth_general_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	if (!swhca_cmd_has_eth(hca))
		return;
	prm_set(cap, PRM_CAP_NIC_FLOW_TABLE, 1);
	prm_set(cap, PRM_CAP_ETH_NET_OFFLOADS, 1);
	prm_set(cap, PRM_CAP_LOG_MAX_RQ, SWHCA_LOG_MAX_ERQ);
	prm_set(cap, PRM_CAP_LOG_MAX_SQ, SWHCA_LOG_MAX_SQ);
	prm_set(cap, PRM_CAP_LOG_MAX_TIR, SWHCA_LOG_MAX_TIR);
	prm_set(cap, PRM_CAP_LOG_MAX_TIS, SWHCA_LOG_MAX_TIS);
	prm_set(cap, PRM_CAP_LOG_MAX_RQT, SWHCA_LOG_MAX_RQT);
	prm_set(cap, PRM_CAP_LOG_MAX_RQT_SIZE, SWHCA_LOG_MAX_RQT_SIZE);
	prm_set(cap, PRM_CAP_LOG_MAX_TIS_PER_SQ, 0);
	prm_set(cap, PRM_CAP_LOG_MAX_WQ_SZ, SWHCA_LOG_MAX_ETH_WQ);
	prm_set(cap, PRM_CAP_LOG_MAX_VLAN_LIST, SWHCA_LOG_MAX_VLAN_LIST);
	prm_set(cap, PRM_CAP_LOG_MAX_CURRENT_MC_LIST, SWHCA_LOG_MAX_MC_LIST);
	prm_set(cap, PRM_CAP_LOG_MAX_CURRENT_UC_LIST, SWHCA_LOG_MAX_UC_LIST);
}

/* Linux requires all of these (dev.c, mlx5_eth_supported()). */
void
swhca_eth_offload_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	if (!swhca_cmd_has_eth(hca))
		return;
	prm_set(cap, PRM_CAP_ETH_CSUM_CAP, 1);
	prm_set(cap, PRM_CAP_ETH_VLAN_CAP, 1);
	prm_set(cap, PRM_CAP_ETH_WQE_VLAN_INSERT, 1);
	prm_set(cap, PRM_CAP_ETH_SELF_LB_EN_MODIFIABLE, 1);
	prm_set(cap, PRM_CAP_ETH_MAX_LSO_CAP, SWHCA_LOG_MAX_LSO);
	prm_set(cap, PRM_CAP_ETH_WQE_INLINE_MODE, PRM_CAP_ETH_INLINE_MODE_NOT_REQUIRED);
	prm_set(cap, PRM_CAP_ETH_RSS_IND_TBL_CAP, SWHCA_LOG_MAX_RQT_SIZE);
	prm_set(cap, PRM_CAP_ETH_CQE_CHECKSUM_FULL, 1);
}

/* All outer headers supported by swhca_frame_match(). */
#define FIELDS                                                                                     \
	(PRM_CAP_FT_FIELD_DMAC | PRM_CAP_FT_FIELD_SMAC | PRM_CAP_FT_FIELD_ETHER_TYPE |             \
	 PRM_CAP_FT_FIELD_IP_VERSION | PRM_CAP_FT_FIELD_FIRST_PRIO | PRM_CAP_FT_FIELD_FIRST_CFI |  \
	 PRM_CAP_FT_FIELD_FIRST_VID | PRM_CAP_FT_FIELD_TTL | PRM_CAP_FT_FIELD_SIP |                \
	 PRM_CAP_FT_FIELD_DIP | PRM_CAP_FT_FIELD_FRAG | PRM_CAP_FT_FIELD_IP_PROTOCOL |             \
	 PRM_CAP_FT_FIELD_IP_ECN | PRM_CAP_FT_FIELD_IP_DSCP | PRM_CAP_FT_FIELD_UDP_SPORT |         \
	 PRM_CAP_FT_FIELD_UDP_DPORT | PRM_CAP_FT_FIELD_TCP_SPORT | PRM_CAP_FT_FIELD_TCP_DPORT |    \
	 PRM_CAP_FT_FIELD_TCP_FLAGS)

void
swhca_eth_flow_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	uint8_t *rx = cap + PRM_CAP_FT_NIC_RX_BYTE;

	if (!swhca_cmd_has_eth(hca))
		return;
	prm_set(rx, PRM_CAP_FT_SUPPORT, 1);
	prm_set(rx, PRM_CAP_FT_FLOW_COUNTER, 1);
	prm_set(rx, PRM_CAP_FT_FLOW_MODIFY_EN, 1);
	prm_set(rx, PRM_CAP_FT_MODIFY_ROOT, 1);
	prm_set(rx, PRM_CAP_FT_IDENTIFIED_MISS_TABLE_MODE, 1);
	prm_set(rx, PRM_CAP_FT_FLOW_TABLE_MODIFY, 1);
	prm_set(rx, PRM_CAP_FT_LOG_MAX_FT_SIZE, SWHCA_LOG_MAX_FLOW_TABLE_SIZE);
	prm_set(rx, PRM_CAP_FT_MAX_FT_LEVEL, SWHCA_MAX_FLOW_LEVEL);
	prm_set(rx, PRM_CAP_FT_LOG_MAX_FT_NUM, SWHCA_LOG_MAX_FLOW_TABLES);
	prm_set(rx, PRM_CAP_FT_LOG_MAX_FLOW_COUNTER, SWHCA_LOG_MAX_FLOW_COUNTERS);
	prm_set(rx, PRM_CAP_FT_LOG_MAX_DESTINATION, SWHCA_LOG_MAX_FLOW_DESTS);
	prm_set(rx, PRM_CAP_FT_LOG_MAX_FLOW, SWHCA_LOG_MAX_FLOWS);
	prm_set(rx + PRM_CAP_FT_FIELDS_BYTE, PRM_CAP_FT_FIELDS_OUTER, FIELDS);
	prm_set(rx + PRM_CAP_FT_BITMASKS_BYTE, PRM_CAP_FT_FIELDS_OUTER, FIELDS);
}
