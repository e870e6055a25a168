/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef TEST_UMR_H
#define TEST_UMR_H

/**
 * @file
 * What the commands of dpdk-test-umr share: exit codes, options, devices.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_umr.h>

struct option;

#define TOOL_NAME "dpdk-test-umr"

/** How the tool ends; documented in its help. */
enum tool_exit {
	TOOL_OK = 0,		/**< All is well. */
	TOOL_FAILED = 1,	/**< Failures were found. */
	TOOL_USAGE = 2,		/**< The command line is wrong. */
	TOOL_SETUP = 3,		/**< A device or other means to do the work are missing. */
};

/** The part of the help that every command repeats. */
#define TOOL_EXIT_HELP                                                                             \
	"Exit code: 0 ok, 1 failures found, 2 wrong usage, 3 set-up failed.\n"

/** A command of the tool. */
struct tool_command {
	const char *name;
	const char *summary;	/**< One line for the list of commands. */
	bool needs_eal;		/**< Whether rte_eal_init() must have run. */
	const struct option *options; /**< Of getopt_long(), behind each other, the last one 0. */
	/** Called before that, with the arguments of all of the program, too; may be NULL. */
	void (*prepare)(int argc, char **argv, char **process_argv);
	/** Run it; argv[0] is its name, optind is reset. */
	enum tool_exit (*run)(int argc, char **argv);
};

extern const struct tool_command cmd_info;
extern const struct tool_command cmd_verify;
extern const struct tool_command cmd_check;
extern const struct tool_command cmd_bench;
extern const struct tool_command cmd_dump;
extern const struct tool_command cmd_cases;
extern const struct tool_command cmd_serve;
extern const struct tool_command cmd_soak;

/** A command by its name, or NULL. */
const struct tool_command *tool_command_find(const char *name);

/** The program from its command line on; at most once in a process that has started EAL. */
int tool_main(int argc, char **argv);

/** How results are printed. */
enum tool_format {
	TOOL_FORMAT_TEXT,	/**< "table": for people. */
	TOOL_FORMAT_JSON,
	TOOL_FORMAT_CSV,
};

#define TOOL_MAX_DEVICES	RTE_UMR_MAX_DEVS
#define TOOL_MAX_NUMBERS	32u
#define TOOL_MAX_DEVARGS	1024u

/** Devices that the user named, or those that were found. */
struct tool_devices {
	uint16_t nb_names;
	const char *names[TOOL_MAX_DEVICES];	/**< From the command line; borrowed. */
	const char *args;			/**< Of names that bring none; NULL: none. */
	uint16_t nb_ids;
	int16_t ids[TOOL_MAX_DEVICES];		/**< Open devices. */
};

/** A list of numbers of an option. */
struct tool_numbers {
	uint32_t nb;
	uint32_t values[TOOL_MAX_NUMBERS];
};

/** Print "dpdk-test-umr: ..." to stderr. */
void tool_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Parse a number of [min, max], decimal or 0x; complains and returns false. */
bool tool_parse_u64(const char *option, const char *text, uint64_t min, uint64_t max,
		    uint64_t *value);

/** Parse numbers of [min, max] with commas between them; complains and returns false. */
bool tool_parse_numbers(const char *option, const char *text, uint32_t min, uint32_t max,
			struct tool_numbers *numbers);

/** Parse table, json or csv; complains and returns false. */
bool tool_parse_format(const char *text, enum tool_format *format);

/** A bit and what the output calls it. */
struct tool_bit_name {
	uint64_t bit;
	const char *name;
};

/** Of all RTE_UMR_CAPA_*. */
extern const struct tool_bit_name tool_capa_names[];
extern const size_t tool_nb_capa_names;

/** Name of one RTE_UMR_CAPA_* bit, as the info command prints it. */
const char *tool_capa_name(uint64_t bit);

/** Remember a --device option; complains and returns false. */
bool tool_devices_add(struct tool_devices *devices, const char *name);

/**
 * Open the devices that were named, or the first nb_max that a driver finds.
 *
 * @return
 *   Whether all named devices, or at least one if none was named, are open; complains if not.
 */
bool tool_devices_open(struct tool_devices *devices, uint16_t nb_max);

/** Close what tool_devices_open() opened. */
void tool_devices_close(struct tool_devices *devices);

#endif /* TEST_UMR_H */
