/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DMA_H
#define SWHCA_DMA_H

/**
 * @file
 * Access of the software HCA to host memory; there is no other.
 *
 * The implementation of struct swhca_dma, and software that writes bus addresses into rings, page
 * lists and keys, define what a bus address means: to the model it is a number. Memory of the model
 * itself has no bus address; a span states which kind each end of a transfer is.
 *
 * An access to an address that is not mapped, or not mapped for it, returns -EFAULT and never
 * raises a signal.
 */

#include <stddef.h>
#include <stdint.h>

/** Memory of a span. */
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

/** Access to host memory. Functions return 0 or -EFAULT unless noted. */
struct swhca_dma {
	/** Called once by a thread before many accesses; may be NULL. */
	void (*enter)(const struct swhca_dma *dma);
	/** Read len bytes at bus address addr. */
	int (*read)(const struct swhca_dma *dma, void *dst, uint64_t addr, size_t len);
	/** Write len bytes at bus address addr, in ascending order. */
	int (*write)(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len);
	/**
	 * Write len bytes so that the last byte becomes visible after all others: it is the owner
	 * byte of a CQE.
	 */
	int (*write_last)(const struct swhca_dma *dma, uint64_t addr, const void *src, size_t len);
	/** Implements swhca_dma_copy() if it is faster than the functions above; may be NULL. */
	int (*copy)(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
		    const struct swhca_span *src, size_t nb_src);
};

/**
 * Copy between two lists of spans of the same total length. Where source and destination overlap
 * the result is undefined.
 *
 * @return
 *   0, -EFAULT if a source span cannot be read, -EACCES if a destination span cannot be written;
 *   part of the destination may then be written.
 */
int swhca_dma_copy(const struct swhca_dma *dma, const struct swhca_span *dst, size_t nb_dst,
		   const struct swhca_span *src, size_t nb_src);

/**
 * Flag of a bus address of swhca_dma_process(): access the page whatever its current protection is,
 * as a device accesses a pinned page, as far as /proc/self/mem supports it (FOLL_FORCE of Linux):
 * not for stores to shared memory, nor where the kernel denies the process that file.
 */
#define SWHCA_DMA_FORCED (UINT64_C(1) << 63)

/**
 * Access to the memory of this process by process_vm_readv(2), where the kernel detects faults. A
 * bus address is an address of the process. Where the call is denied, loads and stores are used,
 * which need the handlers of base/dma_direct.h.
 */
const struct swhca_dma *swhca_dma_process(void);

#endif /* SWHCA_DMA_H */
