/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * dpdk-test-umr [EAL options] -- COMMAND [options]
 */

#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>

#include <umr_version.h>

#include "main.h"

static const struct tool_command *const commands[] = {
	&cmd_info,
	&cmd_verify,
	&cmd_check,
	&cmd_bench,
	&cmd_calibrate,
	&cmd_dump,
	&cmd_cases,
	&cmd_serve,
	&cmd_soak,
};

static char no_shconf[] = "--no-shconf";

static void
print_help(FILE *f)
{
	fprintf(f,
		"Usage: " TOOL_NAME " [EAL options] -- COMMAND [options]\n"
		"\n"
		"Test and measure user-mode memory registration (UMR) devices.\n"
		"\n"
		"Commands:\n");
	for (unsigned int i = 0; i < RTE_DIM(commands); i++)
		fprintf(f, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(f,
		"\n"
		"'" TOOL_NAME " -- COMMAND --help' lists the options of a command, --version\n"
		"prints the version. Without EAL options, the '--' may be omitted.\n"
		"\n"
		TOOL_EXIT_HELP);
}

const struct tool_command *
tool_command_find(const char *name)
{
	for (unsigned int i = 0; i < RTE_DIM(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

/* Index of the first argument of the tool: the one after "--", or the first one. */
static int
tool_args_start(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
	return 1;
}

static bool
has_arg(int argc, char *const *argv, const char *arg)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], arg) == 0)
			return true;
	return false;
}

/*
 * EAL 22.11 rejects --in-memory together with --no-huge, because no-huge implies legacy-mem
 * (eal_common_options.c). Without hugepages, --in-memory reduces to --no-shconf, so pass that.
 */
static void
eal_args_adapt(int argc, char **argv)
{
	if (!has_arg(argc, argv, "--no-huge"))
		return;
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--in-memory") == 0) {
			argv[i] = no_shconf;
			fprintf(stderr, TOOL_NAME ": with --no-huge, the EAL knows --in-memory "
						  "as --no-shconf\n");
		}
}

/* Fail if standard output could not be written. */
static enum tool_exit
check_output(enum tool_exit ret)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return ret;
	tool_error("writing to standard output failed");
	return ret == TOOL_OK ? TOOL_SETUP : ret;
}

/* Run a command between the initialization and the cleanup of EAL. */
static enum tool_exit
run_with_eal(const struct tool_command *command, int eal_argc, char *const *args)
{
	char *eal_argv[eal_argc + 1];
	enum tool_exit ret;

	/* rte_eal_init() permutes its arguments and must not see the options of the tool. */
	memcpy(eal_argv, args, sizeof(args[0]) * (size_t)eal_argc);
	eal_argv[eal_argc] = NULL;
	eal_args_adapt(eal_argc, eal_argv);
	if (rte_eal_init(eal_argc, eal_argv) < 0) {
		/* EAL prints its options there. */
		fflush(stdout);
		tool_error("EAL does not start: %s; its lines above have the reason%s",
			   rte_strerror(rte_errno), has_arg(eal_argc, eal_argv, "--no-huge") ? "" :
			   "; without hugepages, use --no-huge");
		return TOOL_SETUP;
	}
	ret = command->run(command->conf);
	rte_eal_cleanup();
	return ret;
}

/* Whether an argument is a long option, also with a value behind "=". */
static bool
is_option(const char *arg, const char *name)
{
	const size_t len = strlen(name);

	return strncmp(arg, "--", 2) == 0 && strncmp(arg + 2, name, len) == 0 &&
	       (arg[2 + len] == '\0' || arg[2 + len] == '=');
}

int
tool_main(int argc, char **argv)
{
	int start = tool_args_start(argc, argv);
	const struct tool_command *command;
	int eal_argc = start > 1 ? start - 1 : 1;
	enum tool_exit ret;

	if (start >= argc) {
		print_help(stderr);
		return TOOL_USAGE;
	}
	argv += start;
	argc -= start;
	if (strcmp(argv[0], "--version") == 0) {
		puts(TOOL_NAME " " UMR_VERSION_TEXT);
		return check_output(TOOL_OK);
	}
	if (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
		print_help(stdout);
		return check_output(TOOL_OK);
	}
	command = tool_command_find(argv[0]);
	/* "--config FILE" without a command selects the cases command. */
	if (is_option(argv[0], "config")) {
		command = &cmd_cases;
		/* getopt_long() starts after the name of the command. */
		argv--;
		argc++;
		start--;
	}
	if (command == NULL) {
		if (argv[0][0] == '-')
			tool_error("'%s': EAL options stand in front of '--'", argv[0]);
		else
			tool_error("'%s' is not a command; see --help", argv[0]);
		return TOOL_USAGE;
	}
	/* Help and wrong usage need neither memory nor devices. */
	if (!tool_command_parse(command, argc, argv, &ret))
		return check_output(ret);
	if (command->prepare != NULL)
		command->prepare(command->conf, argv - start);
	if (!command->needs_eal ||
	    (command->is_offline != NULL && command->is_offline(command->conf)))
		return check_output(command->run(command->conf));
	return check_output(run_with_eal(command, eal_argc, argv - start));
}

int
main(int argc, char **argv)
{
	return tool_main(argc, argv);
}
