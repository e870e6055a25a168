/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_UDP_H
#define SWHCA_WIRE_LINK_UDP_H

/**
 * @file
 * Link with a UDP socket at port 4791 of one address (IBTA annex A17): opened by udp.c, used by
 * udp_send.c and udp_receive.c.
 *
 * The kernel writes the IP header. Of the fields covered by the ICRC, the IPv4 identification is 0
 * and "do not fragment" is set, because the socket has IP_PMTUDISC_DO and is not connected (see
 * wire/packet/ip.h). With UDP_SEGMENT the segments are numbered from there where an interface
 * segments them; the loopback interface leaves segmentation to the receiving socket, where the
 * numbers are invisible. Batches are therefore sent only between loopback addresses.
 *
 * Network errors are not reported: an unconnected socket without IP_RECVERR receives no
 * ECONNREFUSED for a closed port, and calls for other peers do not fail because of it.
 *
 * Packets to a group are received by a socket of the group (udp_group.c).
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "wire/link/link_ops.h"

/** Maximum segments of one datagram (Linux, UDP_MAX_SEGMENTS before 6.9). */
#define SWHCA_UDP_SEGMENTS_MAX	64u

/** UDP_SEGMENT or UDP_GRO, type of service, time to live. */
#define SWHCA_UDP_CTRL_LEN	(3 * CMSG_SPACE(sizeof(int)))

union swhca_udp_addr {
	struct sockaddr any;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

union swhca_udp_ctrl {
	uint8_t bytes[SWHCA_UDP_CTRL_LEN];
	struct cmsghdr align;
};

/** Datagrams of one system call. */
struct swhca_udp_batch {
	struct mmsghdr msgs[SWHCA_LINK_BATCH];
	struct iovec iovs[SWHCA_LINK_BATCH];
	union swhca_udp_addr addrs[SWHCA_LINK_BATCH];
	union swhca_udp_ctrl ctrls[SWHCA_LINK_BATCH];
	/** Sending: number of packets in a datagram. */
	unsigned int nb_packets[SWHCA_LINK_BATCH];
};

/** Position in the received datagrams. */
struct swhca_udp_cursor {
	unsigned int nb;	/**< Received datagrams. */
	unsigned int at;	/**< Next datagram. */
	uint32_t offset;	/**< Offset in it. */
	uint32_t segment;	/**< Packet size; the last may be shorter. */
	uint64_t time_ns;
	bool has_id;
	uint8_t dgid[16];	/**< Address of the socket. */
	struct swhca_packet_ip ip;
};

struct swhca_udp {
	struct swhca_link link;
	bool is_ipv6;
	bool is_loopback;
	bool has_gso;		/**< The kernel supports UDP_SEGMENT. */
	bool has_told_errors;
	bool is_group_turn;	/**< Receive from groups first. */
	uint32_t scope_id;	/**< For a link-local IPv6 address. */
	uint32_t if_index;
	int probe_fd;		/**< 0: not opened yet, -1: unavailable. */
	LIST_HEAD(, swhca_udp_group) groups;
	uint8_t *bufs;		/**< For received packets. */
	size_t bufs_len;
	unsigned int nb_wanted;	/**< Datagrams of the next call. */
	struct swhca_udp_cursor cursor;
	struct swhca_udp_batch out;
	struct swhca_udp_batch in;
};

/** Allocate what receive() needs. @return 0 or -ENOMEM. */
int swhca_udp_receive_init(struct swhca_udp *udp);
void swhca_udp_receive_fini(struct swhca_udp *udp);

/** Set optional socket options, some of newer kernels. */
void swhca_udp_options_may(const struct swhca_udp *udp, int fd);
/** Write the address of a port or group as a message name. */
void swhca_udp_addr_put(const struct swhca_udp *udp, const uint8_t gid[16],
			union swhca_udp_addr *addr, struct msghdr *msg);

/** Find a group with received packets. @return Its socket, or -1: there is none. */
int swhca_udp_group_ready(const struct swhca_udp *udp, uint8_t gid[16]);
void swhca_udp_group_fini(struct swhca_udp *udp);

/* Ops of the link. */
void swhca_udp_probe(struct swhca_link *link, const uint8_t gid[16]);
bool swhca_udp_refused(struct swhca_link *link, uint8_t gid[16]);
void swhca_udp_group(struct swhca_link *link, const uint8_t gid[16], bool is_member);
unsigned int swhca_udp_receive(struct swhca_link *link, struct swhca_link_packet *packets,
			       unsigned int nb);
uint64_t swhca_udp_deadline(const struct swhca_link *link);
unsigned int swhca_udp_send(struct swhca_link *link, const struct swhca_link_packet *packets,
			    unsigned int nb);

#endif /* SWHCA_WIRE_LINK_UDP_H */
