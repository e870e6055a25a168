/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PAGES_H
#define SWHCA_PAGES_H

/**
 * @file
 * What a program does to its memory while pinned keys are over it.
 *
 * A device goes on with the pages that were there when the region was registered, whatever is
 * mapped at its addresses later. Who sees the calls that change mappings tells of each in front of
 * the call and behind it; the keys that have pages there are marked. This is for a front end whose
 * bus addresses are those of its process (swhca_dma_process()).
 *
 *   begin() --> nobody cares: the call is made, and that is all
 *           --> the devices wait; pages that are to be kept are kept
 *               the call is made
 *               end(): keys find their pages where they are now
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_alias;
struct swhca_fabric;

/** What becomes of a pinned region whose mapping has changed. */
enum swhca_stale {
	/** What is mapped now is accessed; pages that moved are followed. */
	SWHCA_STALE_WARN,
	SWHCA_STALE_ERROR,	/**< Its accesses to pages that are elsewhere are rejected. */
	SWHCA_STALE_FOLLOW,	/**< As warn, but old pages are kept where they can be. */
};

/** What happens to pages; in the order in which one outdoes the other. */
enum swhca_pages_event {
	SWHCA_PAGES_NONE,
	SWHCA_PAGES_PROTECTED,	/**< mprotect */
	SWHCA_PAGES_MOVED,	/**< mremap, to another address */
	SWHCA_PAGES_UNMAPPED,	/**< munmap, or mremap to fewer */
	SWHCA_PAGES_REPLACED,	/**< mmap or mremap of something else */
	SWHCA_PAGES_DISCARDED,	/**< MADV_DONTNEED: new pages where they are private */
	SWHCA_PAGES_REMOVED,	/**< MADV_REMOVE: new pages */
	SWHCA_NB_PAGES_EVENTS,
};

/** A range of addresses, and what a call is about to do to it. */
struct swhca_pages_change {
	enum swhca_pages_event event;
	uint64_t addr;
	uint64_t len;
	uint64_t to;		/**< MOVED: new address; to be written before end(). */
	bool can_read;		/**< PROTECTED: what may be done from now on. */
	bool can_write;
	struct swhca_alias *aliases;	/**< Between begin() and end(). */
};

/** Set it before there are keys; a fabric begins with SWHCA_STALE_WARN. */
void swhca_fabric_stale_set(struct swhca_fabric *fabric, enum swhca_stale stale);

/** Does any pinned key have pages there? Cheap; now and then it says so of pages nearby. */
bool swhca_fabric_pages_are_pinned(struct swhca_fabric *fabric, uint64_t addr, uint64_t len);

/**
 * A call is going to be made.
 *
 * @param changes
 *   What it does, in this order.
 * @return
 *   false: no pinned key is concerned, or it is the library itself that calls; there is no end().
 */
bool swhca_fabric_pages_begin(struct swhca_fabric *fabric, struct swhca_pages_change *changes,
			      unsigned int nb);
/** It was made. @param is_done Whether it has succeeded. */
void swhca_fabric_pages_end(struct swhca_fabric *fabric, struct swhca_pages_change *changes,
			    unsigned int nb, bool is_done);

#endif /* SWHCA_PAGES_H */
