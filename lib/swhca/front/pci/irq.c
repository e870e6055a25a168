/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "front/pci/irq.h"

/* A signal just before a write does not end it, so another one is sent after this time. */
#define SIGNAL_EVERY_NS 1000000

static void
nothing_do(int sig)
{
	(void)sig;
}

/* Get the next vector to signal, in turn; with the lock. @return false: there is none. */
static bool
vector_take(struct swhca_pci_irqs *irqs, unsigned int *vector)
{
	unsigned int i;
	uint32_t bit;

	for (i = 0; i < SWHCA_PCI_NB_VECTORS; i++) {
		*vector = (irqs->next + i) % SWHCA_PCI_NB_VECTORS;
		bit = UINT32_C(1) << *vector;
		if ((irqs->pending & irqs->armed & bit) != 0) {
			irqs->pending &= ~bit;
			irqs->next = *vector + 1;
			return true;
		}
	}
	return false;
}

/* A full eventfd is already signaled, whether the write to it fails or is interrupted. */
static void
eventfd_tell(int fd, unsigned int vector)
{
	const uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN && errno != EINTR)
		SWHCA_LOG(WARNING, "interrupt %u: %s", vector, strerror(errno));
}

static void *
irqs_main(void *arg)
{
	struct swhca_pci_irqs *irqs = arg;
	unsigned int vector;
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SWHCA_PCI_IRQ_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
	pthread_mutex_lock(&irqs->lock);
	while (!irqs->is_over) {
		if (!vector_take(irqs, &vector)) {
			pthread_cond_wait(&irqs->work, &irqs->lock);
			continue;
		}
		fd = irqs->fds[vector];
		irqs->writing_fd = fd;
		pthread_mutex_unlock(&irqs->lock);
		eventfd_tell(fd, vector);
		pthread_mutex_lock(&irqs->lock);
		irqs->writing_fd = -1;
		pthread_cond_broadcast(&irqs->written);
	}
	pthread_mutex_unlock(&irqs->lock);
	return NULL;
}

int
swhca_pci_irqs_init(struct swhca_pci_irqs *irqs)
{
	/* Without SA_RESTART, as the signal must interrupt the write. */
	const struct sigaction action = { .sa_handler = nothing_do };
	int ret;

	*irqs = (struct swhca_pci_irqs){ .writing_fd = -1 };
	memset(irqs->fds, -1, sizeof(irqs->fds));
	if (sigaction(SWHCA_PCI_IRQ_SIGNAL, &action, NULL) != 0)
		return -errno;
	pthread_mutex_init(&irqs->lock, NULL);
	pthread_cond_init(&irqs->work, NULL);
	pthread_cond_init(&irqs->written, NULL);
	ret = swhca_thread_start(&irqs->thread, NULL, "swhca-pci-irq", irqs_main, irqs);
	if (ret == 0)
		return 0;
	pthread_cond_destroy(&irqs->written);
	pthread_cond_destroy(&irqs->work);
	pthread_mutex_destroy(&irqs->lock);
	return ret;
}

void
swhca_pci_irqs_fini(struct swhca_pci_irqs *irqs)
{
	swhca_pci_irqs_reset(irqs);
	pthread_mutex_lock(&irqs->lock);
	irqs->is_over = true;
	pthread_cond_signal(&irqs->work);
	pthread_mutex_unlock(&irqs->lock);
	pthread_join(irqs->thread, NULL);
	pthread_cond_destroy(&irqs->written);
	pthread_cond_destroy(&irqs->work);
	pthread_mutex_destroy(&irqs->lock);
}

/* The kernel's name of an eventfd cannot be a file path, which starts with a slash. */
bool
swhca_pci_is_eventfd(int fd)
{
	static const char name[] = "anon_inode:[eventfd]";
	char path[64], target[sizeof(name)];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, target, sizeof(target));
	return len == (ssize_t)sizeof(name) - 1 && memcmp(target, name, (size_t)len) == 0;
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
	irqs->pending |= UINT32_C(1) << vector;
	pthread_cond_signal(&irqs->work);
	pthread_mutex_unlock(&irqs->lock);
}

/* With the lock. After return there are no more writes to the eventfd. */
static void
write_end(struct swhca_pci_irqs *irqs, int fd)
{
	struct timespec end;

	while (irqs->writing_fd == fd) {
		pthread_kill(irqs->thread, SWHCA_PCI_IRQ_SIGNAL);
		clock_gettime(CLOCK_MONOTONIC, &end);
		end.tv_nsec += SIGNAL_EVERY_NS;
		if (end.tv_nsec >= 1000000000) {
			end.tv_nsec -= 1000000000;
			end.tv_sec++;
		}
		pthread_cond_clockwait(&irqs->written, &irqs->lock, CLOCK_MONOTONIC, &end);
	}
}

void
swhca_pci_irq_set(struct swhca_pci_irqs *irqs, unsigned int vector, int fd)
{
	const uint32_t bit = UINT32_C(1) << vector;
	int old;

	pthread_mutex_lock(&irqs->lock);
	old = irqs->fds[vector];
	irqs->fds[vector] = fd;
	irqs->armed = fd >= 0 ? irqs->armed | bit : irqs->armed & ~bit;
	pthread_cond_signal(&irqs->work);
	if (old >= 0)
		write_end(irqs, old);
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
