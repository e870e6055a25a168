/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MAD_H
#define SWHCA_MAD_H

/**
 * @file
 * Management datagrams of the general services interface (QP1), exchanged with a connection manager
 * in front of an HCA (IBTA volume 1, 13.5). They are unreliable: a sender that needs an answer must
 * retransmit.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_hca;

#define SWHCA_MAD_LEN 256u

struct swhca_mad {
	uint8_t sgid[16];	/**< Source address. */
	uint8_t dgid[16];	/**< Destination address. */
	uint32_t src_qpn;	/**< 1, unless a foreign peer sends another. */
	uint8_t data[SWHCA_MAD_LEN];
};

/** Bytes of a packet with a MAD, from BTH to ICRC. */
#define SWHCA_MAD_PACKET_LEN (12u + 8u + SWHCA_MAD_LEN + 4u)

/** Packet ready to be sent by a UDP socket of the caller. */
struct swhca_mad_packet {
	uint8_t sgid[16];	/**< Address of the socket. */
	uint8_t dgid[16];	/**< Address of the peer. */
	uint16_t src_port;
	uint16_t dst_port;
	uint16_t len;
	uint8_t bytes[SWHCA_MAD_PACKET_LEN];
};

/** Receiver of MADs. Called by the engine without a lock of the HCA. */
struct swhca_mad_agent {
	void (*receive)(void *arg, const struct swhca_mad *mad);
	/** Called about every millisecond while the engine runs. */
	void (*tick)(void *arg, uint64_t now_ns);
	void *arg;
};

/**
 * Send a MAD from an address of the HCA: to a port of the same fabric, or by the link of the HCA.
 *
 * @return
 *   0 (it may be lost), -ENETUNREACH (there is no route to that address), -ENODEV (the device
 *   failed).
 */
int swhca_hca_mad_send(struct swhca_hca *hca, const struct swhca_mad *mad);
/**
 * Build the packet of a MAD, which can be sent after the HCA is gone.
 *
 * @return
 *   0, or -ENETUNREACH: it has no link, or is for the same fabric.
 */
int swhca_hca_mad_build(struct swhca_hca *hca, const struct swhca_mad *mad,
			struct swhca_mad_packet *out);
/**
 * Check whether a peer on the wire still exists, by its address; peers of the same fabric always
 * do. An answer comes later only if the address is no longer used and the host of the peer reports
 * it.
 */
void swhca_hca_peer_probe(struct swhca_hca *hca, const uint8_t gid[16]);
/** Get the address of a peer that is gone. @return false: there is none. */
bool swhca_hca_peer_gone(struct swhca_hca *hca, uint8_t gid[16]);
/** Set the agent, which must outlive the HCA or be unset; NULL: none. */
void swhca_hca_set_mad_agent(struct swhca_hca *hca, const struct swhca_mad_agent *agent);

#endif /* SWHCA_MAD_H */
