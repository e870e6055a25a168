/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include "mlx5_umr.h"
#include "mlx5_umr_mkey.h"
#include "mlx5_umr_mr.h"
#include "mlx5_umr_wqe.h"

/* A key value is its index and a tag of 8 bits. */
#define MLX5_UMR_KEY_INDEX_SHIFT 8

int
mlx5_umr_mkey_create(struct rte_umr_dev *umr_dev, const struct rte_umr_pd *pd,
		     struct rte_umr_mkey *mkey)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	const struct mlx5_umr_mkey_attr attr = {
		.pdn = mlx5_umr_pd_num(dev, pd),
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
