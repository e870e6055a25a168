/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_UD_H
#define SWHCA_XPORT_UD_H

/**
 * @file
 * Datagrams.
 */

#include "queue/qp.h"

enum swhca_wqe_end swhca_ud_send_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_XPORT_UD_H */
