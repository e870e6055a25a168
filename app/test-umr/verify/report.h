/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_REPORT_H
#define VERIFY_REPORT_H

/**
 * @file
 * Report of the verify command: text while it runs, or JSON at the end.
 */

#include "verify/run.h"

struct verify_report;

/** NULL: out of memory. */
struct verify_report *verify_report_create(const struct verify_conf *conf);
void verify_report_destroy(struct verify_report *report);

/** Report a failed case; vc is the output of gen(). */
void verify_report_failure(struct verify_report *report, const struct verify_mode *mode,
			   uint64_t number, const void *vc, const char *why);

/** Show progress, at most once per second. */
void verify_report_progress(struct verify_report *report, const struct verify_mode *mode,
			    uint64_t nb_done, const struct verify_count *count);

/** Report the results of a mode. */
void verify_report_mode(struct verify_report *report, const struct verify_mode *mode,
			const struct verify_count *count);

/** Print the last line; counts has one element for each mode of the configuration. */
void verify_report_end(struct verify_report *report, const struct verify_count *counts,
		       double seconds);

#endif /* VERIFY_REPORT_H */
