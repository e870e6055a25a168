/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef OPTIONS_H
#define OPTIONS_H

/*
 * What an example is told behind the "--" of EAL's options: numbers, words and a device.
 *
 *   umr_example [EAL option]... -- [--number N]... [--word WORD]... [device[,option...]]
 */

#include <stdint.h>

/* An option with a value: a number if number is set, else a word. Both keep their default. */
struct option_value {
	const char *name; /* without its dashes */
	const char *help; /* one line, without the default */
	uint32_t *number;
	uint32_t min; /* of a number */
	uint32_t max;
	const char **word; /* points into argv afterwards */
};

/*
 * Read the command line before EAL does, so that a mistake costs nothing. A mistake is told on
 * stderr with its value and limit; --help prints what there is.
 * Returns 0; 1 for --help; -EINVAL for a mistake. device is written only if one is named.
 */
int options_parse(int argc, char **argv, const char *purpose, const struct option_value *values,
		  unsigned int nb_values, const char **device);

#endif /* OPTIONS_H */
