/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_UMR_H
#define TEST_UMR_H

/**
 * @file
 * Exit codes, options and devices shared by the commands of dpdk-test-umr.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_umr.h>

#define TOOL_NAME "dpdk-test-umr"

/** Exit codes; documented in the help. */
enum tool_exit {
	TOOL_OK = 0,		/**< Success. */
	TOOL_FAILED = 1,	/**< At least one check failed. */
	TOOL_USAGE = 2,		/**< Invalid command line. */
	TOOL_SETUP = 3,		/**< A device or another resource is missing. */
};

/** Exit codes in the help of every command. */
#define TOOL_EXIT_HELP                                                                             \
	"Exit status: 0 ok, 1 failures found, 2 wrong usage, 3 set-up failed.\n"

/** How the argument of an option is stored in the configuration of its command. */
enum tool_option_kind {
	TOOL_OPTION_FLAG,	/**< Without argument: true. */
	TOOL_OPTION_PROGRESS,	/**< Without argument: tool_has_progress() is true. */
	TOOL_OPTION_TEXT,	/**< A pointer to it, checked by a function if there is one. */
	TOOL_OPTION_NUMBER,	/**< An unsigned integer. */
	TOOL_OPTION_NUMBERS,	/**< struct tool_numbers: N,N..., or a range. */
	TOOL_OPTION_WORD,	/**< An enum or a bool: the value of a word. */
	TOOL_OPTION_DEVICE,	/**< Appended to struct tool_devices. */
	TOOL_OPTION_PARSE,	/**< By a function. */
};

/** A word and its value. */
struct tool_word {
	const char *name;
	unsigned int value;
};

/** An option of a command; the last one of an array has no name. */
struct tool_option {
	const char *name;
	enum tool_option_kind kind;
	size_t at;			/**< Offset in the configuration: TOOL_AT(). */
	size_t size;
	char letter;			/**< Short form; 0: none. */
	size_t given;			/**< Offset of a bool that becomes true; 0: none. */
	uint64_t min;			/**< Numbers are in [min, max]. */
	uint64_t max;
	const struct tool_word *words;	/**< The last one has no name. */
	/** Print an error and return false on failure. */
	bool (*parse)(const char *arg, void *conf);
	bool (*check)(const char *arg);
};

#define TOOL_AT(type, member) .at = offsetof(type, member), .size = sizeof(((type *)0)->member)

/** A command of the tool. */
struct tool_command {
	const char *name;
	const char *summary;	/**< One line in the list of commands. */
	bool needs_eal;		/**< Whether the command needs rte_eal_init(). */
	/** Whether it does not with its options; NULL: it always does. */
	bool (*is_offline)(const void *conf);
	const struct tool_option *options;
	void *conf;		/**< Configuration, with defaults; a process runs it once. */
	void (*print_help)(FILE *f);
	/** Take an argument that is no option, like tool_option::parse; NULL: none is accepted. */
	bool (*arg_add)(const char *arg, void *conf);
	/**
	 * Complete the options and check what needs no EAL; may be NULL. Print an error and return
	 * false on failure.
	 */
	bool (*check)(void *conf);
	/** Called before EAL starts, with all arguments of the program; may be NULL. */
	void (*prepare)(const void *conf, char **process_argv);
	enum tool_exit (*run)(void *conf);
};

/**
 * Parse and check the options of a command, or print its help; argv[0] is its name.
 *
 * @return
 *   Whether to run it; otherwise *ret is set.
 */
bool tool_command_parse(const struct tool_command *command, int argc, char **argv,
			enum tool_exit *ret);

/** Whether a long run shows progress: on a terminal, or with this option of the command. */
bool tool_has_progress(void);
#define TOOL_PROGRESS	{ .name = "progress", .kind = TOOL_OPTION_PROGRESS }
/** It in the help, with the column of the texts. */
#define TOOL_PROGRESS_HELP(column)                                                                 \
	"  --progress" column "show progress on standard error (default: on a terminal)\n"

/** Output formats. */
enum tool_format {
	TOOL_FORMAT_TEXT,	/**< "table": for humans. */
	TOOL_FORMAT_JSON,
	TOOL_FORMAT_CSV,
};

#define TOOL_MAX_DEVICES	RTE_UMR_MAX_DEVS
#define TOOL_MAX_NUMBERS	32u
#define TOOL_MAX_DEVARGS	1024u

/** Devices that the user named, or devices that were found. */
struct tool_devices {
	uint16_t nb_names;
	const char *names[TOOL_MAX_DEVICES];	/**< From the command line; borrowed. */
	const char *args;			/**< Devargs for names without any; NULL: none. */
	uint16_t nb_ids;
	int16_t ids[TOOL_MAX_DEVICES];		/**< Open devices. */
};

/** How a range of numbers is written; documented in the help. */
#define TOOL_RANGE_HELP "FIRST,LAST,STEP,ADD or FIRST,LAST,STEP,MUL"

/** Numbers of a list option, which fit in 32 bits. */
struct tool_numbers {
	uint32_t nb;
	uint32_t values[TOOL_MAX_NUMBERS];
};

/** Print "dpdk-test-umr: ..." to stderr. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Allocate zeroed memory. Print "COMMAND: out of memory" and return NULL on failure. */
void *tool_calloc(const char *command, size_t nb, size_t size);

/** Find a word of len bytes for an option. Print an error and return false on failure. */
bool tool_parse_word(const char *option, const char *text, size_t len,
		     const struct tool_word *words, unsigned int *value);

/** Call a function for each comma-separated word until it returns false. */
bool tool_parse_list(const char *text, bool (*word_add)(const char *word, void *arg), void *arg);

/** The option --format of a configuration with this member. */
#define TOOL_FORMAT(type)                                                                          \
	{ "format", TOOL_OPTION_WORD, TOOL_AT(type, format), .words = tool_formats }
extern const struct tool_word tool_formats[];

/** A bit and its name in the output. */
struct tool_bit_name {
	uint64_t bit;
	const char *name;
};

/** Names of all RTE_UMR_CAPA_* bits. */
extern const struct tool_bit_name tool_capa_names[];
extern const size_t tool_nb_capa_names;

/** Print the names of RTE_UMR_CAPA_* bits, as the info command has them, separated by commas. */
void tool_capa_print(char *text, size_t size, uint64_t bits);

/** Add a device of a --device option. Print an error and return false on failure. */
bool tool_devices_add(struct tool_devices *devices, const char *name);

/** Check that at most one device was named. Print "COMMAND: ..." and return false otherwise. */
bool tool_devices_check(const char *command, const struct tool_devices *devices);

/**
 * Open the named devices, or the first nb_max devices that a driver finds.
 *
 * @return
 *   True if all named devices, or at least one unnamed device, are open; otherwise an error was
 *   printed.
 */
bool tool_devices_open(struct tool_devices *devices, uint16_t nb_max);

/** Close the devices opened by tool_devices_open(). */
void tool_devices_close(struct tool_devices *devices);

#endif /* TEST_UMR_H */
