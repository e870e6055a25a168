/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Devices that execute and complete nothing.
 */

#include "base/clock.h"
#include "queue/eq.h"
#include "queue/qp.h"
#include "queue/halt.h"

void
swhca_still_crash(struct swhca_hca *hca)
{
	hca->is_halted = true;
	if (!hca->is_failed) {
		hca->is_failed = true;
		swhca_event_raise(hca, PRM_EVENT_INTERNAL_ERROR, 0);
	}
}

void
swhca_still_stall(struct swhca_hca *hca, uint64_t ns)
{
	uint64_t end = swhca_now_ns() + ns;

	if (end > hca->stall_end_ns)
		hca->stall_end_ns = end;
}

/* Doorbells rung meanwhile are still present; reschedule queues that lost their turn. */
static void
qps_schedule(struct swhca_hca *hca)
{
	const struct swhca_table *qps = &hca->tables[SWHCA_OBJ_QP];
	uint32_t i;

	for (i = 0; i < qps->nb_slots; i++)
		if (qps->slots[i] != NULL)
			swhca_qp_schedule((struct swhca_qp *)qps->slots[i]);
}

bool
swhca_still_update(struct swhca_hca *hca)
{
	if (hca->stall_end_ns != 0 && swhca_now_ns() >= hca->stall_end_ns) {
		hca->stall_end_ns = 0;
		if (!hca->is_halted)
			qps_schedule(hca);
	}
	return swhca_hca_is_still(hca);
}

void
swhca_still_end(struct swhca_hca *hca)
{
	hca->is_halted = false;
	hca->stall_end_ns = 0;
	qps_schedule(hca);
}
