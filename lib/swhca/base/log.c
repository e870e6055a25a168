/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum swhca_log_level swhca_log_level = SWHCA_LOG_ERR;

static const char *const level_names[] = {
	[SWHCA_LOG_NONE] = "none",   [SWHCA_LOG_ERR] = "error", [SWHCA_LOG_WARNING] = "warning",
	[SWHCA_LOG_DEBUG] = "debug", [SWHCA_LOG_WQE] = "wqe",
};

#define NB_LEVELS (sizeof(level_names) / sizeof(level_names[0]))

void
swhca_log_init(void)
{
	const char *word = getenv("SWHCA_LOG");
	unsigned int i;

	if (word == NULL || word[0] == '\0')
		return;
	for (i = 0; i < NB_LEVELS; i++) {
		if (strcmp(word, level_names[i]) == 0) {
			swhca_log_level = i;
			return;
		}
	}
	SWHCA_LOG(ERR, "SWHCA_LOG=%s: not one of none, error, warning, debug, wqe", word);
}

void
swhca_log_write(enum swhca_log_level level, const char *format, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	/* One call, so that lines of several threads are not interleaved. */
	fprintf(stderr, "swhca %s: %s\n", level_names[level], line);
}

int
swhca_call_error(const char *call)
{
	int err = errno;

	if (err == EPERM || err == EACCES || err == ENOSYS)
		SWHCA_LOG(ERR, "%s: %s; it has to be allowed, see swhca-run --check", call,
			  strerror(err));
	return -err;
}
