/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DMA_DIRECT_H
#define SWHCA_DMA_DIRECT_H

/**
 * @file
 * Host memory by plain loads and stores, for the engine thread.
 *
 * A page that is not there raises SIGSEGV or SIGBUS in the middle of a copy. Whoever owns the
 * handlers of these signals calls swhca_dma_direct_recover() first: it takes the engine back to
 * the start of its copy, which is then done by the kernel (swhca_dma_process()) to learn what is
 * wrong. Nothing else may jump out of a copy.
 *
 * Other threads, which may have these signals blocked, go by the kernel at once. Where the kernel
 * does not copy (process_vm_readv(2) is denied), they do the same as the engine thread, with these
 * signals unblocked for as long as a copy takes: the guarded calls below, which any thread may use.
 * They reach memory of this process alone.
 */

#include "include/dma.h"

/**
 * DMA by loads and stores. Only for a process whose handlers of SIGSEGV and SIGBUS call
 * swhca_dma_direct_recover(). Built with AddressSanitizer it is swhca_dma_process(): memory of
 * the program is none of the sanitizer's business here.
 */
const struct swhca_dma *swhca_dma_direct(void);

/**
 * For the handler of SIGSEGV and SIGBUS: if this thread is in a copy, end that copy. Returns only
 * if the fault was somewhere else. Async signal safe.
 */
void swhca_dma_direct_recover(void);

/** Copy len bytes by loads and stores. @return 0, or -EFAULT: part may have been copied. */
int swhca_dma_guarded_bytes(void *dst, const void *src, size_t len);
/** Copy between two lists, as swhca_dma_copy(). @return 0, or -EFAULT on either side. */
int swhca_dma_guarded_lists(const struct swhca_span *dst, size_t nb_dst,
			    const struct swhca_span *src, size_t nb_src);
/** Write the byte at an address of this process as it is. @return 0 or -EFAULT. */
int swhca_dma_guarded_touch(uint64_t addr);

/** Whether the calling thread is one that copies directly: no signal is meant for it. */
int swhca_dma_direct_is_engine(void);

#endif /* SWHCA_DMA_DIRECT_H */
