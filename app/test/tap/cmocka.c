/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * cmocka's output in the Test Anything Protocol, as meson reads it, from each of its versions.
 *
 * cmocka writes by print_message(), which test cases use, too, and which a program may have of its
 * own. This one puts a '#' before the lines of test cases, which are no part of the protocol, makes
 * one list of several groups, and says "ok" of a case that was skipped: 1.1.5 says "not ok", which
 * is a failure. With other kinds of output than TAP it is as cmocka's.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "tap.h"

static unsigned int groups_left = 1, nb_groups = 1, nb_told;
static const char *group_name;
static bool has_begun;

void
tap_groups(unsigned int nb)
{
	groups_left = nb_groups = nb;
}

void
tap_group(const char *name)
{
	group_name = name;
}

static bool
begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The version, which has to be the first line of all; cmocka tells it with each group, or never. */
static void
version_print(void)
{
	if (!has_begun)
		printf("TAP version 13\n");
	has_begun = true;
}

/* The plan, which comes with each group. */
static void
plan_print(va_list args)
{
	if (groups_left == nb_groups)
		printf("1..%u\n", va_arg(args, unsigned int) * nb_groups);
}

/* "ok %u - %s" and what else there is; the number of the case counts from 1 in a group. */
static void
verdict_print(const char *format, va_list args)
{
	const bool is_skip = strstr(format, "# SKIP") != NULL;
	const bool is_ok = is_skip || begins_with(format, "ok ");

	(void)va_arg(args, unsigned int);
	printf("%s %u - %s", is_ok ? "ok" : "not ok", ++nb_told, va_arg(args, const char *));
	if (group_name != NULL)
		printf(" [%s]", group_name);
	if (!is_ok && strstr(format, "%s %s") != NULL)
		printf(": %s", va_arg(args, const char *));
	printf(is_skip ? " # SKIP\n" : "\n");
}

static void
comment_print(const char *format, va_list args)
{
	char text[4096], *line, *rest = text;

	vsnprintf(text, sizeof(text), format, args);
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			printf("# %s\n", line);
}

static void
tap_print(const char *format, va_list args)
{
	version_print();
	if (begins_with(format, "TAP version "))
		return;
	if (begins_with(format, "1..%u")) {
		plan_print(args);
	} else if (begins_with(format, "ok %u ") || begins_with(format, "not ok %u ")) {
		verdict_print(format, args);
	} else if (begins_with(format, "# %s - ")) {
		/* Closes a group. */
		groups_left--;
		vprintf(format, args);
	} else if (begins_with(format, "# %s") || begins_with(format, "  ")) {
		/* Details of a case that failed, as comments or as YAML. */
		vprintf(format, args);
	} else {
		comment_print(format, args);
	}
}

void
print_message(const char *const format, ...)
{
	const char *output = getenv("CMOCKA_MESSAGE_OUTPUT");
	va_list args;

	va_start(args, format);
	if (output != NULL && strcasecmp(output, "tap") == 0)
		tap_print(format, args);
	else
		vprintf(format, args);
	va_end(args);
	/* A child of fork(2) must not find anything to be printed once more. */
	fflush(stdout);
}
