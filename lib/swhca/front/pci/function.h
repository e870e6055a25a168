/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_FUNCTION_H
#define SWHCA_PCI_FUNCTION_H

/**
 * @file
 * One PCI function: an HCA with what software sees of it on the bus.
 *
 * BAR 0 begins with the initialization segment, then come the pages of the HCA's own BAR at their
 * offsets there, and MSI-X at the end. A VMM maps the UAR pages but the first one that there is:
 * there mlx5_core rings for all of its event queues (Linux: mlx5_core_dev.priv.uar), whose
 * doorbells share a register and have to be seen one by one.
 *
 * Used by one thread, apart from interrupts, which have another one (irq.h).
 */

#include "front/pci/cmdq.h"
#include "front/pci/config.h"
#include "front/pci/irq.h"
#include "front/pci/iseg.h"
#include "front/pci/mem.h"

/** First UAR page that there is: those before it are the initialization segment. */
#define SWHCA_PCI_FIRST_UAR 4u
/** Where pages that a VMM may map begin in the BAR. */
#define SWHCA_PCI_MAP_OFFSET ((SWHCA_PCI_FIRST_UAR + 1) * SWHCA_UAR_SIZE)

struct swhca_pci_function {
	struct swhca_hca *hca;
	struct swhca_pci_mem *mem;
	unsigned int index;	/**< In the process; of its space in mem, too. */
	struct swhca_pci_config config;
	struct swhca_pci_iseg iseg;
	struct swhca_pci_cmdq cmdq;
	struct swhca_pci_irqs irqs;
	uint8_t *bar;		/**< The HCA's own, mapped; no stores to UAR pages here. */
	size_t hca_bar_size;
	size_t bar_size;	/**< Of BAR 0, a power of two. */
	uint64_t half_offset;	/**< Of the first half of a doorbell, if there is one: */
	uint32_t half;		/**< its bytes, and */
	bool has_half;		/**< whether there is. */
};

/**
 * Create a function with its HCA.
 *
 * @param conf
 *   What the HCA is; what concerns the bus is filled in here.
 * @return
 *   0, or a negative errno of swhca_pci_irqs_init(), swhca_hca_create() or mmap(2).
 */
int swhca_pci_function_init(struct swhca_pci_function *function, unsigned int index,
			    struct swhca_fabric *fabric, struct swhca_pci_mem *mem,
			    const struct swhca_hca_conf *conf);
void swhca_pci_function_fini(struct swhca_pci_function *function);

/** Function Level Reset: regions and eventfds stay. */
void swhca_pci_function_reset(struct swhca_pci_function *function);
/** Who used it has gone: with its memory, its eventfds, and all that it had created. */
void swhca_pci_function_leave(struct swhca_pci_function *function);

/** Load from BAR 0. @return 0, or -EINVAL: not within it. */
int swhca_pci_bar_load(struct swhca_pci_function *function, uint64_t offset, void *dst,
		       size_t len);
/** Store to it. @return As above. */
int swhca_pci_bar_store(struct swhca_pci_function *function, uint64_t offset, const void *src,
			size_t len);

/** Write to configuration space, with what comes of it. @return 0, or -EINVAL: not within it. */
int swhca_pci_function_configure(struct swhca_pci_function *function, uint64_t offset,
				 const void *src, size_t len);

#endif /* SWHCA_PCI_FUNCTION_H */
