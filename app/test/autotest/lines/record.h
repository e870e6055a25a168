/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef AUTOTEST_RECORD_H
#define AUTOTEST_RECORD_H

/**
 * @file
 * Record the cache lines that a thread reads and writes.
 *
 * All writable memory of the process is protected while a function runs, so that every access is a
 * fault, which shows its address. The page of the access is opened for one instruction. Only the
 * first byte of an access counts: accesses across lines are to memory that nobody writes.
 *
 * Other threads would fault, too, so this happens in a child of fork(2), which has none. There,
 * shared memory becomes private: the parent and its device see nothing of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_common.h>

#define AT_MAX_LINES 4096u
#define AT_MAX_REGIONS 8192u

/** A line, and whether it was written. */
struct at_line {
	uintptr_t addr;
	uint8_t call;		/**< Function that accessed it first in this way. */
	bool is_written;
};

/** Lines of one thread. */
struct at_lines {
	uint32_t nb;
	struct at_line list[AT_MAX_LINES];
};

struct at_region {
	uintptr_t start;
	uintptr_t end;
};

/** Memory of the recorder, which is not recorded: from at_record_alloc(), before fork(2). */
struct at_record {
	uint32_t is_waiting;	/**< The first thread waits for the recorded one. */
	uint32_t is_over;
	uint32_t nb_regions;
	struct at_region regions[AT_MAX_REGIONS];
	struct at_lines lines[2];
};

/** Whether this CPU and this build can be recorded. */
bool at_record_is_supported(void);

/** NULL: out of memory. The child writes it, and its parent reads it. */
struct at_record *at_record_alloc(void);
void at_record_free(struct at_record *record);

/**
 * Record a function in the only other thread of a child of fork(2).
 *
 * @param nb_calls
 *   Calls of the function, with its second argument from 0 on.
 * @return
 *   0 or a negative errno.
 */
int at_record_run(struct at_record *record, struct at_lines *lines, unsigned int nb_calls,
		  void (*run)(void *arg, unsigned int call), void *arg);

/** Find a line that one thread writes and the other one accesses. @return NULL: there is none. */
const struct at_line *at_lines_shared(const struct at_lines *writer, const struct at_lines *other,
				      uintptr_t but, const struct at_line **met);

#endif /* AUTOTEST_RECORD_H */
