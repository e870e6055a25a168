/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Memory windows of the device.
 */

#include <errno.h>
#include <string.h>

#include "ring/log.h"
#include "ctrl/mr.h"
#include "ctrl/mw.h"

int
mlx5_umr_mw_create(struct rte_umr_dev *umr_dev, struct rte_umr_mw *mw)
{
	struct mlx5_umr_device *dev = umr_dev->dev_private;
	enum ibv_mw_type type = mw->type == RTE_UMR_MW_TYPE_1 ? IBV_MW_TYPE_1 : IBV_MW_TYPE_2;
	struct ibv_mw *ibv_mw;

	errno = 0;
	ibv_mw = ibv_alloc_mw(mlx5_umr_pd_ibv(dev, mw->pd), type);
	if (ibv_mw == NULL) {
		int error = errno != 0 ? errno : EIO;

		MLX5_UMR_DEV_LOG(ERR, umr_dev->name,
				 "cannot create a memory window of type %u: %s", mw->type,
				 strerror(error));
		return -error;
	}
	mw->rkey = ibv_mw->rkey;
	mw->driver_private = ibv_mw;
	return 0;
}

int
mlx5_umr_mw_destroy(struct rte_umr_dev *umr_dev, struct rte_umr_mw *mw)
{
	int ret = ibv_dealloc_mw(mw->driver_private);

	if (ret == 0)
		return 0;
	MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "cannot destroy memory window 0x%x: %s", mw->rkey,
			 strerror(ret));
	return ret > 0 ? -ret : -EIO;
}
