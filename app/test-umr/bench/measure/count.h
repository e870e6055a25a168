/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

/**
 * @file
 * Count the instructions of sections instead of their time, with a counter of the CPU
 * (perf_event_open(2)) or with callgrind.
 *
 * A counter belongs to a thread. While it is on, it counts the sections of clock.h of that thread
 * and nothing outside them. Starting and ending a section adds a constant number of instructions,
 * which empty sections show.
 */

#include <stdbool.h>
#include <stdint.h>

/** State of the counter since bench_count_reset(). */
struct bench_counter {
	bool is_on;		/**< Sections are counted. */
	bool is_callgrind;	/**< Sections only toggle callgrind, which keeps the sum. */
	bool has_failed;	/**< Reading the counter failed. */
	int fd;			/**< Of perf_event_open(). */
	uint64_t start;		/**< Value of the counter at the start of the section. */
	uint64_t sum;
	uint64_t nb_sections;
};

extern __thread struct bench_counter bench_counter;

/** Start and end of a section while the counter is on; only for clock.h. */
void bench_count_section_start(void);
void bench_count_section_end(void);

/**
 * Open a counter of the calling thread for user space only; type and configuration are those of
 * perf_event_open(2).
 *
 * @return
 *   0 or a negative errno.
 */
int bench_count_open_event(uint32_t type, uint64_t config);
/** The same for instructions. */
int bench_count_open(void);
/** Explain a failure of these functions and how to fix it. */
const char *bench_count_strerror(int error);
void bench_count_close(void);

/** Whether callgrind runs this program and the program was built with support for it. */
bool bench_count_is_below_callgrind(void);
/** Make sections toggle callgrind. */
void bench_count_open_callgrind(void);
/** Below callgrind: write the counts to a file, with a text. */
void bench_count_dump(const char *text);

/** Reset the count to 0. */
void bench_count_reset(void);

/** Pause counting during preparations; returns the previous state. */
static inline bool
bench_count_pause(void)
{
	bool was_on = bench_counter.is_on;

	bench_counter.is_on = false;
	return was_on;
}

/** Resume counting. */
static inline void
bench_count_resume(bool was_on)
{
	bench_counter.is_on = was_on;
}

#endif /* BENCH_COUNT_H */
