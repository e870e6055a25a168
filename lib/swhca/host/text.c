/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdarg.h>
#include <stdio.h>

#include "host/text.h"

size_t
swhca_text_append(char *text, size_t size, size_t len, const char *format, ...)
{
	va_list args;
	int nb;

	va_start(args, format);
	nb = vsnprintf(len < size ? text + len : NULL, len < size ? size - len : 0, format, args);
	va_end(args);
	return len + (nb > 0 ? (size_t)nb : 0);
}
