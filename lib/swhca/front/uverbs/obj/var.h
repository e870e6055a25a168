/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_VAR_H
#define SWHCA_UVERBS_VAR_H

/**
 * @file
 * Doorbell pages of virtio queues.
 */

struct swhca_ureq;

int swhca_uvar_alloc_req(struct swhca_ureq *req);
int swhca_uvar_destroy_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_VAR_H */
