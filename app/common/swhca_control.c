/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "swhca_control.h"

/* Delay between attempts to connect to a full backlog. */
#define CONNECT_PAUSE_MS 5

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int
left_ms(int64_t deadline)
{
	int64_t left = deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

/* The address of a process is abstract and contains its PID (lib/swhca/host/control_addr.h). */
static socklen_t
addr_fill(pid_t pid, struct sockaddr_un *addr)
{
	int len;

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	len = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, "swhca-%ld", (long)pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
}

/* Any process can bind an abstract address, so check the peer credentials. */
static int
peer_check(int fd, pid_t pid)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
		return -errno;
	return peer.pid == pid ? 0 : -EPERM;
}

static int
peer_connect(int fd, pid_t pid, int64_t deadline)
{
	struct sockaddr_un addr;
	socklen_t len = addr_fill(pid, &addr);

	while (connect(fd, (const struct sockaddr *)&addr, len) != 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (left_ms(deadline) == 0)
			return -ETIMEDOUT;
		poll(NULL, 0, CONNECT_PAUSE_MS);
	}
	return peer_check(fd, pid);
}

/* Send the line in one piece, because the server reads only once. */
static int
line_send(int fd, const char *line)
{
	ssize_t nb;

	do {
		nb = send(fd, line, strlen(line), MSG_NOSIGNAL);
	} while (nb < 0 && errno == EINTR);
	if (nb < 0)
		return errno == EPIPE ? -ECONNRESET : -errno;
	return (size_t)nb == strlen(line) ? 0 : -ECONNRESET;
}

static int
readable_wait(int fd, int64_t deadline)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	int ret = poll(&poll_fd, 1, left_ms(deadline));

	if (ret == 0)
		return -ETIMEDOUT;
	return ret < 0 && errno != EINTR ? -errno : 0;
}

/* Receive until the end of the connection; bytes that do not fit are discarded. */
static int
answer_receive(int fd, char *answer, size_t size, int64_t deadline)
{
	char rest[256];
	size_t len = 0;
	ssize_t nb = 1;
	int ret = 0;

	while (ret == 0 && nb != 0) {
		nb = len < size - 1 ? recv(fd, answer + len, size - 1 - len, MSG_DONTWAIT) :
				      recv(fd, rest, sizeof(rest), MSG_DONTWAIT);
		if (nb > 0 && len < size - 1)
			len += (size_t)nb;
		else if (nb < 0 && (errno == EAGAIN || errno == EINTR))
			ret = readable_wait(fd, deadline);
		else if (nb < 0)
			ret = -errno;
	}
	if (ret == 0 && len == 0 && size > 1)
		ret = -ECONNRESET;
	answer[ret == 0 ? len : 0] = '\0';
	return ret;
}

int
swhca_control_ask(pid_t pid, const char *line, char *answer, size_t size)
{
	const int64_t deadline = now_ms() + SWHCA_CONTROL_TIMEOUT_MS;
	int fd, ret;

	answer[0] = '\0';
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	ret = peer_connect(fd, pid, deadline);
	if (ret == 0)
		ret = line_send(fd, line);
	if (ret == 0)
		ret = answer_receive(fd, answer, size, deadline);
	close(fd);
	return ret;
}

bool
swhca_control_is_there(pid_t pid)
{
	char answer[SWHCA_CONTROL_SIZE];

	return swhca_control_ask(pid, "list", answer, sizeof(answer)) == 0;
}

int
swhca_control_do(pid_t pid, const char *line, char *why, size_t size)
{
	char answer[SWHCA_CONTROL_SIZE];
	int ret = swhca_control_ask(pid, line, answer, sizeof(answer));

	if (ret != 0 || strcmp(answer, "ok\n") == 0)
		return ret;
	if (why != NULL && size > 0)
		snprintf(why, size, "%.*s", (int)strcspn(answer, "\n"), answer);
	return -EINVAL;
}

/* Find the line of a device: "mlx5_N name value name value ...". */
static const char *
device_line(const char *answer, unsigned int device)
{
	char begin[32];
	const char *line;

	snprintf(begin, sizeof(begin), "mlx5_%u ", device);
	for (line = answer; line != NULL && line[0] != '\0';) {
		if (strncmp(line, begin, strlen(begin)) == 0)
			return line;
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return NULL;
}

int
swhca_control_counter(pid_t pid, unsigned int device, const char *name, uint64_t *value)
{
	char answer[SWHCA_CONTROL_SIZE], word[64];
	const char *line;
	int ret;

	ret = swhca_control_ask(pid, "stats", answer, sizeof(answer));
	if (ret != 0)
		return ret;
	line = device_line(answer, device);
	if (line == NULL)
		return -ENOENT;
	answer[line - answer + (ptrdiff_t)strcspn(line, "\n")] = '\0';
	snprintf(word, sizeof(word), " %.60s ", name);
	line = strstr(line, word);
	if (line == NULL)
		return -ENOENT;
	return sscanf(line + strlen(word), "%" SCNu64, value) == 1 ? 0 : -ENOENT;
}

int
swhca_control_fault_arm(pid_t pid, unsigned int device, const char *spec, char *why, size_t size)
{
	char line[512];
	int len = snprintf(line, sizeof(line), "fault %u %s", device, spec);

	if (len < 0 || (size_t)len >= sizeof(line))
		return -EINVAL;
	return swhca_control_do(pid, line, why, size);
}

int
swhca_control_fault_off(pid_t pid, unsigned int device, const char *fault_class)
{
	char line[128];

	snprintf(line, sizeof(line), "fault %u off%s%.64s", device,
		 fault_class != NULL ? " " : "", fault_class != NULL ? fault_class : "");
	return swhca_control_do(pid, line, NULL, 0);
}

int
swhca_control_fault_fired(pid_t pid, unsigned int device, const char *fault_class, uint64_t *nb)
{
	char name[64];
	char *at;

	if (fault_class == NULL)
		return swhca_control_counter(pid, device, "faults", nb);
	snprintf(name, sizeof(name), "fault_%.50s", fault_class);
	while ((at = strchr(name, '-')) != NULL)
		*at = '_';
	return swhca_control_counter(pid, device, name, nb);
}
