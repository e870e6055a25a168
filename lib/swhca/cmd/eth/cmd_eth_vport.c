/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Changes of the vport of a NIC: addresses, lists, MTU and modes (Linux: vport.c).
 */

#include <string.h>

#include "cmd/eth/cmd_eth.h"
#include "cmd/cmd_handlers.h"
#include "eth/switch.h"

#define KNOWN_FIELDS                                                                               \
	(PRM_NIC_VPORT_SELECT_ROCE_EN | PRM_NIC_VPORT_SELECT_LIST | PRM_NIC_VPORT_SELECT_ADDRESS | \
	 PRM_NIC_VPORT_SELECT_PROMISC | PRM_NIC_VPORT_SELECT_MTU)

/* Check a list, and then store it. */
static uint8_t
list_modify(struct swhca_cmd *cmd, const uint8_t *ctx, bool only_check)
{
	unsigned int type = (unsigned int)prm_get(ctx, PRM_NIC_VPORT_ALLOWED_LIST_TYPE);
	uint32_t i, max, nb = (uint32_t)prm_get(ctx, PRM_NIC_VPORT_ALLOWED_LIST_SIZE);
	const uint8_t *entry = ctx + PRM_NIC_VPORT_LIST_BYTE;
	struct swhca_vport *vport = &cmd->hca->vport;

	max = type == PRM_NIC_VPORT_LIST_UC ? 1u << SWHCA_LOG_MAX_UC_LIST :
	      type == PRM_NIC_VPORT_LIST_MC ? 1u << SWHCA_LOG_MAX_MC_LIST :
					      1u << SWHCA_LOG_MAX_VLAN_LIST;
	if (type > PRM_NIC_VPORT_LIST_VLAN || nb > max)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4,
					"list of type %u with %u entries, at most %u", type, nb,
					max);
	if (cmd->in_len < PRM_MODIFY_NIC_VPORT_IN_SIZE + (size_t)nb * PRM_NIC_VPORT_ENTRY_SIZE)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 5,
					"input of %zu bytes, %u entries", cmd->in_len, nb);
	if (only_check)
		return PRM_CMD_OK;
	for (i = 0; i < nb; i++, entry += PRM_NIC_VPORT_ENTRY_SIZE) {
		if (type == PRM_NIC_VPORT_LIST_VLAN)
			vport->vlans[i] = prm_get_u16(entry, PRM_NIC_VPORT_ENTRY_VLAN);
		else
			memcpy(type == PRM_NIC_VPORT_LIST_MC ? vport->mc[i] : vport->uc[i],
			       entry + PRM_NIC_VPORT_ENTRY_MAC_BYTE, SWHCA_MAC_LEN);
	}
	if (type == PRM_NIC_VPORT_LIST_UC)
		vport->nb_uc = (uint16_t)nb;
	else if (type == PRM_NIC_VPORT_LIST_MC)
		vport->nb_mc = (uint16_t)nb;
	else
		vport->nb_vlans = (uint16_t)nb;
	return PRM_CMD_OK;
}

static uint8_t
modify_check(struct swhca_cmd *cmd, const uint8_t *ctx, uint32_t select)
{
	uint32_t mtu = (uint32_t)prm_get(ctx, PRM_NIC_VPORT_MTU);
	const uint8_t *mac = ctx + PRM_NIC_VPORT_PERMANENT_ADDRESS_BYTE;

	if (!swhca_cmd_has_eth(cmd->hca))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is InfiniBand");
	if (prm_get(cmd->in, PRM_MODIFY_NIC_VPORT_IN_VPORT_NUMBER) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "vport %u of 1",
					(unsigned int)prm_get(cmd->in,
							PRM_MODIFY_NIC_VPORT_IN_VPORT_NUMBER));
	if (select & ~KNOWN_FIELDS)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "fields 0x%x of 0x%x", select,
					KNOWN_FIELDS);
	if ((select & PRM_NIC_VPORT_SELECT_MTU) && (mtu == 0 || mtu > SWHCA_MAX_VPORT_MTU))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 6, "MTU %u, 1 to %u", mtu,
					SWHCA_MAX_VPORT_MTU);
	if ((select & PRM_NIC_VPORT_SELECT_ADDRESS) && (mac[0] & 1))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 7,
					"an address that begins with 0x%x is a group", mac[0]);
	return select & PRM_NIC_VPORT_SELECT_LIST ? list_modify(cmd, ctx, true) : PRM_CMD_OK;
}

uint8_t
swhca_cmd_modify_nic_vport_context(struct swhca_cmd *cmd)
{
	const uint8_t *ctx = cmd->in + PRM_MODIFY_NIC_VPORT_IN_CTX_BYTE;
	uint32_t select = (uint32_t)prm_get(cmd->in, PRM_MODIFY_NIC_VPORT_IN_SELECT);
	struct swhca_vport *vport = &cmd->hca->vport;
	uint8_t status = modify_check(cmd, ctx, select);

	if (status != PRM_CMD_OK)
		return status;
	if (select & PRM_NIC_VPORT_SELECT_ROCE_EN)
		vport->is_roce_enabled = prm_get(ctx, PRM_NIC_VPORT_ROCE_EN) != 0;
	if (select & PRM_NIC_VPORT_SELECT_MTU)
		vport->mtu = prm_get_u16(ctx, PRM_NIC_VPORT_MTU);
	if (select & PRM_NIC_VPORT_SELECT_ADDRESS)
		memcpy(vport->mac, ctx + PRM_NIC_VPORT_PERMANENT_ADDRESS_BYTE,
		       sizeof(vport->mac));
	if (select & PRM_NIC_VPORT_SELECT_PROMISC) {
		vport->is_promisc_uc = prm_get(ctx, PRM_NIC_VPORT_PROMISC_UC) != 0;
		vport->is_promisc_mc = prm_get(ctx, PRM_NIC_VPORT_PROMISC_MC) != 0;
		vport->is_promisc_all = prm_get(ctx, PRM_NIC_VPORT_PROMISC_ALL) != 0;
	}
	return select & PRM_NIC_VPORT_SELECT_LIST ? list_modify(cmd, ctx, false) : PRM_CMD_OK;
}
