/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/ack.h"
#include "engine/doorbell.h"
#include "engine/sq.h"
#include "eth/eth_queue.h"
#include "queue/cq_event.h"
#include "queue/eq.h"

/* One half of a BlueField register. */
#define HALF_SIZE (PRM_UAR_BF_REG_SIZE / 2)
/* Time until the rest of a copied WQE has arrived. */
#define COPY_US 20

struct swhca_rung
swhca_rung_decode(uint64_t value)
{
	const struct {
		uint32_t opmod_idx_opcode;
		uint32_t qpn_ds;
	} *ctrl = (const void *)&value;
	uint32_t word = be32toh(ctrl->opmod_idx_opcode);
	uint32_t qpn_ds = be32toh(ctrl->qpn_ds);

	return (struct swhca_rung){
		.qpn = qpn_ds >> 8,
		.nb_bb = prm_ds_to_wqebb(qpn_ds & PRM_WQE_MAX_DS),
		.index = (uint16_t)(word >> 8),
		.opcode = (uint8_t)word,
	};
}

struct swhca_qp *
swhca_uar_qp_find(const struct swhca_uar *uar, uint32_t qpn)
{
	struct swhca_qp *qp;

	LIST_FOREACH(qp, &uar->qps, uar_link)
		if (qp->obj.num == qpn)
			return qp;
	return NULL;
}

static bool
send_is_covered(const struct swhca_qp *qp, const struct swhca_rung *rung, uint32_t pi)
{
	const uint32_t room = (UINT32_C(1) << qp->log_sq_size) + SWHCA_MAX_AHEAD_BB;
	uint32_t nb_bb = rung->nb_bb != 0 ? rung->nb_bb : 1;
	uint16_t nb_rung = (uint16_t)(rung->index + nb_bb - qp->sq_ci);

	/* Further ahead than the ring allows: a completed WQE. */
	return nb_rung > room || nb_rung <= (uint16_t)(pi - qp->sq_ci);
}

/* A queue that does not execute, or whose record is unreadable, fails elsewhere. */
static void
send_check(struct swhca_uar *uar, uint64_t value)
{
	const struct swhca_rung rung = swhca_rung_decode(value);
	struct swhca_qp *qp = swhca_uar_qp_find(uar, rung.qpn);
	uint32_t pi;

	if (qp == NULL || !qp->has_sq ||
	    (qp->state != PRM_QP_STATE_RTS && qp->state != PRM_QP_STATE_SQDRAINING &&
	     qp->state != PRM_QP_STATE_SQD))
		return;
	if (swhca_dbr_read(qp->hca->fabric, &qp->dbr, PRM_DBR_SQ, &pi) != 0 ||
	    send_is_covered(qp, &rung, pi))
		return;
	SWHCA_LOG(ERR, "QP 0x%x: doorbell for WQE 0x%x of %u WQEBBs, but its record says 0x%x: rung"
		  " before the record was written", qp->obj.num, rung.index, rung.nb_bb,
		  pi & UINT16_MAX);
	qp->hca->stats.nb_doorbell_errors++;
	qp->is_misrung = true;
	swhca_event_raise(qp->hca, PRM_EVENT_WQ_CATAS_ERROR, qp->obj.num);
	swhca_qp_fail(qp);
}

static void
qp_hear_late(struct swhca_qp *qp, uint64_t due_ns)
{
	if (qp->heard_at_ns == 0) {
		LIST_INSERT_HEAD(&qp->hca->late_qps, qp, late_link);
		qp->heard_at_ns = due_ns;
	} else if (due_ns < qp->heard_at_ns) {
		qp->heard_at_ns = due_ns;
	}
}

/* Check whether a doorbell is dropped or delayed. */
static bool
is_unheard(struct swhca_qp *qp)
{
	const struct swhca_inject *inject;

	if (qp == NULL)
		return false;
	inject = swhca_inject_at(qp->hca, SWHCA_INJECT_AT_DOORBELL, qp->obj.num);
	if (inject == NULL)
		return false;
	if (inject->cls == SWHCA_INJECT_DOORBELL_DELAY)
		qp_hear_late(qp, swhca_now_ns() + inject->time_us * UINT64_C(1000));
	return true;
}

/*
 * Drop or delay doorbells by injected faults. The value may have overwritten that of another queue,
 * so only this queue is not scheduled; if it rang twice, one undropped doorbell schedules it.
 *
 * @return
 *   Number of doorbells left, moved to the front.
 */
static unsigned int
doorbells_inject(struct swhca_uar *uar, uint64_t *values, unsigned int nb)
{
	unsigned int i, nb_heard = 0;
	struct swhca_qp *qp;

	for (i = 0; i < nb; i++) {
		qp = swhca_uar_qp_find(uar, swhca_rung_decode(values[i]).qpn);
		if (is_unheard(qp))
			qp->is_unheard = true;
		else
			values[nb_heard++] = values[i];
	}
	for (i = 0; i < nb_heard; i++) {
		qp = swhca_uar_qp_find(uar, swhca_rung_decode(values[i]).qpn);
		if (qp != NULL)
			qp->is_unheard = false;
	}
	return nb_heard;
}

unsigned int
swhca_doorbells_poll_late(struct swhca_hca *hca)
{
	struct swhca_qp *qp, *next;
	uint64_t now = swhca_now_ns();
	unsigned int nb = 0;

	for (qp = LIST_FIRST(&hca->late_qps); qp != NULL; qp = next) {
		next = LIST_NEXT(qp, late_link);
		if (now < qp->heard_at_ns)
			continue;
		LIST_REMOVE(qp, late_link);
		qp->heard_at_ns = 0;
		swhca_qp_schedule(qp);
		nb++;
	}
	return nb;
}

static void
qps_rung(struct swhca_uar *uar)
{
	struct swhca_qp *qp;

	LIST_FOREACH(qp, &uar->qps, uar_link)
		if (!qp->is_unheard)
			swhca_qp_schedule(qp);
}

/*
 * Check for a WQE in addition to its first bytes, and clear it. The rest of a WQE is stored shortly
 * after its first word.
 */
static bool
copy_forget(uint64_t *doorbell)
{
	usleep(COPY_US);
	if (__atomic_exchange_n(doorbell + 1, 0, __ATOMIC_SEQ_CST) == 0)
		return false;
	__atomic_store_n(doorbell, 0, __ATOMIC_SEQ_CST);
	return true;
}

/*
 * Take the doorbells of one page. A queue writes its record before it rings, so a doorbell rung
 * before the exchange is in a record that is read after it: queues that overwrite each other's
 * doorbell lose nothing, because one doorbell makes the engine check all queues of the page. Queues
 * that are executed need no more, so the values are not used; a BlueField write begins with the
 * same 8 bytes, in either half of a register.
 */
unsigned int
swhca_doorbells_take(struct swhca_hca *hca, struct swhca_uar *uar)
{
	uint64_t values[PRM_UAR_NB_BF * 2];
	unsigned int i, nb_rung = 0, nb_heard;
	struct swhca_qp *qp;
	uint64_t *doorbell;

	if (LIST_EMPTY(&uar->qps) && LIST_EMPTY(&uar->sqs))
		return 0;

	for (i = 0; i < PRM_UAR_NB_BF * 2; i++) {
		doorbell = (uint64_t *)((uint8_t *)uar->page + PRM_UAR_BF_OFFSET + i * HALF_SIZE);
		if (__atomic_load_n(doorbell, __ATOMIC_RELAXED) == 0)
			continue;
		if (swhca_has_quirk(hca, SWHCA_QUIRK_DOORBELL_COPY) && copy_forget(doorbell))
			continue;
		values[nb_rung++] = __atomic_exchange_n(doorbell, 0, __ATOMIC_SEQ_CST);
	}
	if (nb_rung == 0)
		return 0;
	hca->stats.nb_doorbells += nb_rung;
	swhca_esq_rung(uar, values, nb_rung);
	for (i = 0; hca->conf.is_strict && i < nb_rung; i++)
		send_check(uar, values[i]);
	nb_heard = nb_rung;
	if (swhca_inject_is_armed(&hca->injects, SWHCA_INJECT_AT_DOORBELL))
		nb_heard = doorbells_inject(uar, values, nb_rung);
	if (hca->conf.is_ack_only)
		swhca_ack_doorbells(uar, values, nb_heard);
	else
		qps_rung(uar);
	if (nb_heard != nb_rung)
		LIST_FOREACH(qp, &uar->qps, uar_link)
			qp->is_unheard = false;
	return nb_rung;
}

static void
arm_check(struct swhca_hca *hca, const struct swhca_uar *uar, uint64_t value)
{
	uint64_t doorbell = be64toh(value);
	struct swhca_cq *cq;

	LIST_FOREACH(cq, &uar->cqs, uar_link)
		if (cq->obj.num == (uint32_t)doorbell)
			swhca_cq_check_doorbell(hca, cq, (uint32_t)(doorbell >> 32));
}

static bool
is_send_doorbell(size_t at)
{
	return at >= PRM_UAR_BF_OFFSET && (at - PRM_UAR_BF_OFFSET) % HALF_SIZE == 0;
}

static void
store_check(struct swhca_hca *hca, uint64_t offset, const void *src)
{
	size_t at = offset % SWHCA_UAR_SIZE;
	struct swhca_uar *uar;
	uint64_t value;

	memcpy(&value, src, sizeof(value));
	swhca_fabric_lock(hca->fabric);
	uar = (struct swhca_uar *)swhca_table_get(&hca->tables[SWHCA_OBJ_UAR],
						  (uint32_t)(offset / SWHCA_UAR_SIZE));
	if (uar != NULL && is_send_doorbell(at))
		send_check(uar, value);
	else if (uar != NULL)
		arm_check(hca, uar, value);
	swhca_fabric_unlock(hca->fabric);
}

static bool
is_eq_doorbell(size_t at, size_t len)
{
	return (at == PRM_UAR_EQ_DB_OFFSET || at == PRM_UAR_EQ_CI_OFFSET) &&
	       len == sizeof(uint32_t);
}

static void
eq_store(struct swhca_hca *hca, uint64_t offset, const void *src)
{
	struct swhca_uar *uar;
	uint32_t value;

	memcpy(&value, src, sizeof(value));
	swhca_fabric_lock(hca->fabric);
	uar = (struct swhca_uar *)swhca_table_get(&hca->tables[SWHCA_OBJ_UAR],
						  (uint32_t)(offset / SWHCA_UAR_SIZE));
	if (uar != NULL)
		swhca_eq_doorbell(hca, uar, be32toh(value),
				  offset % SWHCA_UAR_SIZE == PRM_UAR_EQ_DB_OFFSET);
	swhca_fabric_unlock(hca->fabric);
}

void
swhca_hca_uar_store(struct swhca_hca *hca, uint64_t offset, const void *src, size_t len)
{
	size_t at = offset % SWHCA_UAR_SIZE;
	uint8_t *to = hca->bar + offset;
	uint64_t value;

	if (is_eq_doorbell(at, len)) {
		eq_store(hca, offset, src);
		return;
	}
	if (hca->conf.is_strict && len >= sizeof(value) &&
	    (at == PRM_UAR_CQ_DB_OFFSET || is_send_doorbell(at)))
		store_check(hca, offset, src);
	/* The engine takes eight bytes at once. */
	if (at % sizeof(value) == 0 && len >= sizeof(value)) {
		memcpy(&value, src, sizeof(value));
		__atomic_store_n((uint64_t *)(void *)to, value, __ATOMIC_RELEASE);
		to += sizeof(value);
		src = (const uint8_t *)src + sizeof(value);
		len -= sizeof(value);
	}
	memcpy(to, src, len);
}
