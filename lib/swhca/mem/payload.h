/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_PAYLOAD_H
#define SWHCA_MEM_PAYLOAD_H

/**
 * @file
 * Payload on its way from one translated list of spans to another.
 */

#include "object/hca.h"

/**
 * Move the bytes of one translated list to another of the same length, and count them for hca.
 * All payload of all transports goes this way, so that what a key does to its data is in one
 * place.
 *
 * @return
 *   0, -EFAULT (the source cannot be read) or -EACCES (the destination cannot be written).
 */
int swhca_payload_copy(struct swhca_hca *hca, const struct swhca_spans *dst,
		       const struct swhca_spans *src);

#endif /* SWHCA_MEM_PAYLOAD_H */
