/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Existence of peers, as far as the link knows. */

#include "include/gid.h"
#include "include/mad.h"
#include "object/fabric.h"
#include "wire/conn/net.h"

void
swhca_hca_peer_probe(struct swhca_hca *hca, const uint8_t gid[16])
{
	struct swhca_link *link;

	swhca_fabric_lock(hca->fabric);
	if (hca->net != NULL && !hca->is_port_down && !swhca_net_is_dead(hca->net)) {
		link = swhca_link_bottom(hca->net->link);
		if (link->ops->probe != NULL &&
		    swhca_gid_is_ipv4(gid) == swhca_gid_is_ipv4(link->gid))
			link->ops->probe(link, gid);
	}
	swhca_fabric_unlock(hca->fabric);
}

bool
swhca_hca_peer_gone(struct swhca_hca *hca, uint8_t gid[16])
{
	struct swhca_link *link;
	bool is_gone = false;

	swhca_fabric_lock(hca->fabric);
	if (hca->net != NULL) {
		link = swhca_link_bottom(hca->net->link);
		is_gone = link->ops->refused != NULL && link->ops->refused(link, gid);
	}
	swhca_fabric_unlock(hca->fabric);
	return is_gone;
}
