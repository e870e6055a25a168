/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_IRQ_H
#define SWHCA_PCI_IRQ_H

/**
 * @file
 * Vectors of MSI-X, each an eventfd of the VMM.
 *
 * To add a vector, a VMM takes all away first and gives them again: an interrupt of a vector that
 * has no eventfd is remembered until it has one.
 */

#include <pthread.h>
#include <stdint.h>

/** Vectors of a function. */
#define SWHCA_PCI_NB_VECTORS 32u

struct swhca_pci_irqs {
	pthread_mutex_t lock;
	int fds[SWHCA_PCI_NB_VECTORS];	/**< -1: none */
	uint32_t pending;		/**< Vectors to be told when they can be. */
	uint64_t nb_raised;
};

void swhca_pci_irqs_init(struct swhca_pci_irqs *irqs);
void swhca_pci_irqs_fini(struct swhca_pci_irqs *irqs);

/** struct swhca_hca_conf: interrupt, with the vectors as its argument. */
void swhca_pci_irq_raise(void *irqs, unsigned int vector);
/** Have an eventfd for a vector; it is closed with it. -1: none. */
void swhca_pci_irq_set(struct swhca_pci_irqs *irqs, unsigned int vector, int fd);
/** Take all away: what is raised from now on is told later. */
void swhca_pci_irqs_disarm(struct swhca_pci_irqs *irqs);
/** Take all away, and forget what was to be told: a reset. */
void swhca_pci_irqs_reset(struct swhca_pci_irqs *irqs);

#endif /* SWHCA_PCI_IRQ_H */
