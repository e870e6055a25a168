/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WIRE_H
#define WIRE_H

/**
 * @file
 * swhca-speed --wire: two processes, and what passes between them: by queue pairs of a device each,
 * and by plain UDP sockets, which is what a device between processes has below it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Payload of a packet: the path MTU of devices. */
#define WIRE_MTU		4096u
/** Longest message. */
#define WIRE_MAX_LEN		(1u << 20)

/** Nanoseconds of CLOCK_MONOTONIC. */
uint64_t wire_now_ns(void);

/** What the other process is asked to do. */
enum wire_order_op {
	WIRE_END,		/**< Exit. */
	WIRE_UDP_STREAM,	/**< Send datagrams for a time. */
	WIRE_UDP_ECHO,		/**< Send back what comes, for as many datagrams as asked. */
};

struct wire_order {
	enum wire_order_op op;
	uint64_t ns;		/**< WIRE_UDP_STREAM */
	uint32_t nb;		/**< WIRE_UDP_ECHO */
	bool sleeps;		/**< WIRE_UDP_ECHO: until one comes, as an idle device does. */
};

/* The other process, wire.c. Each call ends within 5 s, and says on stderr why it failed. */

/** Bytes to, and from, the other process: a socket. */
bool wire_tell(int fd, const void *bytes, size_t len);
bool wire_hear(int fd, void *bytes, size_t len);
/** Whether something can be heard. */
bool wire_has_word(int fd);

/* Sockets, wire_udp.c. */

/** Two UDP sockets of the loopback interface, connected to each other. */
bool wire_udp_open(int fds[2]);
/** The other process: what an order asks for. */
bool wire_udp_obey(int fd, const struct wire_order *order);
/** Have datagrams sent for a time. @return Bytes of payload per second that came, or 0. */
double wire_udp_stream(int fd, int peer, uint64_t ns);
/** Datagrams to and fro. "sleeps": the other end does. @return Seconds of a round trip, or 0. */
double wire_udp_round_trip(int fd, int peer, uint32_t nb, bool sleeps);

/* Queue pairs, wire_verbs.c. */

struct wire_bed;

/**
 * Open the first device, and connect a queue pair with the one of the other process, which does the
 * same.
 *
 * @return
 *   NULL, said on stderr, on failure.
 */
struct wire_bed *wire_bed_open(int peer);
/** NULL is accepted. */
void wire_bed_close(struct wire_bed *bed);
const char *wire_bed_device(const struct wire_bed *bed);

/** One message, until it is acknowledged. @return false, said on stderr, if it is not. */
bool wire_bed_probe(struct wire_bed *bed);
/**
 * RDMA writes, or reads, for a time.
 *
 * @return
 *   Bytes of payload per second, or 0.
 */
double wire_bed_stream(struct wire_bed *bed, bool is_read, uint32_t len, uint64_t ns);
/** RDMA writes, one after the other. @return Seconds until one is acknowledged, or 0. */
double wire_bed_round_trip(struct wire_bed *bed, uint32_t len, uint32_t nb);

/**
 * Measure.
 *
 * @param format
 *   "table", "csv" or "json".
 * @return
 *   Exit code of the program.
 */
int wire_run(unsigned int nb_rounds, const char *format);

#endif /* WIRE_H */
