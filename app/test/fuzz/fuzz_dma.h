/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_DMA_H
#define FUZZ_DMA_H

#include "include/dma.h"

/** Access to the arena of the world that dma is the first member of. */
void fuzz_dma_init(struct swhca_dma *dma);

/** The clock stands where it does at the beginning of every input. */
void fuzz_clock_reset(void);

#endif /* FUZZ_DMA_H */
