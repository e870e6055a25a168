/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "eth/frame.h"
#include "eth/steer.h"
#include "eth/switch.h"

static const uint8_t broadcast[SWHCA_MAC_LEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

static bool
is_port(const struct swhca_hca *hca)
{
	return hca->conf.link_layer == SWHCA_LINK_ETH && hca->conf.has_driver;
}

static bool
is_up(const struct swhca_hca *hca)
{
	return !hca->is_port_down && !hca->vport.is_admin_down && !hca->is_failed &&
	       !swhca_hca_is_still(hca);
}

static bool
list_has(const uint8_t (*list)[SWHCA_MAC_LEN], uint16_t nb, const uint8_t *mac)
{
	uint16_t i;

	for (i = 0; i < nb; i++)
		if (memcmp(list[i], mac, SWHCA_MAC_LEN) == 0)
			return true;
	return false;
}

bool
swhca_vport_owns(const struct swhca_vport *vport, const uint8_t *mac)
{
	return (mac[0] & 1) == 0 && (memcmp(mac, vport->mac, SWHCA_MAC_LEN) == 0 ||
				     list_has((const void *)vport->uc, vport->nb_uc, mac));
}

bool
swhca_vport_takes(const struct swhca_vport *vport, const uint8_t *mac)
{
	if (vport->is_promisc_all || memcmp(mac, broadcast, sizeof(broadcast)) == 0)
		return true;
	if (mac[0] & 1)
		return vport->is_promisc_mc ||
		       list_has((const void *)vport->mc, vport->nb_mc, mac);
	return vport->is_promisc_uc || swhca_vport_owns(vport, mac);
}

static void
count(struct swhca_frame_counters *counters, const uint8_t *mac, size_t len)
{
	if (memcmp(mac, broadcast, sizeof(broadcast)) == 0) {
		counters->nb_broadcast++;
		counters->nb_broadcast_bytes += len;
	} else if (mac[0] & 1) {
		counters->nb_multicast++;
		counters->nb_multicast_bytes += len;
	} else {
		counters->nb_unicast++;
		counters->nb_unicast_bytes += len;
	}
}

static void
deliver(struct swhca_hca *hca, const struct swhca_frame *frame, bool is_self)
{
	struct swhca_eth_counters *counters = &hca->vport.counters;

	if (!is_up(hca)) {
		counters->rx_port_down++;
		return;
	}
	if (!is_self)
		count(&counters->rx, frame->data, frame->len);
	if (frame->len + SWHCA_ETH_FCS_LEN > hca->vport.mtu) {
		counters->rx_too_long++;
		return;
	}
	hca->fabric->cost += SWHCA_COST_WQE;
	swhca_steer_receive(hca, frame, is_self);
}

/* Send to all ports that accept it. @return Whether its destination is a single one of them. */
static bool
spread(struct swhca_hca *from, const uint8_t *data, size_t len)
{
	struct swhca_frame frame;
	struct swhca_hca *hca;
	bool is_known = false;

	swhca_frame_parse(&frame, data, len);
	LIST_FOREACH(hca, &from->fabric->hcas, link) {
		if (!is_port(hca) || !swhca_vport_takes(&hca->vport, data))
			continue;
		is_known = is_known || swhca_vport_owns(&hca->vport, data);
		deliver(hca, &frame, hca == from);
	}
	return is_known;
}

void
swhca_switch_send(struct swhca_hca *from, const uint8_t *frame, size_t len)
{
	if (!is_up(from)) {
		from->vport.counters.tx_port_down++;
		return;
	}
	count(&from->vport.counters.tx, frame, len);
	if (!spread(from, frame, len) && from->frame_out != NULL)
		from->frame_out(from, frame, len);
}

void
swhca_switch_receive(struct swhca_hca *hca, const uint8_t *data, size_t len)
{
	struct swhca_frame frame;

	if (len < SWHCA_ETH_HDR_LEN || len > SWHCA_MAX_FRAME || !is_port(hca) ||
	    !swhca_vport_takes(&hca->vport, data))
		return;
	swhca_frame_parse(&frame, data, len);
	deliver(hca, &frame, false);
}
