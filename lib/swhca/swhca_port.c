/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Ports: which HCA of the fabric answers to an address.
 */

#include "mlx5_prm_cmd.h"
#include "swhca_engine.h"

/* In-process port: a path with a GRH goes by the interface id of its GID, any other by LID. */
struct swhca_qp *
swhca_port_find_qp(const struct swhca_hca *from, const uint8_t *ads, uint32_t num)
{
	bool has_grh = prm_get(ads, PRM_ADS_GRH) != 0;
	uint64_t lid = prm_get(ads, PRM_ADS_RLID);
	const struct swhca_hca *hca;
	uint64_t interface_id;

	memcpy(&interface_id, ads + PRM_ADS_RGID_BYTE + 8, sizeof(interface_id));
	interface_id = be64toh(interface_id);
	LIST_FOREACH(hca, &from->fabric->hcas, link) {
		if (has_grh ? hca->conf.port_guid == interface_id : hca->conf.lid == lid)
			return (struct swhca_qp *)swhca_table_get(&hca->tables[SWHCA_OBJ_QP], num);
	}
	return NULL;
}
