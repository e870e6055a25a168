/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_qos.h"
#include "base/clock.h"
#include "queue/qos.h"

static struct swhca_rate *
qp_rate(const struct swhca_qp *qp)
{
	uint64_t index = prm_get(qp->qpc, PRM_QPC_PACKET_PACING_RATE_LIMIT_INDEX);

	return index == 0 ? NULL : &qp->hca->rates[index];
}

uint64_t
swhca_qos_wait_ns(const struct swhca_qp *qp)
{
	const struct swhca_rate *rate = qp_rate(qp);
	uint64_t wait_ns, now;

	if (rate == NULL && qp->req_group == NULL)
		return 0;
	now = swhca_now_ns();
	wait_ns = swhca_sched_wait_ns(qp->hca, qp->req_group, now);
	if (rate != NULL && swhca_pacer_wait_ns(&rate->pacer, now) > wait_ns)
		wait_ns = swhca_pacer_wait_ns(&rate->pacer, now);
	return wait_ns;
}

void
swhca_qos_charge(struct swhca_qp *qp, uint64_t bytes)
{
	struct swhca_rate *rate = qp_rate(qp);
	uint64_t now;

	if (bytes == 0 || (rate == NULL && qp->req_group == NULL))
		return;
	now = swhca_now_ns();
	swhca_sched_charge(qp->hca, qp->req_group, now, bytes);
	if (rate != NULL)
		swhca_pacer_charge(&rate->pacer, now, bytes);
}

uint64_t
swhca_qos_resp_wait_ns(const struct swhca_qp *qp)
{
	return qp->resp_group == NULL ?
		       0 :
		       swhca_sched_wait_ns(qp->hca, qp->resp_group, swhca_now_ns());
}

void
swhca_qos_resp_charge(struct swhca_qp *qp, uint64_t bytes)
{
	if (qp->resp_group != NULL)
		swhca_sched_charge(qp->hca, qp->resp_group, swhca_now_ns(), bytes);
}
