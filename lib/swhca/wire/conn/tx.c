/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Transmission of packets: built consecutively, so that the link can send several at once. */

#include <string.h>

#include "include/gid.h"
#include "wire/conn/net.h"
#include "wire/packet/icrc.h"

unsigned int
swhca_tx_flush(struct swhca_net *net)
{
	struct swhca_tx *tx = &net->tx;
	unsigned int nb;

	if (tx->nb == 0)
		return 0;
	if (net->hca->is_port_down) {
		nb = tx->nb;
		net->hca->stats.wire.nb_send_errors += nb;
	} else {
		nb = net->link->ops->send(net->link, tx->packets, tx->nb);
	}
	tx->nb -= nb;
	memmove(tx->packets, tx->packets + nb, tx->nb * sizeof(tx->packets[0]));
	if (tx->nb == 0)
		tx->used = 0;
	return nb;
}

bool
swhca_tx_has_room(struct swhca_net *net)
{
	const size_t longest = SWHCA_TX_SIZE / SWHCA_LINK_BATCH;
	struct swhca_tx *tx = &net->tx;

	if (tx->nb == SWHCA_LINK_BATCH || SWHCA_TX_SIZE - tx->used < longest)
		swhca_tx_flush(net);
	return tx->nb < SWHCA_LINK_BATCH && SWHCA_TX_SIZE - tx->used >= longest;
}

uint8_t *
swhca_tx_begin(struct swhca_net *net, const struct swhca_packet_ip *ip,
	       const struct swhca_packet *packet)
{
	struct swhca_tx *tx = &net->tx;
	uint8_t *at = tx->buf + tx->used;
	int len = swhca_packet_build(packet, at, SWHCA_TX_SIZE - tx->used);

	if (len < 0)
		return NULL;
	tx->at = tx->used;
	tx->hdr_len = (size_t)len;
	tx->payload_len = packet->payload_len;
	tx->packets[tx->nb] = (struct swhca_link_packet){
		.ip = *ip,
		.data = at,
		.len = (uint32_t)swhca_packet_len(packet),
	};
	return at + len;
}

void
swhca_tx_end(struct swhca_net *net)
{
	struct swhca_tx *tx = &net->tx;
	const struct swhca_link_packet *packet = &tx->packets[tx->nb++];
	uint8_t *at = tx->buf + tx->at;
	uint8_t pad = swhca_packet_pad(tx->payload_len);
	uint32_t crc;

	net->hca->stats.wire.nb_sent++;
	net->hca->stats.wire.nb_multicast_sent += swhca_gid_is_multicast(packet->ip.dgid);
	net->hca->stats.wire.nb_bytes_sent += packet->len;
	memset(at + tx->hdr_len + tx->payload_len, 0, pad);
	crc = swhca_icrc_begin(&packet->ip, at, tx->hdr_len, packet->len);
	crc = swhca_icrc_update(crc, at + tx->hdr_len, tx->payload_len + pad);
	swhca_icrc_put(crc, at + packet->len - SWHCA_ICRC_LEN);
	tx->used = tx->at + packet->len;
}
