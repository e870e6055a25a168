/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_PCI_LIMITS_H
#define SWHCA_PCI_LIMITS_H

/**
 * @file
 * Options that limit resources of swhca-pci used by its clients. A limit is of the server and
 * divided equally between its functions, so that they do not affect each other.
 */

#include <stdint.h>

enum swhca_pci_limit {
	SWHCA_PCI_GUEST_MEMORY,	/**< Bytes of mapped files. */
	SWHCA_PCI_KEY_MEMORY,	/**< Bytes of memory key translations. */
	SWHCA_PCI_FLOWS,	/**< Groups and entries of flow tables. */
	SWHCA_PCI_NB_LIMITS,
};

struct swhca_pci_limits {
	uint64_t values[SWHCA_PCI_NB_LIMITS];	/**< 0: the default. */
};

/** Find the limit of an option, "--name". @return SWHCA_PCI_NB_LIMITS: there is none. */
enum swhca_pci_limit swhca_pci_limit_find(const char *word);
/** Parse a value. @return 0, or -EINVAL after a line on stderr. */
int swhca_pci_limit_parse(struct swhca_pci_limits *limits, enum swhca_pci_limit limit,
			  const char *text);
/** Share of each function. */
uint64_t swhca_pci_limit_share(const struct swhca_pci_limits *limits, enum swhca_pci_limit limit,
			       unsigned int nb_functions);
/** Print lines for --help. */
void swhca_pci_limits_print(void);

#endif /* SWHCA_PCI_LIMITS_H */
