/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_BASE_ALIAS_H
#define SWHCA_BASE_ALIAS_H

/**
 * @file
 * Pages of this process at a second address, so that a device which has pinned them finds them
 * when the program has given up the first one.
 *
 * Of shared memory the second address is another mapping of the same pages. Private pages cannot be
 * mapped twice, but once the program has given them up nobody but the device can reach them: a copy
 * is as good.
 *
 * Nothing here comes from the heap: it is called while an allocator gives memory back.
 */

#include <stdbool.h>
#include <stdint.h>

/** What is wanted of a mapping; none of them: only to know what it is. */
#define SWHCA_ALIAS_SHARED	0x1u	/**< Map its pages again if it is shared. */
#define SWHCA_ALIAS_PRIVATE	0x2u	/**< Copy them if it is private. */
#define SWHCA_ALIAS_COPY	0x4u	/**< Copy them, whatever it is. */

/** A part of a mapping. */
struct swhca_alias {
	uint64_t start;		/**< Where the program has it. */
	uint64_t end;
	uint64_t at;		/**< Second address; 0: there is none. */
	bool is_shared;
	uint32_t nb_refs;	/**< Users of the second address. */
	struct swhca_alias *next;
};

/**
 * Look at all mappings within [start, end), which are multiples of the page size.
 *
 * @param how
 *   Bitwise OR of SWHCA_ALIAS_*.
 * @param list
 *   Parts are put in front of it, without users; swhca_alias_list_trim() frees them.
 * @return
 *   0, or a negative errno: parts may be missing.
 */
int swhca_alias_list_add(uint64_t start, uint64_t end, unsigned int how, struct swhca_alias **list);

/** The part of a list that an address is in, or NULL. */
struct swhca_alias *swhca_alias_find(struct swhca_alias *list, uint64_t addr);

/** The list ends: parts without users are freed, others by the last user. */
void swhca_alias_list_trim(struct swhca_alias *list);

/** One user less. NULL is accepted. */
void swhca_alias_put(struct swhca_alias *alias);

#endif /* SWHCA_BASE_ALIAS_H */
