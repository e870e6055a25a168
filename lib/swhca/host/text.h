/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_HOST_TEXT_H
#define SWHCA_HOST_TEXT_H

/**
 * @file
 * Text that grows by pieces in an array that may be too small.
 */

#include <stddef.h>

/**
 * Append to a text.
 *
 * @param text
 *   Ends with a zero as long as size is not 0; what does not fit is cut. May be NULL if size is 0.
 * @param size
 *   Bytes of the array.
 * @param len
 *   Bytes of the text so far, as it was returned: maybe more than there is room for.
 * @return
 *   Bytes that the text has then, or would have with room, as snprintf(3).
 */
__attribute__((format(printf, 4, 5))) size_t
swhca_text_append(char *text, size_t size, size_t len, const char *format, ...);

#endif /* SWHCA_HOST_TEXT_H */
