/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef ODP_MEM_H
#define ODP_MEM_H

/**
 * @file
 * Memory of the mode odp: the layout area of a device on pages of its own, which can be exchanged,
 * and the regions that show it on demand.
 */

#include "verify/bed/bed.h"

/** Behind the layout area: memory that is not there; longer than any piece. */
#define ODP_HOLE_SIZE	(128u << 10)

/** How a piece of a layout names its memory. */
enum odp_region {
	ODP_EXPLICIT,	/**< Addresses of the process; the region that cases change. */
	ODP_IOVA,	/**< Addresses of its own. */
	ODP_FRESH,	/**< Registered by the case: the device has seen no page of it. */
	ODP_IMPLICIT,	/**< All of the address space. */
	ODP_NB_REGIONS,
};

struct odp_mem {
	struct bed_side *side;
	uint8_t *bed_memory;	/**< Layout area of the bed, to be given back. */
	uint8_t *pages;		/**< What stands for it. */
	size_t len;		/**< Whole pages, without the hole. */
	struct rte_umr_pd *other_pd;
	struct rte_umr_mr *mrs[ODP_NB_REGIONS];
};

/** Set up a device; complains and returns false. odp_mem_fini() is to be called in any case. */
bool odp_mem_init(struct odp_mem *mem, struct bed_side *side);
void odp_mem_fini(struct odp_mem *mem);

/** Make the region ODP_FRESH. */
bool odp_mem_refresh(struct odp_mem *mem);

/** Give a range of pages other physical ones with the same bytes. */
bool odp_mem_exchange(struct odp_mem *mem, uint32_t first, uint32_t nb);
/** Let a range of pages go, and write its bytes anew. */
bool odp_mem_discard(struct odp_mem *mem, uint32_t first, uint32_t nb);

/** Let the region ODP_EXPLICIT be what it was in the beginning. */
bool odp_mem_restore(struct odp_mem *mem);

/** Address of a byte of the layout area, or of the hole behind it, in a region. */
uint64_t odp_mem_addr(const struct odp_mem *mem, enum odp_region region, uint64_t offset);

#endif /* ODP_MEM_H */
