/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "object/hca_state.h"

/* 1500 bytes, header, VLAN tag and check sequence. */
#define DEFAULT_MTU 1522u

void
swhca_vport_init(struct swhca_hca *hca)
{
	memset(&hca->vport, 0, sizeof(hca->vport));
	memcpy(hca->vport.mac, hca->conf.mac, sizeof(hca->vport.mac));
	hca->vport.mtu = DEFAULT_MTU;
	hca->vport.port_mtu = DEFAULT_MTU;
}
