/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_LIMITS_H
#define SWHCA_PCI_LIMITS_H

/**
 * @file
 * What clients of swhca-pci can make it hold, as options: of the server, whose functions have equal
 * parts of it, so that none takes anything from another.
 */

#include <stdint.h>

enum swhca_pci_limit {
	SWHCA_PCI_GUEST_MEMORY,	/**< Bytes of files that are mapped. */
	SWHCA_PCI_KEY_MEMORY,	/**< Bytes of translations of memory keys. */
	SWHCA_PCI_FLOWS,	/**< Groups and entries of flow tables. */
	SWHCA_PCI_NB_LIMITS,
};

struct swhca_pci_limits {
	uint64_t values[SWHCA_PCI_NB_LIMITS];	/**< 0: the default. */
};

/** The limit of an option, "--name". @return SWHCA_PCI_NB_LIMITS: there is none. */
enum swhca_pci_limit swhca_pci_limit_find(const char *word);
/** Read a value. @return 0, or -EINVAL after a line on stderr. */
int swhca_pci_limit_parse(struct swhca_pci_limits *limits, enum swhca_pci_limit limit,
			  const char *text);
/** What each of so many functions may have. */
uint64_t swhca_pci_limit_share(const struct swhca_pci_limits *limits, enum swhca_pci_limit limit,
			       unsigned int nb_functions);
/** Lines for --help. */
void swhca_pci_limits_print(void);

#endif /* SWHCA_PCI_LIMITS_H */
