/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "front/pci/pci_conn.h"

#define NS_PER_MS UINT64_C(1000000)

int
swhca_vfu_msg_init(struct swhca_vfu_msg *msg)
{
	*msg = (struct swhca_vfu_msg){ .data = malloc(SWHCA_VFU_MAX_DATA) };
	return msg->data != NULL ? 0 : -ENOMEM;
}

void
swhca_vfu_msg_close_fds(struct swhca_vfu_msg *msg)
{
	while (msg->nb_fds > 0)
		if (msg->fds[--msg->nb_fds] >= 0)
			close(msg->fds[msg->nb_fds]);
}

void
swhca_vfu_msg_fini(struct swhca_vfu_msg *msg)
{
	swhca_vfu_msg_close_fds(msg);
	free(msg->data);
	msg->data = NULL;
}

int
swhca_vfu_msg_take_fd(struct swhca_vfu_msg *msg, unsigned int index)
{
	int fd;

	if (index >= msg->nb_fds)
		return -1;
	fd = msg->fds[index];
	msg->fds[index] = -1;
	return fd;
}

/* Wait for events on a socket. @return 0, also for its end and errors; or a negative errno. */
static int
sock_wait(int sock, short events, int stop_fd, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = sock, .events = events },
		{ .fd = stop_fd, .events = POLLIN },
	};
	int ret;

	do
		ret = poll(fds, 2, timeout_ms);
	while (ret < 0 && errno == EINTR);
	if (ret < 0)
		return -errno;
	if (ret == 0)
		return -ETIMEDOUT;
	return fds[1].revents != 0 ? -ECANCELED : 0;
}

static int
left_ms(uint64_t deadline_ns)
{
	uint64_t now = swhca_now_ns();

	return now >= deadline_ns ? 0 : (int)((deadline_ns - now) / NS_PER_MS) + 1;
}

/* Take received descriptors; those beyond the limit are closed. */
static int
fds_take(struct swhca_vfu_msg *msg, struct msghdr *hdr)
{
	bool is_too_many = (hdr->msg_flags & MSG_CTRUNC) != 0;
	struct cmsghdr *cmsg;
	size_t nb, i;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(hdr); cmsg != NULL; cmsg = CMSG_NXTHDR(hdr, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nb = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nb; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(fd), sizeof(fd));
			if (msg->nb_fds < SWHCA_VFU_MAX_FDS) {
				msg->fds[msg->nb_fds++] = fd;
			} else {
				is_too_many = true;
				close(fd);
			}
		}
	}
	if (!is_too_many)
		return 0;
	SWHCA_LOG(ERR, "vfio-user: a message with more than %u descriptors", SWHCA_VFU_MAX_FDS);
	return -EPROTO;
}

/* Receive available bytes, up to len. @return Number of bytes; 0: none yet. */
static ssize_t
some_receive(int sock, struct swhca_vfu_msg *msg, void *to, size_t len)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(SWHCA_VFU_MAX_FDS * sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = to, .iov_len = len };
	struct msghdr hdr = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	ssize_t ret = recvmsg(sock, &hdr, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

	if (ret < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (ret == 0)
		return -ENOTCONN;
	return fds_take(msg, &hdr) != 0 ? -EPROTO : ret;
}

static int
all_receive(int sock, int stop_fd, struct swhca_vfu_msg *msg, void *to, size_t len,
	    uint64_t deadline_ns)
{
	size_t done = 0;
	ssize_t nb;
	int ret;

	while (done < len) {
		nb = some_receive(sock, msg, (uint8_t *)to + done, len - done);
		if (nb < 0)
			return (int)nb;
		done += (size_t)nb;
		if (done == len || nb > 0)
			continue;
		ret = sock_wait(sock, POLLIN, stop_fd, left_ms(deadline_ns));
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
header_check(const struct swhca_vfu_header *header)
{
	if ((header->flags & SWHCA_VFU_TYPE_MASK) != SWHCA_VFU_COMMAND) {
		SWHCA_LOG(ERR, "vfio-user: message of type %u, not a command",
			  header->flags & SWHCA_VFU_TYPE_MASK);
		return -EPROTO;
	}
	if (header->size < sizeof(*header) || header->size - sizeof(*header) > SWHCA_VFU_MAX_DATA) {
		SWHCA_LOG(ERR, "vfio-user: message of %u bytes, %zu to %zu", header->size,
			  sizeof(*header), sizeof(*header) + SWHCA_VFU_MAX_DATA);
		return -EPROTO;
	}
	return 0;
}

/* Receive a message with the data after its header. */
static int
whole_receive(int sock, int stop_fd, struct swhca_vfu_msg *msg, uint64_t deadline_ns)
{
	int ret = all_receive(sock, stop_fd, msg, &msg->header, sizeof(msg->header), deadline_ns);

	if (ret == 0)
		ret = header_check(&msg->header);
	if (ret != 0)
		return ret;
	msg->len = msg->header.size - sizeof(msg->header);
	return all_receive(sock, stop_fd, msg, msg->data, msg->len, deadline_ns);
}

int
swhca_vfu_receive(int sock, int stop_fd, int wait_ms, unsigned int rest_ms,
		  struct swhca_vfu_msg *msg)
{
	int ret = sock_wait(sock, POLLIN, stop_fd, wait_ms);

	msg->len = 0;
	msg->nb_fds = 0;
	if (ret == 0)
		ret = whole_receive(sock, stop_fd, msg, swhca_now_ns() + rest_ms * NS_PER_MS);
	if (ret == 0)
		return 0;
	swhca_vfu_msg_close_fds(msg);
	if (ret == -ECONNRESET)
		ret = -ENOTCONN;
	if (ret != -ECANCELED && ret != -ENOTCONN && ret != -EPROTO)
		SWHCA_LOG(ERR, "vfio-user: message: %s", strerror(-ret));
	return ret;
}

static int
all_send(int sock, int stop_fd, uint64_t deadline_ns, struct iovec *iov, size_t nb_iov, int fd)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct msghdr hdr = { .msg_iov = iov, .msg_iovlen = nb_iov };
	ssize_t nb;
	int ret;

	if (fd >= 0) {
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
		hdr.msg_control = &control;
		hdr.msg_controllen = sizeof(control);
	}
	while (hdr.msg_iovlen > 0) {
		nb = sendmsg(sock, &hdr, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (nb < 0 && errno == EAGAIN) {
			ret = sock_wait(sock, POLLOUT, stop_fd, left_ms(deadline_ns));
			if (ret != 0)
				return ret;
		} else if (nb < 0 && errno != EINTR) {
			return -errno;
		}
		if (nb <= 0)
			continue;
		hdr.msg_controllen = 0;
		for (; hdr.msg_iovlen > 0 && (size_t)nb >= hdr.msg_iov->iov_len; hdr.msg_iovlen--)
			nb -= (ssize_t)hdr.msg_iov++->iov_len;
		if (hdr.msg_iovlen > 0) {
			hdr.msg_iov->iov_base = (uint8_t *)hdr.msg_iov->iov_base + nb;
			hdr.msg_iov->iov_len -= (size_t)nb;
		}
	}
	return 0;
}

int
swhca_vfu_answer(int sock, int stop_fd, unsigned int rest_ms, const struct swhca_vfu_msg *msg,
		 int ret, const struct swhca_vfu_reply *reply)
{
	size_t len = ret == 0 ? reply->len : 0;
	struct swhca_vfu_header header = {
		.id = msg->header.id,
		.cmd = msg->header.cmd,
		.size = (uint32_t)(sizeof(header) + len),
		.flags = SWHCA_VFU_REPLY | (ret != 0 ? SWHCA_VFU_ERROR : 0),
		.error = (uint32_t)-ret,
	};
	struct iovec iov[] = {
		{ .iov_base = &header, .iov_len = sizeof(header) },
		{ .iov_base = reply->data, .iov_len = len },
	};

	if ((msg->header.flags & SWHCA_VFU_NO_REPLY) != 0)
		return 0;
	return all_send(sock, stop_fd, swhca_now_ns() + rest_ms * NS_PER_MS, iov, len > 0 ? 2 : 1,
			ret == 0 ? reply->fd : -1);
}
