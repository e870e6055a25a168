/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NLDEV_RES_H
#define SWHCA_NLDEV_RES_H

/**
 * @file
 * Requests of RDMA netlink for objects. All return 0 or a negative errno.
 */

struct swhca_nldev_call;

int swhca_nldev_summary_get(struct swhca_nldev_call *call);
int swhca_nldev_summary_dump(struct swhca_nldev_call *call);
/** Objects of one kind, selected by the command of the request. */
int swhca_nldev_resource_get(struct swhca_nldev_call *call);
int swhca_nldev_resource_dump(struct swhca_nldev_call *call);
int swhca_nldev_counters_get(struct swhca_nldev_call *call);
int swhca_nldev_counters_dump(struct swhca_nldev_call *call);

#endif /* SWHCA_NLDEV_RES_H */
