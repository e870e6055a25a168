/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <rte_common.h>

#include "tool/tool.h"

#define MAX_OPTIONS	32u
/* getopt_long() returns this number and the index of the option, or a letter. */
#define FIRST_OPTION	256

/* The option --progress was given. */
static bool is_progress_wanted;

bool
tool_has_progress(void)
{
	return is_progress_wanted || isatty(STDERR_FILENO) == 1;
}

const struct tool_word tool_formats[] = {
	{ "table", TOOL_FORMAT_TEXT }, { "json", TOOL_FORMAT_JSON }, { "csv", TOOL_FORMAT_CSV },
	{ 0 },
};

bool
tool_parse_word(const char *option, const char *text, size_t len, const struct tool_word *words,
		unsigned int *value)
{
	char names[256] = "";
	size_t end = 0;

	for (const struct tool_word *word = words; word->name != NULL; word++) {
		if (strlen(word->name) == len && strncmp(word->name, text, len) == 0) {
			*value = word->value;
			return true;
		}
		end += (size_t)snprintf(names + end, sizeof(names) - end, "%s%s", end == 0 ? "" :
					word[1].name == NULL ? " or " : ", ", word->name);
	}
	tool_error("--%s: '%.*s' is not %s", option, (int)len, text, names);
	return false;
}

bool
tool_parse_list(const char *text, bool (*word_add)(const char *word, void *arg), void *arg)
{
	char *copy = strdup(text);
	char *rest = copy, *word;
	bool is_ok = copy != NULL;

	while (is_ok && (word = strsep(&rest, ",")) != NULL)
		is_ok = word_add(word, arg);
	free(copy);
	return is_ok;
}

/* A number in [min, max], decimal or 0x. */
static bool
number_between(const char *name, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 0);
	/* strtoull() accepts signs and blanks; require a leading digit. */
	if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0) {
		tool_error("--%s: '%s' is not a number", name, text);
		return false;
	}
	if (number < min || number > max) {
		tool_error("--%s: %s is not in [%" PRIu64 ", %" PRIu64 "]", name, text, min, max);
		return false;
	}
	*value = number;
	return true;
}

static bool
number_parse(const struct tool_option *option, const char *text, uint64_t *value)
{
	return number_between(option->name, text, option->min, option->max, value);
}

/* A list of numbers while it is parsed. */
struct numbers {
	const struct tool_option *option;
	struct tool_numbers *list;
};

static bool
value_add(const struct numbers *numbers, uint64_t value)
{
	if (numbers->list->nb == TOOL_MAX_NUMBERS) {
		tool_error("--%s: more than %u numbers", numbers->option->name, TOOL_MAX_NUMBERS);
		return false;
	}
	numbers->list->values[numbers->list->nb++] = (uint32_t)value;
	return true;
}

static bool
number_add(const char *word, void *arg)
{
	const struct numbers *numbers = arg;
	uint64_t value;

	return number_parse(numbers->option, word, &value) && value_add(numbers, value);
}

/* FIRST,LAST,STEP,ADD or MUL: from first to at most last. */
static bool
range_parse(const struct numbers *numbers, const char *text, bool is_product)
{
	const struct tool_option *option = numbers->option;
	char words[3][24] = { 0 };
	uint64_t value, last, step;
	int end = 0;

	if (sscanf(text, "%23[^,],%23[^,],%23[^,],%n", words[0], words[1], words[2], &end) != 3 ||
	    end == 0 || strchr(text + end, ',') != NULL) {
		tool_error("--%s: '%s' is not FIRST,LAST,STEP,ADD or FIRST,LAST,STEP,MUL",
			   option->name, text);
		return false;
	}
	if (!number_parse(option, words[0], &value) ||
	    !number_between(option->name, words[1], value, option->max, &last) ||
	    !number_between(option->name, words[2], is_product ? 2 : 1, UINT32_MAX, &step))
		return false;
	if (is_product && value == 0) {
		tool_error("--%s: a product of 0 stays 0", option->name);
		return false;
	}
	for (; value <= last; value = is_product ? value * step : value + step)
		if (!value_add(numbers, value))
			return false;
	return true;
}

/* Numbers separated by commas, or a range. */
static bool
numbers_parse(const struct tool_option *option, const char *text, struct tool_numbers *list)
{
	struct numbers numbers = { option, list };
	const char *last = strrchr(text, ',');

	list->nb = 0;
	if (last != NULL && (strcasecmp(last, ",ADD") == 0 || strcasecmp(last, ",MUL") == 0))
		return range_parse(&numbers, text, strcasecmp(last, ",MUL") == 0);
	return tool_parse_list(text, number_add, &numbers);
}

/* Store an unsigned integer, an enum or a bool. */
static bool
value_store(const struct tool_option *option, void *at, uint64_t value)
{
	switch (option->size) {
	case sizeof(uint8_t):
		*(uint8_t *)at = (uint8_t)value;
		break;
	case sizeof(uint16_t):
		*(uint16_t *)at = (uint16_t)value;
		break;
	case sizeof(uint32_t):
		*(uint32_t *)at = (uint32_t)value;
		break;
	default:
		*(uint64_t *)at = value;
		break;
	}
	return true;
}

/* Whether all values of an option fit in its member; for an assertion. */
__rte_unused static bool
value_fits(const struct tool_option *option)
{
	uint64_t max = option->max;

	if (option->kind == TOOL_OPTION_FLAG)
		max = true;
	else if (option->kind == TOOL_OPTION_WORD)
		for (const struct tool_word *word = option->words; word->name != NULL; word++)
			max = RTE_MAX(max, (uint64_t)word->value);
	else if (option->kind != TOOL_OPTION_NUMBER)
		return true;
	if (option->size == sizeof(max))
		return true;
	return (option->size == 1 || option->size == 2 || option->size == 4) &&
	       max >> (8 * option->size) == 0;
}

static bool
option_take(const struct tool_option *option, const char *arg, void *conf)
{
	void *at = (char *)conf + option->at;
	unsigned int word;
	uint64_t number;

	if (option->given != 0)
		*(bool *)((char *)conf + option->given) = true;
	switch (option->kind) {
	case TOOL_OPTION_FLAG:
		return value_store(option, at, true);
	case TOOL_OPTION_PROGRESS:
		is_progress_wanted = true;
		return true;
	case TOOL_OPTION_TEXT:
		memcpy(at, &arg, sizeof(arg));
		return option->check == NULL || option->check(arg);
	case TOOL_OPTION_NUMBER:
		return number_parse(option, arg, &number) && value_store(option, at, number);
	case TOOL_OPTION_NUMBERS:
		return numbers_parse(option, arg, at);
	case TOOL_OPTION_WORD:
		return tool_parse_word(option->name, arg, strlen(arg), option->words, &word) &&
		       value_store(option, at, word);
	case TOOL_OPTION_DEVICE:
		return tool_devices_add(at, arg);
	default:
		return option->parse(arg, conf);
	}
}

/* Describe the options to getopt_long(). */
static void
options_fill(const struct tool_option *options, struct option *all, char *letters)
{
	uint32_t i;

	/* Report missing values as ':', and print nothing. */
	*letters++ = ':';
	for (i = 0; options[i].name != NULL && i < MAX_OPTIONS; i++) {
		const bool is_flag = options[i].kind == TOOL_OPTION_FLAG ||
				     options[i].kind == TOOL_OPTION_PROGRESS;
		const char letter = options[i].letter;

		assert(value_fits(&options[i]));
		all[i] = (struct option){
			.name = options[i].name,
			.has_arg = is_flag ? no_argument : required_argument,
			.val = letter != 0 ? letter : FIRST_OPTION + (int)i,
		};
		if (letter != 0)
			letters += sprintf(letters, is_flag ? "%c" : "%c:", letter);
	}
	all[i] = (struct option){ "help", no_argument, NULL, 'h' };
	strcpy(letters, "h");
}

static const struct tool_option *
option_find(const struct tool_option *options, int opt)
{
	for (int i = 0; options[i].name != NULL; i++)
		if (opt == options[i].letter || opt == FIRST_OPTION + i)
			return &options[i];
	return NULL;
}

bool
tool_command_parse(const struct tool_command *command, int argc, char **argv, enum tool_exit *ret)
{
	struct option all[MAX_OPTIONS + 2] = { 0 };
	char letters[2 * MAX_OPTIONS + 3];
	const struct tool_option *option;
	int opt;

	optind = 0;
	*ret = TOOL_USAGE;
	options_fill(command->options, all, letters);
	while ((opt = getopt_long(argc, argv, letters, all, NULL)) != -1) {
		if (opt == 'h') {
			command->print_help(stdout);
			*ret = TOOL_OK;
			return false;
		}
		if (opt == '?' || opt == ':') {
			tool_error("%s: '%s' %s; see %s --help", command->name, argv[optind - 1],
				   opt == ':' ? "needs a value" : "is not an option",
				   command->name);
			return false;
		}
		option = option_find(command->options, opt);
		if (option == NULL || !option_take(option, optarg, command->conf))
			return false;
	}
	for (; optind < argc; optind++) {
		if (command->arg_add == NULL) {
			tool_error("%s: unexpected argument '%s'", command->name, argv[optind]);
			return false;
		}
		if (!command->arg_add(argv[optind], command->conf))
			return false;
	}
	return command->check == NULL || command->check(command->conf);
}
