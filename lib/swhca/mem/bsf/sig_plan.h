/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MEM_BSF_SIG_PLAN_H
#define SWHCA_MEM_BSF_SIG_PLAN_H

/**
 * @file
 * Memory needed by an access to the wire side of a key.
 */

#include "mem/mkey.h"

/**
 * Find the bytes of memory needed by an access to the wire domain.
 *
 * @param xform
 *   mkey, wire_off, wire_len and to_wire are set; the rest is written on success.
 */
enum swhca_fault swhca_xform_plan(const struct swhca_hca *hca, struct swhca_xform *xform);

#endif /* SWHCA_MEM_BSF_SIG_PLAN_H */
