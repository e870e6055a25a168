/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LOG_H
#define SWHCA_LOG_H

/**
 * @file
 * Log of the software HCA: to stderr, at the level that the SWHCA_LOG variable names.
 */

#include <stdbool.h>

enum swhca_log_level {
	SWHCA_LOG_NONE = 0,
	SWHCA_LOG_ERR,		/**< The request was rejected, the user must act. Default. */
	SWHCA_LOG_WARNING,	/**< Degraded, or an error reported to the user in another way. */
	SWHCA_LOG_DEBUG,	/**< Commands and object life. */
	SWHCA_LOG_WQE,		/**< Every WQE and CQE. */
};

extern enum swhca_log_level swhca_log_level;

/** Read SWHCA_LOG (none, error, warning, debug, wqe); an unknown word keeps the default. */
void swhca_log_init(void);

/** Write one line; use the SWHCA_LOG macro. */
void swhca_log_write(enum swhca_log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * Of a system call that has just failed and cannot be done without: tell the user of it if the
 * kernel denies it (EPERM, EACCES, ENOSYS), as that of a container does, for nobody else will.
 *
 * @return
 *   The negative errno.
 */
int swhca_call_error(const char *call);

/** Log a line if its level is on: SWHCA_LOG(ERR, "CQ 0x%x: ...", cqn). */
#define SWHCA_LOG(level, ...)                                                                      \
	do {                                                                                       \
		if (SWHCA_LOG_##level <= swhca_log_level)                                          \
			swhca_log_write(SWHCA_LOG_##level, __VA_ARGS__);                           \
	} while (0)

#endif /* SWHCA_LOG_H */
