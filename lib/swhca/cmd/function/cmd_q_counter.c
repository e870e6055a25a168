/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Counter sets of queues. A set counts from its allocation or last clear. */

#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "queue/q_counter.h"

uint8_t
swhca_cmd_alloc_q_counter(struct swhca_cmd *cmd)
{
	struct swhca_q_counter *set;

	set = swhca_obj_create(cmd->hca, SWHCA_OBJ_Q_COUNTER, cmd->uid, sizeof(*set));
	if (set == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_NO_RES, 1, "%u counter sets in use",
					cmd->hca->tables[SWHCA_OBJ_Q_COUNTER].nb_used);
	prm_set(cmd->out, PRM_Q_COUNTER_OUT_SET_ID, set->obj.num);
	return PRM_CMD_OK;
}

static void
counters_fill(uint8_t *out, const struct swhca_wire_stats *stats)
{
	const struct {
		struct prm_field field;
		uint64_t value;
	} counters[] = {
		{ PRM_Q_COUNTER_RX_WRITE_REQUESTS, stats->rx_write_requests },
		{ PRM_Q_COUNTER_RX_READ_REQUESTS, stats->rx_read_requests },
		{ PRM_Q_COUNTER_RX_ATOMIC_REQUESTS, stats->rx_atomic_requests },
		{ PRM_Q_COUNTER_RX_DCT_CONNECT, stats->rx_dct_connect },
		{ PRM_Q_COUNTER_OUT_OF_BUFFER, stats->out_of_buffer },
		{ PRM_Q_COUNTER_OUT_OF_SEQUENCE, stats->out_of_sequence },
		{ PRM_Q_COUNTER_DUPLICATE_REQUEST, stats->duplicate_request },
		{ PRM_Q_COUNTER_RNR_NAK_RETRY_ERR, stats->rnr_nak_retry_err },
		{ PRM_Q_COUNTER_PACKET_SEQ_ERR, stats->packet_seq_err },
		{ PRM_Q_COUNTER_IMPLIED_NAK_SEQ_ERR, stats->implied_nak_seq_err },
		{ PRM_Q_COUNTER_LOCAL_ACK_TIMEOUT_ERR, stats->local_ack_timeout_err },
		{ PRM_Q_COUNTER_REQ_RNR_RETRIES_EXCEEDED, stats->req_rnr_retries_exceeded },
		{ PRM_Q_COUNTER_REQ_TRANSPORT_RETRIES_EXCEEDED,
		  stats->req_transport_retries_exceeded },
		{ PRM_Q_COUNTER_RESP_LOCAL_LENGTH_ERROR, stats->resp_local_length_error },
		{ PRM_Q_COUNTER_RESP_CQE_ERROR, stats->resp_cqe_error },
		{ PRM_Q_COUNTER_REQ_CQE_ERROR, stats->req_cqe_error },
		{ PRM_Q_COUNTER_REQ_REMOTE_INVALID_REQUEST, stats->req_remote_invalid_request },
		{ PRM_Q_COUNTER_REQ_REMOTE_ACCESS_ERRORS, stats->req_remote_access_errors },
		{ PRM_Q_COUNTER_RESP_REMOTE_ACCESS_ERRORS, stats->resp_remote_access_errors },
		{ PRM_Q_COUNTER_RESP_CQE_FLUSH_ERROR, stats->resp_cqe_flush_error },
		{ PRM_Q_COUNTER_REQ_CQE_FLUSH_ERROR, stats->req_cqe_flush_error },
	};
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		prm_set(out, counters[i].field, counters[i].value & UINT32_MAX);
}

uint8_t
swhca_cmd_query_q_counter(struct swhca_cmd *cmd)
{
	uint32_t num = (uint32_t)prm_get(cmd->in, PRM_QUERY_Q_COUNTER_IN_SET_ID);
	struct swhca_q_counter *set =
		(struct swhca_q_counter *)swhca_cmd_obj(cmd, SWHCA_OBJ_Q_COUNTER, num);

	if (set == NULL)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 1, "counter set 0x%x does not exist",
					num);
	counters_fill(cmd->out, &set->stats);
	if (prm_get(cmd->in, PRM_QUERY_Q_COUNTER_IN_CLEAR) != 0)
		set->stats = (struct swhca_wire_stats){ 0 };
	return PRM_CMD_OK;
}
