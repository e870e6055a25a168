/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MAIN_H
#define MAIN_H

/**
 * @file
 * The commands of the program.
 */

#include "tool/tool.h"

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

#endif /* MAIN_H */
