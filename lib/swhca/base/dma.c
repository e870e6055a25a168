/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "include/dma.h"

/* Linux accepts at most UIO_MAXIOV spans in one call (process_vm_readv(2)). */
#define MAX_SPANS 1024

/*
 * The kernel's copy, called past libc: a sanitizer that wraps the function checks the local side
 * itself and would end the process where the kernel reports a fault.
 */
static ssize_t
kernel_copy(const struct iovec *dst, size_t nb_dst, const struct iovec *src, size_t nb_src)
{
	/* All of the last one is read, and as an int half of it would be left to chance. */
	return syscall(SYS_process_vm_readv, getpid(), dst, nb_dst, src, nb_src, 0ul);
}

static void *
bus_to_va(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

/*
 * Both calls copy within this process. The kernel checks each side, so that a span which nobody
 * mapped ends the call instead of the process.
 */
static int
process_read(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len)
{
	struct iovec local = { .iov_base = dst, .iov_len = len };
	struct iovec remote = { .iov_base = bus_to_va(addr), .iov_len = len };

	(void)dma;
	if (kernel_copy(&local, 1, &remote, 1) != (ssize_t)len)
		return -EFAULT;
	return 0;
}

static int
process_write(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	/* Written through the local side: that honors the protection of this process' pages. */
	struct iovec local = { .iov_base = bus_to_va(addr), .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)src, .iov_len = len };

	(void)dma;
	if (kernel_copy(&local, 1, &remote, 1) != (ssize_t)len)
		return -EFAULT;
	return 0;
}

static int
process_write_last(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len)
{
	/* Its partner is the reader's barrier behind the check of the last byte, the owner. */
	int ret;

	ret = process_write(dma, addr, src, len - 1);
	if (ret != 0)
		return ret;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return process_write(dma, addr + len - 1, (const uint8_t *)src + len - 1, 1);
}

/* Whether every span can be read: only asked after a failed copy, to blame the right side. */
static bool
spans_are_readable(const struct swhca_dma *dma, const struct iovec *iov, size_t nb)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t addr, end;
	uint8_t byte;
	size_t i;

	for (i = 0; i < nb; i++) {
		addr = (uintptr_t)iov[i].iov_base;
		end = addr + iov[i].iov_len;
		while (addr < end) {
			if (process_read(dma, &byte, addr, 1) != 0)
				return false;
			addr = (addr & ~(uint64_t)(page - 1)) + page;
		}
	}
	return true;
}

/* A position in a span list. */
struct span_cursor {
	const struct iovec *iov;
	size_t nb;
	size_t done;	/* bytes of iov[0] that are behind us */
};

/* Fill up to MAX_SPANS spans of at most max bytes in all; returns how many bytes they hold. */
static size_t
cursor_peek(const struct span_cursor *cur, struct iovec *iov, size_t *nb_iov, size_t max)
{
	size_t i, total = 0, skip = cur->done;

	for (i = 0; i < cur->nb && i < MAX_SPANS && total < max; i++) {
		iov[i].iov_base = (uint8_t *)cur->iov[i].iov_base + skip;
		iov[i].iov_len = cur->iov[i].iov_len - skip;
		if (iov[i].iov_len > max - total)
			iov[i].iov_len = max - total;
		total += iov[i].iov_len;
		skip = 0;
	}
	*nb_iov = i;
	return total;
}

static void
cursor_advance(struct span_cursor *cur, size_t len)
{
	while (cur->nb > 0 && len >= cur->iov->iov_len - cur->done) {
		len -= cur->iov->iov_len - cur->done;
		cur->done = 0;
		cur->iov++;
		cur->nb--;
	}
	cur->done += len;
}

static int
process_copy_chunked(const struct iovec *dst, size_t nb_dst, const struct iovec *src,
		     size_t nb_src)
{
	struct span_cursor to = { .iov = dst, .nb = nb_dst };
	struct span_cursor from = { .iov = src, .nb = nb_src };
	struct iovec local[MAX_SPANS], remote[MAX_SPANS];
	size_t nb_local, nb_remote, len;

	while (to.nb > 0 && from.nb > 0) {
		len = cursor_peek(&to, local, &nb_local, SIZE_MAX);
		len = cursor_peek(&from, remote, &nb_remote, len);
		len = cursor_peek(&to, local, &nb_local, len);
		if (kernel_copy(local, nb_local, remote, nb_remote) != (ssize_t)len)
			return -EFAULT;
		cursor_advance(&to, len);
		cursor_advance(&from, len);
	}
	return 0;
}

static int
process_copy(const struct swhca_dma *dma, const struct iovec *dst, size_t nb_dst,
	     const struct iovec *src, size_t nb_src)
{
	size_t i;
	ssize_t len = 0;
	int ret = 0;

	if (nb_dst <= MAX_SPANS && nb_src <= MAX_SPANS) {
		for (i = 0; i < nb_src; i++)
			len += (ssize_t)src[i].iov_len;
		if (kernel_copy(dst, nb_dst, src, nb_src) == len)
			return 0;
		ret = -EFAULT;
	} else {
		ret = process_copy_chunked(dst, nb_dst, src, nb_src);
	}
	if (ret != 0 && spans_are_readable(dma, src, nb_src))
		ret = -EACCES;
	return ret;
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
