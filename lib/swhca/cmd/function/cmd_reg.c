/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* ACCESS_REG: registers of the adapter. Each supported register is a row here. */

#include <string.h>

#include "cmd/cmd.h"
#include "cmd/eth/cmd_eth.h"
#include "cmd/function/cmd_reg.h"
#include "cmd/cmd_handlers.h"
#include "xport/port.h"

/* Lanes of InfiniBand (Linux: MLX5_PTYS_WIDTH_*). */
#define WIDTH_1X	0x1u
#define WIDTH_4X	0x4u
/* PVLC counts virtual lanes as PortInfo does: code 4 is VL0 to VL7. */
#define VL_CODE		4u
/* Maximum MTU of InfiniBand in bytes. */
#define IB_MTU		4096u

static bool
is_ib(const struct swhca_cmd *cmd)
{
	return cmd->hca->conf.link_layer == SWHCA_LINK_IB;
}

static uint8_t
pmtu_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	unsigned int mtu = is_ib(cmd) ? IB_MTU : SWHCA_ETH_MTU;

	prm_set(reg, PRM_PMTU_MAX_MTU, mtu);
	prm_set(reg, PRM_PMTU_ADMIN_MTU, mtu);
	prm_set(reg, PRM_PMTU_OPER_MTU, mtu);
	return PRM_CMD_OK;
}

/* Speeds are bits in increasing order: the link has the fastest. */
static uint8_t
ptys_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	unsigned int speed = swhca_model_info_get(cmd->hca->conf.model)->port.speed;

	if (!is_ib(cmd))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 11, "PTYS of an Ethernet port");
	prm_set(reg, PRM_PTYS_IB_LINK_WIDTH_CAPABILITY, WIDTH_1X | WIDTH_4X);
	prm_set(reg, PRM_PTYS_IB_PROTO_CAPABILITY, speed * 2 - 1);
	prm_set(reg, PRM_PTYS_IB_LINK_WIDTH_ADMIN, WIDTH_1X | WIDTH_4X);
	prm_set(reg, PRM_PTYS_IB_PROTO_ADMIN, speed * 2 - 1);
	if (cmd->hca->is_port_down)
		return PRM_CMD_OK;
	prm_set(reg, PRM_PTYS_IB_LINK_WIDTH_OPER, WIDTH_4X);
	prm_set(reg, PRM_PTYS_IB_PROTO_OPER, speed);
	return PRM_CMD_OK;
}

static uint8_t
paos_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	prm_set(reg, PRM_PAOS_ADMIN_STATUS, PRM_PAOS_UP);
	prm_set(reg, PRM_PAOS_OPER_STATUS, cmd->hca->is_port_down ? PRM_PAOS_DOWN : PRM_PAOS_UP);
	return PRM_CMD_OK;
}

static uint8_t
pvlc_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	(void)cmd;
	prm_set(reg, PRM_PVLC_VL_HW_CAP, VL_CODE);
	prm_set(reg, PRM_PVLC_VL_ADMIN, VL_CODE);
	prm_set(reg, PRM_PVLC_VL_OPERATIONAL, VL_CODE);
	return PRM_CMD_OK;
}

static uint64_t
at_most(uint64_t value, uint64_t max)
{
	return value < max ? value : max;
}

/* PortCounters (IBTA 16.1.3.5), which stop at their maximum. */
static uint8_t
ppcnt_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	const struct swhca_wire_stats *wire = &cmd->hca->stats.wire;
	unsigned int group = (unsigned int)prm_get(reg, PRM_PPCNT_GRP);

	if (group != PRM_PPCNT_GRP_IB)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 12, "PPCNT of group 0x%x", group);
	if (prm_get(reg, PRM_PPCNT_CLR) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 13, "PPCNT cannot be cleared");
	prm_set(reg, PRM_PPCNT_IB_LINK_DOWNED_COUNTER, at_most(wire->nb_link_downed, UINT8_MAX));
	prm_set(reg, PRM_PPCNT_IB_PORT_RCV_ERRORS,
		at_most(wire->nb_malformed + wire->rx_icrc_encapsulated, UINT16_MAX));
	prm_set(reg, PRM_PPCNT_IB_PORT_XMIT_DISCARDS, at_most(wire->nb_send_errors, UINT16_MAX));
	return PRM_CMD_OK;
}

static uint8_t
node_desc_read(struct swhca_cmd *cmd, uint8_t *reg)
{
	memcpy(reg, cmd->hca->function.node_desc, PRM_NODE_DESC_SIZE);
	return PRM_CMD_OK;
}

static uint8_t
node_desc_write(struct swhca_cmd *cmd, const uint8_t *reg)
{
	memcpy(cmd->hca->function.node_desc, reg, PRM_NODE_DESC_SIZE);
	return PRM_CMD_OK;
}

static uint8_t
host_endianness_write(struct swhca_cmd *cmd, const uint8_t *reg)
{
	if (prm_get(reg, PRM_HOST_ENDIANNESS_BIG) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 14, "a host of big endian");
	return PRM_CMD_OK;
}

static const struct swhca_reg regs[] = {
	{ "PMTU", PRM_REG_PMTU, PRM_PMTU_SIZE, true, pmtu_read, NULL },
	{ "PTYS", PRM_REG_PTYS, PRM_PTYS_SIZE, true, ptys_read, NULL },
	{ "PAOS", PRM_REG_PAOS, PRM_PAOS_SIZE, true, paos_read, NULL },
	{ "PPCNT", PRM_REG_PPCNT, PRM_PPCNT_SIZE, true, ppcnt_read, NULL },
	{ "PVLC", PRM_REG_PVLC, PRM_PVLC_SIZE, true, pvlc_read, NULL },
	{ "NODE_DESC", PRM_REG_NODE_DESC, PRM_NODE_DESC_SIZE, false, node_desc_read,
	  node_desc_write },
	{ "HOST_ENDIANNESS", PRM_REG_HOST_ENDIANNESS, PRM_HOST_ENDIANNESS_SIZE, false, NULL,
	  host_endianness_write },
};

static uint8_t
reg_check(struct swhca_cmd *cmd, const struct swhca_reg *reg)
{
	size_t size = PRM_ACCESS_REG_DATA_BYTE + reg->size;
	const uint8_t *data = cmd->in + PRM_ACCESS_REG_DATA_BYTE;

	/* The answer to a write is the written value, truncated to the output. */
	if (cmd->in_len < size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INP_LEN, 3, "%s: input of %zu bytes, %zu",
					reg->name, cmd->in_len, size);
	if (cmd->out_len < size)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OUTP_LEN, 4,
					"%s: output of %zu bytes, %zu", reg->name, cmd->out_len,
					size);
	if (reg->is_of_port && prm_get(data, PRM_REG_LOCAL_PORT) != 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5, "%s: port %u of 1", reg->name,
					(unsigned int)prm_get(data, PRM_REG_LOCAL_PORT));
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_access_reg(struct swhca_cmd *cmd)
{
	unsigned int id = (unsigned int)prm_get(cmd->in, PRM_ACCESS_REG_IN_REGISTER_ID);
	bool is_write = prm_get(cmd->in, PRM_CMD_IN_OP_MOD) == PRM_ACCESS_REG_OP_MOD_WRITE;
	uint8_t *data = cmd->out + PRM_ACCESS_REG_DATA_BYTE;
	const struct swhca_reg *reg = NULL;
	uint8_t status;
	size_t i;

	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
		if (regs[i].id == id)
			reg = &regs[i];
	}
	if (swhca_cmd_has_eth(cmd->hca) && swhca_eth_reg_find(id) != NULL)
		reg = swhca_eth_reg_find(id);
	if (reg == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 1, "no register 0x%x", id);
	status = reg_check(cmd, reg);
	if (status != PRM_CMD_OK)
		return status;
	memcpy(data, cmd->in + PRM_ACCESS_REG_DATA_BYTE, reg->size);
	if (is_write ? reg->write == NULL : reg->read == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "%s: not to be %s", reg->name,
					is_write ? "written" : "read");
	return is_write ? reg->write(cmd, data) : reg->read(cmd, data);
}
