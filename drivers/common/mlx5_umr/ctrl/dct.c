/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* DC targets: the list of receives, and the commands that enable and disable a target. */

#include <errno.h>

#include <rte_malloc.h>

#include <mlx5_prm_dc.h>
#include <mlx5_prm_srq.h>

#include "ctrl/devx.h"
#include "ring/device.h"
#include "ctrl/queue.h"
#include "ring/dct.h"
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

/** Create a receive memory pool: a list of WQEs that begin with the index of the next one. */
static int
rmp_create(struct mlx5_umr_queue *queue, uint32_t *rmpn)
{
	const uint32_t umem_id = mlx5_umr_mem_umem_id(&queue->mem);
	uint32_t in[MLX5_UMR_DWORDS(PRM_CREATE_RMP_IN_PAS_BYTE)] = { 0 };
	uint8_t *rmpc = (uint8_t *)in + PRM_CREATE_RMP_IN_RMPC_BYTE;
	uint8_t *wq = rmpc + PRM_RMPC_WQ_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_RMP);
	prm_set(rmpc, PRM_RMPC_STATE, PRM_RMPC_STATE_RDY);
	prm_set(wq, PRM_WQ_TYPE, PRM_WQ_TYPE_LINKED_LIST);
	prm_set(wq, PRM_WQ_PD, mlx5_umr_pd_num(queue->dev, queue->conf.pd));
	prm_set(wq, PRM_WQ_LOG_WQ_SZ, mlx5_umr_log2(queue->rq.mask + 1));
	prm_set(wq, PRM_WQ_LOG_WQ_STRIDE, queue->rq.log_stride);
	prm_set(wq, PRM_WQ_WQ_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_WQ_UMEM_ID, umem_id);
	prm_set(wq, PRM_WQ_WQ_UMEM_OFFSET, mlx5_umr_queue_umem_offset(queue, queue->rq.ring));
	prm_set(wq, PRM_WQ_DBR_UMEM_VALID, 1);
	prm_set(wq, PRM_WQ_DBR_UMEM_ID, umem_id);
	prm_set(wq, PRM_WQ_DBR_ADDR, queue->mem.offset + queue->dbr_offset);
	return mlx5_umr_devx_obj_create(queue->dev, "CREATE_RMP", in, sizeof(in),
					PRM_CREATE_SRQ_OUT_SRQN, &queue->dct->rmp, rmpn);
}

/** Create a target; it is active when the command returns. */
static int
dct_create(struct mlx5_umr_queue *queue, uint32_t rmpn)
{
	const struct mlx5_umr_device *dev = queue->dev;
	uint32_t in[MLX5_UMR_DWORDS(PRM_CREATE_DCT_IN_SIZE)] = { 0 };
	uint8_t *dctc = (uint8_t *)in + PRM_CREATE_DCT_IN_DCTC_BYTE;

	prm_set(in, PRM_CMD_IN_OPCODE, PRM_CMD_CREATE_DCT);
	prm_set(dctc, PRM_DCTC_USER_INDEX, queue->fp.queue_id);
	prm_set(dctc, PRM_DCTC_CQN, queue->rq.cq.cqn);
	prm_set(dctc, PRM_DCTC_RRE, 1);
	prm_set(dctc, PRM_DCTC_RWE, 1);
	if (queue->has_atomic) {
		prm_set(dctc, PRM_DCTC_RAE, 1);
		prm_set(dctc, PRM_DCTC_ATOMIC_MODE, PRM_QPC_ATOMIC_MODE_IB_COMP);
	}
	prm_set(dctc, PRM_DCTC_CS_RES, PRM_DCTC_CS_RES_DISABLE);
	prm_set(dctc, PRM_DCTC_MIN_RNR_NAK, MLX5_UMR_MIN_RNR_NAK);
	prm_set(dctc, PRM_DCTC_SRQN_XRQN, rmpn);
	prm_set(dctc, PRM_DCTC_PD, mlx5_umr_pd_num(dev, queue->conf.pd));
	prm_set(dctc, PRM_DCTC_DC_ACCESS_KEY, queue->conf.dc_key);
	prm_set(dctc, PRM_DCTC_MTU, (uint8_t)dev->port_attr.active_mtu);
	prm_set(dctc, PRM_DCTC_PORT, dev->args.port);
	prm_set(dctc, PRM_DCTC_MY_ADDR_INDEX, dev->args.gid_index);
	prm_set(dctc, PRM_DCTC_HOP_LIMIT, MLX5_UMR_HOP_LIMIT);
	return mlx5_umr_devx_obj_create(dev, "CREATE_DCT", in, sizeof(in), PRM_CREATE_DCT_OUT_DCTN,
					&queue->dct->obj, &queue->qpn);
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
