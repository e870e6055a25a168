/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_NL_MSG_H
#define SWHCA_NL_MSG_H

/**
 * @file
 * Packets of netlink messages while they are written, and attributes that are read (netlink(7)).
 *
 * What does not fit is not written, and the message that it belongs to cannot be ended.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * Largest packet: what Linux gives to programs with buffers of a page (NLMSG_GOODSIZE is a page
 * without the kernel's own data).
 */
#define SWHCA_NL_PACKET_SIZE 3776u

/** A packet; zero bytes of it are in use after it was initialized with zeros. */
struct swhca_nl_packet {
	uint32_t len;		/**< Bytes in use. */
	uint32_t start;		/**< Where the message begins that is being written. */
	bool is_full;		/**< Something of it did not fit. */
	_Alignas(struct nlmsghdr) uint8_t bytes[SWHCA_NL_PACKET_SIZE];
};

/** A place in a packet to go back to. */
struct swhca_nl_mark {
	uint32_t len;
	bool is_full;
};

/** Begin a message; nlmsg_len of the header is not looked at. */
void swhca_nl_begin(struct swhca_nl_packet *packet, const struct nlmsghdr *hdr);
/** End it. @return 0, or -EMSGSIZE: it did not fit, and nothing of it is there any more. */
int swhca_nl_end(struct swhca_nl_packet *packet);
/** Forget it. */
void swhca_nl_cancel(struct swhca_nl_packet *packet);

struct swhca_nl_mark swhca_nl_mark(const struct swhca_nl_packet *packet);
/** Forget what was written since. */
void swhca_nl_rewind(struct swhca_nl_packet *packet, struct swhca_nl_mark mark);

/** Bytes that are no attribute, padded to 4. */
void swhca_nl_put_bytes(struct swhca_nl_packet *packet, const void *data, size_t len);
void swhca_nl_put(struct swhca_nl_packet *packet, uint16_t type, const void *data, size_t len);
void swhca_nl_put_u8(struct swhca_nl_packet *packet, uint16_t type, uint8_t value);
void swhca_nl_put_u32(struct swhca_nl_packet *packet, uint16_t type, uint32_t value);
void swhca_nl_put_u64(struct swhca_nl_packet *packet, uint16_t type, uint64_t value);
void swhca_nl_put_string(struct swhca_nl_packet *packet, uint16_t type, const char *text);
/** Attributes in an attribute. @return Where it begins, for swhca_nl_nest_end(). */
uint32_t swhca_nl_nest_begin(struct swhca_nl_packet *packet, uint16_t type);
void swhca_nl_nest_end(struct swhca_nl_packet *packet, uint32_t start);

/**
 * Next attribute of *len bytes, which are moved behind it.
 *
 * @return
 *   Its header, at an address that need not be aligned, with all of the payload behind it; or NULL
 *   at the end, or where it is cut off.
 */
const uint8_t *swhca_nl_next(const uint8_t **at, size_t *len, struct nlattr *attr);

#endif /* SWHCA_NL_MSG_H */
