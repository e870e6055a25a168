/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>

#include "mlx5_prm_wqe.h"
#include "base/log.h"
#include "queue/eq.h"

/*
 * EQ doorbells (Linux: mlx5 eq_update_ci()): the consumer counter in bits 23..0, the EQ in bits
 * 31..24. One of the two registers also arms.
 */
static void
doorbell_apply(struct swhca_hca *hca, struct swhca_uar *uar, uint32_t value, bool arms)
{
	uint32_t num = value >> 24;
	struct swhca_eq *eq;

	eq = (struct swhca_eq *)swhca_table_get(&hca->tables[SWHCA_OBJ_EQ], num);
	if (eq == NULL || eq->uar != uar) {
		SWHCA_LOG(WARNING, "doorbell for EQ 0x%x at UAR 0x%x: no such EQ there", num,
			  uar->obj.num);
		return;
	}
	eq->ci = eq->pi - ((eq->pi - value) & 0xffffff);
	if (arms)
		eq->is_armed = true;
}

/*
 * Polled registers lose doorbells where several EQs share a page, as all of mlx5_core do, and two
 * are rung between two polls. Then EQs of that page raise an interrupt for every entry, armed or
 * not: a spurious interrupt is harmless, but a missing one hangs the driver.
 */
static bool
doorbell_take(struct swhca_hca *hca, struct swhca_uar *uar, size_t offset, bool arms)
{
	uint32_t *reg = (uint32_t *)((uint8_t *)uar->page + offset);
	const struct swhca_eq *first = LIST_FIRST(&uar->eqs);

	if (__atomic_load_n(reg, __ATOMIC_RELAXED) == 0)
		return false;
	if (first != NULL && LIST_NEXT(first, uar_link) != NULL)
		uar->loses_arms = true;
	doorbell_apply(hca, uar, be32toh(__atomic_exchange_n(reg, 0, __ATOMIC_SEQ_CST)), arms);
	return true;
}

static bool
eq_has_room(struct swhca_hca *hca, struct swhca_eq *eq)
{
	uint32_t size = UINT32_C(1) << eq->log_size;

	if (eq->ignore_overrun || eq->pi - eq->ci < size)
		return true;
	swhca_eq_poll(hca, eq->uar);
	return eq->pi - eq->ci < size;
}

static void
eq_interrupt(struct swhca_hca *hca, struct swhca_eq *eq)
{
	eq->is_armed = false;
	if (hca->conf.interrupt != NULL)
		hca->conf.interrupt(hca->conf.interrupt_arg, eq->vector);
}

unsigned int
swhca_eq_poll(struct swhca_hca *hca, struct swhca_uar *uar)
{
	unsigned int nb_rung = 0;
	struct swhca_eq *eq;

	nb_rung += doorbell_take(hca, uar, PRM_UAR_EQ_CI_OFFSET, false);
	nb_rung += doorbell_take(hca, uar, PRM_UAR_EQ_DB_OFFSET, true);
	if (nb_rung == 0)
		return 0;
	/* Armed with entries pending: raise the interrupt at once. */
	LIST_FOREACH(eq, &uar->eqs, uar_link) {
		if ((eq->is_armed || uar->loses_arms) && eq->pi != eq->ci)
			eq_interrupt(hca, eq);
	}
	return nb_rung;
}

void
swhca_eq_doorbell(struct swhca_hca *hca, struct swhca_uar *uar, uint32_t value, bool arms)
{
	struct swhca_eq *eq;

	/* The registers contain older doorbells. */
	swhca_eq_poll(hca, uar);
	doorbell_apply(hca, uar, value, arms);
	LIST_FOREACH(eq, &uar->eqs, uar_link) {
		if (eq->is_armed && eq->pi != eq->ci)
			eq_interrupt(hca, eq);
	}
}

static void
eq_fail(struct swhca_eq *eq, const char *why)
{
	SWHCA_LOG(ERR, "EQ 0x%x: %s at entry %u of %u; no more events are written", eq->obj.num,
		  why, eq->pi & ((UINT32_C(1) << eq->log_size) - 1), 1u << eq->log_size);
	eq->failed = true;
}

/* Write an entry, its ownership last, and raise the interrupt. */
static bool
eq_write(struct swhca_hca *hca, struct swhca_eq *eq, uint8_t *eqe)
{
	const struct swhca_dma *dma = hca->fabric->dma;
	uint32_t size = UINT32_C(1) << eq->log_size;
	uint64_t offset = (uint64_t)(eq->pi & (size - 1)) * PRM_EQE_SIZE;
	uint64_t addr, span;

	if (eq->failed)
		return false;
	if (!eq_has_room(hca, eq)) {
		eq_fail(eq, "overrun");
		return false;
	}
	prm_set(eqe, PRM_EQE_OWNER, eq->pi >> eq->log_size & 1);
	SWHCA_LOG(DEBUG, "EQ 0x%x: event 0x%x", eq->obj.num,
		  (unsigned int)prm_get(eqe, PRM_EQE_TYPE));
	if (swhca_buf_span(&eq->buf, offset, &addr, &span) != 0 || span < PRM_EQE_SIZE ||
	    dma->write_last(dma, addr, eqe, PRM_EQE_SIZE) != 0) {
		eq_fail(eq, "the ring is not mapped");
		return false;
	}
	eq->pi++;
	/* Software may have armed it since the last poll. */
	if (!eq->is_armed && !eq->uar->loses_arms)
		swhca_eq_poll(hca, eq->uar);
	else
		eq_interrupt(hca, eq);
	return true;
}

bool
swhca_event_raise_eqe(struct swhca_hca *hca, uint8_t type, uint8_t *eqe)
{
	struct swhca_eq *eq = hca->event_eqs[type];

	if (eq == NULL) {
		SWHCA_LOG(DEBUG, "event 0x%x: no EQ takes it", type);
		return false;
	}
	prm_set(eqe, PRM_EQE_TYPE, type);
	return eq_write(hca, eq, eqe);
}

void
swhca_event_raise(struct swhca_hca *hca, uint8_t type, uint32_t num)
{
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };

	prm_set(eqe, PRM_EQE_OBJ_NUM, num);
	swhca_event_raise_eqe(hca, type, eqe);
}

void
swhca_event_raise_queue(struct swhca_hca *hca, uint8_t type, uint8_t queue_type, uint32_t num)
{
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };

	prm_set(eqe, PRM_EQE_QUEUE_TYPE, queue_type);
	prm_set(eqe, PRM_EQE_OBJ_NUM, num);
	swhca_event_raise_eqe(hca, type, eqe);
}

void
swhca_event_raise_cq_error(struct swhca_hca *hca, uint32_t cqn, uint8_t syndrome)
{
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };

	prm_set(eqe, PRM_EQE_CQ_ERROR_CQN, cqn);
	prm_set(eqe, PRM_EQE_CQ_ERROR_SYNDROME, syndrome);
	swhca_event_raise_eqe(hca, PRM_EVENT_CQ_ERROR, eqe);
}

void
swhca_event_raise_port(struct swhca_hca *hca, uint8_t port, uint8_t subtype)
{
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };

	prm_set(eqe, PRM_EQE_SUB_TYPE, subtype);
	prm_set(eqe, PRM_EQE_PORT_NUM, port);
	swhca_event_raise_eqe(hca, PRM_EVENT_PORT_CHANGE, eqe);
}

void
swhca_event_raise_cmd(struct swhca_hca *hca, uint32_t slots)
{
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };

	prm_set(eqe, PRM_EQE_CMD_VECTOR, slots);
	swhca_event_raise_eqe(hca, PRM_EVENT_CMD, eqe);
}

void
swhca_event_raise_completion(struct swhca_hca *hca, struct swhca_eq *eq, uint32_t cqn)
{
	uint8_t eqe[PRM_EQE_SIZE] = { 0 };

	prm_set(eqe, PRM_EQE_TYPE, PRM_EVENT_COMP);
	prm_set(eqe, PRM_EQE_OBJ_NUM, cqn);
	eq_write(hca, eq, eqe);
}

/* The last EQ that requests an event type receives its events. */
void
swhca_eq_take_events(struct swhca_hca *hca, struct swhca_eq *eq)
{
	unsigned int i;

	for (i = 0; i < SWHCA_NB_EVENT_TYPES; i++) {
		if ((eq->mask[i / 64] >> (i % 64) & 1) != 0)
			hca->event_eqs[i] = eq;
	}
}

void
swhca_eq_fini(struct swhca_hca *hca, struct swhca_obj *obj)
{
	struct swhca_eq *eq = (struct swhca_eq *)obj;
	unsigned int i;

	for (i = 0; i < SWHCA_NB_EVENT_TYPES; i++) {
		if (hca->event_eqs[i] == eq)
			hca->event_eqs[i] = NULL;
	}
	LIST_REMOVE(eq, uar_link);
	swhca_uar_unref(eq->uar);
	swhca_buf_fini(&eq->buf);
}
