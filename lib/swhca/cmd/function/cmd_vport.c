/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Port queries of the driver of a function: tables, state, counters. */

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "object/limits.h"
#include "xport/port.h"

static uint8_t
vport_check(struct swhca_cmd *cmd)
{
	unsigned int port = (unsigned int)prm_get(cmd->in, PRM_HCA_VPORT_IN_PORT_NUM);

	if (prm_get(cmd->in, PRM_HCA_VPORT_IN_OTHER_VPORT) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 101, "of another vport");
	if (port > 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 102, "port %u of 1", port);
	return PRM_CMD_OK;
}

/*
 * Find the table entries that a command requests: one, or all. @return Its status; the entries of
 * the answer, and the first of them.
 */
static uint8_t
entries_find(struct swhca_cmd *cmd, unsigned int nb_table, size_t entry_size, unsigned int *first,
	     unsigned int *nb)
{
	unsigned int index = (unsigned int)prm_get(cmd->in, PRM_HCA_VPORT_IN_INDEX);
	uint8_t status = vport_check(cmd);

	if (status != PRM_CMD_OK)
		return status;
	*first = index == PRM_HCA_VPORT_INDEX_ALL ? 0 : index;
	*nb = index == PRM_HCA_VPORT_INDEX_ALL ? nb_table : 1;
	if (*first >= nb_table)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INDEX, 104, "entry %u of %u", index,
					nb_table);
	if (cmd->out_len < PRM_QUERY_HCA_VPORT_GID_OUT_GID_BYTE + *nb * entry_size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 105,
					"output of %zu bytes, %u entries of %zu", cmd->out_len, *nb,
					entry_size);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_hca_vport_gid(struct swhca_cmd *cmd)
{
	uint8_t *gids = cmd->out + PRM_QUERY_HCA_VPORT_GID_OUT_GID_BYTE;
	unsigned int first, nb, i;
	const uint8_t *gid;
	uint8_t status;

	/* Partitions also exist for RoCE; its addresses are in a separate table. */
	if (cmd->hca->conf.link_layer == SWHCA_LINK_ETH)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 103, "the port is Ethernet");
	status = entries_find(cmd, SWHCA_NB_IB_GIDS, sizeof(cmd->hca->ib_gid), &first, &nb);
	if (status != PRM_CMD_OK)
		return status;
	prm_set(cmd->out, PRM_QUERY_HCA_VPORT_GID_OUT_GIDS_NUM, nb);
	for (i = 0; i < nb; i++) {
		gid = swhca_port_gid(cmd->hca, first + i);
		if (gid != NULL)
			memcpy(gids + i * sizeof(cmd->hca->ib_gid), gid, sizeof(cmd->hca->ib_gid));
	}
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_hca_vport_pkey(struct swhca_cmd *cmd)
{
	uint8_t *pkeys = cmd->out + PRM_QUERY_HCA_VPORT_PKEY_OUT_PKEY_BYTE;
	unsigned int first, nb, i;
	uint8_t status;

	status = entries_find(cmd, SWHCA_NB_IB_PKEYS, PRM_HCA_VPORT_PKEY_SIZE, &first, &nb);
	if (status != PRM_CMD_OK)
		return status;
	for (i = 0; i < nb; i++)
		prm_set(pkeys + (size_t)i * PRM_HCA_VPORT_PKEY_SIZE, PRM_FIELD(0, 0, 16),
			swhca_port_pkey(cmd->hca, first + i));
	return PRM_CMD_OK;
}

/* Software sets its agents; other fields cannot be modified, and are ignored. */
uint8_t
swhca_cmd_modify_hca_vport_context(struct swhca_cmd *cmd)
{
	const uint8_t *ctx = cmd->in + PRM_MODIFY_HCA_VPORT_CONTEXT_IN_VPORT_BYTE;
	uint32_t select = (uint32_t)prm_get(ctx, PRM_VPORT_CAP_MASK1_FIELD_SELECT);
	uint32_t value = (uint32_t)prm_get(ctx, PRM_VPORT_CAP_MASK1);
	uint8_t status = vport_check(cmd);

	if (status != PRM_CMD_OK)
		return status;
	if (cmd->hca->conf.link_layer == SWHCA_LINK_ETH)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is Ethernet");
	if (prm_get(ctx, PRM_VPORT_FIELD_SELECT) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "field_select 0x%x",
					(unsigned int)prm_get(ctx, PRM_VPORT_FIELD_SELECT));
	if ((select & ~SWHCA_PORT_CAPS_OF_SOFTWARE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3,
					"cap_mask1 bits 0x%x, those of software are 0x%x", select,
					SWHCA_PORT_CAPS_OF_SOFTWARE);
	cmd->hca->function.cap_mask = (cmd->hca->function.cap_mask & ~select) | (value & select);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_vport_state(struct swhca_cmd *cmd)
{
	uint8_t status = vport_check(cmd);

	if (status != PRM_CMD_OK)
		return status;
	prm_set(cmd->out, PRM_QUERY_VPORT_STATE_OUT_ADMIN_STATE, PRM_VPORT_ADMIN_STATE_UP);
	prm_set(cmd->out, PRM_QUERY_VPORT_STATE_OUT_STATE,
		cmd->hca->is_port_down || cmd->hca->vport.is_admin_down ? PRM_VPORT_STATE_DOWN :
									  PRM_VPORT_STATE_UP);
	return PRM_CMD_OK;
}

/* Messages between devices of one process are not packets: see struct swhca_wire_stats. */
uint8_t
swhca_cmd_query_vport_counter(struct swhca_cmd *cmd)
{
	const struct swhca_wire_stats *wire = &cmd->hca->stats.wire;
	const struct swhca_eth_counters *eth = &cmd->hca->vport.counters;
	const struct {
		unsigned int dw;
		uint64_t packets;
		uint64_t octets;
	} counters[] = {
		{ PRM_VPORT_COUNTER_RECEIVED_ERRORS,
		  wire->nb_malformed + wire->rx_icrc_encapsulated, 0 },
		{ PRM_VPORT_COUNTER_TRANSMIT_ERRORS, wire->nb_send_errors, 0 },
		/* Octets are not counted separately: all are reported as unicast. */
		{ PRM_VPORT_COUNTER_RECEIVED_IB_UNICAST,
		  wire->nb_received - wire->nb_multicast_received, wire->nb_bytes_received },
		{ PRM_VPORT_COUNTER_TRANSMITTED_IB_UNICAST,
		  wire->nb_sent - wire->nb_multicast_sent, wire->nb_bytes_sent },
		{ PRM_VPORT_COUNTER_RECEIVED_IB_MULTICAST, wire->nb_multicast_received, 0 },
		{ PRM_VPORT_COUNTER_TRANSMITTED_IB_MULTICAST, wire->nb_multicast_sent, 0 },
		{ PRM_VPORT_COUNTER_RECEIVED_ETH_BROADCAST, eth->rx.nb_broadcast,
		  eth->rx.nb_broadcast_bytes },
		{ PRM_VPORT_COUNTER_TRANSMITTED_ETH_BROADCAST, eth->tx.nb_broadcast,
		  eth->tx.nb_broadcast_bytes },
		{ PRM_VPORT_COUNTER_RECEIVED_ETH_UNICAST, eth->rx.nb_unicast,
		  eth->rx.nb_unicast_bytes },
		{ PRM_VPORT_COUNTER_TRANSMITTED_ETH_UNICAST, eth->tx.nb_unicast,
		  eth->tx.nb_unicast_bytes },
		{ PRM_VPORT_COUNTER_RECEIVED_ETH_MULTICAST, eth->rx.nb_multicast,
		  eth->rx.nb_multicast_bytes },
		{ PRM_VPORT_COUNTER_TRANSMITTED_ETH_MULTICAST, eth->tx.nb_multicast,
		  eth->tx.nb_multicast_bytes },
	};
	uint8_t status = vport_check(cmd);
	size_t i;

	if (status != PRM_CMD_OK)
		return status;
	if (prm_get(cmd->in, PRM_QUERY_VPORT_COUNTER_IN_CLEAR) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "counters cannot be cleared");
	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		prm_set(cmd->out, PRM_VPORT_COUNTER_PACKETS(counters[i].dw), counters[i].packets);
		prm_set(cmd->out, PRM_VPORT_COUNTER_OCTETS(counters[i].dw), counters[i].octets);
	}
	return PRM_CMD_OK;
}
