/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_ALIAS_H
#define SWHCA_BASE_ALIAS_H

/**
 * @file
 * Pages of this process at a second address, where a device that has pinned them still finds them
 * after the program has unmapped the first address.
 *
 * For shared memory the second address is another mapping of the same pages. Private pages cannot
 * be mapped twice, but after the program has unmapped them only the device can reach them: a copy
 * is equivalent.
 *
 * Nothing here uses the heap: it is called while an allocator releases memory.
 */

#include <stdbool.h>
#include <stdint.h>

/** What to do with a mapping; 0: only look it up. */
#define SWHCA_ALIAS_SHARED	0x1u	/**< Map shared pages again. */
#define SWHCA_ALIAS_PRIVATE	0x2u	/**< Copy private pages. */
#define SWHCA_ALIAS_COPY	0x4u	/**< Copy pages of either kind. */

/** A part of a mapping. */
struct swhca_alias {
	uint64_t start;		/**< Address in the program. */
	uint64_t end;
	uint64_t at;		/**< Second address; 0: none. */
	bool is_shared;
	uint32_t nb_refs;	/**< Users of the second address. */
	struct swhca_alias *next;
};

/**
 * Look up all mappings within [start, end), which are multiples of the page size.
 *
 * @param how
 *   Bitwise OR of SWHCA_ALIAS_*.
 * @param list
 *   Parts are added at the front, without users; swhca_alias_list_trim() frees them.
 * @return
 *   0, or a negative errno: parts may be missing.
 */
int swhca_alias_list_add(uint64_t start, uint64_t end, unsigned int how, struct swhca_alias **list);

/** Find the part of a list that contains an address, or NULL. */
struct swhca_alias *swhca_alias_find(struct swhca_alias *list, uint64_t addr);

/** End a list: free parts without users; the last user frees each other part. */
void swhca_alias_list_trim(struct swhca_alias *list);

/** Drop one user. NULL is accepted. */
void swhca_alias_put(struct swhca_alias *alias);

#endif /* SWHCA_BASE_ALIAS_H */
