/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_PIN_H
#define SWHCA_MEM_PIN_H

/**
 * @file
 * Pinned keys: current place of the registered pages (include/pages.h explains why).
 *
 * A key with all its pages always present and contiguous is pinned: a list of parts tracks them.
 * Initially it has one part, at its own address. The addresses in the translation of the key do not
 * change.
 */

#include "include/pages.h"
#include "mem/mkey.h"

/** Pages of a pinned key with the same history. */
struct swhca_pin_part {
	uint64_t start;		/**< Address in the translation. */
	uint64_t end;
	uint64_t addr;		/**< Current address in the program; 0: none. */
	uint64_t at;		/**< Address for the device, may have SWHCA_DMA_FORCED. */
	struct swhca_alias *alias;	/**< Alias to access it, or NULL. */
	bool is_gone;		/**< Lost: the address now contains other memory. */
	enum swhca_pages_event event;	/**< Last one; PROTECTED replaces no other. */
};

struct swhca_pin {
	struct swhca_hca *hca;
	struct swhca_mkey *mkey;
	uint64_t low;		/**< Pages of the program are in [low, high). */
	uint64_t high;
	uint64_t max_high;	/**< Highest one of this node and below: mem/pin_tree.h. */
	struct swhca_pin *left;
	struct swhca_pin *right;
	struct swhca_pin *next;	/**< Of those that were selected. */
	struct swhca_pin_part *parts;	/**< Ordered and without holes. */
	uint32_t nb;
	uint32_t max;		/**< Capacity of parts. */
	struct swhca_pin_part first;	/**< Storage of a single part. */
	bool is_marked;		/**< Reported: the mapping changed. */
	bool is_told;		/**< Reported: it is used. */
};

/** The translation of a key was set or changed. @return 0 or -ENOMEM. */
int swhca_pin_init(struct swhca_hca *hca, struct swhca_mkey *mkey);
/** Free it, including kept pages. NULL is accepted. */
void swhca_pin_fini(struct swhca_pin *pin);

/**
 * Translate an access to bytes at an address in the translation.
 *
 * @param at
 *   Current address, on success.
 * @param len
 *   Reduced to the bytes contiguous there.
 */
enum swhca_fault swhca_pin_access(struct swhca_pin *pin, uint64_t *at, uint64_t *len);

/** Count and log the use of a part whose pages are elsewhere, at an address in the translation. */
void swhca_pin_count_use(struct swhca_pin *pin, const struct swhca_pin_part *part, uint64_t addr);
/**
 * Find out whether a copy failed because pinned pages were unmapped by a call that was not
 * reported; from then on they count as unmapped. The fabric lock is held.
 */
void swhca_pins_check(struct swhca_fabric *fabric, const struct swhca_spans *spans);

/** Split parts at an address of the program. @return 0 or -ENOMEM. */
int swhca_pin_split(struct swhca_pin *pin, uint64_t addr);
/** Merge parts that have become equal, and find the pages where they are; pins_lock is held. */
void swhca_pin_settle(struct swhca_pin *pin);

/** Name of the call, for a log line. */
const char *swhca_pages_event_name(enum swhca_pages_event event);

#endif /* SWHCA_MEM_PIN_H */
