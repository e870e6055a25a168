/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Commands of the rate table, and capabilities of rates and doorbell areas. */

#include "mlx5_prm_qos.h"
#include "cmd/cmd.h"
#include "cmd/cmd_handlers.h"
#include "cmd/cmd_qos.h"
#include "cmd/cmd_sched.h"
#include "object/bar.h"

void
swhca_qos_cap_fill(uint8_t *cap)
{
	prm_set(cap, PRM_CAP_QOS_PACKET_PACING, 1);
	prm_set(cap, PRM_CAP_QOS_PACKET_PACING_BURST_BOUND, 1);
	prm_set(cap, PRM_CAP_QOS_PACKET_PACING_UID, 1);
	/*
	 * Both kinds of queues that could be in a group: QPs are supported, such SQs do not exist
	 * here.
	 */
	prm_set(cap, PRM_CAP_QOS_NIC_QP_SCHEDULING, 1);
	prm_set(cap, PRM_CAP_QOS_NIC_SQ_SCHEDULING, 1);
	prm_set(cap, PRM_CAP_QOS_NIC_BW_SHARE, 1);
	prm_set(cap, PRM_CAP_QOS_NIC_RATE_LIMIT, 1);
	prm_set(cap, PRM_CAP_QOS_NIC_ELEMENT_TYPE,
		1u << PRM_SCHED_ELEM_TSAR | 1u << PRM_SCHED_ELEM_QUEUE_GROUP);
	prm_set(cap, PRM_CAP_QOS_NIC_TSAR_TYPE, 1u << PRM_SCHED_TSAR_DWRR);
	prm_set(cap, PRM_CAP_QOS_MAX_TSAR_BW_SHARE, SWHCA_MAX_BW_SHARE);
	prm_set(cap, PRM_CAP_QOS_PACKET_PACING_MAX_RATE, SWHCA_MAX_RATE_KBPS);
	prm_set(cap, PRM_CAP_QOS_PACKET_PACING_MIN_RATE, SWHCA_MIN_RATE_KBPS);
	prm_set(cap, PRM_CAP_QOS_PACKET_PACING_RATE_TABLE_SIZE, SWHCA_NB_RATES);
}

/* The doorbells of virtio queues are the last UAR pages, one page each. */
void
swhca_vdpa_cap_fill(const struct swhca_hca *hca, uint8_t *cap)
{
	prm_set(cap, PRM_CAP_VDPA_LOG_DOORBELL_STRIDE, 0);
	prm_set(cap, PRM_CAP_VDPA_LOG_DOORBELL_BAR_SIZE, SWHCA_LOG_NB_VARS);
	prm_set(cap, PRM_CAP_VDPA_DOORBELL_BAR_OFFSET,
		swhca_vars_bar_offset(hca));
}

uint8_t
swhca_cmd_set_pp_rate_limit(struct swhca_cmd *cmd)
{
	const uint8_t *ctx = cmd->in + PRM_SET_PP_RATE_LIMIT_IN_CTX_BYTE;
	uint32_t index = (uint32_t)prm_get(cmd->in, PRM_SET_PP_RATE_LIMIT_IN_INDEX);
	uint32_t kbps = (uint32_t)prm_get(ctx, PRM_PP_RATE_LIMIT);
	uint32_t burst = (uint32_t)prm_get(ctx, PRM_PP_BURST_UPPER_BOUND);
	struct swhca_rate *rate;

	if (index == 0 || index >= SWHCA_NB_RATES)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INDEX, 1, "entry %u, 1 to %u", index,
					SWHCA_NB_RATES - 1);
	rate = &cmd->hca->rates[index];
	if (rate->pacer.kbps != 0 && rate->uid != cmd->uid && cmd->uid != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 2, "entry %u is of uid %u", index,
					rate->uid);
	if (kbps != 0 && (kbps < SWHCA_MIN_RATE_KBPS || kbps > SWHCA_MAX_RATE_KBPS))
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 3, "%u kbit/s, %u to %u", kbps,
					SWHCA_MIN_RATE_KBPS, SWHCA_MAX_RATE_KBPS);
	if (prm_get(ctx, PRM_PP_RATE_MODE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 4,
					"a rate in WQEs: the capability says no");
	if (prm_get(ctx, PRM_PP_TYPICAL_PACKET_SIZE) != 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_PARAM, 5,
					"a typical packet size: the capability says no");
	*rate = (struct swhca_rate){ .uid = cmd->uid, .pacer.kbps = kbps };
	if (kbps != 0)
		rate->pacer.burst_ns = swhca_pacer_bytes_to_ns(burst, kbps);
	return PRM_CMD_OK;
}

uint8_t
swhca_cmd_qp_rate_check(struct swhca_cmd *cmd, const uint8_t *qpc)
{
	uint32_t index = (uint32_t)prm_get(qpc, PRM_QPC_PACKET_PACING_RATE_LIMIT_INDEX);
	const struct swhca_rate *rate;

	if (index == 0)
		return PRM_CMD_OK;
	if (index >= SWHCA_NB_RATES || cmd->hca->rates[index].pacer.kbps == 0)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_INDEX, 40, "rate %u is not set, of %u",
					index, SWHCA_NB_RATES);
	rate = &cmd->hca->rates[index];
	if (rate->uid != PRM_UID_SHARED && cmd->uid != 0 && rate->uid != cmd->uid)
		return swhca_cmd_reject(cmd, PRM_CMD_BAD_RES, 41, "rate %u is of uid %u", index,
					rate->uid);
	return PRM_CMD_OK;
}
