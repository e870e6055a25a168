/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "autotest.h"
#include "control.h"

#define ANSWER_SIZE 8192
#define TIMEOUT_S 30

/*
 * Send a line, receive the answer. The process that has the devices listens at an abstract address
 * with its number (lib/swhca/host/control_addr.h).
 */
static bool
request(const char *line, char *answer)
{
	const struct timeval timeout = { .tv_sec = TIMEOUT_S };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	ssize_t len;
	int fd, name_len;

	name_len = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, "swhca-%ld",
			    (long)getpid());
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	len = -1;
	if (connect(fd, (const struct sockaddr *)&addr,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) +
			    (socklen_t)name_len) == 0 &&
	    send(fd, line, strlen(line), MSG_NOSIGNAL) >= 0)
		len = recv(fd, answer, ANSWER_SIZE - 1, 0);
	close(fd);
	answer[len > 0 ? len : 0] = '\0';
	return len > 0;
}

bool
at_has_control(void)
{
	char answer[ANSWER_SIZE];

	return request("list", answer);
}

int
at_device_do(const char *command)
{
	char answer[ANSWER_SIZE];

	TEST_ASSERT(request(command, answer));
	if (strcmp(answer, "ok\n") != 0)
		TEST_FAIL_AT("%s: %s", command, answer);
	return TEST_SUCCESS;
}

int
at_command_fail(unsigned int n)
{
	char line[64];

	snprintf(line, sizeof(line), "fail-command 0 %u", n);
	return at_device_do(line);
}

/* "name value" somewhere in the line of the first device. */
static bool
counter_find(const char *text, const char *name, uint64_t *value)
{
	const char *found = strstr(text, name);

	return found != NULL && sscanf(found + strlen(name), " %" SCNu64, value) == 1;
}

int
at_device_stats(struct at_device_stats *stats)
{
	char answer[ANSWER_SIZE];

	TEST_ASSERT(request("stats", answer));
	TEST_ASSERT(counter_find(answer, " cmd_errors", &stats->nb_cmd_errors));
	TEST_ASSERT(counter_find(answer, " wqes", &stats->nb_wqes));
	TEST_ASSERT(counter_find(answer, " objects", &stats->nb_objects));
	TEST_ASSERT(counter_find(answer, " umems", &stats->nb_umems));
	TEST_ASSERT(counter_find(answer, " mkeys", &stats->nb_mkeys));
	return TEST_SUCCESS;
}
