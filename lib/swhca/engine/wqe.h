/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_ENGINE_WQE_H
#define SWHCA_ENGINE_WQE_H

/**
 * @file
 * Send WQEs: fetch, decode and execute one.
 */

#include "object/limits.h"
#include "queue/qp.h"

/** What the engine holds of a send queue: nb_bb basic blocks from index first on, linear. */
struct swhca_fetched {
	const uint8_t *data;
	uint32_t nb_bb;
	uint16_t first;
};

/**
 * Have a WQE in the buffer as a whole, and decode it.
 *
 * @param got
 *   What is there; zeros at first, and when somebody else has fetched.
 * @param nb_left
 *   WQEBBs that are posted from the index on.
 * @return
 *   0, or -EFAULT: the ring is gone.
 */
int swhca_wqe_fetch(struct swhca_qp *qp, struct swhca_fetched *got, uint16_t index,
		    uint32_t nb_left, struct swhca_wqe *wqe);
/** WQEBBs of a WQE; one that cannot be followed, as its size is unknown, takes one. */
uint32_t swhca_wqe_nb_bb(const struct swhca_wqe *wqe);
/** Whether a WQE asks somebody else for something. */
bool swhca_wqe_is_request(const struct swhca_wqe *wqe);
/** Execute it. */
enum swhca_wqe_end swhca_wqe_exec(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_ENGINE_WQE_H */
