/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OBJECT_BUS_H
#define SWHCA_OBJECT_BUS_H

/**
 * @file
 * Bus addresses of functions whose memory belongs to different owners (struct swhca_hca_conf:
 * bus_space).
 */

#include "object/hca_state.h"

/** Bits of a bus address, where functions of a fabric have separate address spaces. */
#define SWHCA_LOG_BUS_SPACE 56u
/** Invalid address, in a space that no function has. */
#define SWHCA_BUS_NOWHERE (UINT64_MAX << SWHCA_LOG_BUS_SPACE)

/**
 * Convert an address of a device's software to the one for struct swhca_dma. Memory that extends
 * beyond the space becomes SWHCA_BUS_NOWHERE: it must not reach into the next space.
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

/** Convert a bus address to an address of the device's software. */
static inline uint64_t
swhca_bus_offset(const struct swhca_hca *hca, uint64_t addr)
{
	if (hca->conf.bus_space == 0)
		return addr;
	return addr & ((UINT64_C(1) << SWHCA_LOG_BUS_SPACE) - 1);
}

#endif /* SWHCA_OBJECT_BUS_H */
