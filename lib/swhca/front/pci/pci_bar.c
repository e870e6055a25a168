/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Loads and stores in BAR 0 that the VMM traps.
 */

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "mlx5_prm.h"
#include "base/log.h"
#include "front/pci/pci_function.h"

static int
range_check(const struct swhca_pci_function *function, uint64_t offset, size_t len)
{
	return offset <= function->bar_size && len <= function->bar_size - offset ? 0 : -EINVAL;
}

/* Length of the part of an access before a boundary. */
static size_t
part_len(uint64_t offset, size_t len, uint64_t end)
{
	return end - offset < len ? (size_t)(end - offset) : len;
}

/* Load registers of 4 bytes, whole or in parts. */
static void
iseg_load(const struct swhca_pci_iseg *iseg, uint64_t offset, uint8_t *to, size_t len)
{
	uint32_t value_be;
	size_t at, part;

	for (; len > 0; offset += part, to += part, len -= part) {
		at = offset % sizeof(value_be);
		part = part_len(at, len, sizeof(value_be));
		value_be = htobe32(swhca_pci_iseg_load(iseg, offset - at));
		memcpy(to, (uint8_t *)&value_be + at, part);
	}
}

int
swhca_pci_bar_load(struct swhca_pci_function *function, uint64_t offset, void *dst, size_t len)
{
	uint8_t *to = dst;
	size_t part;

	if (range_check(function, offset, len) != 0)
		return -EINVAL;
	if (offset < SWHCA_PCI_ISEG_SIZE) {
		part = part_len(offset, len, SWHCA_PCI_ISEG_SIZE);
		iseg_load(&function->iseg, offset, to, part);
		offset += part;
		to += part;
		len -= part;
	}
	part = 0;
	if (offset < function->hca_bar_size) {
		part = part_len(offset, len, function->hca_bar_size);
		memcpy(to, function->bar + offset, part);
	}
	/* Nothing, or MSI-X, which the VMM handles. */
	memset(to + part, 0, len - part);
	return 0;
}

static void
iseg_store(struct swhca_pci_function *function, uint64_t offset, uint32_t value)
{
	switch (swhca_pci_iseg_store(&function->iseg, offset, value)) {
	case SWHCA_PCI_ISEG_CMDQ:
		function->cmdq.addr = swhca_pci_iseg_cmdq(&function->iseg);
		break;
	case SWHCA_PCI_ISEG_RING:
		swhca_pci_cmdq_ring(&function->cmdq, function->index, value);
		break;
	case SWHCA_PCI_ISEG_RESET:
		swhca_pci_function_reset(function);
		break;
	case SWHCA_PCI_ISEG_NOTHING:
		break;
	}
}

/* Registers of the segment are stored whole. */
static void
iseg_store_all(struct swhca_pci_function *function, uint64_t offset, const uint8_t *from,
	       size_t len)
{
	uint32_t value_be;

	if (offset % sizeof(value_be) != 0 || len % sizeof(value_be) != 0) {
		SWHCA_LOG(WARNING, "initialization segment: store of %zu bytes at 0x%x", len,
			  (unsigned int)offset);
		return;
	}
	for (; len > 0; offset += sizeof(value_be), from += sizeof(value_be),
			len -= sizeof(value_be)) {
		memcpy(&value_be, from, sizeof(value_be));
		iseg_store(function, offset, be32toh(value_be));
	}
}

/*
 * An 8-byte doorbell may come as two 4-byte stores (Linux: mlx5_write64() without writeq()): the
 * HCA gets it with the second one.
 */
static bool
half_take(struct swhca_pci_function *function, uint64_t offset, const uint8_t *from, size_t len)
{
	const uint64_t at = offset % SWHCA_UAR_SIZE;
	uint32_t halves[2];

	if (len != sizeof(halves[0]))
		return false;
	if (at < PRM_UAR_BF_OFFSET && at - at % sizeof(halves) != PRM_UAR_CQ_DB_OFFSET)
		return false;
	if (offset % sizeof(halves) == 0) {
		memcpy(&function->half, from, sizeof(function->half));
		function->half_offset = offset;
		function->has_half = true;
		return true;
	}
	if (!function->has_half || offset != function->half_offset + sizeof(halves[0]))
		return false;
	function->has_half = false;
	halves[0] = function->half;
	memcpy(&halves[1], from, sizeof(halves[1]));
	swhca_hca_uar_store(function->hca, function->half_offset, halves, sizeof(halves));
	return true;
}

/* In aligned pieces of at most 8 bytes, like stores of a CPU. */
static void
uar_store(struct swhca_pci_function *function, uint64_t offset, const uint8_t *from, size_t len)
{
	size_t part;

	if (half_take(function, offset, from, len))
		return;
	for (; len > 0; offset += part, from += part, len -= part) {
		part = part_len(offset, len, (offset | 7) + 1);
		swhca_hca_uar_store(function->hca, offset, from, part);
	}
}

int
swhca_pci_bar_store(struct swhca_pci_function *function, uint64_t offset, const void *src,
		    size_t len)
{
	const uint64_t uars_end = swhca_hca_uar_area_size(function->hca);
	const uint8_t *from = src;
	size_t part;

	if (range_check(function, offset, len) != 0)
		return -EINVAL;
	if (offset < SWHCA_PCI_ISEG_SIZE) {
		part = part_len(offset, len, SWHCA_PCI_ISEG_SIZE);
		iseg_store_all(function, offset, from, part);
		offset += part;
		from += part;
		len -= part;
	}
	if (offset < uars_end) {
		part = part_len(offset, len, uars_end);
		uar_store(function, offset, from, part);
		offset += part;
		from += part;
		len -= part;
	}
	if (offset < function->hca_bar_size)
		memcpy(function->bar + offset, from,
		       part_len(offset, len, function->hca_bar_size));
	return 0;
}
