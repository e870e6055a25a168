/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "soak/faults.h"
#include "soak/ops.h"
#include "soak/recover.h"
#include "soak/remote.h"
#include "swhca_control.h"

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

bool
soak_recover(struct soak_lane *lane)
{
	struct soak_ledger *ledger;
	bool is_done = true;
	unsigned int i;
	uint64_t ns;

	if (lane->recovery_start == 0)
		lane->recovery_start = rte_get_timer_cycles();
	for (i = 0; i < lane->nb_own; i++)
		is_done = queue_recover(lane, lane->own[i]) && is_done;
	if (!is_done || soak_lane_nb_out(lane) != 0)
		return false;
	if (!soak_lane_connect(lane) && !soak_remote_is_gone(lane->device))
		soak_lane_odd(lane, "the queues cannot be connected again");
	SOAK_FOREACH_LEDGER(ledger, i, lane)
		soak_ledger_recovered(ledger);
	lane->tally.nb_recoveries++;
	ns = (rte_get_timer_cycles() - lane->recovery_start) * 1000000000 / rte_get_timer_hz();
	lane->tally.longest_recovery_ns = RTE_MAX(lane->tally.longest_recovery_ns, ns);
	return true;
}

bool
soak_device_is_lost(const struct soak_device *device)
{
	uint8_t status = RTE_UMR_DEV_STATUS_OK;

	return rte_umr_dev_status(device->dev_id, &status) != 0 || status != RTE_UMR_DEV_STATUS_OK;
}

bool
soak_lane_is_lost(struct soak_lane *lane)
{
	struct soak_ledger *ledger;
	unsigned int i;

	if (lane->is_lost || !soak_device_is_lost(lane->device))
		return lane->is_lost;
	lane->is_lost = true;
	if (!__atomic_load_n(&lane->device->is_to_be_lost, __ATOMIC_ACQUIRE))
		soak_lane_odd(lane, "the device is lost without a fault that was requested");
	SOAK_FOREACH_LEDGER(ledger, i, lane)
		ledger->anywhere |= SOAK_STATUS(FLUSHED);
	return true;
}

bool
soak_device_revive(const struct soak_device *device)
{
	char line[32], why[128] = "no answer";

	snprintf(line, sizeof(line), "resume %u", soak_device_number(device));
	if (swhca_control_do(getpid(), line, why, sizeof(why)) == 0)
		return true;
	tool_error("soak: %s: %s", line, why);
	return false;
}
