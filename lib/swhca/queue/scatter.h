/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_QUEUE_SCATTER_H
#define SWHCA_QUEUE_SCATTER_H

/**
 * @file
 * Scatter to CQE: small payload is delivered in the completion.
 */

#include "queue/qp.h"
#include "queue/wqe.h"

/** @return Bytes for cs_req or cs_res of a context. */
uint32_t swhca_scatter_room(uint64_t cs);
/** Redirect payload of len bytes, at most room, to the CQE. @return 0 or -ENOMEM. */
int swhca_scatter_divert(struct swhca_scatter *scatter, struct swhca_spans *spans, uint32_t len,
			 uint32_t room);
/** The same for data received by a requester, if its CQE has room: replaces fabric->local. */
int swhca_scatter_local(struct swhca_qp *qp, struct swhca_wqe *wqe);
/** Write it to a CQE, or to head, the first half of a 128-byte entry. */
void swhca_scatter_fill(const struct swhca_scatter *scatter, struct mlx5_cqe64 *cqe,
			uint8_t head[static SWHCA_SCATTER_MAX]);

#endif /* SWHCA_QUEUE_SCATTER_H */
