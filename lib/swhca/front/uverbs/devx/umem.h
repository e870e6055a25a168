/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_UMEM_H
#define SWHCA_UVERBS_UMEM_H

/**
 * @file
 * Memory registration of DevX.
 */

struct swhca_ureq;

int swhca_udevx_umem_reg_req(struct swhca_ureq *req);
int swhca_udevx_umem_dereg_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_UMEM_H */
