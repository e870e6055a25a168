/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The ABI of rdma_cm, between devices of one process: masks and values for queue pairs, events and
 * what they count, errors (Linux: ucma.c, cma.c, cm.c; IBTA volume 1, chapter 12).
 */

#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_sa.h>

#include "../../patience.h"
#include "../check.h"
#include "channel.h"

/* Less than a request is held for (lib/swhca/front/ucma/hold.c). */
#define MOMENT_NS		UINT64_C(400000000)

/* librdmacm: enum rdma_cm_event_type */
#define EV_ADDR_RESOLVED	0u
#define EV_ADDR_ERROR		1u
#define EV_CONNECT_REQUEST	4u
#define EV_CONNECT_RESPONSE	5u
#define EV_UNREACHABLE		7u
#define EV_REJECTED		8u
#define EV_ESTABLISHED		9u
#define EV_DISCONNECTED		10u
#define EV_MULTICAST_JOIN	12u
#define EV_TIMEWAIT_EXIT	15u

#define ADDR_0 "192.0.2.1"
#define ADDR_1 "192.0.2.2"
#define UID_SERVER 0x1111u
#define UID_CLIENT 0x2222u
#define UID_ACCEPTED 0x3333u
#define MASK_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define MASK_RTR (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
		  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define MASK_RTS (IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
		  IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_TIMEOUT)

static int server, client;	/* channels */
static uint32_t listener;

static uint32_t
listen_at(int fd, uint16_t ps, const char *addr, uint16_t port)
{
	struct sockaddr_in at = channel_addr(addr, port);
	uint32_t id = id_create(fd, ps, IBV_QPT_RC, UID_SERVER);

	CHECK(id_bind(fd, id, &at) == 0);
	CHECK(id_listen(fd, id, 0) == 0);
	return id;
}

/* Who asks device files is told what they are. */
static void
is_a_device_file(void)
{
	struct stat by_path, by_fd;
	char buf[8];

	CHECK(stat("/dev/infiniband/rdma_cm", &by_path) == 0 && S_ISCHR(by_path.st_mode));
	CHECK(fstat(server, &by_fd) == 0 && by_fd.st_rdev == by_path.st_rdev);
	CHECK(access("/dev/infiniband/rdma_cm", R_OK | W_OK) == 0);
	CHECK(read(server, buf, sizeof(buf)) == -1 && errno == EINVAL);
	CHECK(!channel_has_event(server));
}

static void
bad_commands_are_rejected(void)
{
	struct rdma_ucm_cmd_hdr hdr = { .cmd = 99 };
	struct rdma_ucm_event_resp event;
	const struct rdma_ucm_get_event get = { .response = (uintptr_t)&event };
	struct rdma_ucm_create_id bad_ps = { .ps = 7, .response = (uintptr_t)&event };
	struct sockaddr_in other = channel_addr("10.1.2.3", 5001), at = channel_addr(ADDR_0, 5001);
	uint32_t id = id_create(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
	struct ib_uverbs_qp_attr attr;
	int flags = fcntl(client, F_GETFL);
	void *volatile nowhere = NULL;

	CHECK(write(client, &hdr, sizeof(hdr)) == -1 && errno == ENOSYS);
	CHECK(write(client, &hdr, sizeof(hdr) - 1) == -1 && errno == EINVAL);
	hdr.in = 8;
	CHECK(write(client, &hdr, sizeof(hdr)) == -1 && errno == EINVAL);
	CHECK(write(client, nowhere, 64) == -1 && errno == EFAULT);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_GET_OPTION, &get, sizeof(get), 8) == ENOSYS);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_CREATE_ID, &bad_ps, sizeof(bad_ps), 4) == EINVAL);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_CREATE_ID, &bad_ps, sizeof(bad_ps), 3) != 0);
	CHECK(id_bind(client, id, &other) == EADDRNOTAVAIL);
	CHECK(id_bind(client, id + 1000, &at) == ENOENT);
	CHECK(id_bind(server, id, &at) == EINVAL);
	CHECK(id_route(client, id) == EINVAL);
	CHECK(id_connect(client, id, 1, NULL) == EINVAL);
	CHECK(id_disconnect(client, id) == EINVAL);
	CHECK(id_qp_attr(client, id, IBV_QPS_INIT, &attr) == EINVAL);
	CHECK(fcntl(client, F_SETFL, flags | O_NONBLOCK) == 0);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_GET_EVENT, &get, sizeof(get), sizeof(event)) ==
	      EAGAIN);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_GET_EVENT, &get, sizeof(get), 8) == ENOSPC);
	CHECK(fcntl(client, F_SETFL, flags) == 0);
	CHECK(id_destroy(client, id) == 0);
}

static void
ports_are_had_once(void)
{
	struct sockaddr_in at = channel_addr(ADDR_0, 5002), any = channel_addr("0.0.0.0", 5002);
	struct sockaddr_in other = channel_addr(ADDR_1, 5002), none = channel_addr(ADDR_0, 0);
	struct rdma_ucm_query_addr_resp addr;
	uint32_t ids[4];
	int i;

	for (i = 0; i < 4; i++)
		ids[i] = id_create(server, RDMA_PS_TCP, IBV_QPT_RC, UID_SERVER);
	CHECK(id_bind(server, ids[0], &at) == 0);
	CHECK(id_bind(server, ids[0], &at) == EINVAL);
	CHECK(id_bind(server, ids[1], &at) == EADDRINUSE);
	CHECK(id_bind(server, ids[1], &any) == EADDRNOTAVAIL);
	CHECK(id_bind(server, ids[1], &other) == 0);
	CHECK(id_bind(server, ids[2], &none) == 0);
	id_query_addr(server, ids[2], &addr);
	CHECK(addr.src_size == sizeof(at));
	CHECK(((struct sockaddr_in *)&addr.src_addr)->sin_port != 0);
	CHECK(addr.port_num == 1 && addr.node_guid != 0 && addr.ibdev_index == 0);
	/* Another space has other ports. */
	id_destroy(server, ids[3]);
	ids[3] = id_create(server, RDMA_PS_UDP, IBV_QPT_UD, UID_SERVER);
	CHECK(id_bind(server, ids[3], &at) == 0);
	for (i = 0; i < 4; i++)
		id_destroy(server, ids[i]);
}

static void
nobody_has_an_address(void)
{
	struct sockaddr_in to = channel_addr("192.0.2.77", 5000);
	uint32_t id = id_create(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
	struct rdma_ucm_event_resp event;

	CHECK(id_resolve(client, id, &to) == 0);
	CHECK(channel_event_status(client, EV_ADDR_ERROR, &event) == -EHOSTUNREACH);
	/* And again, with another. */
	to = channel_addr(ADDR_1, 5000);
	CHECK(id_resolve(client, id, &to) == 0);
	channel_event(client, EV_ADDR_RESOLVED, &event);
	CHECK(id_destroy(client, id) == 2);
}

static void
route_is_that_of_ports(uint32_t id)
{
	struct rdma_ucm_query_route_resp route;
	struct rdma_ucm_query_path_resp head;
	uint8_t path[sizeof(head) + sizeof(struct ib_path_rec_data)];
	const struct rdma_ucm_query in = {
		.response = (uintptr_t)path, .id = id, .option = RDMA_USER_CM_QUERY_PATH,
	};
	const uint8_t *rec = path + sizeof(head) + offsetof(struct ib_path_rec_data, path_rec);
	const uint8_t gid_1[16] = { [10] = 0xff, 0xff, 192, 0, 2, 2 };

	id_query_route(client, id, &route);
	CHECK(route.num_paths == 1 && route.port_num == 1);
	CHECK(memcmp(route.ib_route[0].dgid, gid_1, 16) == 0);
	CHECK(route.ib_route[0].mtu == IBV_MTU_4096 && route.ib_route[0].hop_limit == 64);
	CHECK(route.ib_route[0].pkey == htons(0xffff));
	CHECK(channel_do(client, RDMA_USER_CM_CMD_QUERY, &in, sizeof(in), sizeof(path)) == 0);
	memcpy(&head, path, sizeof(head));
	CHECK(head.num_paths == 1);
	/* PathRecord: destination at 8, hop limit at 47, MTU at 54 with "exactly" in front. */
	CHECK(memcmp(rec + 8, gid_1, 16) == 0 && rec[47] == 64 && rec[54] == 0x85);
}

/* cm.c: cm_init_qp_*_attr(); cma.c: rdma_init_qp_attr(). */
static void
attributes_fit(uint32_t active, uint32_t passive)
{
	struct ib_uverbs_qp_attr a, p;
	const uint8_t gid_1[16] = { [10] = 0xff, 0xff, 192, 0, 2, 2 };

	CHECK(id_qp_attr(client, active, IBV_QPS_INIT, &a) == 0);
	CHECK(a.qp_attr_mask == MASK_INIT && a.port_num == 1 && a.pkey_index == 0);
	CHECK(a.qp_access_flags == (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
				    IBV_ACCESS_REMOTE_ATOMIC));
	CHECK(id_qp_attr(client, active, IBV_QPS_RTR, &a) == 0);
	CHECK(a.qp_attr_mask == MASK_RTR && a.path_mtu == IBV_MTU_4096);
	CHECK(a.dest_qp_num == 0x222 && a.min_rnr_timer == 0);
	CHECK(a.ah_attr.is_global == 1 && a.ah_attr.grh.sgid_index == 3);
	CHECK(a.ah_attr.grh.hop_limit == 64 && memcmp(a.ah_attr.grh.dgid, gid_1, 16) == 0);
	/* The other end accepted with 4 and 3. */
	CHECK(a.max_dest_rd_atomic == 3);
	CHECK(id_qp_attr(server, passive, IBV_QPS_RTS, &p) == 0);
	CHECK(p.qp_attr_mask == MASK_RTS && p.sq_psn == a.rq_psn);
	CHECK(p.retry_cnt == 6 && p.rnr_retry == 5 && p.max_rd_atomic == 3);
	CHECK(id_qp_attr(server, passive, IBV_QPS_RTR, &p) == 0);
	CHECK(p.dest_qp_num == 0x111 && p.max_dest_rd_atomic == 4);
	CHECK(id_qp_attr(client, active, IBV_QPS_RTS, &a) == 0);
	CHECK(a.sq_psn == p.rq_psn && a.max_rd_atomic == 4 && a.rnr_retry == 5);
	CHECK(a.timeout > 0 && a.timeout < 32);
	CHECK(id_qp_attr(client, active, IBV_QPS_SQD, &a) == EINVAL);
}

static uint32_t
request_get(const char *data)
{
	struct rdma_ucm_event_resp event;

	channel_event(server, EV_CONNECT_REQUEST, &event);
	CHECK(event.uid == UID_SERVER && event.id != listener);
	CHECK(event.param.conn.private_data_len == 56);
	CHECK(strcmp((const char *)event.param.conn.private_data, data) == 0);
	CHECK(event.param.conn.qp_num == 0x111 && event.param.conn.responder_resources == 3);
	CHECK(event.param.conn.initiator_depth == 4 && event.param.conn.retry_count == 6);
	return event.id;
}

static void
connections_begin_and_end(void)
{
	struct sockaddr_in to = channel_addr(ADDR_1, 5000);
	struct rdma_ucm_query_addr_resp addr;
	struct rdma_ucm_event_resp event;
	uint32_t active, passive, nb;
	struct ib_uverbs_qp_attr attr;

	active = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
	route_is_that_of_ports(active);
	CHECK(id_qp_attr(client, active, IBV_QPS_INIT, &attr) == 0);
	CHECK(attr.qp_attr_mask == MASK_INIT && attr.qp_access_flags == 0);
	CHECK(id_connect(client, active, 0x111, "ask") == 0);
	passive = request_get("ask");
	id_query_addr(server, passive, &addr);
	CHECK(((struct sockaddr_in *)&addr.src_addr)->sin_addr.s_addr == to.sin_addr.s_addr);
	CHECK(((struct sockaddr_in *)&addr.src_addr)->sin_port == htons(5000));
	CHECK(id_accept(server, passive, 0x222, UID_ACCEPTED, "answer") == 0);
	channel_event(client, EV_CONNECT_RESPONSE, &event);
	CHECK(event.uid == UID_CLIENT && event.param.conn.qp_num == 0x222);
	CHECK(event.param.conn.private_data_len == 196);
	CHECK(strcmp((const char *)event.param.conn.private_data, "answer") == 0);
	attributes_fit(active, passive);
	CHECK(id_ready(client, active) == 0);
	channel_event(server, EV_ESTABLISHED, &event);
	CHECK(event.uid == UID_ACCEPTED && event.id == passive);
	CHECK(id_disconnect(client, active) == 0);
	channel_event(server, EV_DISCONNECTED, &event);
	CHECK(id_disconnect(server, passive) == 0);
	channel_event(client, EV_DISCONNECTED, &event);
	channel_event(client, EV_TIMEWAIT_EXIT, &event);
	nb = id_destroy(client, active);
	CHECK(nb == 5);
	id_destroy(server, passive);
}

static void
requests_are_rejected(void)
{
	struct sockaddr_in to = channel_addr(ADDR_1, 5000);
	struct rdma_ucm_event_resp event;
	uint32_t id;

	id = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, "ask") == 0);
	CHECK(id_reject(server, request_get("ask"), "no") == 0);
	CHECK(channel_event_status(client, EV_REJECTED, &event) == 28);
	CHECK(event.param.conn.private_data_len == 148);
	CHECK(strcmp((const char *)event.param.conn.private_data, "no") == 0);
	id_destroy(client, id);
	/* Who is asked and goes away says so, too. */
	id = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, "ask") == 0);
	id_destroy(server, request_get("ask"));
	CHECK(channel_event_status(client, EV_REJECTED, &event) == 28);
	id_destroy(client, id);
	/* Nobody listens; nobody does there; nobody does in this space, or for this type. */
	to.sin_port = htons(5999);
	id = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, NULL) == 0);
	CHECK(channel_event_status(client, EV_REJECTED, &event) == 8);
	id_destroy(client, id);
	to = channel_addr(ADDR_0, 5000);
	id = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, NULL) == 0);
	CHECK(channel_event_status(client, EV_REJECTED, &event) == 8);
	id_destroy(client, id);
	id = id_to(client, RDMA_PS_UDP, IBV_QPT_UD, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, NULL) == 0);
	CHECK(channel_event_status(client, EV_UNREACHABLE, &event) == 1);
	id_destroy(client, id);
}

/* Who listens a moment after somebody asked is not too late. */
static void
late_listeners_are_waited_for(void)
{
	struct sockaddr_in to = channel_addr(ADDR_1, 5006);
	struct pollfd wait = { .fd = server, .events = POLLIN };
	struct rdma_ucm_event_resp event;
	const uint64_t end = patience_end();
	uint64_t begin;
	uint32_t id, at;

	for (;;) {
		begin = patience_now_ns();
		id = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
		CHECK(id_connect(client, id, 0x111, NULL) == 0);
		CHECK(poll(&wait, 1, 50) == 0);
		at = listen_at(server, RDMA_PS_TCP, ADDR_1, 5006);
		if (patience_now_ns() - begin < MOMENT_NS)
			break;
		/* On a busy machine it was more than a moment: once more. */
		CHECK(!patience_is_over(end));
		id_destroy(client, id);
		id_destroy(server, at);
	}
	channel_event(server, EV_CONNECT_REQUEST, &event);
	id_destroy(server, event.id);
	id_destroy(client, id);
	id_destroy(server, at);
}

/* What is not read goes with its identifier. */
static void
unread_events_go(void)
{
	struct sockaddr_in to = channel_addr(ADDR_1, 5000);
	struct rdma_ucm_event_resp event;
	uint32_t id, other;

	id = id_create(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
	CHECK(id_resolve(client, id, &to) == 0);
	CHECK(channel_has_event(client));
	CHECK(id_destroy(client, id) == 0);
	CHECK(!channel_has_event(client));
	/* So do requests: who made them is told. */
	other = listen_at(server, RDMA_PS_TCP, ADDR_1, 5003);
	to.sin_port = htons(5003);
	id = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, NULL) == 0);
	CHECK(poll(&(struct pollfd){ .fd = server, .events = POLLIN }, 1, patience_ms()) == 1);
	CHECK(id_destroy(server, other) == 0);
	CHECK(!channel_has_event(server));
	CHECK(channel_event_status(client, EV_REJECTED, &event) == 28);
	id_destroy(client, id);
}

static void
identifiers_move(void)
{
	struct rdma_ucm_migrate_resp resp;
	struct rdma_ucm_migrate_id in = { .response = (uintptr_t)&resp, .fd = (uint32_t)client };
	struct sockaddr_in to = channel_addr(ADDR_1, 5000);
	struct rdma_ucm_event_resp event;
	int other = channel_open();

	in.id = id_create(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
	CHECK(id_resolve(client, in.id, &to) == 0);
	CHECK(channel_do(other, RDMA_USER_CM_CMD_MIGRATE_ID, &in, sizeof(in), sizeof(resp)) == 0);
	CHECK(resp.events_reported == 0);
	CHECK(!channel_has_event(client));
	channel_event(other, EV_ADDR_RESOLVED, &event);
	CHECK(id_route(client, in.id) == EINVAL);
	CHECK(id_route(other, in.id) == 0);
	CHECK(channel_has_event(other));
	close(other);
	CHECK(id_route(client, in.id) == ENOENT);
}

static void
datagrams_find_their_queue(void)
{
	struct sockaddr_in to = channel_addr(ADDR_1, 5004);
	uint32_t at = listen_at(server, RDMA_PS_UDP, ADDR_1, 5004), id, peer;
	const uint8_t gid_1[16] = { [10] = 0xff, 0xff, 192, 0, 2, 2 };
	struct rdma_ucm_event_resp event;
	struct ib_uverbs_qp_attr attr;

	id = id_to(client, RDMA_PS_UDP, IBV_QPT_UD, UID_CLIENT, &to);
	CHECK(id_qp_attr(client, id, IBV_QPS_INIT, &attr) == 0);
	CHECK(attr.qp_attr_mask == (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
	CHECK(attr.qkey == 0x01234567);
	CHECK(id_connect(client, id, 0x111, "where") == 0);
	channel_event(server, EV_CONNECT_REQUEST, &event);
	CHECK(event.param.ud.private_data_len == 180);
	CHECK(strcmp((const char *)event.param.ud.private_data, "where") == 0);
	peer = event.id;
	CHECK(id_accept(server, peer, 0x222, UID_ACCEPTED, "here") == 0);
	channel_event(client, EV_ESTABLISHED, &event);
	CHECK(event.param.ud.qp_num == 0x222 && event.param.ud.qkey == 0x01234567);
	CHECK(event.param.ud.private_data_len == 136);
	CHECK(strcmp((const char *)event.param.ud.private_data, "here") == 0);
	CHECK(event.param.ud.ah_attr.is_global == 1 && event.param.ud.ah_attr.port_num == 1);
	CHECK(memcmp(event.param.ud.ah_attr.grh.dgid, gid_1, 16) == 0);
	id_destroy(client, id);
	id_destroy(server, peer);
	/* Rejected, it is unreachable, with the status of SIDR. */
	id = id_to(client, RDMA_PS_UDP, IBV_QPT_UD, UID_CLIENT, &to);
	CHECK(id_connect(client, id, 0x111, NULL) == 0);
	channel_event(server, EV_CONNECT_REQUEST, &event);
	CHECK(id_reject(server, event.id, "no") == 0);
	id_destroy(server, event.id);
	CHECK(channel_event_status(client, EV_UNREACHABLE, &event) == 2);
	id_destroy(client, id);
	id_destroy(server, at);
}

static void
groups_are_joined(void)
{
	struct sockaddr_in at = channel_addr(ADDR_0, 0), group = channel_addr("239.1.2.3", 0);
	const uint8_t mgid[16] = { [10] = 0xff, 0xff, 239, 1, 2, 3 };
	uint32_t id = id_create(client, RDMA_PS_UDP, IBV_QPT_UD, UID_CLIENT);
	struct rdma_ucm_create_id_resp joined;
	struct rdma_ucm_destroy_id_resp left;
	struct rdma_ucm_join_mcast join = {
		.response = (uintptr_t)&joined, .uid = 0x4444, .id = id, .addr_size = sizeof(group),
	};
	struct rdma_ucm_destroy_id leave = { .response = (uintptr_t)&left };
	struct rdma_ucm_event_resp event;

	memcpy(&join.addr, &group, sizeof(group));
	CHECK(id_bind(client, id, &at) == 0);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_JOIN_MCAST, &join, sizeof(join),
			 sizeof(joined)) == 0);
	channel_event(client, EV_MULTICAST_JOIN, &event);
	CHECK(event.uid == 0x4444 && event.id == joined.id);
	CHECK(event.param.ud.qp_num == 0xffffff && event.param.ud.qkey == 0x01234567);
	CHECK(memcmp(event.param.ud.ah_attr.grh.dgid, mgid, 16) == 0);
	leave.id = joined.id;
	CHECK(channel_do(client, RDMA_USER_CM_CMD_LEAVE_MCAST, &leave, sizeof(leave),
			 sizeof(left)) == 0);
	CHECK(left.events_reported == 1);
	CHECK(channel_do(client, RDMA_USER_CM_CMD_LEAVE_MCAST, &leave, sizeof(leave),
			 sizeof(left)) == ENOENT);
	join.join_flags = RDMA_MC_JOIN_FLAG_RESERVED;
	CHECK(channel_do(client, RDMA_USER_CM_CMD_JOIN_MCAST, &join, sizeof(join),
			 sizeof(joined)) == EINVAL);
	id_destroy(client, id);
}

/*
 * As mckey does: the way to a group is found, with a source or without, and it is joined from there
 * (addr.c: arp_mc_map(), ip_ib_mc_map(); cma.c: cma_set_mgid()).
 */
static void
groups_are_resolved(bool is_ib)
{
	struct sockaddr_in at = channel_addr(ADDR_0, 0), group = channel_addr("239.1.2.3", 0);
	const uint8_t roce[16] = { [10] = 0xff, 0xff, 239, 1, 2, 3 };
	const uint8_t ib[16] = { 0xff, 0x12, 0x40, 0x01, 0xff, 0xff, [12] = 0x0f, 1, 2, 3 };
	struct rdma_ucm_create_id_resp joined;
	struct rdma_ucm_join_mcast join = {
		.response = (uintptr_t)&joined, .uid = 0x4444, .addr_size = sizeof(group),
	};
	struct rdma_ucm_query_addr_resp addr;
	struct rdma_ucm_event_resp event;
	int i;

	memcpy(&join.addr, &group, sizeof(group));
	for (i = 0; i < (is_ib ? 1 : 2); i++) {
		join.id = id_create(client, RDMA_PS_UDP, IBV_QPT_UD, UID_CLIENT);
		CHECK(i == 0 || id_bind(client, join.id, &at) == 0);
		CHECK(id_resolve(client, join.id, &group) == 0);
		channel_event(client, EV_ADDR_RESOLVED, &event);
		id_query_addr(client, join.id, &addr);
		CHECK(is_ib || ((struct sockaddr_in *)&addr.src_addr)->sin_addr.s_addr ==
				       at.sin_addr.s_addr);
		CHECK(((struct sockaddr_in *)&addr.dst_addr)->sin_addr.s_addr ==
		      group.sin_addr.s_addr);
		CHECK(channel_do(client, RDMA_USER_CM_CMD_JOIN_MCAST, &join, sizeof(join),
				 sizeof(joined)) == 0);
		channel_event(client, EV_MULTICAST_JOIN, &event);
		CHECK(event.param.ud.qp_num == 0xffffff && event.param.ud.qkey == 0x01234567);
		CHECK(event.param.ud.ah_attr.is_global == 1);
		CHECK(memcmp(event.param.ud.ah_attr.grh.dgid, is_ib ? ib : roce, 16) == 0);
		CHECK(is_ib ? event.param.ud.ah_attr.dlid >= 0xc000 :
			      event.param.ud.ah_attr.dlid == 0);
		id_destroy(client, join.id);
	}
}

/* A listener takes as many requests as it was told; the rest comes again. */
static void
backlogs_are_kept(void)
{
	struct sockaddr_in at = channel_addr(ADDR_1, 5005);
	uint32_t id = id_create(server, RDMA_PS_TCP, IBV_QPT_RC, UID_SERVER), asks[2], peers[2];
	struct rdma_ucm_event_resp event;
	int i;

	CHECK(id_bind(server, id, &at) == 0 && id_listen(server, id, 1) == 0);
	for (i = 0; i < 2; i++) {
		asks[i] = id_to(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT, &at);
		CHECK(id_connect(client, asks[i], 0x111, NULL) == 0);
	}
	for (i = 0; i < 2; i++) {
		channel_event(server, EV_CONNECT_REQUEST, &event);
		peers[i] = event.id;
	}
	for (i = 0; i < 2; i++) {
		id_destroy(client, asks[i]);
		id_destroy(server, peers[i]);
	}
	id_destroy(server, id);
}

/* Duplicates are the same channel, and children have none. */
static void
channels_are_files(void)
{
	int copy = dup(client), status;
	uint32_t id = id_create(copy, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
	struct rdma_ucm_listen in = { .id = id };
	pid_t pid;

	id_destroy(client, id);
	id = id_create(client, RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
	pid = fork();
	if (pid == 0) {
		if (channel_do(client, RDMA_USER_CM_CMD_LISTEN, &in, sizeof(in), 0) != EIO)
			_exit(1);
		id_create(channel_open(), RDMA_PS_TCP, IBV_QPT_RC, UID_CLIENT);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	close(copy);
	CHECK(id_listen(client, id, 1) == 0);
	id_destroy(client, id);
}

static atomic_int waiter;

static void *
event_wait(void *arg)
{
	struct rdma_ucm_event_resp event;
	const struct rdma_ucm_get_event get = { .response = (uintptr_t)&event };

	atomic_store(&waiter, gettid());
	channel_do(*(int *)arg, RDMA_USER_CM_CMD_GET_EVENT, &get, sizeof(get), sizeof(event));
	return NULL;
}

/* Until it sleeps: it may have to wait for a CPU before. proc(5): its state is behind its name. */
static void
waiter_sleeps(void)
{
	const uint64_t deadline = patience_end();
	char path[64], state;
	FILE *stat_file;

	do {
		CHECK(!patience_is_over(deadline));
		state = '\0';
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", atomic_load(&waiter));
		stat_file = fopen(path, "r");
		if (stat_file == NULL)
			continue;
		if (fscanf(stat_file, "%*d (%*[^)]) %c", &state) != 1)
			state = '\0';
		fclose(stat_file);
	} while (state != 'S');
}

/* Who waits for an event can be cancelled, and goes on waiting when the channel is closed. */
static void
readers_wait(void)
{
	int fd = channel_open(), pipe_fds[2], i;
	struct timespec end;
	pthread_t thread;
	void *result;

	for (i = 0; i < 2; i++) {
		atomic_store(&waiter, 0);
		CHECK(pthread_create(&thread, NULL, event_wait, &fd) == 0);
		waiter_sleeps();
		clock_gettime(CLOCK_REALTIME, &end);
		end.tv_nsec += 100000000;
		end.tv_sec += end.tv_nsec / 1000000000;
		end.tv_nsec %= 1000000000;
		CHECK(pthread_timedjoin_np(thread, NULL, &end) == ETIMEDOUT);
		if (i == 1) {
			/* Its number is another file's now, of which nothing is read. */
			CHECK(pipe(pipe_fds) == 0 && dup2(pipe_fds[0], fd) == fd);
			CHECK(write(pipe_fds[1], "x", 1) == 1);
			end.tv_sec++;
			CHECK(pthread_timedjoin_np(thread, NULL, &end) == ETIMEDOUT);
			CHECK(channel_has_event(fd));
		}
		CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
		CHECK(result == PTHREAD_CANCELED);
	}
	close(fd);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

int
main(int argc, char **argv)
{
	bool is_ib = argc == 2 && strcmp(argv[1], "ib") == 0;

	server = channel_open();
	client = channel_open();
	groups_are_resolved(is_ib);
	if (is_ib)
		return 0;
	is_a_device_file();
	bad_commands_are_rejected();
	ports_are_had_once();
	nobody_has_an_address();
	listener = listen_at(server, RDMA_PS_TCP, ADDR_1, 5000);
	connections_begin_and_end();
	requests_are_rejected();
	late_listeners_are_waited_for();
	unread_events_go();
	identifiers_move();
	datagrams_find_their_queue();
	groups_are_joined();
	backlogs_are_kept();
	channels_are_files();
	readers_wait();
	id_destroy(server, listener);
	close(server);
	close(client);
	return 0;
}
