/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include <rte_mbuf.h>

#include "today.h"

int
today_copy(struct play_queue *queue, const struct message *message, uint64_t flags)
{
	struct far_queue *far = queue->far;
	uint8_t *to = far_linear(far);
	const struct rte_umr_seg linear = {
		.addr = (uintptr_t)to,
		.length = message->len,
		.lkey = far->linear_lkey,
	};
	const struct rte_umr_mbuf_part *part;
	const void *data;

	for (part = message->parts; part < message->parts + message->nb_parts; part++) {
		/* Copies data that spans several mbufs, and returns a pointer to the rest. */
		data = rte_pktmbuf_read(part->mbuf, part->offset, part->len, to);
		if (data == NULL)
			return -ERANGE;
		if (data != to)
			memcpy(to, data, part->len);
		to += part->len;
	}
	queue->tallies[queue->way].nb_copied += message->len;
	return far_write(far, &linear, far_addr(far), message->imm, flags);
}

int
today_writes(struct play_queue *queue, const struct message *message, uint64_t flags)
{
	struct rte_umr_rdma_op writes[RTE_UMR_MBUF_MAX_SEGS];
	struct rte_umr_seg segs[RTE_UMR_MBUF_MAX_SEGS];
	struct far_queue *far = queue->far;
	uint64_t addr = far_addr(far);
	int nb, i, ret = 0;

	nb = rte_umr_mbuf_parts_to_segs(far->dev_id, message->parts, message->nb_parts, segs,
					RTE_UMR_MBUF_MAX_SEGS);
	if (nb <= 0)
		return nb == 0 ? -EINVAL : nb;
	for (i = 0; i < nb - 1; i++) {
		writes[i] = (struct rte_umr_rdma_op){
			.local = segs[i],
			.remote_addr = addr,
			.rkey = far->landing_rkey,
		};
		addr += segs[i].length;
	}
	if (nb > 1)
		ret = rte_umr_write_burst(far->dev_id, far->id, writes, (uint16_t)(nb - 1), 0);
	if (ret != nb - 1)
		return ret < 0 ? ret : -ENOSPC;
	return far_write(far, &segs[nb - 1], addr, message->imm, flags);
}
