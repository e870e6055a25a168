/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Two processes that work with each other for a while; the wire between them loses, doubles,
 * delays and reorders packets if the devices are told so (swhca-run --impair).
 */

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

static uint64_t random_state = 1;

uint64_t
soak_random(void)
{
	/* xorshift64 (Marsaglia, 2003) */
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

uint64_t
soak_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void
soak_pattern(uint8_t *dst, uint32_t len, uint32_t service, uint64_t number)
{
	uint64_t state = (number + 1) * UINT64_C(0x9e3779b97f4a7c15) + service;
	uint64_t word;
	uint32_t i, nb;

	for (i = 0; i < len; i += nb) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		word = state;
		nb = len - i < sizeof(word) ? len - i : (uint32_t)sizeof(word);
		memcpy(dst + i, &word, nb);
	}
}

bool
soak_put(int fd, const void *data, size_t len)
{
	return send(fd, data, len, MSG_NOSIGNAL) == (ssize_t)len;
}

bool
soak_get(int fd, void *data, size_t len)
{
	return recv(fd, data, len, MSG_WAITALL) == (ssize_t)len;
}

static int
server_main(const char *device, int fd)
{
	struct soak_device d = { 0 };
	bool is_good;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	is_good = soak_device_open(&d, device, true) && soak_serve(&d, fd);
	close(fd);
	soak_device_close(&d);
	return is_good ? 0 : 1;
}

static int
client_main(const char *device, int fd, unsigned int seconds)
{
	struct soak_device d = { 0 };
	bool is_good = soak_device_open(&d, device, false) && soak_ask(&d, fd, seconds);

	close(fd);
	soak_device_close(&d);
	return is_good ? 0 : 1;
}

static void
usage(FILE *to)
{
	fprintf(to, "usage: wire-soak [--seconds N] [--seed N] [--device NAME]\n\n"
		"Two processes: random sends, writes, reads and atomics of all service types,\n"
		"each of which must complete once and in order, and have the data that it\n"
		"should.\n");
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'S' },
		{ "device", required_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	const char *device = "mlx5_0";
	unsigned int seconds = 10;
	int fds[2], opt, ret, status;
	pid_t child;

	while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			seconds = (unsigned int)strtoul(optarg, NULL, 10);
			break;
		case 'S':
			random_state = strtoull(optarg, NULL, 10) * 2 + 1;
			break;
		case 'd':
			device = optarg;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 125;
		}
	}
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		return 125;
	child = fork();
	if (child < 0)
		return 125;
	if (child == 0) {
		close(fds[0]);
		return server_main(device, fds[1]);
	}
	close(fds[1]);
	ret = client_main(device, fds[0], seconds);
	if (waitpid(child, &status, 0) != child || status != 0)
		ret = 1;
	return ret;
}
