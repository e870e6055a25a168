/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NL_MSG_H
#define SWHCA_NL_MSG_H

/**
 * @file
 * Encoding of netlink messages in packets, and parsing of attributes (netlink(7)).
 *
 * Data that does not fit is not written, and its message cannot be ended.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * Maximum packet: what Linux sends to programs with page-sized buffers (NLMSG_GOODSIZE is a page
 * without the kernel's own data).
 */
#define SWHCA_NL_PACKET_SIZE 3776u

/** A packet; empty after initialization with zeros. */
struct swhca_nl_packet {
	uint32_t len;		/**< Bytes in use. */
	uint32_t start;		/**< Start of the current message. */
	bool is_full;		/**< Some of it did not fit. */
	_Alignas(struct nlmsghdr) uint8_t bytes[SWHCA_NL_PACKET_SIZE];
};

/** A position in a packet to rewind to. */
struct swhca_nl_mark {
	uint32_t len;
	bool is_full;
};

/** Begin a message; nlmsg_len of the header is ignored. */
void swhca_nl_begin(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr);
/** End the message. @return 0, or -EMSGSIZE: it did not fit and is removed. */
int swhca_nl_end(struct swhca_nl_packet *packet);
/** Remove the current message. */
void swhca_nl_cancel(struct swhca_nl_packet *packet);

struct swhca_nl_mark swhca_nl_mark(const struct swhca_nl_packet *packet);
/** Remove everything after a mark. */
void swhca_nl_rewind(struct swhca_nl_packet *packet, struct swhca_nl_mark mark);

/** Append bytes without an attribute, padded to 4. */
void swhca_nl_put_bytes(struct swhca_nl_packet *packet, const void *data, size_t len);
void swhca_nl_put(struct swhca_nl_packet *packet, uint16_t type, const void *data, size_t len);
void swhca_nl_put_u8(struct swhca_nl_packet *packet, uint16_t type, uint8_t value);
void swhca_nl_put_u32(struct swhca_nl_packet *packet, uint16_t type, uint32_t value);
void swhca_nl_put_u64(struct swhca_nl_packet *packet, uint16_t type, uint64_t value);
void swhca_nl_put_string(struct swhca_nl_packet *packet, uint16_t type, const char *text);
/** Begin a nested attribute. @return Its position, for swhca_nl_nest_end(). */
uint32_t swhca_nl_nest_begin(struct swhca_nl_packet *packet, uint16_t type);
void swhca_nl_nest_end(struct swhca_nl_packet *packet, uint32_t start);

/**
 * Get the next attribute of *len bytes, and advance past it.
 *
 * @return
 *   Its header, unaligned, followed by the complete payload; or NULL at the end, or if truncated.
 */
const uint8_t *swhca_nl_next(const uint8_t **at, size_t *len, struct nlattr *attr);

#endif /* SWHCA_NL_MSG_H */
