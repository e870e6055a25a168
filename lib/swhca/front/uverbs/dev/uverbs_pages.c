/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * A bus address is the address in the process, so any region is contiguous on the bus and pages are
 * as large as alignment and the PRM's fields allow (Linux: ib_umem_find_best_pgsz()).
 */

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5_prm.h"
#include "include/hca.h"
#include "base/log.h"
#include "front/uverbs/dev/uverbs_pages.h"

/* Larger pages have no advantage: the region fits one. */
static unsigned int
log_span(uint64_t addr, uint64_t len)
{
	uint64_t diff = addr ^ (addr + len - 1);

	return diff == 0 ? 0 : 64 - __builtin_clzll(diff);
}

int
swhca_upages_region(uint64_t addr, uint64_t len, uint64_t iova, uint8_t log_max,
		    struct swhca_upages *pages)
{
	unsigned int log_page = log_span(iova, len);
	uint64_t diff = addr ^ iova;
	uint64_t nb;

	if (log_page < PRM_ADAPTER_PAGE_SHIFT)
		log_page = PRM_ADAPTER_PAGE_SHIFT;
	if (log_page > log_max)
		log_page = log_max;
	/* Address and device address must have the same offset in a page. */
	if (diff != 0 && (unsigned int)__builtin_ctzll(diff) < log_page)
		log_page = __builtin_ctzll(diff);
	if (log_page < PRM_ADAPTER_PAGE_SHIFT)
		return -EINVAL;
	nb = ((iova + len - 1) >> log_page) - (iova >> log_page) + 1;
	if (nb > UINT32_MAX)
		return -EINVAL;
	pages->log_page = log_page;
	pages->nb = (uint32_t)nb;
	pages->offset = iova & ((UINT64_C(1) << log_page) - 1);
	pages->first = addr - pages->offset;
	pages->offset_64th = 0;
	return 0;
}

/* page_offset has 6 bits in a QP or CQ context, 5 in a work queue. */
#define MAX_64TH_QUEUE 63u
#define MAX_64TH_WQ 31u

static int
upages_queue(uint64_t addr, uint64_t len, unsigned int max_64th, struct swhca_upages *pages)
{
	unsigned int log_max = PRM_ADAPTER_PAGE_SHIFT + 31; /* log_page_size has 5 bits. */
	unsigned int log_unit;
	int ret;

	/* A page of 4 KiB always fits a queue that begins with one. */
	for (; log_max >= PRM_ADAPTER_PAGE_SHIFT; log_max = pages->log_page - 1u) {
		ret = swhca_upages_region(addr, len, addr, log_max, pages);
		if (ret != 0)
			return ret;
		log_unit = pages->log_page - 6u;
		if ((pages->offset & ((UINT64_C(1) << log_unit) - 1)) == 0 &&
		    pages->offset >> log_unit <= max_64th) {
			pages->offset_64th = pages->offset >> log_unit;
			return 0;
		}
	}
	return -EINVAL;
}

int
swhca_upages_queue(uint64_t addr, uint64_t len, struct swhca_upages *pages)
{
	return upages_queue(addr, len, MAX_64TH_QUEUE, pages);
}

int
swhca_upages_wq(uint64_t addr, uint64_t len, struct swhca_upages *pages)
{
	return upages_queue(addr, len, MAX_64TH_WQ, pages);
}

int
swhca_umailbox_alloc(size_t fixed, uint64_t nb, uint8_t **in, size_t *len)
{
	const uint64_t max = (SWHCA_MAX_CMD_IN - fixed) / PRM_MTT_SIZE;

	if (nb > max) {
		SWHCA_LOG(WARNING, "command with %" PRIu64 " pages: at most %" PRIu64, nb, max);
		return -ENOMEM;
	}
	*len = fixed + nb * PRM_MTT_SIZE;
	*in = calloc(1, *len);
	return *in == NULL ? -ENOMEM : 0;
}

void
swhca_upages_write(const struct swhca_upages *pages, void *pas, uint64_t low_bits)
{
	uint64_t be;
	uint32_t i;

	for (i = 0; i < pages->nb; i++) {
		be = htobe64((pages->first + ((uint64_t)i << pages->log_page)) | low_bits);
		memcpy((uint8_t *)pas + (size_t)i * sizeof(be), &be, sizeof(be));
	}
}
