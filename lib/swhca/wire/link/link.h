/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_LINK_LINK_H
#define SWHCA_WIRE_LINK_LINK_H

/**
 * @file
 * Links: what carries packets from one port to another, in batches. They know addresses and
 * packets from BTH to ICRC as bytes; no queue pair.
 *
 * A link may stand on another one: faults (impair.h) and the file of what was seen (capture.c) are
 * links between the port and the one that has the sockets.
 *
 * None of the calls blocks. Calls for one link come from one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/link.h"
#include "wire/packet/ip.h"

/** Packets of one call, at most. */
#define SWHCA_LINK_BATCH 64u
/** Hop limit of packets to be sent that have none (RFC 1700, IPDEFTTL). */
#define SWHCA_LINK_HOP_LIMIT 64u

struct swhca_link_packet {
	struct swhca_packet_ip ip;
	/**
	 * ip.id is that of the packet. False: the link cannot know (UDP sockets, of packets from
	 * other hosts), and who checks the ICRC tries 0 first. To be sent it is 0 always.
	 */
	bool has_id;
	uint8_t *data;		/**< From BTH to ICRC. */
	uint32_t len;
	uint64_t time_ns;	/**< Received: CLOCK_MONOTONIC. */
};

struct swhca_link_stats {
	uint64_t nb_sent;
	uint64_t nb_received;
	uint64_t nb_bytes_sent;		/**< From BTH to ICRC. */
	uint64_t nb_bytes_received;
	uint64_t nb_send_errors;	/**< Packets that could not be sent, and were dropped. */
	uint64_t nb_refused;		/**< That came and were no packets: lengths, addresses. */
};

struct swhca_link_ops {
	/**
	 * Send. The bytes are the caller's again at return. Packets behind each other in memory,
	 * to one address and of one length (the last may be shorter) can go at once.
	 *
	 * @return
	 *   How many were taken, from the first one on; fewer than nb: no room, try again when
	 *   there is (the descriptor is writable, or some time later). What cannot be sent at all
	 *   is taken, dropped and counted.
	 */
	unsigned int (*send)(struct swhca_link *link, const struct swhca_link_packet *packets,
			     unsigned int nb);
	/**
	 * Receive, up to nb packets, at most SWHCA_LINK_BATCH.
	 *
	 * @return
	 *   How many; their bytes are valid, and may be written to, until the next call of
	 *   receive().
	 */
	unsigned int (*receive)(struct swhca_link *link, struct swhca_link_packet *packets,
				unsigned int nb);
	/**
	 * Send a frame as it is, with the header of Ethernet; NULL: the link has none.
	 *
	 * @return
	 *   false: it is lost.
	 */
	bool (*send_frame)(struct swhca_link *link, const uint8_t *frame, size_t len);
	/**
	 * Packets to a group come from now on, or no longer; as often the one as the other. NULL:
	 * those of all groups come. Of the link at the bottom.
	 */
	void (*group)(struct swhca_link *link, const uint8_t gid[16], bool is_member);
	/**
	 * Ask whether a port has an address; NULL: the link cannot. Of the link at the bottom, as
	 * the next one.
	 */
	void (*probe)(struct swhca_link *link, const uint8_t gid[16]);
	/** An answer: that none has it. @return false: there is none. */
	bool (*refused)(struct swhca_link *link, uint8_t gid[16]);
	/** CLOCK_MONOTONIC when to ask again though nothing comes; UINT64_MAX: never. */
	uint64_t (*deadline)(const struct swhca_link *link);
	void (*close)(struct swhca_link *link);
};

struct swhca_link {
	const struct swhca_link_ops *ops;
	int fd;			/**< For poll(2). */
	int group_fd;		/**< The same of groups, at the bottom; 0: there are none. */
	uint8_t gid[16];
	uint8_t mac[6];
	uint16_t src_port;	/**< UDP source port of what it sends: the ICRC counts it. */
	uint32_t mtu;		/**< Bytes from BTH to ICRC that one packet may have. */
	/**
	 * Bytes that can wait to be received, with what the kernel needs for each. What peers have
	 * is not known, but on one machine it is the same: packets beyond it are lost.
	 */
	uint32_t room;
	struct swhca_link *below;	/**< The link that it stands on, or NULL. */
	bool is_down;	/**< Nothing gets through: its interface was down when it was opened. */
	struct swhca_link_stats stats;	/**< Of links that stand on no other. */
	/* The same of what follows: who takes frames that are no packets for the link, or NULL. */
	void (*frame)(void *arg, const uint8_t *frame, size_t len);
	void *frame_arg;
};

/** The link that stands on no other. */
static inline struct swhca_link *
swhca_link_bottom(struct swhca_link *link)
{
	while (link->below != NULL)
		link = link->below;
	return link;
}

/** Counters of a link: of the one at the bottom. */
static inline const struct swhca_link_stats *
swhca_link_stats(const struct swhca_link *link)
{
	while (link->below != NULL)
		link = link->below;
	return &link->stats;
}

#endif /* SWHCA_WIRE_LINK_LINK_H */
