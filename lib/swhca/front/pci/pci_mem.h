/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_MEM_H
#define SWHCA_PCI_MEM_H

/**
 * @file
 * Guest memory for functions: struct swhca_dma of a fabric whose functions belong to several guests
 * (struct swhca_hca_conf: bus_space).
 *
 * A region is a file from the guest's VMM, mapped here. It must be in memory, as a blocking page
 * fault would delay the copy and thus all functions. A copy holds the lock shared, so that a
 * removed region is no longer used. A file that is truncated raises SIGBUS in a copy:
 * swhca_pci_faults_catch().
 */

#include <pthread.h>
#include <stdbool.h>

#include "include/dma.h"

/** Maximum functions of a process. */
#define SWHCA_PCI_MAX_FUNCTIONS 8u

/** Bus addresses [addr, addr + size). */
struct swhca_pci_region {
	uint64_t addr;
	uint64_t size;
	uint8_t *va;		/**< NULL: no file was passed, so it is inaccessible. */
	bool may_read;
	bool may_write;
};

/** Memory of one function; sorted by address. */
struct swhca_pci_space {
	struct swhca_pci_region *regions;
	unsigned int nb;
	uint64_t mapped;	/**< Bytes of all regions with a file. */
	bool is_master;		/**< Bus Master Enable: nothing is accessed without it. */
};

struct swhca_pci_mem {
	struct swhca_dma dma;
	pthread_rwlock_t lock;
	uint64_t max_mapped;	/**< Limit of file bytes of a space; 0: none. */
	struct swhca_pci_space spaces[SWHCA_PCI_MAX_FUNCTIONS];
};

void swhca_pci_mem_init(struct swhca_pci_mem *mem);
void swhca_pci_mem_fini(struct swhca_pci_mem *mem);

/** Number of a space in a bus address, by index. */
static inline uint8_t
swhca_pci_bus_space(unsigned int space)
{
	return (uint8_t)(space + 1);
}

/** Bus address for any addr of a space. */
uint64_t swhca_pci_bus_addr(unsigned int space, uint64_t addr);

/**
 * Add a region to a space.
 *
 * @param fd
 *   File, borrowed; -1: inaccessible.
 * @return
 *   0; after a log line: -EINVAL (an invalid range, a file that is not memory), -EEXIST (overlaps
 *   another), -ENOSPC (too many, or too many bytes), -ENOMEM, or a negative errno of mmap(2).
 */
int swhca_pci_mem_map(struct swhca_pci_mem *mem, unsigned int space,
		      const struct swhca_pci_region *region, int fd, uint64_t offset);

/**
 * Remove a region; after return it is no longer used.
 *
 * @return
 *   0, or -ENOENT after a log line: there is no such region.
 */
int swhca_pci_mem_unmap(struct swhca_pci_mem *mem, unsigned int space, uint64_t addr,
			uint64_t size);
/** Remove all regions of a space. */
void swhca_pci_mem_unmap_all(struct swhca_pci_mem *mem, unsigned int space);
/** Set Bus Master Enable; after return with false, memory of the space is no longer accessed. */
void swhca_pci_mem_set_master(struct swhca_pci_mem *mem, unsigned int space, bool is_master);

/**
 * Install handlers of SIGBUS and SIGSEGV, so that faults of copies do not end the process. For a
 * program that does not use these signals.
 *
 * @return
 *   0 or a negative errno of sigaction(2).
 */
int swhca_pci_faults_catch(void);

#endif /* SWHCA_PCI_MEM_H */
