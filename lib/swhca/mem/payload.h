/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_PAYLOAD_H
#define SWHCA_MEM_PAYLOAD_H

/**
 * @file
 * Copy of payload between translated lists of spans.
 */

#include "object/hca_state.h"

/**
 * Copy from one translated list to another of the same length, and count the bytes for hca. All
 * payload of all transports takes this path, so that transformations by keys are in one place.
 *
 * @return
 *   0, -EFAULT (the source cannot be read) or -EACCES (the destination cannot be written).
 */
int swhca_payload_copy(struct swhca_hca *hca, const struct swhca_spans *dst,
		       const struct swhca_spans *src);

#endif /* SWHCA_MEM_PAYLOAD_H */
