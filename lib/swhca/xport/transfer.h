/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_TRANSFER_H
#define SWHCA_XPORT_TRANSFER_H

/**
 * @file
 * Local memory of a transfer: segments to spans.
 */

#include "queue/qp.h"
#include "queue/wqe.h"

/** Translate the data segments from wqe->ds on to spans of fabric->local. */
enum swhca_wqe_end swhca_local_translate(struct swhca_qp *qp, struct swhca_wqe *wqe,
					 uint8_t need);

#endif /* SWHCA_XPORT_TRANSFER_H */
