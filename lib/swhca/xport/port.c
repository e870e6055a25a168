/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <endian.h>
#include <string.h>

#include "mlx5_prm_cmd.h"
#include "mlx5_prm_wqe.h"
#include "xport/port.h"

/* struct mlx5_wqe_av: bits of grh_gid_fl, and the bit of fl_mlid that forces a loopback. */
#define AV_HAS_GRH(grh_gid_fl) ((grh_gid_fl) >> 30 & 1)
#define AV_SRC_INDEX(grh_gid_fl) ((grh_gid_fl) >> 20 & 0xff)
#define AV_FL 0x80u

void
swhca_addr_from_ads(struct swhca_addr *addr, const uint8_t *ads)
{
	uint16_t mac_high = htobe16((uint16_t)prm_get(ads, PRM_ADS_RMAC_47_32));
	uint32_t mac_low = htobe32((uint32_t)prm_get(ads, PRM_ADS_RMAC_31_0));

	addr->is_loopback = prm_get(ads, PRM_ADS_FL) != 0;
	addr->has_grh = prm_get(ads, PRM_ADS_GRH) != 0;
	addr->src_index = (uint8_t)prm_get(ads, PRM_ADS_SRC_ADDR_INDEX);
	addr->lid = (uint16_t)prm_get(ads, PRM_ADS_RLID);
	memcpy(addr->gid, ads + PRM_ADS_RGID_BYTE, sizeof(addr->gid));
	memcpy(addr->mac, &mac_high, sizeof(mac_high));
	memcpy(addr->mac + sizeof(mac_high), &mac_low, sizeof(mac_low));
}

void
swhca_addr_from_av(struct swhca_addr *addr, const struct mlx5_wqe_av *av, bool is_base)
{
	uint32_t grh;

	*addr = (struct swhca_addr){
		.is_loopback = (av->fl_mlid & AV_FL) != 0,
		.lid = be16toh(av->rlid),
	};
	if (is_base)
		return;
	grh = be32toh(av->grh_gid_fl);
	addr->has_grh = AV_HAS_GRH(grh);
	addr->src_index = (uint8_t)AV_SRC_INDEX(grh);
	memcpy(addr->gid, av->rgid, sizeof(addr->gid));
	memcpy(addr->mac, av->rmac, sizeof(addr->mac));
}

const uint8_t *
swhca_port_gid(const struct swhca_hca *hca, unsigned int index)
{
	if (hca->conf.link_layer == SWHCA_LINK_IB)
		return index == 0 ? hca->ib_gid : NULL;
	if (index >= SWHCA_NB_ROCE_ADDRS || !hca->roce_addrs[index].is_valid)
		return NULL;
	return hca->roce_addrs[index].gid;
}

/* IBTA 10.9: only the default partition, of which every port is a full member. */
#define PKEY_DEFAULT 0xffffu
#define PKEY_BASE_MASK 0x7fffu
#define PKEY_FULL_MEMBER 0x8000u

uint16_t
swhca_port_pkey(const struct swhca_hca *hca, unsigned int index)
{
	(void)hca;
	return index == 0 ? PKEY_DEFAULT : 0;
}

bool
swhca_pkey_matches(uint16_t own, uint16_t packet)
{
	return (own & PKEY_BASE_MASK) != 0 &&
	       (own & PKEY_BASE_MASK) == (packet & PKEY_BASE_MASK) &&
	       ((own | packet) & PKEY_FULL_MEMBER) != 0;
}
