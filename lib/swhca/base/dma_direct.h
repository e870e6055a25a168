/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_DMA_DIRECT_H
#define SWHCA_DMA_DIRECT_H

/**
 * @file
 * Host memory accessed by plain loads and stores, for the engine thread.
 *
 * An unmapped page raises SIGSEGV or SIGBUS in the middle of a copy. The handlers of these signals
 * must first call swhca_dma_direct_recover(): it takes the engine back to the start of its copy,
 * which the kernel then performs (swhca_dma_process()) to find the cause. Nothing else may jump out
 * of a copy.
 *
 * Other threads may have these signals blocked and use the kernel. Where the kernel denies
 * process_vm_readv(2), they copy as the engine thread does, with these signals unblocked during a
 * copy: the guarded calls below, which any thread may use. They only reach memory of this process.
 * A thread that makes many small copies unblocks them once for all of these.
 */

#include <signal.h>

#include "include/dma.h"

/**
 * DMA by loads and stores. Only for a process whose handlers of SIGSEGV and SIGBUS call
 * swhca_dma_direct_recover(). Built with AddressSanitizer it is swhca_dma_process(), as the
 * sanitizer must not check these accesses to memory of the program.
 */
const struct swhca_dma *swhca_dma_direct(void);

/**
 * For the handler of SIGSEGV and SIGBUS: end the copy of this thread, if any. Returns only if the
 * fault was not in a copy. Async signal safe.
 */
void swhca_dma_direct_recover(void);

/**
 * Let the calling thread copy directly, too. Until swhca_dma_direct_end() its other signals wait;
 * not nested.
 */
void swhca_dma_direct_begin(sigset_t *old);
void swhca_dma_direct_end(const sigset_t *old);

/** Copy len bytes by loads and stores. @return 0, or -EFAULT: part may have been copied. */
int swhca_dma_guarded_bytes(void *dst, const void *src, size_t len);
/** Copy between two lists, as swhca_dma_copy(). @return 0, or -EFAULT on either side. */
int swhca_dma_guarded_lists(const struct swhca_span *dst, size_t nb_dst,
			    const struct swhca_span *src, size_t nb_src);
/** Rewrite the byte at an address of this process unchanged. @return 0 or -EFAULT. */
int swhca_dma_guarded_touch(uint64_t addr);

/** Check whether the calling thread is an engine: no signal is meant for such a thread. */
int swhca_dma_direct_is_engine(void);

#endif /* SWHCA_DMA_DIRECT_H */
