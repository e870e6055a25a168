/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_TRANSFER_H
#define SWHCA_XPORT_TRANSFER_H

/**
 * @file
 * Both sides' memory of a transfer: segments to spans, and the bytes between them.
 */

#include "queue/responder.h"
#include "queue/wqe.h"

/** The data segments from wqe->ds on, as spans of fabric->local. */
enum swhca_wqe_end swhca_local_translate(struct swhca_qp *qp, struct swhca_wqe *wqe,
					 uint8_t rights);
/** A remote access as spans of fabric->remote. A fault is a NAK to us, an error over there. */
enum swhca_wqe_end swhca_remote_translate(struct swhca_qp *qp, struct swhca_wqe *wqe,
					  const struct swhca_responder *to,
					  const struct mlx5_wqe_raddr_seg *raddr, uint64_t len,
					  uint8_t rights);
/** Move the bytes between fabric->local and fabric->remote. */
enum swhca_wqe_end swhca_transfer(struct swhca_qp *qp, struct swhca_wqe *wqe,
				  const struct swhca_responder *to, bool local_is_source);

#endif /* SWHCA_XPORT_TRANSFER_H */
