/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_CMDQ_H
#define SWHCA_PCI_CMDQ_H

/**
 * @file
 * Command queue of a function (PRM, "Command Interface"): 32 slots in host memory, each a command
 * with its first and last bytes in it and the others in chains of mailboxes.
 *
 * The command is done when the doorbell store returns, which the slot shows, and an event if an EQ
 * receives those of commands. Output mailboxes are signed; input mailboxes are not checked, because
 * with capability cmdif_checksum 0 software does not sign them.
 */

#include <stdint.h>

#include "front/pci/pci_mem.h"
#include "include/hca.h"

#define SWHCA_PCI_LOG_CMDS	5u
#define SWHCA_PCI_LOG_CMD_STRIDE 6u

struct swhca_pci_cmdq {
	struct swhca_hca *hca;
	const struct swhca_dma *dma;
	uint64_t addr;		/**< Bus address of the first slot. */
};

/** Execute the commands of these slots, one bit per slot. */
void swhca_pci_cmdq_ring(struct swhca_pci_cmdq *cmdq, unsigned int space, uint32_t slots);

#endif /* SWHCA_PCI_CMDQ_H */
