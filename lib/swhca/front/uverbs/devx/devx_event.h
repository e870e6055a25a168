/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_UVERBS_DEVX_EVENT_H
#define SWHCA_UVERBS_DEVX_EVENT_H

/**
 * @file
 * DevX event channels, and queries with asynchronous answers.
 */

struct swhca_ureq;

int swhca_udevx_query_async_req(struct swhca_ureq *req);
int swhca_udevx_subscribe_req(struct swhca_ureq *req);
int swhca_udevx_event_fd_req(struct swhca_ureq *req);
int swhca_udevx_cmd_fd_req(struct swhca_ureq *req);

#endif /* SWHCA_UVERBS_DEVX_EVENT_H */
