/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * libc calls that read or write at an offset. A device file has no content; the memory of ours
 * contains the mapped pages, which must not be written this way. An attribute is regenerated when
 * it is read from the beginning.
 */

/* pread() and pread64() are two symbols here; with 64-bit offsets by default they would be one. */
#undef _FILE_OFFSET_BITS

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "front/preload/live.h"
#include "front/preload/preload.h"
#include "front/uverbs/call/uverbs.h"

#define AT_OFFSET(name, buf_type, off_type)                                                        \
	EXPORT ssize_t name(int fd, buf_type buf, size_t len, off_type offset)                     \
	{                                                                                          \
		REAL(ssize_t, name, int, buf_type, size_t, off_type);                              \
		return swhca_uverbs_index(fd) < 0 ? real(fd, buf, len, offset) :                   \
						    swhca_preload_result(-ESPIPE);                 \
	}
#define READ_AT_OFFSET(name, off_type)                                                             \
	EXPORT ssize_t name(int fd, void *buf, size_t len, off_type offset)                        \
	{                                                                                          \
		REAL(ssize_t, name, int, void *, size_t, off_type);                                \
		if (swhca_uverbs_index(fd) >= 0)                                                   \
			return swhca_preload_result(-ESPIPE);                                      \
		swhca_live_reading(fd, offset);                                                    \
		return real(fd, buf, len, offset);                                                 \
	}
#define VECTOR_AT_OFFSET(name, off_type)                                                           \
	EXPORT ssize_t name(int fd, const struct iovec *iov, int nb, off_type offset)              \
	{                                                                                          \
		REAL(ssize_t, name, int, const struct iovec *, int, off_type);                     \
		return swhca_uverbs_index(fd) < 0 ? real(fd, iov, nb, offset) :                    \
						    swhca_preload_result(-ESPIPE);                 \
	}

READ_AT_OFFSET(pread, off_t)
READ_AT_OFFSET(pread64, off64_t)
AT_OFFSET(pwrite, const void *, off_t)
AT_OFFSET(pwrite64, const void *, off64_t)
VECTOR_AT_OFFSET(preadv, off_t)
VECTOR_AT_OFFSET(preadv64, off64_t)
VECTOR_AT_OFFSET(pwritev, off_t)
VECTOR_AT_OFFSET(pwritev64, off64_t)

EXPORT off_t
lseek(int fd, off_t offset, int whence)
{
	REAL(off_t, lseek, int, off_t, int);

	return swhca_uverbs_index(fd) < 0 ? real(fd, offset, whence) :
					    swhca_preload_result(-ESPIPE);
}

EXPORT off64_t
lseek64(int fd, off64_t offset, int whence)
{
	REAL(off64_t, lseek64, int, off64_t, int);

	return swhca_uverbs_index(fd) < 0 ? real(fd, offset, whence) :
					    swhca_preload_result(-ESPIPE);
}
