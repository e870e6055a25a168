/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

#include "bench_threads.h"

/* 1: kept off, 0: nothing to do, or a negative errno. */
static int
thread_keep_off(pid_t tid, const cpu_set_t *cpus)
{
	cpu_set_t allowed, elsewhere;

	if (sched_getaffinity(tid, sizeof(allowed), &allowed) != 0)
		return errno == ESRCH ? 0 : -errno;
	CPU_AND(&elsewhere, &allowed, cpus);	/* what both have */
	if (CPU_COUNT(&elsewhere) == 0)
		return 0;
	CPU_XOR(&elsewhere, &elsewhere, &allowed);
	if (CPU_COUNT(&elsewhere) == 0)
		return 0;
	if (sched_setaffinity(tid, sizeof(elsewhere), &elsewhere) != 0)
		return errno == ESRCH ? 0 : -errno;
	return 1;
}

int
bench_threads_keep_off(const cpu_set_t *cpus)
{
	DIR *dir = opendir("/proc/self/task");
	int nb = 0, ret = 0;
	struct dirent *entry;
	pid_t tid;

	if (dir == NULL)
		return -errno;
	while (ret >= 0 && (entry = readdir(dir)) != NULL) {
		tid = (pid_t)strtol(entry->d_name, NULL, 10);	/* 0: . and .. */
		ret = tid == 0 ? 0 : thread_keep_off(tid, cpus);
		nb += ret;
	}
	closedir(dir);
	return ret < 0 ? ret : nb;
}
