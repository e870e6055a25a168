/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef WIRE_H
#define WIRE_H

/**
 * @file
 * swhca-speed --wire: traffic between two processes, by queue pairs of one device each, and by
 * plain UDP sockets, which devices use between processes.
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

/** Orders for the other process. */
enum wire_order_op {
	WIRE_END,		/**< Exit. */
	WIRE_UDP_STREAM,	/**< Send datagrams for a time. */
	WIRE_UDP_ECHO,		/**< Echo as many datagrams as requested. */
};

struct wire_order {
	enum wire_order_op op;
	uint64_t ns;		/**< WIRE_UDP_STREAM */
	uint32_t nb;		/**< WIRE_UDP_ECHO */
	bool sleeps;		/**< WIRE_UDP_ECHO: sleep until a datagram arrives, as an idle
				  *   device does. */
};

/*
 * Communication with the other process, wire.c. Each call ends within 5 s and prints an error on
 * failure.
 */

/** Send and receive bytes over a socket. */
bool wire_tell(int fd, const void *bytes, size_t len);
bool wire_hear(int fd, void *bytes, size_t len);
/** Whether data is available. */
bool wire_has_word(int fd);

/* Sockets, wire_udp.c. */

/** Two UDP sockets of the loopback interface, connected to each other. */
bool wire_udp_open(int fds[2]);
/** Execute an order in the other process. */
bool wire_udp_obey(int fd, const struct wire_order *order);
/** Order datagrams for some time. @return Received bytes of payload per second, or 0. */
double wire_udp_stream(int fd, int peer, uint64_t ns);
/** Exchange datagrams. "sleeps": the other end does. @return Seconds of a round trip, or 0. */
double wire_udp_round_trip(int fd, int peer, uint32_t nb, bool sleeps);

/* Queue pairs, wire_verbs.c. */

struct wire_bed;

/**
 * Open the first device and connect a queue pair to that of the other process, which does the same.
 *
 * @return
 *   NULL after an error was printed.
 */
struct wire_bed *wire_bed_open(int peer);
/** Accepts NULL. */
void wire_bed_close(struct wire_bed *bed);
const char *wire_bed_device(const struct wire_bed *bed);

/** Send one message and wait for its acknowledgment. @return False after an error was printed. */
bool wire_bed_probe(struct wire_bed *bed);
/**
 * Run RDMA writes or reads for some time.
 *
 * @return
 *   Bytes of payload per second, or 0.
 */
double wire_bed_stream(struct wire_bed *bed, bool is_read, uint32_t len, uint64_t ns);
/** Run RDMA writes one at a time. @return Seconds until one is acknowledged, or 0. */
double wire_bed_round_trip(struct wire_bed *bed, uint32_t len, uint32_t nb);

/**
 * Run the measurement.
 *
 * @param format
 *   "table", "csv" or "json".
 * @return
 *   Exit code of the program.
 */
int wire_run(unsigned int nb_rounds, const char *format);

#endif /* WIRE_H */
