/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_PCI_WATCH_H
#define FUZZ_PCI_WATCH_H

/**
 * @file
 * Check memory accesses of a PCI function: each must be in a region that the VMM mapped by an
 * accepted message, with the access of that message, regardless of the state of the function.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct swhca_pci_mem;

/** Watch accesses of mem from now on; no region is mapped. */
void fuzz_pci_watch_init(struct swhca_pci_mem *mem);
/** A message of the VMM was answered; ret: 0 or a negative errno. */
void fuzz_pci_watch_message(uint16_t cmd, const void *data, size_t len, unsigned int nb_fds,
			    int ret);
/** The VMM left, and its regions are gone. */
void fuzz_pci_watch_leave(void);

#endif /* FUZZ_PCI_WATCH_H */
