/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Addresses of DC targets, from their endpoints. */

#include <errno.h>
#include <string.h>

#include "ctrl/devx.h"
#include "ring/device.h"
#include "wqe/xfer.h"
#include "ctrl/conn.h"
#include "ctrl/dev.h"
#include "ring/log.h"

/* Source ports of RoCE v2 (IBTA annex 17; rdma-core: IB_ROCE_UDP_ENCAP_VALID_PORT_MIN). */
#define MLX5_UMR_UDP_SPORT_MIN	0xc000u
#define MLX5_UMR_UDP_SPORT_BITS	14u

/**
 * Source port by target: packets to one target use one network path, other targets may use others.
 */
static uint16_t
udp_sport_of(uint32_t dctn)
{
	uint32_t mask = (1u << MLX5_UMR_UDP_SPORT_BITS) - 1;
	uint32_t bits = (dctn ^ dctn >> MLX5_UMR_UDP_SPORT_BITS) & mask;

	return (uint16_t)(MLX5_UMR_UDP_SPORT_MIN | bits);
}

static int
roce_fill(const struct mlx5_umr_device *dev, const struct rte_umr_endpoint *remote,
	  struct mlx5_umr_av_attr *attr)
{
	struct ibv_gid_entry own;
	int ret;

	ret = ibv_query_gid_ex(dev->ctx, dev->args.port, dev->args.gid_index, &own, 0);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "port %u: cannot query GID %u: %s",
				 dev->args.port, dev->args.gid_index, strerror(ret));
		return ret > 0 ? -ret : -EIO;
	}
	if (own.gid_type == IBV_GID_TYPE_ROCE_V2)
		attr->udp_sport = udp_sport_of(attr->dctn);
	attr->gid_index = dev->args.gid_index;
	attr->hop_limit = MLX5_UMR_HOP_LIMIT;
	memcpy(attr->gid, remote->gid, sizeof(attr->gid));
	return mlx5_umr_conn_path_mac(dev, remote, attr->mac);
}

int
mlx5_umr_dc_addr_fill(struct rte_umr_dev *umr_dev, const struct rte_umr_endpoint *remote,
		      uint64_t dc_key, struct rte_umr_dc_addr *addr)
{
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct mlx5_umr_av_attr attr = {
		.dc_key = dc_key,
		.dctn = rte_be_to_cpu_32(remote->qpn),
		.lid = rte_be_to_cpu_16(remote->lid),
		.is_eth = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET,
	};
	struct mlx5_wqe_av av;
	int ret;

	/* The MTU belongs to the initiator, not to the address: it cannot be reduced per target. */
	if (remote->mtu < dev->port_attr.active_mtu || remote->mtu > IBV_MTU_4096) {
		MLX5_UMR_DEV_LOG(ERR, umr_dev->name,
				 "MTU code of the target is %u, not in [%u, %u]", remote->mtu,
				 dev->port_attr.active_mtu, IBV_MTU_4096);
		return -EINVAL;
	}
	if (attr.is_eth) {
		ret = roce_fill(dev, remote, &attr);
		if (ret != 0)
			return ret;
	}
	mlx5_umr_av_build(&av, &attr);
	memcpy(addr->av, &av, sizeof(addr->av));
	return 0;
}
