/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef ODP_MEM_H
#define ODP_MEM_H

/**
 * @file
 * Memory of the mode odp: the layout area of a device in its own pages, which can be replaced, and
 * the on-demand regions that cover it.
 */

#include "verify/bed/bed.h"

/** Size of the unmapped memory after the layout area; longer than any piece. */
#define ODP_HOLE_SIZE	(128u << 10)

/** How a piece of a layout refers to its memory. */
enum odp_region {
	ODP_EXPLICIT,	/**< Addresses of the process; cases change this region. */
	ODP_IOVA,	/**< Own addresses. */
	ODP_FRESH,	/**< Registered by the case: the device has not accessed any page. */
	ODP_IMPLICIT,	/**< The complete address space. */
	ODP_NB_REGIONS,
};

struct odp_mem {
	struct bed_side *side;
	uint8_t *bed_memory;	/**< Layout area of the bed, to be restored. */
	uint8_t *pages;		/**< Its replacement. */
	size_t len;		/**< Whole pages, without the hole. */
	struct rte_umr_pd *other_pd;
	struct rte_umr_mr *mrs[ODP_NB_REGIONS];
};

/**
 * Set up a device. Prints an error and returns false on failure; call odp_mem_fini() in both cases.
 */
bool odp_mem_init(struct odp_mem *mem, struct bed_side *side);
void odp_mem_fini(struct odp_mem *mem);

/** Register the region ODP_FRESH. */
bool odp_mem_refresh(struct odp_mem *mem);

/** Replace the physical pages of a range and keep the contents. */
bool odp_mem_exchange(struct odp_mem *mem, uint32_t first, uint32_t nb);
/** Discard a range of pages and rewrite its contents. */
bool odp_mem_discard(struct odp_mem *mem, uint32_t first, uint32_t nb);

/** Restore the original state of the region ODP_EXPLICIT. */
bool odp_mem_restore(struct odp_mem *mem);

/** Address of a byte of the layout area, or of the hole after it, in a region. */
uint64_t odp_mem_addr(const struct odp_mem *mem, enum odp_region region, uint64_t offset);

#endif /* ODP_MEM_H */
