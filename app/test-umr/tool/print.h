/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_UMR_PRINT_H
#define TEST_UMR_PRINT_H

/**
 * @file
 * Results that are a tree, as JSON and as CSV.
 */

#include <jansson.h>

/** Print a value to stdout and release it. */
void tool_print_json(json_t *value);

/** Print a field of a line of CSV, in quotation marks if it needs them. */
void tool_print_csv_text(const char *text);

/**
 * Print a line "first,path,value" for each leaf of a tree: the path has the names of objects with
 * dots between them. An array of numbers or words is one value, others have the number of an
 * element in the path.
 */
void tool_print_csv_leaves(const char *first, const json_t *tree);

/**
 * Make a tree of lines "name: value", where "name:" alone is what the lines behind it, which begin
 * with two blanks more, belong to. A name that comes more than once is an array.
 *
 * @return
 *   A new object; NULL: out of memory.
 */
json_t *tool_tree_of_text(const char *text);

#endif /* TEST_UMR_PRINT_H */
