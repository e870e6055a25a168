/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef COMMON_RESULT_H
#define COMMON_RESULT_H

/**
 * @file
 * Results of programs as JSON and CSV, with their origin: version and commit of the program, CPU
 * and date.
 */

#include <jansson.h>

/** Add the origin to an object, print it to stdout and release it. */
void result_print_json(json_t *value);

/** Print a field of a CSV line, quoted if necessary. */
void result_print_csv_text(const char *text);

/** Print the names of columns, and those of the origin, which end the first line of CSV. */
void result_print_csv_head(const char *names);
/** End any other line with the origin. */
void result_print_csv_end(void);

#endif /* COMMON_RESULT_H */
