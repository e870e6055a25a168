/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OP_MMO_H
#define SWHCA_OP_MMO_H

/**
 * @file
 * Memory-to-memory operations.
 */

#include "queue/qp.h"

/** log2 of the maximum size of a copy. */
#define SWHCA_LOG_MAX_MMO_DMA 21u

enum swhca_wqe_end swhca_mmo_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_OP_MMO_H */
