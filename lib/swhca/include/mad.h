/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_MAD_H
#define SWHCA_MAD_H

/**
 * @file
 * Management datagrams of the general services interface (QP1), to and from whoever manages
 * connections in front of an HCA (IBTA volume 1, 13.5). They are unreliable: who sends one that
 * must arrive sends it again until it is answered.
 */

#include <stdbool.h>
#include <stdint.h>

struct swhca_hca;

#define SWHCA_MAD_LEN 256u

struct swhca_mad {
	uint8_t sgid[16];	/**< Address that it comes from, */
	uint8_t dgid[16];	/**< and that it goes to. */
	uint32_t src_qpn;	/**< 1, but what a foreign peer says. */
	uint8_t data[SWHCA_MAD_LEN];
};

/** Bytes of a packet with one, from BTH to ICRC. */
#define SWHCA_MAD_PACKET_LEN (12u + 8u + SWHCA_MAD_LEN + 4u)

/** A packet that is ready to be sent, by a UDP socket of its own. */
struct swhca_mad_packet {
	uint8_t sgid[16];	/**< Address of the socket, */
	uint8_t dgid[16];	/**< and of the peer's. */
	uint16_t src_port;
	uint16_t dst_port;
	uint16_t len;
	uint8_t bytes[SWHCA_MAD_PACKET_LEN];
};

/** Who takes them. Called by the engine, with no lock of the HCA held. */
struct swhca_mad_agent {
	void (*receive)(void *arg, const struct swhca_mad *mad);
	/** Time has passed: about every millisecond while the engine runs. */
	void (*tick)(void *arg, uint64_t now_ns);
	void *arg;
};

/**
 * Send one from an address of the HCA: to a port of the same fabric, or by the link of the HCA.
 *
 * @return
 *   0 (it may be lost), -ENETUNREACH (there is no way to that address), -ENODEV (the device
 *   failed).
 */
int swhca_hca_mad_send(struct swhca_hca *hca, const struct swhca_mad *mad);
/**
 * Make a packet of one, that others may send when the HCA is gone.
 *
 * @return
 *   0, or -ENETUNREACH: it has no link, or is for the same fabric.
 */
int swhca_hca_mad_build(struct swhca_hca *hca, const struct swhca_mad *mad,
			struct swhca_mad_packet *out);
/**
 * Ask whether a peer on the wire, by its address, is still there; who is of the same fabric is. The
 * answer comes later, if the address is in use no more and the peer's host says so; else none does.
 */
void swhca_hca_peer_probe(struct swhca_hca *hca, const uint8_t gid[16]);
/** An answer: who is gone. @return false: there is none. */
bool swhca_hca_peer_gone(struct swhca_hca *hca, uint8_t gid[16]);
/** Have an agent, which must outlive the HCA or be taken away; NULL: none. */
void swhca_hca_set_mad_agent(struct swhca_hca *hca, const struct swhca_mad_agent *agent);

#endif /* SWHCA_MAD_H */
