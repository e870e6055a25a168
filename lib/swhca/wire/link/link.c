/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "include/gid.h"
#include "wire/link/link.h"

/* IBTA: LIDs of one port. */
#define MAX_UNICAST_LID 0xbfffu

void
swhca_link_close(struct swhca_link *link)
{
	if (link != NULL)
		link->ops->close(link);
}

void
swhca_link_gid(const struct swhca_link *link, uint8_t gid[16])
{
	memcpy(gid, link->gid, sizeof(link->gid));
}

void
swhca_link_mac(const struct swhca_link *link, uint8_t mac[6])
{
	memcpy(mac, link->mac, sizeof(link->mac));
}

uint16_t
swhca_link_lid(const struct swhca_link *link)
{
	uint16_t lid = (uint16_t)(link->gid[14] << 8 | link->gid[15]);

	return swhca_gid_is_ipv4(link->gid) && lid <= MAX_UNICAST_LID ? lid : 0;
}
