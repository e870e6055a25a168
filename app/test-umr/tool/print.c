/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "tool/print.h"

#define MAX_DEPTH	16u
#define MAX_PATH	256u

static bool
is_text(const struct tool_column *column)
{
	return (column->kind & (TOOL_COUNT | TOOL_REAL)) == 0;
}

static bool
is_none(const struct tool_column *column, const union tool_cell *cell)
{
	return is_text(column) ? cell->text == NULL : isnan(cell->number);
}

void
tool_head_print(const struct tool_column *columns, enum tool_format format, const char *before)
{
	const char *between = "";

	if (format == TOOL_FORMAT_CSV)
		fputs(before, stdout);
	for (const struct tool_column *c = columns; c->name != NULL || c->head != NULL; c++) {
		if (format == TOOL_FORMAT_CSV && c->name != NULL && !(c->kind & TOOL_NO_CSV))
			printf("%s%s", between, c->name);
		else if (format == TOOL_FORMAT_TEXT && c->head != NULL && *c->head != '\0')
			printf("%s%*s", between, c->width, c->head);
		else
			continue;
		between = format == TOOL_FORMAT_CSV ? "," : " ";
	}
	if (format == TOOL_FORMAT_CSV)
		result_print_csv_head("");
	else if (*between != '\0')
		putchar('\n');
}

static void
csv_cell_print(const struct tool_column *column, const union tool_cell *cell)
{
	if (is_none(column, cell))
		return;
	if (is_text(column))
		result_print_csv_text(cell->text);
	else
		printf("%.*f", column->csv_decimals, cell->number);
}

static void
text_cell_print(const struct tool_column *column, const union tool_cell *cell)
{
	if (column->name == NULL)
		fputs(column->head, stdout);
	else if (is_none(column, cell))
		printf("%*s", column->width, "-");
	else if (is_text(column))
		printf("%*s", column->width, cell->text);
	else
		printf("%*.*f", column->width, column->decimals, cell->number);
}

/* A note that a line does not have. */
static bool
is_empty(const struct tool_column *column, const union tool_cell *cell)
{
	return cell != NULL && column->width == 0 && is_text(column) && cell->text[0] == '\0';
}

void
tool_line_print(const struct tool_column *columns, const union tool_cell *cells,
		enum tool_format format)
{
	const char *between = "";

	for (const struct tool_column *c = columns; c->name != NULL || c->head != NULL; c++) {
		const union tool_cell *cell = c->name != NULL ? cells++ : NULL;

		if (format == TOOL_FORMAT_CSV && cell != NULL && !(c->kind & TOOL_NO_CSV)) {
			fputs(between, stdout);
			csv_cell_print(c, cell);
			between = ",";
		} else if (format == TOOL_FORMAT_TEXT && c->head != NULL && !is_empty(c, cell)) {
			fputs(between, stdout);
			text_cell_print(c, cell);
			between = " ";
		}
	}
	if (format == TOOL_FORMAT_CSV)
		result_print_csv_end();
	else if (*between != '\0')
		putchar('\n');
	fflush(stdout);
}

json_t *
tool_line_to_json(const struct tool_column *columns, const union tool_cell *cells)
{
	json_t *object = json_object(), *value;

	for (const struct tool_column *c = columns; c->name != NULL || c->head != NULL; c++) {
		const union tool_cell *cell = c->name != NULL ? cells++ : NULL;

		if (cell == NULL || (c->kind & TOOL_NO_JSON))
			continue;
		if (is_none(c, cell))
			value = json_null();
		else if (is_text(c))
			value = json_string(cell->text);
		else if (c->kind & TOOL_REAL)
			value = json_real(cell->number);
		else
			value = json_integer((json_int_t)cell->number);
		json_object_set_new(object, c->name, value);
	}
	return object;
}

void
tool_report_print(json_t *report, enum tool_format format)
{
	if (format == TOOL_FORMAT_JSON)
		result_print_json(report);
	else
		json_decref(report);
}

static bool
is_leaf(const json_t *value)
{
	const json_t *member;
	size_t i;

	if (json_is_object(value))
		return false;
	json_array_foreach(value, i, member)
		if (json_is_object(member) || json_is_array(member))
			return false;
	return true;
}

void
tool_leaf_print(FILE *f, const json_t *value)
{
	const json_t *member;
	size_t i;

	switch (json_typeof(value)) {
	case JSON_STRING:
		fputs(json_string_value(value), f);
		break;
	case JSON_INTEGER:
		fprintf(f, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		break;
	case JSON_REAL:
		fprintf(f, "%g", json_real_value(value));
		break;
	case JSON_ARRAY:
		json_array_foreach(value, i, member) {
			fputs(i == 0 ? "" : " ", f);
			tool_leaf_print(f, member);
		}
		break;
	case JSON_NULL:
		break;
	default:
		fputs(json_is_true(value) ? "yes" : "no", f);
		break;
	}
}

/* Print a leaf as a field of CSV. */
static void
print_leaf(const json_t *value)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f == NULL)
		return;
	tool_leaf_print(f, value);
	fclose(f);
	result_print_csv_text(text);
	free(text);
}

static void
print_below(const char *first, const char *path, const json_t *value)
{
	char below[MAX_PATH];
	const json_t *member;
	const char *key;
	size_t i;

	if (is_leaf(value)) {
		result_print_csv_text(first);
		putchar(',');
		result_print_csv_text(path);
		putchar(',');
		print_leaf(value);
		result_print_csv_end();
		return;
	}
	json_object_foreach((json_t *)(uintptr_t)value, key, member) {
		snprintf(below, sizeof(below), "%s%s%s", path, *path == '\0' ? "" : ".", key);
		print_below(first, below, member);
	}
	json_array_foreach(value, i, member) {
		snprintf(below, sizeof(below), "%s.%zu", path, i);
		print_below(first, below, member);
	}
}

void
tool_print_csv_leaves(const char *first, const json_t *tree)
{
	print_below(first, "", tree);
}

/* Add a member and take over its value; a repeated name turns both values into an array. */
static bool
member_add(json_t *object, const char *name, json_t *value)
{
	json_t *old = json_object_get(object, name), *array;

	if (old == NULL)
		return json_object_set_new(object, name, value) == 0;
	if (json_is_array(old))
		return json_array_append_new(old, value) == 0;
	array = json_pack("[O, o]", old, value);
	return array != NULL && json_object_set_new(object, name, array) == 0;
}

/* Add a line without its newline to the object of its depth. */
static bool
line_add(json_t *objects[MAX_DEPTH + 2], char *line)
{
	size_t depth = strspn(line, " ") / 2;
	char *name = line + strspn(line, " "), *value;
	json_t *object;

	if (*name == '\0')
		return true;
	/* Bytes of an incomplete entry are indented deeper than the entry. */
	depth = RTE_MIN(depth, (size_t)MAX_DEPTH);
	while (objects[depth] == NULL)
		depth--;
	value = strchr(name, ':');
	if (value == NULL)
		return member_add(objects[depth], "text", json_string(name));
	*value++ = '\0';
	value += strspn(value, " ");
	if (*value != '\0')
		return member_add(objects[depth], name, json_string(value));
	object = json_object();
	memset(&objects[depth + 1], 0, sizeof(objects[0]) * (MAX_DEPTH + 1 - depth));
	objects[depth + 1] = object;
	return object != NULL && member_add(objects[depth], name, object);
}

json_t *
tool_tree_of_text(const char *text)
{
	/* Objects of the last line, by depth; the tree owns them. */
	json_t *objects[MAX_DEPTH + 2] = { json_object() };
	char *copy = strdup(text), *rest = copy, *line;
	bool is_ok = copy != NULL && objects[0] != NULL;

	while (is_ok && (line = strsep(&rest, "\n")) != NULL)
		is_ok = line_add(objects, line);
	free(copy);
	if (is_ok)
		return objects[0];
	json_decref(objects[0]);
	return NULL;
}
