/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Commands of the port: its state, its NIC vport, and RoCE addresses. */

#include <string.h>

#include "mlx5_prm_eth.h"
#include "mlx5_prm_hca.h"
#include "mlx5_prm_qos.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "mad/mad_responder.h"
#include "xport/port.h"

/* 4.096 us << 18 is a second. */
#define SUBNET_TIMEOUT 18u

static bool
is_eth(const struct swhca_cmd *cmd)
{
	return cmd->hca->conf.link_layer == SWHCA_LINK_ETH;
}

uint8_t
swhca_cmd_query_hca_vport_context(struct swhca_cmd *cmd)
{
	uint8_t *ctx = cmd->out + PRM_QUERY_HCA_VPORT_CONTEXT_OUT_VPORT_BYTE;
	const struct swhca_hca_conf *conf = &cmd->hca->conf;
	unsigned int port = (unsigned int)prm_get(cmd->in, PRM_QUERY_HCA_VPORT_CONTEXT_IN_PORT_NUM);

	if (is_eth(cmd))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 3, "the port is Ethernet");
	if (port > 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "port %u of 1", port);
	if (cmd->out_len < PRM_QUERY_HCA_VPORT_CONTEXT_OUT_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 2, "output of %zu bytes of %u",
					cmd->out_len, PRM_QUERY_HCA_VPORT_CONTEXT_OUT_SIZE);
	/* IBTA volume 1, 14.2.5.6, PortInfo: LinkUp or Polling, Active or Down. */
	prm_set(ctx, PRM_VPORT_PORT_PHYSICAL_STATE, cmd->hca->is_port_down ? 2 : 5);
	prm_set(ctx, PRM_VPORT_PORT_STATE, cmd->hca->is_port_down ? 1 : 4);
	prm_set(ctx, PRM_VPORT_VPORT_STATE, cmd->hca->is_port_down ? 1 : 4);
	prm_set(ctx, PRM_VPORT_SYSTEM_IMAGE_GUID, conf->port_guid);
	prm_set(ctx, PRM_VPORT_PORT_GUID, conf->port_guid);
	prm_set(ctx, PRM_VPORT_NODE_GUID, conf->port_guid);
	prm_set(ctx, PRM_VPORT_LID, conf->lid);
	prm_set(ctx, PRM_VPORT_SM_LID, conf->has_driver ? swhca_mad_manager_lid() : conf->lid);
	if (!conf->has_driver)
		return PRM_CMD_OK;
	prm_set(ctx, PRM_VPORT_HAS_SMI, 1);
	prm_set(ctx, PRM_VPORT_SUBNET_TIMEOUT, SUBNET_TIMEOUT);
	prm_set(ctx, PRM_VPORT_CAP_MASK1, cmd->hca->function.cap_mask);
	prm_set(ctx, PRM_VPORT_CAP_MASK1_FIELD_SELECT, SWHCA_PORT_CAPS_OF_SOFTWARE);
	return PRM_CMD_OK;
}

static uint8_t
nic_list_query(struct swhca_cmd *cmd, uint8_t *ctx)
{
	unsigned int type =
		(unsigned int)prm_get(cmd->in, PRM_QUERY_NIC_VPORT_CONTEXT_IN_LIST_TYPE);
	size_t room = cmd->out_len - PRM_QUERY_NIC_VPORT_CONTEXT_OUT_SIZE;
	const struct swhca_vport *vport = &cmd->hca->vport;
	uint8_t *entry = ctx + PRM_NIC_VPORT_LIST_BYTE;
	uint32_t i, nb = vport->nb_uc;

	if (type == PRM_NIC_VPORT_LIST_MC)
		nb = vport->nb_mc;
	else if (type == PRM_NIC_VPORT_LIST_VLAN)
		nb = vport->nb_vlans;
	else if (type != PRM_NIC_VPORT_LIST_UC)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "list of type %u", type);
	prm_set(ctx, PRM_NIC_VPORT_ALLOWED_LIST_TYPE, type);
	prm_set(ctx, PRM_NIC_VPORT_ALLOWED_LIST_SIZE, nb);
	/* Queries of only the context have no room for the list. */
	for (i = 0; i < nb && (i + 1) * PRM_NIC_VPORT_ENTRY_SIZE <= room; i++) {
		if (type == PRM_NIC_VPORT_LIST_VLAN)
			prm_set(entry, PRM_NIC_VPORT_ENTRY_VLAN, vport->vlans[i]);
		else
			memcpy(entry + PRM_NIC_VPORT_ENTRY_MAC_BYTE,
			       type == PRM_NIC_VPORT_LIST_MC ? vport->mc[i] : vport->uc[i],
			       SWHCA_MAC_LEN);
		entry += PRM_NIC_VPORT_ENTRY_SIZE;
	}
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_nic_vport_context(struct swhca_cmd *cmd)
{
	uint8_t *ctx = cmd->out + PRM_QUERY_NIC_VPORT_CONTEXT_OUT_VPORT_BYTE;
	const struct swhca_hca_conf *conf = &cmd->hca->conf;
	const struct swhca_vport *vport = &cmd->hca->vport;
	unsigned int number =
		(unsigned int)prm_get(cmd->in, PRM_QUERY_NIC_VPORT_CONTEXT_IN_VPORT_NUMBER);

	if (!is_eth(cmd))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is InfiniBand");
	if (number != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "vport %u of 1", number);
	/* Without a driver RoCE is always enabled. */
	prm_set(ctx, PRM_NIC_VPORT_ROCE_EN, !conf->has_driver || vport->is_roce_enabled);
	prm_set(ctx, PRM_NIC_VPORT_MTU, conf->has_driver ? vport->mtu : SWHCA_ETH_MTU);
	prm_set(ctx, PRM_NIC_VPORT_SYSTEM_IMAGE_GUID, conf->port_guid);
	prm_set(ctx, PRM_NIC_VPORT_PORT_GUID, conf->port_guid);
	prm_set(ctx, PRM_NIC_VPORT_NODE_GUID, conf->port_guid);
	prm_set(ctx, PRM_NIC_VPORT_PROMISC_UC, vport->is_promisc_uc);
	prm_set(ctx, PRM_NIC_VPORT_PROMISC_MC, vport->is_promisc_mc);
	prm_set(ctx, PRM_NIC_VPORT_PROMISC_ALL, vport->is_promisc_all);
	memcpy(ctx + PRM_NIC_VPORT_PERMANENT_ADDRESS_BYTE, vport->mac, sizeof(vport->mac));
	return nic_list_query(cmd, ctx);
}

static uint8_t
roce_entry_find(struct swhca_cmd *cmd, struct swhca_roce_addr **addr)
{
	unsigned int index = (unsigned int)prm_get(cmd->in, PRM_ROCE_ADDRESS_IN_INDEX);

	if (!is_eth(cmd))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is InfiniBand");
	if (index >= SWHCA_NB_ROCE_ADDRS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "entry %u of %u", index,
					SWHCA_NB_ROCE_ADDRS);
	*addr = &cmd->hca->roce_addrs[index];
	return PRM_CMD_OK;
}

/* An entry without address or MAC is empty: mlx5_core clears it this way. */
uint8_t
swhca_cmd_set_roce_address(struct swhca_cmd *cmd)
{
	static const uint8_t zero[sizeof(((struct swhca_roce_addr *)NULL)->gid)];
	const uint8_t *in = cmd->in + PRM_SET_ROCE_ADDRESS_IN_ADDR_BYTE;
	unsigned int version = (unsigned int)prm_get(in, PRM_ROCE_ADDR_VERSION);
	unsigned int l3_type = (unsigned int)prm_get(in, PRM_ROCE_ADDR_L3_TYPE);
	struct swhca_roce_addr *addr = NULL;
	uint8_t status;

	status = roce_entry_find(cmd, &addr);
	if (status != PRM_CMD_OK)
		return status;
	if (version != PRM_ROCE_VERSION_1 && version != PRM_ROCE_VERSION_2)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "RoCE version code %u", version);
	if (l3_type > PRM_ROCE_L3_TYPE_IPV6)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4, "L3 type %u", l3_type);
	if (prm_get(in, PRM_ROCE_ADDR_VLAN_VALID) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5, "VLAN %u: not modelled",
					(unsigned int)prm_get(in, PRM_ROCE_ADDR_VLAN_ID));
	memcpy(addr->gid, in, sizeof(addr->gid));
	memcpy(addr->mac, in + PRM_ROCE_ADDR_MAC_BYTE, sizeof(addr->mac));
	addr->version = (uint8_t)version;
	addr->l3_type = (uint8_t)l3_type;
	addr->is_valid = memcmp(addr->gid, zero, sizeof(zero)) != 0 &&
			 memcmp(addr->mac, zero, sizeof(addr->mac)) != 0;
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_roce_address(struct swhca_cmd *cmd)
{
	uint8_t *out = cmd->out + PRM_QUERY_ROCE_ADDRESS_OUT_ADDR_BYTE;
	struct swhca_roce_addr *addr = NULL;
	uint8_t status;

	status = roce_entry_find(cmd, &addr);
	if (status != PRM_CMD_OK || !addr->is_valid)
		return status;
	memcpy(out, addr->gid, sizeof(addr->gid));
	memcpy(out + PRM_ROCE_ADDR_MAC_BYTE, addr->mac, sizeof(addr->mac));
	prm_set(out, PRM_ROCE_ADDR_VERSION, addr->version);
	prm_set(out, PRM_ROCE_ADDR_L3_TYPE, addr->l3_type);
	return PRM_CMD_OK;
}

/*
 * The adapter has a second port that queues may prefer; the ports are not bonded (lag_state 0), and
 * each preference selects the port of that number.
 */
uint8_t
swhca_cmd_query_lag(struct swhca_cmd *cmd)
{
	prm_set(cmd->out, PRM_QUERY_LAG_OUT_LAG_STATE, 0);
	prm_set(cmd->out, PRM_QUERY_LAG_OUT_TX_REMAP_AFFINITY_1, 1);
	prm_set(cmd->out, PRM_QUERY_LAG_OUT_TX_REMAP_AFFINITY_2, 2);
	return PRM_CMD_OK;
}
