/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * The fast-path table, and the dummies that stand in it while a device is not started.
 */

#include <errno.h>
#include <string.h>

#include "rte_umr_private.h"

static int
dummy_mkey_list(void *queue, struct rte_umr_mkey *mkey, uint32_t access,
		const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(mkey);
	RTE_SET_USED(access);
	RTE_SET_USED(segs);
	RTE_SET_USED(nb_segs);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_mkey_interleaved(void *queue, struct rte_umr_mkey *mkey, uint32_t access, uint32_t repeat,
		       const struct rte_umr_interleaved *entries, uint32_t nb_entries,
		       uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(mkey);
	RTE_SET_USED(access);
	RTE_SET_USED(repeat);
	RTE_SET_USED(entries);
	RTE_SET_USED(nb_entries);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_mkey_invalidate(void *queue, struct rte_umr_mkey *mkey, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(mkey);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_mkey_configure(void *queue, const struct rte_umr_mkey_op *op, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(op);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_mkey_check(struct rte_umr_mkey *mkey, struct rte_umr_mkey_error *error)
{
	RTE_SET_USED(mkey);
	RTE_SET_USED(error);
	return -ENODEV;
}

static int
dummy_mkey_update(void *queue, struct rte_umr_mkey *mkey, uint32_t first,
		  const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	return dummy_mkey_list(queue, mkey, first, segs, nb_segs, flags);
}

static int
dummy_mkey_configure_burst(void *queue, const struct rte_umr_mkey_op *ops, uint16_t nb_ops,
			   uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(ops);
	RTE_SET_USED(nb_ops);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_mkey_invalidate_burst(void *queue, struct rte_umr_mkey *const *mkeys, uint16_t nb_mkeys,
			    uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(mkeys);
	RTE_SET_USED(nb_mkeys);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_rdma(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	   uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(local);
	RTE_SET_USED(remote_addr);
	RTE_SET_USED(rkey);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_rdma_burst(void *queue, const struct rte_umr_rdma_op *ops, uint16_t nb_ops, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(ops);
	RTE_SET_USED(nb_ops);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_seg_burst(void *queue, const struct rte_umr_seg *segs, uint16_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(segs);
	RTE_SET_USED(nb_segs);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_rdma_imm(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       rte_be32_t imm, uint64_t flags)
{
	RTE_SET_USED(imm);
	return dummy_rdma(queue, local, remote_addr, rkey, flags);
}

static int
dummy_send(void *queue, const struct rte_umr_seg *local, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(local);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_send_imm(void *queue, const struct rte_umr_seg *local, rte_be32_t imm, uint64_t flags)
{
	RTE_SET_USED(imm);
	return dummy_send(queue, local, flags);
}

static int
dummy_send_inv(void *queue, const struct rte_umr_seg *local, uint32_t rkey, uint64_t flags)
{
	RTE_SET_USED(rkey);
	return dummy_send(queue, local, flags);
}

static int
dummy_fetch_add(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
		uint64_t add, uint64_t flags)
{
	RTE_SET_USED(add);
	return dummy_rdma(queue, local, remote_addr, rkey, flags);
}

static int
dummy_cmp_swap(void *queue, const struct rte_umr_seg *local, uint64_t remote_addr, uint32_t rkey,
	       const struct rte_umr_swap *operands, uint64_t flags)
{
	RTE_SET_USED(operands);
	return dummy_rdma(queue, local, remote_addr, rkey, flags);
}

static int
dummy_mw_invalidate(void *queue, struct rte_umr_mw *mw, uint64_t flags)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(mw);
	RTE_SET_USED(flags);
	return -ENODEV;
}

static int
dummy_mw_bind(void *queue, struct rte_umr_mw *mw, const struct rte_umr_mw_range *range,
	      uint64_t flags)
{
	RTE_SET_USED(range);
	return dummy_mw_invalidate(queue, mw, flags);
}

static int
dummy_recv(void *queue, const struct rte_umr_seg *segs, uint32_t nb_segs, uint64_t flags)
{
	RTE_SET_USED(nb_segs);
	return dummy_send(queue, segs, flags);
}

static int
dummy_submit(void *queue)
{
	RTE_SET_USED(queue);
	return -ENODEV;
}

static uint16_t
dummy_completed(void *queue, uint16_t nb_max, uint16_t *last_idx, bool *has_error)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(nb_max);
	RTE_SET_USED(last_idx);
	*has_error = false;
	return 0;
}

static uint16_t
dummy_completed_status(void *queue, uint16_t nb_max, struct rte_umr_completion *done)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(nb_max);
	RTE_SET_USED(done);
	return 0;
}

static int
dummy_dc_addr_set(void *queue, const struct rte_umr_dc_addr *addr)
{
	RTE_SET_USED(queue);
	RTE_SET_USED(addr);
	return -ENODEV;
}

static uint16_t
dummy_desc_avail(const void *queue)
{
	RTE_SET_USED(queue);
	return 0;
}

#define DUMMIES                                                                                    \
	{                                                                                          \
		.mkey_list = dummy_mkey_list,                                                      \
		.mkey_interleaved = dummy_mkey_interleaved,                                        \
		.mkey_invalidate = dummy_mkey_invalidate,                                          \
		.mkey_configure = dummy_mkey_configure,                                            \
		.mkey_update = dummy_mkey_update,                                                  \
		.mkey_check = dummy_mkey_check,                                                    \
		.write = dummy_rdma,                                                               \
		.write_burst = dummy_rdma_burst,                                                   \
		.read_burst = dummy_rdma_burst,                                                    \
		.send_burst = dummy_seg_burst,                                                     \
		.recv_burst = dummy_seg_burst,                                                     \
		.write_imm = dummy_rdma_imm,                                                       \
		.read = dummy_rdma,                                                                \
		.send = dummy_send,                                                                \
		.send_imm = dummy_send_imm,                                                        \
		.send_inv = dummy_send_inv,                                                        \
		.fetch_add = dummy_fetch_add,                                                      \
		.cmp_swap = dummy_cmp_swap,                                                        \
		.mw_bind = dummy_mw_bind,                                                          \
		.mw_invalidate = dummy_mw_invalidate,                                              \
		.recv = dummy_recv,                                                                \
		.submit = dummy_submit,                                                            \
		.completed = dummy_completed,                                                      \
		.completed_status = dummy_completed_status,                                        \
		.recv_completed = dummy_completed_status,                                          \
		.desc_avail = dummy_desc_avail,                                                    \
		.mkey_configure_burst = dummy_mkey_configure_burst,                                \
		.mkey_invalidate_burst = dummy_mkey_invalidate_burst,                              \
		.dc_addr_set = dummy_dc_addr_set,                                                  \
	}

static const struct rte_umr_fp_object dummies = DUMMIES;

struct rte_umr_fp_object rte_umr_fp_objs[RTE_UMR_MAX_DEVS] = {
	[0 ... RTE_UMR_MAX_DEVS - 1] = DUMMIES,
};

void *rte_umr_fp_queues[RTE_UMR_FP_MAX_QUEUES];

void
rte_umr_fp_set_dummies(int16_t dev_id)
{
	rte_umr_fp_objs[dev_id] = dummies;
	memset(rte_umr_fp_queue_slot(dev_id, 0), 0, RTE_UMR_MAX_QUEUES * sizeof(void *));
}

void
rte_umr_fp_set_stopped(struct rte_umr_dev *dev)
{
	struct rte_umr_fp_object fp = dummies;

	fp.completed = dev->fp_ops->completed;
	fp.completed_status = dev->fp_ops->completed_status;
	fp.recv_completed = dev->fp_ops->recv_completed;
	rte_umr_fp_objs[dev->dev_id] = fp;
}

void
rte_umr_fp_set_started(struct rte_umr_dev *dev)
{
	rte_umr_fp_objs[dev->dev_id] = *dev->fp_ops;
}
