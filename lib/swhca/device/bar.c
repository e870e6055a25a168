/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Pages of the BAR that are pages of other files, so that a mapping of such a file at its own
 * offset accesses the page of the device.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "object/bar.h"

/* By system call number, as programs replace mmap(2). The engine may access the page meanwhile. */
static int
bar_map(struct swhca_hca *hca, uint64_t bar_offset, size_t len, int fd, off_t offset)
{
	long ret;

	swhca_fabric_lock(hca->fabric);
	ret = syscall(SYS_mmap, hca->bar + bar_offset, len, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_FIXED, fd, offset);
	swhca_fabric_unlock(hca->fabric);
	return ret == -1 ? -errno : 0;
}

int
swhca_hca_bar_place(struct swhca_hca *hca, uint64_t bar_offset, size_t len, int fd, off_t offset)
{
	return bar_map(hca, bar_offset, len, fd, offset);
}

int
swhca_hca_bar_restore(struct swhca_hca *hca, uint64_t bar_offset, size_t len)
{
	return bar_map(hca, bar_offset, len, hca->bar_fd, (off_t)bar_offset);
}

bool
swhca_hca_bar_has(const struct swhca_hca *hca, uintptr_t va)
{
	return va >= (uintptr_t)hca->bar && va < (uintptr_t)hca->bar + hca->bar_size;
}

int
swhca_hca_timer_add(struct swhca_hca *hca, int fd, off_t offset, struct swhca_timer **out)
{
	struct swhca_timer *timer = swhca_alloc(sizeof(*timer));
	long ret;

	if (timer == NULL)
		return -ENOMEM;
	ret = syscall(SYS_mmap, NULL, SWHCA_TIMER_BAR_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		      offset);
	if (ret == -1) {
		free(timer);
		return -errno;
	}
	timer->page = (uint64_t *)ret;
	swhca_fabric_lock(hca->fabric);
	LIST_INSERT_HEAD(&hca->timers, timer, link);
	swhca_timers_update(&hca->timers);
	swhca_fabric_unlock(hca->fabric);
	*out = timer;
	return 0;
}

void
swhca_hca_timer_remove(struct swhca_hca *hca, struct swhca_timer *timer)
{
	swhca_fabric_lock(hca->fabric);
	LIST_REMOVE(timer, link);
	swhca_fabric_unlock(hca->fabric);
	syscall(SYS_munmap, timer->page, SWHCA_TIMER_BAR_SIZE);
	free(timer);
}
