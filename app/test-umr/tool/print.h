/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_UMR_PRINT_H
#define TEST_UMR_PRINT_H

/**
 * @file
 * Print tree-shaped results as JSON and CSV.
 */

#include <result.h>

/**
 * Print a line "first,path,value" and the origin for each leaf of a tree. The path consists of
 * object names separated by dots. An array of numbers or words is one value; for other arrays, the
 * path contains the index of the element.
 */
void tool_print_csv_leaves(const char *first, const json_t *tree);

/**
 * Build a tree from lines "name: value". A line "name:" without a value contains the following
 * lines that are indented by two more blanks. A name that occurs more than once becomes an array.
 *
 * @return
 *   A new object; NULL: out of memory.
 */
json_t *tool_tree_of_text(const char *text);

#endif /* TEST_UMR_PRINT_H */
