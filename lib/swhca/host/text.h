/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_TEXT_H
#define SWHCA_HOST_TEXT_H

/**
 * @file
 * Text assembled in an array that may be too small.
 */

#include <stddef.h>

/**
 * Append to a text.
 *
 * @param text
 *   Zero-terminated if size is not 0; truncated to fit. May be NULL if size is 0.
 * @param size
 *   Size of the array in bytes.
 * @param len
 *   Length so far, as returned: may exceed the array.
 * @return
 *   New length, or the length with sufficient room, as snprintf(3).
 */
__attribute__((format(printf, 4, 5))) size_t
swhca_text_append(char *text, size_t size, size_t len, const char *format, ...);

#endif /* SWHCA_HOST_TEXT_H */
