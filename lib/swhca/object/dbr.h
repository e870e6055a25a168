/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_DBR_H
#define SWHCA_OBJECT_DBR_H

/**
 * @file
 * Doorbell records: in host memory, written by software and read by the HCA.
 */

#include "object/buf.h"

/** A doorbell record: a bus address, or an offset in a umem. */
struct swhca_dbr {
	struct swhca_umem *umem;	/**< NULL: addr is a bus address. */
	uint64_t addr;
};

/** Read one counter, PRM_DBR_RQ or PRM_DBR_SQ. @return 0 or -EFAULT. */
int swhca_dbr_read(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr,
		   unsigned int dword, uint32_t *value);

/** Write one dword. @return 0, -EFAULT, or -EACCES for read-only memory. */
int swhca_dbr_write(const struct swhca_fabric *fabric, const struct swhca_dbr *dbr,
		    unsigned int dword, uint32_t value);

#endif /* SWHCA_OBJECT_DBR_H */
