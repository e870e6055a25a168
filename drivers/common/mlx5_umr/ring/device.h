/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#ifndef MLX5_UMR_H
#define MLX5_UMR_H

/**
 * @file
 * The device, shared by the files of the driver.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <infiniband/mlx5dv.h>

#include <rte_umr_pmd.h>

#include "ring/caps.h"
#include "ring/key_sig.h"
#include "ring/mem.h"

struct mlx5_umr_queue;
struct rte_intr_handle;

/** No descriptor of a context was given. */
#define MLX5_UMR_NO_FD	UINT32_MAX

/** Options of a device: "mlx5_0,port=2,uar=bf". */
struct mlx5_umr_devargs {
	uint8_t port;		/* port=N: from 1 */
	uint8_t gid_index;	/* gid_index=N */
	uint8_t rnr_retry;	/* rnr_retry=N: 0..6, 7: unlimited */
	uint8_t retry_count;	/* retry_count=N: 0..7 */
	uint8_t ack_timeout;	/* ack_timeout=N: 4.096 us << N, 0..31, 0: none */
	bool is_uar_bf;		/* uar=bf: write-combined doorbells */
	uint8_t recv_inline;	/* recv_inline=N: 0 or 1 */
	bool is_recover_auto;	/* recover=auto: automatic recovery of queues that support it */
	uint8_t bf_mode;	/* bf=off, inline or single: enum mlx5_umr_bf_mode */
	/* silence_ms=N: time until an unresponsive device is lost; 0: never */
	uint32_t silence_ms;
	/* Thresholds of rte_umr_write_sg() and rte_umr_read_sg(): sg_keys.h. */
	uint32_t sg_inline;	/* sg_inline=N: bytes */
	uint32_t sg_key;	/* sg_key=N: segments */
	uint32_t sg_read_key;	/* sg_read_key=N: segments */
	/* cmd_fd=N, pd_handle=N: context and PD of the application. */
	uint32_t cmd_fd;	/* MLX5_UMR_NO_FD: none */
	uint32_t pd_handle;
};

/** Health of the device; see health.h. */
struct mlx5_umr_health {
	pthread_mutex_t lock;	/* protects the following members; also taken by control calls */
	LIST_HEAD(, mlx5_umr_queue) queues;
	bool is_lost;		/* read by others with __atomic */
	/* queue that checks whether the device responds; NULL: none */
	struct mlx5_umr_queue *heart;
	unsigned int nb_missed;	/* beats without a response */
	uint64_t due;		/* TSC of the next beat */
	uint64_t nb_completed;	/* by all queues, at the last beat */
	struct rte_intr_handle *intr;	/* for asynchronous events */
};

struct mlx5_umr_device {
	struct rte_umr_dev *umr_dev;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	uint32_t pdn;
	uint32_t eqn;
	struct mlx5_umr_devargs args;
	struct mlx5_umr_caps caps;
	struct ibv_device_attr attr;
	struct ibv_port_attr port_attr;
	struct ibv_odp_caps odp_caps;
	bool has_dmabuf;	/* the kernel can register DMA buffers */
	bool has_odp_stats;	/* the kernel reports counters of on-demand paging */
	union ibv_gid gid;
	int16_t numa_node;
	struct mlx5_umr_sig_caps sig_caps;
	struct mlx5_umr_sig_keys sig_keys;
	struct mlx5_umr_key_table *keys;	/* table of keys */
	struct mlx5_umr_mem_pool mem;		/* of queues */
	/* There was a pool of keys whose lists may need memory of a queue: see mkey.c. */
	bool has_long_keys;
	LIST_HEAD(, mlx5_umr_queue) kept_queues; /* that could not be destroyed */
	struct mlx5_umr_health health;
	/* Check whether the device is lost, for a queue that finds a failure: health.c. */
	void (*look)(struct mlx5_umr_device *dev);
	/* Recover a queue whose can_self_recover is set: recover.c. */
	void (*self_recover)(struct mlx5_umr_queue *queue);
};

/** Whether the device is lost. */
static inline bool
mlx5_umr_is_lost(const struct mlx5_umr_device *dev)
{
	return __atomic_load_n(&dev->health.is_lost, __ATOMIC_RELAXED);
}

/** Whether queues support atomics of 8 bytes, as the kernel reports. */
static inline bool
mlx5_umr_has_atomic(const struct mlx5_umr_device *dev)
{
	return dev->attr.atomic_cap != IBV_ATOMIC_NONE;
}

/** Whether short messages may be received in CQEs. */
static inline bool
mlx5_umr_has_recv_inline(const struct mlx5_umr_device *dev)
{
	return dev->caps.has_scatter_cqe && dev->args.recv_inline;
}

#endif /* MLX5_UMR_H */
