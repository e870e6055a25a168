/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef UMR_VERBS_CM_H
#define UMR_VERBS_CM_H

/*
 * A connection by rdma_cm with both ends in this process. Functions return 0 or an errno;
 * cm_disconnect() and cm_close() are due in any case.
 */

#include <infiniband/verbs.h>

struct rdma_cm_id;
struct rdma_event_channel;

struct cm {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct rdma_cm_id *client;
	struct rdma_cm_id *server;
};

/* Find the device with an IPv4 address, and a route to it. The context belongs to librdmacm. */
int cm_resolve(struct cm *cm, const char *address, struct ibv_context **ctx);

/* Create a queue pair for each end and connect them. The client's belongs to the connection. */
int cm_connect(struct cm *cm, struct ibv_pd *pd, struct ibv_qp_init_attr *attr,
	       struct ibv_qp **qp);

/* Destroy the queue pairs of a connection, if there is one. */
void cm_disconnect(struct cm *cm);

/* Close the rest, after everything that uses the context. */
void cm_close(struct cm *cm);

#endif /* UMR_VERBS_CM_H */
