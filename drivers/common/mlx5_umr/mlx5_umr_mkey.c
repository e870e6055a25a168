/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <string.h>

#include "mlx5_umr.h"
#include "mlx5_umr_log.h"
#include "mlx5_umr_mkey.h"
#include "mlx5_umr_wqe.h"

/* A key value is its index and a tag of 8 bits. */
#define MLX5_UMR_KEY_INDEX_SHIFT 8

int
mlx5_umr_mkey_create(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	const struct mlx5_umr_mkey_attr attr = {
		.pdn = dev->pdn,
		.nb_klm = mlx5_umr_klm_align(mkey->max_entries),
		.has_remote_inv = (mkey->flags & RTE_UMR_MKEY_POOL_F_REMOTE_INVALIDATE) != 0,
	};
	struct mlx5dv_devx_obj *obj;
	uint32_t index;
	int ret;

	ret = mlx5_umr_devx_mkey_create(dev->ctx, &attr, &obj, &index);
	if (ret != 0)
		return ret;
	mkey->key = index << MLX5_UMR_KEY_INDEX_SHIFT;
	mkey->driver_private = obj;
	return 0;
}

int
mlx5_umr_mkey_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mkey *mkey)
{
	RTE_SET_USED(umr_dev);
	return mlx5_umr_devx_destroy(mkey->driver_private, "mkey");
}

static int
access_to_ibv(uint32_t access)
{
	return ((access & RTE_UMR_ACCESS_LOCAL_WRITE) != 0 ? IBV_ACCESS_LOCAL_WRITE : 0) |
	       ((access & RTE_UMR_ACCESS_REMOTE_READ) != 0 ? IBV_ACCESS_REMOTE_READ : 0) |
	       ((access & RTE_UMR_ACCESS_REMOTE_WRITE) != 0 ? IBV_ACCESS_REMOTE_WRITE : 0) |
	       ((access & RTE_UMR_ACCESS_REMOTE_ATOMIC) != 0 ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

int
mlx5_umr_mr_register(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr, uint32_t flags)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct ibv_mr *ibv_mr;

	RTE_SET_USED(flags);
	/* A variable: ibv_reg_mr() is a macro that takes constants for something else. */
	int access = access_to_ibv(mr->access);

	ibv_mr = ibv_reg_mr(dev->pd, mr->addr, mr->len, access);
	if (ibv_mr == NULL) {
		int error = errno != 0 ? errno : EIO;

		MLX5_UMR_LOG(ERR, "%s: cannot register %zu bytes at %p: %s", umr_dev->name,
			     mr->len, mr->addr, strerror(error));
		return -error;
	}
	mr->lkey = ibv_mr->lkey;
	mr->rkey = ibv_mr->rkey;
	mr->driver_private = ibv_mr;
	return 0;
}

int
mlx5_umr_mr_deregister(struct rte_umr_dev *umr_dev, struct rte_umr_mr *mr)
{
	int ret = ibv_dereg_mr(mr->driver_private);

	if (ret == 0)
		return 0;
	MLX5_UMR_LOG(ERR, "%s: cannot deregister %zu bytes at %p: %s", umr_dev->name, mr->len,
		     mr->addr, strerror(ret));
	return ret > 0 ? -ret : -EIO;
}
