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
 *
 * A write to an eventfd that is full waits, unless it is non-blocking, which the VMM can undo at
 * any time: the flag is that of both. So a thread of the function writes, which holds no lock
 * meanwhile, and who raises an interrupt only leaves it there. A signal, SWHCA_PCI_IRQ_SIGNAL,
 * takes that thread out of a write to an eventfd that is taken away.
 */

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/** Vectors of a function. */
#define SWHCA_PCI_NB_VECTORS 32u
/** Of the process: it gets a handler that does nothing. */
#define SWHCA_PCI_IRQ_SIGNAL SIGUSR1

struct swhca_pci_irqs {
	pthread_mutex_t lock;
	pthread_cond_t work;		/**< There may be something to write, or it is over. */
	pthread_cond_t written;		/**< A write has ended. */
	pthread_t thread;
	int fds[SWHCA_PCI_NB_VECTORS];	/**< -1: none */
	uint32_t armed;			/**< Vectors that have an eventfd. */
	uint32_t pending;		/**< Vectors to be told when they can be. */
	unsigned int next;		/**< Where the search for one begins. */
	int writing_fd;			/**< -1: none */
	bool is_over;
	uint64_t nb_raised;
};

/** @return 0, or a negative errno of sigaction(2) or pthread_create(3). */
int swhca_pci_irqs_init(struct swhca_pci_irqs *irqs);
void swhca_pci_irqs_fini(struct swhca_pci_irqs *irqs);

/** Whether a descriptor is an eventfd: a write to anything else may wait where no signal helps. */
bool swhca_pci_is_eventfd(int fd);

/** struct swhca_hca_conf: interrupt, with the vectors as its argument. Never waits for a VMM. */
void swhca_pci_irq_raise(void *irqs, unsigned int vector);
/** Have an eventfd for a vector; it is closed with it. -1: none. */
void swhca_pci_irq_set(struct swhca_pci_irqs *irqs, unsigned int vector, int fd);
/** Take all away: what is raised from now on is told later. */
void swhca_pci_irqs_disarm(struct swhca_pci_irqs *irqs);
/** Take all away, and forget what was to be told: a reset. */
void swhca_pci_irqs_reset(struct swhca_pci_irqs *irqs);

#endif /* SWHCA_PCI_IRQ_H */
