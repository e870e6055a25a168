/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

/**
 * @file
 * Count the instructions of sections instead of their time: by a counter of the CPU
 * (perf_event_open(2)), or below callgrind by that.
 *
 * A counter belongs to a thread. While it is on, the sections of clock.h of that thread are
 * counted; what is not in a section is not. Starting and ending a section costs some instructions
 * that are counted, too: always the same, so that empty sections tell how many.
 */

#include <stdbool.h>
#include <stdint.h>

/** What has been counted since bench_count_reset(). */
struct bench_counter {
	bool is_on;		/**< Sections are counted. */
	bool is_callgrind;	/**< They only tell callgrind where they are; it has the sum. */
	bool has_failed;	/**< The counter could not be read. */
	int fd;			/**< Of perf_event_open(). */
	uint64_t start;		/**< The counter when the section began. */
	uint64_t sum;
	uint64_t nb_sections;
};

extern __thread struct bench_counter bench_counter;

/** A section begins and ends while the counter is on; only clock.h calls them. */
void bench_count_section_start(void);
void bench_count_section_end(void);

/**
 * Open a counter of the calling thread, user space only: what perf_event_open(2) counts under that
 * type and configuration.
 *
 * @return
 *   0 or a negative errno.
 */
int bench_count_open_event(uint32_t type, uint64_t config);
/** The same for instructions. */
int bench_count_open(void);
/** What a failure of these means, and what can be done about it. */
const char *bench_count_strerror(int error);
/** Close what is open. */
void bench_count_close(void);

/** Whether callgrind runs this program, and this program was built to know it. */
bool bench_count_is_below_callgrind(void);
/** Let sections tell callgrind where they are. */
void bench_count_open_callgrind(void);
/** Below callgrind: write what was counted to a file, with that text. */
void bench_count_dump(const char *text);

/** Start from 0. */
void bench_count_reset(void);

/** Do not count what follows, which only prepares what is counted; returns what it was. */
static inline bool
bench_count_pause(void)
{
	bool was_on = bench_counter.is_on;

	bench_counter.is_on = false;
	return was_on;
}

/** Go on. */
static inline void
bench_count_resume(bool was_on)
{
	bench_counter.is_on = was_on;
}

#endif /* BENCH_COUNT_H */
