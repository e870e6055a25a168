/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include <result.h>

#include "wire.h"

#define TIMEOUT_MS 60000
#define ROUND_NS UINT64_C(20000000)
#define NB_ROUND_TRIPS 200u

enum { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_SETUP = 3 };

enum wire_op {
	OP_UDP_STREAM,
	OP_WRITE,
	OP_READ,
	OP_UDP_ROUND_TRIP,
	OP_UDP_WAKE,	/* The same, but the other end sleeps like an idle device. */
	OP_ROUND_TRIP,
};

/* A row of the result; it is compared with the preceding UDP row. */
static const struct wire_case {
	const char *name;
	enum wire_op op;
	uint32_t len;
} cases[] = {
	{ "udp", OP_UDP_STREAM, 15 * WIRE_MTU },
	{ "write", OP_WRITE, 4096 },
	{ "write", OP_WRITE, 65536 },
	{ "write", OP_WRITE, 1048576 },
	{ "read", OP_READ, 65536 },
	{ "read", OP_READ, 1048576 },
	{ "udp", OP_UDP_ROUND_TRIP, 64 },
	{ "wake", OP_UDP_WAKE, 64 },
	{ "write", OP_ROUND_TRIP, 64 },
};

#define NB_CASES (sizeof(cases) / sizeof(cases[0]))

/* Two processes; this one measures. */
struct pair {
	int udp;
	int peer;
	pid_t pid;
	struct wire_bed *bed;
};

struct result {
	double median;
	double min;
	double max;
};

uint64_t
wire_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

bool
wire_tell(int fd, const void *bytes, size_t len)
{
	if (send(fd, bytes, len, MSG_NOSIGNAL) == (ssize_t)len)
		return true;
	fprintf(stderr, "swhca-speed: the other process: %s\n", strerror(errno));
	return false;
}

bool
wire_has_word(int fd)
{
	struct pollfd word = { .fd = fd, .events = POLLIN };

	return poll(&word, 1, 0) == 1;
}

bool
wire_hear(int fd, void *bytes, size_t len)
{
	struct pollfd word = { .fd = fd, .events = POLLIN };

	errno = ETIMEDOUT;
	if (poll(&word, 1, TIMEOUT_MS) == 1 && recv(fd, bytes, len, 0) == (ssize_t)len)
		return true;
	fprintf(stderr, "swhca-speed: no answer of the other process: %s\n", strerror(errno));
	return false;
}

/* Main function of the other process, whose device serves queue pairs. */
static int
peer_main(int udp, int peer)
{
	struct wire_bed *bed = wire_bed_open(peer);
	struct wire_order order;
	uint8_t word = 0;
	bool is_good = bed != NULL;

	while (is_good && recv(peer, &order, sizeof(order), 0) == sizeof(order) &&
	       order.op != WIRE_END)
		is_good = wire_udp_obey(udp, &order) && wire_tell(peer, &word, sizeof(word));
	wire_bed_close(bed);
	return is_good ? EXIT_OK : EXIT_FAILED;
}

/* Open before using verbs, which a child process would not inherit. */
static bool
pair_open(struct pair *pair)
{
	int sockets[2], udp[2];

	if (!wire_udp_open(udp))
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
		fprintf(stderr, "swhca-speed: socketpair: %s\n", strerror(errno));
		return false;
	}
	fflush(NULL);
	pair->pid = fork();
	if (pair->pid == 0) {
		close(sockets[0]);
		close(udp[0]);
		_exit(peer_main(udp[1], sockets[1]));
	}
	close(sockets[1]);
	close(udp[1]);
	pair->peer = sockets[0];
	pair->udp = udp[0];
	if (pair->pid < 0) {
		fprintf(stderr, "swhca-speed: fork: %s\n", strerror(errno));
		return false;
	}
	pair->bed = wire_bed_open(pair->peer);
	return pair->bed != NULL && wire_bed_probe(pair->bed);
}

static void
pair_close(struct pair *pair)
{
	const struct wire_order order = { .op = WIRE_END };

	wire_bed_close(pair->bed);
	if (pair->pid <= 0)
		return;
	/* The child ends when the socket is closed, at the latest. */
	(void)send(pair->peer, &order, sizeof(order), MSG_NOSIGNAL);
	close(pair->peer);
	close(pair->udp);
	waitpid(pair->pid, NULL, 0);
}

/*
 * One round of datagrams; repeated as long as the receiver had no CPU while the other sent.
 *
 * @return
 *   Bytes per second, or 0 on failure.
 */
static double
udp_stream_run(struct pair *pair)
{
	const uint64_t end = wire_now_ns() + TIMEOUT_MS * UINT64_C(1000000);
	double value;
	uint8_t word;

	do {
		value = wire_udp_stream(pair->udp, pair->peer, ROUND_NS);
		if (!wire_hear(pair->peer, &word, sizeof(word)))
			return 0;
	} while (value == 0 && wire_now_ns() < end);
	return value;
}

/* Run one round. @return Bytes per second, seconds, or 0 on failure. */
static double
case_run(struct pair *pair, const struct wire_case *c)
{
	double value;
	uint8_t word;

	switch (c->op) {
	case OP_UDP_STREAM:
		return udp_stream_run(pair);
	case OP_UDP_ROUND_TRIP:
	case OP_UDP_WAKE:
		value = wire_udp_round_trip(pair->udp, pair->peer, NB_ROUND_TRIPS,
					    c->op == OP_UDP_WAKE);
		return wire_hear(pair->peer, &word, sizeof(word)) ? value : 0;
	case OP_WRITE:
	case OP_READ:
		return wire_bed_stream(pair->bed, c->op == OP_READ, c->len, ROUND_NS);
	case OP_ROUND_TRIP:
	default:
		return wire_bed_round_trip(pair->bed, c->len, NB_ROUND_TRIPS);
	}
}

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool
is_time(const struct wire_case *c)
{
	return c->op >= OP_UDP_ROUND_TRIP;
}

/* Convert to GB/s or microseconds. */
static struct result
result_of(const struct wire_case *c, double *values, unsigned int nb)
{
	double unit = is_time(c) ? 1e6 : 1e-9;

	qsort(values, nb, sizeof(values[0]), compare_doubles);
	return (struct result){ .median = values[nb / 2] * unit, .min = values[0] * unit,
				.max = values[nb - 1] * unit };
}

static void
print_line(const char *format, const struct wire_case *c, const struct result *r, double of_udp,
	   json_t *lines)
{
	const char *unit = is_time(c) ? "us" : "GB/s";

	if (strcmp(format, "table") == 0) {
		printf("%-6s %8u | %-4s %8.2f %8.2f %8.2f | %6.2f\n", c->name, c->len, unit,
		       r->median, r->min, r->max, of_udp);
	} else if (strcmp(format, "csv") == 0) {
		printf("%s,%u,%s,%.4f,%.4f,%.4f,%.4f", c->name, c->len, unit, r->median, r->min,
		       r->max, of_udp);
		result_print_csv_end();
	}
	json_array_append_new(lines,
			      json_pack("{s:s, s:i, s:s, s:f, s:f, s:f, s:f}", "operation", c->name,
					"bytes", (int)c->len, "unit", unit, "value", r->median,
					"min", r->min, "max", r->max, "of_udp", of_udp));
}

static void
print_all(const struct pair *pair, const char *format, double *values, unsigned int nb_rounds)
{
	json_t *lines = json_array();
	double of = 1;

	if (strcmp(format, "table") == 0)
		printf("%s of two processes, beside UDP sockets of these; medians. GB/s: of\n"
		       "payload; us: until an answer, or acknowledgement, is there\n\n"
		       "%-6s %8s | %-4s %8s %8s %8s | %6s\n", wire_bed_device(pair->bed),
		       "what", "bytes", "", "median", "min", "max", "of UDP");
	else if (strcmp(format, "csv") == 0)
		result_print_csv_head("operation,bytes,unit,value,min,max,of_udp");
	for (size_t i = 0; i < NB_CASES; i++) {
		struct result r = result_of(&cases[i], values + i * nb_rounds, nb_rounds);

		if (cases[i].op == OP_UDP_STREAM || cases[i].op == OP_UDP_ROUND_TRIP)
			of = r.median;
		print_line(format, &cases[i], &r, r.median / of, lines);
	}
	if (strcmp(format, "json") == 0)
		result_print_json(json_pack("{s:O}", "results", lines));
	json_decref(lines);
}

/* Run all cases in each round, so that disturbances affect all of them. */
static bool
rounds_run(struct pair *pair, double *values, unsigned int nb_rounds)
{
	for (unsigned int round = 0; round < nb_rounds; round++) {
		for (size_t i = 0; i < NB_CASES; i++) {
			double value = case_run(pair, &cases[i]);

			if (value == 0) {
				fprintf(stderr, "swhca-speed: %s of %u bytes failed\n",
					cases[i].name, cases[i].len);
				return false;
			}
			values[i * nb_rounds + round] = value;
		}
	}
	return true;
}

int
wire_run(unsigned int nb_rounds, const char *format)
{
	double *values = calloc(nb_rounds * NB_CASES, sizeof(*values));
	struct pair pair = { .pid = -1 };
	int ret = EXIT_SETUP;

	if (values != NULL && pair_open(&pair)) {
		ret = rounds_run(&pair, values, nb_rounds) ? EXIT_OK : EXIT_FAILED;
		if (ret == EXIT_OK)
			print_all(&pair, format, values, nb_rounds);
	}
	pair_close(&pair);
	free(values);
	return ret;
}
