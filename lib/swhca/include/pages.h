/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PAGES_H
#define SWHCA_PAGES_H

/**
 * @file
 * Changes of mappings below pinned keys.
 *
 * A device keeps accessing the pages that were mapped when the region was registered, whatever is
 * mapped at its addresses later. A caller that intercepts the calls that change mappings reports
 * each one before and after the call; keys with pages there are marked. For front ends whose bus
 * addresses are those of their process (swhca_dma_process()).
 *
 *   begin() --> no key is concerned: just make the call
 *           --> the devices wait; pages to keep are kept
 *               make the call
 *               end(): keys find their pages where they are now
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_alias;
struct swhca_fabric;

/** How a pinned region whose mapping has changed is handled. */
enum swhca_stale {
	/** Access what is mapped now, and follow pages that moved. */
	SWHCA_STALE_WARN,
	SWHCA_STALE_ERROR,	/**< Reject accesses to pages that are elsewhere. */
	SWHCA_STALE_FOLLOW,	/**< As warn, but keep old pages where possible. */
};

/** Events of pages; PROTECTED does not replace those listed after it. */
enum swhca_pages_event {
	SWHCA_PAGES_NONE,
	SWHCA_PAGES_PROTECTED,	/**< mprotect */
	SWHCA_PAGES_MOVED,	/**< mremap to another address */
	SWHCA_PAGES_UNMAPPED,	/**< munmap, or mremap to a smaller size */
	SWHCA_PAGES_REPLACED,	/**< mmap or mremap of something else */
	SWHCA_PAGES_DISCARDED,	/**< MADV_DONTNEED: new pages if private */
	SWHCA_PAGES_REMOVED,	/**< MADV_REMOVE: new pages */
	SWHCA_PAGES_LOST,	/**< Not reported: the device found them unmapped. */
	SWHCA_NB_PAGES_EVENTS,
};

/** Address range, and the change that a call makes to it. */
struct swhca_pages_change {
	enum swhca_pages_event event;
	uint64_t addr;
	uint64_t len;
	uint64_t to;		/**< MOVED: new address; set before end(). */
	bool can_read;		/**< PROTECTED: new protection. */
	bool can_write;
	struct swhca_alias *aliases;	/**< Between begin() and end(). */
};

/** Set it before keys are created; the default of a fabric is SWHCA_STALE_WARN. */
void swhca_fabric_stale_set(struct swhca_fabric *fabric, enum swhca_stale stale);

/** Check whether a pinned key has pages there. Fast; occasionally also true for nearby pages. */
bool swhca_fabric_pages_are_pinned(struct swhca_fabric *fabric, uint64_t addr, uint64_t len);

/**
 * Announce a call.
 *
 * @param changes
 *   Changes that it makes, in this order.
 * @return
 *   false: no pinned key is concerned, or the library itself makes the call; do not call end().
 */
bool swhca_fabric_pages_begin(struct swhca_fabric *fabric, struct swhca_pages_change *changes,
			      unsigned int nb);
/** Report that the call was made. @param is_done Whether it succeeded. */
void swhca_fabric_pages_end(struct swhca_fabric *fabric, struct swhca_pages_change *changes,
			    unsigned int nb, bool is_done);

#endif /* SWHCA_PAGES_H */
