/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_PIN_H
#define SWHCA_MEM_PIN_H

/**
 * @file
 * Pinned keys: where the pages are now that were registered (include/pages.h tells why).
 *
 * A key whose pages are all there at all times, and follow each other, is pinned: a list of parts
 * says what has become of them. In the beginning it is one, at its own place. The addresses in the
 * translation of the key stay as they are.
 */

#include "include/pages.h"
#include "mem/mkey.h"

/** Pages of a pinned key that have the same story. */
struct swhca_pin_part {
	uint64_t start;		/**< As in the translation. */
	uint64_t end;
	uint64_t addr;		/**< Where the program has the first one now; 0: nowhere. */
	uint64_t at;		/**< Where the device accesses it, maybe with SWHCA_DMA_FORCED. */
	struct swhca_alias *alias;	/**< That it is accessed in, or NULL. */
	bool is_gone;		/**< It is nowhere: what is accessed is something else. */
	enum swhca_pages_event event;	/**< What happened to it. */
};

struct swhca_pin {
	struct swhca_hca *hca;
	struct swhca_mkey *mkey;
	LIST_ENTRY(swhca_pin) link;
	uint64_t low;		/**< Pages that the program has are in [low, high). */
	uint64_t high;
	struct swhca_pin_part *parts;	/**< In order and without holes. */
	uint32_t nb;
	uint32_t max;		/**< Room of parts. */
	struct swhca_pin_part first;	/**< Room of one that has no other. */
	bool is_marked;		/**< It was told that the mapping changed, */
	bool is_told;		/**< and that it is used. */
};

/** A key has a translation, or another one than before. @return 0 or -ENOMEM. */
int swhca_pin_init(struct swhca_hca *hca, struct swhca_mkey *mkey);
/** It goes, with what was kept for it. NULL is accepted. */
void swhca_pin_fini(struct swhca_pin *pin);

/**
 * An access to bytes that the translation says are at an address.
 *
 * @param at
 *   Where they are now, on success.
 * @param len
 *   Cut to those which follow each other there.
 */
enum swhca_fault swhca_pin_access(struct swhca_pin *pin, uint64_t *at, uint64_t *len);

/** Let a part end at an address where the program has pages of it. @return 0 or -ENOMEM. */
int swhca_pin_split(struct swhca_pin *pin, uint64_t addr);
/** Parts have changed: those that have become alike are one again. */
void swhca_pin_settle(struct swhca_pin *pin);

/** Name of the call, for a log line. */
const char *swhca_pages_event_name(enum swhca_pages_event event);

#endif /* SWHCA_MEM_PIN_H */
