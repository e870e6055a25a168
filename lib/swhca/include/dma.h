/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DMA_H
#define SWHCA_DMA_H

/**
 * @file
 * How the software HCA reaches host memory: the only place where it does.
 *
 * What a bus address means is known to whoever implements struct swhca_dma, and to software that
 * puts it into rings, page lists and keys: to the model it is a number. Memory of the model itself
 * has no bus address; where both kinds meet, at the two ends of a transfer, a span says which it
 * is.
 *
 * An address that is not mapped, or not mapped for that access, gives -EFAULT and never a signal.
 */

#include <stddef.h>
#include <stdint.h>

/** Where the bytes of a span are. */
enum swhca_where {
	SWHCA_WHERE_BUS,	/**< Host memory: addr is a bus address. */
	SWHCA_WHERE_MODEL,	/**< Memory of the model itself: addr points to it. */
};

/** Contiguous bytes. */
struct swhca_span {
	uint64_t addr;
	uint64_t len;
	enum swhca_where where;
};

/** Access to host memory. Functions return 0 or -EFAULT unless they say more. */
struct swhca_dma {
	/** Called once by a thread that goes on to do much of it; may be NULL. */
	void (*enter)(const struct swhca_dma *dma);
	/** Read len bytes at bus address addr. */
	int (*read)(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len);
	/** Write len bytes at bus address addr, in ascending order. */
	int (*write)(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len);
	/**
	 * Write len bytes so that the last byte becomes visible after all others: a CQE whose
	 * owner the last byte tells.
	 */
	int (*write_last)(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len);
	/** What swhca_dma_copy() does, if there is a faster way than by the above; may be NULL. */
	int (*copy)(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
		    const struct swhca_span *src, size_t nb_src);
};

/**
 * Copy between two lists of spans, anywhere, of the same total length. Where source and
 * destination overlap the result is undefined.
 *
 * @return
 *   0, -EFAULT if a source span cannot be read, -EACCES if a destination span cannot be written;
 *   then part of the destination may have been.
 */
int swhca_dma_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
		   const struct swhca_span *src, size_t nb_src);

/**
 * In a bus address of swhca_dma_process(): the page is accessed whatever its protection is now, as
 * a device accesses one that it has pinned, as far as /proc/self/mem does it (FOLL_FORCE of Linux):
 * not for stores to shared memory, nor where the kernel keeps that file from a process.
 */
#define SWHCA_DMA_FORCED (UINT64_C(1) << 63)

/**
 * Access to the memory of this process by process_vm_readv(2): the kernel finds the faults. A bus
 * address is the address of the process. Where the call is denied, by loads and stores, which needs
 * the handlers of base/dma_direct.h.
 */
const struct swhca_dma *swhca_dma_process(void);

#endif /* SWHCA_DMA_H */
