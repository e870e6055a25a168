/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PP_H
#define SWHCA_UVERBS_PP_H

/**
 * @file
 * Entries of the rate table.
 */

struct swhca_ureq;

int swhca_upp_alloc_req(struct swhca_ureq *req);
int swhca_upp_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_PP_H */
