/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_LINK_H
#define SWHCA_LINK_H

/**
 * @file
 * Link of a port to other processes and hosts, which carries RoCEv2 packets. A link is opened from
 * a text, has its own address, and is attached to an HCA.
 */

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

/** Opaque: wire/link/link_ops.h. */
struct swhca_link;

/** How to open a link. Texts are only used during the call. */
struct swhca_link_conf {
	/**
	 * "udp": sockets, at the first free address of 127.0.0.0/8.
	 * "udp:ADDR", "udp:ADDR%IF": at an IPv4 or IPv6 address of this host.
	 * "eth:LOCAL_PORT:REMOTE_PORT:ADDR", "eth:...:MTU": Ethernet frames, each in a datagram
	 * between two UDP ports of 127.0.0.1, as of a virtual machine (QEMU: -netdev dgram). ADDR
	 * is the IPv4 address, for which ARP is answered. MTU is that of IP, by default 1500.
	 */
	const char *wire;
	/** Faults of sent packets, as for swhca_link_set_impair(), or NULL: none. */
	const char *impair;
	/** Capture file of sent and received packets (pcapng), or NULL. */
	const char *capture;
	/** Index of the device in the process, from 0: part of the file name and the seed. */
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
/** Close a link that no HCA owns; NULL: nothing. */
void swhca_link_close(struct swhca_link *link);
/** Own address as a GID: IPv4 is mapped. */
void swhca_link_gid(const struct swhca_link *link, uint8_t gid[16]);
/** Ethernet address of that GID. */
void swhca_link_mac(const struct swhca_link *link, uint8_t mac[6]);
/**
 * LID that represents an address on InfiniBand ports: the last 16 bits of an IPv4 address, in the
 * unicast range. Peers with the same first 16 bits are reached by their LIDs. 0: none.
 */
uint16_t swhca_link_lid(const struct swhca_link *link);
/** Largest path MTU whose packets fit with any headers: 256 to 4096; 0: none. */
uint32_t swhca_link_path_mtu(const struct swhca_link *link);
/** Whether the interface of the link was down when the link was opened. */
bool swhca_link_is_down(struct swhca_link *link);

/**
 * Set the network faults of packets sent from now on; the fault counters restart at 0. Packets
 * already held back arrive as scheduled. As for all calls of a link that an HCA has, the caller
 * must hold the fabric lock.
 *
 * @param text
 *   "off", or a comma-separated list; a fault that is not named is 0:
 *   - loss=P, dup=P, reorder=P, corrupt=P: part of the packets that is lost, sent twice, passed by
 *     later packets, or gets a wrong bit; 0.01 or 1% is one in a hundred.
 *   - delay=USEC or delay=USEC-USEC: each packet waits, up to 10 seconds, without reordering.
 *   - seed=N: same faults for the same packets; devices of one process differ. Default 1.
 *   - qp=N: only packets to this queue pair (decimal, or 0x...).
 * @return
 *   0, or -EINVAL after a log line: nothing has changed.
 */
int swhca_link_set_impair(struct swhca_link *link, const char *text);

/** Check such a text. @return NULL if it is valid, else what is wrong. */
const char *swhca_link_impair_check(const char *text);

/** Counters of faults. */
struct swhca_link_impair_stats {
	uint64_t nb_packets;	/**< Packets subject to faults. */
	uint64_t nb_lost;
	uint64_t nb_duplicated;
	uint64_t nb_reordered;	/**< Passed by other packets. */
	uint64_t nb_corrupted;
	uint64_t nb_delayed;
	uint64_t nb_waiting;	/**< Held back now; not monotonic. */
};

void swhca_link_impair_stats_get(const struct swhca_link *link,
				 struct swhca_link_impair_stats *stats);

struct swhca_hca;

/**
 * Attach a link to a port, which owns it and closes it when the HCA is destroyed.
 *
 * @return
 *   0, or -EBUSY: it has one.
 */
int swhca_hca_set_link(struct swhca_hca *hca, struct swhca_link *link);

/**
 * Set the faults of the link of a port. @return As swhca_link_set_impair(), or -ENODEV: it has
 * none.
 */
int swhca_hca_set_impair(struct swhca_hca *hca, const char *text);
/** Get the fault counters since swhca_hca_set_impair(). @return 0, or -ENODEV: it has no link. */
int swhca_hca_impair_stats_get(struct swhca_hca *hca, struct swhca_link_impair_stats *stats);

#endif /* SWHCA_LINK_H */
