/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_MODES_H
#define VERIFY_MODES_H

/**
 * @file
 * Table of all modes, and selection of modes.
 */

#include "verify/bed/mode.h"

#define VERIFY_MAX_MODES 32u

/** Selected modes, without duplicates. */
struct verify_modes {
	uint32_t nb;
	const struct verify_mode *modes[VERIFY_MAX_MODES];
};

/** Parse comma-separated names or "all". Prints an error and returns false on failure. */
bool verify_modes_parse(const char *text, struct verify_modes *modes);

/** Print one line per mode for the help. */
void verify_modes_print_help(FILE *f);

extern const struct verify_mode verify_mode_access;
extern const struct verify_mode verify_mode_atomic;
extern const struct verify_mode verify_mode_crypto;
extern const struct verify_mode verify_mode_sig;
extern const struct verify_mode verify_mode_trans;
extern const struct verify_mode verify_mode_sigcrypto;
extern const struct verify_mode verify_mode_dc;
extern const struct verify_mode verify_mode_interleaved;
extern const struct verify_mode verify_mode_invalidate;
extern const struct verify_mode verify_mode_ksm;
extern const struct verify_mode verify_mode_list;
extern const struct verify_mode verify_mode_mw;
extern const struct verify_mode verify_mode_nested;
extern const struct verify_mode verify_mode_noninline;
extern const struct verify_mode verify_mode_odp;
extern const struct verify_mode verify_mode_partial;
extern const struct verify_mode verify_mode_recv;
extern const struct verify_mode verify_mode_tag;

#endif /* VERIFY_MODES_H */
