/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_XPORT_XPORT_H
#define SWHCA_XPORT_XPORT_H

/**
 * @file
 * Service types: their opcodes and WQE segments.
 */

#include "queue/qp.h"

/** Check whether the service type supports an opcode. */
bool swhca_xport_has_opcode(const struct swhca_qp *qp, uint8_t opcode);
/** Consume len bytes of segments. */
enum swhca_wqe_end swhca_xport_take(struct swhca_wqe *wqe, size_t len, const void **seg);
/** Parse the segments of the service type, between the control segment and the first common one. */
enum swhca_wqe_end swhca_xport_begin(struct swhca_qp *qp, struct swhca_wqe *wqe);

#endif /* SWHCA_XPORT_XPORT_H */
