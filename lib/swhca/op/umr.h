/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OP_UMR_H
#define SWHCA_OP_UMR_H

/**
 * @file
 * UMR and local invalidate.
 */

#include "queue/qp.h"

enum swhca_wqe_end swhca_umr_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
enum swhca_wqe_end swhca_local_inv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_OP_UMR_H */
