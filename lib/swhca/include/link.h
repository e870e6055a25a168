/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LINK_H
#define SWHCA_LINK_H

/**
 * @file
 * What a port is plugged into, if it is to reach other processes and hosts: something that carries
 * RoCEv2 packets. A link is opened by a text, has an address of its own, and is given to an HCA.
 */

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/** Opaque: wire/link/link.h. */
struct swhca_link;

/** How to open a link. Texts are borrowed for the call. */
struct swhca_link_conf {
	/**
	 * "udp": sockets, at the first address of 127.0.0.0/8 that is free.
	 * "udp:ADDR", "udp:ADDR%IF": at an IPv4 or IPv6 address of this host.
	 * "eth:LOCAL_PORT:REMOTE_PORT:ADDR", "eth:...:MTU": Ethernet frames, each in a datagram
	 * between two UDP ports of 127.0.0.1, as a virtual machine has them (QEMU: -netdev dgram);
	 * with the IPv4 address ADDR, for which ARP is answered. MTU is that of IP, by default
	 * 1500.
	 */
	const char *wire;
	/** Faults of what is sent, as for swhca_link_set_impair(), or NULL: none. */
	const char *impair;
	/** File of what is sent and received (pcapng), or NULL. */
	const char *capture;
	/** Which device of the process it is for, from 0: of the name of the file, and the seed. */
	unsigned int index;
};

/**
 * Open a link.
 *
 * @return
 *   0, or a negative errno after a log line: -EINVAL (the text), -EADDRINUSE, -EADDRNOTAVAIL,
 *   -ENOMEM, or another of socket(2), bind(2), open(2).
 */
int swhca_link_open(const struct swhca_link_conf *conf, struct swhca_link **out);
/** Close it; NULL: nothing. Not one that an HCA has. */
void swhca_link_close(struct swhca_link *link);
/** Own address as a GID: IPv4 is mapped. */
void swhca_link_gid(const struct swhca_link *link, uint8_t gid[16]);
/** Ethernet address that goes with it. */
void swhca_link_mac(const struct swhca_link *link, uint8_t mac[6]);
/**
 * LID that stands for an address on ports of InfiniBand: the last 16 bits of an IPv4 address, in
 * the unicast range; others with the same first 16 bits are reached by their LIDs. 0: has none.
 */
uint16_t swhca_link_lid(const struct swhca_link *link);
/** Largest path MTU whose packets it carries, with any headers: 256 to 4096; 0: not even that. */
uint32_t swhca_link_path_mtu(const struct swhca_link *link);
/** Whether the interface that it goes through was down when it was opened. */
bool swhca_link_is_down(struct swhca_link *link);

/**
 * Faults of a network, of what is sent from now on; their counters begin at 0. What was held back
 * arrives as it would have. To be called with the fabric lock of an HCA that has the link, as all
 * calls of it are.
 *
 * @param text
 *   "off", or a list with commas, of which what is not named is 0:
 *   - loss=P, dup=P, reorder=P, corrupt=P: which part of the packets is lost, is sent twice, is
 *     passed by others that were sent later, gets a wrong bit; 0.01 or 1% is one in a hundred.
 *   - delay=USEC or delay=USEC-USEC: each packet waits, up to 10 seconds, and keeps its place.
 *   - seed=N: the same faults for the same packets; devices of one process differ. Default 1.
 *   - qp=N: only packets to this queue pair (decimal, or 0x...).
 * @return
 *   0, or -EINVAL after a log line: nothing has changed.
 */
int swhca_link_set_impair(struct swhca_link *link, const char *text);

/** What is wrong with a text of it? @return NULL: nothing. */
const char *swhca_link_impair_check(const char *text);

/** What faults have done. */
struct swhca_link_impair_stats {
	uint64_t nb_packets;	/**< Packets that faults were drawn for. */
	uint64_t nb_lost;
	uint64_t nb_duplicated;
	uint64_t nb_reordered;	/**< That others have passed. */
	uint64_t nb_corrupted;
	uint64_t nb_delayed;
	uint64_t nb_waiting;	/**< Held now; not monotonic. */
};

void swhca_link_impair_stats_get(const struct swhca_link *link,
				 struct swhca_link_impair_stats *stats);

struct swhca_hca;

/**
 * Plug a port in. It keeps the link, and closes it when it is destroyed.
 *
 * @return
 *   0, or -EBUSY: it has one.
 */
int swhca_hca_set_link(struct swhca_hca *hca, struct swhca_link *link);

/** Faults of the link of a port. @return As swhca_link_set_impair(), or -ENODEV: it has none. */
int swhca_hca_set_impair(struct swhca_hca *hca, const char *text);
/** What they have done since they were set. @return 0, or -ENODEV: it has no link. */
int swhca_hca_impair_stats_get(struct swhca_hca *hca, struct swhca_link_impair_stats *stats);

#endif /* SWHCA_LINK_H */
