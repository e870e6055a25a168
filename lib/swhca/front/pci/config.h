/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_CONFIG_H
#define SWHCA_PCI_CONFIG_H

/**
 * @file
 * Configuration space of a function: an endpoint of PCI Express with power management and MSI-X
 * (PCI Express Base Specification, 7.5; MSI-X is in 7.7.2).
 *
 * VMMs handle most writes themselves: BAR addresses, the MSI-X table. The caller handles what a
 * device must do itself: bus mastering, and Function Level Reset.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/hca.h"

#define SWHCA_PCI_CONFIG_SIZE 4096u

/** Properties that differ between functions. */
struct swhca_pci_ident {
	enum swhca_model model;
	enum swhca_link_layer link_layer;
	uint64_t serial;		/**< Device Serial Number: an EUI-64. */
	uint64_t bar_size;		/**< Size of BAR 0, a power of two. */
	uint32_t msix_table;		/**< Offsets in BAR 0. */
	uint32_t msix_pba;
	uint16_t nb_vectors;
};

struct swhca_pci_config {
	uint8_t bytes[SWHCA_PCI_CONFIG_SIZE];
	uint8_t mask[SWHCA_PCI_CONFIG_SIZE];	/**< Writable bits. */
	uint8_t reset[SWHCA_PCI_CONFIG_SIZE];	/**< Content after a reset. */
};

void swhca_pci_config_init(struct swhca_pci_config *config, const struct swhca_pci_ident *ident);
/** Reset to the initial content. */
void swhca_pci_config_reset(struct swhca_pci_config *config);

/** @return 0, or -EINVAL: out of range. */
int swhca_pci_config_read(const struct swhca_pci_config *config, uint64_t offset, void *dst,
			  size_t len);
/**
 * Write the writable bits.
 *
 * @param is_flr
 *   Written on success: whether Initiate Function Level Reset was set.
 * @return
 *   0, or -EINVAL: out of range.
 */
int swhca_pci_config_write(struct swhca_pci_config *config, uint64_t offset, const void *src,
			   size_t len, bool *is_flr);
/** Bus Master Enable. */
bool swhca_pci_config_is_master(const struct swhca_pci_config *config);

#endif /* SWHCA_PCI_CONFIG_H */
