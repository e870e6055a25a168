/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../../patience.h"
#include "../check.h"
#include "channel.h"

int
channel_open(void)
{
	int fd = open("/dev/infiniband/rdma_cm", O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	return fd;
}

int
channel_do(int fd, uint32_t cmd, const void *in, size_t in_len, size_t out_len)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		uint8_t in[1024];
	} request = { .hdr = { .cmd = cmd, .in = (uint16_t)in_len, .out = (uint16_t)out_len } };
	ssize_t len = (ssize_t)(sizeof(request.hdr) + in_len), ret;

	memcpy(request.in, in, in_len);
	ret = write(fd, &request, (size_t)len);
	CHECK(ret == len || ret == -1);
	return ret == len ? 0 : errno;
}

#define DO(fd, name, in, out_len)                                                                  \
	channel_do(fd, RDMA_USER_CM_CMD_##name, &(in), sizeof(in), out_len)

bool
channel_has_event(int fd)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	CHECK(poll(&wait, 1, 0) >= 0);
	return (wait.revents & POLLIN) != 0;
}

int
channel_event_status(int fd, uint32_t type, struct rdma_ucm_event_resp *resp)
{
	const struct rdma_ucm_get_event get = { .response = (uintptr_t)resp };
	struct pollfd wait = { .fd = fd, .events = POLLIN };

	CHECK(poll(&wait, 1, patience_ms()) == 1);
	memset(resp, 0xa5, sizeof(*resp));
	CHECK(DO(fd, GET_EVENT, get, sizeof(*resp)) == 0);
	if (resp->event != type)
		fprintf(stderr, "event %u, status %d, not %u\n", resp->event, (int)resp->status,
			type);
	CHECK(resp->event == type);
	return (int)resp->status;
}

void
channel_event(int fd, uint32_t type, struct rdma_ucm_event_resp *resp)
{
	CHECK(channel_event_status(fd, type, resp) == 0);
}

struct sockaddr_in
channel_addr(const char *text, uint16_t port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };

	CHECK(inet_pton(AF_INET, text, &addr.sin_addr) == 1);
	return addr;
}

uint32_t
id_create(int fd, uint16_t ps, uint8_t qp_type, uint64_t uid)
{
	struct rdma_ucm_create_id_resp resp;
	const struct rdma_ucm_create_id in = {
		.uid = uid, .response = (uintptr_t)&resp, .ps = ps, .qp_type = qp_type,
	};

	CHECK(DO(fd, CREATE_ID, in, sizeof(resp)) == 0);
	return resp.id;
}

uint32_t
id_destroy(int fd, uint32_t id)
{
	struct rdma_ucm_destroy_id_resp resp;
	const struct rdma_ucm_destroy_id in = { .response = (uintptr_t)&resp, .id = id };

	CHECK(DO(fd, DESTROY_ID, in, sizeof(resp)) == 0);
	return resp.events_reported;
}

int
id_bind(int fd, uint32_t id, const struct sockaddr_in *addr)
{
	struct rdma_ucm_bind in = { .id = id, .addr_size = sizeof(*addr) };

	memcpy(&in.addr, addr, sizeof(*addr));
	return DO(fd, BIND, in, 0);
}

int
id_listen(int fd, uint32_t id, uint32_t backlog)
{
	const struct rdma_ucm_listen in = { .id = id, .backlog = backlog };

	return DO(fd, LISTEN, in, 0);
}

int
id_resolve(int fd, uint32_t id, const struct sockaddr_in *to)
{
	struct rdma_ucm_resolve_addr in = {
		.id = id, .timeout_ms = 2000, .dst_size = sizeof(*to),
	};

	memcpy(&in.dst_addr, to, sizeof(*to));
	return DO(fd, RESOLVE_ADDR, in, 0);
}

int
id_route(int fd, uint32_t id)
{
	const struct rdma_ucm_resolve_route in = { .id = id, .timeout_ms = 2000 };

	return DO(fd, RESOLVE_ROUTE, in, 0);
}

static struct rdma_ucm_conn_param
param_make(uint32_t qpn, const char *data)
{
	struct rdma_ucm_conn_param param = {
		.qp_num = qpn, .responder_resources = 4, .initiator_depth = 3, .retry_count = 6,
		.rnr_retry_count = 5, .valid = 1,
	};

	if (data != NULL) {
		param.private_data_len = (uint8_t)(strlen(data) + 1);
		memcpy(param.private_data, data, param.private_data_len);
	}
	return param;
}

int
id_connect(int fd, uint32_t id, uint32_t qpn, const char *data)
{
	const struct rdma_ucm_connect in = { .conn_param = param_make(qpn, data), .id = id };

	return DO(fd, CONNECT, in, 0);
}

int
id_accept(int fd, uint32_t id, uint32_t qpn, uint64_t uid, const char *data)
{
	const struct rdma_ucm_accept in = {
		.uid = uid, .conn_param = param_make(qpn, data), .id = id,
	};

	return DO(fd, ACCEPT, in, 0);
}

int
id_ready(int fd, uint32_t id)
{
	const struct rdma_ucm_accept in = { .id = id };

	return DO(fd, ACCEPT, in, 0);
}

int
id_reject(int fd, uint32_t id, const char *data)
{
	struct rdma_ucm_reject in = { .id = id, .private_data_len = (uint8_t)(strlen(data) + 1) };

	memcpy(in.private_data, data, in.private_data_len);
	return DO(fd, REJECT, in, 0);
}

int
id_disconnect(int fd, uint32_t id)
{
	const struct rdma_ucm_disconnect in = { .id = id };

	return DO(fd, DISCONNECT, in, 0);
}

int
id_qp_attr(int fd, uint32_t id, uint32_t state, struct ib_uverbs_qp_attr *attr)
{
	const struct rdma_ucm_init_qp_attr in = {
		.response = (uintptr_t)attr, .id = id, .qp_state = state,
	};

	return DO(fd, INIT_QP_ATTR, in, sizeof(*attr));
}

void
id_query_addr(int fd, uint32_t id, struct rdma_ucm_query_addr_resp *resp)
{
	const struct rdma_ucm_query in = {
		.response = (uintptr_t)resp, .id = id, .option = RDMA_USER_CM_QUERY_ADDR,
	};

	CHECK(DO(fd, QUERY, in, sizeof(*resp)) == 0);
}

void
id_query_route(int fd, uint32_t id, struct rdma_ucm_query_route_resp *resp)
{
	const struct rdma_ucm_query in = { .response = (uintptr_t)resp, .id = id };

	CHECK(DO(fd, QUERY_ROUTE, in, sizeof(*resp)) == 0);
}

uint32_t
id_to(int fd, uint16_t ps, uint8_t qp_type, uint64_t uid, const struct sockaddr_in *to)
{
	uint32_t id = id_create(fd, ps, qp_type, uid);
	struct rdma_ucm_event_resp event;

	CHECK(id_resolve(fd, id, to) == 0);
	channel_event(fd, 0, &event);
	CHECK(event.uid == uid && event.id == id);
	CHECK(id_route(fd, id) == 0);
	channel_event(fd, 2, &event);
	return id;
}
