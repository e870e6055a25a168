/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_VFU_H
#define SWHCA_PCI_VFU_H

/**
 * @file
 * Wire format of vfio-user messages (QEMU: docs/interop/vfio-user.rst, "Protocol Specification"),
 * in the byte order of the host. Definitions shared with VFIO are in <linux/vfio.h>.
 */

#include <assert.h>
#include <stdint.h>

enum swhca_vfu_cmd {
	SWHCA_VFU_VERSION = 1,
	SWHCA_VFU_DMA_MAP = 2,
	SWHCA_VFU_DMA_UNMAP = 3,
	SWHCA_VFU_GET_INFO = 4,
	SWHCA_VFU_GET_REGION_INFO = 5,
	SWHCA_VFU_GET_REGION_IO_FDS = 6,
	SWHCA_VFU_GET_IRQ_INFO = 7,
	SWHCA_VFU_SET_IRQS = 8,
	SWHCA_VFU_REGION_READ = 9,
	SWHCA_VFU_REGION_WRITE = 10,
	SWHCA_VFU_RESET = 13,
};

/** Supported version. */
#define SWHCA_VFU_MAJOR 0u
#define SWHCA_VFU_MINOR 1u

/** Limits reported in VERSION: descriptors of a message, and bytes of a transfer. */
#define SWHCA_VFU_MAX_FDS 16u
#define SWHCA_VFU_MAX_XFER (1u << 20)
/** Maximum number of DMA memory regions. */
#define SWHCA_VFU_MAX_MAPS 1024u

/** Header of every message. */
struct swhca_vfu_header {
	uint16_t id;
	uint16_t cmd;		/**< enum swhca_vfu_cmd */
	uint32_t size;		/**< Including this header. */
	uint32_t flags;
	uint32_t error;		/**< errno of a reply */
};

#define SWHCA_VFU_TYPE_MASK	0xfu
#define SWHCA_VFU_COMMAND	0x0u
#define SWHCA_VFU_REPLY		0x1u
#define SWHCA_VFU_NO_REPLY	(1u << 4)
#define SWHCA_VFU_ERROR		(1u << 5)

struct swhca_vfu_version {
	uint16_t major;
	uint16_t minor;
	/* JSON, with its NUL */
};

struct swhca_vfu_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;	/**< Offset in the file. */
	uint64_t addr;
	uint64_t size;
};

#define SWHCA_VFU_DMA_READ	(1u << 0)
#define SWHCA_VFU_DMA_WRITE	(1u << 1)

struct swhca_vfu_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t addr;
	uint64_t size;
};

/** VFIO_DMA_UNMAP_FLAG_ALL, which QEMU sends although the specification defines no flags. */
#define SWHCA_VFU_DMA_UNMAP_ALL (1u << 1)

struct swhca_vfu_region_rw {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	/* data */
};

static_assert(sizeof(struct swhca_vfu_header) == 16, "the header of a message");
static_assert(sizeof(struct swhca_vfu_dma_map) == 32, "32 bytes, says the specification");
static_assert(sizeof(struct swhca_vfu_dma_unmap) == 24, "DMA_UNMAP");
static_assert(sizeof(struct swhca_vfu_region_rw) == 16, "REGION_READ, REGION_WRITE");

/** Maximum payload of a message. */
#define SWHCA_VFU_MAX_DATA (sizeof(struct swhca_vfu_region_rw) + SWHCA_VFU_MAX_XFER)

#endif /* SWHCA_PCI_VFU_H */
