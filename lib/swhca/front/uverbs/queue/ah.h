/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_AH_H
#define SWHCA_UVERBS_AH_H

/**
 * @file
 * Address handles.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_uobj;
struct swhca_ureq;

/** Create an address handle; data resolved by the kernel are written to the UHW attributes. */
int swhca_uah_create(struct swhca_ureq *req, const struct ib_uverbs_create_ah *cmd,
		     struct swhca_uobj **obj);
int swhca_uah_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_AH_H */
