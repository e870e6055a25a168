/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Devices that fail as a whole: taken away, fatally, or without a word. And ports that go down.
 */

#include "queue/eq.h"
#include "queue/qp.h"

void
swhca_hca_fail(struct swhca_hca *hca)
{
	const struct swhca_table *qps = &hca->tables[SWHCA_OBJ_QP];
	struct swhca_qp *qp;
	uint32_t i;

	swhca_fabric_lock(hca->fabric);
	if (!hca->is_failed) {
		hca->is_failed = true;
		for (i = 0; i < qps->nb_slots; i++) {
			qp = (struct swhca_qp *)qps->slots[i];
			/* One that is reset has nothing to flush. */
			if (qp != NULL && qp->state != PRM_QP_STATE_RST)
				swhca_qp_fail(qp);
		}
		swhca_event_raise(hca, PRM_EVENT_INTERNAL_ERROR, 0);
	}
	swhca_fabric_unlock(hca->fabric);
}

void
swhca_hca_crash(struct swhca_hca *hca)
{
	swhca_fabric_lock(hca->fabric);
	hca->is_halted = true;
	if (!hca->is_failed) {
		hca->is_failed = true;
		swhca_event_raise(hca, PRM_EVENT_INTERNAL_ERROR, 0);
	}
	swhca_fabric_unlock(hca->fabric);
}

/* Doorbells that were rung meanwhile are still there; queues that lost their turn get another. */
static void
resume(struct swhca_hca *hca)
{
	const struct swhca_table *qps = &hca->tables[SWHCA_OBJ_QP];
	uint32_t i;

	hca->is_halted = false;
	for (i = 0; i < qps->nb_slots; i++)
		if (qps->slots[i] != NULL)
			swhca_qp_schedule((struct swhca_qp *)qps->slots[i]);
}

void
swhca_hca_halt(struct swhca_hca *hca, bool is_halted)
{
	swhca_fabric_lock(hca->fabric);
	if (is_halted)
		hca->is_halted = true;
	else if (hca->is_halted && !hca->is_failed)
		resume(hca);
	swhca_fabric_unlock(hca->fabric);
}

void
swhca_hca_port_set(struct swhca_hca *hca, bool is_up)
{
	swhca_fabric_lock(hca->fabric);
	if (hca->is_port_down == is_up) {
		hca->is_port_down = !is_up;
		hca->stats.wire.nb_link_downed += !is_up;
		swhca_event_raise_port(hca, 1,
				       is_up ? PRM_PORT_CHANGE_ACTIVE : PRM_PORT_CHANGE_DOWN);
	}
	swhca_fabric_unlock(hca->fabric);
}

bool
swhca_hca_port_is_up(const struct swhca_hca *hca)
{
	bool is_up;

	swhca_fabric_lock(hca->fabric);
	is_up = !hca->is_port_down;
	swhca_fabric_unlock(hca->fabric);
	return is_up;
}
