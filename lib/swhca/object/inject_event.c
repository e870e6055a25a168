/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Selection of the fault that fires at an event. */

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "object/hca_state.h"
#include "object/inject_event.h"

#define SITE(site) (1u << SWHCA_INJECT_AT_##site)

/* Sites of the events that a fault matches. */
static uint32_t
sites_of(const struct swhca_inject *inject)
{
	switch (inject->cls) {
	case SWHCA_INJECT_ERROR_CQE:
		return ((inject->sides & SWHCA_INJECT_LOCAL) != 0 ? SITE(SEND) : 0) |
		       ((inject->sides & SWHCA_INJECT_REMOTE) != 0 ? SITE(RECV) : 0);
	case SWHCA_INJECT_ENGINE_STALL:
	case SWHCA_INJECT_QP_DELAY:
	case SWHCA_INJECT_FATAL:
		return SITE(SEND);
	case SWHCA_INJECT_CQE_DELAY:
		return SITE(CQE);
	case SWHCA_INJECT_DOORBELL_DROP:
	case SWHCA_INJECT_DOORBELL_DELAY:
		return SITE(DOORBELL);
	case SWHCA_INJECT_UNMAP:
		return SITE(ACCESS);
	case SWHCA_INJECT_ODP_DELAY:
		return SITE(PAGE_FAULT);
	default:
		return 0;
	}
}

static void
sites_update(struct swhca_injects *injects)
{
	const struct swhca_inject_slot *slot;
	uint32_t sites = 0;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
		slot = &injects->slots[i];
		if (slot->is_used && !slot->state.is_over)
			sites |= sites_of(&slot->state.inject);
	}
	injects->sites = sites;
}

/* The finalizer of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Generators). */
static uint64_t
mix(uint64_t value)
{
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* Depends only on seed, class, queue and event number, so that it is reproducible. */
static bool
is_chosen(struct swhca_inject_slot *slot, uint32_t qpn)
{
	const struct swhca_inject *inject = &slot->state.inject;
	uint64_t n = slot->nb_of_queue[qpn % SWHCA_INJECT_NB_QUEUES]++;
	uint64_t value = mix(inject->seed + UINT64_C(0x9e3779b97f4a7c15));

	value = mix(value ^ (uint64_t)inject->cls << 32 ^ qpn);
	return inject->one_of <= 1 || mix(value + n) % inject->one_of == 0;
}

static bool
ranges_meet(uint64_t addr, uint64_t len, uint64_t other, uint64_t other_len)
{
	return len != 0 && other_len != 0 &&
	       (addr >= other ? addr - other < other_len : other - addr < len);
}

static bool
slot_matches(const struct swhca_inject_slot *slot, const struct swhca_inject_event *event)
{
	const struct swhca_inject *inject = &slot->state.inject;

	if (!slot->is_used || slot->state.is_over ||
	    (sites_of(inject) & 1u << event->site) == 0 ||
	    (inject->has_qpn && inject->qpn != event->qpn))
		return false;
	return event->site != SWHCA_INJECT_AT_ACCESS ||
	       ((inject->sides & event->sides) != 0 &&
		ranges_meet(inject->addr, inject->len, event->addr, event->len));
}

void
swhca_inject_expire(struct swhca_injects *injects)
{
	struct swhca_inject_slot *slot;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
		slot = &injects->slots[i];
		if (slot->end_ns != 0 && swhca_now_ns() >= slot->end_ns)
			slot->state.is_over = true;
	}
	sites_update(injects);
}

static bool
slot_fires(struct swhca_inject_slot *slot, const struct swhca_inject_event *event)
{
	struct swhca_inject_state *state = &slot->state;

	state->nb_seen++;
	return is_chosen(slot, event->qpn) && state->nb_seen >= state->inject.nth;
}

static bool
slot_is_older(const struct swhca_inject_slot *slot, const struct swhca_inject_slot *than)
{
	return than == NULL || slot->order < than->order;
}

static void
try_add(struct swhca_inject_try *try, const struct swhca_inject_judged *judged)
{
	if (try->nb < SWHCA_INJECT_NB_JUDGED)
		try->judged[try->nb++] = *judged;
}

static void
try_set_fired(struct swhca_inject_try *try, const struct swhca_inject_slot *slot)
{
	unsigned int i = try->nb;

	while (i-- > 0) {
		if (try->judged[i].slot == slot) {
			try->judged[i].has_fired = true;
			return;
		}
	}
}

void
swhca_inject_try_undo(struct swhca_inject_try *try)
{
	const struct swhca_inject_judged *judged;
	struct swhca_inject_slot *slot;

	while (try->nb > 0) {
		judged = &try->judged[--try->nb];
		slot = judged->slot;
		slot->state.nb_seen--;
		slot->nb_of_queue[judged->qpn % SWHCA_INJECT_NB_QUEUES]--;
		if (judged->has_fired) {
			slot->state.nb_fired--;
			slot->state.is_over = false;
			judged->hca->stats.nb_injected[slot->state.inject.cls]--;
		}
		swhca_inject_expire(&judged->hca->injects);
	}
}

const struct swhca_inject *
swhca_inject_event(struct swhca_hca *hca, const struct swhca_inject_event *event)
{
	struct swhca_inject_try *try = &hca->fabric->inject_try;
	struct swhca_injects *injects = &hca->injects;
	struct swhca_inject_slot *slot, *first = NULL;
	struct swhca_inject_judged judged = { .hca = hca, .qpn = event->qpn };
	unsigned int i;

	swhca_inject_expire(injects);
	/* Each matching fault counts the event, even if another one fires. */
	for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
		slot = &injects->slots[i];
		if (!slot_matches(slot, event))
			continue;
		judged.slot = slot;
		if (event->site == SWHCA_INJECT_AT_ACCESS)
			try_add(try, &judged);
		if (slot_fires(slot, event) && slot_is_older(slot, first))
			first = slot;
	}
	if (first != NULL) {
		if (event->site == SWHCA_INJECT_AT_ACCESS)
			try_set_fired(try, first);
		first->state.nb_fired++;
		hca->stats.nb_injected[first->state.inject.cls]++;
		first->state.is_over = first->state.nb_fired == first->state.inject.count;
		SWHCA_LOG(DEBUG, "fault %u fires at event %u of QP 0x%x",
			  (unsigned int)first->state.inject.cls, (unsigned int)event->site,
			  event->qpn);
	}
	sites_update(injects);
	return first != NULL ? &first->state.inject : NULL;
}

bool
swhca_inject_is_about(const struct swhca_injects *injects, const struct swhca_inject_event *event)
{
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++)
		if (slot_matches(&injects->slots[i], event))
			return true;
	return false;
}

unsigned int
swhca_inject_room(const struct swhca_injects *injects)
{
	unsigned int i, nb = 0;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++)
		nb += !injects->slots[i].is_used || injects->slots[i].state.is_over;
	return nb;
}

/* Find a slot that was never used, or else the oldest that is over. */
static struct swhca_inject_slot *
slot_take(struct swhca_injects *injects)
{
	struct swhca_inject_slot *slot, *oldest = NULL;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
		slot = &injects->slots[i];
		if (!slot->is_used)
			return slot;
		if (slot->state.is_over && slot_is_older(slot, oldest))
			oldest = slot;
	}
	return oldest;
}

void
swhca_inject_add(struct swhca_injects *injects, const struct swhca_inject *inject)
{
	struct swhca_inject_slot *slot = slot_take(injects);

	memset(slot, 0, sizeof(*slot));
	slot->state.inject = *inject;
	slot->is_used = true;
	slot->order = ++injects->last_order;
	if (inject->for_us != 0)
		slot->end_ns = swhca_now_ns() + inject->for_us * 1000;
	sites_update(injects);
}

void
swhca_inject_off(struct swhca_injects *injects, enum swhca_inject_class cls)
{
	struct swhca_inject_slot *slot;
	unsigned int i;

	for (i = 0; i < SWHCA_MAX_INJECTS; i++) {
		slot = &injects->slots[i];
		if (cls == SWHCA_NB_INJECT_CLASSES || slot->state.inject.cls == cls)
			slot->is_used = false;
	}
	sites_update(injects);
}
