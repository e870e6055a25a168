/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <mlx5_prm_wqe.h>

#include "bench/path/ring.h"

bool
bench_cq_has(const struct bench_cq *cq, uint32_t ci)
{
	uint8_t op_own = cq->ring[ci & cq->mask].op_own;
	bool owner = (ci & (cq->mask + 1)) != 0;

	return (op_own & MLX5_CQE_OWNER_MASK) == owner &&
	       PRM_CQE_OPCODE(op_own) != MLX5_CQE_INVALID;
}
