/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef VERIFY_REPORT_H
#define VERIFY_REPORT_H

/**
 * @file
 * The report of the verify command: text while it runs, or JSON at the end.
 */

#include "verify/run.h"

struct verify_report;

/** NULL: out of memory. */
struct verify_report *verify_report_create(const struct verify_conf *conf);
void verify_report_destroy(struct verify_report *report);

/** Tell of a case that failed; vc is as gen() left it. */
void verify_report_failure(struct verify_report *report, const struct verify_mode *mode,
			   uint64_t number, const void *vc, const char *why);

/** Show how far the run is, at most once a second and on a terminal only. */
void verify_report_progress(struct verify_report *report, const struct verify_mode *mode,
			    uint64_t nb_done, const struct verify_count *count);

/** Tell what came of a mode. */
void verify_report_mode(struct verify_report *report, const struct verify_mode *mode,
			const struct verify_count *count);

/** The closing line; counts has one element for each mode of the configuration. */
void verify_report_end(struct verify_report *report, const struct verify_count *counts,
		       double seconds);

#endif /* VERIFY_REPORT_H */
