/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Streams of initiators. The engine executes all WQEs of a queue in order, so streams differ only
 * in what an error does to them.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "xport/dc.h"
#include "base/log.h"
#include "include/model.h"

uint8_t
swhca_cmd_dci_init(struct swhca_cmd *cmd, struct swhca_qp *qp)
{
	uint64_t log_streams = prm_get(qp->qpc, PRM_QPC_LOG_NUM_DCI_STREAM_CHANNELS);
	uint64_t log_errored = prm_get(qp->qpc, PRM_QPC_LOG_NUM_DCI_ERRORED_STREAMS);
	bool has_streams = swhca_model_has(cmd->hca->conf.model, SWHCA_FEATURE_DCI_STREAMS);

	if (log_streams == 0 && log_errored == 0)
		return PRM_CMD_OK;
	if (prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_DCI || !has_streams)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 30,
					"streams are for initiators of adapters that have them");
	if (log_streams > SWHCA_LOG_MAX_DCI_STREAMS || log_errored > SWHCA_LOG_MAX_DCI_ERRORED)
		return swhca_cmd_refuse(cmd, PRM_CMD_EXCEED_LIM, 31,
					"2^%" PRIu64 " streams, 2^%" PRIu64
					" in error, at most 2^%u, 2^%u", log_streams, log_errored,
					SWHCA_LOG_MAX_DCI_STREAMS, SWHCA_LOG_MAX_DCI_ERRORED);
	qp->dci = calloc(1, sizeof(*qp->dci) + (sizeof(qp->dci->errored[0]) << log_errored));
	if (qp->dci == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_NO_RES, 32, "no memory for streams");
	qp->dci->max_errored = 1u << log_errored;
	return PRM_CMD_OK;
}

static uint16_t
wqe_stream(const struct swhca_wqe *wqe)
{
	return (uint16_t)prm_get(wqe->data, PRM_CTRL_DCI_STREAM_CHANNEL_ID);
}

/* Entry of a stream among those in error, or NULL. */
static uint16_t *
errored_find(struct swhca_dci *dci, uint16_t stream)
{
	uint32_t i;

	for (i = 0; i < dci->nb_errored; i++) {
		if (dci->errored[i] == stream)
			return &dci->errored[i];
	}
	return NULL;
}

bool
swhca_dci_is_errored(const struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	return qp->dci != NULL && errored_find(qp->dci, wqe_stream(wqe)) != NULL;
}

bool
swhca_dci_take_error(struct swhca_qp *qp, const struct swhca_wqe *wqe)
{
	struct swhca_dci *dci = qp->dci;

	if (dci == NULL)
		return false;
	SWHCA_LOG(WARNING, "QP 0x%x WQE 0x%x: stream %u is in error, %u of %u", qp->obj.num,
		  wqe->index, wqe_stream(wqe), dci->nb_errored + 1, dci->max_errored);
	dci->errored[dci->nb_errored++] = wqe_stream(wqe);
	return dci->nb_errored < dci->max_errored;
}

uint8_t
swhca_cmd_dci_stream_check(struct swhca_cmd *cmd, const struct swhca_qp *qp)
{
	uint32_t stream = (uint32_t)prm_get(cmd->in + PRM_MODIFY_QP_IN_EXT_BYTE,
					    PRM_QPC_EXT_DCI_STREAM_CHANNEL_ID);

	if (qp->dci == NULL || errored_find(qp->dci, (uint16_t)stream) == NULL)
		return swhca_cmd_refuse(cmd, PRM_CMD_BAD_PARAM, 33,
					"QP 0x%x: stream %u is not in error", qp->obj.num, stream);
	return PRM_CMD_OK;
}

void
swhca_dci_stream_reset(struct swhca_qp *qp, uint16_t stream)
{
	uint16_t *entry = errored_find(qp->dci, stream);

	if (entry != NULL)
		*entry = qp->dci->errored[--qp->dci->nb_errored];
}

void
swhca_dci_reset(struct swhca_qp *qp)
{
	if (qp->dci != NULL)
		qp->dci->nb_errored = 0;
}
