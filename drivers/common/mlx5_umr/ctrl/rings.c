/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <string.h>

#include "internal/mlx5_umr_rings.h"
#include "ring/queue.h"

bool
mlx5_umr_rings_get(int16_t dev_id, uint16_t queue_id, struct mlx5_umr_rings *rings)
{
	struct rte_umr_dev_info info;
	const struct mlx5_umr_queue *queue;

	rte_umr_dev_info_get(dev_id, &info);
	if (strcmp(info.driver_name, "mlx5_umr") != 0)
		return false;
	queue = container_of(rte_umr_fp_entry(dev_id, queue_id)->queue,
			     struct mlx5_umr_queue, fp);
	*rings = (struct mlx5_umr_rings){
		.sq = queue->sq_ring,
		.sq_mask = queue->sq_mask,
		.sq_dbr = queue->sq_dbr,
		.doorbell = queue->doorbell,
		.is_db_nc = queue->is_db_nc,
		.list = queue->klm_mem.base,
		.list_size = (size_t)queue->klm_mem.nb_chunks * MLX5_UMR_KLM_CHUNK_SIZE,
		.list_lkey = queue->klm_mem.lkey,
		.cq = queue->cq.ring,
		.cq_mask = queue->cq.mask,
		.cq_dbr = queue->cq.dbr,
		.qpn = queue->qpn,
		.sq_pi = &queue->sq_pi,
		.cq_ci = &queue->cq.ci,
	};
	return true;
}
