/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef EXAMPLES_CAPTURE_H
#define EXAMPLES_CAPTURE_H

/*
 * Contents of a capture for checking the results of examples: read from the file without DPDK, and
 * parsed by code that is only used for this.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file in the pcap format, in memory. */
struct capture {
	uint8_t *file;
	size_t len;
	size_t at;		/* of the next record */
	uint32_t nb_packets;	/* records of the file */
	/* Unchecked payload of the previous record. */
	const uint8_t *rest;
	uint32_t nb_rest;
	uint64_t nb_same;	/* bytes found in the capture since the last rewind */
	uint64_t fnv;		/* FNV-1a of these bytes */
};

/* Parts of a packet. */
struct capture_packet {
	const uint8_t *ip;	/* header; NULL: neither IPv4 nor IPv6, or truncated */
	const uint8_t *addrs;	/* source and destination */
	const uint8_t *body;	/* after the IP header and its extensions */
	uint32_t nb_body;	/* size of the body without padding of the link */
	uint32_t l4_len;	/* size of its UDP, TCP or SCTP header; 0 in a fragment */
	uint32_t id;		/* of a fragment: identification */
	uint32_t offset;	/* of a fragment: offset of its body */
	uint8_t addrs_len;
	bool is_fragment;
	bool more;		/* of a fragment: not the last one */
};

/* 0, or a negative errno: -EPROTO if the file is not an Ethernet capture in pcap format. */
int capture_open(struct capture *capture, const char *path);
void capture_close(struct capture *capture);

/* Restart at the first packet. */
void capture_rewind(struct capture *capture);

/* Parse the next packet; false after the last one. */
bool capture_next(struct capture *capture, struct capture_packet *packet);

/* Check and consume the next bytes of payload, which may span several packets. */
bool capture_take(struct capture *capture, const uint8_t *bytes, uint32_t len);

/* Whether all payload was consumed. */
bool capture_is_taken(struct capture *capture);

/*
 * Whether a datagram, of at most len bytes by its header, equals the fragments with that
 * identification and its addresses, which must contain each byte once. The header itself is not
 * compared.
 */
bool capture_has_datagram(struct capture *capture, const uint8_t *datagram, uint32_t len,
			  uint32_t id);

#endif /* EXAMPLES_CAPTURE_H */
