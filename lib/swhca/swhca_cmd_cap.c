/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_prm_wqe.h"
#include "swhca_cmd.h"

/*
 * A capability is reported only if the model has it: what is zero here is refused elsewhere.
 * The frequency is that of the CQE timestamp, nanoseconds.
 */
static void
fill_general(const struct swhca_hca *hca, uint8_t *cap)
{
	const struct {
		struct prm_field field;
		uint32_t value;
	} fields[] = {
		{ PRM_CAP_VHCA_ID, hca->conf.vhca_id },
		{ PRM_CAP_LOG_MAX_QP_SZ, SWHCA_LOG_MAX_QP_SZ },
		{ PRM_CAP_LOG_MAX_QP, SWHCA_LOG_MAX_QP },
		{ PRM_CAP_LOG_MAX_CQ_SZ, SWHCA_LOG_MAX_CQ_SZ },
		{ PRM_CAP_LOG_MAX_CQ, SWHCA_LOG_MAX_CQ },
		{ PRM_CAP_LOG_MAX_EQ, SWHCA_LOG_MAX_EQ },
		{ PRM_CAP_LOG_MAX_EQ_SZ, SWHCA_LOG_MAX_EQ_SZ },
		{ PRM_CAP_RELAXED_ORDERING_WRITE, 1 },
		{ PRM_CAP_LOG_MAX_MKEY, SWHCA_LOG_MAX_MKEY },
		{ PRM_CAP_MAX_INDIRECTION, hca->conf.max_indirection },
		{ PRM_CAP_LOG_MAX_MRW_SZ, 64 },
		{ PRM_CAP_LOG_MAX_KLM_LIST_SIZE, hca->conf.log_max_klm },
		{ PRM_CAP_UMR_EXTENDED_TRANSLATION_OFFSET, 1 },
		{ PRM_CAP_LOG_MAX_RA_REQ_QP, 4 },
		{ PRM_CAP_LOG_MAX_RA_RES_QP, 4 },
		{ PRM_CAP_GID_TABLE_SIZE, 0 },	/* code 0: 8 entries */
		{ PRM_CAP_PKEY_TABLE_SIZE, 0 },	/* code 0: 128 entries */
		{ PRM_CAP_LOCAL_CA_ACK_DELAY, 16 },
		{ PRM_CAP_PORT_TYPE, PRM_CAP_PORT_TYPE_IB },
		{ PRM_CAP_NUM_PORTS, 1 },
		{ PRM_CAP_LOG_MAX_MSG, SWHCA_LOG_MAX_MSG },
		{ PRM_CAP_CQE_VERSION, 1 },
		{ PRM_CAP_COMPACT_ADDRESS_VECTOR, 1 },
		{ PRM_CAP_UMR_MODIFY_ENTITY_SIZE_DISABLED, 1 },
		{ PRM_CAP_UMR_FENCE, PRM_CAP_UMR_FENCE_SMALL },
		{ PRM_CAP_CQ_OI, 1 },
		{ PRM_CAP_UMR_PTR_RLKEY, 1 },
		{ PRM_CAP_RC, 1 },
		{ PRM_CAP_UAR_4K, 1 },
		{ PRM_CAP_UAR_SZ, hca->conf.log_max_uar - 8u },	/* log2 of MiB */
		{ PRM_CAP_LOG_PG_SZ, PRM_ADAPTER_PAGE_SHIFT },
		{ PRM_CAP_BF, 1 },
		{ PRM_CAP_LOG_BF_REG_SIZE, 9 },
		{ PRM_CAP_MAX_WQE_SZ_SQ, SWHCA_MAX_WQE_SZ_SQ },
		{ PRM_CAP_MAX_WQE_SZ_RQ, SWHCA_MAX_WQE_SZ_RQ },
		{ PRM_CAP_LOG_MAX_TRANSPORT_DOMAIN, 10 },
		{ PRM_CAP_LOG_MAX_PD, SWHCA_LOG_MAX_PD },
		{ PRM_CAP_LOG_UAR_PAGE_SZ, 0 },
		{ PRM_CAP_DEVICE_FREQUENCY_MHZ, 1000 },
		{ PRM_CAP_DEVICE_FREQUENCY_KHZ, 1000000 },
		{ PRM_CAP_NUM_OF_UARS_PER_PAGE, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		prm_set(cap, fields[i].field, fields[i].value);
}

uint8_t
swhca_cmd_query_hca_cap(struct swhca_cmd *cmd)
{
	uint8_t page[PRM_QUERY_HCA_CAP_OUT_SIZE - PRM_QUERY_HCA_CAP_OUT_CAP_BYTE] = { 0 };
	unsigned int op_mod = (unsigned int)prm_get(cmd->in, PRM_CMD_IN_OP_MOD);
	size_t room = cmd->out_len - PRM_QUERY_HCA_CAP_OUT_CAP_BYTE;

	switch (op_mod >> 1) {
	case PRM_HCA_CAP_PAGE_GENERAL:
		fill_general(cmd->hca, page);
		break;
	case PRM_HCA_CAP_PAGE_ODP:
	case PRM_HCA_CAP_PAGE_ATOMIC:
	case PRM_HCA_CAP_PAGE_ROCE:
	case PRM_HCA_CAP_PAGE_QOS:
	case PRM_HCA_CAP_PAGE_CRYPTO:
	case PRM_HCA_CAP_PAGE_GENERAL_2:
		/* Known pages of features that the model does not have: all zero. */
		break;
	default:
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 1, "no capability page 0x%x",
					op_mod >> 1);
	}
	memcpy(cmd->out + PRM_QUERY_HCA_CAP_OUT_CAP_BYTE, page,
	       room < sizeof(page) ? room : sizeof(page));
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_query_hca_vport_context(struct swhca_cmd *cmd)
{
	uint8_t *ctx = cmd->out + PRM_QUERY_HCA_VPORT_CONTEXT_OUT_VPORT_BYTE;
	const struct swhca_hca_conf *conf = &cmd->hca->conf;
	unsigned int port = (unsigned int)prm_get(cmd->in, PRM_QUERY_HCA_VPORT_CONTEXT_IN_PORT_NUM);

	if (port > 1)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 1, "port %u of 1", port);
	if (cmd->out_len < PRM_QUERY_HCA_VPORT_CONTEXT_OUT_SIZE)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_OUTP_LEN, 2, "output of %zu bytes of %u",
					cmd->out_len, PRM_QUERY_HCA_VPORT_CONTEXT_OUT_SIZE);
	prm_set(ctx, PRM_VPORT_PORT_PHYSICAL_STATE, 5);	/* IBTA: LinkUp */
	prm_set(ctx, PRM_VPORT_PORT_STATE, 4);		/* IBTA: Active */
	prm_set(ctx, PRM_VPORT_VPORT_STATE, 4);
	prm_set(ctx, PRM_VPORT_SYSTEM_IMAGE_GUID, conf->port_guid);
	prm_set(ctx, PRM_VPORT_PORT_GUID, conf->port_guid);
	prm_set(ctx, PRM_VPORT_NODE_GUID, conf->port_guid);
	prm_set(ctx, PRM_VPORT_LID, conf->lid);
	prm_set(ctx, PRM_VPORT_SM_LID, conf->lid);
	return PRM_CMD_OK;
}
