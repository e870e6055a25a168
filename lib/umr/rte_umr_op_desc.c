/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Resources of an operation: checks, then the driver's operation. */

#include <errno.h>

#include "rte_umr_private.h"

/** Check the description of an operation (logged if invalid). */
static bool
is_shape_good(const struct rte_umr_op_shape *shape)
{
	const bool has_layout = shape->op != RTE_UMR_OP_MKEY_CONFIGURE ||
				(shape->setters & RTE_UMR_MKEY_SET_LAYOUT) != 0;

	switch (shape->op) {
	case RTE_UMR_OP_MKEY_CONFIGURE:
		if ((shape->setters & ~RTE_UMR_MKEY_SET_ALL) != 0 ||
		    (shape->pool_flags & ~RTE_UMR_MKEY_POOL_F_ALL) != 0 ||
		    (has_layout && shape->layout > RTE_UMR_LAYOUT_FIXED))
			return false;
		if ((shape->setters & RTE_UMR_MKEY_SET_SIG) != 0 &&
		    (shape->nb_sig_domains == 0 || shape->nb_sig_domains > 2))
			return false;
		/* fallthrough */
	case RTE_UMR_OP_MKEY_LIST:
	case RTE_UMR_OP_MKEY_INTERLEAVED:
	case RTE_UMR_OP_MKEY_UPDATE:
		return !has_layout || shape->nb_entries != 0;
	case RTE_UMR_OP_MKEY_INVALIDATE:
	case RTE_UMR_OP_WRITE:
	case RTE_UMR_OP_READ:
	case RTE_UMR_OP_SEND:
	case RTE_UMR_OP_FETCH_ADD:
	case RTE_UMR_OP_CMP_SWAP:
	case RTE_UMR_OP_MW_BIND:
	case RTE_UMR_OP_MW_INVALIDATE:
		return true;
	default:
		return false;
	}
}

int
rte_umr_op_desc(int16_t dev_id, uint16_t queue_id, const struct rte_umr_op_shape *shape,
		struct rte_umr_op_size *size)
{
	struct rte_umr_dev *dev = rte_umr_dev_get(dev_id);
	struct rte_umr_op_size needed = { 0 };
	int ret;

	if (dev == NULL)
		return rte_umr_no_dev("size of an operation");
	if (shape == NULL || size == NULL || queue_id >= dev->nb_queues ||
	    dev->queues[queue_id] == NULL ||
	    dev->queue_confs[queue_id].transport == RTE_UMR_TRANSPORT_DCT) {
		UMR_DEV_LOG(ERR, dev_id,
			    "queue %u of %u is not set up to send, or shape or size is NULL",
			    queue_id, dev->nb_queues);
		return -EINVAL;
	}
	if (!UMR_IS_ZERO(shape->reserved2) || !is_shape_good(shape)) {
		UMR_DEV_LOG(ERR, dev_id,
			    "no operation of type %u, setters 0x%x, layout %u, "
			    "%u signature domains, %u entries, or a reserved field is not 0",
			    shape->op, shape->setters, shape->layout, shape->nb_sig_domains,
			    shape->nb_entries);
		return -EINVAL;
	}
	ret = dev->ops->op_desc(dev->queues[queue_id], shape, &needed);
	if (ret == 0)
		*size = needed;
	return ret;
}
