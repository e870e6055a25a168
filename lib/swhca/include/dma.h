/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DMA_H
#define SWHCA_DMA_H

/**
 * @file
 * How the software HCA reaches host memory: the only place where it does.
 *
 * An address that is not mapped, or not mapped for that access, gives -EFAULT and never a signal.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

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
	/**
	 * Copy between two lists of spans (iov_base holds a bus address) of the same total
	 * length. Where source and destination overlap the result is undefined.
	 *
	 * @return 0, -EFAULT if a source span cannot be read, -EACCES if a destination span
	 *   cannot be written; then part of the destination may have been.
	 */
	int (*copy)(const struct swhca_dma *dma, const struct iovec *dst, size_t nb_dst,
		    const struct iovec *src, size_t nb_src);
};

/** Access to the memory of this process by process_vm_readv(2): the kernel finds the faults. */
const struct swhca_dma *swhca_dma_process(void);

#endif /* SWHCA_DMA_H */
