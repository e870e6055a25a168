/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The umr project authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "front/uverbs/file/map.h"
#include "base/fd.h"
#include "host/keep.h"

/* mmap offset (mlx5_ib): in its page number a command in bits 15..8, an index in 23..16, 7..0. */
#define CMD_SHIFT	8u
#define CMD_MASK	0xffu
#define HIGH_SHIFT	16u

off_t
swhca_umap_offset(uint32_t cmd, uint32_t index)
{
	return (off_t)((uint64_t)(index >> 8) << HIGH_SHIFT | cmd << CMD_SHIFT | (index & 0xff)) *
	       SWHCA_UAR_SIZE;
}

/* All indices that UAR pages can have. */
static off_t
file_size(const struct swhca_udev *dev)
{
	size_t nb_pages = swhca_hca_bar_size(dev->hca) / SWHCA_UAR_SIZE;

	return (off_t)((nb_pages >> 8) + 1) * (SWHCA_UAR_SIZE << HIGH_SHIFT);
}

static int
file_seal(struct swhca_ufile *file, int fd)
{
	const int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
	int own;

	if (ftruncate(fd, file_size(file->dev)) != 0 || fcntl(fd, F_ADD_SEALS, seals) != 0 ||
	    lseek(fd, 0, SEEK_END) < 0)
		return -errno;
	own = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return -errno;
	file->map_fd = swhca_fd_raise(own);
	swhca_fd_keep(file->map_fd);
	return 0;
}

int
swhca_umap_create(struct swhca_ufile *file, int flags)
{
	char name[32];
	int fd, ret;

	snprintf(name, sizeof(name), "uverbs%u", file->dev->index);
	fd = memfd_create(name, MFD_ALLOW_SEALING | ((flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0));
	if (fd < 0)
		return -errno;
	ret = file_seal(file, fd);
	if (ret == 0)
		return fd;
	SWHCA_LOG(ERR, "device file of %lld bytes: %s", (long long)file_size(file->dev),
		  strerror(-ret));
	swhca_fd_close(fd);
	return ret;
}

void
swhca_umap_destroy(struct swhca_ufile *file)
{
	if (file->map_fd >= 0)
		swhca_fd_release(file->map_fd);
	file->map_fd = -1;
}

int
swhca_umap_place(struct swhca_ufile *file, uint32_t cmd, uint32_t index, uint64_t bar_offset,
		 size_t len)
{
	off_t offset = swhca_umap_offset(cmd, index);

	/* Neither doorbells nor data of who had them before. */
	if (fallocate(file->map_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
		      (off_t)len) != 0)
		return -errno;
	return swhca_hca_bar_place(file->dev->hca, bar_offset, len, file->map_fd, offset);
}

static int
uar_resolve(struct swhca_ufile *file, uint32_t cmd, uint32_t index, struct swhca_umap *map)
{
	uint32_t uar;
	int ret;

	ret = swhca_uuar_find(file, cmd, index, &uar);
	if (ret != 0)
		return ret;
	/* A static page has one place, however it is to be mapped. */
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
	uint64_t pgoff = (uint64_t)offset / SWHCA_UAR_SIZE;
	uint32_t index = (pgoff & 0xff) | (pgoff >> HIGH_SHIFT & 0xff) << 8;
	uint32_t cmd = pgoff >> CMD_SHIFT & CMD_MASK;

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
