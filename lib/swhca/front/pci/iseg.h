/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_ISEG_H
#define SWHCA_PCI_ISEG_H

/**
 * @file
 * Initialization segment at the start of BAR 0 (PRM, "Initialization Segment"; Linux: struct
 * mlx5_init_seg): versions, address and doorbell of the command queue, health, clocks.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/model.h"

/** Its size, in whole pages. */
#define SWHCA_PCI_ISEG_SIZE 0x3000u

struct swhca_pci_iseg {
	enum swhca_model model;
	uint32_t cmdq_addr_h;
	uint32_t cmdq_addr_l_sz;	/**< With nic_interface, as written. */
};

/** Action requested by a store. */
enum swhca_pci_iseg_act {
	SWHCA_PCI_ISEG_NOTHING,
	SWHCA_PCI_ISEG_CMDQ,	/**< The command queue address changed. */
	SWHCA_PCI_ISEG_RING,	/**< Execute commands. */
	SWHCA_PCI_ISEG_RESET,	/**< Software reset of the function (nic_interface). */
};

void swhca_pci_iseg_reset(struct swhca_pci_iseg *iseg);
/** Bus address of the command queue. */
uint64_t swhca_pci_iseg_cmdq(const struct swhca_pci_iseg *iseg);
/** Load a register; offset is a multiple of 4. Host byte order. */
uint32_t swhca_pci_iseg_load(const struct swhca_pci_iseg *iseg, uint64_t offset);
enum swhca_pci_iseg_act swhca_pci_iseg_store(struct swhca_pci_iseg *iseg, uint64_t offset,
					     uint32_t value);

#endif /* SWHCA_PCI_ISEG_H */
