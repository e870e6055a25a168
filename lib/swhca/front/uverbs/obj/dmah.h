/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DMAH_H
#define SWHCA_UVERBS_DMAH_H

/**
 * @file
 * DMA handles.
 */

struct swhca_ureq;

int swhca_udmah_alloc_req(struct swhca_ureq *req);
int swhca_udmah_free_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_DMAH_H */
