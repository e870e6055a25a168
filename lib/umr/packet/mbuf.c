/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Mbuf chains as lists of segments, alone and in keys. */

#include <errno.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "rte_umr_private.h"

/** Maximum number of chains passed to the driver together. */
#define CHUNK 32u
/** Longest merged segment: supported by every device, and longer than any chain of packets. */
#define MAX_MERGED (UINT32_C(1) << 30)

/** Whether a piece continues the last one: adjacent, with the same key, and so in one region. */
static inline bool
is_next(const struct rte_umr_seg *last, const struct rte_umr_seg *piece)
{
	return last->addr + last->length == piece->addr && last->lkey == piece->lkey &&
	       last->length + piece->length <= MAX_MERGED;
}

static bool
has_device(int16_t dev_id)
{
	return dev_id >= 0 && dev_id < RTE_UMR_MAX_DEVS &&
	       rte_umr_fp_objs[dev_id].lookup_nb_lcores != 0;
}

/** List of segments under construction. */
struct list {
	struct rte_umr_seg *segs;
	uint32_t nb;
	uint32_t nb_max;
};

/** Append bytes of a chain. @return 0, or an error of rte_umr_mbuf_to_segs(). */
static inline int
list_add(struct list *list, int16_t dev_id, const struct rte_mbuf *mbuf, uint32_t offset,
	 uint32_t len)
{
	const bool is_rest = len == RTE_UMR_MBUF_REST;
	struct rte_umr_seg piece;

	for (; mbuf != NULL && (offset | len) != 0; mbuf = mbuf->next) {
		if (offset >= mbuf->data_len) {
			offset -= mbuf->data_len;
			continue;
		}
		piece.addr = (uintptr_t)mbuf->buf_addr + mbuf->data_off + offset;
		piece.length = RTE_MIN(mbuf->data_len - offset, len);
		offset = 0;
		len -= piece.length;
		if (unlikely(piece.length == 0))
			break;
		piece.lkey = rte_umr_addr_to_mkey(dev_id, (const void *)(uintptr_t)piece.addr,
						  piece.length);
		if (list->nb != 0 && piece.lkey != RTE_UMR_LKEY_NONE &&
		    is_next(&list->segs[list->nb - 1], &piece)) {
			list->segs[list->nb - 1].length += piece.length;
			continue;
		}
		if (unlikely(list->nb == list->nb_max))
			return -E2BIG;
		list->segs[list->nb++] = piece;
		if (unlikely(piece.lkey == RTE_UMR_LKEY_NONE))
			return has_device(dev_id) ? -ENOENT : -ENODEV;
	}
	return offset != 0 || (len != 0 && !is_rest) ? -ERANGE : 0;
}

int
rte_umr_mbuf_to_segs(int16_t dev_id, const struct rte_mbuf *mbuf, uint32_t offset, uint32_t len,
		     struct rte_umr_seg *segs, uint32_t nb_max)
{
	struct list list = { .segs = segs, .nb_max = nb_max };
	int ret = list_add(&list, dev_id, mbuf, offset, len);

	return ret != 0 ? ret : (int)list.nb;
}

int
rte_umr_mbuf_parts_to_segs(int16_t dev_id, const struct rte_umr_mbuf_part *parts, uint32_t nb_parts,
			   struct rte_umr_seg *segs, uint32_t nb_max)
{
	struct list list = { .segs = segs, .nb_max = nb_max };
	uint32_t i;
	int ret;

	for (i = 0; i < nb_parts; i++) {
		ret = list_add(&list, dev_id, parts[i].mbuf, parts[i].offset, parts[i].len);
		if (unlikely(ret != 0))
			return ret;
	}
	return (int)list.nb;
}

int
rte_umr_mbuf_mkey_parts(int16_t dev_id, uint16_t queue_id, struct rte_umr_mkey *mkey,
			uint32_t access, const struct rte_umr_mbuf_part *parts, uint32_t nb_parts,
			uint64_t flags)
{
	struct rte_umr_seg segs[RTE_UMR_MBUF_MAX_SEGS];
	int ret;

	ret = rte_umr_mbuf_parts_to_segs(dev_id, parts, nb_parts, segs, RTE_DIM(segs));
	if (ret < 0)
		return ret;
	return rte_umr_mkey_list(dev_id, queue_id, mkey, access, segs, (uint32_t)ret, flags);
}

int
rte_umr_mbuf_write_sg(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mbuf_part *parts,
		      uint32_t nb_parts, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	struct rte_umr_seg segs[RTE_UMR_MBUF_MAX_SEGS];
	int ret;

	ret = rte_umr_mbuf_parts_to_segs(dev_id, parts, nb_parts, segs, RTE_DIM(segs));
	if (ret < 0)
		return ret;
	return rte_umr_write_sg(dev_id, queue_id, segs, (uint32_t)ret, remote_addr, rkey, flags);
}

int
rte_umr_mbuf_read_sg(int16_t dev_id, uint16_t queue_id, const struct rte_umr_mbuf_part *parts,
		     uint32_t nb_parts, uint64_t remote_addr, uint32_t rkey, uint64_t flags)
{
	struct rte_umr_seg segs[RTE_UMR_MBUF_MAX_SEGS];
	int ret;

	ret = rte_umr_mbuf_parts_to_segs(dev_id, parts, nb_parts, segs, RTE_DIM(segs));
	if (ret < 0)
		return ret;
	return rte_umr_read_sg(dev_id, queue_id, segs, (uint32_t)ret, remote_addr, rkey, flags);
}

int
rte_umr_mbuf_mkey_list(int16_t dev_id, uint16_t queue_id, uint32_t access,
		       const struct rte_umr_mbuf_op *op, uint64_t flags)
{
	struct rte_umr_seg segs[RTE_UMR_MBUF_MAX_SEGS];
	int ret;

	ret = rte_umr_mbuf_to_segs(dev_id, op->mbuf, op->offset, op->len, segs, RTE_DIM(segs));
	if (ret < 0)
		return ret;
	return rte_umr_mkey_list(dev_id, queue_id, op->mkey, access, segs, (uint32_t)ret, flags);
}

/** Chains passed to the driver together. */
struct chunk {
	struct rte_umr_mkey_op ops[CHUNK];
	struct rte_umr_seg segs[RTE_UMR_MBUF_MAX_SEGS];
	uint32_t nb_segs;
	uint16_t nb;
	int error; /* error of the next chain; 0: no error, or the chain is in the next chunk */
};

/** Fill a chunk with as many chains as fit. */
static void
chunk_build(struct chunk *chunk, int16_t dev_id, uint32_t access, const struct rte_umr_mbuf_op *ops,
	    uint16_t nb_ops)
{
	int ret;

	chunk->nb_segs = 0;
	chunk->error = 0;
	for (chunk->nb = 0; chunk->nb < RTE_MIN(nb_ops, CHUNK); chunk->nb++) {
		const struct rte_umr_mbuf_op *op = &ops[chunk->nb];
		struct rte_umr_seg *segs = &chunk->segs[chunk->nb_segs];

		ret = rte_umr_mbuf_to_segs(dev_id, op->mbuf, op->offset, op->len, segs,
					   RTE_DIM(chunk->segs) - chunk->nb_segs);
		if (ret < 0) {
			/* The chain may fit an empty chunk. */
			chunk->error = ret == -E2BIG && chunk->nb != 0 ? 0 : ret;
			return;
		}
		chunk->nb_segs += (uint32_t)ret;
		chunk->ops[chunk->nb] = (struct rte_umr_mkey_op){
			.mkey = op->mkey,
			.segs = segs,
			.nb_entries = (uint32_t)ret,
			.access = access,
			.setters = RTE_UMR_MKEY_SET_ACCESS_LAYOUT,
			.layout = RTE_UMR_LAYOUT_LIST,
		};
	}
}

int
rte_umr_mbuf_mkey_list_burst(int16_t dev_id, uint16_t queue_id, uint32_t access,
			     const struct rte_umr_mbuf_op *ops, uint16_t nb_ops, uint64_t flags)
{
	const uint64_t submit = flags & RTE_UMR_OP_F_SUBMIT;
	bool is_last, is_submitted = false;
	struct chunk chunk;
	uint16_t nb = 0;
	int ret;

	do {
		chunk_build(&chunk, dev_id, access, &ops[nb], (uint16_t)(nb_ops - nb));
		is_last = chunk.error != 0 || nb + chunk.nb == nb_ops;
		ret = chunk.error;
		if (chunk.nb == 0 && ret != 0)
			break;
		flags = (flags & ~RTE_UMR_OP_F_SUBMIT) | (is_last ? submit : 0);
		ret = rte_umr_mkey_configure_burst(dev_id, queue_id, chunk.ops, chunk.nb, flags);
		if (ret <= 0)
			break;
		nb = (uint16_t)(nb + ret);
		is_submitted = is_last;
		/* Later operations follow the one that has waited. */
		flags &= ~RTE_UMR_OP_F_FENCE;
	} while (!is_last && ret == chunk.nb);
	if (nb == 0)
		return ret;
	/* If this fails they are flushed. */
	if (submit != 0 && !is_submitted)
		rte_umr_submit(dev_id, queue_id);
	return nb;
}
