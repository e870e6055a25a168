/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Ports: which HCA of the fabric answers to an address.
 */

#include "mlx5_prm_cmd.h"
#include "swhca_engine.h"

/* In-process port: a path with a GRH goes by the interface id of its GID, any other by LID. */
struct swhca_hca *
swhca_port_find(const struct swhca_hca *from, const uint8_t *ads)
{
	bool has_grh = prm_get(ads, PRM_ADS_GRH) != 0;
	uint64_t lid = prm_get(ads, PRM_ADS_RLID);
	uint64_t interface_id;
	struct swhca_hca *hca;

	memcpy(&interface_id, ads + PRM_ADS_RGID_BYTE + 8, sizeof(interface_id));
	interface_id = be64toh(interface_id);
	LIST_FOREACH(hca, &from->fabric->hcas, link) {
		if (has_grh ? hca->conf.port_guid == interface_id : hca->conf.lid == lid)
			return hca;
	}
	return NULL;
}
