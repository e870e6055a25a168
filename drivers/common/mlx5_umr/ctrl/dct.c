/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* DC targets: the list of receives, and the commands that enable and disable a target. */

#include <errno.h>

#include <rte_malloc.h>

#include "ctrl/devx.h"
#include "ring/device.h"
#include "ctrl/queue.h"
#include "ring/dct.h"
#include "ctrl/devx_dc.h"
#include "ring/log.h"
#include "ctrl/mr.h"

int
mlx5_umr_dct_create(struct mlx5_umr_queue *queue)
{
	size_t nb = (size_t)queue->rq.mask + 1;

	queue->dct = rte_zmalloc_socket("mlx5_umr_dct",
					sizeof(*queue->dct) + nb * sizeof(queue->dct->slots[0]), 0,
					queue->conf.socket_id);
	if (queue->dct != NULL)
		return 0;
	MLX5_UMR_QUEUE_LOG(ERR, queue, "no memory for %zu receives on socket %d", nb,
			   queue->conf.socket_id);
	return -ENOMEM;
}

int
mlx5_umr_dct_destroy(struct mlx5_umr_queue *queue)
{
	int ret;

	if (queue->dct == NULL)
		return 0;
	ret = mlx5_umr_dct_close(queue);
	if (ret != 0)
		return ret;
	rte_free(queue->dct);
	queue->dct = NULL;
	return 0;
}

/** Mark all slots as free, in the order of the ring. */
static void
list_init(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_dct *dct = queue->dct;
	uint16_t i = mlx5_umr_dct_last_slot(queue), next = 0;

	dct->head = 0;
	dct->tail = i;
	do {
		*mlx5_umr_dct_wqe(queue, i) = (struct mlx5_wqe_srq_next_seg){
			.next_wqe_index = rte_cpu_to_be_16(next),
		};
		dct->slots[i].is_posted = false;
		next = i;
	} while (i-- != 0);
}

static int
rmp_create(struct mlx5_umr_queue *queue, uint32_t *rmpn)
{
	struct mlx5_umr_rmp_attr attr = {
		.pdn = mlx5_umr_pd_num(queue->dev, queue->conf.pd),
		.umem_id = mlx5_umr_mem_umem_id(&queue->mem),
		.ring_offset = mlx5_umr_queue_umem_offset(queue, queue->rq.ring),
		.dbr_offset = queue->mem.offset + queue->dbr_offset,
		.log_size = mlx5_umr_log2(queue->rq.mask + 1),
		.log_stride = queue->rq.log_stride,
	};

	return mlx5_umr_devx_rmp_create(queue->dev, &attr, &queue->dct->rmp, rmpn);
}

static int
dct_create(struct mlx5_umr_queue *queue, uint32_t rmpn)
{
	const struct mlx5_umr_device *dev = queue->dev;
	struct mlx5_umr_dct_attr attr = {
		.dc_key = queue->conf.dc_key,
		.pdn = mlx5_umr_pd_num(dev, queue->conf.pd),
		.srqn = rmpn,
		.cqn = queue->rq.cq.cqn,
		.user_index = queue->fp.queue_id,
		.mtu = (uint8_t)dev->port_attr.active_mtu,
		.port = dev->args.port,
		.gid_index = dev->args.gid_index,
		.has_atomic = queue->has_atomic,
	};

	return mlx5_umr_devx_dct_create(dev, &attr, &queue->dct->obj, &queue->qpn);
}

int
mlx5_umr_dct_open(struct mlx5_umr_queue *queue)
{
	uint32_t rmpn;
	int ret;

	list_init(queue);
	ret = rmp_create(queue, &rmpn);
	if (ret != 0)
		return ret;
	ret = dct_create(queue, rmpn);
	if (ret != 0)
		return ret;
	MLX5_UMR_QUEUE_LOG(DEBUG, queue, "DCT 0x%x, RMP 0x%x", queue->qpn, rmpn);
	/* A queue that only receives rejects operations in any state. */
	queue->error = -ENOTSUP;
	return 0;
}

int
mlx5_umr_dct_close(struct mlx5_umr_queue *queue)
{
	struct mlx5_umr_dct *dct = queue->dct;
	int ret;

	/* The kernel drains a target before it destroys it. */
	ret = mlx5_umr_devx_destroy(queue->dev, dct->obj, "DCT");
	if (ret != 0)
		return ret;
	dct->obj = NULL;
	ret = mlx5_umr_devx_destroy(queue->dev, dct->rmp, "RMP");
	if (ret == 0)
		dct->rmp = NULL;
	return ret;
}
