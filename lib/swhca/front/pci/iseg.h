/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_ISEG_H
#define SWHCA_PCI_ISEG_H

/**
 * @file
 * The initialization segment at the beginning of BAR 0 (PRM, "Initialization Segment"; Linux:
 * struct mlx5_init_seg): versions, the command queue's address and doorbell, health, clocks.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/model.h"

/** Bytes of it, in whole pages. */
#define SWHCA_PCI_ISEG_SIZE 0x3000u

struct swhca_pci_iseg {
	enum swhca_model model;
	uint32_t cmdq_addr_h;
	uint32_t cmdq_addr_l_sz;	/**< With nic_interface, as written. */
};

/** What a store asks for. */
enum swhca_pci_iseg_act {
	SWHCA_PCI_ISEG_NOTHING,
	SWHCA_PCI_ISEG_CMDQ,	/**< The command queue has another address. */
	SWHCA_PCI_ISEG_RING,	/**< Commands are to be executed. */
	SWHCA_PCI_ISEG_RESET,	/**< Software reset of the function (nic_interface). */
};

void swhca_pci_iseg_reset(struct swhca_pci_iseg *iseg);
/** Bus address of the command queue. */
uint64_t swhca_pci_iseg_cmdq(const struct swhca_pci_iseg *iseg);
/** A register; offset is a multiple of 4. Host byte order. */
uint32_t swhca_pci_iseg_load(const struct swhca_pci_iseg *iseg, uint64_t offset);
enum swhca_pci_iseg_act swhca_pci_iseg_store(struct swhca_pci_iseg *iseg, uint64_t offset,
					     uint32_t value);

#endif /* SWHCA_PCI_ISEG_H */
