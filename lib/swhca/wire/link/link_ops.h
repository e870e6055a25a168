/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LINK_OPS_H
#define SWHCA_LINK_OPS_H

/**
 * @file
 * Links carry packets between ports in batches. They handle addresses and packets from BTH to ICRC
 * as bytes, and have no queue pairs.
 *
 * A link may be on top of another one: faults (impair.h) and the capture file (capture.c) are links
 * between the port and the link with the sockets.
 *
 * No call blocks. Calls for one link must not be concurrent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/link.h"
#include "wire/packet/ip.h"

/** Maximum packets of one call. */
#define SWHCA_LINK_BATCH 64u
/** Hop limit of sent packets without one (RFC 1700, IPDEFTTL). */
#define SWHCA_LINK_HOP_LIMIT 64u

struct swhca_link_packet {
	struct swhca_packet_ip ip;
	/**
	 * ip.id is valid. False: the link does not know it (UDP sockets, for packets of other
	 * hosts), and the check of the ICRC tries 0 first. Sent packets always have 0.
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
	uint64_t nb_send_errors;	/**< Packets dropped because sending failed. */
	uint64_t nb_refused;		/**< Invalid received packets: lengths, addresses. */
};

struct swhca_link_ops {
	/**
	 * Send packets. The caller may reuse the bytes after return. Consecutive packets in memory
	 * to one address and of one length (the last may be shorter) can be sent at once.
	 *
	 * @return
	 *   Number accepted, from the first one; fewer than nb: no room, retry later (when the
	 *   descriptor is writable, or after some time). A packet that cannot be sent at all is
	 *   accepted, dropped and counted.
	 */
	unsigned int (*send)(struct swhca_link *link, const struct swhca_link_packet *packets,
			     unsigned int nb);
	/**
	 * Receive up to nb packets, at most SWHCA_LINK_BATCH.
	 *
	 * @return
	 *   Their number; their bytes are valid and writable until the next call of receive().
	 */
	unsigned int (*receive)(struct swhca_link *link, struct swhca_link_packet *packets,
				unsigned int nb);
	/**
	 * Send a frame unchanged, with its Ethernet header; NULL: unsupported.
	 *
	 * @return
	 *   false: it is lost.
	 */
	bool (*send_frame)(struct swhca_link *link, const uint8_t *frame, size_t len);
	/**
	 * Start or stop receiving packets of a group; calls are balanced. NULL: all groups are
	 * received. Bottom link only.
	 */
	void (*group)(struct swhca_link *link, const uint8_t gid[16], bool is_member);
	/**
	 * Probe whether any port has an address; NULL: unsupported. Bottom link only, like refused.
	 */
	void (*probe)(struct swhca_link *link, const uint8_t gid[16]);
	/** Get an answer: no port has it. @return false: there is none. */
	bool (*refused)(struct swhca_link *link, uint8_t gid[16]);
	/** CLOCK_MONOTONIC time to poll even without packets; UINT64_MAX: never. */
	uint64_t (*deadline)(const struct swhca_link *link);
	void (*close)(struct swhca_link *link);
};

struct swhca_link {
	const struct swhca_link_ops *ops;
	int fd;			/**< For poll(2). */
	int group_fd;		/**< The same for groups, of the bottom link; 0: none. */
	uint8_t gid[16];
	uint8_t mac[6];
	uint16_t src_port;	/**< UDP source port of sent packets, covered by the ICRC. */
	uint32_t mtu;		/**< Maximum bytes of a packet from BTH to ICRC. */
	/**
	 * Receive buffer, including kernel overhead per packet. That of peers is unknown, but is
	 * the same on one machine: packets beyond it are lost.
	 */
	uint32_t room;
	struct swhca_link *below;	/**< The link below, or NULL. */
	bool is_down;	/**< Its interface was down when it was opened. */
	struct swhca_link_stats stats;	/**< Bottom link only. */
	/* Bottom link only: consumer of frames that are no packets for the link, or NULL. */
	void (*frame)(void *arg, const uint8_t *frame, size_t len);
	void *frame_arg;
};

/** Get the bottom link. */
static inline struct swhca_link *
swhca_link_bottom(struct swhca_link *link)
{
	while (link->below != NULL)
		link = link->below;
	return link;
}

/** Counters of a link, from the bottom link. */
static inline const struct swhca_link_stats *
swhca_link_stats(const struct swhca_link *link)
{
	while (link->below != NULL)
		link = link->below;
	return &link->stats;
}

#endif /* SWHCA_LINK_OPS_H */
