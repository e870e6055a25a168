/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef CHECK_RUN_H
#define CHECK_RUN_H

/**
 * @file
 * Put questions to a device, one after the other, each on a bed of its own.
 */

#include <infiniband/verbs.h>

#include "check/check.h"

/** Most checks of all themes. */
#define CHECK_MAX 128u

/** What there is, in the order of the themes. */
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

/** All checks, all wanted. */
void check_table_init(struct check_table *table);

/** Want only those of names with commas between them; complains and returns false. */
bool check_table_only(struct check_table *table, const char *names);

/**
 * Ask a device, on a port of it.
 *
 * @param tell
 *   Called with each result as it comes.
 * @return
 *   0, or an errno: it cannot be opened.
 */
int check_table_run(struct check_table *table, struct ibv_device *device, uint8_t port,
		    void (*tell)(const struct check_entry *entry, void *arg), void *arg);

/** Results by verdict. */
void check_table_count(const struct check_table *table, unsigned int nb[CHECK_NB_VERDICTS]);

#endif /* CHECK_RUN_H */
