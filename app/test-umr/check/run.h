/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_RUN_H
#define CHECK_RUN_H

/**
 * @file
 * Run checks on a device in sequence, each with its own bed.
 */

#include <infiniband/verbs.h>

#include "check/check.h"

/** Most checks of all themes. */
#define CHECK_MAX 128u

/** Available checks, in the order of the themes. */
struct check_entry {
	const struct check_theme *theme;
	const struct check *check;
	bool is_wanted;
	struct check_result result;
};

struct check_table {
	size_t nb;
	struct check_entry entries[CHECK_MAX];
};

/** Add all checks and select them. */
void check_table_init(struct check_table *table);

/** The same, but only those in a list are selected. Print an error and return false on failure. */
bool check_table_only(struct check_table *table, const char *names);

/**
 * Run the selected checks on a port of a device.
 *
 * @param print
 *   Called with each result as it arrives.
 * @return
 *   0, or the errno of a failure to open the device.
 */
int check_table_run(struct check_table *table, struct ibv_device *device, uint8_t port,
		    void (*print)(const struct check_entry *entry, void *arg), void *arg);

/** Count results by verdict. */
void check_table_count(const struct check_table *table, unsigned int nb[CHECK_NB_VERDICTS]);

#endif /* CHECK_RUN_H */
