/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Queries of device, port and GIDs (mlx5_ib: main.c), from the capabilities of the HCA.
 */

#include <errno.h>
#include <string.h>

#include "swhca_sysfs.h"
#include "swhca_uverbs_priv.h"

/* enum ib_device_cap_flags, IB_DEVICE_* in the kernel, IBV_DEVICE_* in verbs.h. */
#define DEVICE_SYS_IMAGE_GUID		(1u << 11)
#define DEVICE_RC_RNR_NAK_GEN		(1u << 12)
#define DEVICE_MEM_WINDOW		(1u << 17)
#define DEVICE_MEM_WINDOW_TYPE_2B	(1u << 24)
#define DEVICE_MEM_MGT_EXTENSIONS	(1u << 21)

/* Most bytes of a send WQE that the kernel uses to compute the number of its SGEs. */
#define MAX_SQ_DESC_BYTES 512u
#define CTRL_SEG_BYTES 16u
#define RADDR_SEG_BYTES 16u
#define DATA_SEG_BYTES 16u
/* mlx5_ib: MLX5_MAX_SGE_RD */
#define MAX_SGE_RD 30u

/* Active link: IB EDR, 4 lanes (IBA, PortInfo). */
#define PORT_SPEED_EDR 32u
#define PORT_WIDTH_4X 2u
#define PORT_MTU_4096 5u
#define PORT_VL0_3 3u
#define PORT_SUBNET_TIMEOUT 18u
#define LINK_LAYER_IB 1u

/* log2 of the size of the tables whose capability says 0 (mlx5_get_gid_table_len() ...). */
#define LOG_MIN_GIDS 3u
#define LOG_MIN_PKEYS 7u

static void
device_fill_queues(const struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp)
{
	uint32_t sq_bytes = swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_SQ);
	uint32_t nb_rq_sge = swhca_udev_cap(dev, PRM_CAP_MAX_WQE_SZ_RQ) / DATA_SEG_BYTES;
	uint32_t nb_sq_sge;

	if (sq_bytes > MAX_SQ_DESC_BYTES)
		sq_bytes = MAX_SQ_DESC_BYTES;
	nb_sq_sge = (sq_bytes - CTRL_SEG_BYTES - RADDR_SEG_BYTES) / DATA_SEG_BYTES;
	resp->max_qp = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP);
	resp->max_qp_wr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_QP_SZ);
	resp->max_sge = nb_rq_sge < nb_sq_sge ? nb_rq_sge : nb_sq_sge;
	resp->max_sge_rd = MAX_SGE_RD;
	resp->max_cq = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_CQ);
	resp->max_cqe = (1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_CQ_SZ)) - 1;
	resp->max_qp_rd_atom = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_RA_REQ_QP);
	resp->max_qp_init_rd_atom = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_RA_RES_QP);
	resp->max_res_rd_atom = resp->max_qp_rd_atom * resp->max_qp;
}

int
swhca_uquery_device(struct swhca_udev *dev, struct ib_uverbs_query_device_resp *resp)
{
	uint64_t guid = htobe64(swhca_uverbs_guid(dev->index));

	/* Numbers of things that the HCA does not have (SRQ, MW, AH, multicast) stay 0. */
	*resp = (struct ib_uverbs_query_device_resp){
		.fw_ver = (uint64_t)SWHCA_FW_VER_MAJOR << 32 | SWHCA_FW_VER_MINOR << 16 |
			  SWHCA_FW_VER_SUBMINOR,
		.node_guid = guid,
		.sys_image_guid = guid,
		.max_mr_size = UINT64_MAX,
		.page_size_cap = ~((UINT64_C(1) << swhca_udev_cap(dev, PRM_CAP_LOG_PG_SZ)) - 1),
		.vendor_id = SWHCA_VENDOR_OUI,
		.vendor_part_id = SWHCA_PCI_DEVICE,
		.device_cap_flags = DEVICE_SYS_IMAGE_GUID | DEVICE_RC_RNR_NAK_GEN |
				    DEVICE_MEM_MGT_EXTENSIONS,
		.max_mr = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MKEY),
		.max_pd = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_PD),
		.max_pkeys = 1u << (LOG_MIN_PKEYS + swhca_udev_cap(dev, PRM_CAP_PKEY_TABLE_SIZE)),
		.local_ca_ack_delay =
			(uint8_t)swhca_udev_cap(dev, PRM_CAP_LOCAL_CA_ACK_DELAY),
		.phys_port_cnt = (uint8_t)swhca_udev_cap(dev, PRM_CAP_NUM_PORTS),
		/* IBV_ATOMIC_HCA or none */
		.atomic_cap = swhca_udev_cap(dev, PRM_CAP_ATOMIC),
	};
	/* Invalidation of keys by a message comes with windows (mlx5_ib_query_device()). */
	if (swhca_udev_cap(dev, PRM_CAP_IMAICL) != 0) {
		resp->device_cap_flags |= DEVICE_MEM_WINDOW | DEVICE_MEM_WINDOW_TYPE_2B;
		resp->max_mw = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MKEY);
	}
	device_fill_queues(dev, resp);
	return 0;
}

/* mlx5_ib: mlx5_ib_query_device() */
static void
uhw_fill(const struct swhca_udev *dev, struct mlx5_ib_query_device_resp *drv)
{
	/* The QP type that takes a rate through verbs, raw packet, is not there. */
	drv->packet_pacing_caps = (struct mlx5_packet_pacing_caps){
		.qp_rate_limit_min =
			(uint32_t)prm_get(dev->qos_caps, PRM_CAP_QOS_PACKET_PACING_MIN_RATE),
		.qp_rate_limit_max =
			(uint32_t)prm_get(dev->qos_caps, PRM_CAP_QOS_PACKET_PACING_MAX_RATE),
	};
}

int
swhca_uquery_device_ex(struct swhca_ureq *req, struct ib_uverbs_ex_query_device_resp *resp)
{
	struct mlx5_ib_query_device_resp drv = { 0 };
	size_t len;

	memset(resp, 0, sizeof(*resp));
	swhca_uquery_device(req->file->dev, &resp->base);
	resp->response_length = sizeof(*resp);
	resp->device_cap_flags_ex = resp->base.device_cap_flags;
	resp->max_dm_size = prm_get(req->file->dev->dm_caps, PRM_CAP_DEVICE_MEM_MAX_MEMIC_SIZE);
	/* The driver part lists offloads; those that the HCA does not have stay 0. */
	uhw_fill(req->file->dev, &drv);
	len = swhca_uattr_len(req, UVERBS_ATTR_UHW_OUT);
	drv.response_length = (uint32_t)(len < sizeof(drv) ? len : sizeof(drv));
	return swhca_uattr_out(req, UVERBS_ATTR_UHW_OUT, &drv, sizeof(drv));
}

int
swhca_uquery_port(struct swhca_udev *dev, uint32_t port, struct ib_uverbs_query_port_resp *resp)
{
	uint8_t in[PRM_CMD_SHORT_IN_SIZE] = { 0 };
	uint8_t out[PRM_QUERY_HCA_VPORT_CONTEXT_OUT_SIZE];
	const uint8_t *vport = &out[PRM_QUERY_HCA_VPORT_CONTEXT_OUT_VPORT_BYTE];
	int ret;

	if (port == 0 || port > swhca_udev_cap(dev, PRM_CAP_NUM_PORTS))
		return -EINVAL;
	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_QUERY_HCA_VPORT_CONTEXT);
	prm_set(in, PRM_QUERY_HCA_VPORT_CONTEXT_IN_PORT_NUM, port);
	ret = swhca_udev_exec(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	*resp = (struct ib_uverbs_query_port_resp){
		.port_cap_flags = (uint32_t)prm_get(vport, PRM_VPORT_CAP_MASK1),
		.max_msg_sz = 1u << swhca_udev_cap(dev, PRM_CAP_LOG_MAX_MSG),
		.gid_tbl_len = 1u << (LOG_MIN_GIDS + swhca_udev_cap(dev, PRM_CAP_GID_TABLE_SIZE)),
		.pkey_tbl_len =
			1u << (LOG_MIN_PKEYS + swhca_udev_cap(dev, PRM_CAP_PKEY_TABLE_SIZE)),
		.lid = (uint16_t)prm_get(vport, PRM_VPORT_LID),
		.sm_lid = (uint16_t)prm_get(vport, PRM_VPORT_SM_LID),
		.state = (uint8_t)prm_get(vport, PRM_VPORT_PORT_STATE),
		.phys_state = (uint8_t)prm_get(vport, PRM_VPORT_PORT_PHYSICAL_STATE),
		.lmc = (uint8_t)prm_get(vport, PRM_VPORT_LMC),
		.max_mtu = PORT_MTU_4096,
		.active_mtu = PORT_MTU_4096,
		.max_vl_num = PORT_VL0_3,
		.subnet_timeout = PORT_SUBNET_TIMEOUT,
		.active_width = PORT_WIDTH_4X,
		.active_speed = PORT_SPEED_EDR,
		.link_layer = LINK_LAYER_IB,
	};
	if (prm_get(vport, PRM_VPORT_GRH_REQUIRED) != 0)
		resp->flags |= IB_UVERBS_QPF_GRH_REQUIRED;
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

/* Only functions behind an eswitch have something to tell here. */
int
swhca_uquery_mlx5_port_req(struct swhca_ureq *req)
{
	struct mlx5_ib_uapi_query_port resp = { 0 };
	uint32_t port;
	int ret;

	ret = swhca_uattr_in_u32(req, MLX5_IB_ATTR_QUERY_PORT_PORT_NUM, &port);
	if (ret != 0)
		return ret;
	if (port == 0 || port > swhca_udev_cap(req->file->dev, PRM_CAP_NUM_PORTS))
		return -EINVAL;
	return swhca_uattr_out(req, MLX5_IB_ATTR_QUERY_PORT, &resp, sizeof(resp));
}

/* Entry 0 is the default GID, fe80::guid; nobody adds others. */
static void
gid_entry_fill(const struct swhca_udev *dev, struct ib_uverbs_gid_entry *entry)
{
	*entry = (struct ib_uverbs_gid_entry){
		.gid = { htobe64(SWHCA_GID_PREFIX), htobe64(swhca_uverbs_guid(dev->index)) },
		.gid_index = 0,
		.port_num = 1,
		.gid_type = IB_UVERBS_GID_TYPE_IB,
	};
}

int
swhca_uquery_gid_table_req(struct swhca_ureq *req)
{
	struct ib_uverbs_gid_entry entry;
	uint64_t entry_size, nb_entries = 1;
	uint32_t flags;
	int ret;

	ret = swhca_uattr_in_u64(req, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, &entry_size);
	if (ret == 0)
		ret = swhca_uattr_in_u32(req, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, &flags);
	if (ret != 0)
		return ret;
	if (flags != 0)
		return -EOPNOTSUPP;
	if (entry_size == 0 ||
	    swhca_uattr_len(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES) < entry_size)
		return -EINVAL;
	gid_entry_fill(req->file->dev, &entry);
	ret = swhca_uattr_out(req, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, &entry,
			      entry_size < sizeof(entry) ? entry_size : sizeof(entry));
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
	if (port == 0 || port > swhca_udev_cap(req->file->dev, PRM_CAP_NUM_PORTS))
		return -EINVAL;
	if (index >= 1u << (LOG_MIN_GIDS +
			    swhca_udev_cap(req->file->dev, PRM_CAP_GID_TABLE_SIZE)))
		return -EINVAL;
	if (index != 0)
		return -ENODATA;
	gid_entry_fill(req->file->dev, &entry);
	return swhca_uattr_out(req, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, &entry,
			       sizeof(entry));
}
