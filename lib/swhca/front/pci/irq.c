/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "front/pci/irq.h"

void
swhca_pci_irqs_init(struct swhca_pci_irqs *irqs)
{
	*irqs = (struct swhca_pci_irqs){ 0 };
	pthread_mutex_init(&irqs->lock, NULL);
	memset(irqs->fds, -1, sizeof(irqs->fds));
}

void
swhca_pci_irqs_fini(struct swhca_pci_irqs *irqs)
{
	swhca_pci_irqs_reset(irqs);
	pthread_mutex_destroy(&irqs->lock);
}

/* An eventfd that is full tells already; whoever passed something else has no interrupts. */
static void
vector_tell(const struct swhca_pci_irqs *irqs, unsigned int vector)
{
	const uint64_t one = 1;

	if (write(irqs->fds[vector], &one, sizeof(one)) < 0 && errno != EAGAIN)
		SWHCA_LOG(WARNING, "interrupt %u: %s", vector, strerror(errno));
}

void
swhca_pci_irq_raise(void *arg, unsigned int vector)
{
	struct swhca_pci_irqs *irqs = arg;

	if (vector >= SWHCA_PCI_NB_VECTORS) {
		SWHCA_LOG(WARNING, "interrupt %u: there are %u", vector, SWHCA_PCI_NB_VECTORS);
		return;
	}
	pthread_mutex_lock(&irqs->lock);
	irqs->nb_raised++;
	SWHCA_LOG(DEBUG, "interrupt %u%s", vector, irqs->fds[vector] < 0 ? ": kept" : "");
	if (irqs->fds[vector] >= 0)
		vector_tell(irqs, vector);
	else
		irqs->pending |= UINT32_C(1) << vector;
	pthread_mutex_unlock(&irqs->lock);
}

void
swhca_pci_irq_set(struct swhca_pci_irqs *irqs, unsigned int vector, int fd)
{
	const uint32_t bit = UINT32_C(1) << vector;
	int old;

	pthread_mutex_lock(&irqs->lock);
	old = irqs->fds[vector];
	irqs->fds[vector] = fd;
	if (fd >= 0 && (irqs->pending & bit) != 0) {
		irqs->pending &= ~bit;
		vector_tell(irqs, vector);
	}
	pthread_mutex_unlock(&irqs->lock);
	if (old >= 0)
		close(old);
}

void
swhca_pci_irqs_disarm(struct swhca_pci_irqs *irqs)
{
	unsigned int i;

	for (i = 0; i < SWHCA_PCI_NB_VECTORS; i++)
		swhca_pci_irq_set(irqs, i, -1);
}

void
swhca_pci_irqs_reset(struct swhca_pci_irqs *irqs)
{
	swhca_pci_irqs_disarm(irqs);
	pthread_mutex_lock(&irqs->lock);
	irqs->pending = 0;
	pthread_mutex_unlock(&irqs->lock);
}
