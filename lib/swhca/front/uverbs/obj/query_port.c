/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queries of ports and their addresses (mlx5_ib: main.c; ib_core: cache.c).
 */

#include <errno.h>
#include <string.h>

#include "include/model.h"
#include "host/conf.h"
#include "host/ident.h"
#include "front/uverbs/dev/uverbs_cmd.h"
#include "front/uverbs/dev/dev.h"
#include "front/uverbs/dev/uverbs_port.h"
#include "front/uverbs/file/attr.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/obj/query_port.h"

/* IBA, PortInfo */
#define PORT_MTU_4096 5u
#define PORT_VL0_3 3u
#define PORT_SUBNET_TIMEOUT 18u
#define PORT_STATE_DOWN 1u
#define PORT_STATE_ACTIVE 4u
#define PORT_PHYS_STATE_DISABLED 3u
#define PORT_PHYS_STATE_LINK_UP 5u
/* enum rdma_link_layer */
#define LINK_LAYER_IB 1u
#define LINK_LAYER_ETH 2u

/* mlx5_ib: mlx5_query_hca_port() */
static int
query_port_ib(struct swhca_udev *dev, uint32_t port, struct ib_uverbs_query_port_resp *resp)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_HCA_VPORT_CONTEXT_OUT_SIZE];
	const uint8_t *vport = &out[PRM_QUERY_HCA_VPORT_CONTEXT_OUT_VPORT_BYTE];
	int ret;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_HCA_VPORT_CONTEXT);
	prm_set(in, PRM_QUERY_HCA_VPORT_CONTEXT_IN_PORT_NUM, port);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	resp->lid = (uint16_t)prm_get(vport, PRM_VPORT_LID);
	resp->sm_lid = (uint16_t)prm_get(vport, PRM_VPORT_SM_LID);
	resp->state = (uint8_t)prm_get(vport, PRM_VPORT_PORT_STATE);
	resp->phys_state = (uint8_t)prm_get(vport, PRM_VPORT_PORT_PHYSICAL_STATE);
	resp->lmc = (uint8_t)prm_get(vport, PRM_VPORT_LMC);
	resp->max_vl_num = PORT_VL0_3;
	resp->subnet_timeout = PORT_SUBNET_TIMEOUT;
	resp->link_layer = LINK_LAYER_IB;
	if (prm_get(vport, PRM_VPORT_GRH_REQUIRED) != 0)
		resp->flags |= IB_UVERBS_QPF_GRH_REQUIRED;
	return 0;
}

/* mlx5_ib: mlx5_query_port_roce() */
static void
query_port_eth(struct swhca_udev *dev, struct ib_uverbs_query_port_resp *resp)
{
	bool is_up = swhca_uport_is_up(dev->index);

	resp->state = is_up ? PORT_STATE_ACTIVE : PORT_STATE_DOWN;
	resp->phys_state = is_up ? PORT_PHYS_STATE_LINK_UP : PORT_PHYS_STATE_DISABLED;
	resp->link_layer = LINK_LAYER_ETH;
}

int
swhca_uquery_port(struct swhca_udev *dev, uint32_t port, struct ib_uverbs_query_port_resp *resp)
{
	const struct swhca_conf *conf = swhca_conf_get();
	struct swhca_port_rate rate;

	if (swhca_uport_check(dev, port) != 0)
		return -EINVAL;
	rate = swhca_hca_port_rate_get(dev->hca);
	*resp = (struct ib_uverbs_query_port_resp){
		.port_cap_flags = swhca_ident_port_caps(conf),
		.max_msg_sz = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MSG),
		.gid_tbl_len = (int32_t)swhca_ident_nb_gids(conf),
		.pkey_tbl_len = (uint16_t)swhca_ident_nb_pkeys(conf),
		.max_mtu = PORT_MTU_4096,
		.active_mtu = swhca_uport_mtu(dev),
		.active_width = rate.width,
		.active_speed = rate.speed,
	};
	if (!swhca_uport_is_eth(dev))
		return query_port_ib(dev, port, resp);
	query_port_eth(dev, resp);
	return 0;
}

int
swhca_uquery_port_req(struct swhca_ureq *req)
{
	struct ib_uverbs_query_port_resp_ex resp = { 0 };
	uint32_t port;
	int ret;

	ret = swhca_uattr_in_u32(req, UVERBS_ATTR_QUERY_PORT_PORT_NUM, &port);
	if (ret == 0)
		ret = swhca_uquery_port(req->file->dev, port, &resp.legacy_resp);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UVERBS_ATTR_QUERY_PORT_RESP, &resp, sizeof(resp));
}

/* In units of 100 Mbit/s, as in the sysfs file rate (mlx5_ib_query_port_speed()). */
int
swhca_uquery_port_speed_req(struct swhca_ureq *req)
{
	const uint64_t speed = swhca_hca_port_rate_get(req->file->dev->hca).mbps / 100;
	uint32_t port;
	int ret;

	ret = swhca_uattr_in_u32(req, UABI_ATTR_QUERY_PORT_SPEED_PORT_NUM, &port);
	if (ret == 0)
		ret = swhca_uport_check(req->file->dev, port);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, UABI_ATTR_QUERY_PORT_SPEED_RESP, &speed, sizeof(speed));
}

/* Only functions of an eswitch report anything here. */
int
swhca_uquery_mlx5_port_req(struct swhca_ureq *req)
{
	struct mlx5_ib_uapi_query_port resp = { 0 };
	uint32_t port;
	int ret;

	ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, &port);
	if (ret == 0)
		ret = swhca_uport_check(req->file->dev, port);
	if (ret != 0)
		return ret;
	return swhca_uattr_out(req, MLX5_IB_ATTR_QUERY_PORT, &resp, sizeof(resp));
}

/* @return false if the entry is empty. */
static bool
gid_entry_fill(const struct swhca_udev *dev, uint32_t index, struct ib_uverbs_gid_entry *entry)
{
	struct swhca_gid gid;

	if (!swhca_ident_gid(swhca_conf_get(), dev->index, index, &gid))
		return false;
	*entry = (struct ib_uverbs_gid_entry){
		.gid_index = index,
		.port_num = 1,
		.gid_type = gid.type,
		.netdev_ifindex = swhca_uport_is_eth(dev) ? swhca_ident_ifindex(dev->index) : 0,
	};
	memcpy(entry->gid, gid.raw, sizeof(gid.raw));
	return true;
}

/* Return all valid entries, in elements of the caller's size. */
int
swhca_uquery_gid_table_req(struct swhca_ureq *req)
{
	uint8_t buf[32 * sizeof(struct ib_uverbs_gid_entry)] = { 0 };
	uint64_t entry_size, nb_max, nb_entries = 0;
	struct ib_uverbs_gid_entry entry;
	uint32_t flags;
	int ret;

	ret = swhca_uattr_in_u64(req, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, &entry_size);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, &flags);
	if (ret != 0)
		return ret;
	if (flags != 0)
		return -EOPNOTSUPP;
	/* A caller with a later ABI has larger elements. */
	if (entry_size == 0 || entry_size > 4 * sizeof(entry))
		return -EINVAL;
	nb_max = swhca_uattr_len(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES) / entry_size;
	while (gid_entry_fill(req->file->dev, (uint32_t)nb_entries, &entry)) {
		if (nb_entries == nb_max || (nb_entries + 1) * entry_size > sizeof(buf))
			return -EINVAL;
		memcpy(buf + nb_entries * entry_size, &entry,
		       entry_size < sizeof(entry) ? entry_size : sizeof(entry));
		nb_entries++;
	}
	ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, buf,
			      nb_entries * entry_size);
	if (ret == 0)
		ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES,
				      &nb_entries, sizeof(nb_entries));
	return ret;
}

int
swhca_uquery_gid_entry_req(struct swhca_ureq *req)
{
	struct ib_uverbs_gid_entry entry;
	uint32_t port, index, flags;
	int ret;

	ret = swhca_uattr_in_u32(req, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, &port);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, &index);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, &flags);
	if (ret != 0)
		return ret;
	if (flags != 0)
		return -EOPNOTSUPP;
	if (swhca_uport_check(req->file->dev, port) != 0 ||
	    index >= swhca_ident_nb_gids(swhca_conf_get()))
		return -EINVAL;
	if (!gid_entry_fill(req->file->dev, index, &entry))
		return -ENODATA;
	return swhca_uattr_out(req, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
			       sizeof(entry));
}
