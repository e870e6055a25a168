/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WQE_EXEC_H
#define SWHCA_WQE_EXEC_H

/**
 * @file
 * Send WQEs: fetch, decode and execute one.
 */

#include "object/limits.h"
#include "queue/qp.h"

/** Fetched part of a send queue: nb_bb basic blocks from index on, linear. */
struct swhca_fetched {
	const uint8_t *data;
	uint32_t nb_bb;
	uint16_t first;
};

/**
 * Fetch a complete WQE into the buffer, and decode it.
 *
 * @param got
 *   Fetched part; zeros at first, and after another queue was fetched.
 * @param nb_left
 *   Posted WQEBBs from the index on.
 * @return
 *   0, or -EFAULT: the ring is not mapped.
 */
int swhca_wqe_fetch(struct swhca_qp *qp, struct swhca_fetched *got, uint16_t index,
		    uint32_t nb_left, struct swhca_wqe *wqe);
/** Number of WQEBBs of a WQE; 1 if its size is 0. */
uint32_t swhca_wqe_nb_bb(const struct swhca_wqe *wqe);
/** Check whether a WQE sends a request to a peer. */
bool swhca_wqe_is_request(const struct swhca_wqe *wqe);
/** Execute a WQE. */
enum swhca_wqe_end swhca_wqe_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_WQE_EXEC_H */
