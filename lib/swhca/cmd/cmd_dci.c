/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Stream parameters of initiators in commands of queue pairs. */

#include <inttypes.h>
#include <stdlib.h>

#include "mlx5_prm_dc.h"
#include "mlx5_prm_qos.h"
#include "cmd/cmd.h"
#include "cmd/cmd_dci.h"
#include "xport/dci.h"

uint8_t
swhca_cmd_dci_init(struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	uint64_t log_streams = prm_get(qp->qpc, PRM_QPC_LOG_NUM_DCI_STREAM_CHANNELS);
	uint64_t log_errored = prm_get(qp->qpc, PRM_QPC_LOG_NUM_DCI_ERRORED_STREAMS);
	bool has_streams = swhca_model_has(cmd->hca->conf.model, SWHCA_FEATURE_DCI_STREAMS);

	if (log_streams == 0 && log_errored == 0)
		return PRM_CMD_OK;
	if (prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_DCI || !has_streams)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 30,
					"streams are for initiators of adapters that have them");
	if (log_streams > SWHCA_LOG_MAX_DCI_STREAMS || log_errored > SWHCA_LOG_MAX_DCI_ERRORED)
		return swhca_cmd_reject(cmd, PRM_CMD_EXCEED_LIM, 31,
					"2^%" PRIu64 " streams, 2^%" PRIu64
					" in error, at most 2^%u, 2^%u", log_streams, log_errored,
					SWHCA_LOG_MAX_DCI_STREAMS, SWHCA_LOG_MAX_DCI_ERRORED);
	qp->dci = calloc(1, sizeof(*qp->dci) + (sizeof(qp->dci->errored[0]) << log_errored));
	if (qp->dci == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 32, "no memory for streams");
	qp->dci->max_errored = 1u << log_errored;
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_dci_stream_check(struct swhca_cmd *cmd, const struct swhca_qp *qp)
{
	uint32_t stream = (uint32_t)prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE,
					    PRM_QPC_EXT_DCI_STREAM_CHANNEL_ID);

	if (!swhca_dci_stream_is_errored(qp, (uint16_t)stream))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 33,
					"QP 0x%x: stream %u is not in error", qp->obj.num, stream);
	return PRM_CMD_OK;
}
