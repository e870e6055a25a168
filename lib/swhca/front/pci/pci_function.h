/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_FUNCTION_H
#define SWHCA_PCI_FUNCTION_H

/**
 * @file
 * A PCI function: an HCA with its interface to the bus.
 *
 * BAR 0 begins with the initialization segment, followed by the pages of the HCA's own BAR at their
 * offsets there, and MSI-X at the end. A VMM maps all UAR pages except the first available one:
 * there mlx5_core rings for all of its event queues (Linux: mlx5_core_dev.priv.uar), whose
 * doorbells share a register and must be handled one by one.
 *
 * Used by one thread, except for interrupts, which have their own (irq.h).
 */

#include "front/pci/cmdq.h"
#include "front/pci/config.h"
#include "front/pci/irq.h"
#include "front/pci/iseg.h"
#include "front/pci/pci_mem.h"

/** First available UAR page: the initialization segment precedes it. */
#define SWHCA_PCI_FIRST_UAR 4u
/** Offset in the BAR of the pages that a VMM may map. */
#define SWHCA_PCI_MAP_OFFSET ((SWHCA_PCI_FIRST_UAR + 1) * SWHCA_UAR_SIZE)

struct swhca_pci_function {
	struct swhca_hca *hca;
	struct swhca_pci_mem *mem;
	unsigned int index;	/**< In the process; also of its space in mem. */
	struct swhca_pci_config config;
	struct swhca_pci_iseg iseg;
	struct swhca_pci_cmdq cmdq;
	struct swhca_pci_irqs irqs;
	uint8_t *bar;		/**< BAR of the HCA, mapped; no stores to UAR pages here. */
	size_t hca_bar_size;
	size_t bar_size;	/**< Size of BAR 0, a power of two. */
	uint64_t half_offset;	/**< Offset of a pending first half of a doorbell. */
	uint32_t half;		/**< Its value. */
	bool has_half;		/**< Whether it is pending. */
};

/**
 * Create a function with its HCA.
 *
 * @param conf
 *   Configuration of the HCA; bus parameters are filled in here.
 * @return
 *   0, or a negative errno of swhca_pci_irqs_init(), swhca_hca_create() or mmap(2).
 */
int swhca_pci_function_init(struct swhca_pci_function *function, unsigned int index,
			    struct swhca_fabric *fabric, struct swhca_pci_mem *mem,
			    const struct swhca_hca_conf *conf);
void swhca_pci_function_fini(struct swhca_pci_function *function);

/** Function Level Reset: regions and eventfds are kept. */
void swhca_pci_function_reset(struct swhca_pci_function *function);
/** Release memory, eventfds, and all objects of a user that has left. */
void swhca_pci_function_leave(struct swhca_pci_function *function);

/** Load from BAR 0. @return 0, or -EINVAL: out of range. */
int swhca_pci_bar_load(struct swhca_pci_function *function, uint64_t offset, void *dst,
		       size_t len);
/** Store to it. @return As above. */
int swhca_pci_bar_store(struct swhca_pci_function *function, uint64_t offset, const void *src,
			size_t len);

/** Write to configuration space, with side effects. @return 0, or -EINVAL: out of range. */
int swhca_pci_function_configure(struct swhca_pci_function *function, uint64_t offset,
				 const void *src, size_t len);

#endif /* SWHCA_PCI_FUNCTION_H */
