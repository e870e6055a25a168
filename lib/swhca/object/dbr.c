/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <errno.h>
#include <stdatomic.h>

#include "object/dbr.h"
#include "object/fabric.h"

int
swhca_dbr_read(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr, unsigned int dword,
	       uint32_t *value)
{
	uint64_t addr = dbr->addr, span;
	uint32_t be[PRM_DBR_SIZE / sizeof(uint32_t)];
	int ret;

	if (dbr->umem != NULL) {
		ret = swhca_buf_span(&dbr->umem->buf, dbr->addr, &addr, &span);
		if (ret != 0)
			return ret;
	}
	/* Read the whole record at once: a copy of 8 aligned bytes is not torn. */
	ret = fabric->dma->read(fabric->dma, be, addr, sizeof(be));
	if (ret != 0)
		return ret;
	/* Pairs with the driver's barrier between its WQEs or its poll and the record. */
	atomic_thread_fence(memory_order_acquire);
	*value = be32toh(be[dword]);
	return 0;
}

int
swhca_dbr_write(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr, unsigned int dword,
		uint32_t value)
{
	uint64_t offset = dword * sizeof(uint32_t);
	uint64_t addr = dbr->addr + offset, span;
	uint32_t be = htobe32(value);
	int ret;

	if (dbr->umem != NULL) {
		if (!dbr->umem->is_writable)
			return -EACCES;
		ret = swhca_buf_span(&dbr->umem->buf, dbr->addr + offset, &addr, &span);
		if (ret != 0)
			return ret;
	}
	return fabric->dma->write(fabric->dma, addr, &be, sizeof(be));
}
