/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Run the cases of an ini file. Each case is a command with options and runs in its own process:
 * EAL initializes only once per process, and cases may need different EAL options.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_cfgfile.h>
#include <rte_common.h>
#include <rte_string_fns.h>

#include "main.h"
#include "tool/print.h"

#define MAX_CASES	256u
#define MAX_ENTRIES	64
#define MAX_ARGS	256u
/* Section name that rte_cfgfile gives to entries before the first section; they apply to all. */
#define GLOBAL		"GLOBAL"

/* A case: the command line of the program. argv points into text. */
struct one_case {
	char name[CFG_NAME_LEN];
	char text[16384];
	size_t len;
	char *argv[MAX_ARGS + 1];
	unsigned int argc;
	const struct tool_command *command;
};

/* What the user asked for. */
struct cases_conf {
	const char *path;
	uint16_t nb_names;
	const char *names[MAX_CASES];	/* None: all. */
	bool is_list;
	enum tool_format format;
};

static char **process_argv;

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- cases --config FILE [options]\n"
		"       " TOOL_NAME " [EAL options] -- --config FILE [options]\n"
		"\n"
		"Run the cases of an ini file one after the other, each in its own process.\n"
		"\n"
		"  --config FILE    the file; it is checked completely before the first case runs\n"
		"  --case NAME      run only this case; may be repeated\n"
		"  --list           list the names of the cases, and run none\n"
		"  --format FORMAT  table (default), json or csv, for all cases\n"
		"\n"
		"A section is a case. 'command' names the command to run; other entries are its\n"
		"options without dashes (yes or no for options without a value), and may be\n"
		"repeated like the options. 'eal_args' are additional EAL options. Entries before\n"
		"the first section are defaults for all cases whose command has that option. A\n"
		"';' starts a comment.\n"
		"\n"
		"  eal_args = --in-memory --no-pci\n"
		"  [lists]\n"
		"  command = bench\n"
		"  layout = list,noninline\n"
		"  [wraps]\n"
		"  command = verify\n"
		"  cases = 10000\n"
		"  wrap = yes\n"
		"\n"
		TOOL_EXIT_HELP
		"The exit status of 'cases' is the highest of its cases.\n");
}

/* Append an argument: front and text, concatenated. */
static bool
arg_add(struct one_case *one, const char *front, const char *text)
{
	const size_t len = strlen(front) + strlen(text) + 1;

	if (one->argc == MAX_ARGS || one->len + len > sizeof(one->text)) {
		tool_error("cases: [%s] is too long", one->name);
		return false;
	}
	one->argv[one->argc++] = one->text + one->len;
	one->argv[one->argc] = NULL;
	snprintf(one->text + one->len, len, "%s%s", front, text);
	one->len += len;
	return true;
}

/* Append words separated by blanks. */
static bool
words_add(struct one_case *one, const char *text)
{
	char words[CFG_VALUE_LEN], *rest = words, *word;
	bool is_ok = true;

	snprintf(words, sizeof(words), "%s", text);
	while (is_ok && (word = strsep(&rest, " \t")) != NULL)
		if (*word != '\0')
			is_ok = arg_add(one, "", word);
	return is_ok;
}

/* An option by its name; entries cannot ask for help. */
static const struct tool_option *
option_find(const struct tool_command *command, const char *name)
{
	static const struct tool_option help = { .name = "help", .kind = TOOL_OPTION_FLAG };
	const struct tool_option *option;

	for (option = command->options; option->name != NULL; option++)
		if (strcmp(option->name, name) == 0)
			return option;
	return strcmp(name, help.name) == 0 ? &help : NULL;
}

/* Append an entry as an option of the command. */
static bool
entry_add(struct one_case *one, const struct rte_cfgfile_entry *entry)
{
	const struct tool_option *option = option_find(one->command, entry->name);

	if (option == NULL || strcmp(entry->name, "help") == 0 ||
	    strcmp(entry->name, "format") == 0) {
		tool_error("cases: [%s]: '%s' is not an option of %s; see %s --help", one->name,
			   entry->name, one->command->name, one->command->name);
		return false;
	}
	if (option->kind == TOOL_OPTION_FLAG || option->kind == TOOL_OPTION_PROGRESS) {
		if (strcmp(entry->value, "no") == 0)
			return true;
		if (strcmp(entry->value, "yes") != 0) {
			tool_error("cases: [%s] %s: '%s' is not yes or no", one->name, entry->name,
				   entry->value);
			return false;
		}
		return arg_add(one, "--", entry->name);
	}
	return arg_add(one, "--", entry->name) && arg_add(one, "", entry->value);
}

/* Look up an entry in the section, then in the global section. */
static const char *
entry_get(struct rte_cfgfile *file, const char *section, const char *name)
{
	const char *value = rte_cfgfile_get_entry(file, section, name);

	return value != NULL ? value : rte_cfgfile_get_entry(file, GLOBAL, name);
}

/* Append the program name, the EAL arguments of this run and those of the case. */
static bool
eal_args_add(struct one_case *one, struct rte_cfgfile *file)
{
	const char *args = entry_get(file, one->name, "eal_args");
	unsigned int i;

	if (!arg_add(one, "", process_argv[0]))
		return false;
	for (i = 1; process_argv[i] != NULL && strcmp(process_argv[i], "--") != 0; i++)
		if (strncmp(process_argv[i], "--config", 8) == 0 ||
		    strcmp(process_argv[i], cmd_cases.name) == 0)
			break;
		else if (!arg_add(one, "", process_argv[i]))
			return false;
	return args == NULL || words_add(one, args);
}

static bool
entries_add(struct one_case *one, struct rte_cfgfile *file)
{
	struct rte_cfgfile_entry entries[MAX_ENTRIES];
	int nb, i;

	nb = rte_cfgfile_section_entries(file, GLOBAL, entries, MAX_ENTRIES);
	for (i = 0; i < nb; i++)
		if (option_find(one->command, entries[i].name) != NULL &&
		    !rte_cfgfile_has_entry(file, one->name, entries[i].name) &&
		    !entry_add(one, &entries[i]))
			return false;
	nb = rte_cfgfile_section_entries(file, one->name, entries, MAX_ENTRIES);
	for (i = 0; i < nb; i++)
		if (strcmp(entries[i].name, "command") != 0 &&
		    strcmp(entries[i].name, "eal_args") != 0 && !entry_add(one, &entries[i]))
			return false;
	return true;
}

static bool
case_init(struct one_case *one, struct rte_cfgfile *file, const char *format)
{
	const char *command = entry_get(file, one->name, "command");

	if (command == NULL) {
		tool_error("cases: [%s] has no 'command'", one->name);
		return false;
	}
	one->command = tool_command_find(command);
	if (one->command == NULL || one->command == &cmd_cases) {
		tool_error("cases: [%s]: '%s' is not a command; see --help", one->name, command);
		return false;
	}
	return eal_args_add(one, file) && arg_add(one, "", "--") && arg_add(one, "", command) &&
	       entries_add(one, file) && arg_add(one, "--", "format") && arg_add(one, "", format);
}

/* Run the case in the child; fd replaces standard output unless it is -1. */
static void
child_run(struct one_case *one, int fd)
{
	if (fd >= 0 && dup2(fd, STDOUT_FILENO) < 0) {
		tool_error("cases: %s", strerror(errno));
		exit(TOOL_SETUP);
	}
	exit(tool_main((int)one->argc, one->argv));
}

/* Read fd until its end. The result is zero-terminated; the caller frees it. */
static char *
read_all(int fd)
{
	char part[4096], *text = NULL;
	ssize_t len;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	while ((len = read(fd, part, sizeof(part))) > 0 || (len < 0 && errno == EINTR))
		if (len > 0)
			fwrite(part, 1, (size_t)len, f);
	fclose(f);
	return text;
}

/* Run a case; if text is not NULL, return its output there, which the caller frees. */
static enum tool_exit
case_run(struct one_case *one, char **text)
{
	int fds[2] = { -1, -1 }, status;
	pid_t pid;

	if (text != NULL && pipe(fds) != 0) {
		tool_error("cases: %s", strerror(errno));
		return TOOL_SETUP;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (text != NULL)
			close(fds[0]);
		child_run(one, fds[1]);
	}
	if (text != NULL) {
		close(fds[1]);
		*text = pid < 0 ? NULL : read_all(fds[0]);
		close(fds[0]);
	}
	while (pid >= 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			pid = -1;
	if (pid < 0) {
		tool_error("cases: [%s]: %s", one->name, strerror(errno));
		return TOOL_SETUP;
	}
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	tool_error("cases: [%s] ended by signal %d", one->name, WTERMSIG(status));
	return TOOL_FAILED;
}

/* Print the output of a case with its name before each line; the first line names the columns. */
static void
csv_print(const struct one_case *one, char *text)
{
	bool is_first = true;
	char *line;

	while (text != NULL && (line = strsep(&text, "\n")) != NULL) {
		if (*line == '\0')
			continue;
		result_print_csv_text(is_first ? "case" : one->name);
		printf(",%s\n", line);
		is_first = false;
	}
}

static json_t *
case_to_json(const struct one_case *one, const char *text, enum tool_exit ret)
{
	return json_pack("{s:s, s:s, s:i, s:o}", "name", one->name, "command", one->command->name,
			 "exit", (int)ret, "result",
			 text == NULL || *text == '\0' ? json_null() :
			 json_loads(text, 0, NULL) ?: json_string(text));
}

static enum tool_exit
cases_run_all(struct one_case *all, unsigned int nb, enum tool_format format)
{
	json_t *list = json_array();
	enum tool_exit ret = TOOL_OK, one_ret;
	unsigned int i;
	char *text;

	for (i = 0; i < nb; i++) {
		text = NULL;
		if (format == TOOL_FORMAT_TEXT)
			printf("%s== %s: %s\n", i == 0 ? "" : "\n", all[i].name,
			       all[i].command->name);
		one_ret = case_run(&all[i], format == TOOL_FORMAT_TEXT ? NULL : &text);
		if (format == TOOL_FORMAT_JSON)
			json_array_append_new(list, case_to_json(&all[i], text, one_ret));
		else if (format == TOOL_FORMAT_CSV)
			csv_print(&all[i], text);
		free(text);
		ret = RTE_MAX(ret, one_ret);
	}
	if (format == TOOL_FORMAT_JSON)
		result_print_json(json_pack("{s:O}", "cases", list));
	json_decref(list);
	return ret;
}

static bool
is_chosen(const struct cases_conf *conf, const char *name)
{
	uint16_t i;

	for (i = 0; i < conf->nb_names; i++)
		if (strcmp(conf->names[i], name) == 0)
			return true;
	return conf->nb_names == 0;
}

/* Check that every chosen name exists. */
static bool
names_check(const struct cases_conf *conf, struct rte_cfgfile *file)
{
	uint16_t i;

	for (i = 0; i < conf->nb_names; i++)
		if (strcmp(conf->names[i], GLOBAL) == 0 ||
		    !rte_cfgfile_has_section(file, conf->names[i])) {
			tool_error("--case: %s has no [%s]", conf->path, conf->names[i]);
			return false;
		}
	return true;
}

/* Whether an earlier section has the same name. */
static bool
is_twice(char (*names)[CFG_NAME_LEN], int i)
{
	int j;

	for (j = 0; j < i; j++)
		if (strcmp(names[j], names[i]) == 0)
			return true;
	return false;
}

/* Reject lines that rte_cfgfile would skip silently: they are mistakes of the user. */
static bool
lines_check(const char *path)
{
	char line[CFG_NAME_LEN + CFG_VALUE_LEN + 4];
	unsigned int number = 0;
	bool is_ok = true;
	FILE *f = fopen(path, "r");

	if (f == NULL) {
		tool_error("%s: %s", path, strerror(errno));
		return false;
	}
	while (is_ok && fgets(line, sizeof(line), f) != NULL) {
		const char *text = line + strspn(line, " \t\r\n");

		number++;
		is_ok = *text == '\0' || *text == ';' || *text == '[' || strchr(text, '=') != NULL;
		if (!is_ok)
			tool_error("%s: line %u is not '[case]', 'name = value' or '; comment'",
				   path, number);
	}
	if (is_ok && ferror(f)) {
		tool_error("%s: %s", path, strerror(errno));
		is_ok = false;
	}
	fclose(f);
	return is_ok;
}

/* Check all cases and run the chosen ones. */
static enum tool_exit
file_run(const struct cases_conf *conf, struct rte_cfgfile *file, struct one_case *all)
{
	static const char *const formats[] = {
		[TOOL_FORMAT_TEXT] = "table",
		[TOOL_FORMAT_JSON] = "json",
		[TOOL_FORMAT_CSV] = "csv",
	};
	char names[MAX_CASES + 1][CFG_NAME_LEN], *sections[MAX_CASES + 1];
	int nb_sections = rte_cfgfile_num_sections(file, NULL, 0), i;
	unsigned int nb = 0;

	if (nb_sections > (int)MAX_CASES) {
		tool_error("%s: %d sections, at most %u", conf->path, nb_sections, MAX_CASES);
		return TOOL_USAGE;
	}
	for (i = 0; i < nb_sections; i++)
		sections[i] = names[i];
	nb_sections = rte_cfgfile_sections(file, sections, nb_sections);
	if (!names_check(conf, file))
		return TOOL_USAGE;
	for (i = 0; i < nb_sections; i++) {
		if (strcmp(names[i], GLOBAL) == 0)
			continue;
		if (is_twice(names, i)) {
			tool_error("%s: [%s] is there twice", conf->path, names[i]);
			return TOOL_USAGE;
		}
		memset(&all[nb], 0, sizeof(all[nb]));
		strlcpy(all[nb].name, names[i], sizeof(all[nb].name));
		if (!case_init(&all[nb], file, formats[conf->format]))
			return TOOL_USAGE;
		nb += is_chosen(conf, names[i]);
	}
	if (nb == 0) {
		tool_error("%s: no case", conf->path);
		return TOOL_USAGE;
	}
	if (!conf->is_list)
		return cases_run_all(all, nb, conf->format);
	for (i = 0; i < (int)nb; i++)
		printf("%s\n", all[i].name);
	return TOOL_OK;
}

static enum tool_exit
cases_run(void *arg)
{
	const struct cases_conf *conf = arg;
	const struct rte_cfgfile_parameters params = { .comment_character = ';' };
	struct rte_cfgfile *file;
	struct one_case *all;
	enum tool_exit ret;

	if (!lines_check(conf->path))
		return TOOL_USAGE;
	file = rte_cfgfile_load_with_params(conf->path, CFG_FLAG_GLOBAL_SECTION, &params);
	if (file == NULL) {
		tool_error("%s: not an ini file", conf->path);
		return TOOL_USAGE;
	}
	all = calloc(MAX_CASES, sizeof(*all));
	ret = all == NULL ? TOOL_SETUP : file_run(conf, file, all);
	free(all);
	rte_cfgfile_close(file);
	return ret;
}

static void
cases_prepare(const void *conf, char **all_argv)
{
	RTE_SET_USED(conf);
	process_argv = all_argv;
}

static bool
name_add(const char *name, void *arg)
{
	struct cases_conf *conf = arg;

	if (conf->nb_names == MAX_CASES) {
		tool_error("--case: more than %u", MAX_CASES);
		return false;
	}
	conf->names[conf->nb_names++] = name;
	return true;
}

static const struct tool_option options[] = {
	{ "config", TOOL_OPTION_TEXT, TOOL_AT(struct cases_conf, path), .letter = 'c' },
	{ "case", TOOL_OPTION_PARSE, .parse = name_add },
	{ "list", TOOL_OPTION_FLAG, TOOL_AT(struct cases_conf, is_list) },
	TOOL_FORMAT(struct cases_conf),
	{ 0 },
};

static bool
cases_check(void *conf)
{
	if (((const struct cases_conf *)conf)->path == NULL)
		tool_error("cases: --config is missing");
	return ((const struct cases_conf *)conf)->path != NULL;
}

static struct cases_conf cases_conf;

const struct tool_command cmd_cases = {
	.name = "cases",
	.summary = "run the cases of an ini file, each in its own process",
	.options = options,
	.conf = &cases_conf,
	.print_help = print_help,
	.check = cases_check,
	.prepare = cases_prepare,
	.run = cases_run,
};
