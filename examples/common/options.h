/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef OPTIONS_H
#define OPTIONS_H

/*
 * Arguments of an example after the "--" of the EAL options: numbers, words and a device.
 *
 *   umr_example [EAL option]... -- [--number N]... [--word WORD]... [device[,option...]]
 */

#include <stdint.h>

/* An option with a value: a number if number is not NULL, otherwise a word. Defaults are kept. */
struct option_value {
	const char *name; /* without its dashes */
	const char *help; /* one line, without the default */
	uint32_t *number;
	uint32_t min; /* of a number */
	uint32_t max;
	const char **word; /* points into argv afterwards */
};

/*
 * Parse the command line before EAL does, so that errors are found early. An error is printed on
 * stderr with its value and limit; --help prints the options. Returns 0; 1 for --help; -EINVAL for
 * an error. device is only set if one is named.
 */
int options_parse(int argc, char **argv, const char *purpose, const struct option_value *values,
		  unsigned int nb_values, const char **device);

#endif /* OPTIONS_H */
