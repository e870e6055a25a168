/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/pci_limits.h"

#define KIB UINT64_C(1024)
#define GIB (KIB * KIB * KIB)
#define TIB (KIB * GIB)

static const struct {
	const char *name;
	const char *arg;
	uint64_t min;
	uint64_t max;
	uint64_t value;
	const char *default_text;
	const char *help;
} limits_known[SWHCA_PCI_NB_LIMITS] = {
	[SWHCA_PCI_GUEST_MEMORY] = {
		.name = "--max-guest-memory", .arg = "SIZE", .min = KIB * KIB, .max = 64 * TIB,
		.value = TIB, .default_text = "1T",
		.help = "memory of guests that is mapped at a time" },
	[SWHCA_PCI_KEY_MEMORY] = {
		.name = "--max-key-memory", .arg = "SIZE", .min = KIB * KIB, .max = 64 * GIB,
		.value = 16 * GIB, .default_text = "16G",
		.help = "translations of all memory keys" },
	[SWHCA_PCI_FLOWS] = {
		.name = "--max-flows", .arg = "N", .min = 1024, .max = 64 * KIB * KIB,
		.value = 512 * KIB, .default_text = "512K",
		.help = "groups and entries of all flow tables" },
};

enum swhca_pci_limit
swhca_pci_limit_find(const char *word)
{
	unsigned int i;

	for (i = 0; i < SWHCA_PCI_NB_LIMITS; i++)
		if (strcmp(word, limits_known[i].name) == 0)
			break;
	return (enum swhca_pci_limit)i;
}

/* Digits, and a letter for a power of 1024. @return 0: invalid, or too large. */
static uint64_t
size_parse(const char *text)
{
	static const char letters[] = "KMGT";
	unsigned long long value;
	const char *letter;
	unsigned int shift = 0;
	char *end;

	/* strtoull() accepts spaces and signs. */
	if (*text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno != 0)
		return 0;
	if (*end != '\0') {
		letter = strchr(letters, *end);
		if (letter == NULL || end[1] != '\0')
			return 0;
		shift = 10 * (unsigned int)(letter - letters + 1);
	}
	return value <= UINT64_MAX >> shift ? value << shift : 0;
}

int
swhca_pci_limit_parse(struct swhca_pci_limits *limits, enum swhca_pci_limit limit,
		      const char *text)
{
	uint64_t value = size_parse(text);

	if (value < limits_known[limit].min || value > limits_known[limit].max) {
		fprintf(stderr, "swhca-pci: %s: %s: not a number in %" PRIu64 " to %" PRIu64
			", K, M, G or T behind it\n", limits_known[limit].name, text,
			limits_known[limit].min, limits_known[limit].max);
		return -EINVAL;
	}
	limits->values[limit] = value;
	return 0;
}

uint64_t
swhca_pci_limit_share(const struct swhca_pci_limits *limits, enum swhca_pci_limit limit,
		      unsigned int nb_functions)
{
	uint64_t value = limits->values[limit];

	return (value != 0 ? value : limits_known[limit].value) / nb_functions;
}

void
swhca_pci_limits_print(void)
{
	char name[64];
	unsigned int i;

	printf("\nLimits of the server, divided equally among its functions:\n");
	for (i = 0; i < SWHCA_PCI_NB_LIMITS; i++) {
		snprintf(name, sizeof(name), "%s %s", limits_known[i].name, limits_known[i].arg);
		printf("      %-23s %s;\n      %-23s default: %s\n", name, limits_known[i].help,
		       "", limits_known[i].default_text);
	}
	printf("SIZE and N may have a suffix K, M, G or T: powers of 1024.\n");
}
