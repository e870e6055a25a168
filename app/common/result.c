/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <umr_version.h>

#include "result.h"

enum { VERSION, COMMIT, CPU, CPU_FAMILY, DATE, NB_FIELDS };

struct field {
	const char *name;
	char value[128];
};

/* Copy the value of a field of the first CPU in /proc/cpuinfo; "" if there is none. */
static void
cpu_field(const char *name, char *value, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], *colon;

	value[0] = '\0';
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		colon = strchr(line, ':');
		if (colon == NULL || strncmp(line, name, strlen(name)) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, size, "%.*s", (int)size - 1, colon + 1 + (colon[1] == ' '));
		break;
	}
	if (f != NULL)
		fclose(f);
}

/* What produced a result, and where; the same for all results of a process. */
static const struct field *
origin(void)
{
	static struct field fields[NB_FIELDS] = {
		[VERSION] = { "version", UMR_VERSION },
		[COMMIT] = { "commit", UMR_COMMIT },
		[CPU] = { .name = "cpu" },
		[CPU_FAMILY] = { .name = "cpu_family" },
		[DATE] = { .name = "date" },
	};
	const time_t now = time(NULL);
	struct tm tm;

	if (fields[DATE].value[0] == '\0') {
		cpu_field("model name", fields[CPU].value, sizeof(fields[CPU].value));
		cpu_field("cpu family", fields[CPU_FAMILY].value, sizeof(fields[CPU_FAMILY].value));
		strftime(fields[DATE].value, sizeof(fields[DATE].value), "%F",
			 localtime_r(&now, &tm));
	}
	return fields;
}

void
result_print_json(json_t *value)
{
	const struct field *fields = origin();
	json_t *object = json_object();

	for (int i = 0; i < NB_FIELDS; i++)
		json_object_set_new(object, fields[i].name, json_string(fields[i].value));
	json_object_set_new(value, "origin", object);
	json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	putchar('\n');
	json_decref(value);
}

void
result_print_csv_text(const char *text)
{
	if (strpbrk(text, ",\"\n") == NULL) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text != '\0'; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

void
result_print_csv_head(const char *names)
{
	const struct field *fields = origin();

	fputs(names, stdout);
	for (int i = 0; i < NB_FIELDS; i++)
		printf(",%s", fields[i].name);
	putchar('\n');
}

void
result_print_csv_end(void)
{
	const struct field *fields = origin();

	for (int i = 0; i < NB_FIELDS; i++) {
		putchar(',');
		result_print_csv_text(fields[i].value);
	}
	putchar('\n');
}
