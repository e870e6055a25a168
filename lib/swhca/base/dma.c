/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/dma_direct.h"
#include "base/log.h"
#include "base/span.h"

/* Linux accepts at most UIO_MAXIOV spans in one call (process_vm_readv(2)). */
#define MAX_SPANS 1024

/* Bytes of host memory copied at once in the fallback. */
#define BOUNCE_BYTES 4096u

/* The kernel's copy is denied, as by seccomp(2) of a container, and is not retried. */
static atomic_bool is_denied;

static void
denied(int err)
{
	if (!atomic_exchange(&is_denied, true))
		SWHCA_LOG(WARNING,
			  "process_vm_readv: %s; memory is copied by loads and stores, "
			  "with their faults caught",
			  strerror(err));
}

/*
 * The kernel's copy without libc: a sanitizer that wraps the function checks the local side itself
 * and would end the process where the kernel reports a fault.
 *
 * @return
 *   0, -EFAULT, or another negative errno: the kernel has not copied, and the addresses were not
 *   checked. Access to this process needs no privilege, so EPERM and the like are not about them.
 */
static int
kernel_copy(const struct iovec *dst, size_t nb_dst, const struct iovec *src, size_t nb_src,
	    uint64_t len)
{
	ssize_t done;

	if (atomic_load_explicit(&is_denied, memory_order_relaxed))
		return -EPERM;
	/*
	 * Pass a long: the kernel reads all of the last argument, and the upper half of an int is
	 * undefined.
	 */
	done = syscall(SYS_process_vm_readv, getpid(), dst, nb_dst, src, nb_src, 0ul);
	if (done == (ssize_t)len)
		return 0;
	if (done >= 0 || errno == EFAULT)
		return -EFAULT;
	denied(errno);
	return -EPERM;
}

static int
copy_bytes(void *dst, const void *src, size_t len)
{
	struct iovec local = { .iov_base = dst, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)src, .iov_len = len };
	int ret = kernel_copy(&local, 1, &remote, 1, len);

	return ret == 0 || ret == -EFAULT ? ret : swhca_dma_guarded_bytes(dst, src, len);
}

static void *
bus_to_va(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

static long
mem_call(long call, int fd, uint8_t *buf, size_t len, uint64_t addr)
{
	return syscall(call, fd, buf, len, addr);
}

/* Opened on each call: a program may close descriptors that it does not know. */
static int
forced_access(long call, uint64_t addr, uint8_t *buf, size_t len)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR | O_CLOEXEC);
	long done = 1;

	if (fd < 0)
		return -EFAULT;
	for (addr &= ~SWHCA_DMA_FORCED; len > 0 && done > 0; addr += (uint64_t)done) {
		done = mem_call(call, fd, buf, len, addr);
		if (done > 0) {
			buf += done;
			len -= (size_t)done;
		}
	}
	syscall(SYS_close, fd);
	return len == 0 ? 0 : -EFAULT;
}

static bool
is_forced(uint64_t addr)
{
	return (addr & SWHCA_DMA_FORCED) != 0;
}

/*
 * Both calls copy within this process. Each side is checked, so that an unmapped span ends the call
 * instead of the process.
 */
static int
process_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	(void)dma;
	if (is_forced(addr))
		return forced_access(SYS_pread64, addr, dst, len);
	return copy_bytes(dst, bus_to_va(addr), len);
}

static int
process_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	/* Written through the local side, which respects the protection of this process' pages. */
	(void)dma;
	if (is_forced(addr))
		return forced_access(SYS_pwrite64, addr, (uint8_t *)(uintptr_t)src, len);
	return copy_bytes(bus_to_va(addr), src, len);
}

static int
process_write_last(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	/* Pairs with the reader's barrier after the check of the last byte, the owner. */
	int ret;

	ret = process_write(dma, addr, src, len - 1);
	if (ret != 0)
		return ret;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return process_write(dma, addr + len - 1, (const uint8_t *)src + len - 1, 1);
}

/*
 * Check whether every span is readable: only called after a failed copy, to find the failing side.
 */
static bool
spans_are_readable(const struct swhca_dma *dma, const struct swhca_span *spans, size_t nb)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t addr, end;
	uint8_t byte;
	size_t i;

	for (i = 0; i < nb; i++) {
		addr = spans[i].addr;
		end = addr + spans[i].len;
		while (addr < end) {
			if (process_read(dma, &byte, addr, 1) != 0)
				return false;
			addr = (addr & ~(uint64_t)(page - 1)) + page;
		}
	}
	return true;
}

/* Take up to MAX_SPANS spans of at most max bytes in total. @return Their size. */
static uint64_t
spans_take(struct swhca_span_cursor *at, struct iovec *iov, size_t *nb_iov, uint64_t max)
{
	struct swhca_span piece;
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < MAX_SPANS && total < max; i++) {
		if (swhca_span_take(at, max - total, &piece) == 0)
			break;
		iov[i].iov_base = swhca_span_ptr(&piece);
		iov[i].iov_len = piece.len;
		total += piece.len;
	}
	*nb_iov = i;
	return total;
}

/* Copy the next MAX_SPANS spans of both lists, until one ends. */
static int
kernel_copy_lists(struct swhca_span_cursor to, struct swhca_span_cursor from)
{
	struct iovec local[MAX_SPANS], remote[MAX_SPANS];
	size_t nb_local, nb_remote;
	struct swhca_span_cursor at;
	uint64_t len;
	int ret;

	while (to.nb > 0 && from.nb > 0) {
		at = to;
		len = spans_take(&at, local, &nb_local, UINT64_MAX);
		len = spans_take(&from, remote, &nb_remote, len);
		len = spans_take(&to, local, &nb_local, len);
		ret = kernel_copy(local, nb_local, remote, nb_remote, len);
		if (ret != 0)
			return ret;
	}
	return 0;
}

/* Host memory is copied through a buffer, model memory directly. */
static int
copy_pieces(const struct swhca_dma *dma, struct swhca_span_cursor to, struct swhca_span_cursor from)
{
	struct swhca_span piece, room;
	uint8_t bounce[BOUNCE_BYTES];
	const uint8_t *data;

	while (swhca_span_take(&from, sizeof(bounce), &piece) > 0) {
		data = bounce;
		if (piece.where == SWHCA_WHERE_MODEL)
			data = swhca_span_ptr(&piece);
		else if (dma->read(dma, bounce, piece.addr, piece.len) != 0)
			return -EFAULT;
		for (; piece.len > 0; piece.len -= room.len, data += room.len) {
			if (swhca_span_take(&to, piece.len, &room) == 0 ||
			    swhca_span_write(dma, &room, data) != 0)
				return -EACCES;
		}
	}
	return 0;
}

static bool
has_forced(const struct swhca_span *spans, size_t nb)
{
	size_t i;

	for (i = 0; i < nb; i++) {
		if (spans[i].where == SWHCA_WHERE_BUS && is_forced(spans[i].addr))
			return true;
	}
	return false;
}

/* Model memory is also memory of this process. */
static int
process_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
	     const struct swhca_span *src, size_t nb_src)
{
	const struct swhca_span_cursor to = { .span = dst, .nb = nb_dst };
	const struct swhca_span_cursor from = { .span = src, .nb = nb_src };
	int ret = kernel_copy_lists(to, from);

	if (ret != 0 && (has_forced(dst, nb_dst) || has_forced(src, nb_src)))
		return copy_pieces(dma, to, from);
	if (ret != 0 && ret != -EFAULT)
		ret = swhca_dma_guarded_lists(dst, nb_dst, src, nb_src);
	return ret != 0 && spans_are_readable(dma, src, nb_src) ? -EACCES : ret;
}

static const struct swhca_dma dma_process = {
	.read = process_read,
	.write = process_write,
	.write_last = process_write_last,
	.copy = process_copy,
};

const struct swhca_dma *
swhca_dma_process(void)
{
	return &dma_process;
}

int
swhca_dma_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
	       const struct swhca_span *src, size_t nb_src)
{
	const struct swhca_span_cursor to = { .span = dst, .nb = nb_dst };
	const struct swhca_span_cursor from = { .span = src, .nb = nb_src };

	if (dma->copy != NULL)
		return dma->copy(dma, dst, nb_dst, src, nb_src);
	return copy_pieces(dma, to, from);
}
