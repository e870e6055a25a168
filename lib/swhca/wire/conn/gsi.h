/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef SWHCA_WIRE_CONN_GSI_H
#define SWHCA_WIRE_CONN_GSI_H

/**
 * @file
 * General services interface of a port (IBTA volume 1, 13.5): include/mad.h.
 */

#include "wire/conn/net.h"

/** Queue pair of the interface, and its Q_Key (IBTA 10.2.5, 3.5.3). */
#define SWHCA_GSI_QPN	1u
#define SWHCA_GSI_QKEY	0x80010000u

struct swhca_gsi;

/** Receive a datagram from the link. @return false: it has no receiver. */
bool swhca_gsi_receive(struct swhca_hca *hca, const struct swhca_packet_ip *ip,
		       const struct swhca_packet *packet, const uint8_t *payload);
/** Deliver pending datagrams to agents. The fabric lock is not held. */
void swhca_gsi_deliver(struct swhca_fabric *fabric);
/** Release the state of the fabric. */
void swhca_gsi_destroy_all(struct swhca_fabric *fabric);

#endif /* SWHCA_WIRE_CONN_GSI_H */
