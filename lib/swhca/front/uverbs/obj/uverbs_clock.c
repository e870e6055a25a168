/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

/*
 * Clock pages of a context: the timer of the device, and its conversion to time of day (mlx5_core:
 * lib/clock.c; struct mlx5_ib_clock_info).
 */

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "front/uverbs/dev/dev.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"
#include "front/uverbs/obj/uverbs_clock.h"
#include "front/uverbs/obj/mmap.h"

int
swhca_uclock_init(struct swhca_ufile *file)
{
	off_t offset = swhca_umap_offset(MLX5_IB_MMAP_CLOCK_INFO, MLX5_IB_CLOCK_INFO_V1);
	const struct mlx5_ib_clock_info *info = &file->dev->clock_info;

	if (pwrite(file->map_fd, info, sizeof(*info), offset) != (ssize_t)sizeof(*info))
		return -EIO;
	return swhca_hca_timer_add(file->dev->hca, file->map_fd,
				   swhca_umap_offset(MLX5_IB_MMAP_CORE_CLOCK, 0), &file->timer);
}

void
swhca_uclock_fini(struct swhca_ufile *file)
{
	if (file->timer != NULL)
		swhca_hca_timer_remove(file->dev->hca, file->timer);
	file->timer = NULL;
}

int
swhca_uclock_resolve(uint32_t cmd, uint32_t index, int prot, struct swhca_umap *map)
{
	if ((prot & PROT_WRITE) != 0)
		return -EPERM;
	if (cmd == MLX5_IB_MMAP_CORE_CLOCK)
		map->offset = swhca_umap_offset(cmd, 0);
	else if (index != MLX5_IB_CLOCK_INFO_V1)
		return -EOPNOTSUPP;
	return 0;
}

void
swhca_uclock_resp_fill(const struct swhca_udev *dev, struct mlx5_ib_alloc_ucontext_resp *resp)
{
	if (swhca_udev_cap(dev, PRM_CAP_SQ_TS_FORMAT) == PRM_TS_FORMAT_CAP_BOTH)
		resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_REAL_TIME_TS;
	resp->comp_mask |= MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_CORE_CLOCK_OFFSET;
	resp->hca_core_clock_offset = 0;
	resp->clock_info_versions = 1u << MLX5_IB_CLOCK_INFO_V1;
}
