/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_BUS_H
#define SWHCA_OBJECT_BUS_H

/**
 * @file
 * Bus addresses of several functions that are in memory of different owners
 * (struct swhca_hca_conf: bus_space).
 */

#include "object/hca.h"

/** Bits of a bus address, where functions of a fabric have address spaces of their own. */
#define SWHCA_LOG_BUS_SPACE 56u
/** An address that is in nobody's memory: of the space that no function has. */
#define SWHCA_BUS_NOWHERE (UINT64_MAX << SWHCA_LOG_BUS_SPACE)

/**
 * What software of a device calls addr, as struct swhca_dma is to get it. Memory that does not end
 * within the space is nowhere: it must not reach into the next one.
 */
static inline uint64_t
swhca_bus_addr(const struct swhca_hca *hca, uint64_t addr, uint64_t len)
{
	const uint64_t size = UINT64_C(1) << SWHCA_LOG_BUS_SPACE;

	if (hca->conf.bus_space == 0)
		return addr;
	if (addr >= size || len > size - addr)
		return SWHCA_BUS_NOWHERE;
	return (uint64_t)hca->conf.bus_space << SWHCA_LOG_BUS_SPACE | addr;
}

/** What software of a device calls a bus address. */
static inline uint64_t
swhca_bus_offset(const struct swhca_hca *hca, uint64_t addr)
{
	if (hca->conf.bus_space == 0)
		return addr;
	return addr & ((UINT64_C(1) << SWHCA_LOG_BUS_SPACE) - 1);
}

#endif /* SWHCA_OBJECT_BUS_H */
