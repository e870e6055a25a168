/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_PCI_WATCH_H
#define FUZZ_PCI_WATCH_H

/**
 * @file
 * Watches what a PCI function reads and writes: it is to be in a region that the VMM has mapped by
 * a message that was accepted, and as that message allows, whatever the function itself remembers.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swhca_pci_mem;

/** From now on accesses of mem are watched; no region is mapped. */
void fuzz_pci_watch_init(struct swhca_pci_mem *mem);
/** A message of the VMM was answered; ret: 0 or a negative errno. */
void fuzz_pci_watch_message(uint16_t cmd, const void *data, size_t len, unsigned int nb_fds,
			    int ret);
/** The VMM is gone, and its regions. */
void fuzz_pci_watch_leave(void);

#endif /* FUZZ_PCI_WATCH_H */
