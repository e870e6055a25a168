/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_INPROC_H
#define SWHCA_WIRE_INPROC_H

/**
 * @file
 * Wire between the HCAs of one fabric.
 */

#include <stdbool.h>

#include "include/wire.h"

/** Check whether a request is for a group. */
bool swhca_inproc_is_group(const struct swhca_hca *from, const struct swhca_wire_req *req);
/** Check whether a request is for an HCA of this fabric. */
bool swhca_inproc_reaches(const struct swhca_hca *from, const struct swhca_wire_req *req);
/** struct swhca_wire: send; the answer comes at once. */
void swhca_inproc_send(struct swhca_hca *from, const struct swhca_wire_req *req,
		       struct swhca_wire_answer *answer);

#endif /* SWHCA_WIRE_INPROC_H */
