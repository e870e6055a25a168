/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stddef.h>

#include <rdma/rdma_cma.h>

#include "cm.h"

#define TIMEOUT_MS 10000

/* The next event, which the caller acknowledges. */
static int
event_get(const struct cm *cm, struct rdma_cm_event **event)
{
	struct pollfd pollfd = { .fd = cm->channel->fd, .events = POLLIN };
	int ret = poll(&pollfd, 1, TIMEOUT_MS);

	if (ret <= 0)
		return ret == 0 ? ETIMEDOUT : errno;
	return rdma_get_cm_event(cm->channel, event) == 0 ? 0 : errno;
}

/* Wait for an event that is the only one due. */
static int
event_wait(const struct cm *cm, enum rdma_cm_event_type type)
{
	struct rdma_cm_event *event;
	int ret = event_get(cm, &event);

	if (ret != 0)
		return ret;
	ret = event->event == type ? 0 : EHOSTUNREACH;
	rdma_ack_cm_event(event);
	return ret;
}

int
cm_resolve(struct cm *cm, const char *address, struct ibv_context **ctx)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	int ret;

	if (inet_pton(AF_INET, address, &addr.sin_addr) != 1)
		return EINVAL;
	cm->channel = rdma_create_event_channel();
	if (cm->channel == NULL ||
	    rdma_create_id(cm->channel, &cm->listener, NULL, RDMA_PS_TCP) != 0 ||
	    rdma_create_id(cm->channel, &cm->client, NULL, RDMA_PS_TCP) != 0)
		return errno;
	/* Any free port. */
	if (rdma_bind_addr(cm->listener, (struct sockaddr *)&addr) != 0 ||
	    rdma_listen(cm->listener, 1) != 0)
		return errno;
	addr.sin_port = rdma_get_src_port(cm->listener);
	if (rdma_resolve_addr(cm->client, NULL, (struct sockaddr *)&addr, TIMEOUT_MS) != 0)
		return errno;
	ret = event_wait(cm, RDMA_CM_EVENT_ADDR_RESOLVED);
	if (ret == 0 && rdma_resolve_route(cm->client, TIMEOUT_MS) != 0)
		ret = errno;
	if (ret == 0)
		ret = event_wait(cm, RDMA_CM_EVENT_ROUTE_RESOLVED);
	*ctx = cm->client->verbs;
	return ret;
}

/* A client asks for a connection: accept it. */
static int
request_accept(struct cm *cm, struct rdma_cm_id *id, struct ibv_pd *pd,
	       struct ibv_qp_init_attr *attr)
{
	struct rdma_conn_param param = { .responder_resources = 1, .initiator_depth = 1 };

	cm->server = id;
	if (rdma_create_qp(id, pd, attr) != 0 || rdma_accept(id, &param) != 0)
		return errno;
	return 0;
}

int
cm_connect(struct cm *cm, struct ibv_pd *pd, struct ibv_qp_init_attr *attr, struct ibv_qp **qp)
{
	struct rdma_conn_param param = {
		.responder_resources = 1, .initiator_depth = 1, .retry_count = 7,
	};
	struct rdma_cm_event *event;
	unsigned int nb_established = 0;
	int ret = 0;

	if (rdma_create_qp(cm->client, pd, attr) != 0)
		return errno;
	*qp = cm->client->qp;
	if (rdma_connect(cm->client, &param) != 0)
		return errno;
	/* Both ends report to this channel. */
	while (ret == 0 && nb_established < 2) {
		ret = event_get(cm, &event);
		if (ret != 0)
			break;
		if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
			ret = request_accept(cm, event->id, pd, attr);
		else if (event->event == RDMA_CM_EVENT_ESTABLISHED)
			nb_established++;
		else
			ret = ECONNREFUSED;
		rdma_ack_cm_event(event);
	}
	return ret;
}

void
cm_disconnect(struct cm *cm)
{
	if (cm->client != NULL && cm->client->qp != NULL)
		rdma_destroy_qp(cm->client);
	if (cm->server != NULL && cm->server->qp != NULL)
		rdma_destroy_qp(cm->server);
}

void
cm_close(struct cm *cm)
{
	struct rdma_cm_id *const ids[] = { cm->client, cm->server, cm->listener };

	for (unsigned int i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (ids[i] != NULL)
			rdma_destroy_id(ids[i]);
	if (cm->channel != NULL)
		rdma_destroy_event_channel(cm->channel);
}
