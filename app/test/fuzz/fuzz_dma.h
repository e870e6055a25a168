/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef FUZZ_DMA_H
#define FUZZ_DMA_H

#include "include/dma.h"

/** Access the arena of the world whose first member is dma. */
void fuzz_dma_init(struct swhca_dma *dma);

/** Set the clock to its value at the start of every input. */
void fuzz_clock_reset(void);

#endif /* FUZZ_DMA_H */
