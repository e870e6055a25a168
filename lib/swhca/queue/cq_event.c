/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Completion events: arming of CQs, and events of armed CQs.
 *
 * Software arms with the second dword of the doorbell record and a doorbell that repeats it: a
 * sequence number in bits 29..28, "only solicited" in bit 24, and the consumer counter up to which
 * it has polled in bits 23..0 (libmlx5: mlx5_arm_cq()). The sequence number counts the events that
 * software has seen, so that an arm from before the last event is ignored.
 */

#include <endian.h>

#include "base/clock.h"
#include "base/log.h"
#include "queue/cq_event.h"
#include "queue/cq_ring.h"
#include "queue/eq.h"

/* Beyond half of the counter's range "later" means "earlier". */
#define COUNTER_HALF		0x800000u

static void
cq_fire(struct swhca_hca *hca, struct swhca_cq *cq)
{
	cq->arm = SWHCA_CQ_ARM_NONE;
	cq->arm_sn = (cq->arm_sn + 1) & 3;
	cq->nb_moderated = 0;
	cq->last_event_ns = swhca_now_ns();
	if (cq->event_due_ns != 0) {
		cq->event_due_ns = 0;
		LIST_REMOVE(cq, due_link);
	}
	swhca_event_raise_completion(hca, cq->eq, cq->obj.num);
}

static void
cq_arm(struct swhca_hca *hca, struct swhca_cq *cq, uint32_t value)
{
	uint32_t ahead = (cq->pi - value) & PRM_CQ_ARM_CI_MASK;

	if (PRM_CQ_ARM_SN(value) != cq->arm_sn ||
	    (cq->arm != SWHCA_CQ_ARM_NONE && value == cq->arm_value))
		return;
	cq->arm_value = value;
	if ((value & PRM_CQ_ARM_SOLICITED) == 0)
		cq->arm = SWHCA_CQ_ARM_ANY;
	else if (cq->arm == SWHCA_CQ_ARM_NONE)
		cq->arm = SWHCA_CQ_ARM_SOLICITED;
	/* CQEs beyond the counter were missed: raise the event at once. */
	if (ahead == 0 || ahead >= COUNTER_HALF)
		return;
	if (cq->arm == SWHCA_CQ_ARM_ANY ||
	    (cq->has_solicited && cq->pi - cq->solicited_pi < ahead))
		cq_fire(hca, cq);
}

/*
 * An arm dword of the same or a later poll, after the same or a later event: two threads may arm
 * the same CQ, and a CQE may be written in between.
 */
static bool
arm_is_covered(uint32_t value, uint32_t record)
{
	uint32_t ci_ahead = (record - value) & PRM_CQ_ARM_CI_MASK;
	uint32_t sn_ahead = (PRM_CQ_ARM_SN(record) - PRM_CQ_ARM_SN(value)) & 3;

	return sn_ahead != 3 && ci_ahead <= PRM_CQ_ARM_CI_MASK / 2;
}

bool
swhca_cq_check_doorbell(struct swhca_hca *hca, struct swhca_cq *cq, uint32_t value)
{
	uint32_t record;

	if (!hca->conf.is_strict || cq->failed ||
	    swhca_dbr_read(hca->fabric, &cq->dbr, PRM_DBR_CQ_ARM, &record) != 0 ||
	    arm_is_covered(value, record))
		return true;
	SWHCA_LOG(ERR, "CQ 0x%x: doorbell 0x%x, but its record says 0x%x: rung before the record"
		  " was written", cq->obj.num, value, record);
	hca->stats.nb_doorbell_errors++;
	swhca_cq_fail(hca, cq, PRM_CQ_ERROR_ACCESS);
	return false;
}

unsigned int
swhca_cq_poll(struct swhca_hca *hca, struct swhca_uar *uar)
{
	uint64_t *reg = (uint64_t *)((uint8_t *)uar->page + PRM_UAR_CQ_DB_OFFSET);
	bool is_found = false;
	struct swhca_cq *cq;
	uint64_t doorbell;
	uint32_t value;

	if (__atomic_load_n(reg, __ATOMIC_RELAXED) == 0)
		return 0;
	doorbell = be64toh(__atomic_exchange_n(reg, 0, __ATOMIC_SEQ_CST));
	/*
	 * CQs that share the page overwrite each other's doorbell, so one doorbell makes the HCA
	 * check all records. Records of CQs that were never armed are recognizable.
	 */
	LIST_FOREACH(cq, &uar->cqs, uar_link) {
		if (cq->obj.num == (uint32_t)doorbell) {
			is_found = true;
			if (swhca_cq_check_doorbell(hca, cq, (uint32_t)(doorbell >> 32)))
				cq_arm(hca, cq, (uint32_t)(doorbell >> 32));
		} else if (swhca_dbr_read(hca->fabric, &cq->dbr, PRM_DBR_CQ_ARM, &value) == 0) {
			cq_arm(hca, cq, value);
		}
	}
	if (!is_found)
		SWHCA_LOG(WARNING, "doorbell for CQ 0x%x at UAR 0x%x: no such CQ there",
			  (uint32_t)doorbell, uar->obj.num);
	return 1;
}

/* Check whether an armed CQ with nb_moderated CQEs must wait, and until when. */
static bool
must_wait(const struct swhca_cq *cq, bool is_solicited, uint64_t *due_ns)
{
	uint64_t now = swhca_now_ns();

	if (cq->max_count <= 1 || cq->period_us == 0 || cq->nb_moderated >= cq->max_count)
		return false;
	if (is_solicited && cq->solicited_breaks)
		return false;
	/* The period starts at the last event, or at the last completion. */
	*due_ns = (cq->period_from_cqe ? now : cq->last_event_ns) +
		  cq->period_us * UINT64_C(1000);
	return *due_ns > now;
}

void
swhca_cq_notify(struct swhca_hca *hca, struct swhca_cq *cq, uint32_t nb, bool is_solicited)
{
	uint64_t due_ns;

	if (is_solicited) {
		cq->solicited_pi = cq->pi - 1;
		cq->has_solicited = true;
	} else if (cq->pi - cq->solicited_pi > COUNTER_HALF) {
		/* Too old to be distinguished from a new one. */
		cq->has_solicited = false;
	}
	if (cq->arm == SWHCA_CQ_ARM_NONE || (cq->arm == SWHCA_CQ_ARM_SOLICITED && !is_solicited))
		return;
	cq->nb_moderated += nb;
	if (!must_wait(cq, is_solicited, &due_ns)) {
		cq_fire(hca, cq);
		return;
	}
	if (cq->event_due_ns == 0)
		LIST_INSERT_HEAD(&hca->due_cqs, cq, due_link);
	cq->event_due_ns = due_ns;
}

unsigned int
swhca_cq_poll_due(struct swhca_hca *hca)
{
	struct swhca_cq *cq, *next;
	unsigned int nb_fired = 0;
	uint64_t now;

	if (LIST_EMPTY(&hca->due_cqs))
		return 0;
	now = swhca_now_ns();
	for (cq = LIST_FIRST(&hca->due_cqs); cq != NULL; cq = next) {
		next = LIST_NEXT(cq, due_link);
		if (now < cq->event_due_ns)
			continue;
		cq_fire(hca, cq);
		nb_fired++;
	}
	return nb_fired;
}

void
swhca_cq_event_init(struct swhca_hca *hca, struct swhca_cq *cq)
{
	/* An arm from before the first event, as a zero record would mean "armed". */
	const uint32_t never_armed = UINT32_C(3) << 28;

	swhca_uar_ref(hca, cq->uar);
	LIST_INSERT_HEAD(&cq->uar->cqs, cq, uar_link);
	if (swhca_dbr_write(hca->fabric, &cq->dbr, PRM_DBR_CQ_ARM, never_armed) != 0)
		SWHCA_LOG(WARNING, "CQ 0x%x: the doorbell record cannot be written", cq->obj.num);
}

void
swhca_cq_event_fini(struct swhca_cq *cq)
{
	if (cq->event_due_ns != 0)
		LIST_REMOVE(cq, due_link);
	LIST_REMOVE(cq, uar_link);
	swhca_uar_unref(cq->uar);
}
