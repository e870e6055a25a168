/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <string.h>

#include <rte_common.h>

#include "verify/mode/modes.h"

/* In the order of execution. */
static const struct verify_mode *const all_modes[] = {
	&verify_mode_list,
	&verify_mode_noninline,
	&verify_mode_partial,
	&verify_mode_interleaved,
	&verify_mode_nested,
	&verify_mode_ksm,
	&verify_mode_access,
	&verify_mode_odp,
	&verify_mode_tag,
	&verify_mode_sig,
	&verify_mode_trans,
	&verify_mode_crypto,
	&verify_mode_sigcrypto,
	&verify_mode_dc,
	&verify_mode_mw,
	&verify_mode_invalidate,
	&verify_mode_atomic,
	&verify_mode_recv,
};

static_assert(RTE_DIM(all_modes) <= VERIFY_MAX_MODES, "the table of a run is too small");

static const struct verify_mode *
mode_find(const char *name)
{
	for (unsigned int i = 0; i < RTE_DIM(all_modes); i++)
		if (strcmp(all_modes[i]->name, name) == 0)
			return all_modes[i];
	return NULL;
}

static void
mode_add(struct verify_modes *modes, const struct verify_mode *mode)
{
	for (uint32_t i = 0; i < modes->nb; i++)
		if (modes->modes[i] == mode)
			return;
	modes->modes[modes->nb++] = mode;
}

static bool
name_add(const char *name, void *arg)
{
	struct verify_modes *modes = arg;
	const struct verify_mode *mode;

	if (strcmp(name, "all") == 0) {
		for (unsigned int i = 0; i < RTE_DIM(all_modes); i++)
			mode_add(modes, all_modes[i]);
		return true;
	}
	mode = mode_find(name);
	if (mode == NULL) {
		tool_error("--layout: '%s' is not a layout; 'verify --help' lists them", name);
		return false;
	}
	mode_add(modes, mode);
	return true;
}

bool
verify_modes_parse(const char *text, struct verify_modes *modes)
{
	modes->nb = 0;
	return tool_parse_list(text, name_add, modes);
}

void
verify_modes_print_help(FILE *f)
{
	for (unsigned int i = 0; i < RTE_DIM(all_modes); i++)
		fprintf(f, "  %-12s %s\n", all_modes[i]->name, all_modes[i]->summary);
}
