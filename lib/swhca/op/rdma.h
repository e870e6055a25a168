/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_OP_RDMA_H
#define SWHCA_OP_RDMA_H

/**
 * @file
 * Writes, reads and sends.
 */

#include "queue/qp.h"

enum swhca_wqe_end swhca_rdma_write_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
enum swhca_wqe_end swhca_rdma_read_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);
enum swhca_wqe_end swhca_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_OP_RDMA_H */
