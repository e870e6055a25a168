/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_IRQ_H
#define SWHCA_PCI_IRQ_H

/**
 * @file
 * MSI-X vectors, each an eventfd of the VMM.
 *
 * To add a vector, a VMM removes all and sets them again: an interrupt of a vector without an
 * eventfd is stored until it has one.
 *
 * A write to a full eventfd blocks, unless it is non-blocking, which the VMM can change at any
 * time, as both share the flag. Therefore a thread of the function, which holds no lock meanwhile,
 * writes, and raising an interrupt only marks it pending. A signal, SWHCA_PCI_IRQ_SIGNAL,
 * interrupts a write of that thread to an eventfd that is removed.
 */

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/** Vectors of a function. */
#define SWHCA_PCI_NB_VECTORS 32u
/** Of the process: its handler does nothing. */
#define SWHCA_PCI_IRQ_SIGNAL SIGUSR1

struct swhca_pci_irqs {
	pthread_mutex_t lock;
	pthread_cond_t work;		/**< There may be something to write, or the thread must
					 *   end. */
	pthread_cond_t written;		/**< A write has ended. */
	pthread_t thread;
	int fds[SWHCA_PCI_NB_VECTORS];	/**< -1: none */
	uint32_t armed;			/**< Vectors with an eventfd. */
	uint32_t pending;		/**< Vectors to be signaled when possible. */
	unsigned int next;		/**< Start of the search. */
	int writing_fd;			/**< -1: none */
	bool is_over;
	uint64_t nb_raised;
};

/** @return 0, or a negative errno of sigaction(2) or pthread_create(3). */
int swhca_pci_irqs_init(struct swhca_pci_irqs *irqs);
void swhca_pci_irqs_fini(struct swhca_pci_irqs *irqs);

/** Check whether a descriptor is an eventfd: a write to other files may block uninterruptibly. */
bool swhca_pci_is_eventfd(int fd);

/** struct swhca_hca_conf: interrupt, with the vectors as its argument. Never waits for a VMM. */
void swhca_pci_irq_raise(void *irqs, unsigned int vector);
/** Set the eventfd of a vector, which is closed with it. -1: none. */
void swhca_pci_irq_set(struct swhca_pci_irqs *irqs, unsigned int vector, int fd);
/** Remove all eventfds: interrupts stay pending from now on. */
void swhca_pci_irqs_disarm(struct swhca_pci_irqs *irqs);
/** Remove all eventfds, and drop pending interrupts: a reset. */
void swhca_pci_irqs_reset(struct swhca_pci_irqs *irqs);

#endif /* SWHCA_PCI_IRQ_H */
