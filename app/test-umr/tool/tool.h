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

struct option;

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
	"Exit code: 0 ok, 1 failures found, 2 wrong usage, 3 set-up failed.\n"

/** A command of the tool. */
struct tool_command {
	const char *name;
	const char *summary;	/**< One line in the list of commands. */
	bool needs_eal;		/**< Whether the command needs rte_eal_init(). */
	const struct option *options; /**< Options of getopt_long(); the last one is 0. */
	/** Called before EAL starts, also with all arguments of the program; may be NULL. */
	void (*prepare)(int argc, char **argv, char **process_argv);
	/** Run the command; argv[0] is its name, optind is reset. */
	enum tool_exit (*run)(int argc, char **argv);
};

extern const struct tool_command cmd_info;
extern const struct tool_command cmd_verify;
extern const struct tool_command cmd_check;
extern const struct tool_command cmd_bench;
extern const struct tool_command cmd_calibrate;
extern const struct tool_command cmd_dump;
extern const struct tool_command cmd_cases;
extern const struct tool_command cmd_serve;
extern const struct tool_command cmd_soak;

/** Find a command by name; NULL: no such command. */
const struct tool_command *tool_command_find(const char *name);

/** Run the program on a command line; a process can do so only once after it started EAL. */
int tool_main(int argc, char **argv);

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

/** Numbers of a list option. */
struct tool_numbers {
	uint32_t nb;
	uint32_t values[TOOL_MAX_NUMBERS];
};

/** Print "dpdk-test-umr: ..." to stderr. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Parse a number in [min, max], decimal or 0x. Print an error and return false on failure. */
bool tool_parse_u64(const char *option, const char *text, uint64_t min, uint64_t max,
		    uint64_t *value);

/** Parse comma-separated numbers in [min, max]. Print an error and return false on failure. */
bool tool_parse_numbers(const char *option, const char *text, uint32_t min, uint32_t max,
			struct tool_numbers *numbers);

/** Parse table, json or csv. Print an error and return false on failure. */
bool tool_parse_format(const char *text, enum tool_format *format);

/** A bit and its name in the output. */
struct tool_bit_name {
	uint64_t bit;
	const char *name;
};

/** Names of all RTE_UMR_CAPA_* bits. */
extern const struct tool_bit_name tool_capa_names[];
extern const size_t tool_nb_capa_names;

/** Name of an RTE_UMR_CAPA_* bit, as printed by the info command. */
const char *tool_capa_name(uint64_t bit);

/** Add a device of a --device option. Print an error and return false on failure. */
bool tool_devices_add(struct tool_devices *devices, const char *name);

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
