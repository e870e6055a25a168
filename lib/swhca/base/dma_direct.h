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
 * Other threads, which may have these signals blocked, go by the kernel at once.
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

/** Whether the calling thread is one that copies directly: no signal is meant for it. */
int swhca_dma_direct_is_engine(void);

#endif /* SWHCA_DMA_DIRECT_H */
