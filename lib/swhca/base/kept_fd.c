/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "base/high_fd.h"
#include "base/kept_fd.h"

#define MAX_FDS 65536
#define WORD_BITS 64

static _Atomic uint64_t kept[MAX_FDS / WORD_BITS];
/* Subset that a child does not have. */
static _Atomic uint64_t here[MAX_FDS / WORD_BITS];
/* Process that owns the descriptors. */
static _Atomic pid_t owner;

static bool
is_in_range(int fd)
{
	return fd >= 0 && fd < MAX_FDS;
}

void
swhca_fd_keep(int fd)
{
	if (!is_in_range(fd))
		return;
	atomic_store(&owner, getpid());
	atomic_fetch_or(&kept[fd / WORD_BITS], UINT64_C(1) << fd % WORD_BITS);
}

void
swhca_fd_keep_here(int fd)
{
	swhca_fd_keep(fd);
	if (is_in_range(fd))
		atomic_fetch_or(&here[fd / WORD_BITS], UINT64_C(1) << fd % WORD_BITS);
}

void
swhca_fd_close_here(void)
{
	uint64_t word;
	size_t i;
	int bit;

	for (i = 0; i < MAX_FDS / WORD_BITS; i++) {
		word = atomic_exchange(&here[i], 0);
		atomic_fetch_and(&kept[i], ~word);
		for (bit = 0; bit < WORD_BITS; bit++) {
			if ((word & UINT64_C(1) << bit) != 0)
				swhca_fd_close((int)i * WORD_BITS + bit);
		}
	}
}

void
swhca_fd_unkeep(int fd)
{
	if (!is_in_range(fd))
		return;
	atomic_fetch_and(&kept[fd / WORD_BITS], ~(UINT64_C(1) << fd % WORD_BITS));
	atomic_fetch_and(&here[fd / WORD_BITS], ~(UINT64_C(1) << fd % WORD_BITS));
}

void
swhca_fd_release(int fd)
{
	swhca_fd_unkeep(fd);
	/* By system call number: close(2) is intercepted. */
	swhca_fd_close(fd);
}

bool
swhca_fd_is_kept(int fd)
{
	return is_in_range(fd) &&
	       (atomic_load(&kept[fd / WORD_BITS]) & UINT64_C(1) << fd % WORD_BITS) != 0 &&
	       atomic_load(&owner) == getpid();
}

int
swhca_fd_kept_first(unsigned int first, unsigned int last)
{
	unsigned int fd;

	for (fd = first; fd <= last && fd < MAX_FDS; fd++) {
		if (swhca_fd_is_kept((int)fd))
			return (int)fd;
	}
	return -1;
}

void
swhca_fd_forget(void)
{
	size_t i;

	for (i = 0; i < MAX_FDS / WORD_BITS; i++)
		atomic_store(&kept[i], 0);
}
