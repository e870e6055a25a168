/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Addresses of DC initiators. */

#include <errno.h>

#include "fast/ops.h"
#include "ring/device.h"
#include "ring/reject.h"

int
mlx5_umr_dc_addr_set(void *q, const struct rte_umr_dc_addr *addr)
{
	struct mlx5_umr_queue *queue = q;

	static_assert(sizeof(addr->av) == sizeof(struct mlx5_wqe_av), "address vector");
	if (unlikely(!queue->is_dci))
		return REJECT(queue, UNSUPPORTED, -ENOTSUP,
			      "no DC initiator: no address vector");
	if (unlikely(addr->is_filled != 1))
		return REJECT(queue, ADDRESS, -EINVAL,
			      "the address is not from rte_umr_dc_addr_fill(), is_filled is %u",
			      addr->is_filled);
	if (unlikely(addr->dev_id != queue->fp.dev_id))
		return REJECT(queue, OWNER, -EXDEV, "the address is of %s",
			      rte_umr_dev_label(addr->dev_id));
	memcpy(queue->av, addr->av, sizeof(queue->av));
	queue->has_av = true;
	return 0;
}
