/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Agents of a port: subnet management (IBTA 14.2.5) and performance (16.1). Attributes that a
 * manager may set have fixed values, so Set is rejected.
 */

#include <string.h>

#include "mad/layout.h"
#include "mad/mad_responder.h"
#include "object/limits.h"

#define GID_PREFIX UINT64_C(0xfe80000000000000)

/* Codes of PortInfo (14.2.5.6). */
#define STATE_DOWN	1u
#define STATE_ACTIVE	4u
#define PHYS_POLLING	2u
#define PHYS_LINK_UP	5u
#define WIDTH_1X_4X	3u
#define WIDTH_4X	2u
#define SPEED_SDR_TO_QDR 7u
#define SPEED_QDR	4u
#define VL0_TO_VL7	4u
/* 4.096 us << 18 is a second. */
#define TIME_1S		18u

void
swhca_mad_node_info(const struct swhca_hca *hca, uint8_t *out)
{
	prm_set(out, NODE_INFO_BASE_VERSION, 1);
	prm_set(out, NODE_INFO_CLASS_VERSION, 1);
	prm_set(out, NODE_INFO_TYPE, NODE_TYPE_CA);
	prm_set(out, NODE_INFO_NUM_PORTS, 1);
	prm_set(out, NODE_INFO_SYS_GUID, hca->conf.port_guid);
	prm_set(out, NODE_INFO_NODE_GUID, hca->conf.port_guid);
	prm_set(out, NODE_INFO_PORT_GUID, hca->conf.port_guid);
	prm_set(out, NODE_INFO_PARTITION_CAP, SWHCA_NB_IB_PKEYS);
	prm_set(out, NODE_INFO_DEVICE_ID, swhca_model_info_get(hca->conf.model)->pci_device);
	prm_set(out, NODE_INFO_LOCAL_PORT, 1);
	prm_set(out, NODE_INFO_VENDOR_ID, SWHCA_VENDOR_OUI);
}

static void
port_info(const struct swhca_hca *hca, uint8_t *out)
{
	/* FDR is 16 as a code of the driver, and 1 as an extended speed. */
	unsigned int ext = swhca_model_info_get(hca->conf.model)->port.speed / 16u;

	prm_set(out, PORT_INFO_GID_PREFIX, GID_PREFIX);
	prm_set(out, PORT_INFO_LID, hca->conf.lid);
	prm_set(out, PORT_INFO_SM_LID, swhca_mad_manager_lid());
	prm_set(out, PORT_INFO_CAP_MASK, hca->function.cap_mask);
	prm_set(out, PORT_INFO_LOCAL_PORT, 1);
	prm_set(out, PORT_INFO_WIDTH_ENABLED, WIDTH_1X_4X);
	prm_set(out, PORT_INFO_WIDTH_SUPPORTED, WIDTH_1X_4X);
	prm_set(out, PORT_INFO_WIDTH_ACTIVE, WIDTH_4X);
	prm_set(out, PORT_INFO_SPEED_SUPPORTED, SPEED_SDR_TO_QDR);
	prm_set(out, PORT_INFO_STATE, hca->is_port_down ? STATE_DOWN : STATE_ACTIVE);
	prm_set(out, PORT_INFO_PHYS_STATE, hca->is_port_down ? PHYS_POLLING : PHYS_LINK_UP);
	prm_set(out, PORT_INFO_DOWN_DEFAULT, PHYS_POLLING);
	prm_set(out, PORT_INFO_SPEED_ACTIVE, SPEED_QDR);
	prm_set(out, PORT_INFO_SPEED_ENABLED, SPEED_SDR_TO_QDR);
	prm_set(out, PORT_INFO_NEIGHBOR_MTU, SA_MTU_4096);
	prm_set(out, PORT_INFO_VL_CAP, VL0_TO_VL7);
	prm_set(out, PORT_INFO_MTU_CAP, SA_MTU_4096);
	prm_set(out, PORT_INFO_OPERATIONAL_VLS, VL0_TO_VL7);
	prm_set(out, PORT_INFO_GUID_CAP, SWHCA_NB_IB_GIDS);
	prm_set(out, PORT_INFO_SUBNET_TIMEOUT, TIME_1S);
	prm_set(out, PORT_INFO_RESP_TIME, TIME_1S);
	prm_set(out, PORT_INFO_SPEED_EXT_ACTIVE, ext);
	prm_set(out, PORT_INFO_SPEED_EXT_SUPPORTED, ext * 2 - 1);
	prm_set(out, PORT_INFO_SPEED_EXT_ENABLED, ext * 2 - 1);
}

/* Blocks of 32 P_Keys; only the first has one (10.9). */
static uint16_t
pkey_table(uint32_t block, uint8_t *out)
{
	if (block >= SWHCA_NB_IB_PKEYS / (SMP_DATA_LEN / 2))
		return MAD_STATUS_BAD_VALUE;
	if (block == 0)
		prm_set(out, PRM_FIELD(0, 16, 16), 0xffff);
	return 0;
}

static uint16_t
guid_info(const struct swhca_hca *hca, uint32_t block, uint8_t *out)
{
	if (block != 0)
		return MAD_STATUS_BAD_VALUE;
	prm_set(out, PRM_FIELD(0, 0, 64), hca->conf.port_guid);
	return 0;
}

static uint16_t
smp_get(const struct swhca_hca *hca, unsigned int attr, uint32_t mod, uint8_t *out)
{
	switch (attr) {
	case SMP_ATTR_NODE_DESC:
		memcpy(out, hca->function.node_desc, SMP_DATA_LEN);
		return 0;
	case SMP_ATTR_NODE_INFO:
		swhca_mad_node_info(hca, out);
		return 0;
	case SMP_ATTR_PORT_INFO:
		/* Port 0 of an adapter is the one that receives the request. */
		if ((mod & 0xff) > 1)
			return MAD_STATUS_BAD_VALUE;
		port_info(hca, out);
		return 0;
	case SMP_ATTR_PKEY_TABLE:
		return pkey_table(mod & 0xffff, out);
	case SMP_ATTR_GUID_INFO:
		return guid_info(hca, mod, out);
	default:
		return MAD_STATUS_BAD_ATTR;
	}
}

static uint64_t
at_most(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

/* Counters stop at their maximum; data are counted in units of 4 bytes. */
static void
port_counters(const struct swhca_wire_stats *wire, uint8_t *out)
{
	prm_set(out, PMA_PORT_SELECT, 1);
	prm_set(out, PMA_LINK_DOWNED, at_most(wire->nb_link_downed, UINT8_MAX));
	prm_set(out, PMA_RCV_ERRORS,
		at_most(wire->nb_malformed + wire->rx_icrc_encapsulated, UINT16_MAX));
	prm_set(out, PMA_XMIT_DISCARDS, at_most(wire->nb_send_errors, UINT16_MAX));
	prm_set(out, PMA_XMIT_DATA, at_most(wire->nb_bytes_sent / 4, UINT32_MAX));
	prm_set(out, PMA_RCV_DATA, at_most(wire->nb_bytes_received / 4, UINT32_MAX));
	prm_set(out, PMA_XMIT_PACKETS, at_most(wire->nb_sent, UINT32_MAX));
	prm_set(out, PMA_RCV_PACKETS, at_most(wire->nb_received, UINT32_MAX));
}

static void
port_counters_ext(const struct swhca_wire_stats *wire, uint8_t *out)
{
	prm_set(out, PMA_PORT_SELECT, 1);
	prm_set(out, PMA_EXT_XMIT_DATA, wire->nb_bytes_sent / 4);
	prm_set(out, PMA_EXT_RCV_DATA, wire->nb_bytes_received / 4);
	prm_set(out, PMA_EXT_XMIT_PACKETS, wire->nb_sent);
	prm_set(out, PMA_EXT_RCV_PACKETS, wire->nb_received);
	prm_set(out, PMA_EXT_UNICAST_XMIT, wire->nb_sent - wire->nb_multicast_sent);
	prm_set(out, PMA_EXT_UNICAST_RCV, wire->nb_received - wire->nb_multicast_received);
	prm_set(out, PMA_EXT_MULTICAST_XMIT, wire->nb_multicast_sent);
	prm_set(out, PMA_EXT_MULTICAST_RCV, wire->nb_multicast_received);
}

static uint16_t
pma_get(const struct swhca_hca *hca, unsigned int attr, uint8_t *out)
{
	switch (attr) {
	case MAD_ATTR_CLASS_PORT_INFO:
		prm_set(out, CLASS_PORT_INFO_BASE_VERSION, 1);
		prm_set(out, CLASS_PORT_INFO_CLASS_VERSION, 1);
		prm_set(out, CLASS_PORT_INFO_CAP_MASK, PMA_CAP_EXT_WIDTH);
		prm_set(out, CLASS_PORT_INFO_RESP_TIME, TIME_1S);
		return 0;
	case PMA_ATTR_PORT_COUNTERS:
		port_counters(&hca->stats.wire, out);
		return 0;
	case PMA_ATTR_PORT_COUNTERS_EXT:
		port_counters_ext(&hca->stats.wire, out);
		return 0;
	default:
		return MAD_STATUS_BAD_ATTR;
	}
}

bool
swhca_mad_is_performance(const uint8_t mad[SWHCA_MAD_LEN])
{
	return prm_get(mad, MAD_MGMT_CLASS) == MAD_CLASS_PERF;
}

bool
swhca_mad_port_answer(struct swhca_hca *hca, const uint8_t in[SWHCA_MAD_LEN],
		      uint8_t out[SWHCA_MAD_LEN])
{
	unsigned int class = (unsigned int)prm_get(in, MAD_MGMT_CLASS);
	unsigned int method = (unsigned int)prm_get(in, MAD_METHOD);
	unsigned int attr = (unsigned int)prm_get(in, MAD_ATTR_ID);
	uint32_t mod = (uint32_t)prm_get(in, MAD_ATTR_MOD);
	bool is_smp = class == MAD_CLASS_SUBN_LID || class == MAD_CLASS_SUBN_DIRECTED;
	uint8_t *data = out + (is_smp ? SMP_DATA_BYTE : PMA_DATA_BYTE);
	uint16_t status;

	if ((!is_smp && class != MAD_CLASS_PERF) ||
	    (method != MAD_METHOD_GET && method != MAD_METHOD_SET))
		return false;
	memcpy(out, in, SWHCA_MAD_LEN);
	prm_set(out, MAD_METHOD, MAD_METHOD_GET | MAD_METHOD_RESPONSE);
	if (method == MAD_METHOD_SET) {
		prm_set(out, MAD_STATUS, MAD_STATUS_BAD_ATTR);
		return true;
	}
	memset(data, 0, is_smp ? SMP_DATA_LEN : SWHCA_MAD_LEN - PMA_DATA_BYTE);
	status = is_smp ? smp_get(hca, attr, mod, data) : pma_get(hca, attr, data);
	prm_set(out, MAD_STATUS, status);
	return true;
}
