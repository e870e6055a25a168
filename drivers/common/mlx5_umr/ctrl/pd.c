/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/* Protection domains: the default PD of a device, and those of applications. */

#include <errno.h>
#include <string.h>

#include "ring/log.h"
#include "ctrl/mr.h"

static int
pd_number_get(const struct mlx5_umr_device *dev, struct ibv_pd *pd, uint32_t *pdn)
{
	struct mlx5dv_pd dv_pd = { 0 };
	struct mlx5dv_obj obj = { .pd = { .in = pd, .out = &dv_pd } };
	int ret;

	ret = mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD);
	if (ret != 0) {
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name,
				 "cannot get the number of a protection domain: %s", strerror(ret));
		return ret > 0 ? -ret : -EIO;
	}
	*pdn = dv_pd.pdn;
	return 0;
}

static int
pd_create(const struct mlx5_umr_device *dev, struct ibv_pd **pd, uint32_t *pdn)
{
	int ret;

	errno = 0;
	*pd = ibv_alloc_pd(dev->ctx);
	if (*pd == NULL) {
		ret = errno != 0 ? -errno : -EIO;
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name, "no protection domain: %s",
				 strerror(-ret));
		return ret;
	}
	ret = pd_number_get(dev, *pd, pdn);
	if (ret != 0)
		ibv_dealloc_pd(*pd);
	return ret;
}

int
mlx5_umr_pd_open(struct mlx5_umr_device *dev)
{
	int ret;

	if (dev->args.cmd_fd == MLX5_UMR_NO_FD)
		return pd_create(dev, &dev->pd, &dev->pdn);
	errno = 0;
	dev->pd = ibv_import_pd(dev->ctx, dev->args.pd_handle);
	if (dev->pd == NULL) {
		ret = errno != 0 ? -errno : -EIO;
		MLX5_UMR_DEV_LOG(ERR, dev->umr_dev->name,
				 "cannot import a PD from pd_handle=%u: %s", dev->args.pd_handle,
				 strerror(-ret));
		return ret;
	}
	ret = pd_number_get(dev, dev->pd, &dev->pdn);
	if (ret != 0)
		ibv_unimport_pd(dev->pd);
	return ret;
}

void
mlx5_umr_pd_close(struct mlx5_umr_device *dev)
{
	if (dev->args.cmd_fd != MLX5_UMR_NO_FD)
		ibv_unimport_pd(dev->pd);
	else
		ibv_dealloc_pd(dev->pd);
}

struct ibv_pd *
mlx5_umr_pd_ibv(const struct mlx5_umr_device *dev, const struct rte_umr_pd *pd)
{
	return pd == NULL ? dev->pd : pd->driver_private;
}

uint32_t
mlx5_umr_pd_num(const struct mlx5_umr_device *dev, const struct rte_umr_pd *pd)
{
	return pd == NULL ? dev->pdn : pd->num;
}

/* The driver has no struct for it: the device may be closed with a PD that cannot be freed. */
int
mlx5_umr_pd_alloc(struct rte_umr_dev *umr_dev, struct rte_umr_pd *pd)
{
	const struct mlx5_umr_device *dev = umr_dev->dev_private;
	struct ibv_pd *ibv_pd;
	int ret;

	ret = pd_create(dev, &ibv_pd, &pd->num);
	if (ret == 0)
		pd->driver_private = ibv_pd;
	return ret;
}

int
mlx5_umr_pd_free(struct rte_umr_dev *umr_dev, struct rte_umr_pd *pd)
{
	int ret = ibv_dealloc_pd(pd->driver_private);

	if (ret == 0)
		return 0;
	MLX5_UMR_DEV_LOG(ERR, umr_dev->name, "cannot free PD 0x%x: %s", pd->num, strerror(ret));
	return ret > 0 ? -ret : -EIO;
}
