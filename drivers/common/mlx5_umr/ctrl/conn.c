/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Connecting a queue.
 */

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include <mlx5_prm_wqe.h>

#include "ctrl/devx.h"
#include "ring/device.h"
#include "ctrl/conn.h"
#include "ctrl/queue.h"
#include "ring/log.h"

#define MLX5_UMR_QPN_MAX	0xffffffu
/* Time limit for a device to flush a queue: it only has to write CQEs. */
#define DRAIN_MS		2000u
/* Polls between two yields of the CPU, which a device model may need. */
#define DRAIN_NB_LOOKS		64u
/* Polls, about 50 us, before sleeping between polls. */
#define DRAIN_NB_SPINS		1024u
#define DRAIN_NAP_NS		20000

/** Log2 of outstanding reads and atomics: 3 bits in the queue pair context. */
static uint8_t
log_ra_min(uint8_t log)
{
	return log < 7 ? log : 7;
}

static uint8_t
active_mtu(const struct mlx5_umr_device *dev)
{
	return (uint8_t)dev->port_attr.active_mtu;	/* enum ibv_mtu */
}

void
mlx5_umr_conn_local(const struct mlx5_umr_queue *queue, struct rte_umr_endpoint *local)
{
	const struct mlx5_umr_device *dev = queue->dev;

	*local = (struct rte_umr_endpoint){
		.qpn = rte_cpu_to_be_32(queue->qpn),
		.psn = queue->dct == NULL ? rte_cpu_to_be_32(queue->psn) : 0,
		.lid = rte_cpu_to_be_16(dev->port_attr.lid),
		.link_layer = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET ?
				      RTE_UMR_LINK_ETHERNET : RTE_UMR_LINK_INFINIBAND,
		.mtu = active_mtu(dev),
	};
	memcpy(local->gid, dev->gid.raw, sizeof(local->gid));
}

int
mlx5_umr_conn_path_mac(const struct mlx5_umr_device *dev, const struct rte_umr_endpoint *remote,
		       uint8_t *mac)
{
	static const uint8_t zero[sizeof(remote->mac)];
	struct ibv_ah_attr ah_attr = {
		.is_global = 1,
		.port_num = dev->args.port,
		.grh = { .sgid_index = dev->args.gid_index, .hop_limit = 255 },
	};
	struct mlx5dv_obj obj;
	struct mlx5dv_ah dv_ah = { 0 };
	struct ibv_ah *ah;

	if (memcmp(remote->mac, zero, sizeof(zero)) != 0) {
		memcpy(mac, remote->mac, sizeof(remote->mac));
		return 0;
	}
	/*
	 * The kernel resolves a GID when an address handle is created; the handle contains the
	 * result.
	 */
	memcpy(ah_attr.grh.dgid.raw, remote->gid, sizeof(remote->gid));
	ah = ibv_create_ah(dev->pd, &ah_attr);
	if (ah == NULL) {
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name,
				 "no MAC address for the GID of the peer: %s", strerror(errno));
		return errno != 0 ? -errno : -EIO;
	}
	obj = (struct mlx5dv_obj){ .ah = { .in = ah, .out = &dv_ah } };
	mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH);
	memcpy(mac, dv_ah.av->rmac, sizeof(dv_ah.av->rmac));
	ibv_destroy_ah(ah);
	return 0;
}

static int
path_init(const struct mlx5_umr_queue *queue, const struct rte_umr_endpoint *remote,
	  bool is_loopback, struct mlx5_umr_qp_path *path)
{
	const struct mlx5_umr_device *dev = queue->dev;
	bool is_eth = dev->port_attr.link_layer == IBV_LINK_LAYER_ETHERNET;

	*path = (struct mlx5_umr_qp_path){
		.remote_qpn = rte_be_to_cpu_32(remote->qpn),
		.local_psn = queue->psn,
		.remote_psn = rte_be_to_cpu_32(remote->psn),
		.lid = rte_be_to_cpu_16(remote->lid),
		.mtu = remote->mtu < active_mtu(dev) ? remote->mtu : active_mtu(dev),
		.log_msg_max = dev->caps.log_max_msg,
		.log_ra_req = log_ra_min(dev->caps.log_max_ra_req_qp),
		.log_ra_res = log_ra_min(dev->caps.log_max_ra_res_qp),
		.port = dev->args.port,
		.gid_index = dev->args.gid_index,
		.rnr_retry = dev->args.rnr_retry,
		.retry_count = dev->args.retry_count,
		.ack_timeout = dev->args.ack_timeout,
		.is_loopback = is_loopback,
		.has_atomic = queue->has_atomic,
		/*
		 * A packet that does not leave the device needs no address (same in DPDK's mlx5).
		 */
		.has_grh = is_eth && !is_loopback,
	};
	if (!path->has_grh)
		return 0;
	memcpy(path->gid, remote->gid, sizeof(path->gid));
	return mlx5_umr_conn_path_mac(dev, remote, path->mac);
}

/** INIT to RTS. */
static int
to_rts(struct mlx5_umr_queue *queue, const struct mlx5_umr_qp_path *path)
{
	int ret;

	ret = mlx5_umr_devx_qp_init2rtr(queue, path);
	if (ret != 0)
		return ret;
	ret = mlx5_umr_devx_qp_rtr2rts(queue, path);
	if (ret != 0)
		return ret;
	queue->is_connected = true;
	queue->can_self_recover = queue->dev->args.is_recover_auto &&
				  queue->conf.transport != RTE_UMR_TRANSPORT_RC;
	queue->error = 0;
	return 0;
}

static int
loopback_connect(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_qp_path path;
	struct rte_umr_endpoint self;
	int ret;

	mlx5_umr_conn_local(queue, &self);
	ret = path_init(queue, &self, true, &path);
	if (ret != 0)
		return ret;
	return to_rts(queue, &path);
}

/** An initiator has no peer; its WQEs contain addresses. Set only the transport parameters. */
static int
dci_connect(struct mlx5_umr_queue *queue)
{
	const struct mlx5_umr_device *dev = queue->dev;
	struct mlx5_umr_qp_path path = {
		.mtu = active_mtu(dev),
		.log_msg_max = dev->caps.log_max_msg,
		.log_ra_req = log_ra_min(dev->caps.log_max_ra_req_dc),
		.port = dev->args.port,
		.rnr_retry = dev->args.rnr_retry,
		.retry_count = dev->args.retry_count,
		.ack_timeout = dev->args.ack_timeout,
		.has_atomic = queue->has_atomic,
	};

	return to_rts(queue, &path);
}

/** The queue pair is in error: wait until the device has completed everything. */
static int
drain_wait(struct mlx5_umr_queue *queue)
{
	const uint64_t deadline = rte_get_tsc_cycles() + rte_get_tsc_hz() / 1000 * DRAIN_MS;
	const struct timespec nap = { .tv_nsec = DRAIN_NAP_NS };
	uint32_t nb_looks = 0;

	while (!mlx5_umr_queue_drain(queue)) {
		/* No more completions will arrive. */
		if (mlx5_umr_is_lost(queue->dev))
			return 0;
		if (rte_get_tsc_cycles() > deadline) {
			MLX5_UMR_QUEUE_LOG(ERR, queue, "the device has not flushed it in %u ms",
					   DRAIN_MS);
			return -ETIMEDOUT;
		}
		if (++nb_looks > DRAIN_NB_SPINS)
			nanosleep(&nap, NULL);
		else if (nb_looks % DRAIN_NB_LOOKS == 0)
			sched_yield();
		rte_pause();
	}
	return 0;
}

/**
 * Complete all outstanding work of a queue pair before its move to RESET. In RESET the device
 * writes no CQE for the rest (IBTA 10.3.1), and a late CQE would be matched to a wrong operation,
 * since WQE counters restart. The last completion serves as the barrier that Linux posts for this
 * purpose (mlx5_ib: umr.c, mlx5r_umr_recover(); CVE-2025-21892).
 */
static int
quiesce(struct mlx5_umr_queue *queue)
{
	int ret;

	if (!queue->is_open || mlx5_umr_is_lost(queue->dev))
		return 0;
	/* From here on operations complete with their status, or flushed. */
	queue->error = -EIO;
	if (!queue->is_failed) {
		ret = mlx5_umr_devx_qp_2err(queue);
		if (ret != 0)
			return ret;
		queue->is_failed = true;
	}
	return drain_wait(queue);
}

int
mlx5_umr_conn_open(struct mlx5_umr_queue *queue)
{
	int ret;

	/* Cleared even if the command fails: it may have been executed partially. */
	queue->is_reset = false;
	if (queue->dct != NULL)
		return mlx5_umr_dct_open(queue);
	ret = mlx5_umr_devx_qp_rst2init(queue);
	if (ret != 0)
		return ret;
	queue->is_open = true;
	switch (queue->conf.transport) {
	case RTE_UMR_TRANSPORT_LOOPBACK:
		return loopback_connect(queue);
	case RTE_UMR_TRANSPORT_DCI:
		return dci_connect(queue);
	default:
		return 0;
	}
}

static int
remote_check(const struct mlx5_umr_queue *queue, const struct rte_umr_endpoint *remote)
{
	struct rte_umr_endpoint self;

	mlx5_umr_conn_local(queue, &self);
	if (remote->link_layer != self.link_layer) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "link layer of the peer is %u, here it is %u",
				   remote->link_layer, self.link_layer);
		return -EINVAL;
	}
	if (rte_be_to_cpu_32(remote->qpn) > MLX5_UMR_QPN_MAX ||
	    rte_be_to_cpu_32(remote->psn) > MLX5_UMR_QPN_MAX) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "qpn 0x%x or psn 0x%x of the peer is over 24 bits",
				   rte_be_to_cpu_32(remote->qpn), rte_be_to_cpu_32(remote->psn));
		return -EINVAL;
	}
	if (remote->mtu < IBV_MTU_256 || remote->mtu > IBV_MTU_4096) {
		MLX5_UMR_QUEUE_LOG(ERR, queue, "MTU code of the peer is %u, not in [1, 5]",
				   remote->mtu);
		return -EINVAL;
	}
	return 0;
}

int
mlx5_umr_conn_connect(struct mlx5_umr_queue *queue, const struct rte_umr_endpoint *remote)
{
	struct mlx5_umr_qp_path path;
	int ret;

	ret = remote_check(queue, remote);
	if (ret != 0)
		return ret;
	ret = path_init(queue, remote, false, &path);
	if (ret != 0)
		return ret;
	ret = to_rts(queue, &path);
	if (ret != 0) {
		/* It may be in RTR, where its receives would not be flushed. */
		queue->error = -EIO;
		mlx5_umr_conn_close(queue);
	}
	return ret;
}

int
mlx5_umr_conn_close(struct mlx5_umr_queue *queue)
{
	int ret, error;

	queue->is_connected = false;
	queue->can_self_recover = false;
	if (queue->is_reset)
		return 0;
	if (queue->dct != NULL) {
		ret = mlx5_umr_dct_close(queue);
		queue->is_reset = ret == 0;
		return ret;
	}
	error = quiesce(queue);
	if (error != 0 && error != -ETIMEDOUT)
		return error;
	/* Stop it even if it does not respond. */
	ret = mlx5_umr_devx_qp_2rst(queue);
	queue->is_reset = ret == 0;
	queue->is_open &= ret != 0;
	return ret != 0 ? ret : error;
}
