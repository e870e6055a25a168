/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Protection domains: the default one of a device, and those of applications.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mlx5_umr_log.h"
#include "mlx5_umr_mr.h"

/* driver_private of struct rte_umr_pd */
struct mlx5_umr_pd {
	struct ibv_pd *pd;
	uint32_t pdn;
};

int
mlx5_umr_pd_create(struct ibv_context *ctx, const char *name, struct ibv_pd **pd, uint32_t *pdn)
{
	struct mlx5dv_obj obj = { 0 };
	struct mlx5dv_pd dv_pd = { 0 };
	int ret;

	errno = 0;
	*pd = ibv_alloc_pd(ctx);
	if (*pd == NULL) {
		ret = errno != 0 ? -errno : -EIO;
		MLX5_UMR_LOG(ERR, "%s: no protection domain: %s", name, strerror(-ret));
		return ret;
	}
	obj.pd.in = *pd;
	obj.pd.out = &dv_pd;
	ret = mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD);
	if (ret != 0) {
		MLX5_UMR_LOG(ERR, "%s: cannot tell the number of a protection domain: %s", name,
			     strerror(ret));
		ibv_dealloc_pd(*pd);
		return ret > 0 ? -ret : -EIO;
	}
	*pdn = dv_pd.pdn;
	return 0;
}

struct ibv_pd *
mlx5_umr_pd_ibv(const struct mlx5_umr_device *dev, const struct rte_umr_pd *pd)
{
	return pd == NULL ? dev->pd : ((const struct mlx5_umr_pd *)pd->driver_private)->pd;
}

uint32_t
mlx5_umr_pd_num(const struct mlx5_umr_device *dev, const struct rte_umr_pd *pd)
{
	return pd == NULL ? dev->pdn : ((const struct mlx5_umr_pd *)pd->driver_private)->pdn;
}

int
mlx5_umr_pd_alloc(struct rte_umr_dev *umr_dev, struct rte_umr_pd *pd)
{
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct mlx5_umr_pd *mine = calloc(1, sizeof(*mine));
	int ret;

	if (mine == NULL)
		return -ENOMEM;
	ret = mlx5_umr_pd_create(dev->ctx, umr_dev->name, &mine->pd, &mine->pdn);
	if (ret != 0) {
		free(mine);
		return ret;
	}
	pd->driver_private = mine;
	return 0;
}

int
mlx5_umr_pd_free(struct rte_umr_dev *umr_dev, struct rte_umr_pd *pd)
{
	struct mlx5_umr_pd *mine = pd->driver_private;
	int ret = ibv_dealloc_pd(mine->pd);

	if (ret != 0) {
		MLX5_UMR_LOG(ERR, "%s: cannot free PD 0x%x: %s", umr_dev->name, mine->pdn,
			     strerror(ret));
		return ret > 0 ? -ret : -EIO;
	}
	free(mine);
	return 0;
}
