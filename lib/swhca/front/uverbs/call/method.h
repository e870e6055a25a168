/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_METHOD_H
#define SWHCA_UVERBS_METHOD_H

/**
 * @file
 * Methods of RDMA_VERBS_IOCTL.
 */

struct swhca_ureq;

/** Find the method of a parsed request, check its attributes, execute it. */
int swhca_ureq_exec(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_METHOD_H */
