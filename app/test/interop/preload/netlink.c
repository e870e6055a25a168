/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * RDMA netlink as a program meets it: how libibverbs finds devices and learns about fork(2), good
 * and bad requests, and sockets that are bound, closed, replaced and inherited. What regions have
 * counted is the matter of the driver's tests.
 */

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "../check.h"

#define OP(op) RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, op)

struct request {
	struct nlmsghdr hdr;
	struct nlattr index_hdr;
	uint32_t index;
	struct nlattr what_hdr;
	uint32_t what;
};

static int
netlink_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
}

static struct request
request_of(uint16_t op, uint32_t index)
{
	return (struct request){
		.hdr = { .nlmsg_len = sizeof(struct request), .nlmsg_type = OP(op),
			 .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP, .nlmsg_seq = 77 },
		.index_hdr = { .nla_len = 8, .nla_type = RDMA_NLDEV_ATTR_DEV_INDEX },
		.index = index, .what_hdr = { .nla_len = 8, .nla_type = RDMA_NLDEV_ATTR_STAT_RES },
		.what = RDMA_NLDEV_ATTR_RES_MR,
	};
}

/* Messages of a packet of a dump. @return Whether it has ended; *result: with what, if so. */
static bool
messages_count(struct nlmsghdr *hdr, ssize_t len, int *nb, int *result)
{
	for (; NLMSG_OK(hdr, len); hdr = NLMSG_NEXT(hdr, len)) {
		CHECK(hdr->nlmsg_seq == 77);
		if (hdr->nlmsg_type == NLMSG_ERROR || hdr->nlmsg_type == NLMSG_DONE) {
			/* Both begin with a negative errno, or 0. */
			memcpy(result, NLMSG_DATA(hdr), sizeof(*result));
			return true;
		}
		CHECK((hdr->nlmsg_flags & NLM_F_MULTI) != 0);
		(*nb)++;
	}
	return false;
}

/* Messages before the end of a dump, or the negative errno that it ended with. */
static int
dump_read(int fd)
{
	struct nlmsghdr answer[1024];
	int nb = 0, result = 0;
	ssize_t len;

	do {
		len = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
		CHECK(len >= (ssize_t)sizeof(*answer));
	} while (!messages_count(answer, len, &nb, &result));
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	return result != 0 ? result : nb;
}

static int
dump(int fd, const void *request, size_t len)
{
	CHECK(send(fd, request, len, 0) == (ssize_t)len);
	return dump_read(fd);
}

static int
dump_of(int fd, uint16_t op, uint32_t index)
{
	struct request request = request_of(op, index);

	return dump(fd, &request, sizeof(request));
}

/* Answers to a request for one, which is acknowledged, or a negative errno. */
static int
get_of(int fd, uint16_t op, uint32_t index)
{
	struct request request = request_of(op, index);
	struct nlmsghdr answer[1024];
	struct nlmsgerr error;
	int nb = 0;

	request.hdr.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	for (;; nb++) {
		CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) >= (ssize_t)sizeof(*answer));
		CHECK(answer->nlmsg_seq == 77 && (answer->nlmsg_flags & NLM_F_MULTI) == 0);
		if (answer->nlmsg_type == NLMSG_ERROR)
			break;
		CHECK(answer->nlmsg_type == OP(op));
	}
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	memcpy(&error, NLMSG_DATA(answer), sizeof(error));
	return error.error != 0 ? error.error : nb;
}

static void
requests_are_answered(int fd)
{
	struct request request = request_of(RDMA_NLDEV_CMD_STAT_GET, 0);

	CHECK(dump_of(fd, RDMA_NLDEV_CMD_GET, 0) == 2);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_MR_GET, 1) == 0);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_STAT_GET, 1) == 0);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_STAT_GET, 9) == -EINVAL);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_QP_GET, 0) == 0);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_QP_GET, 2) == -EINVAL);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_GET, 0) == 2);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_PORT_GET, 0) == 1);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_PORT_GET, 2) == -EINVAL);
	request.what = RDMA_NLDEV_ATTR_RES_QP;
	CHECK(dump(fd, &request, sizeof(request)) == 0);
	request.what = RDMA_NLDEV_ATTR_RES_CQ;
	CHECK(dump(fd, &request, sizeof(request)) == -EINVAL);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_GET, 1) == 1);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_GET, 2) == -EINVAL);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_SYS_GET, 0) == 1);
	/* What cannot be listed, and what Linux does not have, are wrong requests. */
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_SYS_GET, 0) == -EINVAL);
	CHECK(get_of(fd, 200, 0) == -EINVAL);
	/* Without the number of a port, or of a region. */
	CHECK(get_of(fd, RDMA_NLDEV_CMD_PORT_GET, 0) == -EINVAL);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_RES_MR_GET, 0) == -EINVAL);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_RES_GET, 1) == 1);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_STAT_GET, 0) == -EINVAL);
	/* Devices have their names for good, whoever asks. */
	CHECK(get_of(fd, RDMA_NLDEV_CMD_SET, 0) < 0);
	/* Without the kind of file. */
	CHECK(get_of(fd, RDMA_NLDEV_CMD_GET_CHARDEV, 0) == -EINVAL);
}

/* What libnl, libmnl and DPDK do with a socket. */
static void
socket_is_bound_and_read_with_addresses(void)
{
	struct request request = request_of(RDMA_NLDEV_CMD_SYS_GET, 0);
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_pid = 0x12345 }, from;
	struct iovec out[2] = { { &request, sizeof(request.hdr) },
				{ &request.index_hdr, sizeof(request) - sizeof(request.hdr) } };
	struct msghdr msg = { .msg_iov = out, .msg_iovlen = 2 };
	struct nlmsghdr answer[64];
	struct iovec in = { answer, sizeof(answer) };
	socklen_t len = sizeof(from);
	int fd = netlink_open(), other = netlink_open();

	CHECK(fd >= 0 && other >= 0);
	CHECK(getsockname(fd, (struct sockaddr *)&from, &len) == 0 && len == sizeof(from));
	CHECK(from.nl_family == AF_NETLINK && from.nl_pid == 0);
	CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr) - 1) < 0 && errno == EINVAL);
	CHECK(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	CHECK(bind(other, (struct sockaddr *)&addr, sizeof(addr)) < 0 && errno == EADDRINUSE);
	addr.nl_pid = 0;
	CHECK(bind(other, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	CHECK(getsockname(other, (struct sockaddr *)&from, &len) == 0);
	CHECK(from.nl_pid != 0 && from.nl_pid != 0x12345);
	request.hdr.nlmsg_flags = NLM_F_REQUEST;
	CHECK(sendmsg(fd, &msg, 0) == sizeof(request));
	msg = (struct msghdr){ .msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &in,
			       .msg_iovlen = 1 };
	CHECK(recvmsg(fd, &msg, MSG_DONTWAIT | MSG_PEEK) >= (ssize_t)sizeof(*answer));
	CHECK(recvmsg(fd, &msg, MSG_DONTWAIT) >= (ssize_t)sizeof(*answer));
	CHECK(msg.msg_namelen == sizeof(from) && from.nl_family == AF_NETLINK);
	CHECK(from.nl_pid == 0 && answer->nlmsg_pid == 0x12345);
	CHECK(sendto(fd, &request, sizeof(request), 0, (struct sockaddr *)&addr, sizeof(addr)) ==
	      sizeof(request));
	len = sizeof(from);
	from.nl_family = 0;
	CHECK(recvfrom(fd, answer, sizeof(answer), MSG_DONTWAIT, (struct sockaddr *)&from, &len) >=
	      (ssize_t)sizeof(*answer));
	CHECK(len == sizeof(from) && from.nl_family == AF_NETLINK);
	close(fd);
	close(other);
}

/* An object that nobody has, and a port that is not there. */
static void
numbers_are_looked_up(int fd)
{
	struct request request = request_of(RDMA_NLDEV_CMD_RES_PD_GET, 0);
	struct nlmsghdr answer[1024];
	int error;

	request.hdr.nlmsg_flags = NLM_F_REQUEST;
	request.what_hdr.nla_type = RDMA_NLDEV_ATTR_RES_PDN;
	request.what = 12345;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0);
	memcpy(&error, NLMSG_DATA(answer), sizeof(error));
	CHECK(answer->nlmsg_type == NLMSG_ERROR && error == -ENOENT);
	request.hdr.nlmsg_type = OP(RDMA_NLDEV_CMD_PORT_GET);
	request.what_hdr.nla_type = RDMA_NLDEV_ATTR_PORT_INDEX;
	request.what = 2;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0);
	memcpy(&error, NLMSG_DATA(answer), sizeof(error));
	CHECK(answer->nlmsg_type == NLMSG_ERROR && error == -EINVAL);
	request.what = 1;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0);
	CHECK(answer->nlmsg_type == OP(RDMA_NLDEV_CMD_GET));
}

/* Send a request with an attribute that is not known. @return Length of what comes back. */
static ssize_t
strict_request_fails(int fd, struct nlmsghdr *answer, size_t size)
{
	struct request request = request_of(RDMA_NLDEV_CMD_SYS_GET, 0);
	int error;
	ssize_t len;

	request.hdr.nlmsg_flags = NLM_F_REQUEST;
	request.what_hdr.nla_type = 4000;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	len = recv(fd, answer, size, MSG_DONTWAIT);
	CHECK(len >= (ssize_t)(NLMSG_HDRLEN + sizeof(struct nlmsgerr)));
	memcpy(&error, NLMSG_DATA(answer), sizeof(error));
	CHECK(answer->nlmsg_type == NLMSG_ERROR && error == -EINVAL);
	return len;
}

/* Old commands overlook it, new ones say what is wrong and where, as far as one asks. */
static void
attributes_are_checked(void)
{
	const size_t error_len = NLMSG_HDRLEN + sizeof(struct nlmsgerr);
	struct request request = request_of(RDMA_NLDEV_CMD_GET, 0);
	struct nlmsghdr answer[1024];
	struct nlattr attr;
	uint32_t offset;
	uint8_t *at;
	int fd = netlink_open(), on = 1;

	request.what_hdr.nla_type = 4000;
	CHECK(dump(fd, &request, sizeof(request)) == 2);
	/* The request comes back, */
	CHECK(strict_request_fails(fd, answer, sizeof(answer)) ==
	      (ssize_t)(error_len + sizeof(request) - NLMSG_HDRLEN));
	CHECK(answer->nlmsg_flags == 0);
	/* or only its header, and the reason. */
	CHECK(setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on)) == 0);
	CHECK(strict_request_fails(fd, answer, sizeof(answer)) == (ssize_t)error_len);
	CHECK(answer->nlmsg_flags == NLM_F_CAPPED);
	CHECK(setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) == 0);
	CHECK(strict_request_fails(fd, answer, sizeof(answer)) > (ssize_t)error_len);
	CHECK(answer->nlmsg_flags == (NLM_F_CAPPED | NLM_F_ACK_TLVS));
	at = (uint8_t *)answer + error_len;
	memcpy(&attr, at, sizeof(attr));
	CHECK(attr.nla_type == NLMSGERR_ATTR_MSG);
	CHECK(strcmp((char *)at + NLA_HDRLEN, "Unknown attribute type") == 0);
	at += NLA_ALIGN(attr.nla_len);
	memcpy(&attr, at, sizeof(attr));
	memcpy(&offset, at + NLA_HDRLEN, sizeof(offset));
	CHECK(attr.nla_type == NLMSGERR_ATTR_OFFS);
	CHECK(offset == offsetof(struct request, what_hdr));
	close(fd);
}

/* Whether an option has a value. */
static bool
is_option(int fd, int level, int name, int expected)
{
	socklen_t len = sizeof(int);
	int value = -1;

	return getsockopt(fd, level, name, &value, &len) == 0 && len == sizeof(value) &&
	       value == expected;
}

static void
options_are_those_of_netlink(void)
{
	int fd = netlink_open(), on = 1, group = 40, size = 1 << 16;
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	socklen_t len = 1;

	CHECK(is_option(fd, SOL_SOCKET, SO_DOMAIN, AF_NETLINK));
	CHECK(is_option(fd, SOL_SOCKET, SO_PROTOCOL, NETLINK_RDMA));
	CHECK(is_option(fd, SOL_SOCKET, SO_TYPE, SOCK_RAW));
	CHECK(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)) == 0);
	CHECK(is_option(fd, SOL_NETLINK, NETLINK_EXT_ACK, 0));
	CHECK(setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on)) == 0);
	CHECK(is_option(fd, SOL_NETLINK, NETLINK_EXT_ACK, 1));
	CHECK(setsockopt(fd, SOL_NETLINK, 99, &on, sizeof(on)) < 0 && errno == ENOPROTOOPT);
	CHECK(setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0 &&
	      errno == EINVAL);
	group = 3;
	CHECK(setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) == 0);
	CHECK(getsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, &len) < 0 && errno == EINVAL);
	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	addr.nl_pid = 1;
	CHECK(connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 && errno == EPERM);
	len = sizeof(addr);
	CHECK(getsockname(fd, (struct sockaddr *)&addr, &len) == 0);
	CHECK(addr.nl_pid != 0 && addr.nl_groups == 4);
	close(fd);
	CHECK(socket(AF_NETLINK, SOCK_STREAM, NETLINK_RDMA) < 0 && errno == ESOCKTNOSUPPORT);
}

/* As libmnl and libnl find out how large a buffer must be. */
static void
packets_can_be_measured(int fd)
{
	struct request request = request_of(RDMA_NLDEV_CMD_GET, 0);
	struct nlmsghdr answer[256];
	struct iovec iov = { answer, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	ssize_t len;

	CHECK(poll(&readable, 1, 0) == 0);
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	CHECK(poll(&readable, 1, 0) == 1 && readable.revents == POLLIN);
	len = recvmsg(fd, &msg, MSG_PEEK | MSG_TRUNC);
	CHECK(len > (ssize_t)sizeof(*answer) && (msg.msg_flags & MSG_TRUNC) != 0);
	iov.iov_len = sizeof(answer);
	CHECK(recvmsg(fd, &msg, 0) == len && (msg.msg_flags & MSG_TRUNC) == 0);
	CHECK(poll(&readable, 1, 0) == 1);
	CHECK(read(fd, answer, sizeof(answer)) == NLMSG_HDRLEN + sizeof(int32_t));
	CHECK(answer->nlmsg_type == NLMSG_DONE && poll(&readable, 1, 0) == 0);
	CHECK(write(fd, &request, sizeof(request)) == sizeof(request));
	CHECK(dump_read(fd) == 2);
}

/* A list that is longer than what a socket holds; nobody reads it in time. */
static void
long_list_waits_for_its_reader(int fd)
{
	struct request request = request_of(RDMA_NLDEV_CMD_RES_PD_GET, 0);
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = ibv_open_device(list[0]);
	enum { NB_PDS = 8000 };
	static struct ibv_pd *pds[NB_PDS];
	struct nlmsghdr answer[256];
	int i, nb = 0, result = 0, other = netlink_open();
	ssize_t len;

	CHECK(ctx != NULL);
	for (i = 0; i < NB_PDS; i++) {
		pds[i] = ibv_alloc_pd(ctx);
		CHECK(pds[i] != NULL);
	}
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	/* One list at a time; whoever has another socket is served. */
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	CHECK(dump_of(other, RDMA_NLDEV_CMD_GET, 0) == 2);
	do {
		len = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
		CHECK(len > 0);
	} while (!messages_count(answer, len, &nb, &result));
	/* Each tells some seventy. */
	CHECK(nb > NB_PDS / 100 && nb < NB_PDS / 20 && result == 0);
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0);
	memcpy(&result, NLMSG_DATA(answer), sizeof(result));
	CHECK(answer->nlmsg_type == NLMSG_ERROR && result == -EBUSY);
	for (i = 0; i < NB_PDS; i++)
		CHECK(ibv_dealloc_pd(pds[i]) == 0);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_PD_GET, 0) == 0);
	ibv_close_device(ctx);
	ibv_free_device_list(list);
	close(other);
}

/* Devices have a number if netlink told of them (ibv_get_device_index(3)). */
static void
libibverbs_finds_devices(void)
{
	struct ibv_device **list;
	int nb = 0;

	list = ibv_get_device_list(&nb);
	CHECK(list != NULL && nb == 2);
	CHECK(ibv_get_device_index(list[0]) != ibv_get_device_index(list[1]));
	CHECK(ibv_get_device_index(list[0]) >= 0 && ibv_get_device_index(list[0]) < 2);
	CHECK(be64toh(ibv_get_device_guid(list[0])) >> 16 == 0x0200c0fffe5a);
	ibv_free_device_list(list);
}

/* An older kernel does not speak of it (swhca-run --no-copy-on-fork). */
static void
libibverbs_learns_about_fork(bool is_old)
{
	CHECK(ibv_is_fork_initialized() == (is_old ? IBV_FORK_DISABLED : IBV_FORK_UNNEEDED));
}

/* No answer, or an error; never anything else. */
static void
bad_requests_do_no_harm(int fd)
{
	struct request request = request_of(RDMA_NLDEV_CMD_STAT_GET, 0);
	struct nlmsghdr answer[1024];
	uint8_t bytes[64];
	unsigned int i, seed = 1;

	request.index_hdr.nla_len = 3;
	CHECK(dump(fd, &request, sizeof(request)) == -EINVAL);
	request.index_hdr.nla_len = 0xffff;
	CHECK(dump(fd, &request, sizeof(request)) == -EINVAL);
	request.hdr.nlmsg_len = sizeof(request) + 1;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	request.hdr.nlmsg_len = 3;
	CHECK(send(fd, &request, sizeof(request), 0) == sizeof(request));
	CHECK(send(fd, &request, 2, 0) == 2);
	CHECK(recv(fd, answer, sizeof(answer), MSG_DONTWAIT) < 0 && errno == EAGAIN);
	for (i = 0; i < 4000; i++) {
		request = request_of(RDMA_NLDEV_CMD_STAT_GET, 0);
		memcpy(bytes, &request, sizeof(request));
		bytes[(unsigned int)rand_r(&seed) % sizeof(request)] = (uint8_t)rand_r(&seed);
		bytes[(unsigned int)rand_r(&seed) % sizeof(request)] = (uint8_t)rand_r(&seed);
		CHECK(send(fd, bytes, sizeof(request), 0) == sizeof(request));
		while (recv(fd, answer, sizeof(answer), MSG_DONTWAIT) > 0)
			;
	}
}

static void
sockets_come_and_go(void)
{
	int fds[64], i, nb, fd, status;
	pid_t pid;

	for (i = 0; i < 1000; i++) {
		fd = netlink_open();
		CHECK(fd >= 0);
		CHECK(i % 2 == 0 ? close(fd) == 0 : close_range(fd, fd, 0) == 0);
	}
	for (nb = 0; nb < 64 && (fds[nb] = netlink_open()) >= 0; nb++)
		;
	CHECK(nb > 0 && nb < 64 && errno == EMFILE);
	/* Nothing takes its place. */
	CHECK(dup2(-1, fds[0]) < 0 && errno == EBADF);
	CHECK(dump_of(fds[0], RDMA_NLDEV_CMD_GET, 0) == 2);
	/* Another file takes its place: what is written to it is not a request. */
	CHECK(dup2(STDERR_FILENO, fds[0]) == fds[0]);
	CHECK(send(fds[0], "x", 1, 0) < 0 && errno == ENOTSOCK);
	for (i = 0; i < nb; i++)
		close(fds[i]);
	fd = netlink_open();
	CHECK(fd >= 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		fd = netlink_open();
		_exit(fd >= 0 && dump_of(fd, RDMA_NLDEV_CMD_GET, 0) == 2 ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_GET, 0) == 2);
	close(fd);
}

/* A child that runs in the memory of its parent closes a descriptor of its own. */
static void
socket_outlives_a_vforked_child(int fd)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		close(fd);
		_exit(0);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_GET, 0) == 2);
}

/* Of a device that only answers what libibverbs asks. */
static void
objects_are_unknown(int fd)
{
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_GET, 0) == 2);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_SYS_GET, 0) == 1);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_GET, 0) == -EINVAL);
	CHECK(get_of(fd, RDMA_NLDEV_CMD_RES_GET, 0) == -EINVAL);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_RES_QP_GET, 0) == -EINVAL);
	CHECK(dump_of(fd, RDMA_NLDEV_CMD_STAT_GET, 1) == -EINVAL);
	CHECK(close(fd) == 0);
}

int
main(int argc, char **argv)
{
	int fd;

	if (argc > 1 && strcmp(argv[1], "none") == 0) {
		libibverbs_learns_about_fork(false);
		libibverbs_finds_devices();
		objects_are_unknown(netlink_open());
		return 0;
	}
	libibverbs_learns_about_fork(argc > 1 && strcmp(argv[1], "old") == 0);
	libibverbs_finds_devices();
	socket_is_bound_and_read_with_addresses();
	fd = netlink_open();
	CHECK(fd >= 0);
	requests_are_answered(fd);
	numbers_are_looked_up(fd);
	attributes_are_checked();
	options_are_those_of_netlink();
	packets_can_be_measured(fd);
	long_list_waits_for_its_reader(fd);
	bad_requests_do_no_harm(fd);
	requests_are_answered(fd);
	socket_outlives_a_vforked_child(fd);
	CHECK(close(fd) == 0);
	sockets_come_and_go();
	return 0;
}
