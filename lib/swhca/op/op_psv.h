/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OP_PSV_H
#define SWHCA_OP_PSV_H

/**
 * @file
 * SET_PSV: set a new initial signature.
 */

#include "queue/qp.h"

enum swhca_wqe_end swhca_set_psv_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_OP_PSV_H */
