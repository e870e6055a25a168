/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Two results as JSON: the cycles of each row and path in both, and their ratio. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "bench/conf.h"
#include "bench/report.h"

/* Members that identify a row: bench_report_add_row(). */
static const char *const row_names[] = { "layout", "entries", "batch", "keys" };

/* What should be equal in both results. */
static const char *const conditions[] = {
	"execution", "tsc_hz", "rounds", "lcores", "depth", "hugepages", "order", "max_simd_bits",
	"poll",
};

static const char *const origin_names[] = { "version", "commit", "cpu", "cpu_family", "date" };
static const char *const stat_names[] = { "median", "q1", "q3" };
static const char *const ratio_names[] = { "ratio", "ratio_low", "ratio_high" };

/* Cycles of a path; NULL: the member of a row is not a path, or has no result. */
static json_t *
path_cycles(const json_t *path)
{
	return json_object_get(path, "cycles_per_op");
}

static bool
row_check(json_t *row, json_error_t *error)
{
	const char *name;
	json_t *path;

	if (json_unpack_ex(row, error, JSON_VALIDATE_ONLY, "{s:s, s:i, s:i, s:i}", "layout",
			   "entries", "batch", "keys") != 0)
		return false;
	json_object_foreach(row, name, path)
		if (path_cycles(path) != NULL &&
		    json_unpack_ex(path_cycles(path), error, JSON_VALIDATE_ONLY,
				   "{s:F, s:F, s:F}", "median", "q1", "q3") != 0)
			return false;
	return true;
}

/* Read a result. Print an error and return NULL on failure. */
static json_t *
result_load(const char *path)
{
	json_error_t error;
	json_t *result = json_load_file(path, 0, &error), *row;
	char where[32] = "";
	size_t i;

	if (result == NULL ||
	    json_unpack_ex(result, &error, JSON_VALIDATE_ONLY, "{s:[]}", "results") != 0)
		goto reject;
	json_array_foreach(json_object_get(result, "results"), i, row)
		if (!row_check(row, &error)) {
			snprintf(where, sizeof(where), "results[%zu]: ", i);
			goto reject;
		}
	return result;

reject:
	tool_error("--compare: %s: no result of bench: %s%s", path, where, error.text);
	json_decref(result);
	return NULL;
}

static json_t *
row_find(const json_t *result, const json_t *wanted)
{
	json_t *row;
	size_t i, k;

	json_array_foreach(json_object_get(result, "results"), i, row) {
		for (k = 0; k < RTE_DIM(row_names); k++)
			if (!json_equal(json_object_get(row, row_names[k]),
					json_object_get(wanted, row_names[k])))
				break;
		if (k == RTE_DIM(row_names))
			return row;
	}
	return NULL;
}

static double
number(const json_t *stat, const char *name)
{
	return json_number_value(json_object_get(stat, name));
}

/* Add the ratio of two medians, and its extremes if both are anywhere between their quartiles. */
static const char *
ratio_add(json_t *line, const json_t *a, const json_t *b)
{
	const double low = number(b, "q1") / number(a, "q3");
	const double high = number(b, "q3") / number(a, "q1");

	if (number(a, "q1") <= 0 || number(b, "q1") <= 0)
		return "too short";
	json_object_update_new(line, json_pack("{s:f, s:f, s:f}", "ratio",
					       number(b, "median") / number(a, "median"),
					       "ratio_low", low, "ratio_high", high));
	return low > 1 ? "slower" : high < 1 ? "faster" : "no difference";
}

/* Compare the cycles of a path of a row; NULL: a result does not have them. */
static void
line_add(json_t *lines, const json_t *row, const char *path, json_t *a, json_t *b)
{
	json_t *line = json_object();
	const char *verdict;

	for (size_t i = 0; i < RTE_DIM(row_names); i++)
		json_object_set(line, row_names[i], json_object_get(row, row_names[i]));
	json_object_update_new(line, json_pack("{s:s, s:O?, s:O?, s:n, s:n, s:n}", "path", path,
					       "a", a, "b", b, "ratio", "ratio_low",
					       "ratio_high"));
	if (b == NULL)
		verdict = "only in A";
	else if (a == NULL)
		verdict = "only in B";
	else
		verdict = ratio_add(line, a, b);
	json_object_set_new(line, "verdict", json_string(verdict));
	json_array_append_new(lines, line);
}

/* A line for each path of each row of A, then for what only B has. */
static json_t *
lines_list(const json_t *a, const json_t *b)
{
	json_t *lines = json_array(), *row, *other, *path;
	const char *name;
	size_t i;

	json_array_foreach(json_object_get(a, "results"), i, row) {
		other = row_find(b, row);
		json_object_foreach(row, name, path)
			if (path_cycles(path) != NULL)
				line_add(lines, row, name, path_cycles(path),
					 path_cycles(json_object_get(other, name)));
	}
	json_array_foreach(json_object_get(b, "results"), i, row) {
		other = row_find(a, row);
		json_object_foreach(row, name, path)
			if (path_cycles(path) != NULL &&
			    path_cycles(json_object_get(other, name)) == NULL)
				line_add(lines, row, name, NULL, path_cycles(path));
	}
	return lines;
}

/* Other conditions make a comparison doubtful. */
static json_t *
warnings_list(const json_t *a, const json_t *b)
{
	json_t *warnings = json_array();

	for (size_t i = 0; i < RTE_DIM(conditions); i++) {
		json_t *of_a = json_object_get(a, conditions[i]) ?: json_null();
		json_t *of_b = json_object_get(b, conditions[i]) ?: json_null();
		char *text_a = json_dumps(of_a, JSON_ENCODE_ANY);
		char *text_b = json_dumps(of_b, JSON_ENCODE_ANY);

		if (!json_equal(of_a, of_b))
			json_array_append_new(warnings,
					      json_sprintf("%s: %s in A, %s in B", conditions[i],
							   text_a, text_b));
		free(text_a);
		free(text_b);
	}
	return warnings;
}

static void
print_warnings(FILE *f, const json_t *warnings)
{
	const json_t *warning;
	size_t i;

	json_array_foreach(warnings, i, warning)
		fprintf(f, "warning: %s\n", json_string_value(warning));
}

static const char *
text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name)) ?: "";
}

static void
print_origin(const char *name, const char *path, const json_t *result)
{
	const json_t *origin = json_object_get(result, "origin");

	if (json_is_object(origin))
		printf("%s: %s: %s (%s), %s, %s\n", name, path, text(origin, "version"),
		       text(origin, "commit"), text(origin, "cpu"), text(origin, "date"));
	else
		printf("%s: %s: unknown origin\n", name, path);
}

#define STAT(of, head)                                                                             \
	{ of "_median", head, TOOL_REAL, 8, 1, 4 }, { of "_q1", NULL, TOOL_REAL, 0, 0, 4 },    \
	{ of "_q3", NULL, TOOL_REAL, 0, 0, 4 }
#define ORIGIN(of)                                                                                 \
	{ .name = of "_version" }, { .name = of "_commit" }, { .name = of "_cpu" },          \
	{ .name = of "_cpu_family" }, { .name = of "_date" }

static const struct tool_column columns[] = {
	BENCH_ROW_COLUMNS, { .name = "keys", "keys", TOOL_COUNT, 6 },
	{ .name = "path", "path", TOOL_TEXT, -9 }, TOOL_BAR, STAT("a", "A"), STAT("b", "B"),
	TOOL_BAR, { .name = "ratio", "B / A", TOOL_REAL, 6, 2, 4 },
	{ .name = "ratio_low", "low", TOOL_REAL, 6, 2, 4 },
	{ .name = "ratio_high", "high", TOOL_REAL, 6, 2, 4 }, { .head = "" },
	{ .name = "verdict", "", TOOL_TEXT }, ORIGIN("a"), ORIGIN("b"), { 0 },
};

/* A member of a line, or what stands for none. */
static union tool_cell
number_cell(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return (union tool_cell){ json_is_number(value) ? json_number_value(value) : NAN };
}

static union tool_cell
text_cell(const json_t *object, const char *name)
{
	return (union tool_cell){ .text = text(object, name) };
}

static void
line_print(json_t *const *results, const json_t *line, enum tool_format format)
{
	static const char *const names[] = { "a", "b" };
	union tool_cell cells[RTE_DIM(columns)] = { text_cell(line, row_names[0]) };
	uint32_t nb = 1, i;

	for (i = 1; i < RTE_DIM(row_names); i++)
		cells[nb++] = number_cell(line, row_names[i]);
	cells[nb++] = text_cell(line, "path");
	for (i = 0; i < 2 * RTE_DIM(stat_names); i++)
		cells[nb++] = number_cell(json_object_get(line, names[i / RTE_DIM(stat_names)]),
					  stat_names[i % RTE_DIM(stat_names)]);
	for (i = 0; i < RTE_DIM(ratio_names); i++)
		cells[nb++] = number_cell(line, ratio_names[i]);
	cells[nb++] = text_cell(line, "verdict");
	for (i = 0; i < 2 * RTE_DIM(origin_names); i++)
		cells[nb++] = text_cell(json_object_get(results[i / RTE_DIM(origin_names)],
							"origin"),
					origin_names[i % RTE_DIM(origin_names)]);
	tool_line_print(columns, cells, format);
}

/* A file and what made it. */
static json_t *
file_to_json(const char *path, const json_t *result)
{
	return json_pack("{s:s, s:O?}", "file", path, "origin", json_object_get(result, "origin"));
}

enum tool_exit
bench_compare_run(const struct bench_conf *conf)
{
	json_t *results[2] = { result_load(conf->compare[0]), NULL }, *warnings, *lines, *line;
	size_t i;

	if (results[0] != NULL)
		results[1] = result_load(conf->compare[1]);
	if (results[1] == NULL) {
		json_decref(results[0]);
		return TOOL_USAGE;
	}
	warnings = warnings_list(results[0], results[1]);
	lines = lines_list(results[0], results[1]);
	if (conf->format == TOOL_FORMAT_TEXT) {
		print_origin("A", conf->compare[0], results[0]);
		print_origin("B", conf->compare[1], results[1]);
		print_warnings(stdout, warnings);
		printf("TSC cycles per operation, medians. B / A: the ratio of the medians; low, "
		       "high: of\nquartiles that are farthest apart. No difference: 1 is between "
		       "low and high.\n\n");
	} else if (conf->format == TOOL_FORMAT_CSV) {
		print_warnings(stderr, warnings);
	}
	tool_head_print(columns, conf->format, "");
	json_array_foreach(lines, i, line)
		line_print(results, line, conf->format);
	tool_report_print(json_pack("{s:o, s:o, s:o, s:o}", "a",
				    file_to_json(conf->compare[0], results[0]), "b",
				    file_to_json(conf->compare[1], results[1]), "warnings",
				    warnings, "rows", lines), conf->format);
	json_decref(results[0]);
	json_decref(results[1]);
	return TOOL_OK;
}
