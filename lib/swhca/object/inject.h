/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_INJECT_H
#define SWHCA_OBJECT_INJECT_H

/**
 * @file
 * Faults that a device is armed with, and whether one fires at an event. The fabric lock is held.
 *
 * Who comes upon an event asks swhca_inject_is_armed() first: a load and a branch are all that
 * faults cost a device that has none.
 */

#include <stdbool.h>
#include <stdint.h>

#include "include/inject.h"

struct swhca_hca;

/** Kinds of events. */
enum swhca_inject_site {
	SWHCA_INJECT_AT_SEND,		/**< A send WQE has its first turn. */
	SWHCA_INJECT_AT_RECV,		/**< A message takes a receive WQE. */
	SWHCA_INJECT_AT_CQE,		/**< A CQE is to be written. */
	SWHCA_INJECT_AT_DOORBELL,	/**< A doorbell of a send queue is heard. */
	SWHCA_INJECT_AT_ACCESS,		/**< An access by key is translated. */
	SWHCA_INJECT_AT_PAGE_FAULT,	/**< A send WQE found a page absent, which has come. */
};

/** Queues whose events are counted apart, by the low bits of their numbers. */
#define SWHCA_INJECT_NB_QUEUES 256u

struct swhca_inject_slot {
	struct swhca_inject_state state;
	bool is_used;
	uint64_t order;		/**< When it was armed: the lower the earlier. */
	uint64_t end_ns;	/**< When it is over, 0: never. */
	uint32_t nb_of_queue[SWHCA_INJECT_NB_QUEUES];	/**< Events of each queue so far. */
};

/** What the try of a WQE has counted: it may have to come again. */
struct swhca_inject_judged {
	uint32_t qpn;
	uint8_t slot;
	bool has_fired;
};

#define SWHCA_INJECT_NB_JUDGED 32u

struct swhca_injects {
	struct swhca_inject_judged judged[SWHCA_INJECT_NB_JUDGED];
	unsigned int nb_judged;	/**< Since the try began; what has no room is not undone. */
	uint32_t sites;		/**< Bit n: something is armed at site n. */
	uint64_t last_order;
	struct swhca_inject_slot slots[SWHCA_MAX_INJECTS];
};

/** What an event is about. */
struct swhca_inject_event {
	enum swhca_inject_site site;
	uint32_t qpn;
	uint8_t sides;		/**< ACCESS: which it is. */
	uint64_t addr;		/**< ACCESS: host memory. */
	uint64_t len;
};

/** @return What fires at an event, or NULL; valid until the lock is released. */
const struct swhca_inject *swhca_inject_event(struct swhca_hca *hca,
					      const struct swhca_inject_event *event);

/** Whether an event is one that something waits for; nothing counts it. */
bool swhca_inject_is_about(const struct swhca_injects *injects,
			   const struct swhca_inject_event *event);

/** As swhca_inject_event(), of an event that has no more than a site and a queue. */
static inline const struct swhca_inject *
swhca_inject_at(struct swhca_hca *hca, enum swhca_inject_site site, uint32_t qpn)
{
	const struct swhca_inject_event event = { .site = site, .qpn = qpn };

	return swhca_inject_event(hca, &event);
}

/** Whether there is reason to ask. */
static inline bool
swhca_inject_is_armed(const struct swhca_injects *injects, enum swhca_inject_site site)
{
	return (injects->sites & 1u << site) != 0;
}

/** A WQE is tried: accesses from here on are of this try. */
static inline void
swhca_inject_try_begin(struct swhca_injects *injects)
{
	injects->nb_judged = 0;
}

/** The try has come to nothing, and there will be another one: its accesses were none. */
void swhca_inject_try_undo(struct swhca_hca *hca);

/** End those whose time has come; what asks for an event does so by itself. */
void swhca_inject_expire(struct swhca_injects *injects);
/** As swhca_hca_inject(), of one; there is room. */
void swhca_inject_add(struct swhca_injects *injects, const struct swhca_inject *inject);
/** How many there is room for. */
unsigned int swhca_inject_room(const struct swhca_injects *injects);
/** As swhca_hca_inject_off(). */
void swhca_inject_off(struct swhca_injects *injects, enum swhca_inject_class cls);

#endif /* SWHCA_OBJECT_INJECT_H */
