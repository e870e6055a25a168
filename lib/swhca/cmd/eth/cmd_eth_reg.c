/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Registers of Ethernet ports (Linux: port.c, en_stats.c).
 */

#include "mlx5_prm_eth.h"
#include "cmd/function/cmd_reg.h"
#include "eth/switch.h"
#include "queue/eq.h"

static uint8_t
pmtu_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	prm_set(reg, PRM_PMTU_MAX_MTU, SWHCA_MAX_VPORT_MTU);
	prm_set(reg, PRM_PMTU_ADMIN_MTU, cmd->hca->vport.port_mtu);
	prm_set(reg, PRM_PMTU_OPER_MTU, cmd->hca->vport.port_mtu);
	return PRM_CMD_OK;
}

static uint8_t
pmtu_write(struct swhca_cmd *cmd, const uint8_t *reg)
{
	uint32_t mtu = (uint32_t)prm_get(reg, PRM_PMTU_ADMIN_MTU);

	if (mtu == 0 || mtu > SWHCA_MAX_VPORT_MTU)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 20, "MTU %u, 1 to %u", mtu,
					SWHCA_MAX_VPORT_MTU);
	cmd->hca->vport.port_mtu = (uint16_t)mtu;
	return PRM_CMD_OK;
}

static bool
is_up(const struct swhca_hca *hca)
{
	return !hca->is_port_down && !hca->vport.is_admin_down;
}

/* The speed is fixed, for 4 lanes, like that of the model. */
static uint32_t
link_mode(const struct swhca_hca *hca)
{
	switch (swhca_model_info_get(hca->conf.model)->port.gbps) {
	case 400:
		return PRM_PTYS_EXT_ETH_400G_4X;
	case 200:
		return PRM_PTYS_EXT_ETH_200G_4X;
	default:
		return PRM_PTYS_EXT_ETH_100G_4X;
	}
}

static uint8_t
ptys_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	uint32_t mode = link_mode(cmd->hca);

	prm_set(reg, PRM_PTYS_EXT_ETH_CAPABILITY, mode);
	prm_set(reg, PRM_PTYS_EXT_ETH_ADMIN, mode);
	prm_set(reg, PRM_PTYS_EXT_ETH_OPER, is_up(cmd->hca) ? mode : 0);
	return PRM_CMD_OK;
}

static uint8_t
paos_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	prm_set(reg, PRM_PAOS_ADMIN_STATUS,
		cmd->hca->vport.is_admin_down ? PRM_PAOS_DOWN : PRM_PAOS_UP);
	prm_set(reg, PRM_PAOS_OPER_STATUS, is_up(cmd->hca) ? PRM_PAOS_UP : PRM_PAOS_DOWN);
	return PRM_CMD_OK;
}

/* Software that closes its net device sets the link down; an event reports when it is up again. */
static uint8_t
paos_write(struct swhca_cmd *cmd, const uint8_t *reg)
{
	uint32_t status = (uint32_t)prm_get(reg, PRM_PAOS_ADMIN_STATUS);
	struct swhca_hca *hca = cmd->hca;
	bool was_up = is_up(hca);

	if (status != PRM_PAOS_UP && status != PRM_PAOS_DOWN)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 21, "status %u of a port", status);
	hca->vport.is_admin_down = status == PRM_PAOS_DOWN;
	if (was_up != is_up(hca))
		swhca_event_raise_port(hca, 1,
				       was_up ? PRM_PORT_CHANGE_DOWN : PRM_PORT_CHANGE_ACTIVE);
	return PRM_CMD_OK;
}

/* Pause frames are unsupported: all is off, whatever is requested. */
static uint8_t
pfcc_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	(void)cmd;
	prm_dword_set(reg, PRM_PFCC_TX_DW, 0);
	prm_dword_set(reg, PRM_PFCC_RX_DW, 0);
	return PRM_CMD_OK;
}

/* A 64-bit counter of a group, after the 8 bytes of the register itself. */
struct eth_counter {
	unsigned int dw;
	uint64_t value;
};

static void
counters_set(uint8_t *reg, const struct eth_counter *counters, size_t nb)
{
	size_t i;

	for (i = 0; i < nb; i++)
		prm_set(reg, PRM_FIELD((uint16_t)(2 + counters[i].dw), 0, 64), counters[i].value);
}

static uint64_t
frames_of(const struct swhca_frame_counters *counters)
{
	return counters->nb_unicast + counters->nb_multicast + counters->nb_broadcast;
}

static uint64_t
bytes_of(const struct swhca_frame_counters *counters)
{
	return counters->nb_unicast_bytes + counters->nb_multicast_bytes +
	       counters->nb_broadcast_bytes;
}

/* IEEE 802.3 (eth_802_3_cntrs_grp_data_layout) */
static void
ieee_802_3_read(const struct swhca_eth_counters *counters, uint8_t *reg)
{
	const struct eth_counter list[] = {
		{ 0, frames_of(&counters->tx) },
		{ 2, frames_of(&counters->rx) },
		{ 8, bytes_of(&counters->tx) },
		{ 10, bytes_of(&counters->rx) },
		{ 12, counters->tx.nb_multicast },
		{ 14, counters->tx.nb_broadcast },
		{ 16, counters->rx.nb_multicast },
		{ 18, counters->rx.nb_broadcast },
		{ 24, counters->rx_too_long },
	};

	counters_set(reg, list, sizeof(list) / sizeof(list[0]));
}

/* RFC 2863 (eth_2863_cntrs_grp_data_layout) */
static void
rfc_2863_read(const struct swhca_eth_counters *counters, uint8_t *reg)
{
	const struct eth_counter list[] = {
		{ 0, bytes_of(&counters->rx) },
		{ 2, counters->rx.nb_unicast },
		{ 4, counters->rx_port_down },		/* if_in_discards */
		{ 6, counters->rx_too_long },		/* if_in_errors */
		{ 10, bytes_of(&counters->tx) },
		{ 12, counters->tx.nb_unicast },
		{ 14, counters->tx_port_down },
		{ 18, counters->rx.nb_multicast },
		{ 20, counters->rx.nb_broadcast },
		{ 22, counters->tx.nb_multicast },
		{ 24, counters->tx.nb_broadcast },
	};

	counters_set(reg, list, sizeof(list) / sizeof(list[0]));
}

/*
 * Ethernet groups whose events do not occur here, such as pauses and symbol errors, are zero. Those
 * of InfiniBand are invalid for this port.
 */
static uint8_t
ppcnt_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	uint32_t group = (uint32_t)prm_get(reg, PRM_PPCNT_GRP);

	if (prm_get(reg, PRM_PPCNT_CLR) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 22, "PPCNT cannot be cleared");
	switch (group) {
	case PRM_PPCNT_GRP_IEEE_802_3:
		ieee_802_3_read(&cmd->hca->vport.counters, reg);
		return PRM_CMD_OK;
	case PRM_PPCNT_GRP_RFC_2863:
		rfc_2863_read(&cmd->hca->vport.counters, reg);
		return PRM_CMD_OK;
	case PRM_PPCNT_GRP_RFC_2819:
	case PRM_PPCNT_GRP_RFC_3635:
	case PRM_PPCNT_GRP_ETH_EXTENDED:
	case PRM_PPCNT_GRP_PER_PRIORITY:
	case PRM_PPCNT_GRP_PER_TC:
	case PRM_PPCNT_GRP_PHYSICAL:
	case PRM_PPCNT_GRP_PER_TC_CONGESTION:
		return PRM_CMD_OK;
	default:
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 23, "PPCNT of group 0x%x", group);
	}
}

static const struct swhca_reg regs[] = {
	{ "PMTU", PRM_REG_PMTU, PRM_PMTU_SIZE, true, pmtu_read, pmtu_write },
	{ "PTYS", PRM_REG_PTYS, PRM_PTYS_SIZE, true, ptys_read, NULL },
	{ "PAOS", PRM_REG_PAOS, PRM_PAOS_SIZE, true, paos_read, paos_write },
	{ "PFCC", PRM_REG_PFCC, PRM_PFCC_SIZE, true, pfcc_read, NULL },
	{ "PPCNT", PRM_REG_PPCNT, PRM_PPCNT_SIZE, true, ppcnt_read, NULL },
};

const struct swhca_reg *
swhca_eth_reg_find(unsigned int id)
{
	size_t i;

	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		if (regs[i].id == id)
			return &regs[i];
	return NULL;
}
