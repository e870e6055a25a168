/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Failures of whole devices: removal, fatal error, silent hang; and ports that go down. */

#include <errno.h>

#include "queue/eq.h"
#include "queue/qp.h"
#include "queue/halt.h"

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
			/* A QP in reset has nothing to flush. */
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
	swhca_still_crash(hca);
	swhca_fabric_unlock(hca->fabric);
}

/* The queue by which the kernel configures its keys is kept, and continues. */
static bool
has_queues(const struct swhca_hca *hca)
{
	const struct swhca_table *qps = &hca->tables[SWHCA_OBJ_QP];
	const struct swhca_qp *qp;
	uint32_t i;

	for (i = 0; i < qps->nb_slots; i++) {
		qp = (const struct swhca_qp *)qps->slots[i];
		if (qp != NULL && prm_get(qp->qpc, PRM_QPC_ST) != PRM_QP_ST_REG_UMR)
			return true;
	}
	return hca->tables[SWHCA_OBJ_DCT].nb_used != 0;
}

int
swhca_hca_revive(struct swhca_hca *hca)
{
	int ret = 0;

	swhca_fabric_lock(hca->fabric);
	if (!hca->is_failed) {
		ret = -EALREADY;
	} else if (has_queues(hca)) {
		ret = -EBUSY;
	} else {
		hca->is_failed = false;
		swhca_still_end(hca);
	}
	swhca_fabric_unlock(hca->fabric);
	return ret;
}

void
swhca_hca_halt(struct swhca_hca *hca, bool is_halted)
{
	swhca_fabric_lock(hca->fabric);
	if (is_halted)
		hca->is_halted = true;
	else if (hca->is_halted && !hca->is_failed)
		swhca_still_end(hca);
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

void
swhca_hca_port_rate_set(struct swhca_hca *hca, const struct swhca_port_rate *rate)
{
	swhca_fabric_lock(hca->fabric);
	hca->port_rate = *rate;
	if (!hca->is_port_down) {
		hca->stats.wire.nb_link_downed++;
		swhca_event_raise_port(hca, 1, PRM_PORT_CHANGE_DOWN);
		swhca_event_raise_port(hca, 1, PRM_PORT_CHANGE_ACTIVE);
	}
	swhca_fabric_unlock(hca->fabric);
}

struct swhca_port_rate
swhca_hca_port_rate_get(const struct swhca_hca *hca)
{
	struct swhca_port_rate rate;

	swhca_fabric_lock(hca->fabric);
	rate = hca->port_rate;
	swhca_fabric_unlock(hca->fabric);
	return rate;
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
