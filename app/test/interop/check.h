/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_H
#define CHECK_H

/**
 * @file
 * For programs that are a single test case.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/** End the program with the line and the condition if it is false. */
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s: line %d: %s (errno %d)\n", __FILE_NAME__, __LINE__,   \
				#condition, errno);                                                \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

#endif /* CHECK_H */
