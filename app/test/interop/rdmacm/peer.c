/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * usage: interop-rdmacm-peer [ADDRESS wait | end]
 *
 * A connection on which nothing is sent, by the ABI of rdma_cm: a server; or a client of one at an
 * address that waits for the end of the connection, or ends it when a line comes and waits then.
 */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "../check.h"
#include "channel.h"

/* librdmacm: enum rdma_cm_event_type */
#define EV_CONNECT_REQUEST	4u
#define EV_CONNECT_RESPONSE	5u
#define EV_ESTABLISHED		9u
#define EV_DISCONNECTED		10u

#define UID 0x1111u
#define PORT 5000u

static int fd;

/* What it waits for is its end. */
static void
serve(void)
{
	const struct sockaddr_in any = channel_addr("0.0.0.0", PORT);
	uint32_t id = id_create(fd, RDMA_PS_TCP, IBV_QPT_RC, UID);
	struct rdma_ucm_event_resp event;

	CHECK(id_bind(fd, id, &any) == 0);
	CHECK(id_listen(fd, id, 0) == 0);
	channel_event(fd, EV_CONNECT_REQUEST, &event);
	CHECK(id_accept(fd, event.id, 0x222, UID, "") == 0);
	channel_event(fd, EV_ESTABLISHED, &event);
	for (;;)
		pause();
}

static void
connect_to(const struct sockaddr_in *to, bool ends)
{
	uint32_t id = id_to(fd, RDMA_PS_TCP, IBV_QPT_RC, UID, to);
	struct rdma_ucm_event_resp event;

	CHECK(id_connect(fd, id, 0x111, "") == 0);
	channel_event(fd, EV_CONNECT_RESPONSE, &event);
	CHECK(id_ready(fd, id) == 0);
	puts("connected");
	fflush(stdout);
	if (ends) {
		CHECK(getchar() == '\n');
		/* If it is not over already. */
		(void)id_disconnect(fd, id);
	}
	channel_event(fd, EV_DISCONNECTED, &event);
	puts("disconnected");
}

int
main(int argc, char **argv)
{
	struct sockaddr_in addr;

	fd = channel_open();
	if (argc != 3)
		serve();
	addr = channel_addr(argv[1], PORT);
	connect_to(&addr, strcmp(argv[2], "end") == 0);
	return 0;
}
