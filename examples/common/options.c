/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char *
program_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static void
help_print(const char *program, const char *purpose, const struct option_value *values,
	   unsigned int nb_values)
{
	unsigned int i;

	printf("usage: %s [EAL option]... -- [option]... [device[,option...]]\n\n%s\n\n", program,
	       purpose);
	for (i = 0; i < nb_values; i++) {
		const struct option_value *v = &values[i];

		printf("  --%-16s %s", v->name, v->help);
		if (v->number != NULL)
			printf("; %" PRIu32 " to %" PRIu32 ", default %" PRIu32 "\n", v->min,
			       v->max, *v->number);
		else
			printf("; default %s\n", *v->word != NULL ? *v->word : "none");
	}
	printf("  --%-16s this text\n\nWithout a device the first one is taken.\n", "help");
}

static int
value_set(const char *program, const struct option_value *v, const char *text)
{
	unsigned long long number;
	char *end;

	if (v->number == NULL) {
		*v->word = text;
		return 0;
	}
	errno = 0;
	number = strtoull(text, &end, 10);
	/* strtoull() also accepts blanks and signs. */
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < v->min ||
	    number > v->max) {
		fprintf(stderr, "%s: --%s %s: not a number from %" PRIu32 " to %" PRIu32 "\n",
			program, v->name, text, v->min, v->max);
		return -EINVAL;
	}
	*v->number = (uint32_t)number;
	return 0;
}

/* Parse "--name VALUE" or "--name=VALUE". Returns the number of words consumed, or an error. */
static int
option_take(const char *program, char **words, int nb_words, const struct option_value *values,
	    unsigned int nb_values)
{
	const char *name = words[0] + 2;
	const size_t len = strcspn(name, "=");
	unsigned int i;
	int ret;

	for (i = 0; i < nb_values; i++) {
		if (strlen(values[i].name) != len || memcmp(values[i].name, name, len) != 0)
			continue;
		if (name[len] == '=') {
			ret = value_set(program, &values[i], name + len + 1);
			return ret != 0 ? ret : 1;
		}
		if (nb_words < 2) {
			fprintf(stderr, "%s: --%s needs a value\n", program, name);
			return -EINVAL;
		}
		ret = value_set(program, &values[i], words[1]);
		return ret != 0 ? ret : 2;
	}
	fprintf(stderr, "%s: %s: no such option; see --help\n", program, words[0]);
	return -EINVAL;
}

int
options_parse(int argc, char **argv, const char *purpose, const struct option_value *values,
	      unsigned int nb_values, const char **device)
{
	const char *program = program_name(argv[0]);
	int first = 1, i, ret;

	while (first < argc && strcmp(argv[first], "--") != 0)
		first++;
	/* EAL also has --help: without "--" it applies to both, and this one has precedence. */
	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0) {
			help_print(program, purpose, values, nb_values);
			return 1;
		}
	}
	for (i = first + 1; i < argc; i += ret) {
		if (strncmp(argv[i], "--", 2) == 0) {
			ret = option_take(program, &argv[i], argc - i, values, nb_values);
			if (ret < 0)
				return ret;
			continue;
		}
		if (*device != NULL) {
			fprintf(stderr, "%s: %s: one device is enough\n", program, argv[i]);
			return -EINVAL;
		}
		*device = argv[i];
		ret = 1;
	}
	return 0;
}
