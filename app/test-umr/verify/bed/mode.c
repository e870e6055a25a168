/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdarg.h>
#include <stdio.h>

#include "verify/bed/mode.h"

void
verify_result_set(struct case_result *result, enum case_outcome outcome, const char *format, ...)
{
	va_list args;

	result->outcome = outcome;
	va_start(args, format);
	vsnprintf(result->why, sizeof(result->why), format, args);
	va_end(args);
}
