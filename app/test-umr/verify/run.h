/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_RUN_H
#define VERIFY_RUN_H

/**
 * @file
 * Run the cases of the verify command and report the results.
 */

#include "verify/mode/modes.h"

/** Interval of comparing all areas of all devices; otherwise only the destination is compared. */
#define VERIFY_CHECK_ALL_EVERY	64u

/** Options of the command line. */
struct verify_conf {
	uint64_t nb_cases;	/**< Total of all modes. */
	uint64_t seed;
	bool has_one_case;
	uint64_t one_case;	/**< Number of the only case of each mode. */
	unsigned int transports; /**< BED_* */
	const char *peer;	/**< Another process, HOST[:PORT]; NULL: none. */
	bool is_verbose;
	bool has_wrap;		/**< Indices wrap around during the cases. */
	enum tool_format format;
	struct verify_modes modes;
	struct tool_devices devices;
};

/** Results of a mode. */
struct verify_count {
	uint64_t nb_cases;	/**< Cases assigned to the mode. */
	uint64_t nb_passed;
	uint64_t nb_failed;
	uint64_t nb_skipped;	/**< All cases or none. */
	double seconds;
	char why[VERIFY_WHY_SIZE]; /**< Why cases were skipped. */
};

/** Run the modes on open devices and print the report. */
enum tool_exit verify_run_modes(const struct verify_conf *conf);

#endif /* VERIFY_RUN_H */
