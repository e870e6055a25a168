/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_RUN_H
#define VERIFY_RUN_H

/**
 * @file
 * Running the cases of the verify command, and telling what came of them.
 */

#include "verify/mode/modes.h"

/** All areas of all devices are compared this often; in between, the destination is. */
#define VERIFY_CHECK_ALL_EVERY	64u

/** What the user asked for. */
struct verify_conf {
	uint64_t nb_cases;	/**< Of all modes together. */
	uint64_t seed;
	bool has_one_case;
	uint64_t one_case;	/**< Number of the only case of each mode. */
	unsigned int transports; /**< BED_* */
	const char *peer;	/**< Another process, HOST[:PORT]; NULL: none. */
	bool is_verbose;
	bool has_wrap;		/**< Indices begin again among the cases. */
	enum tool_format format;
	struct verify_modes modes;
	struct tool_devices devices;
};

/** What came of a mode. */
struct verify_count {
	uint64_t nb_cases;	/**< Its share of the cases. */
	uint64_t nb_passed;
	uint64_t nb_failed;
	uint64_t nb_skipped;	/**< All of them, or none. */
	double seconds;
	char why[VERIFY_WHY_SIZE]; /**< Why they were skipped. */
};

/** Run the modes on devices that are open, and report. */
enum tool_exit verify_run_modes(const struct verify_conf *conf);

#endif /* VERIFY_RUN_H */
