/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_MEM_H
#define SWHCA_PCI_MEM_H

/**
 * @file
 * Memory of guests, as functions reach it: struct swhca_dma of a fabric whose functions belong to
 * several guests (struct swhca_hca_conf: bus_space).
 *
 * A region is a file that the guest's VMM passed, mapped here: one of memory, for a page that does
 * not come would hold up whoever copies, and so all functions. Whoever copies holds the lock
 * shared, so that when a region is taken away nobody uses it any more. A file that becomes shorter
 * than it was raises SIGBUS in a copy: swhca_pci_faults_catch().
 */

#include <pthread.h>
#include <stdbool.h>

#include "include/dma.h"

/** Functions of a process. */
#define SWHCA_PCI_MAX_FUNCTIONS 8u

/** Bus addresses [addr, addr + size). */
struct swhca_pci_region {
	uint64_t addr;
	uint64_t size;
	uint8_t *va;		/**< NULL: no file came with it, so it cannot be accessed. */
	bool may_read;
	bool may_write;
};

/** What one function sees; sorted by address. */
struct swhca_pci_space {
	struct swhca_pci_region *regions;
	unsigned int nb;
	uint64_t mapped;	/**< Bytes of all regions that have a file. */
	bool is_master;		/**< Bus Master Enable: without it nothing is accessed. */
};

struct swhca_pci_mem {
	struct swhca_dma dma;
	pthread_rwlock_t lock;
	uint64_t max_mapped;	/**< Bytes that one space may have of files; 0: no limit. */
	struct swhca_pci_space spaces[SWHCA_PCI_MAX_FUNCTIONS];
};

void swhca_pci_mem_init(struct swhca_pci_mem *mem);
void swhca_pci_mem_fini(struct swhca_pci_mem *mem);

/** Number of a space in a bus address, for its index. */
static inline uint8_t
swhca_pci_bus_space(unsigned int space)
{
	return (uint8_t)(space + 1);
}

/** Address that stands for addr of a space; addr may be anything. */
uint64_t swhca_pci_bus_addr(unsigned int space, uint64_t addr);

/**
 * Add a region to a space.
 *
 * @param fd
 *   File, borrowed; -1: it cannot be accessed.
 * @return
 *   0; after a log line: -EINVAL (a range that is none, a file that is not memory), -EEXIST
 *   (overlaps another), -ENOSPC (too many, or too many bytes), -ENOMEM, or a negative errno of
 *   mmap(2).
 */
int swhca_pci_mem_map(struct swhca_pci_mem *mem, unsigned int space,
		      const struct swhca_pci_region *region, int fd, uint64_t offset);

/**
 * Take one away; when it returns, nobody uses it any more.
 *
 * @return
 *   0, or -ENOENT after a log line: there is no such one.
 */
int swhca_pci_mem_unmap(struct swhca_pci_mem *mem, unsigned int space, uint64_t addr,
			uint64_t size);
/** Take all away. */
void swhca_pci_mem_unmap_all(struct swhca_pci_mem *mem, unsigned int space);
/** When it returns with false, nobody accesses memory of the space any more. */
void swhca_pci_mem_set_master(struct swhca_pci_mem *mem, unsigned int space, bool is_master);

/**
 * Faults of copies do not end the process any more: handlers of SIGBUS and SIGSEGV. For a program
 * that has no use for them itself.
 *
 * @return
 *   0 or a negative errno of sigaction(2).
 */
int swhca_pci_faults_catch(void);

#endif /* SWHCA_PCI_MEM_H */
