/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <sys/mman.h>

#include "include/hca.h"
#include "base/log.h"
#include "front/uverbs/file/uverbs_file.h"
#include "front/uverbs/file/map.h"
#include "front/uverbs/file/obj.h"
#include "front/uverbs/obj/uverbs_clock.h"
#include "front/uverbs/obj/dm.h"
#include "front/uverbs/obj/mmap.h"
#include "front/uverbs/obj/uverbs_uar.h"

static int
uar_resolve(struct swhca_ufile *file, uint32_t cmd, uint32_t index, struct swhca_umap *map)
{
	uint32_t uar;
	int ret;

	ret = swhca_uuar_find(file, cmd, index, &uar);
	if (ret != 0)
		return ret;
	/* A static page has one offset, for all mapping types. */
	if (cmd == MLX5_IB_MMAP_WC_PAGE || cmd == MLX5_IB_MMAP_NC_PAGE)
		map->offset = swhca_umap_offset(MLX5_IB_MMAP_REGULAR_PAGE, index);
	map->act = SWHCA_UMAP_UAR;
	map->bar_offset = (uint64_t)uar * SWHCA_UAR_SIZE;
	return 0;
}

int
swhca_umap_resolve(struct swhca_ufile *file, off_t offset, size_t len, int prot,
		   struct swhca_umap *map)
{
	uint32_t cmd, index;

	swhca_umap_parse(offset, &cmd, &index);
	*map = (struct swhca_umap){ .offset = swhca_umap_offset(cmd, index) };
	if ((prot & PROT_EXEC) != 0)
		return -EPERM;
	if (cmd == MLX5_IB_MMAP_DEVICE_MEM)
		return swhca_udm_resolve(file, index, len, map);
	if (len != SWHCA_UAR_SIZE)
		return -EINVAL;
	switch (cmd) {
	case MLX5_IB_MMAP_REGULAR_PAGE:
	case MLX5_IB_MMAP_WC_PAGE:
	case MLX5_IB_MMAP_NC_PAGE:
	case MLX5_IB_MMAP_ALLOC_WC:
	case SWHCA_MMAP_UAR_OBJ:
		return uar_resolve(file, cmd, index, map);
	case SWHCA_MMAP_VAR_OBJ:
		return swhca_uobj_find_num(file, MLX5_IB_OBJECT_VAR, index) != NULL ? 0 : -EINVAL;
	case MLX5_IB_MMAP_CORE_CLOCK:
	case MLX5_IB_MMAP_CLOCK_INFO:
		return swhca_uclock_resolve(cmd, index, prot, map);
	default:
		SWHCA_LOG(WARNING, "mmap command %u: not supported", cmd);
		return -EOPNOTSUPP;
	}
}
