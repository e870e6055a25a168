/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_UMR_PRINT_H
#define TEST_UMR_PRINT_H

/**
 * @file
 * Print results as text, CSV and JSON: lines of columns, and trees.
 */

#include <result.h>

#include "tool/tool.h"

/** What a column contains, and where it is left out. */
enum {
	TOOL_TEXT,
	TOOL_COUNT,		/**< An integer. */
	TOOL_REAL,
	TOOL_NO_CSV = 1 << 4,
	TOOL_NO_JSON = 1 << 5,
};

/** A column. An array ends with { 0 }. */
struct tool_column {
	const char *name;	/**< In CSV and JSON; NULL: only text, without a value. */
	const char *head;	/**< In text; NULL: not in text. */
	unsigned int kind;
	int width;		/**< In text; below 0: aligned to the left. */
	int decimals;		/**< In text. */
	int csv_decimals;
};

/** A line between columns. */
#define TOOL_BAR	{ .head = "|" }

/** The value of a column. Not available: a number that is NAN, or a text that is NULL. */
union tool_cell {
	double number;
	const char *text;
};

/** Text and CSV: print the first line; before: names and commas in front of it in CSV. */
void tool_head_print(const struct tool_column *columns, enum tool_format format,
		     const char *before);
/** Text and CSV: print a line; nothing in text if no column is in it. */
void tool_line_print(const struct tool_column *columns, const union tool_cell *cells,
		     enum tool_format format);
/** A new object with the values of a line. */
json_t *tool_line_to_json(const struct tool_column *columns, const union tool_cell *cells);
/** Print and release a report; other formats than JSON are printed before and only release it. */
void tool_report_print(json_t *report, enum tool_format format);

/** Print a value that is no object, or an array of them separated by blanks. */
void tool_leaf_print(FILE *f, const json_t *value);
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
