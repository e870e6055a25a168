/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* What the model has of the process: descriptors and threads. */

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include "../patience.h"
#include "fuzz_check.h"

#define MOST_MS 200u

static unsigned int
entries_count(const char *path)
{
	DIR *dir = opendir(path);
	unsigned int nb = 0;

	FUZZ_NEED(dir != NULL);
	while (readdir(dir) != NULL)
		nb++;
	closedir(dir);
	return nb;
}

unsigned int
fuzz_process_count(void)
{
	return entries_count("/proc/self/fd") + entries_count("/proc/self/task");
}

/* What there is, for people. */
static void
process_print(void)
{
	char path[300], target[300];
	struct dirent *entry;
	ssize_t len;
	DIR *dir = opendir("/proc/self/fd");

	FUZZ_NEED(dir != NULL);
	while ((entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", entry->d_name);
		len = readlink(path, target, sizeof(target) - 1);
		target[len < 0 ? 0 : len] = '\0';
		fprintf(stderr, "%s %s\n", entry->d_name, target);
	}
	closedir(dir);
	fprintf(stderr, "%u threads\n", entries_count("/proc/self/task") - 2);
}

static void
pause_ms(void)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
}

unsigned int
fuzz_process_most(void)
{
	unsigned int now, most = 0;

	for (unsigned int i = 0; i < MOST_MS; i++) {
		now = fuzz_process_count();
		most = now > most ? now : most;
		pause_ms();
	}
	return most;
}

unsigned int
fuzz_process_settle(unsigned int nb)
{
	const uint64_t end = patience_end();
	unsigned int now;

	do {
		now = fuzz_process_count();
		if (now <= nb)
			return now;
		pause_ms();
	} while (!patience_is_over(end));
	process_print();
	return now;
}
