/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_INJECT_EVENT_H
#define SWHCA_INJECT_EVENT_H

/**
 * @file
 * Armed faults of a device, and which one fires at an event. The fabric lock is held.
 *
 * Callers check swhca_inject_is_armed() first: without faults, an event costs only a load and a
 * branch.
 */

#include <stdbool.h>
#include <stdint.h>

#include "include/inject.h"

struct swhca_fabric;
struct swhca_hca;

/** Kinds of events. */
enum swhca_inject_site {
	SWHCA_INJECT_AT_SEND,		/**< A send WQE starts. */
	SWHCA_INJECT_AT_RECV,		/**< A message takes a receive WQE. */
	SWHCA_INJECT_AT_CQE,		/**< A CQE is written. */
	SWHCA_INJECT_AT_DOORBELL,	/**< A doorbell of a send queue is found. */
	SWHCA_INJECT_AT_ACCESS,		/**< An access by key is translated. */
	SWHCA_INJECT_AT_PAGE_FAULT,	/**< A page that a send WQE found absent is present. */
};

/** Queues with separate event counts, by the low bits of their numbers. */
#define SWHCA_INJECT_NB_QUEUES 256u

struct swhca_inject_slot {
	struct swhca_inject_state state;
	bool is_used;
	uint64_t order;		/**< Order of arming; lower is earlier. */
	uint64_t end_ns;	/**< End time, 0: never. */
	uint32_t nb_of_queue[SWHCA_INJECT_NB_QUEUES];	/**< Events of each queue so far. */
};

/** Event counted by a try. */
struct swhca_inject_judged {
	struct swhca_hca *hca;
	struct swhca_inject_slot *slot;
	uint32_t qpn;
	bool has_fired;
};

#define SWHCA_INJECT_NB_JUDGED 32u

/**
 * A try to execute a WQE, or a request of a peer: its events at all devices, which are undone if
 * there will be another try.
 */
struct swhca_inject_try {
	struct swhca_inject_judged judged[SWHCA_INJECT_NB_JUDGED];
	unsigned int nb;	/**< Events that do not fit are not undone. */
};

struct swhca_injects {
	uint32_t sites;		/**< Bit n: a fault is armed at site n. */
	uint64_t last_order;
	struct swhca_inject_slot slots[SWHCA_MAX_INJECTS];
};

/** Description of an event. */
struct swhca_inject_event {
	enum swhca_inject_site site;
	uint32_t qpn;
	uint8_t sides;		/**< ACCESS: side. */
	uint64_t addr;		/**< ACCESS: host memory. */
	uint64_t len;
};

/** Count an event. @return The fault that fires, or NULL; valid until the lock is released. */
const struct swhca_inject *swhca_inject_event(struct swhca_hca *hca,
					      const struct swhca_inject_event *event);

/** Check whether an armed fault matches an event, without counting it. */
bool swhca_inject_is_about(const struct swhca_injects *injects,
			   const struct swhca_inject_event *event);

/** As swhca_inject_event(), for an event with only a site and a queue. */
static inline const struct swhca_inject *
swhca_inject_at(struct swhca_hca *hca, enum swhca_inject_site site, uint32_t qpn)
{
	const struct swhca_inject_event event = { .site = site, .qpn = qpn };

	return swhca_inject_event(hca, &event);
}

/** Check whether any fault is armed at a site. */
static inline bool
swhca_inject_is_armed(const struct swhca_injects *injects, enum swhca_inject_site site)
{
	return (injects->sites & 1u << site) != 0;
}

/** Start a try: the accesses that follow belong to it. */
static inline void
swhca_inject_try_begin(struct swhca_inject_try *try)
{
	try->nb = 0;
}

/** Undo the counts of a try: another one will be made. */
void swhca_inject_try_undo(struct swhca_inject_try *try);

/** Disarm expired faults; events also do so themselves. */
void swhca_inject_expire(struct swhca_injects *injects);
/** As swhca_hca_inject(), for one fault that fits. */
void swhca_inject_add(struct swhca_injects *injects, const struct swhca_inject *inject);
/** Number of faults that still fit. */
unsigned int swhca_inject_room(const struct swhca_injects *injects);
/** As swhca_hca_inject_off(). */
void swhca_inject_off(struct swhca_injects *injects, enum swhca_inject_class cls);

#endif /* SWHCA_INJECT_EVENT_H */
