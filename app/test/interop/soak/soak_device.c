/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Devices and queue pairs of every service. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "soak.h"

#define CQ_DEPTH 4096
#define ACCESS (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
		IBV_ACCESS_REMOTE_ATOMIC)

#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			perror(#condition);                                                        \
			return false;                                                              \
		}                                                                                  \
	} while (0)

const char *
soak_name(unsigned int service)
{
	static const char *const names[] = { "RC", "XRC", "DC", "UC", "UD" };

	return names[service];
}

static bool
context_open(struct soak_device *d, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	unsigned int i;

	for (i = 0; list != NULL && list[i] != NULL; i++) {
		if (strcmp(ibv_get_device_name(list[i]), name) == 0)
			d->ctx = ibv_open_device(list[i]);
	}
	ibv_free_device_list(list);
	return d->ctx != NULL;
}

/* RoCE 2 by IPv4 on Ethernet; InfiniBand has one entry. */
static void
gid_pick(struct soak_device *d)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_gid_entry entry;
	int i;

	for (i = 0; i < 16; i++) {
		if (ibv_query_gid_ex(d->ctx, 1, (uint32_t)i, &entry, 0) != 0 ||
		    (entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
		     memcmp(entry.gid.raw, mapped, sizeof(mapped)) != 0) ||
		    entry.gid_type == IBV_GID_TYPE_ROCE_V1)
			continue;
		d->gid = entry.gid;
		d->gid_index = i;
		return;
	}
}

static bool
shared_create(struct soak_device *d)
{
	struct ibv_xrcd_init_attr xrcd = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS, .fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_srq_init_attr_ex srq = {
		.attr = { .max_wr = SOAK_NB_RECV, .max_sge = 1 },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_XRCD |
			     IBV_SRQ_INIT_ATTR_CQ | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_XRC, .pd = d->pd, .cq = d->cq,
	};
	struct ibv_srq_init_attr basic = { .attr = { .max_wr = SOAK_NB_RECV, .max_sge = 1 } };

	MUST((d->xrcd = ibv_open_xrcd(d->ctx, &xrcd)) != NULL);
	if (!d->is_server)
		return true;
	srq.xrcd = d->xrcd;
	MUST((d->srq = ibv_create_srq_ex(d->ctx, &srq)) != NULL);
	MUST((d->dc_srq = ibv_create_srq(d->pd, &basic)) != NULL);
	return true;
}

static struct ibv_qp *
plain_create(struct soak_device *d, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = d->cq, .recv_cq = d->cq,
		.cap = { .max_send_wr = 2 * SOAK_DEPTH, .max_recv_wr = SOAK_NB_RECV,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = type,
	};

	return ibv_create_qp(d->pd, &attr);
}

static struct ibv_qp *
xrc_create(struct soak_device *d)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = d->is_server ? IBV_QPT_XRC_RECV : IBV_QPT_XRC_SEND,
		.comp_mask = d->is_server ? IBV_QP_INIT_ATTR_XRCD : IBV_QP_INIT_ATTR_PD,
		.xrcd = d->xrcd, .pd = d->pd, .send_cq = d->cq,
		.cap = { .max_send_wr = 2 * SOAK_DEPTH, .max_send_sge = 1 },
	};

	return ibv_create_qp_ex(d->ctx, &attr);
}

static struct ibv_qp *
dc_create(struct soak_device *d)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_DRIVER, .comp_mask = IBV_QP_INIT_ATTR_PD, .pd = d->pd,
		.send_cq = d->cq, .recv_cq = d->cq, .srq = d->dc_srq,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
		.dc_init_attr = { .dc_type = MLX5DV_DCTYPE_DCT, .dct_access_key = SOAK_DC_KEY },
	};

	if (!d->is_server) {
		dv.dc_init_attr.dc_type = MLX5DV_DCTYPE_DCI;
		attr.comp_mask |= IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
		attr.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
				      IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
		attr.cap.max_send_wr = 2 * SOAK_DEPTH;
		attr.cap.max_send_sge = 1;
	}
	return mlx5dv_create_qp(d->ctx, &attr, &dv);
}

bool
soak_device_open(struct soak_device *d, const char *name, bool is_server)
{
	d->is_server = is_server;
	MUST(context_open(d, name));
	MUST(ibv_query_port(d->ctx, 1, &d->port) == 0);
	gid_pick(d);
	MUST((d->pd = ibv_alloc_pd(d->ctx)) != NULL);
	MUST((d->cq = ibv_create_cq(d->ctx, CQ_DEPTH, NULL, NULL, 0)) != NULL);
	if (!shared_create(d))
		return false;
	MUST((d->qps[SOAK_RC] = plain_create(d, IBV_QPT_RC)) != NULL);
	MUST((d->qps[SOAK_UC] = plain_create(d, IBV_QPT_UC)) != NULL);
	MUST((d->qps[SOAK_UD] = plain_create(d, IBV_QPT_UD)) != NULL);
	MUST((d->qps[SOAK_XRC] = xrc_create(d)) != NULL);
	MUST((d->qps[SOAK_DC] = dc_create(d)) != NULL);
	return true;
}

static struct ibv_ah_attr
path_to(const struct soak_device *d, const struct soak_end *peer)
{
	bool is_eth = d->port.link_layer == IBV_LINK_LAYER_ETHERNET;

	return (struct ibv_ah_attr){
		.dlid = peer->lid, .port_num = 1, .is_global = is_eth,
		.grh = { .dgid = peer->gid, .sgid_index = (uint8_t)d->gid_index, .hop_limit = 64 },
	};
}

static bool
to_init(struct ibv_qp *qp, unsigned int service, bool is_server)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = SOAK_QKEY };
	int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT;

	if (service == SOAK_UD)
		mask |= IBV_QP_QKEY;
	else if (service != SOAK_DC || is_server)
		mask |= IBV_QP_ACCESS_FLAGS;
	attr.qp_access_flags = service == SOAK_UC ? IBV_ACCESS_REMOTE_WRITE : ACCESS;
	MUST(ibv_modify_qp(qp, &attr, mask) == 0);
	return true;
}

static bool
to_rtr(const struct soak_device *d, unsigned int service, const struct soak_end *peer)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qpn[service], .rq_psn = 0xfffff0, .max_dest_rd_atomic = 8,
		.min_rnr_timer = 3, .ah_attr = path_to(d, peer),
	};
	int mask = IBV_QP_STATE;

	if (service == SOAK_DC)
		mask |= IBV_QP_PATH_MTU | (d->is_server ? IBV_QP_AV | IBV_QP_MIN_RNR_TIMER : 0);
	else if (service != SOAK_UD)
		mask |= IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	if (service == SOAK_RC || (service == SOAK_XRC && d->is_server))
		mask |= IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
	MUST(ibv_modify_qp(d->qps[service], &attr, mask) == 0);
	return true;
}

static bool
to_rts(const struct soak_device *d, unsigned int service)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTS, .timeout = 15, .retry_cnt = 7, .rnr_retry = 7,
		.sq_psn = 0xfffff0, .max_rd_atomic = 8,
	};
	int mask = IBV_QP_STATE | IBV_QP_SQ_PSN;

	if (service == SOAK_DC && d->is_server)
		return true;
	if (soak_is_reliable(service))
		mask |= IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_MAX_QP_RD_ATOMIC;
	if (service == SOAK_XRC && d->is_server)
		mask = IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT;
	MUST(ibv_modify_qp(d->qps[service], &attr, mask) == 0);
	return true;
}

bool
soak_device_connect(struct soak_device *d, const struct soak_end *peer)
{
	struct ibv_ah_attr path = path_to(d, peer);
	unsigned int i;

	MUST((d->ah = ibv_create_ah(d->pd, &path)) != NULL);
	for (i = 0; i < SOAK_NB; i++) {
		if (!to_init(d->qps[i], i, d->is_server) || !to_rtr(d, i, peer) || !to_rts(d, i)) {
			fprintf(stderr, "%s: cannot be connected\n", soak_name(i));
			return false;
		}
	}
	return true;
}

void
soak_device_tell(const struct soak_device *d, struct soak_end *end)
{
	unsigned int i;

	end->lid = d->port.lid;
	end->gid = d->gid;
	for (i = 0; i < SOAK_NB; i++)
		end->qpn[i] = d->qps[i]->qp_num;
	if (d->srq != NULL)
		ibv_get_srq_num(d->srq, &end->srqn);
}

void
soak_device_close(struct soak_device *d)
{
	unsigned int i;

	for (i = 0; i < SOAK_NB; i++) {
		if (d->qps[i] != NULL)
			ibv_destroy_qp(d->qps[i]);
	}
	if (d->ah != NULL)
		ibv_destroy_ah(d->ah);
	if (d->srq != NULL)
		ibv_destroy_srq(d->srq);
	if (d->dc_srq != NULL)
		ibv_destroy_srq(d->dc_srq);
	if (d->xrcd != NULL)
		ibv_close_xrcd(d->xrcd);
	if (d->cq != NULL)
		ibv_destroy_cq(d->cq);
	if (d->pd != NULL)
		ibv_dealloc_pd(d->pd);
	if (d->ctx != NULL)
		ibv_close_device(d->ctx);
}
