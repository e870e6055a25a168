/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OP_ATOMIC_H
#define SWHCA_OP_ATOMIC_H

/**
 * @file
 * Atomics: compare and swap, fetch and add.
 */

#include "queue/qp.h"

enum swhca_wqe_end swhca_atomic_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_OP_ATOMIC_H */
