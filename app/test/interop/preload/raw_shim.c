/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Loaded in front of everything: mmap(2) and munmap(2) are the system calls, as UCX and Open MPI
 * make them by patching libc, so that no other library hears of a mapping.
 */

/* mmap() and mmap64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *
mmap(void *addr, size_t len, int prot, int flags, int fd, off_t offset)
{
	return (void *)(uintptr_t)syscall(SYS_mmap, addr, len, prot, flags, fd, offset);
}

EXPORT void *
mmap64(void *addr, size_t len, int prot, int flags, int fd, off64_t offset)
{
	return mmap(addr, len, prot, flags, fd, offset);
}

EXPORT int
munmap(void *addr, size_t len)
{
	return (int)syscall(SYS_munmap, addr, len);
}
