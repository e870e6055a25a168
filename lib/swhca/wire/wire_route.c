/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Routing of requests: directly within this fabric; else by packets, if the port has a link. */

#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "object/fabric.h"
#include "wire/conn/conn.h"
#include "wire/conn/gsi.h"
#include "wire/inproc.h"
#include "wire/wire_route.h"

/* Maximum descriptors that an idle engine waits for. */
#define MAX_FDS 16u
/* Retry interval of a datagram that had no room. */
#define ROOM_WAIT_NS 5000u

/* A group may have members in this fabric and in others: each receives one copy. */
static void
group_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	   struct swhca_wire_answer *answer)
{
	if (!swhca_tx_has_room(from->net)) {
		*answer = (struct swhca_wire_answer){ .status = SWHCA_WIRE_BUSY,
						      .wait_ns = ROOM_WAIT_NS };
		return;
	}
	swhca_inproc_send(from, req, answer);
	if (answer->status != SWHCA_WIRE_ACK)
		return;
	swhca_conn_send(from, req, answer);
	/* There may be no route out. */
	if (answer->status == SWHCA_WIRE_LOST)
		answer->status = SWHCA_WIRE_ACK;
}

static void
fabric_send(struct swhca_hca *from, const struct swhca_wire_req *req,
	    struct swhca_wire_answer *answer)
{
	if (from->net != NULL && !req->addr.is_loopback && swhca_inproc_is_group(from, req))
		group_send(from, req, answer);
	else if (from->net == NULL || swhca_inproc_reaches(from, req))
		swhca_inproc_send(from, req, answer);
	else
		swhca_conn_send(from, req, answer);
}

static void
fabric_group(struct swhca_hca *hca, const uint8_t gid[16], bool is_member)
{
	if (hca->net != NULL)
		swhca_net_group(hca->net, gid, is_member);
}

static void
fabric_hold(struct swhca_hca *hca)
{
	if (hca->net != NULL)
		swhca_conn_hold_all(hca->net);
}

static void
fabric_close(struct swhca_qp *qp)
{
	if (qp->conn != NULL)
		swhca_conn_destroy(qp->conn);
}

static unsigned int
fabric_poll(struct swhca_fabric *fabric)
{
	unsigned int nb = 0;
	struct swhca_hca *hca;

	LIST_FOREACH(hca, &fabric->hcas, link) {
		if (hca->net != NULL)
			nb += swhca_net_poll(hca->net);
	}
	return nb;
}

/* Get the descriptors of links, and their earliest deadline. */
static nfds_t
fds_get(struct swhca_fabric *fabric, struct pollfd *fds, uint64_t *deadline)
{
	const struct swhca_link *link;
	struct swhca_hca *hca;
	uint64_t other;
	nfds_t nb = 0;
	int group_fd;

	LIST_FOREACH(hca, &fabric->hcas, link) {
		if (hca->net == NULL || hca->stall_end_ns != 0 || nb >= MAX_FDS)
			continue;
		link = hca->net->link;
		fds[nb++] = (struct pollfd){ .fd = link->fd, .events = POLLIN };
		group_fd = swhca_link_bottom(hca->net->link)->group_fd;
		if (group_fd != 0 && nb < MAX_FDS)
			fds[nb++] = (struct pollfd){ .fd = group_fd, .events = POLLIN };
		other = link->ops->deadline == NULL ? UINT64_MAX : link->ops->deadline(link);
		if (other < *deadline)
			*deadline = other;
		if (hca->net->deadline < *deadline)
			*deadline = hca->net->deadline;
	}
	return nb;
}

static bool
fabric_idle(struct swhca_fabric *fabric, uint64_t ns)
{
	uint64_t now = swhca_now_ns(), deadline = now + ns;
	struct pollfd fds[MAX_FDS];
	struct timespec nap;
	nfds_t nb;

	swhca_fabric_lock(fabric);
	nb = fds_get(fabric, fds, &deadline);
	swhca_fabric_unlock(fabric);
	if (nb == 0)
		return false;
	nap.tv_sec = 0;
	nap.tv_nsec = deadline > now ? (long)(deadline - now) : 0;
	ppoll(fds, nb, &nap, NULL);
	return true;
}

static const struct swhca_wire wire = {
	.send = fabric_send,
	.reap = swhca_conn_reap,
	.hold = fabric_hold,
	.flush = swhca_conn_flush,
	.close = fabric_close,
	.group = fabric_group,
	.poll = fabric_poll,
	.deliver = swhca_gsi_deliver,
	.idle = fabric_idle,
};

const struct swhca_wire *
swhca_wire_fabric(void)
{
	return &wire;
}
