/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PAGES_H
#define SWHCA_UVERBS_PAGES_H

/**
 * @file
 * Page lists of commands.
 */

#include <stddef.h>
#include <stdint.h>

/** Memory as pages of the device; bus addresses are addresses of the process. */
struct swhca_upages {
	uint64_t first;		/**< Address of the first page. */
	uint32_t nb;		/**< Number of pages. */
	uint8_t log_page;	/**< log2 of the page size in bytes. */
	uint64_t offset;	/**< Offset of the memory in the first page, in bytes. */
	uint8_t offset_64th;	/**< The same in 64ths of the page size; only for queues. */
};

/**
 * Use the largest pages for a region with device address iova, at most 2^log_max. @return 0,
 * -EINVAL.
 */
int swhca_upages_region(uint64_t addr, uint64_t len, uint64_t iova, uint8_t log_max,
			struct swhca_upages *pages);
/** Use the largest pages for a queue, whose offset is a multiple of 1/64 of the page. */
int swhca_upages_queue(uint64_t addr, uint64_t len, struct swhca_upages *pages);
/** The same for the context of a work queue (wq), where the offset is less than half a page. */
int swhca_upages_wq(uint64_t addr, uint64_t len, struct swhca_upages *pages);
/**
 * Allocate a zeroed command with a page list after its fixed part; the caller frees it.
 *
 * @param nb
 *   Capacity of the list.
 * @return
 *   0 or -ENOMEM, also for more pages than a command can hold.
 */
int swhca_umailbox_alloc(size_t fixed, uint64_t nb, uint8_t **in, size_t *len);
/** Write page addresses, big endian, with low bits (PRM_MTT_*) set. */
void swhca_upages_write(const struct swhca_upages *pages, void *pas, uint64_t low_bits);

#endif /* SWHCA_UVERBS_PAGES_H */
