/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LOG_H
#define SWHCA_LOG_H

/**
 * @file
 * Log of the software HCA: to stderr, at the level in the SWHCA_LOG variable.
 */

#include <stdbool.h>

enum swhca_log_level {
	SWHCA_LOG_NONE = 0,
	SWHCA_LOG_ERR,		/**< Rejected request, the user must act. Default. */
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
 * After failure of a required system call: log it if the kernel denies the call (EPERM, EACCES,
 * ENOSYS), as in a container, because nothing else reports it.
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
