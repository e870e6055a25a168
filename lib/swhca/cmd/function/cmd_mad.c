/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Management datagrams of a driver: MAD_IFC, which queries the agents of its port, and the queue
 * pairs 0 and 1 of the port (IBTA 10.2.5), which are datagram queues with a second number.
 */

#include "cmd/cmd.h"
#include "cmd/function/cmd_function.h"
#include "cmd/cmd_handlers.h"
#include "mad/mad_responder.h"
#include "queue/qp.h"

bool
swhca_cmd_qp_is_mad(const struct swhca_cmd *cmd, const uint8_t *qpc)
{
	uint64_t st = prm_get(qpc, PRM_QPC_ST);

	return (st == PRM_QP_ST_QP0 || st == PRM_QP_ST_QP1) && cmd->uid == 0 &&
	       cmd->hca->conf.has_driver;
}

uint8_t
swhca_cmd_qp_mad_init(struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	unsigned int num = prm_get(qp->qpc, PRM_QPC_ST) == PRM_QP_ST_QP1;

	if (!swhca_cmd_qp_is_mad(cmd, qp->qpc))
		return PRM_CMD_OK;
	if (cmd->hca->mad_qps[num] != NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 18, "the port has its QP %u: 0x%x",
					num, cmd->hca->mad_qps[num]->obj.num);
	cmd->hca->mad_qps[num] = qp;
	qp->is_mad = true;
	qp->mad_num = (uint8_t)num;
	prm_set(qp->qpc, PRM_QPC_ST, PRM_QP_ST_UD);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_mad_ifc(struct swhca_cmd *cmd)
{
	unsigned int port = (unsigned int)prm_get(cmd->in, PRM_MAD_IFC_IN_PORT);
	const uint8_t *mad = cmd->in + PRM_MAD_IFC_MAD_BYTE;
	uint8_t *answer = cmd->out + PRM_MAD_IFC_MAD_BYTE;

	if (cmd->hca->conf.link_layer != SWHCA_LINK_IB)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_OP, 1, "the port is Ethernet");
	if (port != 1)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 2, "port %u of 1", port);
	if (!swhca_mad_port_answer(cmd->hca, mad, answer))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PKT, 3,
					"class 0x%x, method 0x%x: no agent of the port takes it",
					mad[1], mad[3]);
	return PRM_CMD_OK;
}
