/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/perf_event.h>
#include <sys/syscall.h>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAS_CALLGRIND	1
#else
#define HAS_CALLGRIND	0
#endif

#include "bench/measure/count.h"

__thread struct bench_counter bench_counter = { .fd = -1 };

int
bench_count_open_event(uint32_t type, uint64_t config)
{
	/* Pinned: the counter counts all the time, or reading it fails. */
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	bench_count_close();
	bench_counter.fd = (int)fd;
	return 0;
}

int
bench_count_open(void)
{
	return bench_count_open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
}

const char *
bench_count_strerror(int error)
{
	switch (-error) {
	case ENOENT:
	case EOPNOTSUPP:
		return "the CPU has no counter of instructions, or its hypervisor hides it";
	case EACCES:
	case EPERM:
		return "not permitted, see perf_event_paranoid in perf_event_open(2)";
	case ENOSYS:
		return "the kernel has no perf_event_open(2)";
	case EIO:
		return "the counter could not be read, others use it";
	default:
		return strerror(-error);
	}
}

void
bench_count_close(void)
{
	if (bench_counter.fd >= 0)
		close(bench_counter.fd);
	bench_counter = (struct bench_counter){ .fd = -1 };
}

void
bench_count_reset(void)
{
	bench_counter.sum = 0;
	bench_counter.nb_sections = 0;
	bench_counter.has_failed = false;
#if HAS_CALLGRIND
	CALLGRIND_ZERO_STATS;
#endif
}

bool
bench_count_is_below_callgrind(void)
{
#if HAS_CALLGRIND
	return RUNNING_ON_VALGRIND != 0;
#else
	return false;
#endif
}

void
bench_count_open_callgrind(void)
{
	bench_count_close();
	bench_counter.is_callgrind = true;
}

void
bench_count_dump(const char *text)
{
#if HAS_CALLGRIND
	CALLGRIND_DUMP_STATS_AT(text);
#else
	(void)text;
#endif
}

/* Toggle the collection of callgrind. */
static void
callgrind_toggle(void)
{
#if HAS_CALLGRIND
	CALLGRIND_TOGGLE_COLLECT;
#endif
}

static uint64_t
counter_read(void)
{
	uint64_t value;

	if (read(bench_counter.fd, &value, sizeof(value)) == (ssize_t)sizeof(value))
		return value;
	bench_counter.has_failed = true;
	return 0;
}

void
bench_count_section_start(void)
{
	bench_counter.nb_sections++;
	if (bench_counter.is_callgrind)
		callgrind_toggle();
	else
		bench_counter.start = counter_read();
}

void
bench_count_section_end(void)
{
	if (bench_counter.is_callgrind)
		callgrind_toggle();
	else
		bench_counter.sum += counter_read() - bench_counter.start;
}
