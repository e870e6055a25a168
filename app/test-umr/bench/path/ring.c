/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include <mlx5_prm_wqe.h>

#include "bench/path/path.h"
#include "bench/path/ring.h"
#include "ring/queue.h"

bool
bench_ring_get(int16_t dev_id, uint16_t queue_id, struct bench_ring *ring)
{
	struct rte_umr_dev_info info;
	const struct mlx5_umr_queue *queue;

	rte_umr_dev_info_get(dev_id, &info);
	if (strcmp(info.driver_name, "mlx5_umr") != 0)
		return false;
	queue = rte_umr_fp_queue(dev_id, queue_id);
	*ring = (struct bench_ring){
		.sq = queue->sq_ring,
		.sq_mask = queue->sq_mask,
		.sq_dbr = queue->sq_dbr,
		.doorbell = queue->doorbell,
		.is_db_nc = queue->is_db_nc,
		.list = queue->klm_mem.base,
		.list_size = (size_t)queue->klm_mem.nb_chunks * MLX5_UMR_KLM_CHUNK_SIZE,
		.list_lkey = queue->klm_mem.lkey,
		.cq = { .ring = queue->cq.ring, .mask = queue->cq.mask },
		.cq_dbr = queue->cq.dbr,
		.qpn = queue->qpn,
		.sq_pi = &queue->sq_pi,
		.cq_ci = &queue->cq.ci,
	};
	return true;
}

bool
bench_cq_has(const struct bench_cq *cq, uint32_t ci)
{
	uint8_t op_own = cq->ring[ci & cq->mask].op_own;
	bool owner = (ci & (cq->mask + 1)) != 0;

	return (op_own & MLX5_CQE_OWNER_MASK) == owner &&
	       PRM_CQE_OPCODE(op_own) != MLX5_CQE_INVALID;
}
