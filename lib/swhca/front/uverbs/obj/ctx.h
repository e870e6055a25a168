/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_CTX_H
#define SWHCA_UVERBS_CTX_H

/**
 * @file
 * User contexts: state of a file after GET_CONTEXT.
 */

struct swhca_ufile;
struct swhca_ureq;

/** Destroy all objects of a file in the device. */
void swhca_uctx_close(struct swhca_ufile *file);

int swhca_uctx_get_req(struct swhca_ureq *req);
/** GET_CONTEXT of the write ABI, which also returns the file of asynchronous events. */
int swhca_uctx_get_write(struct swhca_ureq *req);
int swhca_uctx_query_req(struct swhca_ureq *req);
int swhca_uctx_async_fd_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_CTX_H */
