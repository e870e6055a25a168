/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_PD_H
#define SWHCA_UVERBS_PD_H

/**
 * @file
 * Protection domains.
 */

struct swhca_uobj;
struct swhca_ureq;

int swhca_upd_create(struct swhca_ureq *req, struct swhca_uobj **obj);
int swhca_upd_destroy_req(struct swhca_ureq *req);
int swhca_upd_query_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_PD_H */
