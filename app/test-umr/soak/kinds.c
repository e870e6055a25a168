/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "soak/kinds.h"
#include "tool/tool.h"

#define NAME(value, name, ...)		name,
#define TEXT(value, name, text)		text,

const char *const soak_kind_names[SOAK_NB_KINDS] = { SOAK_KINDS(NAME) };
const char *const soak_fault_names[SOAK_NB_FAULTS] = { SOAK_FAULTS(NAME) };

static const char *const fault_texts[SOAK_NB_FAULTS] = { SOAK_FAULTS(TEXT) };

static bool
fault_add(const char *name, void *arg)
{
	uint32_t *faults = arg;

	if (strcmp(name, "all") == 0 || strcmp(name, "none") == 0) {
		*faults = name[0] == 'a' ? SOAK_ALL_FAULTS : 0;
		return true;
	}
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		if (strcmp(name, soak_fault_names[i]) == 0) {
			*faults |= SOAK_FAULT_BIT(i);
			return true;
		}
	tool_error("--faults: '%s' is not a class of faults; see soak --help", name);
	return false;
}

bool
soak_faults_parse(const char *text, uint32_t *faults)
{
	*faults = 0;
	return tool_parse_list(text, fault_add, faults);
}

void
soak_faults_print_help(FILE *f)
{
	for (unsigned int i = 0; i < SOAK_NB_FAULTS; i++)
		fprintf(f, "  %-16s %s\n", soak_fault_names[i], fault_texts[i]);
}
