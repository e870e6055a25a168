/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_MW_H
#define SWHCA_UVERBS_MW_H

/**
 * @file
 * Memory windows.
 */

#include "front/uverbs/dev/uverbs_abi.h"

struct swhca_uobj;
struct swhca_ureq;

int swhca_umw_create(struct swhca_ureq *req, const struct ib_uverbs_alloc_mw *cmd,
		     struct swhca_uobj **obj);
int swhca_umw_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_MW_H */
