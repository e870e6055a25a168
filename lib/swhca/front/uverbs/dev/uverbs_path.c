/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Paths to a peer: address vectors of verbs and of QP contexts (mlx5_ib: mlx5_set_path(),
 * to_rdma_ah_attr()).
 */

#include <errno.h>
#include <string.h>

#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_path.h"
#include "front/uverbs/dev/uverbs_port.h"

/* ib_verbs.h: IB_ROCE_UDP_ENCAP_VALID_PORT_MIN */
#define UDP_SPORT_MIN 0xc000u

/* ib_verbs.h: rdma_calc_flow_label() */
static uint32_t
flow_label_make(uint32_t local_qpn, uint32_t remote_qpn)
{
	uint64_t label = (uint64_t)local_qpn * remote_qpn;

	label ^= label >> 20;
	label ^= label >> 40;
	return (uint32_t)label & 0xfffff;
}

/* ib_verbs.h: rdma_flow_label_to_udp_sport(); 14 bits of the label, the others folded in. */
static uint32_t
udp_sport_make(uint32_t flow_label)
{
	return (((flow_label & 0x3fff) ^ (flow_label & 0xfc000) >> 14)) | UDP_SPORT_MIN;
}

static int
roce_write(const struct swhca_udev *dev, uint8_t *ads, const struct ib_uverbs_qp_dest *dest,
	   uint32_t local_qpn, uint32_t remote_qpn)
{
	uint32_t label = dest->flow_label & 0xfffff;
	struct swhca_uroce_path path;
	int ret;

	ret = swhca_uport_resolve(dev, dest->sgid_index, dest->dgid, &path);
	if (ret != 0)
		return ret;
	prm_set(ads, PRM_ADS_RMAC_47_32, (uint64_t)path.mac[0] << 8 | path.mac[1]);
	prm_set(ads, PRM_ADS_RMAC_31_0, (uint64_t)path.mac[2] << 24 | (uint64_t)path.mac[3] << 16 |
					(uint64_t)path.mac[4] << 8 | path.mac[5]);
	prm_set(ads, PRM_ADS_ETH_PRIO, dest->sl & 0x7);
	if (!path.is_v2)
		return 0;
	prm_set(ads, PRM_ADS_DSCP, dest->traffic_class >> 2);
	if (label == 0)
		label = flow_label_make(local_qpn, remote_qpn);
	prm_set(ads, PRM_ADS_UDP_SPORT, udp_sport_make(label));
	return 0;
}

int
swhca_upath_write(const struct swhca_udev *dev, uint8_t *ads, const struct ib_uverbs_qp_dest *dest,
		  uint32_t local_qpn, uint32_t remote_qpn)
{
	int ret = 0;

	prm_set(ads, PRM_ADS_VHCA_PORT_NUM, dest->port_num);
	if (swhca_uport_is_eth(dev)) {
		ret = roce_write(dev, ads, dest, local_qpn, remote_qpn);
	} else {
		prm_set(ads, PRM_ADS_RLID, dest->dlid);
		prm_set(ads, PRM_ADS_MLID, dest->src_path_bits & 0x7f);
		prm_set(ads, PRM_ADS_SL, dest->sl & 0xf);
		prm_set(ads, PRM_ADS_GRH, dest->is_global != 0);
	}
	if (dest->is_global == 0)
		return ret;
	prm_set(ads, PRM_ADS_SRC_ADDR_INDEX, dest->sgid_index);
	prm_set(ads, PRM_ADS_HOP_LIMIT, dest->hop_limit);
	prm_set(ads, PRM_ADS_TCLASS, dest->traffic_class);
	prm_set(ads, PRM_ADS_FLOW_LABEL, dest->flow_label & 0xfffff);
	memcpy(&ads[PRM_ADS_RGID_BYTE], dest->dgid, sizeof(dest->dgid));
	return ret;
}

void
swhca_upath_read(const struct swhca_udev *dev, const uint8_t *ads, struct ib_uverbs_qp_dest *dest)
{
	bool eth = swhca_uport_is_eth(dev);

	dest->port_num = (uint8_t)prm_get(ads, PRM_ADS_VHCA_PORT_NUM);
	dest->static_rate = (uint8_t)prm_get(ads, PRM_ADS_STAT_RATE);
	if (eth) {
		dest->sl = (uint8_t)prm_get(ads, PRM_ADS_ETH_PRIO);
		dest->is_global = 1;
	} else {
		dest->dlid = (uint16_t)prm_get(ads, PRM_ADS_RLID);
		dest->src_path_bits = (uint8_t)prm_get(ads, PRM_ADS_MLID);
		dest->sl = (uint8_t)prm_get(ads, PRM_ADS_SL);
		dest->is_global = (uint8_t)prm_get(ads, PRM_ADS_GRH);
	}
	if (dest->is_global == 0)
		return;
	dest->sgid_index = (uint8_t)prm_get(ads, PRM_ADS_SRC_ADDR_INDEX);
	dest->hop_limit = (uint8_t)prm_get(ads, PRM_ADS_HOP_LIMIT);
	dest->traffic_class = (uint8_t)prm_get(ads, PRM_ADS_TCLASS);
	dest->flow_label = (uint32_t)prm_get(ads, PRM_ADS_FLOW_LABEL);
	memcpy(dest->dgid, &ads[PRM_ADS_RGID_BYTE], sizeof(dest->dgid));
}
