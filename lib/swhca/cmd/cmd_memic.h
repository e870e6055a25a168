/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_CMD_MEMIC_H
#define SWHCA_CMD_MEMIC_H

/**
 * @file
 * Device memory for commands, keys and capabilities.
 */

#include "object/bar.h"

/** Allocations are in blocks of this size. */
#define SWHCA_MEMIC_LOG_BLOCK	6u
#define SWHCA_MEMIC_BLOCK	(1u << SWHCA_MEMIC_LOG_BLOCK)
/** Maximum alignment, in 64 bytes: a page. */
#define SWHCA_MEMIC_LOG_MAX_ALIGN 6u

/** Range of device memory; keys to it hold references. */
struct swhca_memic {
	struct swhca_obj obj;
	uint64_t start;		/**< Offset in the BAR. */
	uint8_t ops;		/**< Bit mask of the operations with an address. */
	uint64_t len;
};

/** Find the allocation that contains [start, start + len), or NULL. */
struct swhca_memic *swhca_memic_find(const struct swhca_hca *hca, uint64_t start, uint64_t len);

/** Fill the capability page of device memory. */
void swhca_memic_cap_fill(const struct swhca_hca *hca, uint8_t *cap);

#endif /* SWHCA_CMD_MEMIC_H */
