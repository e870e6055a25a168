/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>

#include <rte_cycles.h>

#include "soak/ops.h"
#include "soak/recover.h"
#include "soak/remote.h"

/* Whether a queue is ready to be connected or used. */
static bool
queue_recover(struct soak_lane *lane, struct soak_queue *q)
{
	int ret;

	q->sends.anywhere |= SOAK_STATUS(FLUSHED);
	q->recvs.anywhere |= SOAK_STATUS(FLUSHED);
	/* A target without outstanding receives needs no recovery. */
	if (!q->has_sends && soak_ledger_nb_out(&q->recvs) == 0 && !q->is_leaving)
		return true;
	ret = rte_umr_queue_recover(q->dev_id, q->queue_id);
	q->is_leaving = ret == -EBUSY;
	if (q->is_leaving)
		return false;
	if (ret != 0 && ret != -EALREADY)
		soak_lane_odd(lane, "recovering queue %u: %s", q->queue_id, rte_strerror(-ret));
	return true;
}

/* Afterwards, no operation of the queue may be outstanding. */
static void
queue_recovered(struct soak_queue *q)
{
	soak_ledger_give_up(&q->sends);
	soak_ledger_give_up(&q->recvs);
	soak_ledger_recovered(&q->sends);
	soak_ledger_recovered(&q->recvs);
}

bool
soak_recover(struct soak_lane *lane)
{
	bool is_done = true;
	uint64_t ns;

	if (lane->recovery_start == 0)
		lane->recovery_start = rte_get_timer_cycles();
	for (unsigned int i = 0; i < 2; i++)
		if (lane->own[i] != NULL)
			is_done = queue_recover(lane, lane->own[i]) && is_done;
	if (is_done)
		for (unsigned int i = 0; i < 2; i++)
			is_done = is_done && (lane->own[i] == NULL ||
					      (soak_ledger_nb_out(&lane->own[i]->sends) == 0 &&
					       soak_ledger_nb_out(&lane->own[i]->recvs) == 0));
	if (is_done && !soak_lane_connect(lane) && !soak_remote_is_gone(lane->device))
		soak_lane_odd(lane, "the queues cannot be connected again");
	if (!is_done)
		return false;
	for (unsigned int i = 0; i < 2; i++)
		if (lane->own[i] != NULL)
			queue_recovered(lane->own[i]);
	lane->tally.nb_recoveries++;
	ns = (rte_get_timer_cycles() - lane->recovery_start) * 1000000000 / rte_get_timer_hz();
	lane->tally.longest_recovery_ns = RTE_MAX(lane->tally.longest_recovery_ns, ns);
	return true;
}
