/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_CAPTURE_H
#define EXAMPLES_CAPTURE_H

/*
 * What a capture has, for the checks of examples: read from the file without DPDK, and parsed by
 * code that the examples do not use for anything else.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file in the pcap format, in memory. */
struct capture {
	uint8_t *file;
	size_t len;
	size_t at;		/* of the next record */
	uint32_t nb_packets;	/* all records of the file */
	/* What was not compared yet of the payload that the record before it has. */
	const uint8_t *rest;
	uint32_t nb_rest;
	uint64_t nb_same;	/* bytes that were found in it since it was rewound */
	uint64_t fnv;		/* FNV-1a of these */
};

/* Where the parts of a packet are. */
struct capture_packet {
	const uint8_t *ip;	/* its header, or NULL: neither IPv4 nor IPv6, or cut */
	const uint8_t *addrs;	/* source and destination */
	const uint8_t *body;	/* behind the header of IP, and extensions */
	uint32_t nb_body;	/* bytes there, without padding of the link */
	uint32_t l4_len;	/* of these, header of UDP, TCP or SCTP; 0 in a fragment */
	uint32_t id;		/* of a fragment: identification */
	uint32_t offset;	/* of a fragment: where its body belongs */
	uint8_t addrs_len;
	bool is_fragment;
	bool more;		/* of a fragment: it is not the last one */
};

/* 0, or a negative errno: -EPROTO if this is no capture of Ethernet in the pcap format. */
int capture_open(struct capture *capture, const char *path);
void capture_close(struct capture *capture);

/* Begin with the first packet again. */
void capture_rewind(struct capture *capture);

/* Parse the next packet; false behind the last one. */
bool capture_next(struct capture *capture, struct capture_packet *packet);

/* Are these the next bytes of payload? Takes them away, over as many packets as they are from. */
bool capture_take(struct capture *capture, const uint8_t *bytes, uint32_t len);

/* Is no payload left? */
bool capture_is_taken(struct capture *capture);

/*
 * Is this datagram, of at most len bytes by its header, what the fragments of that identification
 * and its addresses make, each byte of it in one of them? The header itself is not compared.
 */
bool capture_has_datagram(struct capture *capture, const uint8_t *datagram, uint32_t len,
			  uint32_t id);

#endif /* EXAMPLES_CAPTURE_H */
